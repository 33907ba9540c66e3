// The section `upstreams`: the services behind the gateway, how they are reached, and as whom.
#include "config/addresses.h"
#include "config/patterns.h"
#include "config/sections.h"
#include "config/text.h"

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

// Half a pair is refused elsewhere (check_needs).
Certificate& certificate_of(UpstreamTls& tls) {
    return tls.certificate ? *tls.certificate : tls.certificate.emplace();
}

void read_certificate(Reader& reader, Value const& value, UpstreamTls& out) {
    if (auto file = reader.read_file(value)) certificate_of(out).certificate = std::move(*file);
}

void read_private_key(Reader& reader, Value const& value, UpstreamTls& out) {
    if (auto file = reader.read_file(value)) certificate_of(out).private_key = std::move(*file);
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
            custom_key<UpstreamTls>({"certificate", file_shape(),
                                     "PEM file of the certificate that the gateway shows to the "
                                     "upstream, followed by those between it and its authority"},
                                    read_certificate)
                .needing("private_key", "needs its private key"),
            custom_key<UpstreamTls>({"private_key", file_shape(), "PEM file of its private key"},
                                    read_private_key)
                .needing("certificate", "needs its certificate"),
        }};
    return section;
}

void read_tls(Reader& reader, Value const& value, Upstream& out) {
    tls_section().read(reader, value, out.tls);
    if (value.node->is_mapping()) reader.check_needs(value, tls_section().info());
    if (out.tls.certificate) out.tls.certificate->origin = Reader::origin_of(value);
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
                        "of them, the share of one caller, beyond which others come first; "
                        "without it a quarter of max, at least 1; never more than max"),
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
    KeyInfo tls{"tls", section_shape(tls_section().info()),
                "how https:// endpoints are verified, and what the gateway shows them"};
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
            custom_key<Upstream>(std::move(tls), read_tls),
            upstream_credential_key(),
            identity_key<Upstream>("fields in which the upstream learns who calls; those of an "
                                   "API stand in their place"),
            section_key("timeouts", &Upstream::timeouts, timeouts_section(), "its deadlines"),
            custom_key<Upstream>(std::move(connections), read_connections),
            size_key("response_head", &Upstream::response_head, kibibytes(1), mebibytes(1),
                     "head of a response; one line of it has 64 KiB at most"),
            integer_key("response_fields", &Upstream::response_fields, 1, 256,
                        "fields of the head of a response"),
        }};
    return section;
}

void refuse_idle_tls(Reader& reader, Value const& value, Upstream const& upstream) {
    if (!value.node->is_mapping() || upstream.endpoints.empty()) return;
    yaml::Entry const* const tls = value.node->find_entry("tls");
    bool const has_https = std::any_of(upstream.endpoints.begin(), upstream.endpoints.end(),
                                       [](Endpoint const& e) { return e.scheme == Scheme::https; });
    if (tls == nullptr || has_https || reader.has_left_open(value.path.key("endpoints"))) return;
    reader.refuse(Origin{tls->mark, value.path.key("tls")}, "no endpoint speaks TLS",
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
