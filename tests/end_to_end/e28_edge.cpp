// What an API changes on the way to its upstream and back: compared byte for byte at both ends.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"

#include <catch2/catch.hpp>

namespace e28_edge {

using namespace sallyport::test;

namespace {

// The standard APIs, and `open`, for every client, with these keys.
Stage stage_with(std::string const& open, RecordingUpstream::Script script = {},
                 std::string const& management = {}) {
    return Stage{std::move(script), [&](Configuration& configuration) {
                     configuration.apis = api_yaml("management", management)
                                          + api_yaml("observability")
                                          + "  open: { paths: [\"/open/\"], upstream: management, "
                                            "authenticate: [anonymous], "
                                          + open + " }\n";
                 }};
}

RecordingUpstream::Script responding(Fields const& fields) {
    return
        [fields](UpstreamExchange& exchange) { exchange.send(response_text("{}", 200, fields)); };
}

} // namespace

TEST_CASE("fields of a request are set, added and removed; the rest arrives as it was sent") {
    Stage stage = stage_with(
        "headers: { request: { "
        "set: { X-Team: billing, X-From: \"for=${client} in $${x}\", X-Who: \"${credential}\" }, "
        "add: { X-Trail: \"gateway ${request_id}\" }, remove: [User-Agent] } }");
    auto const response = stage.send(Outgoing{"GET", "/open/a?b=c"}
                                         .add("X-Own", "1")
                                         .add("x-team", "theirs")
                                         .add("X_Team", "theirs too")
                                         .add("X-Who", "administrator")
                                         .add("X-Trail", "client")
                                         .add("User-Agent", "test")
                                         .add("Accept", "*/*"));
    REQUIRE(response.status == 200);
    auto const id = response.fields.one("X-Request-Id");
    auto const host = stage.upstream.request(0).fields.one("Host");
    // X-Who is the client's own nowhere: without a credential nobody says who it was.
    CHECK(stage.upstream.request(0).raw
          == "GET /open/a?b=c HTTP/1.1\r\nHost: " + host
                 + "\r\nX-Own: 1\r\nX-Trail: client\r\nAccept: */*\r\n"
                   "X-Team: billing\r\nX-From: for=127.0.0.1 in ${x}\r\nX-Trail: gateway "
                 + id + "\r\nX-Request-Id: " + id
                 + "\r\nX-Forwarded-For: 127.0.0.1\r\nX-Forwarded-Proto: https\r\n"
                   "X-Forwarded-Host: localhost\r\nVia: 1.1 sallyport\r\n\r\n");
    stage.finish();
}

TEST_CASE("the upstream gets another path than the client sent, which is matched and logged") {
    RecordingUpstream::Script const moved = [](UpstreamExchange& exchange) {
        exchange.send(response_text("{}", 201, {{"Location", "/base/v2/b"}}));
    };
    Stage stage{
        moved, [&](Configuration& configuration) {
            auto const end = configuration.upstreams.find("\"]");
            configuration.upstreams.insert(end, "/base");
            configuration.apis =
                api_yaml("management", "strip_prefix: /v1") + api_yaml("observability")
                + "  open: { paths: [\"/open/\", \"/open\"], upstream: management, "
                  "authenticate: [anonymous], strip_prefix: /open, upstream_prefix: /v2 }\n";
        }};
    auto const response =
        stage.send(Outgoing{"GET", "/open/a%20b/?c=/open"}.add("X-Forwarded-Prefix", "/theirs"));
    REQUIRE(response.status == 201);
    CHECK(response.fields.one("Location") == "/base/v2/b"); // as the upstream wrote it
    CHECK(stage.upstream.request(0).target == "/base/v2/a%20b/?c=/open");
    CHECK(stage.upstream.request(0).fields.one("X-Forwarded-Prefix") == "/open");
    auto const log = stage.log_of(response);
    CHECK(log.text("path") == "/open/a%20b/");
    CHECK(log.text("api") == "open");
    // A path alone, without and with a slash.
    CHECK(stage.send(Outgoing{"GET", "/open"}).status == 201);
    CHECK(stage.upstream.request(1).target == "/base/v2");
    CHECK(stage.send(Outgoing{"GET", "/open/"}).status == 201);
    CHECK(stage.upstream.request(2).target == "/base/v2/");
    // Nothing that a second reader takes for another path gets as far as that.
    CHECK(stage.send(Outgoing{"GET", "/open/../v1/a"}).status == 400);
    CHECK(stage.send(Outgoing{"GET", "/open//a"}).status == 400);
    CHECK(stage.send(Outgoing{"GET", "/opena"}).status == 403);
    // A contract's operations are found by the client's path.
    auto const operation = request_for("getPipe");
    CHECK(stage.send(operation).status == 201);
    CHECK(stage.upstream.request(3).target.starts_with("/base/organizations/"));
    CHECK(stage.upstream.requests().size() == 4);
    stage.finish();
}

TEST_CASE("the upstream learns of the credential, its labels and the operation") {
    Stage stage =
        stage_with("methods: [GET]", {},
                   "headers: { request: { set: { X-Caller-Name: \"${credential}\", "
                   "X-Tier: \"${label:organization_tier}\", X-Op: \"${operation}\" } } }");
    CHECK(stage.send(request_for("getPipe").authorization(basic(enterprise))).status == 200);
    auto const seen = stage.upstream.request(0).fields;
    CHECK(seen.one("X-Caller-Name") == "enterprise");
    CHECK(seen.one("X-Tier") == "ENTERPRISE");
    CHECK(seen.one("X-Op") == "getPipe");
    // A caller without the label: the field is left out, and the client's does not take its place.
    CHECK(stage.send(request_for("getPipe").add("X-Tier", "ENTERPRISE")).status == 200);
    CHECK(stage.upstream.request(1).fields.count("X-Tier") == 0);
    stage.finish();
}

TEST_CASE("fields of a response are set, added and removed; a refusal keeps its own") {
    Stage stage = stage_with("headers: { response: { set: { Server: ours, Cache-Control: public }, "
                             "add: { X-Trail: \"${request_id}\" }, remove: [X-Powered-By] } }",
                             responding({{"Server", "up/1.2"},
                                         {"X-Powered-By", "something"},
                                         {"Cache-Control", "private"},
                                         {"X-Trail", "up"},
                                         {"Date", "Sun, 06 Nov 1994 08:49:37 GMT"}}));
    auto const passed = stage.send(Outgoing{"GET", "/open/a"});
    CHECK(passed.fields.one("Server") == "ours");
    CHECK(passed.fields.one("Cache-Control") == "public");
    CHECK(passed.fields.count("X-Powered-By") == 0);
    CHECK(passed.fields.count("X-Trail") == 2);
    CHECK(passed.body == "{}");
    auto const refused = stage.send(Outgoing{"PURGE", "/open/a"});
    CHECK(refused.status == 405);
    CHECK(refused.fields.one("Server") == "ours");
    CHECK(refused.fields.one("Cache-Control") == "no-store");
    CHECK(refused.fields.one("X-Trail") == refused.fields.one("X-Request-Id"));
    // Another API is not changed.
    CHECK(stage.send(request_for("getPipe")).fields.one("Server") == "up/1.2");
    stage.finish();
}

TEST_CASE("the fields for browsers are on every response of the API, and one of them needs TLS") {
    Stage stage{
        responding({{"X-Frame-Options", "ALLOWALL"}, {"Strict-Transport-Security", "max-age=0"}}),
        [](Configuration& configuration) {
            configuration.listeners += "  - name: plain\n    address: 127.0.0.1:0\n    tls: off\n";
            configuration.apis =
                api_yaml("management", "security_headers: on") + api_yaml("observability");
        }};
    auto const check = [](Response const& response, bool is_tls) {
        CHECK(response.fields.one("X-Content-Type-Options") == "nosniff");
        CHECK(response.fields.one("X-Frame-Options") == "DENY");
        CHECK(response.fields.one("Referrer-Policy") == "no-referrer");
        CHECK(response.fields.find("Strict-Transport-Security").value_or("none")
              == (is_tls ? "max-age=31536000; includeSubDomains" : "none"));
    };
    auto const fine = request_for("getPipe");
    auto refused = request_for("getPipe");
    refused.without("Authorization");
    for (auto const& request : {fine, refused}) {
        check(stage.send(request), true);
        check(fetch(stage.gateway.port("plain"), request.text(), without_tls()), false);
    }
    stage.finish();
}

TEST_CASE("an API refuses addresses before it looks at credentials") {
    Stage stage =
        stage_with("deny_addresses: [127.0.0.0/8]", {}, "allow_addresses: [192.0.2.0/24]");
    auto unknown = request_for("getPipe");
    unknown.without("Authorization");
    for (auto const& request : {Outgoing{"GET", "/open/a"}, request_for("getPipe"), unknown}) {
        auto const response = stage.send(request);
        check_problem(response, refused(403, "address_denied"));
        CHECK(response.fields.count("WWW-Authenticate") == 0);
        CHECK(stage.log_of(response).text("reason") == "address_denied");
    }
    // Another API takes the same client.
    CHECK(stage.send(request_for("getDashboard")).status == 200);
    CHECK(stage.upstream.requests().size() == 1);
    stage.finish();
}

TEST_CASE("a listener resets connections from other addresses before TLS, and counts them") {
    Stage stage{{}, [](Configuration& configuration) {
                    configuration.rest += admin_section;
                    configuration.listeners +=
                        "  - name: other\n    address: 127.0.0.1:0\n    tls: off\n    "
                        "allow_addresses: [127.0.0.0/8]\n    deny_addresses: [127.0.0.1]\n";
                }};
    auto const port = stage.gateway.port("other");
    CHECK_THROWS(fetch(port, request_for("getPipe").text(), without_tls()));
    auto const line = stage.gateway.wait_for_log(
        [](Json const& some) { return some.text("reason") == "address_denied"; });
    CHECK(line.text("client") == "127.0.0.1");
    CHECK(line["method"].is_null());
    auto const metrics = metrics_of(stage.gateway);
    CHECK(metrics["sallyport_connections_denied_total"] == 1);
    CHECK(metrics["sallyport_connections_refused_total"] == 0);
    // Other listeners take it.
    CHECK(stage.send(request_for("getPipe")).status == 200);
    stage.finish();
}

} // namespace e28_edge
