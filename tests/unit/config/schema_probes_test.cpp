// Every key of the tables with values at, below and above what it takes, of other types, and with
// references: the schema and the reader decide alike about each.
#include "config/json_value.h"
#include "config/tables.h"
#include "schema_beyond.h"
#include "schema_judge.h"
#include "support.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

namespace schema_probes_test {

using namespace sallyport::config;
using namespace sallyport::config::test;

namespace {

// Valid documents, which have every key between them.
std::string const hash_a = "sha256:" + std::string(64, 'a');
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
        log_bodies: { requests: none, responses: all }
    forward_cookies: true
    refusals: problem
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
apis: { files: { paths: ["/f/"], methods: [GET], upstream: up,
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

JsonValue parsed(std::string const& yaml) {
    auto const document = yaml::load_text(yaml, "d.yaml");
    REQUIRE(document.problems().empty());
    return json_of(document.root());
}

std::vector<JsonValue> texts(std::initializer_list<std::string> list) {
    std::vector<JsonValue> out;
    for (auto const& text : list)
        out.push_back(json_text(text));
    return out;
}

template <class List>
void append(std::vector<JsonValue>& to, List const& more) {
    to.insert(to.end(), more.begin(), more.end());
}

// In each unit the numbers beside both ends of the range.
template <class Format>
std::vector<JsonValue> quantities(Shape const& shape, std::initializer_list<Format> units) {
    std::vector<JsonValue> out;
    for (auto const& [name, factor] : units) {
        for (std::int64_t const end : {shape.minimum, shape.maximum}) {
            for (std::int64_t const step : {-1, 0, 1}) {
                std::int64_t const number = end / factor + step;
                if (number < 0) continue;
                out.push_back(json_text(std::to_string(number) + name));
                out.push_back(json_text("00" + std::to_string(number) + name));
            }
        }
        out.push_back(json_text("-1" + std::string{name}));
        out.push_back(json_text("1.5" + std::string{name}));
        out.push_back(json_text("5 " + std::string{name}));
        out.push_back(json_text(name));
    }
    append(out, texts({"5", "5x", "5Ms", "5kib"}));
    return out;
}

struct UnitOf {
    char const* name;
    std::int64_t factor;
};

// Values of the kind of the shape: those that it takes, and their neighbours.
std::vector<JsonValue> values_of(Shape const& shape) {
    std::vector<JsonValue> out;
    switch (shape.kind) {
    case ShapeKind::integer:
    case ShapeKind::number:
        for (std::int64_t const number :
             {shape.minimum - 1, shape.minimum, shape.maximum, shape.maximum + 1})
            out.push_back(json_integer(number));
        break;
    case ShapeKind::duration:
        append(out, quantities<UnitOf>(shape,
                                       {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}}));
        break;
    case ShapeKind::size:
        append(out, quantities<UnitOf>(
                        shape, {{"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}}));
        break;
    case ShapeKind::word:
        for (WordInfo const& word : shape.words) {
            append(out, texts({std::string{word.text}, std::string{word.text} + "x"}));
        }
        break;
    case ShapeKind::string:
    case ShapeKind::file:
    case ShapeKind::secret:
        for (std::string_view const word : shape.refused)
            out.push_back(json_text(word));
        for (std::int64_t const size : {shape.maximum, shape.maximum + 1}) {
            auto const length = static_cast<std::size_t>(size);
            append(out, texts({std::string(length, 'a'), '/' + std::string(length - 1, 'a'),
                               "unix:/" + std::string(length - 6, 'a')}));
        }
        break;
    default: break;
    }
    return out;
}

// What no key of some kind takes, and what some do.
std::vector<JsonValue> values_of_all_kinds() {
    std::vector<JsonValue> out = texts({"",
                                        " ",
                                        "a",
                                        "A",
                                        "GET",
                                        "get",
                                        "yes",
                                        "no",
                                        "true",
                                        "on",
                                        "off",
                                        "all",
                                        "auto",
                                        "1",
                                        "1.2",
                                        "3",
                                        "a b",
                                        "a:b",
                                        "a:80",
                                        "a:65535",
                                        "a:65536",
                                        "a:b:c",
                                        "a/b",
                                        "a/*",
                                        "a/b*",
                                        "a/b/c",
                                        "/",
                                        "/a",
                                        "/a/",
                                        "//",
                                        "/a//b",
                                        "/a/../b",
                                        "/a/...",
                                        "/./",
                                        "/.a",
                                        "/a;b",
                                        "/a?",
                                        "/%2e",
                                        "..",
                                        ".",
                                        ".a",
                                        "a..b",
                                        "a.",
                                        "-a",
                                        "_a",
                                        "[::1]",
                                        "[::1",
                                        "[::1]:1",
                                        "1.2.3.4",
                                        "1.2.3.4:0",
                                        "1.2.3.256:0",
                                        "01.2.3.4:0",
                                        "1.2.3.4:65535",
                                        "1.2.3.4:65536",
                                        "1.2.3.4:",
                                        "http://a",
                                        "http://a:0",
                                        "http://a:1",
                                        "http://a/",
                                        "http://u@a",
                                        "https://[::1]:65535",
                                        "https://a:65536",
                                        "ftp://a",
                                        "unix:",
                                        "unix:a",
                                        "unix:/a b",
                                        "http://",
                                        "stdout",
                                        "a\nb",
                                        std::string("a\0b", 3),
                                        "a\x7F",
                                        "\xC3\xA9",
                                        "$",
                                        "$$",
                                        "a$",
                                        "$a",
                                        "$$a",
                                        "${",
                                        "$${",
                                        "a$${b}c",
                                        "$$${",
                                        "$${$${",
                                        "a${b",
                                        "${b}",
                                        "${env:}",
                                        "${env:A-B}",
                                        "${file:}",
                                        "${env:OLD}",
                                        "$${env:OLD}",
                                        "=",
                                        "a==",
                                        "a=b",
                                        "a+b",
                                        hash_a,
                                        hash_a + "a",
                                        "sha256:" + std::string(64, 'A'),
                                        "2027-06-30",
                                        "2027-06-30T00:00:00",
                                        "1969-12-31T23:59:59Z",
                                        "2262-01-01T00:00:00Z",
                                        "2261-12-31T23:59:59z",
                                        "2027-13-01T00:00:00Z",
                                        "2027-06-31T24:00:00Z",
                                        "2027-06-30T23:59:60Z",
                                        "2027-06-30T00:00:00+24:00",
                                        "2027-06-30T00:00:00.Z",
                                        "2027-06-30 00:00:00Z"});
    for (char const* const literal : {"null", "true", "false", "0", "1", "5", "-1", "1.5", "1.2",
                                      "2", "1e300", "[]", "[null]", "{}", R"({"a":1})"})
        out.push_back(parsed(literal));
    return out;
}

class Prober {
public:
    Prober(SectionInfo const& root, std::string const& text)
        : root_{root}, judge_{root}, document_{parsed(text)}, is_config_{
                                                                  &root
                                                                  == &tables().config().info()} {}

    void run() {
        REQUIRE(same_verdict() == Verdict::accepted);
        probe_section(root_, document_, {});
    }
    [[nodiscard]] std::size_t accepted() const { return accepted_; }
    [[nodiscard]] std::size_t refused() const { return refused_; }
    [[nodiscard]] std::set<std::string> const& keys() const { return keys_; }

private:
    enum class Verdict : std::uint8_t { accepted, refused };

    // The schema's verdict, which has to be that of the reader.
    Verdict same_verdict() {
        std::string const text = print(document_);
        auto const document = yaml::load_text(text, "d.json");
        World const world{{{"OLD", old_}, {"A", old_}}, {}};
        auto const problems =
            is_config_ ? read_config(document, "etc", tables(), world.resolver()).problems
                       : read_credentials(document, "etc", {"management", "files"}, tables(),
                                          world.resolver())
                             .problems;
        bool const accepted = judge_.accepts(text);
        auto const duty = duty_of(problems);
        bool const agrees = duty == Duty::none || accepted == (duty == Duty::accept);
        // The texts take longer than the probe, and nearly all agree.
        INFO((agrees ? std::string{}
                     : "the reader:\n" + described(problems) + "the schema:\n" + judge_.why()));
        CHECK(agrees);
        if (duty != Duty::none) ++(accepted ? accepted_ : refused_);
        return accepted ? Verdict::accepted : Verdict::refused;
    }

    void try_value(JsonValue& place, JsonValue value) {
        std::swap(place, value);
        CAPTURE(print(place).substr(0, 200));
        (void)same_verdict();
        std::swap(place, value);
    }

    void probe(Shape const& shape, JsonValue& place, std::string const& path) {
        CAPTURE(path);
        old_ = place.items.empty() ? place.text : place.items[0].text;
        for (JsonValue const& value : values_of(shape)) {
            // Of a host with a port: the pattern does not count the host alone.
            auto const size = static_cast<std::int64_t>(value.text.size());
            if (key_of(path) == "host" && size == shape.maximum) continue;
            try_value(place, value);
        }
        for (JsonValue const& value : values_of_all_kinds())
            try_value(place, value);
        probe_inside(shape, place, path);
    }

    void probe_inside(Shape const& shape, JsonValue& place, std::string const& path) {
        bool const is_object = place.kind == JsonValue::Kind::object;
        if (shape.kind == ShapeKind::section && is_object) {
            probe_section(*shape.section, place, path);
        } else if (shape.kind == ShapeKind::list && place.kind == JsonValue::Kind::array) {
            probe_list(shape, place, path);
        } else if (shape.kind == ShapeKind::named && is_object) {
            probe_names(place);
            JsonValue const whole = place;
            for (auto const& [name, value] : whole.members) {
                probe(shape.elements[0], alone(place, name), path + ".NAME");
                place = whole;
            }
        } else if (shape.kind == ShapeKind::either) {
            for (Shape const& element : shape.elements) {
                for (JsonValue const& value : values_of(element))
                    try_value(place, value);
                probe_inside(element, place, path);
            }
        }
    }

    void probe_list(Shape const& shape, JsonValue& place, std::string const& path) {
        for (JsonValue& item : place.items)
            probe(shape.elements[0], item, path + "[]");
        if (place.items.empty()) return;
        JsonValue const first = place.items[0];
        try_value(place, json_array({first, first}));
        if (first.kind != JsonValue::Kind::string) return;
        try_value(place, json_array({first, json_text("anonymous")}));
        for (std::size_t count = 2; count <= 3; ++count) {
            auto list = json_array({first});
            while (list.items.size() < count) {
                auto text = first.text; // other digests, other words
                text[text.size() / 2] = static_cast<char>('a' + list.items.size());
                list.items.push_back(json_text(text));
            }
            try_value(place, list);
        }
    }

    void probe_names(JsonValue& place) {
        if (place.members.empty()) return;
        std::string const name = place.members[0].name;
        for (std::string const& other :
             {std::string{}, std::string{"a b"}, std::string{"-a"}, std::string{"a/b"},
              std::string(64, 'a'), std::string(65, 'a'), std::string{"\xC3\xA9"}}) {
            place.members[0].name = other;
            CAPTURE(other);
            (void)same_verdict();
        }
        place.members[0].name = name;
    }

    // Without each key, with one that is unknown; and each key with other values.
    void probe_section(SectionInfo const& section, JsonValue& place, std::string const& path) {
        JsonValue const whole = place;
        for (std::size_t i = 0; i < whole.members.size(); ++i) {
            CAPTURE(path, whole.members[i].name);
            auto without = whole;
            without.members.erase(without.members.begin() + static_cast<std::ptrdiff_t>(i));
            try_value(place, without);
        }
        auto with = whole;
        try_value(place, with.add("unknown", json_integer(1)));
        for (KeyInfo const& key : section.keys) {
            bool const is_there =
                std::any_of(place.members.begin(), place.members.end(),
                            [&key](auto const& member) { return member.name == key.name; });
            with = whole;
            // Keys that are not built, or do not go with the others.
            if (!is_there) try_value(place, with.add(key.name, json_text("a")));
        }
        for (std::size_t i = 0; i < whole.members.size(); ++i) {
            std::string const name = whole.members[i].name;
            KeyInfo const* const key = find_key(section, name);
            REQUIRE(key != nullptr);
            std::string const key_path = path + '.' + std::string{key->name};
            keys_.insert(key_path);
            probe(key->shape, alone(place, name), key_path);
            place = whole;
        }
    }

    // A member, beside no other than what it needs: small documents are read sooner. The last of
    // each goes first, since what others refer to stands before them.
    JsonValue& alone(JsonValue& place, std::string const& name) {
        for (std::size_t i = place.members.size(); i > 0; --i) {
            if (place.members[i - 1].name == name) continue;
            auto const whole = place.members;
            place.members.erase(place.members.begin() + static_cast<std::ptrdiff_t>(i - 1));
            if (same_verdict() == Verdict::refused) place.members = whole;
        }
        return std::find_if(place.members.begin(), place.members.end(),
                            [&name](auto const& member) { return member.name == name; })
            ->value;
    }

    static std::string key_of(std::string const& path) { return path.substr(path.rfind('.') + 1); }

    static KeyInfo const* find_key(SectionInfo const& section, std::string const& name) {
        for (KeyInfo const& key : section.keys) {
            if (key.name == name) return &key;
        }
        return section.rules.others.empty() ? nullptr : section.rules.others.data();
    }

    SectionInfo const& root_;
    SchemaJudge judge_;
    JsonValue document_;
    bool is_config_;
    std::string old_;
    std::set<std::string> keys_;
    std::size_t accepted_ = 0;
    std::size_t refused_ = 0;
};

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
               with_certificate("fingerprints: [\"" + hash_a + "\"]")});
}

} // namespace schema_probes_test
