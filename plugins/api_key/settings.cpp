// What API keys are in the configuration.
#include "plugins/api_key/settings.h"

#include "config/digests.h"
#include "config/patterns.h"
#include "config/settings.h"
#include "gateway/http/field_name.h"
#include "gateway/text/ascii.h"
#include "plugins/api_key/api_key.h"
#include "plugins/authenticators.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace sallyport::plugins {

namespace {

using config::Identity;
using config::Reader;
using config::SecretPlace;
using config::Value;

constexpr auto query_name_pattern = "^[A-Za-z0-9._~-]{1,64}$";

// RFC 3986, 2.3.
bool is_unreserved(char c) {
    constexpr std::string_view marks = "-._~";
    return text::is_letter(c) || text::is_digit(c) || marks.find(c) != std::string_view::npos;
}

// A field that has a meaning of its own for the gateway cannot be a key too.
void read_header(Reader& reader, Value const& value, SecretPlace& out) {
    auto name = reader.read_line(value, 64);
    if (!name) return;
    bool const is_token = std::all_of(name->begin(), name->end(), text::is_token_character);
    if (!is_token) {
        reader.refuse(value, "not the name of a field (RFC 9110, 5.1)", "write it as in X-Api-Key");
    } else if (http::identify_field(*name) != http::FieldId::unknown
               || http::shadows_known_field(*name)) {
        reader.refuse(value, "the field has another meaning", "write another, such as X-Api-Key");
    } else {
        out.field = std::move(*name);
    }
}

void read_query(Reader& reader, Value const& value, SecretPlace& out) {
    auto name = reader.read_line(value, 64);
    if (!name) return;
    if (!std::all_of(name->begin(), name->end(), is_unreserved)) {
        reader.refuse(value, "has characters that queries write as escapes",
                      "write letters, digits, '-', '.', '_' and '~'");
        return;
    }
    out.parameter = std::move(*name);
    out.field.clear();
}

config::Section<SecretPlace> const& place_section() {
    static config::Section<SecretPlace> const section{
        "api_key",
        {
            config::custom_key<SecretPlace>({"header",
                                             config::text_shape(64, config::field_name_pattern()),
                                             "the field with the key", "X-Api-Key"},
                                            read_header),
            config::custom_key<SecretPlace>(
                {"query", config::text_shape(64, query_name_pattern),
                 "instead, the parameter of the query with the key: the gateway logs none, but "
                 "browsers, proxies and upstreams keep queries in histories and logs"},
                read_query),
        },
        {.one_of = {"header", "query"}, .choice = "write one of them"}};
    return section;
}

config::Opaque read_place(Reader& reader, Value const& mapping) {
    auto out = api_key_place(nullptr);
    place_section().read(reader, mapping, out);
    (void)reader.check_choice(Reader::origin_of(mapping), mapping, place_section().info().rules);
    return config::Opaque::of(std::move(out));
}

config::Section<Identity> const& identity_section() {
    static config::Section<Identity> const section{
        "api_key",
        {
            config::custom_key<Identity>({"keys", config::digests_shape(),
                                          "sha256: and the lower-case hex of SHA-256 over the "
                                          "key; two during a rotation"},
                                         read_found_by_digest)
                .required("keys: [\"sha256:...\"]"),
        }};
    return section;
}

Identity read_identity(Reader& reader, Value const& mapping) {
    Identity out;
    identity_section().read(reader, mapping, out);
    return out;
}

SecretPlace secret_place(config::Opaque const* settings) {
    return api_key_place(settings == nullptr ? nullptr : settings->as<SecretPlace>());
}

} // namespace

SecretPlace api_key_place(SecretPlace const* own) {
    return own == nullptr ? SecretPlace{"X-Api-Key", {}} : *own;
}

config::Authenticator const& api_key_settings() {
    static config::Authenticator const settings{
        .name = api_key_name,
        .api = config::ApiSettings{.help = "where the API key of a request is",
                                   .section = &place_section().info(),
                                   .read = read_place,
                                   .secret_place = secret_place},
        .identity = config::IdentitySettings{
            .help = "a key in a field or in the query of a request",
            .section = &identity_section().info(),
            .read = read_identity,
            .unique = {.key = "keys", .noun = "key", .hint = "make another key"},
            .secrets = config::GeneratedSecrets{.key = "keys", .noun = "key"}}};
    return settings;
}

} // namespace sallyport::plugins
