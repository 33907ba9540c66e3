// What a valid configuration is when it has been read, its defaults, and the examples that ship
// with it.
#include "support.h"

#include <catch2/catch.hpp>

namespace settings_test {

using namespace sallyport::config;
using namespace sallyport::config::test;
using namespace std::chrono_literals;

TEST_CASE("what is not written has its default") {
    auto const out = read("");
    REQUIRE(described(out.problems).empty());
    Config const& config = out.config;
    CHECK_FALSE(config.workers.has_value());
    CHECK_FALSE(config.credentials.file.has_value());
    CHECK(config.drain == 30s);
    CHECK(std::holds_alternative<StandardOutput>(config.access_log.output));
    CHECK(config.access_log.bodies.requests == BodyLogging::none);
    CHECK(config.access_log.bodies.responses == BodyLogging::none);
    CHECK(config.access_log.bodies.limit == kibibytes(16));
    CHECK(config.redact.members.empty());
    CHECK(config.limits.head == kibibytes(16));
    CHECK(config.limits.fields == 100);
    CHECK(config.limits.body == mebibytes(1));
    CHECK(config.limits.buffered_bodies == mebibytes(256));
    CHECK(config.limits.share_of_buffered_bodies() == mebibytes(32));
    CHECK(config.limits.json_depth == 64);
    CHECK(config.limits.connections == 20'000);
    CHECK(config.limits.connections_per_address == 2'000);
    CHECK(config.limits.exchanges == 20'000);
    CHECK(config.limits.exchanges_per_address == 2'000);
    CHECK(config.limits.handshakes == 1'000);
    CHECK(config.limits.handshakes_per_address == 500);
    CHECK(config.limits.handshake == 10s);
    CHECK(config.limits.head_time == 10s);
    CHECK(config.limits.body_idle == 30s);
    CHECK(config.limits.idle == 75s);
    CHECK(config.limits.http2.streams == 100);
    CHECK(config.limits.http2.window == mebibytes(1));
    CHECK(config.limits.http2.patience == 1'000);
    CHECK(config.limits.http2.patience_per_second == 100);
    CHECK(config.failed_authentication.per_address == 300);
    CHECK(config.failed_authentication.window == 1min);
    CHECK(config.failed_authentication.first_block == 1s);
    CHECK(config.failed_authentication.longest_block == 15min);
    CHECK(sallyport::text::is_in(config.failed_authentication.except, "127.8.9.10"));
    CHECK(sallyport::text::is_in(config.failed_authentication.except, "::1"));
    CHECK_FALSE(sallyport::text::is_in(config.failed_authentication.except, "192.0.2.1"));
    REQUIRE(config.upstreams.size() == 1);
    CHECK(config.upstreams[0].timeouts.connect == 3s);
    CHECK(config.upstreams[0].timeouts.first_byte == 60s);
    CHECK(config.upstreams[0].timeouts.idle == 30s);
    CHECK(config.upstreams[0].timeouts.total == 310s);
    CHECK(config.upstreams[0].connections.max == 256);
    CHECK(config.upstreams[0].connections.idle == 64);
    CHECK(config.upstreams[0].connections.share() == 64);
    CHECK(config.upstreams[0].connections.queue == 1024);
    CHECK(config.upstreams[0].connections.queue_time == 5s);
    CHECK(std::holds_alternative<std::monostate>(config.upstreams[0].credential));
    REQUIRE(config.apis.size() == 1);
    CHECK(config.apis[0].requests == Level::enforce);
    CHECK(config.apis[0].responses.level == Level::off);
    CHECK(config.apis[0].methods
          == std::vector<std::string>{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"});
    CHECK_FALSE(config.apis[0].forward_cookies);
    CHECK(config.apis[0].refusals == Refusals::compatible);
    CHECK(config.apis[0].trailing_slash == TrailingSlash::refuse);
    CHECK(config.apis[0].unknown_operations == UnknownOperations::refuse);
    CHECK(config.apis[0].read_only == Level::off);
    CHECK(config.apis[0].hosts.empty());
}

TEST_CASE("listeners are read with their addresses, certificates and versions") {
    auto const out =
        read("listeners:\n"
             "- { name: plain, address: \"[::1]:80\", tls: off, trusted_proxies: [] }\n"
             "- name: public\n"
             "  address: 0.0.0.0:8443\n"
             "  tls:\n"
             "    certificates:\n"
             "    - { certificate: tls/a.pem, private_key: /keys/a.key }\n"
             "    - { certificate: tls/b.pem, private_key: ../b.key }\n"
             "    minimum_version: \"1.3\"\n"
             "    client_certificates: { verify: none }\n"
             "  protocols: [http/1.1]\n");
    REQUIRE(described(out.problems).empty());
    REQUIRE(out.config.listeners.size() == 2);
    Listener const& plain = out.config.listeners[0];
    CHECK(plain.name == "plain");
    CHECK(plain.address.ip == "::1");
    CHECK_FALSE(plain.tls.has_value());
    CHECK(plain.protocols == std::vector{HttpVersion::http_1_1});
    Listener const& secure = out.config.listeners[1];
    CHECK(secure.address.port == 8443);
    REQUIRE(secure.tls.has_value());
    CHECK(secure.protocols == std::vector{HttpVersion::http_1_1});
    CHECK(secure.tls->minimum_version == TlsVersion::tls_1_3);
    REQUIRE(secure.tls->certificates.size() == 2);
    Certificate const& first = secure.tls->certificates[0];
    CHECK(first.certificate.path == "etc/tls/a.pem");
    CHECK(first.private_key.path == "/keys/a.key");
    CHECK(secure.tls->certificates[1].private_key.path == "b.key");
    CHECK(describe(problem_at(first.private_key.origin, "is no key"))
          == "c.yaml:7:46: listeners[1].tls.certificates[0].private_key: is no key");
}

TEST_CASE("a version may be written without quotes") {
    auto const out = read("listeners: [{ name: a, address: \"127.0.0.1:0\", tls: { certificates: "
                          "[{ certificate: c, private_key: k }], minimum_version: 1.3 } }]\n");
    REQUIRE(described(out.problems).empty());
    CHECK(out.config.listeners[0].tls->minimum_version == TlsVersion::tls_1_3);
    CHECK(out.config.listeners[0].protocols
          == std::vector{HttpVersion::http_2, HttpVersion::http_1_1});
}

TEST_CASE("several listeners may have any free port each") {
    CHECK(read("listeners: [{ name: a, address: \"127.0.0.1:0\", tls: off }, "
               "{ name: b, address: \"127.0.0.1:0\", tls: off }]\n")
              .problems.empty());
}

TEST_CASE("upstreams are read with endpoints, credential, timeouts and connections") {
    World const world{{{"ID", "key"}, {"TOKEN", "abc.def=="}}, {{"/run/secrets/up", "s:3 cret\n"}}};
    auto const out =
        read("upstreams:\n"
             "  first:\n"
             "    endpoints: [\"https://a.example.com\", \"unix:/run/a.sock\"]\n"
             "    host: a.example.com:8443\n"
             "    tls: { ca: ca.pem, server_name: b.example.com }\n"
             "    credential: { basic: { key_id: \"${env:ID}\", secret: "
             "\"${file:/run/secrets/up}\" } }\n"
             "    timeouts: { connect: 1s, first_byte: 290s, idle: 500ms, total: 1h }\n"
             "    connections: { max: 10, per_caller: 3, queue: 0, queue_time: 0ms }\n"
             "  up: { endpoints: [\"http://a\"], credential: { bearer: { token: \"${env:TOKEN}\" } "
             "} }\n",
             world);
    REQUIRE(described(out.problems).empty());
    REQUIRE(out.config.upstreams.size() == 2);
    Upstream const& first = out.config.upstreams[0];
    CHECK(first.name == "first");
    CHECK(first.endpoints.at(1).socket == "/run/a.sock");
    CHECK(first.host == "a.example.com:8443");
    CHECK(first.tls.ca->path == "etc/ca.pem");
    CHECK(first.tls.server_name == "b.example.com");
    auto const& basic = std::get<UpstreamBasic>(first.credential);
    CHECK(basic.key_id == "key");
    CHECK(basic.secret.reveal() == "s:3 cret");
    CHECK(first.timeouts.connect == 1s);
    CHECK(first.timeouts.first_byte == 290s);
    CHECK(first.timeouts.idle == 500ms);
    CHECK(first.timeouts.total == 1h);
    CHECK(first.connections.max == 10);
    CHECK(first.connections.idle == 10); // never more than max
    CHECK(first.connections.share() == 3);
    CHECK(first.connections.queue == 0);
    CHECK(first.connections.queue_time == 0ms);
    auto const& bearer = std::get<UpstreamBearer>(out.config.upstreams[1].credential);
    CHECK(bearer.token.reveal() == "abc.def==");
}

TEST_CASE("a secret in the configuration itself is read, with a warning that does not show it") {
    auto const out = read("upstreams: { up: { endpoints: [\"http://a\"], credential: { basic: { "
                          "key_id: a, secret: hunter2 } } } }\n");
    CHECK(described(out.problems)
          == "c.yaml:1:87: warning: upstreams.up.credential.basic.secret: a secret stands in the "
             "configuration; write ${env:NAME} or ${file:/path} instead\n");
    CHECK_FALSE(out.has_errors());
    CHECK(std::get<UpstreamBasic>(out.config.upstreams[0].credential).secret.reveal() == "hunter2");
}

TEST_CASE("apis are read with contract, levels, rules and hosts") {
    auto const out = read(
        "credentials: { file: k.yaml }\n"
        "apis:\n"
        "  management:\n"
        "    contract: contracts/management.yaml\n"
        "    upstream: up\n"
        "    authenticate: [bearer, basic]\n"
        "    hosts: [API.example.com., \"[::1]\"]\n"
        "    contract_folder: .\n"
        "    schemas: contracts/shared\n"
        "    requests: report\n"
        "    read_only: enforce\n"
        "    responses: { level: report, sample: 0.05 }\n"
        "    rules:\n"
        "    - { operation: createService, rule: \"/properties/a/type\", level: off }\n"
        "    - { operation: createService, level: report }\n"
        "    forward_cookies: yes\n"
        "    refusals: problem\n"
        "    lists: decoded\n"
        "    trailing_slash: same\n"
        "    unknown_operations: forward\n"
        "    headers: { request: { set: { X-A: \" a ${client} \" }, remove: [X-B] } }\n"
        "    security_headers: on\n"
        "    allow_addresses: [10.0.0.0/8, 192.0.2.1]\n"
        "    deny_addresses: [10.0.0.1]\n"
        "    strip_prefix: /v1\n"
        "    upstream_prefix: /api/v2\n"
        "  files:\n"
        "    paths: [\"/blob/\", \"/upload\"]\n"
        "    methods: [GET, PROPFIND]\n"
        "    upstream: other\n"
        "    authenticate: [anonymous]\n"
        "upstreams: { up: { endpoints: [\"http://a\"] }, other: { endpoints: [\"http://b\"] } }\n");
    REQUIRE(described(out.problems).empty());
    CHECK(out.config.credentials.file->path == "etc/k.yaml");
    REQUIRE(out.config.apis.size() == 2);
    Api const& management = out.config.apis[0];
    CHECK(management.contract->path == "etc/contracts/management.yaml");
    CHECK(management.upstream == 0);
    CHECK(management.authenticate == AuthenticatorSets{"bearer", "basic"});
    CHECK(management.hosts == std::vector<std::string>{"api.example.com", "[::1]"});
    REQUIRE(management.contract_folder);
    CHECK(management.contract_folder->path == "etc/");
    CHECK(management.schemas->path == "etc/contracts/shared");
    CHECK(management.requests == Level::report);
    CHECK(management.read_only == Level::enforce);
    CHECK(management.responses.level == Level::report);
    CHECK(management.responses.sample == 0.05);
    REQUIRE(management.rules.size() == 2);
    CHECK(management.rules[0].rule == "/properties/a/type");
    CHECK(management.rules[0].level == Level::off);
    CHECK_FALSE(management.rules[1].rule.has_value());
    CHECK(management.rules[1].origin.path == "apis.management.rules[1]");
    CHECK(management.forward_cookies);
    CHECK(management.refusals == Refusals::problem);
    CHECK(management.lists == Lists::decoded);
    CHECK(management.trailing_slash == TrailingSlash::same);
    CHECK(management.unknown_operations == UnknownOperations::forward);
    auto const& changes = management.headers.request;
    REQUIRE(changes.set.size() == 1);
    REQUIRE(changes.set[0].value.size() == 3);
    CHECK(changes.set[0].value[0].text == "a "); // white space around a value is no part of it
    CHECK(changes.set[0].value[1].variable == Variable::client);
    CHECK(changes.set[0].value[2].text.empty());
    CHECK(changes.remove.at(0).name == "X-B");
    CHECK(management.security_headers == SecurityHeaders::on);
    CHECK(management.addresses.admit("10.0.0.2"));
    CHECK_FALSE(management.addresses.admit("10.0.0.1"));
    CHECK_FALSE(management.addresses.admit("192.0.2.2"));
    CHECK(management.upstream_path.strip_prefix == "/v1");
    CHECK(management.upstream_path.strip_origin.path == "apis.management.strip_prefix");
    CHECK(management.upstream_path.upstream_prefix == "/api/v2");
    CHECK(management.methods.empty());
    Api const& files = out.config.apis[1];
    CHECK_FALSE(files.contract.has_value());
    CHECK(files.upstream == 1);
    REQUIRE(files.paths.size() == 2);
    CHECK(files.paths[1].path == "/upload");
    CHECK(files.methods == std::vector<std::string>{"GET", "PROPFIND"});
    CHECK(files.authenticate == AuthenticatorSets{"anonymous"});
}

TEST_CASE("a bare level of responses means all of them") {
    for (std::string_view const level : {"off", "report"}) {
        auto const out =
            read("apis: { a: { contract: c, upstream: up, authenticate: [anonymous], responses: "
                 + std::string{level} + " } }\n");
        REQUIRE(described(out.problems).empty());
        CHECK(out.config.apis[0].responses.level == (level == "off" ? Level::off : Level::report));
        CHECK(out.config.apis[0].responses.sample == 1.0);
    }
}

TEST_CASE("one path on different hosts belongs to different apis") {
    CHECK(read("apis:\n"
               "  a: { paths: [\"/f/\"], hosts: [a], upstream: up, authenticate: [anonymous] }\n"
               "  b: { paths: [\"/f/\"], hosts: [b], upstream: up, authenticate: [anonymous] }\n")
              .problems.empty());
}

TEST_CASE("the admin listener is there if it is configured, on this machine alone unless it may be "
          "remote") {
    CHECK_FALSE(read("").config.admin.has_value());
    auto const preset = read("admin: {}\n");
    REQUIRE(preset.config.admin.has_value());
    CHECK(preset.config.admin->address == Address{"127.0.0.1", 9901});
    CHECK_FALSE(preset.config.admin->allow_remote);
    auto const remote =
        read("admin: { address: 0.0.0.0:9902, allow_remote: true }\ndrain_delay: 5s\n");
    CHECK(remote.problems.empty());
    CHECK(remote.config.admin->address == Address{"0.0.0.0", 9902});
    CHECK(remote.config.drain_delay == 5s);
    for (auto const* const address : {"127.0.0.2:1", "'[::1]:9901'", "'[::ffff:127.0.0.1]:9901'"})
        CHECK(read("admin: { address: " + std::string{address} + " }\n").problems.empty());
}

TEST_CASE("a caller's share of connections is a quarter, at least one and never more than all") {
    UpstreamConnections connections;
    connections.max = 10;
    CHECK(connections.share() == 2);
    connections.max = 3;
    CHECK(connections.share() == 1);
    connections.per_caller = 4;
    CHECK(connections.share() == 3);
}

TEST_CASE("logs, redaction, limits, workers and drain are read") {
    auto const out = read(
        "workers: 8\n"
        "access_log: { output: log/access.log, bodies: { requests: errors, responses: all, limit: "
        "64KiB }, buffer: 3MiB, when_full: refuse }\n"
        "log: { format: json, level: error }\n"
        "redact: { members: [pin, otp], except: [pinCount] }\n"
        "limits: { head: 32KiB, fields: 50, body: 64MiB, buffered_bodies: 1GiB, "
        "buffered_bodies_per_caller: 3MiB, json_depth: 10, connections: 5, "
        "connections_per_address: 6, handshake: 1s, head_time: 2s, body_idle: 3s, idle: 4s }\n"
        "failed_authentication: { per_address: 5, window: 2m, first_block: 3s, longest_block: 1h, "
        "except: [192.0.2.0/24] }\n"
        "drain: 0ms\n");
    REQUIRE(described(out.problems).empty());
    Config const& config = out.config;
    CHECK(config.workers == 8U);
    CHECK(std::get<File>(config.access_log.output).path == "etc/log/access.log");
    CHECK(config.access_log.bodies.requests == BodyLogging::errors);
    CHECK(config.access_log.bodies.responses == BodyLogging::all);
    CHECK(config.access_log.bodies.limit == kibibytes(64));
    CHECK(config.access_log.buffer == mebibytes(3));
    CHECK(config.access_log.when_full == WhenLogIsFull::refuse);
    CHECK(config.redact.members == std::vector<std::string>{"pin", "otp"});
    CHECK(config.log.format == LogFormat::json);
    CHECK(config.log.level == LogLevel::error);
    REQUIRE(config.redact.except.size() == 1);
    CHECK(config.redact.except[0].name == "pinCount");
    CHECK(config.limits.head == kibibytes(32));
    CHECK(config.limits.fields == 50);
    CHECK(config.limits.body == mebibytes(64));
    CHECK(config.limits.buffered_bodies == gibibytes(1));
    CHECK(config.limits.share_of_buffered_bodies() == mebibytes(3));
    CHECK(config.limits.json_depth == 10);
    CHECK(config.limits.connections == 5);
    CHECK(config.limits.connections_per_address == 6);
    CHECK(config.limits.handshake == 1s);
    CHECK(config.limits.head_time == 2s);
    CHECK(config.limits.body_idle == 3s);
    CHECK(config.limits.idle == 4s);
    CHECK(config.failed_authentication.per_address == 5);
    CHECK(config.failed_authentication.window == 2min);
    CHECK(config.failed_authentication.first_block == 3s);
    CHECK(config.failed_authentication.longest_block == 1h);
    CHECK_FALSE(sallyport::text::is_in(config.failed_authentication.except, "127.0.0.1"));
    CHECK(sallyport::text::is_in(config.failed_authentication.except, "192.0.2.1"));
    CHECK(config.drain == 0ms);
}

} // namespace settings_test
