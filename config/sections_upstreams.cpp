// The section `upstreams`: the services behind the gateway, how they are reached, and as whom.
#include "config/addresses.h"
#include "config/patterns.h"
#include "config/sections.h"
#include "config/text.h"
#include "gateway/text/ascii.h"

#include <algorithm>
#include <limits>

namespace sallyport::config {

namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

void read_server_name(Reader& reader, Value const& value, UpstreamTls& out) {
    auto name = reader.read_line(value, 253);
    if (!name) return;
    if (is_host(*name)) {
        out.server_name = std::move(*name);
    } else {
        reader.refuse(value, "not a host name", "write the name in the upstream's certificate");
    }
}

Section<UpstreamTls> const& tls_section() {
    static Section<UpstreamTls> const section{
        "upstream tls",
        {
            file_key("ca", &UpstreamTls::ca,
                     "PEM file of the authorities that may sign the upstream's certificate; "
                     "without it the system's"),
            custom_key<UpstreamTls>(
                {"server_name", text_shape(253, host_pattern()),
                 "the name that is sent and that the certificate must have; without it the "
                 "endpoint's host"},
                read_server_name),
        }};
    return section;
}

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

Section<Upstream> const& credential_section() {
    KeyInfo basic{"basic", section_shape(basic_section().info()), "a Basic credential"};
    KeyInfo bearer{"bearer", section_shape(bearer_section().info()), "a Bearer token"};
    static Section<Upstream> const section{
        "upstream credential",
        {
            custom_key<Upstream>(std::move(basic), read_basic),
            custom_key<Upstream>(std::move(bearer), read_bearer),
        },
        {.one_of = {"basic", "bearer"}, .choice = "write one of them"}};
    return section;
}

void read_credential(Reader& reader, Value const& value, Upstream& out) {
    credential_section().read(reader, value, out);
    (void)reader.check_choice(Reader::origin_of(value), value, credential_section().info().rules);
}

Section<UpstreamTimeouts> const& timeouts_section() {
    using T = UpstreamTimeouts;
    static Section<T> const section{
        "timeouts",
        {
            duration_key("connect", &T::connect, milliseconds{1}, hours{1},
                         "to open a connection, its TLS included"),
            duration_key("first_byte", &T::first_byte, milliseconds{1}, hours{24},
                         "from the end of the request to the first byte of the response"),
            duration_key("idle", &T::idle, milliseconds{1}, hours{24},
                         "without a byte in either direction"),
            duration_key("total", &T::total, milliseconds{1}, hours{24}, "for the whole exchange"),
        }};
    return section;
}

Section<UpstreamConnections> const& connections_section() {
    using T = UpstreamConnections;
    static Section<T> const section{
        "connections",
        {
            integer_key("max", &T::max, 1, 65'535, "open at once, of one worker"),
            integer_key("idle", &T::idle, 0, 65'535,
                        "kept open for later, of one worker; more where more were in use at once "
                        "within the last 10 s; 0: none; never more than max"),
            integer_key("per_caller", &T::per_caller, 1, 65'535,
                        "of them, used by one caller at once; without it a quarter of max, at "
                        "least 1; never more than max"),
            integer_key("queue", &T::queue, 0, 1'000'000,
                        "exchanges that may wait for one, of one worker"),
            duration_key("queue_time", &T::queue_time, milliseconds{0}, hours{1},
                         "that an exchange waits for one"),
        }};
    return section;
}

void read_connections(Reader& reader, Value const& value, Upstream& out) {
    connections_section().read(reader, value, out.connections);
    out.connections.idle = std::min(out.connections.idle, out.connections.max);
}

void read_endpoints(Reader& reader, Value const& value, Upstream& out) {
    for (Value const& item : reader.read_list(value, Empty::refused)) {
        auto const text = reader.read_line(item, 512);
        if (!text) continue;
        ParsedEndpoint parsed = parse_endpoint(*text);
        if (!parsed.endpoint) {
            reader.refuse(item, std::move(parsed.problem), std::move(parsed.hint));
            continue;
        }
        if (!out.endpoints.empty() && out.endpoints.front().path != parsed.endpoint->path) {
            reader.refuse(item, "its path is not that of the first endpoint",
                          "write the same path, or an upstream of its own");
            continue;
        }
        parsed.endpoint->origin = Reader::origin_of(item);
        out.endpoints.push_back(std::move(*parsed.endpoint));
    }
}

void read_host(Reader& reader, Value const& value, Upstream& out) {
    auto host = reader.read_line(value, 260);
    if (!host) return;
    if (is_authority(*host)) {
        out.host = std::move(*host);
    } else {
        reader.refuse(value, "not a host", "write a name, or name:port");
    }
}

Section<Upstream> const& upstream_section() {
    KeyInfo endpoints{
        "endpoints", list_shape(text_shape(512, endpoint_pattern()), 1),
        "http://host:port, https://host:port, either with a path, or unix:/path; several are taken "
        "in turn"};
    KeyInfo credential{"credential", section_shape(credential_section().info()),
                       "sent instead of the client's own; without it that is passed on"};
    KeyInfo connections{"connections", section_shape(connections_section().info()),
                        "how many connections are used"};
    static Section<Upstream> const section{
        "upstream",
        {
            custom_key<Upstream>(std::move(endpoints), read_endpoints)
                .required("endpoints: [\"https://api.example.com\"]"),
            custom_key<Upstream>(
                {"host", text_shape(260, authority_pattern()),
                 "the Host field that the upstream sees; without it tls.server_name, "
                 "else the endpoint's authority"},
                read_host),
            section_key("tls", &Upstream::tls, tls_section(),
                        "how https:// endpoints are verified"),
            custom_key<Upstream>(std::move(credential), read_credential),
            section_key("timeouts", &Upstream::timeouts, timeouts_section(), "its deadlines"),
            custom_key<Upstream>(std::move(connections), read_connections),
        }};
    return section;
}

void refuse_idle_tls(Reader& reader, Value const& value, Upstream const& upstream) {
    if (!value.node->is_mapping() || upstream.endpoints.empty()) return;
    yaml::Entry const* const tls = value.node->find_entry("tls");
    bool const has_https = std::any_of(upstream.endpoints.begin(), upstream.endpoints.end(),
                                       [](Endpoint const& e) { return e.scheme == Scheme::https; });
    if (tls == nullptr || has_https || reader.has_left_open(value.path + ".endpoints")) return;
    reader.refuse(Origin{tls->mark, yaml::join_key(value.path, "tls")}, "no endpoint speaks TLS",
                  "write https:// endpoints, or remove it");
}

} // namespace

SectionInfo const& upstream_info() {
    return upstream_section().info();
}

void read_upstreams(Reader& reader, Value const& value, Config& out) {
    for (NamedValue const& named : reader.read_named(value, Empty::refused)) {
        (void)reader.check_name(named.mark, named.value.path, named.name);
        Upstream upstream;
        upstream.name = named.name;
        upstream.origin = Origin{named.mark, named.value.path};
        upstream_section().read(reader, named.value, upstream);
        refuse_idle_tls(reader, named.value, upstream);
        out.upstreams.push_back(std::move(upstream));
    }
}

} // namespace sallyport::config
