// What introspection of tokens is in the configuration of an API.
#include "plugins/introspection/settings.h"

#include "config/settings.h"
#include "config/text.h"
#include "gateway/fetch/client.h"
#include "gateway/fetch/trust.h"
#include "gateway/fetch/url.h"
#include "plugins/claim_settings.h"
#include "plugins/fetch_settings.h"
#include "plugins/introspection/introspection.h"

#include <algorithm>
#include <utility>

namespace sallyport::plugins {

namespace {

using config::Reader;
using config::Value;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::size_t longest_id = 256;

config::Section<IntrospectionClient> const& client_section() {
    using T = IntrospectionClient;
    static config::Section<T> const section{
        "client of introspection",
        {
            config::custom_key<T>({"id", config::text_shape(static_cast<std::int64_t>(longest_id)),
                                   "the id of the gateway at the issuer"},
                                  [](Reader& reader, Value const& value, T& out) {
                                      if (auto id = reader.read_line(value, longest_id))
                                          out.id = std::move(*id);
                                  })
                .required("id: sallyport"),
            config::custom_key<T>(
                {"secret", config::secret_shape(), "its secret: ${env:NAME} or ${file:PATH}"},
                [](Reader& reader, Value const& value, T& out) {
                    if (auto secret = reader.read_secret(value)) out.secret = std::move(*secret);
                })
                .required("secret: ${file:/run/secrets/introspection}"),
        }};
    return section;
}

config::Section<AnswerCache> const& cache_section() {
    using T = AnswerCache;
    static config::Section<T> const section{
        "cache of introspection",
        {
            config::duration_key("positive", &T::positive, seconds{1}, hours{1},
                                 "how long a token is used before its issuer is asked again; never "
                                 "beyond its exp"),
            config::duration_key("negative", &T::negative, seconds{1}, minutes{5},
                                 "how long a token that is not active is refused without asking "
                                 "again, and the pause after a failure"),
            config::duration_key("keep", &T::keep, seconds{1}, hours{24},
                                 "with on_failure: allow_cached, how long beyond positive a token "
                                 "is used while its issuer cannot be asked; never beyond its exp"),
        }};
    return section;
}

std::vector<config::Word<OnFailure>> const& failure_words() {
    static std::vector<config::Word<OnFailure>> const words{
        {"deny", OnFailure::deny}, {"allow_cached", OnFailure::allow_cached}};
    return words;
}

std::vector<config::Key<IntrospectionSettings>> keys() {
    using T = IntrospectionSettings;
    std::vector<config::Key<T>> all{
        config::custom_key<T>(
            {"url", url_shape(), "the introspection endpoint of the issuer (RFC 7662)"},
            [](Reader& reader, Value const& value, T& out) {
                if (auto url = read_url(reader, value)) out.url = std::move(*url);
                out.url_origin = Reader::origin_of(value);
            })
            .required("url: https://issuer.example/oauth2/introspect"),
        config::section_key("client", &T::client, client_section(),
                            "with what the gateway authenticates there (Basic)")
            .required("client: { id: sallyport, secret: ... }"),
        config::file_key("ca", &T::ca,
                         "certificates of authorities to trust, in PEM; without it: the system's"),
        config::custom_key<T>(
            {"issuer", one_or_more_shape(), "what `iss` is, byte for byte; of a list, one of them"},
            [](Reader& reader, Value const& value, T& out) {
                read_one_or_more(reader, value, out.issuers);
                out.mapping.places.issuer = value.node->mark();
            }),
        config::custom_key<T>(
            {"audience", one_or_more_shape(), "what `aud` is or has in it; of a list, one of them"},
            [](Reader& reader, Value const& value, T& out) {
                read_one_or_more(reader, value, out.audiences);
                out.mapping.places.audience = value.node->mark();
            }),
        config::custom_key<T>({"required_claims", required_claims_shape(),
                               "claims, by name or pointer, and the values of which each has one"},
                              [](Reader& reader, Value const& value, T& out) {
                                  read_required_claims(reader, value, out.required,
                                                       out.mapping.places);
                              }),
        config::duration_key("leeway", &T::leeway, seconds{0}, minutes{5},
                             "by how much clocks may differ"),
        config::section_key("cache", &T::cache, cache_section(), "how long answers are used"),
        config::word_key("on_failure", &T::on_failure, failure_words(),
                         "what becomes of tokens that were active while the issuer cannot be "
                         "asked; others are refused"),
        config::duration_key("timeout", &T::timeout, milliseconds{100}, seconds{30},
                             "for an answer, from the connection to its last byte"),
        config::integer_key("pending", &T::pending, 1, 1024,
                            "how many tokens the issuer is asked about at once, by each worker; as "
                            "many wait for their turn, further ones are refused"),
    };
    for (auto& key : claim_keys_of(&T::mapping))
        all.push_back(std::move(key));
    return all;
}

config::Section<IntrospectionSettings> const& section() {
    static config::Section<IntrospectionSettings> const section{"introspection", keys()};
    return section;
}

// Of a key that is there, since its default is no mistake.
void check_keep(Reader& reader, Value const& mapping, IntrospectionSettings const& settings) {
    if (settings.on_failure == OnFailure::allow_cached || !mapping.node->is_mapping()) return;
    auto const* const cache = mapping.node->find("cache");
    if (cache == nullptr || !cache->is_mapping()) return;
    auto const* const keep = cache->find_entry("keep");
    if (keep == nullptr) return;
    auto const path = mapping.path.key("cache").key("keep");
    reader.refuse(config::Origin{keep->mark, path}, "is for on_failure: allow_cached",
                  "remove it, or write on_failure: allow_cached");
}

config::Opaque read_settings(Reader& reader, Value const& mapping) {
    IntrospectionSettings out;
    section().read(reader, mapping, out);
    out.mapping.places.section = mapping.node->mark();
    check_keep(reader, mapping, out);
    return config::Opaque::of(std::move(out));
}

config::Referred refers_to(config::Opaque const& settings) {
    auto const* const read = settings.as<IntrospectionSettings>();
    if (read == nullptr) return {};
    auto out = referred_of(read->mapping);
    out.issuers = read->issuers.empty() ? std::vector{read->url} : read->issuers;
    if (read->ca) out.files.push_back(*read->ca);
    return out;
}

// A token for another API of the issuer would have the roles of all tokens.
void warn_of_any_token(IntrospectionSettings const& settings, config::yaml::Problems& problems) {
    bool const is_narrow = !settings.audiences.empty() || !settings.required.empty()
                           || !settings.mapping.scopes.required.empty()
                           || settings.mapping.roles.always.empty();
    if (is_narrow) return;
    problems.push_back(config::problem_at(
        settings.url_origin, "every active token of the issuer has roles here, whatever it is for",
        "write audience, scopes or required_claims", config::yaml::Severity::warning));
}

config::Opaque compile(config::Opaque const& settings, config::CompileSettings const& with) {
    auto const* const read = settings.as<IntrospectionSettings>();
    if (read == nullptr || read->url.empty()) return {};
    auto target = std::make_shared<fetch::Target>();
    target->url = fetch::parse_url(read->url).url;
    target->tls = fetch::trust_of(read->ca, read->url_origin, with.problems);
    warn_of_any_token(*read, with.problems);
    target->limits.total = read->timeout;
    target->limits.connect = std::min(target->limits.connect, read->timeout);
    target->limits.body = longest_answer;
    IntrospectionVerifier verifier;
    verifier.target = std::move(target);
    auto authorization = fetch::client_authorization(read->client.id, read->client.secret.reveal());
    if (authorization.is_empty() && !read->client.id.empty())
        with.problems.push_back(config::problem_at(read->url_origin,
                                                   "the client's id and secret are too long for a "
                                                   "header field"));
    verifier.authorization = std::make_shared<config::Secret const>(std::move(authorization));
    verifier.expected = {read->issuers, read->audiences, read->required, read->leeway};
    verifier.mapping = read->mapping;
    verifier.times = {read->cache.positive, read->cache.negative, {}};
    if (read->on_failure == OnFailure::allow_cached) verifier.times.keep = read->cache.keep;
    // Little more: a fetch ends by itself.
    verifier.wait = read->timeout + seconds{1};
    verifier.pending = read->pending;
    verifier.issuer = read->url;
    // No text of the configuration has the separator in it.
    verifier.fingerprint = read->url + '\n' + read->client.id;
    if (read->ca) verifier.fingerprint += '\n' + read->ca->path;
    verifier.number = {pipeline::next_verifier_number(), pipeline::next_verifier_number()};
    return config::Opaque::of(std::move(verifier));
}

} // namespace

config::Authenticator const& introspection_settings() {
    static config::Authenticator const settings{
        .name = introspection_name,
        .scheme = "bearer",
        .api = config::ApiSettings{.help = "tokens that their issuer is asked about (RFC 7662)",
                                   .section = &section().info(),
                                   .read = read_settings,
                                   .refers_to = refers_to,
                                   .compile = compile}};
    return settings;
}

} // namespace sallyport::plugins
