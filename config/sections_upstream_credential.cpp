// The key `credential` of an upstream: as whom the gateway sends requests there.
#include "config/addresses.h"
#include "config/patterns.h"
#include "config/sections.h"
#include "config/text.h"
#include "gateway/text/ascii.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace sallyport::config {

namespace {

// RFC 7617, 2: the user-id ends at the first colon, and neither part holds control characters.
void read_key_id(Reader& reader, Value const& value, UpstreamBasic& out) {
    auto key_id = reader.read_line(value, 256);
    if (!key_id) return;
    if (key_id->find(':') == std::string::npos) {
        out.key_id = std::move(*key_id);
    } else {
        reader.refuse(value, "holds a colon, which ends a key id (RFC 7617)",
                      "write the part before it here, and the rest as the secret");
    }
}

void read_basic_secret(Reader& reader, Value const& value, UpstreamBasic& out) {
    if (auto secret = reader.read_secret(value)) out.secret = std::move(*secret);
}

// RFC 6750, 2.1: b64token.
bool is_bearer_token(std::string_view token) {
    std::size_t const padding = token.find_last_not_of('=');
    if (padding == std::string_view::npos) return false;
    std::string_view const body = token.substr(0, padding + 1);
    return std::all_of(body.begin(), body.end(), [](char c) {
        return text::is_letter_or_digit(c)
               || std::string_view{"-._~+/"}.find(c) != std::string_view::npos;
    });
}

void read_token(Reader& reader, Value const& value, UpstreamBearer& out) {
    auto token = reader.read_secret(value);
    if (!token) return;
    if (is_bearer_token(token->reveal())) {
        out.token = std::move(*token);
    } else {
        reader.refuse(value, "not a bearer token (RFC 6750)",
                      "write letters, digits and -._~+/ with = at the end only");
    }
}

Section<UpstreamBasic> const& basic_section() {
    static Section<UpstreamBasic> const section{
        "upstream basic",
        {
            custom_key<UpstreamBasic>(
                {"key_id", text_shape(256, text_pattern(":")), "the user name"}, read_key_id)
                .required("key_id: \"${env:UPSTREAM_KEY_ID}\""),
            custom_key<UpstreamBasic>({"secret", secret_shape(), "the password"}, read_basic_secret)
                .required("secret: \"${file:/run/secrets/upstream}\""),
        }};
    return section;
}

Section<UpstreamBearer> const& bearer_section() {
    static Section<UpstreamBearer> const section{
        "upstream bearer",
        {
            custom_key<UpstreamBearer>(
                {"token", secret_shape("^[0-9A-Za-z._~+/-]+=*$"), "the token"}, read_token)
                .required("token: \"${file:/run/secrets/upstream}\""),
        }};
    return section;
}

using Authentication = UpstreamClientCredentials::Authentication;

std::vector<Word<Authentication>> const& authentication_words() {
    static std::vector<Word<Authentication>> const words{{"basic", Authentication::basic},
                                                         {"post", Authentication::post}};
    return words;
}

constexpr std::size_t longest_url = 2048;
constexpr std::size_t longest_parameter = 1024;

void read_token_url(Reader& reader, Value const& value, UpstreamClientCredentials& out) {
    out.origin = Reader::origin_of(value);
    auto url = reader.read_line(value, longest_url);
    if (!url) return;
    if (is_url(*url)) {
        out.token_url = std::move(*url);
    } else {
        reader.refuse(value, "not a URL", "write https://host/path, as the server documents it");
    }
}

Key<UpstreamClientCredentials> parameter_key(std::string_view name,
                                             std::string UpstreamClientCredentials::*member,
                                             std::string_view help) {
    return custom_key<UpstreamClientCredentials>(
        {name, text_shape(longest_parameter), help},
        [member](Reader& reader, Value const& value, UpstreamClientCredentials& out) {
            if (auto text = reader.read_line(value, longest_parameter))
                out.*member = std::move(*text);
        });
}

Section<UpstreamClientCredentials> const& client_credentials_section() {
    using T = UpstreamClientCredentials;
    static Section<T> const section{
        "upstream client credentials",
        {
            custom_key<T>({"token_url", text_shape(longest_url, url_pattern()),
                           "the token endpoint of the authorization server (RFC 6749, 3.2)"},
                          read_token_url)
                .required("token_url: https://issuer.example/oauth2/token"),
            parameter_key("client_id", &T::client_id, "the id of the gateway there")
                .required("client_id: sallyport"),
            custom_key<T>({"client_secret", secret_shape(), "its secret"},
                          [](Reader& reader, Value const& value, T& out) {
                              if (auto secret = reader.read_secret(value))
                                  out.client_secret = std::move(*secret);
                          })
                .required("client_secret: \"${file:/run/secrets/client}\""),
            word_key("authentication", &T::authentication, authentication_words(),
                     "basic: id and secret are sent in the Authorization field; post: in the body"),
            parameter_key("scope", &T::scope, "the scopes that are asked for, with spaces between"),
            parameter_key("audience", &T::audience,
                          "the parameter `audience`, if the server has it"),
            parameter_key("resource", &T::resource,
                          "the URI of the upstream, if the server wants it (RFC 8707)"),
            file_key("ca", &T::ca,
                     "PEM: who signs the server's certificate; without it the system's"),
        }};
    return section;
}

void read_client_credentials(Reader& reader, Value const& value, Upstream& out) {
    UpstreamClientCredentials credentials;
    client_credentials_section().read(reader, value, credentials);
    out.credential = std::move(credentials);
}

void read_basic(Reader& reader, Value const& value, Upstream& out) {
    UpstreamBasic basic;
    basic_section().read(reader, value, basic);
    out.credential = std::move(basic);
}

void read_bearer(Reader& reader, Value const& value, Upstream& out) {
    UpstreamBearer bearer;
    bearer_section().read(reader, value, bearer);
    out.credential = std::move(bearer);
}

void read_token_file(Reader& reader, Value const& value, Upstream& out) {
    if (auto file = reader.read_file(value)) out.credential = UpstreamTokenFile{std::move(*file)};
}

Section<Upstream> const& credential_section() {
    KeyInfo basic{"basic", section_shape(basic_section().info()), "a Basic credential"};
    KeyInfo bearer{"bearer", section_shape(bearer_section().info()), "a Bearer token"};
    KeyInfo token_file{"token_file", file_shape(),
                       "a file with a Bearer token, read again whenever it changes"};
    KeyInfo client_credentials{"client_credentials",
                               section_shape(client_credentials_section().info()),
                               "a Bearer token that an authorization server issues to the gateway, "
                               "which asks for the next one before it expires"};
    static Section<Upstream> const section{
        "upstream credential",
        {
            custom_key<Upstream>(std::move(basic), read_basic),
            custom_key<Upstream>(std::move(bearer), read_bearer),
            custom_key<Upstream>(std::move(token_file), read_token_file),
            custom_key<Upstream>(std::move(client_credentials), read_client_credentials),
        },
        {.one_of = {"basic", "bearer", "token_file", "client_credentials"},
         .choice = "write one of them"}};
    return section;
}

constexpr std::string_view pass = "pass";
constexpr std::string_view pass_issued = "pass_issued";
constexpr std::string_view none = "none";

// Nothing of another text is repeated: it may be a secret whose key was forgotten.
void read_credential(Reader& reader, Value const& value, Upstream& out) {
    if (value.node->is_mapping()) {
        credential_section().read(reader, value, out);
        (void)reader.check_choice(Reader::origin_of(value), value,
                                  credential_section().info().rules);
        return;
    }
    auto const word =
        value.node->is_string() ? std::string_view{value.node->text()} : std::string_view{};
    if (word == none) {
        out.credential = NoCredential{};
    } else if (word == pass || word == pass_issued) {
        out.credential = PassedCredential{word == pass_issued, Reader::origin_of(value)};
    } else {
        reader.refuse(value, "must be pass, pass_issued, none or a mapping",
                      "write one of the words, or basic: { ... }, bearer: { ... }, "
                      "token_file: FILE or client_credentials: { ... }");
    }
}

} // namespace

Key<Upstream> upstream_credential_key() {
    Shape words = word_shape({{pass}, {pass_issued}, {none}});
    words.references = References::not_read;
    KeyInfo info{"credential",
                 either_shape(std::move(words), section_shape(credential_section().info())),
                 "pass: the client's own is passed on; pass_issued: the same, without a warning of "
                 "check where this gateway has issued it; none: no credential; otherwise what is "
                 "sent instead; without it the client's own is passed on unless this gateway has "
                 "issued it"};
    return custom_key<Upstream>(std::move(info), read_credential);
}

} // namespace sallyport::config
