// Authenticates callers with API keys, in a header field or in the query.
#include "plugins/api_key/api_key.h"

#include "gateway/http/characters.h"
#include "gateway/http/query_pair.h"
#include "gateway/pipeline/credentials.h"
#include "gateway/pipeline/decision.h"
#include "gateway/pipeline/request.h"
#include "gateway/pipeline/services.h"
#include "gateway/pipeline/steps.h"
#include "gateway/text/percent.h"
#include "plugins/api_key/settings.h"
#include "plugins/authenticators.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace sallyport::plugins {

namespace {

using pipeline::AuthFailure;
using pipeline::Decision;
using pipeline::Request;
using pipeline::Services;
using pipeline::Verdict;

// As it was sent.
struct FoundKey {
    enum class State : std::uint8_t { none, one, malformed };
    State state = State::none;
    std::string_view text;
};

// Several fields prove nothing, whatever the first one is (RFC 9110, 5.3); nor does an empty one.
FoundKey find_in_head(http::FieldTable const& fields, std::string_view name) {
    FoundKey found;
    for (auto const field : fields) {
        if (!http::equals_ignoring_case(field.name, name)) continue;
        bool const is_right = found.state == FoundKey::State::none && !field.value.empty();
        found = {is_right ? FoundKey::State::one : FoundKey::State::malformed, field.value};
    }
    return found;
}

FoundKey find_in_query(std::string_view query, std::string_view name) {
    FoundKey found;
    if (query.starts_with('?')) query.remove_prefix(1);
    while (!query.empty()) {
        auto const pair = http::take_query_pair(query);
        if (!http::is_query_name(pair.name, name)) continue;
        bool const is_right = found.state == FoundKey::State::none && !pair.value.empty();
        found = {is_right ? FoundKey::State::one : FoundKey::State::malformed, pair.value};
    }
    return found;
}

class ApiKey final : public pipeline::Plugin {
public:
    explicit ApiKey(config::SecretPlace place) : place_{std::move(place)} {}

    Verdict check(Request const& request, Decision& decision, Services& services) override {
        bool const is_in_query = !place_.parameter.empty();
        auto const found = is_in_query ? find_in_query(request.head.target.query, place_.parameter)
                                       : find_in_head(request.head.fields, place_.field);
        if (found.state == FoundKey::State::none) return Verdict::abstain();
        decision.auth_failure = AuthFailure::malformed;
        // In a query another text may be the same key, or the same text another one.
        bool const is_key_itself =
            !is_in_query || found.text.find_first_of("%+") == std::string_view::npos;
        bool const is_right =
            found.state == FoundKey::State::one
            && ((is_key_itself && is_known_caller(decision, services, {api_key_name, found.text}))
                || (is_in_query ? look_up_escaped(found.text, decision, services)
                                : look_up(found.text, found.text, decision, services)));
        if (!is_right) return Verdict::deny(pipeline::unauthenticated());
        decision.auth_failure = AuthFailure::none;
        decision.authorization.field = place_.field;
        decision.authorization.parameter = place_.parameter;
        return Verdict::pass();
    }

private:
    // `text`: by which its caller is remembered; empty: by none.
    static bool look_up(std::string_view key, std::string_view text, Decision& decision,
                        Services& services) {
        auto const digest = services.sha256(key);
        auto const proof = decision.api->credentials->find(
            api_key_name, pipeline::as_text(digest), digest, std::chrono::system_clock::now());
        return accept(decision, services, {api_key_name, text}, proof, digest);
    }

    // Readers of queries differ about what a `+` is.
    static bool look_up_escaped(std::string_view text, Decision& decision, Services& services) {
        std::span<char> const scratch = services.secret_scratch;
        auto const key = text::percent_decode(text, scratch);
        bool const is_right =
            key && text.find('+') == std::string_view::npos
            && look_up(*key, *key == text ? text : std::string_view{}, decision, services);
        OPENSSL_cleanse(scratch.data(), std::min(scratch.size(), text.size()));
        return is_right;
    }

    config::SecretPlace place_;
};

} // namespace

std::string api_key_challenge(std::string_view realm) {
    return challenge("ApiKey", realm, {});
}

std::unique_ptr<pipeline::Plugin> make_api_key(pipeline::Api const& api) {
    return std::make_unique<ApiKey>(
        api_key_place(api.settings_of<config::SecretPlace>(api_key_name)));
}

} // namespace sallyport::plugins
