// The keys of an issuer: see key_source.h.
#include "plugins/jwt/key_source.h"

#include "config/load.h"
#include "config/text.h"
#include "gateway/fetch/fetch.h"
#include "gateway/fetch/trust.h"
#include "gateway/jose/strict_json.h"
#include "gateway/pipeline/known_tokens.h"
#include "gateway/pipeline/sha256.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace sallyport::plugins {

namespace {

using fetch::Cause;
using fetch::Failure;
using Loaded = fetch::Loaded<IssuerKeys>;

constexpr std::size_t longest_discovery = std::size_t{64} * 1024;
constexpr std::size_t most_named = 8; // keys in an event

// What the attempts of one source share. On the fetching thread.
struct KeyFetch {
    std::shared_ptr<fetch::Target const> first; // of the key set, or of the discovery document
    bool is_discovery = false;
    std::vector<std::string> issuers;
    std::vector<jose::Algorithm> algorithms;
    // The last set, and its text: one that has not changed stays the same, so that tokens stay
    // known.
    std::string text;
    std::shared_ptr<IssuerKeys const> last;
    std::string note; // of the last set, for operators
};

Loaded failed(Failure failure) {
    return {nullptr, {}, {}, std::move(failure)};
}

std::shared_ptr<IssuerKeys const> numbered(std::shared_ptr<jose::KeySet const> set) {
    return std::make_shared<IssuerKeys const>(
        IssuerKeys{std::move(set), pipeline::next_verifier_number()});
}

// "2 keys: a, b"
std::string describe(jose::KeySet const& set) {
    auto const& keys = set.all();
    auto text = std::to_string(keys.size()) + (keys.size() == 1 ? " key" : " keys");
    std::size_t named = 0;
    for (auto const& key : keys) {
        if (key.kid().empty() || named == most_named) continue;
        text += (named++ == 0 ? ": " : ", ") + config::printable(key.kid().substr(0, 64));
    }
    return text;
}

// "; 2 keys are ignored: its key 3 has no `kty`"; empty: there is none.
std::string describe_left_out(std::vector<std::string> const& keys) {
    if (keys.empty()) return {};
    return "; " + std::to_string(keys.size()) + (keys.size() == 1 ? " key is" : " keys are")
           + " ignored: " + keys.front();
}

// What a problem of a key set says of it: "it has more than 64 keys", "its key 2 has no `kty`".
std::string about_it(std::string const& problem) {
    return problem.starts_with("its ") ? problem : "it " + problem;
}

Loaded keys_of(fetch::Response const& response, KeyFetch& from) {
    auto const text = response.body.reveal();
    if (from.last != nullptr && text == from.text)
        return {from.last, response.fresh_for, from.note, {}};
    auto const read = jose::read_key_set(text, from.algorithms, jose::KeySetOrigin::fetched);
    auto const left_out = describe_left_out(read.not_understood);
    if (read.keys == nullptr)
        return failed({Cause::unusable, about_it(read.problems.front()) + left_out});
    from.text = text;
    from.last = numbered(read.keys);
    from.note = describe(*read.keys) + left_out;
    return {from.last, response.fresh_for, from.note, {}};
}

KeyTarget target_of(fetch::Response const& response, KeyFetch const& from) {
    auto const found = read_discovery(response.body.reveal(), from.issuers);
    if (!found.problem.empty()) return {nullptr, {Cause::unusable, found.problem}};
    return target_of_keys(found.jwks_uri, *from.first);
}

net::Task<KeyTarget> discover(fetch::Environment& environment, std::shared_ptr<KeyFetch> from) {
    fetch::Request request{from->first};
    auto fetching = fetch::fetch(environment, std::move(request));
    auto const result = co_await std::move(fetching);
    if (auto const* const failure = std::get_if<Failure>(&result))
        co_return KeyTarget{nullptr, *failure};
    co_return target_of(std::get<fetch::Response>(result), *from);
}

// The source is named by its document: that another server is meant has to be said.
Failure of_discovered(Failure failure) {
    failure.detail =
        "its `jwks_uri` was not fetched" + (failure.detail.empty() ? "" : ": " + failure.detail);
    return failure;
}

net::Task<Loaded> load(fetch::Environment& environment, std::shared_ptr<KeyFetch> from) {
    auto target = from->first;
    if (from->is_discovery) {
        auto discovering = discover(environment, from);
        auto found = co_await std::move(discovering);
        if (found.target == nullptr) co_return failed(std::move(found.failure));
        target = std::move(found.target);
    }
    fetch::Request request{std::move(target)};
    auto fetching = fetch::fetch(environment, std::move(request));
    auto const result = co_await std::move(fetching);
    if (auto const* const failure = std::get_if<Failure>(&result))
        co_return failed(from->is_discovery ? of_discovered(*failure) : *failure);
    co_return keys_of(std::get<fetch::Response>(result), *from);
}

// Null: reported.
std::shared_ptr<IssuerKeys const> keys_of_file(config::File const& from,
                                               std::vector<jose::Algorithm> const& algorithms,
                                               config::yaml::Problems& problems) {
    auto file = config::read_file(from.path, jose::longest_key_set);
    if (!file.problem.empty()) {
        problems.push_back(config::unreadable(from, file.problem));
        return nullptr;
    }
    auto const read = jose::read_key_set(file.text, algorithms);
    config::wipe(file.text); // it may hold a secret
    for (auto const& what : read.problems)
        problems.push_back(config::problem_at(
            from.origin, config::in_quotes(from.path) + ' ' + what,
            "write a key set of the issuer's public keys, as its jwks_uri has it"));
    if (read.keys != nullptr && read.keys->all().empty())
        problems.push_back(config::problem_at(
            from.origin, config::in_quotes(from.path) + " has no key: every token is refused",
            "write the issuer's public keys, if that is not meant",
            config::yaml::Severity::warning));
    return read.keys == nullptr ? nullptr : numbered(read.keys);
}

// All that a source is made of: with the same, the next configuration goes on with it.
std::string text_of(KeySettings const& settings, KeyFetch const& from) {
    std::string text = "jwt keys";
    auto const add = [&text](std::string_view part) {
        text.append(" ").append(std::to_string(part.size())).append(":").append(part);
    };
    add(settings.url);
    add(settings.discovery);
    for (auto const& issuer : from.issuers)
        add(issuer);
    for (auto const algorithm : from.algorithms)
        add(jose::to_string(algorithm));
    add(std::to_string(settings.refresh.count()));
    add(std::to_string(settings.keep.count()));
    if (!settings.ca) return text;
    constexpr std::size_t largest_ca = std::size_t{4} << 20;
    pipeline::Sha256 sha256;
    auto const digest = sha256(config::read_file(settings.ca->path, largest_ca).text);
    add(settings.ca->path);
    add(pipeline::as_text(digest));
    return text;
}

fetch::ScheduleSettings schedule_of(KeySettings const& settings) {
    fetch::ScheduleSettings schedule;
    schedule.interval = settings.refresh;
    schedule.shortest = std::min<net::Clock::duration>(schedule.shortest, settings.refresh);
    // A key that was revoked is refused within `refresh`, whatever the response says.
    schedule.longest = settings.refresh;
    schedule.keep = settings.keep;
    return schedule;
}

} // namespace

Discovered read_discovery(std::string_view text, std::span<std::string const> issuers) {
    jose::StrictJson json;
    auto const document = json.read(text, {.bytes = longest_discovery, .depth = 8, .values = 4096});
    if (!document) return {{}, "it is no JSON object, or an object in it has a name twice"};
    // OpenID Connect Discovery 1.0, 4.3: else it may be of another issuer.
    auto const issuer = jose::text_member(*document, "issuer");
    if (!issuer || std::find(issuers.begin(), issuers.end(), *issuer) == issuers.end())
        return {{}, "its `issuer` is not that of the configuration"};
    auto const uri = jose::text_member(*document, "jwks_uri");
    if (!uri) return {{}, "it has no `jwks_uri`"};
    return {std::string{*uri}, {}};
}

KeyTarget target_of_keys(std::string_view jwks_uri, fetch::Target const& document) {
    using Scheme = fetch::Url::Scheme;
    auto const parsed = fetch::parse_url(jwks_uri);
    if (!parsed.problem.empty())
        return {nullptr, {Cause::unusable, "its `jwks_uri` is no URL that is fetched"}};
    if (document.url.scheme == Scheme::https && parsed.url.scheme == Scheme::http)
        return {nullptr, {Cause::insecure, "its `jwks_uri` has no TLS"}};
    auto target = std::make_shared<fetch::Target>(document);
    target->url = parsed.url;
    target->limits.body = jose::longest_key_set;
    bool const may_be_here =
        parsed.url.host == document.url.host || fetch::names_loopback(document.url);
    if (!may_be_here) target->reach.loopback = fetch::Reach::Loopback::refused;
    return {std::move(target), {}};
}

KeySource make_key_source(KeySettings const& settings, std::vector<std::string> const& issuers,
                          std::vector<jose::Algorithm> const& algorithms,
                          config::CompileSettings const& with) {
    KeySource source;
    if (algorithms.empty()) return source; // an error of its own
    if (settings.file) {
        source.fixed = keys_of_file(*settings.file, algorithms, with.problems);
        return source;
    }
    if (!settings.are_fetched()) return source;
    auto const from = std::make_shared<KeyFetch>();
    from->is_discovery = settings.url.empty();
    from->issuers = issuers;
    from->algorithms = algorithms;
    auto target = std::make_shared<fetch::Target>();
    auto const& url = from->is_discovery ? settings.discovery : settings.url;
    target->url = fetch::parse_url(url).url;
    target->tls = fetch::trust_of(settings.ca, settings.url_origin, with.problems);
    target->limits.body = from->is_discovery ? longest_discovery : jose::longest_key_set;
    target->media_types = {"application/json", "application/jwk-set+json"};
    bool const is_trusted = target->tls != nullptr;
    from->first = std::move(target);
    if (with.fetcher == nullptr || !is_trusted) return source;
    source.fetched =
        with.kept.find_or_make<fetch::Refreshed<IssuerKeys>>(text_of(settings, *from), [&] {
            return std::make_shared<fetch::Refreshed<IssuerKeys>>(
                *with.fetcher, fetch::text_of(from->first->url), schedule_of(settings),
                [from](fetch::Environment& environment) { return load(environment, from); });
        });
    return source;
}

} // namespace sallyport::plugins
