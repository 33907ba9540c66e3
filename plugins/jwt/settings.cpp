// What JSON Web Tokens are in the configuration of an API: the table, and the file of keys.
#include "plugins/jwt/settings.h"

#include "config/patterns.h"
#include "config/settings.h"
#include "config/text.h"
#include "gateway/pipeline/known_tokens.h"
#include "plugins/claim_settings.h"
#include "plugins/jwt/jwt.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace sallyport::plugins {

namespace {

using config::Empty;
using config::Reader;
using config::Shape;
using config::Value;

// --- algorithms and types

std::vector<config::Word<jose::Algorithm>> const& algorithm_words() {
    static auto const words = [] {
        std::vector<config::Word<jose::Algorithm>> all;
        for (auto const name : jose::algorithm_names)
            all.push_back({name, jose::find_algorithm(name)});
        all.push_back({"Ed25519", jose::find_algorithm("Ed25519")});
        return all;
    }();
    return words;
}

void read_algorithms(Reader& reader, Value const& value, JwtSettings& out) {
    for (Value const& item : reader.read_list(value, Empty::refused)) {
        auto const algorithm = config::read_word(reader, item, algorithm_words());
        if (!algorithm) continue;
        auto& all = out.algorithms;
        if (std::find(all.begin(), all.end(), *algorithm) != all.end()) {
            reader.refuse(item, "is given twice", "remove one");
        } else {
            all.push_back(*algorithm);
        }
    }
}

using TypeMember = bool jose::ExpectedTypes::*;

std::vector<config::Word<TypeMember>> const& type_words() {
    static std::vector<config::Word<TypeMember>> const words{
        {"at+jwt", &jose::ExpectedTypes::at_jwt},
        {"JWT", &jose::ExpectedTypes::jwt},
        {"absent", &jose::ExpectedTypes::absent}};
    return words;
}

void read_types(Reader& reader, Value const& value, JwtSettings& out) {
    out.types = {.at_jwt = false, .jwt = false, .absent = false};
    out.mapping.places.type = value.node->mark();
    for (Value const& item : reader.read_list(value, Empty::refused)) {
        auto const member = config::read_word(reader, item, type_words());
        if (!member) continue;
        if (out.types.*(*member)) reader.refuse(item, "is given twice", "remove one");
        out.types.*(*member) = true;
    }
}

// --- the section

std::vector<config::Key<JwtSettings>> keys_of_tokens() {
    using T = JwtSettings;
    std::vector<config::Key<T>> keys;
    keys.push_back(config::custom_key<T>({"issuer", one_or_more_shape(),
                                          "what `iss` is, byte for byte; of a list, one of them"},
                                         [](Reader& reader, Value const& value, T& out) {
                                             read_one_or_more(reader, value, out.issuers);
                                             out.mapping.places.issuer = value.node->mark();
                                         })
                       .required("issuer: https://..."));
    keys.push_back(config::custom_key<T>({"audience", one_or_more_shape(),
                                          "what `aud` is or has in it; of a list, one of them"},
                                         [](Reader& reader, Value const& value, T& out) {
                                             read_one_or_more(reader, value, out.audiences);
                                             out.mapping.places.audience = value.node->mark();
                                         })
                       .required("audience: ..."));
    keys.push_back(
        config::custom_key<T>(
            {"keys", config::section_shape(key_info()), "with which the issuer signs"},
            [](Reader& reader, Value const& value, T& out) { read_keys(reader, value, out.keys); })
            .required("keys: { file: keys.json }"));
    keys.push_back(config::custom_key<T>(
                       {"algorithms",
                        config::list_shape(config::word_shape(config::infos_of(algorithm_words())),
                                           1, config::no_limit, config::Repeats::refused),
                        "that tokens may be signed with; each key is for one of them"},
                       read_algorithms)
                       .required("algorithms: [RS256]"));
    return keys;
}

std::vector<config::Key<JwtSettings>> keys_of_checks() {
    using T = JwtSettings;
    std::vector<config::Key<T>> keys;
    keys.push_back(config::duration_key("leeway", &T::leeway, std::chrono::seconds{0},
                                        std::chrono::minutes{5}, "by how much clocks may differ"));
    keys.push_back(config::custom_key<T>(
        {"typ",
         config::list_shape(config::word_shape(config::infos_of(type_words())), 1, config::no_limit,
                            config::Repeats::refused),
         "what `typ` of the header may be; absent: there is none", "[at+jwt, JWT, absent]"},
        read_types));
    keys.push_back(config::custom_key<T>(
        {"required_claims", required_claims_shape(),
         "claims, by name or pointer, and the values of which each has one"},
        [](Reader& reader, Value const& value, T& out) {
            read_required_claims(reader, value, out.required, out.mapping.places);
        }));
    return keys;
}

config::Section<JwtSettings> const& section() {
    static config::Section<JwtSettings> const section{"jwt", [] {
                                                          auto keys = keys_of_tokens();
                                                          for (auto& key : keys_of_checks())
                                                              keys.push_back(std::move(key));
                                                          for (auto& key :
                                                               claim_keys_of(&JwtSettings::mapping))
                                                              keys.push_back(std::move(key));
                                                          return keys;
                                                      }()};
    return section;
}

bool has_hs256(JwtSettings const& settings) {
    auto const& all = settings.algorithms;
    return std::find(all.begin(), all.end(), jose::Algorithm::hs256) != all.end();
}

config::Opaque read_settings(Reader& reader, Value const& mapping) {
    JwtSettings out;
    section().read(reader, mapping, out);
    out.mapping.places.section = mapping.node->mark();
    if (has_hs256(out) && out.keys.are_fetched())
        reader.refuse(Reader::child(mapping, "algorithms"),
                      "HS256 needs a secret, which is never fetched",
                      "remove HS256, or write keys: { file: ... }");
    return config::Opaque::of(std::move(out));
}

config::Referred refers_to(config::Opaque const& settings) {
    auto const* const jwt = settings.as<JwtSettings>();
    if (jwt == nullptr) return {};
    auto out = referred_of(jwt->mapping);
    out.issuers = jwt->issuers;
    if (jwt->keys.ca) out.files.push_back(*jwt->keys.ca);
    if (!jwt->keys.file) return out;
    out.files.push_back(*jwt->keys.file);
    if (has_hs256(*jwt)) out.secret_files.push_back(*jwt->keys.file);
    return out;
}

config::Opaque compile(config::Opaque const& settings, config::CompileSettings const& with) {
    auto const* const read = settings.as<JwtSettings>();
    if (read == nullptr) return {};
    JwtVerifier verifier;
    verifier.expected = {read->issuers, read->audiences, read->types, read->leeway, read->required};
    verifier.algorithms = read->algorithms;
    verifier.mapping = read->mapping;
    verifier.keys = make_key_source(read->keys, read->issuers, read->algorithms, with);
    verifier.number = pipeline::next_verifier_number();
    return config::Opaque::of(std::move(verifier));
}

} // namespace

config::Authenticator const& jwt_settings() {
    static config::Authenticator const settings{
        .name = jwt_name,
        .scheme = "bearer",
        .api = config::ApiSettings{.help = "JSON Web Tokens (RFC 7519) of an issuer",
                                   .section = &section().info(),
                                   .read = read_settings,
                                   .refers_to = refers_to,
                                   .compile = compile}};
    return settings;
}

} // namespace sallyport::plugins
