// Tokens that an authorization server issues to the gateway: see issued_token.h.
#include "gateway/lifecycle/issued_token.h"

#include "config/load.h"
#include "config/text.h"
#include "gateway/fetch/client.h"
#include "gateway/fetch/fetch.h"
#include "gateway/fetch/reach.h"
#include "gateway/fetch/refreshed.h"
#include "gateway/fetch/trust.h"
#include "gateway/http/characters.h"
#include "gateway/jose/strict_json.h"
#include "gateway/lifecycle/token_watch.h"
#include "gateway/pipeline/sha256.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <variant>

namespace sallyport::lifecycle {

namespace {

using config::UpstreamClientCredentials;
using std::chrono::seconds;
using LoadedSecret = fetch::Loaded<config::Secret>;

constexpr std::size_t longest_answer = 64UL * 1024;
constexpr seconds longest_lifetime = std::chrono::hours{24 * 365};

// `expires_in`; some servers write the number as a text.
std::optional<seconds> lifetime_of(simdjson::dom::object answer) {
    auto const member = answer.at_key("expires_in");
    if (member.error() != simdjson::SUCCESS) return unknown_lifetime;
    std::int64_t number = 0;
    std::string_view text;
    if (member.get(text) == simdjson::SUCCESS) {
        auto const* const end = text.data() + text.size();
        auto const read = std::from_chars(text.data(), end, number);
        if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
    } else if (member.get(number) != simdjson::SUCCESS) {
        return std::nullopt;
    }
    if (number <= 0) return std::nullopt;
    return seconds{std::min<std::int64_t>(number, longest_lifetime.count())};
}

// What is asked for: RFC 6749, 4.4.2. Wiped with the request.
config::Secret body_of(UpstreamClientCredentials const& from) {
    std::string body;
    // It must not move: it may hold the secret.
    body.reserve(256
                 + 3
                       * (from.scope.size() + from.audience.size() + from.resource.size()
                          + from.client_id.size() + from.client_secret.reveal().size()));
    body += "grant_type=client_credentials";
    auto const add = [&body](std::string_view name, std::string_view value) {
        if (value.empty()) return;
        body.append("&").append(name).append("=");
        fetch::append_form_value(body, value);
    };
    add("scope", from.scope);
    add("audience", from.audience);
    add("resource", from.resource);
    if (from.authentication == UpstreamClientCredentials::Authentication::post) {
        add("client_id", from.client_id);
        add("client_secret", from.client_secret.reveal());
    }
    config::Secret secret{body};
    config::wipe(body);
    return secret;
}

// What the attempts of one token share.
struct TokenFetch {
    std::shared_ptr<fetch::Target const> target;
    config::Secret authorization; // empty: the client is in the body
    config::Secret body;
};

LoadedSecret token_of(fetch::Response const& response) {
    LoadedSecret loaded;
    auto issued = read_issued_token(response.body.reveal());
    if (!issued.authorization) {
        loaded.failure = {fetch::Cause::unusable, std::move(issued.problem)};
        return loaded;
    }
    loaded.value = std::make_shared<config::Secret const>(std::move(*issued.authorization));
    // Another one is there before it expires, also where some attempts fail; and none is sent that
    // expires on its way.
    loaded.fresh_for = std::max(seconds{1}, issued.lifetime * 3 / 4);
    loaded.usable_for = issued.lifetime - std::min(seconds{10}, issued.lifetime / 10);
    loaded.note = "a token";
    return loaded;
}

net::Task<LoadedSecret> load(fetch::Environment& environment, std::shared_ptr<TokenFetch> from) {
    fetch::Request request;
    request.target = from->target;
    request.method = fetch::Request::Method::post;
    request.authorization = config::Secret{from->authorization.reveal()};
    request.content_type = "application/x-www-form-urlencoded";
    request.body = config::Secret{from->body.reveal()};
    auto fetching = fetch::fetch(environment, std::move(request));
    auto const result = co_await std::move(fetching);
    if (auto const* const failure = std::get_if<fetch::Failure>(&result)) {
        LoadedSecret failed;
        failed.failure = *failure;
        co_return failed;
    }
    co_return token_of(std::get<fetch::Response>(result));
}

fetch::ScheduleSettings schedule() {
    fetch::ScheduleSettings schedule;
    schedule.interval = std::chrono::minutes{1}; // the longest pause after failures
    schedule.shortest = seconds{1};
    schedule.longest = longest_lifetime;
    schedule.least_between = seconds{5};
    return schedule;
}

class FetchedToken final : public upstream::RenewedSecret {
public:
    FetchedToken(fetch::Fetcher& fetcher, std::shared_ptr<TokenFetch> const& from)
        : token_{fetcher, fetch::text_of(from->target->url), schedule(),
                 [from](fetch::Environment& environment) { return load(environment, from); }} {}

    [[nodiscard]] std::shared_ptr<config::Secret const> get() const override {
        return token_.get();
    }
    [[nodiscard]] net::Task<> renew(net::Loop& loop, std::chrono::milliseconds time) override {
        auto refreshing = token_.refresh(loop, time);
        // How it ended is in the value.
        co_await std::move(refreshing);
    }

private:
    fetch::Refreshed<config::Secret> token_;
};

// Changes with everything that a token depends on. Holds a digest in place of the secret.
std::string text_of(UpstreamClientCredentials const& from, TokenFetch const& fetched) {
    std::string text = "issued token";
    auto const add = [&text](std::string_view part) {
        text.append(" ").append(std::to_string(part.size())).append(":").append(part);
    };
    constexpr std::size_t largest_ca = std::size_t{4} << 20;
    pipeline::Sha256 sha256;
    add(from.token_url);
    add(pipeline::as_text(sha256(fetched.authorization.reveal())));
    add(pipeline::as_text(sha256(fetched.body.reveal())));
    if (from.ca) add(pipeline::as_text(sha256(config::read_file(from.ca->path, largest_ca).text)));
    return text;
}

} // namespace

IssuedToken read_issued_token(std::string_view text) {
    IssuedToken issued;
    jose::StrictJson json;
    auto const answer = json.read(text, {.bytes = longest_answer, .depth = 8, .values = 1024});
    if (!answer) {
        issued.problem = "it is no JSON object, or an object in it has a name twice";
        return issued;
    }
    auto const token = jose::text_member(*answer, "access_token");
    auto const type = jose::text_member(*answer, "token_type");
    auto const lifetime = lifetime_of(*answer);
    if (!token) {
        issued.problem = "it has no `access_token`";
    } else if (!type || !http::equals_ignoring_case(*type, "bearer")) {
        issued.problem = "its `token_type` is not Bearer";
    } else if (!lifetime) {
        issued.problem = "its `expires_in` is no number above 0";
    } else {
        issued.authorization = checked_bearer_authorization(*token);
        issued.lifetime = *lifetime;
        if (!issued.authorization)
            issued.problem = "its `access_token` is no bearer token (RFC 6750)";
    }
    return issued;
}

std::shared_ptr<upstream::RenewedSecret> issued_token(UpstreamClientCredentials const& from,
                                                      CarriedOver const& carried_over,
                                                      config::yaml::Problems& problems) {
    if (from.token_url.empty()) return nullptr; // reported when it was read
    auto const parsed = fetch::parse_url(from.token_url);
    auto const problem =
        parsed.problem.empty() ? fetch::reason_against(parsed.url) : parsed.problem;
    if (!problem.empty()) {
        problems.push_back(config::problem_at(from.origin, std::string{problem},
                                              "write https://host/path, as the authorization "
                                              "server documents it"));
        return nullptr;
    }
    auto target = std::make_shared<fetch::Target>();
    target->url = parsed.url;
    target->tls = fetch::trust_of(from.ca, from.origin, problems);
    target->limits.body = longest_answer;
    auto const fetched = std::make_shared<TokenFetch>();
    if (from.authentication == UpstreamClientCredentials::Authentication::basic) {
        fetched->authorization =
            fetch::client_authorization(from.client_id, from.client_secret.reveal());
        if (fetched->authorization.is_empty())
            problems.push_back(config::problem_at(
                from.origin, "its client's id and secret are too long for a header field",
                "write authentication: post"));
    }
    fetched->body = body_of(from);
    bool const is_trusted = target->tls != nullptr;
    fetched->target = std::move(target);
    if (carried_over.fetcher == nullptr || carried_over.kept == nullptr || !is_trusted)
        return nullptr;
    return carried_over.kept->find_or_make<FetchedToken>(text_of(from, *fetched), [&] {
        return std::make_shared<FetchedToken>(*carried_over.fetcher, fetched);
    });
}

} // namespace sallyport::lifecycle
