// Authenticates callers with API keys, in a header field or in the query.
#include "plugins/api_key/api_key.h"

#include "gateway/http/characters.h"
#include "gateway/pipeline/credentials.h"
#include "gateway/pipeline/decision.h"
#include "gateway/pipeline/request.h"
#include "gateway/pipeline/services.h"
#include "gateway/pipeline/steps.h"
#include "gateway/text/percent.h"
#include "plugins/api_key/settings.h"
#include "plugins/authenticators.h"

#include <openssl/crypto.h>

#include <cstddef>
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

// Whether the name of a pair is `name`, however it is escaped: an upstream may take it for the key.
bool is_named(std::string_view pair_name, std::string_view name) {
    if (pair_name == name) return true;
    if (pair_name.find('%') == std::string_view::npos) return false;
    auto const decoded = text::percent_decoded(pair_name);
    return decoded && *decoded == name;
}

FoundKey find_in_query(std::string_view query, std::string_view name) {
    FoundKey found;
    if (query.starts_with('?')) query.remove_prefix(1);
    while (!query.empty()) {
        auto const pair = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), pair.size() + 1));
        auto const equals = pair.find('=');
        if (!is_named(pair.substr(0, equals), name)) continue;
        auto const value =
            equals == std::string_view::npos ? std::string_view{} : pair.substr(equals + 1);
        bool const is_right = found.state == FoundKey::State::none && !value.empty();
        found = {is_right ? FoundKey::State::one : FoundKey::State::malformed, value};
    }
    return found;
}

class ApiKey final : public pipeline::Plugin {
public:
    explicit ApiKey(ApiKeyPlace place) : place_{std::move(place)} {}

    Verdict check(Request const& request, Decision& decision, Services& services) override {
        auto const found = place_.query.empty()
                               ? find_in_head(request.head.fields, place_.header)
                               : find_in_query(request.head.target.query, place_.query);
        if (found.state == FoundKey::State::none) return Verdict::abstain();
        if (found.state == FoundKey::State::malformed) return refuse_malformed(decision);
        if (is_known(decision, services, api_key_name, found.text)) return Verdict::pass();
        return look_up(found.text, decision, services);
    }

private:
    static Verdict refuse_malformed(Decision& decision) {
        decision.auth_failure = AuthFailure::malformed;
        return Verdict::deny(pipeline::unauthenticated());
    }

    Verdict look_up(std::string_view text, Decision& decision, Services& services) const {
        auto key = text;
        std::span<char> const scratch = services.secret_scratch;
        // Readers of queries differ about what a `+` is.
        bool const is_ambiguous =
            !place_.query.empty() && text.find('+') != std::string_view::npos;
        if (!place_.query.empty()) {
            auto const decoded = text::percent_decode(text, scratch);
            if (!decoded || is_ambiguous) return refuse_malformed(decision);
            key = *decoded;
        }
        auto const digest = services.sha256(key);
        OPENSSL_cleanse(scratch.data(), std::min(scratch.size(), text.size()));
        auto const proof =
            decision.api->credentials->find(api_key_name, pipeline::as_text(digest), digest,
                                            std::chrono::system_clock::now());
        return conclude(decision, services, {api_key_name, text}, {proof, digest});
    }

    ApiKeyPlace place_;
};

} // namespace

std::unique_ptr<pipeline::Plugin> make_api_key(pipeline::Api const& api) {
    auto const* const place = api.settings_of<ApiKeyPlace>(api_key_name);
    return std::make_unique<ApiKey>(place == nullptr ? ApiKeyPlace{} : *place);
}

} // namespace sallyport::plugins
