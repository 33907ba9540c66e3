// Every key of the tables with values at, below and above what it takes, of other types, and with
// references: the schema and the reader decide alike about each.
#include "config/tables.h"
#include "schema_probe_values.h"
#include "schema_prober.h"
#include "support.h"

#include <catch2/catch.hpp>

#include <initializer_list>
#include <set>
#include <string>

namespace schema_probes_test {

using namespace sallyport::config;
using namespace sallyport::config::test;

namespace {

// Valid documents, which have every key between them.
std::string const hash_a = hash_of_probes();
std::string const with_contract = R"(
listeners:
- name: public
  address: 127.0.0.1:0
  tls:
    certificates: [{ certificate: a.pem, private_key: a.key }]
    minimum_version: "1.3"
    client_certificates: { verify: required, ca: ca.pem, crl: crl.pem, ocsp: off }
  protocols: [http/1.1]
  trusted_proxies: [10.0.0.0/8]
  forwarded_fields: [x-forwarded-for]
  proxy_protocol: required
  allow_addresses: [10.0.0.0/8]
  deny_addresses: ["::1"]
workers: 4
credentials: { file: k.yaml }
upstreams:
  up:
    endpoints: ["https://a:1", "unix:/a"]
    host: a.b
    tls: { ca: ca.pem, server_name: a.b, certificate: c.pem, private_key: c.key }
    credential: { basic: { key_id: a, secret: b } }
    identity:
      header: X-Caller
      labels: { X-Org: org }
      assertion: { header: X-A, issuer: a, audience: b, lifetime: 1h, key: k, publish_ahead: 0ms }
    timeouts: { connect: 3s, first_byte: 60s, idle: 30s, total: 310s }
    connections: { max: 256, per_caller: 64, idle: 64, queue: 1024, queue_time: 5s }
    response_head: 64KiB
    response_fields: 256
apis:
  management:
    contract: c.yaml
    contract_folder: around
    schemas: folder
    overlays: [o.yaml]
    unsupported: unchecked
    upstream: up
    authenticate: [api_key, { all: [basic, client_certificate] }]
    api_key: { header: X-Key }
    hosts: [a.b]
    requests: report
    read_only: enforce
    responses: { level: report, sample: 0.05 }
    rules:
      - { operation: op, rule: "/properties/a", level: off }
      - tag: a
        method: GET
        path: "/a/*"
        authenticate: [{ all: [api_key, client_certificate] }]
        upstream: up
        body_limit: 1KiB
        timeouts: { connect: 3s, first_byte: 60s, idle: 30s, total: 310s }
        retry: never
        lists: decoded
        log_bodies: { requests: none, responses: all }
    forward_cookies: true
    refusals: problem
    lists: strict
    trailing_slash: same
    unknown_operations: forward
    headers:
      request: { set: { X-A: "a${request_id}" }, add: { X-B: b }, remove: [X-C] }
      response: { set: { X-A: "${label:tier} $${x}" }, add: { X-B: b }, remove: [X-C] }
    security_headers: on
    identity:
      header: X-Caller
      labels: { X-Org: org }
      assertion: { header: X-A, issuer: a, audience: b, lifetime: 1h, key: k, publish_ahead: 0ms }
    cors:
      origins: ["https://a.b", "https://*.a.b:1", "null"]
      methods: [GET]
      headers: [X-A]
      expose: ["*"]
      credentials: false
      max_age: 10m
    websocket: { origins: ["https://a.b", "https://*.a.b:1"], idle: 5m, token_prefix: a.b- }
    security: use
    allow_addresses: [10.0.0.0/8, "2001:db8::/32"]
    deny_addresses: [10.1.2.3]
    mount: /m
    encoded_slashes: pass
    strip_prefix: /v1
    upstream_prefix: /api
  other: { contract: c.yaml, upstream: up, authenticate: [anonymous], responses: off }
  tokens: { paths: ["/t/"], upstream: up, authenticate: [jwt], jwt: { issuer: a, audience: c,
    keys: { file: k.json }, algorithms: [HS256], roles: { always: [reader] } } }
  found: { paths: ["/o/"], upstream: up, authenticate: [jwt], jwt: { issuer: a, audience: c,
    keys: { discovery: "https://a/d" }, algorithms: [RS256], roles: { always: [reader] } } }
  asked: { paths: ["/a/"], upstream: up, authenticate: [introspection], introspection: {
    url: "https://a/i", client: { id: a, secret: b }, roles: { always: [reader] } } }
access_log: { output: stdout, bodies: { requests: none, responses: all, limit: 1KiB },
  buffer: 1MiB, when_full: refuse }
log: { format: json, level: warning }
redact: { members: [pin], except: [pinCount] }
limits:
  { head: 16KiB, fields: 100, body: 1KiB, buffered_bodies: 1024GiB,
    buffered_bodies_per_caller: 64KiB, json_depth: 64, connections: 20,
    connections_per_address: 20, exchanges: 20, exchanges_per_address: 5, handshakes: 20, handshakes_per_address: 5, hashing_threads: 2,
    hashing_queue: 5, handshake: 10s,
    head_time: 10s, body_idle: 30s, idle: 75s,
    http2: { streams: 20, window: 1MiB, patience: 500, patience_per_second: 20 } }
failed_authentication:
  { per_address: 20, per_id: 5, window: 1m, first_block: 2s, longest_block: 1h,
    except: [10.0.0.0/8, "2001:db8::/32"] }
drain: 30s
drain_delay: 5s
reload: on_signal
admin: { address: "127.0.0.1:9901", allow_remote: false }
)";
std::string const with_paths = R"(
include: [apis/*.yaml]
listeners:
- { name: public, address: "[::1]:8443", tls: off }
- { name: plain, address: "[::1]:80", tls: off, redirect: { https: 8443 } }
- { name: other, address: "[::1]:81", tls: off, redirect: https }
workers: auto
credentials: { file: k.yaml, htpasswd: users.txt, denied: denied.txt }
upstreams: {
  up: { endpoints: ["http://a"], credential: { bearer: { token: abc } } },
  passing: { endpoints: ["http://a"], credential: pass },
  issued: { endpoints: ["http://a"], credential: { client_credentials: {
    token_url: "https://a/t", client_id: a, client_secret: b, authentication: post, scope: a,
    audience: a, resource: a, ca: ca.pem } } },
  renewed: { endpoints: ["http://a"], credential: { token_file: token },
    identity: { assertion: { issuer: a, audience: b, rotate_every: 24h } } } }
apis: { files: { paths: ["/f/"], fallback: yes, empty_segments: pass, methods: [GET], upstream: up,
  authenticate: [bearer, jwt, api_key, introspection],
  introspection: { url: "https://a/i?x=y", client: { id: a, secret: b }, ca: ca.pem, issuer: [a, b],
    audience: c, required_claims: { /a/b: [c] }, leeway: 30s, on_failure: allow_cached,
    cache: { positive: 1m, negative: 5s, keep: 1h }, timeout: 3s, pending: 10,
    certificate_bound: required, name_claim: sub,
    scopes: { claim: scp, required: [a] }, labels: { org: org_id },
    roles: { always: [reader], claim: groups, mapping: { a: [reader] } } },
  api_key: { query: key },
  jwt: { issuer: a, audience: c, algorithms: [RS256, EdDSA],
    keys: { url: "https://a/k", ca: ca.pem, refresh: 1m, keep: 2h },
    leeway: 30s, certificate_bound: required, typ: [at+jwt, absent], required_claims: { /a/b: [c] }, name_claim: sub,
    scopes: { claim: scp, required: [a] }, labels: { org: org_id },
    roles: { always: [reader], claim: groups, mapping: { a: [reader] } } },
  identity: { assertion: { issuer: a, audience: b, rotate_every: 1s } },
  cors: { origins: ["*"], methods: contract, credentials: false },
  upgrade: [websocket], websocket: { idle: 1s } } }
access_log: { output: log/a.log }
)";
std::string const with_basic =
    "roles:\n"
    "  reader:\n"
    "    allow: { operations: [\"management/getPipe\"], apis: [files], tags: [management/a], "
    "methods: [GET], read_only: true, organizationId: [\"5f0c\", \"${label:tier}\"] }\n"
    "    deny:\n"
    "    - { operations: [\"management/*\"], apis: [files], tags: [management/a b], methods: "
    "[PUT], organizationId: \"${label:tier}\" }\n"
    "htpasswd:\n"
    "  labels: { tier: SCALE }\n"
    "  scopes: [write]\n"
    "  allow: { operations: [\"management/*\"], apis: [files], tags: [management/a], "
    "methods: [GET], read_only: true, organizationId: [\"5f0c\"] }\n"
    "  deny: [ { operations: [\"management/*\"], apis: [files], tags: [management/a], "
    "methods: [PUT], organizationId: [\"5f0c\"] } ]\n"
    "  roles: [reader]\n"
    "credentials:\n- name: one\n  basic: { key_id: a, secrets: [\""
    + hash_a
    + "\"] }\n"
      "  labels: { tier: SCALE, paid: true, seats: 5 }\n"
      "  scopes: [read, write]\n"
      "  allow: { operations: [\"management/*\", \"management/getPipe\"], "
      "apis: [files], tags: [management/a], methods: [GET, PUT], read_only: true, "
      "organizationId: [\"5f0c\"] }\n"
      "  deny: [ { operations: [\"management/*\"], apis: [files], tags: [management/a], "
      "methods: [PUT], organizationId: [\"5f0c\"] } ]\n"
      "  roles: [reader]\n"
      "  not_before: 2026-06-30T00:00:00Z\n"
      "  expires: 2027-06-30T00:00:00Z\n"
      "  disabled: false\n";
std::string const with_bearer = "credentials:\n- name: one\n  bearer: { tokens: [\"" + hash_a
                                + "\"] }\n  allow: all\n  expires: 2100-02-28t23:59:59.5-01:30\n";

std::string const with_key =
    "credentials:\n- name: one\n  api_key: { keys: [\"" + hash_a + "\"] }\n  allow: all\n";

std::string with_certificate(std::string const& identity) {
    return "credentials:\n- name: one\n  client_certificate: { " + identity + " }\n  allow: all\n";
}

// Every key that is built.
void append_keys(std::set<std::string>& out, Shape const& shape, std::string const& path);

void append_keys(std::set<std::string>& out, SectionInfo const& section, std::string const& path) {
    for (auto const* const keys : {&section.keys, &section.rules.others}) {
        for (KeyInfo const& key : *keys) {
            if (key.built == Built::not_yet) continue;
            std::string const name = path + '.' + std::string{key.name};
            out.insert(name);
            append_keys(out, key.shape, name);
        }
    }
}

void append_keys(std::set<std::string>& out, Shape const& shape, std::string const& path) {
    if (shape.section != nullptr) append_keys(out, *shape.section, path);
    std::string const step = shape.kind == ShapeKind::list    ? "[]"
                             : shape.kind == ShapeKind::named ? ".NAME"
                                                              : "";
    for (Shape const& element : shape.elements)
        append_keys(out, element, path + step);
}

void probe_all(SectionInfo const& root, std::initializer_list<std::string> documents) {
    std::set<std::string> expected;
    append_keys(expected, root, {});
    std::set<std::string> seen;
    for (std::string const& text : documents) {
        Prober prober{root, text};
        prober.run();
        seen.insert(prober.keys().begin(), prober.keys().end());
        CHECK(prober.accepted() > 20);
        CHECK(prober.refused() > 500);
    }
    CHECK(seen == expected);
}

} // namespace

// Eighty thousand readings of whole documents take minutes with AddressSanitizer, which has the
// refused documents and the corpus of fuzz_config besides: there they run by their name alone.
#ifdef __SANITIZE_ADDRESS__
#define TAGS_OF_PROBES "[.]"
#else
#define TAGS_OF_PROBES ""
#endif

TEST_CASE("the schema and the reader agree on every key of the configuration", TAGS_OF_PROBES) {
    probe_all(tables().config().info(), {with_contract, with_paths});
}

TEST_CASE("the schema and the reader agree on every key of the file of credentials",
          TAGS_OF_PROBES) {
    probe_all(tables().credentials().info(),
              {with_basic, with_bearer, with_key,
               with_certificate("subject: \"CN=billing,O=Example\""),
               with_certificate("san: { dns: [a.example], uri: [\"spiffe://a.example/b\"], "
                                "email: [a@b.example] }"),
               with_certificate("fingerprints: [\"" + hash_a + "\"], listeners: [a]")});
}

} // namespace schema_probes_test
