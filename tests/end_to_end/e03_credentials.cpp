// Authentication, and what an unauthenticated client learns: one response, whatever was wrong.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"

#include "tests/support/encodings.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace e03_credentials {

using namespace sallyport::test;

namespace {

// The response without its variable parts: its request id and its date.
std::string without_identity(Response const& response) {
    auto text = response.head + response.body;
    auto const id = response.fields.one("X-Request-Id");
    for (auto at = text.find(id); at != std::string::npos; at = text.find(id))
        text.erase(at, id.size());
    auto const date = text.find("Date: ");
    return text.erase(date, text.find("\r\n", date) - date);
}

Outgoing pipe_as(std::string_view authorization) {
    return request_for("getPipe").authorization(authorization);
}

} // namespace

TEST_CASE("all missing and invalid credentials get the same response to the byte") {
    Stage stage;
    auto const reference = stage.send(request_for("getPipe").without("Authorization"));
    check_problem(reference, unauthenticated_basic());
    std::string const right{administrator.secret};
    std::vector<std::string> const values{
        basic_of("key-unknown:" + right),                      // unknown id
        basic_of("key-administrator:" + right + "x"),          // wrong secret
        basic_of("key-administrator:"),                        // empty secret
        basic_of(":" + right),                                 // empty id
        basic_of("KEY-administrator:" + right),                // ids are case-sensitive
        basic_of("key-administrator " + right),                // no colon
        basic_of("key-administrator"),                         // only an id
        basic_of("key-administrator:" + right + "\n"),         // control character
        basic(expired_key),                                    // too long
        "Basic " + base64("key-administrator:" + right) + "=", // too much padding
        "Basic !!!!",                                          // not base64
        "Basic",                                               // empty
        "Basic  ",
        "Basic " + base64("key-administrator:" + right) + " more", // two words
        "basic realm=\"x\"",
        "Bearer " + std::string{observer_token}, // a scheme that the API does not accept
        "Negotiate abcdef",
        "Digest username=\"key-administrator\"",
        base64("key-administrator:" + right), // no scheme
        "",
        "Basic " + std::string(7000, 'A'),
        "Basic \xc3\xbc",
    };
    for (auto const& value : values) {
        CAPTURE(value);
        auto const response = stage.send(pipe_as(value));
        check_problem(response, unauthenticated_basic());
        CHECK(without_identity(response) == without_identity(reference));
        auto const line = stage.log_of(response);
        CHECK(line.text("reason") == "unauthenticated");
        CHECK(line["credential"].is_null());
        CHECK_FALSE(line["auth_failure"].is_null());
    }
    // A repeated field is not a credential, even if both are right.
    auto const twice =
        stage.send(pipe_as(basic(administrator)).add("Authorization", basic(administrator)));
    check_problem(twice, unauthenticated_basic());
    CHECK(without_identity(twice) == without_identity(reference));
    CHECK(stage.upstream.connections() == 0);
    stage.finish();
}

TEST_CASE("the log says why a caller was refused, and which entry was meant") {
    Stage stage;
    std::string const right{administrator.secret};
    auto const why = [&stage](std::string const& authorization) {
        auto const response = stage.send(pipe_as(authorization));
        auto const line = stage.log_of(response);
        auto const& entry = line["auth_rule"];
        return line.text("auth_failure")
               + (entry.is_null() ? "" : entry.string.substr(entry.string.rfind('/') + 1));
    };
    auto const place = [](std::string_view name, int below = 0) {
        auto const text = standard_credentials();
        auto const at = text.find("name: " + std::string{name});
        auto const line = std::count(text.begin(), text.begin() + std::ptrdiff_t(at), '\n') + 1;
        return "credentials.yaml:" + std::to_string(line + below);
    };
    CHECK(why("Negotiate abcdef") == "no_credentials");
    CHECK(why("Basic !!!!") == "malformed");
    CHECK(why(basic_of("key-nobody:" + right)) == "unknown");
    CHECK(why(basic_of("key-administrator:" + right + "x"))
          == "wrong_secret" + place("administrator"));
    CHECK(why(basic(expired_key)) == "expired" + place("expired"));
    auto elsewhere = operation("getPipe").target;
    elsewhere.replace(elsewhere.find(organization_id), organization_id.size(),
                      other_organization_id);
    auto const forbidden = request_for("getPipe").authorization(basic(narrow)).target(elsewhere);
    auto const line = stage.log_of(stage.send(forbidden));
    CHECK(line.text("reason") == "forbidden");
    CHECK(line.text("auth_failure") == "permission");
    // Of a rule about a parameter, where it stands.
    auto const rule = line.text("auth_rule");
    CHECK(rule.substr(rule.rfind('/') + 1) == place("narrow", 2));
    auto const passed = stage.log_of(stage.send(pipe_as(basic(administrator))));
    CHECK(passed["auth_failure"].is_null());
    CHECK(passed["auth_rule"].is_null());
    stage.finish();
}

TEST_CASE("a wrong token is refused with the challenge of its API") {
    Stage stage;
    std::vector<std::string> const values{
        "Bearer " + std::string{observer_token} + "x",
        "Bearer " + std::string{expired_token},
        "Bearer",
        "Bearer a b",
        "Bearer \"" + std::string{observer_token} + "\"",
        std::string{observer_token},
        "x Bearer " + std::string{observer_token}, // what a careless server would find
        basic(administrator),
    };
    for (auto const& value : values) {
        CAPTURE(value);
        check_problem(stage.send(request_for("listAlerts").authorization(value)),
                      unauthenticated_bearer());
    }
    CHECK(stage.upstream.connections() == 0);
    stage.finish();
}

TEST_CASE("an unauthenticated client learns nothing of paths, methods, bodies and sizes") {
    Stage stage;
    auto const unauthenticated = [](Outgoing request) { return request.without("Authorization"); };
    for (auto const& request : std::vector<Outgoing>{
             unauthenticated(request_for("getPipe").target("/v1/no/such/path")),
             unauthenticated(request_for("getPipe").method("DELETE")),
             unauthenticated(
                 request_for("getPipe").target("/v1/organizations/not-a-uuid/services")),
             unauthenticated(request_for("updatePipeSettings").body("not json")),
             unauthenticated(request_for("updatePipeSettings").body("{}", "text/plain")),
             unauthenticated(request_for("updatePipeSettings").set("Content-Length", "99999999")),
         }) {
        CAPTURE(request.head());
        check_problem(stage.send(request), unauthenticated_basic());
    }
    CHECK(stage.upstream.connections() == 0);
    stage.finish();
}

TEST_CASE("a secret may contain colons, and the scheme any letter case; the canonical field is "
          "forwarded") {
    Stage stage{{}, with_upstream("credential: pass_issued")};
    for (auto const* scheme : {"Basic", "BASIC", "bAsIc"}) {
        auto const value = scheme + basic(enterprise).substr(5);
        CHECK(stage.send(pipe_as(value)).status == 200);
    }
    CHECK(
        stage.send(request_for("listAlerts").authorization("bEARER " + std::string{observer_token}))
            .status
        == 200);
    auto const requests = stage.upstream.requests();
    REQUIRE(requests.size() == 4);
    for (std::size_t index = 0; index < 3; ++index)
        CHECK(requests[index].fields.one("Authorization") == basic(enterprise));
    CHECK(requests[3].fields.one("Authorization") == bearer(observer_token));
    stage.finish();
}

TEST_CASE("during a rotation both secrets are valid, and no third") {
    Stage stage;
    CHECK(stage.send(pipe_as(basic(rotating_old))).status == 200);
    CHECK(stage.send(pipe_as(basic(rotating_new))).status == 200);
    CHECK(stage.send(pipe_as(basic({rotating_old.id, administrator.secret}))).status == 401);
    auto const response = stage.send(pipe_as(basic(rotating_new)));
    CHECK(stage.log_of(response).text("credential") == "rotating");
    stage.finish();
}

TEST_CASE("a credential is allowed what its restrictions permit, and nothing else") {
    Stage stage;
    auto const in_other_organization = [](std::string_view operation_id) {
        auto target = operation(operation_id).target;
        return target.replace(target.find(organization_id), organization_id.size(),
                              other_organization_id);
    };
    struct Row {
        char const* name;
        Outgoing request;
        int status;
    };
    for (auto const& row : std::vector<Row>{
             {"narrow, its organization", request_for("getPipe").authorization(basic(narrow)), 200},
             {"narrow, another organization",
              request_for("getPipe")
                  .authorization(basic(narrow))
                  .target(in_other_organization("getPipe")),
              403},
             {"narrow, its organization in capitals",
              request_for("listServiceBackups")
                  .authorization(basic(narrow))
                  .target("/v1/organizations/5F0C8A52-1F3B-4C7E-9D2A-0B6F4E8C1A01/services/"
                          + std::string{service_id} + "/backups"),
              200},
             {"narrow, its organization in percent-encoding",
              request_for("listServiceBackups")
                  .authorization(basic(narrow))
                  .target("/v1/organizations/%35" + std::string{organization_id.substr(1)}
                          + "/services/" + std::string{service_id} + "/backups"),
              200},
             {"reader, get pipe", request_for("getPipe").authorization(basic(reader)), 200},
             {"reader, list backups",
              request_for("listServiceBackups").authorization(basic(reader)), 200},
             {"reader, update settings",
              request_for("updatePipeSettings").authorization(basic(reader)), 403},
             {"reader, create service", request_for("createService").authorization(basic(reader)),
              403},
             {"viewer, get dashboard",
              request_for("getDashboard").authorization(bearer(viewer_token)), 200},
             {"viewer, update dashboard",
              request_for("updateDashboard").authorization(bearer(viewer_token)), 403},
             {"viewer, list alerts", request_for("listAlerts").authorization(bearer(viewer_token)),
              403},
             {"viewer, chart series",
              request_for("chartSeries").authorization(bearer(viewer_token)), 200},
         }) {
        CAPTURE(row.name);
        auto const before = stage.upstream.requests().size();
        auto const response = stage.send(row.request);
        if (row.status == 403)
            check_problem(response, refused(403, "forbidden"));
        else
            CHECK(response.status == row.status);
        CHECK(stage.upstream.requests().size() == before + (row.status == 200 ? 1 : 0));
    }
    stage.finish();
}

TEST_CASE("roles, denials and labels say what a caller may do") {
    // The entry of each, with other permissions.
    auto const entry = [](std::string_view name, std::string const& permissions) {
        auto const all = standard_credentials();
        auto const begin = all.find("  - name: " + std::string{name});
        auto const text = all.substr(begin, all.find("  - name: ", begin + 1) - begin);
        return text.substr(0, text.find("    ", text.find("secrets:"))) + "    " + permissions
               + "\n";
    };
    std::string const organization{organization_id};
    Gateway::Options options;
    options.credentials =
        "roles:\n"
        "  looks: { allow: { apis: [management], read_only: true } }\n"
        "  owns:\n"
        "    allow: { operations: [\"management/*\"], organizationId: \"${label:org}\" }\n"
        "    deny: [ { operations: [management/createService] } ]\n"
        "credentials:\n"
        + entry("scale", "roles: [looks]")
        + entry("narrow", "roles: [owns]\n    labels: { org: " + organization + " }")
        + entry("reader", "roles: [looks, owns]\n    labels: { org: "
                              + std::string{other_organization_id} + " }")
        + entry("administrator", "allow: all\n    deny: [ { methods: [PUT] } ]");
    Stage stage{{}, {}, options};
    auto const status = [&stage](std::string_view operation_id, Key const& key,
                                 std::string_view method = {}) {
        auto request = request_for(operation_id).authorization(basic(key));
        if (!method.empty()) request.method(method);
        auto const before = stage.upstream.requests().size();
        auto const response = stage.send(request);
        bool const is_forwarded = stage.upstream.requests().size() == before + 1;
        CHECK(is_forwarded == (response.status != 403));
        return response.status;
    };
    CHECK(status("getPipe", scale) == 200);
    CHECK(status("getPipe", scale, "HEAD") == 200);
    CHECK(status("updatePipeSettings", scale) == 403);
    CHECK(status("createService", scale) == 403);

    CHECK(status("getPipe", narrow) == 200);
    CHECK(status("updatePipeSettings", narrow) == 200);
    CHECK(status("createService", narrow) == 403);
    // Of another organization it may look, and change nothing.
    CHECK(status("getPipe", reader) == 200);
    CHECK(status("updatePipeSettings", reader) == 403);
    CHECK(status("createService", reader) == 403);

    CHECK(status("createService", administrator) == 200);
    CHECK(status("updatePipeSettings", administrator) == 403);
    auto const asked = run_gateway({"access", "-c", "sallyport.yaml", "--operation",
                                    "management/updatePipeSettings", "--format", "json"},
                                   {}, stage.gateway.folder());
    CAPTURE(asked.output, asked.error);
    CHECK(asked.exit_code == 0);
    CHECK(asked.output.find("\"narrow\"") != std::string::npos);
    CHECK(asked.output.find(organization) != std::string::npos);
    stage.finish();
}

TEST_CASE("a forbidden caller is refused before its body is read") {
    Stage stage;
    RawClient client{stage.port()};
    auto request = request_for("createService").authorization(basic(reader));
    client.send(request.set("Content-Length", "100000").head());
    check_problem(client.read_response(), refused(403, "forbidden"));
    stage.finish();
}

TEST_CASE("a configured upstream credential replaces the caller's, and never both are sent") {
    Stage stage{{},
                [](Configuration& configuration) {
                    auto yaml = configuration.upstreams;
                    auto const end = yaml.find(" }\n");
                    yaml.insert(end, ", credential: { basic: { key_id: up, secret: "
                                     "\"${env:UPSTREAM_SECRET}\" } }");
                    auto const second = yaml.rfind(" }\n");
                    yaml.insert(second, ", credential: { bearer: { token: "
                                        "\"${file:upstream-token}\" } }");
                    configuration.upstreams = yaml;
                },
                {.environment = {{"UPSTREAM_SECRET", "upstream:secret"}},
                 .files = {{"upstream-token", "upstream-token-value\n"}}}};
    CHECK(stage.send(pipe_as(basic(administrator))).status == 200);
    CHECK(stage.upstream.request(0).fields.one("Authorization") == basic_of("up:upstream:secret"));
    CHECK(stage.send(request_for("listAlerts")).status == 200);
    CHECK(stage.upstream.request(1).fields.one("Authorization") == "Bearer upstream-token-value");
    auto const written = stage.gateway.every_written_byte();
    CHECK(written.find("upstream:secret") == std::string::npos);
    CHECK(written.find("upstream-token-value") == std::string::npos);
    stage.finish();
}

TEST_CASE("fields that assert an identity are not forwarded") {
    Stage stage{{}, with_upstream("credential: pass_issued")};
    auto request = request_for("getPipe");
    std::vector<std::string> const dropped{"Cookie",           "Proxy-Authorization",
                                           "X-Forwarded-User", "X-Remote-User",
                                           "Remote-User",      "X-Real-IP",
                                           "Forwarded",        "X-HTTP-Method-Override",
                                           "X-HTTP-Method",    "X-Method-Override",
                                           "X-Original-URL",   "X-Rewrite-URL",
                                           "X-Forwarded-Port", "Connection",
                                           "Keep-Alive",       "TE",
                                           "Upgrade",          "X-Named-By-Connection"};
    for (auto const& name : dropped)
        request.add(name, name == "Connection"
                              ? "x-named-by-connection, x-request-id, authorization"
                              : "198.51.100.7");
    request.add("X-Forwarded-For", "198.51.100.7").add("X-Forwarded-Proto", "gopher");
    request.add("X-Forwarded-Host", "evil.example").add("X-Request-Id", "chosen-by-client");
    auto const response = stage.send(request);
    CHECK(response.status == 200);
    auto const seen = stage.upstream.request(0);
    for (auto const& name : dropped) {
        CAPTURE(name);
        CHECK(seen.fields.count(name) == 0);
    }
    CHECK(seen.fields.one("X-Forwarded-For") == "127.0.0.1");
    CHECK(seen.fields.one("X-Forwarded-Proto") == "https");
    CHECK(seen.fields.one("X-Forwarded-Host") == "localhost");
    CHECK(seen.fields.one("Authorization") == basic(administrator));
    CHECK(seen.fields.one("X-Request-Id") == response.fields.one("X-Request-Id"));
    CHECK(seen.raw.find("198.51.100.7") == std::string::npos);
    stage.finish();
}

TEST_CASE("cookies are forwarded only if an API enables it") {
    Stage stage{{}, with_management("forward_cookies: yes")};
    CHECK(stage.send(request_for("getPipe").add("Cookie", "a=b")).status == 200);
    CHECK(stage.upstream.request(0).fields.find("Cookie") == "a=b");
    CHECK(stage.send(request_for("listAlerts").add("Cookie", "a=b")).status == 200);
    CHECK(stage.upstream.request(1).fields.count("Cookie") == 0);
    stage.finish();
}

TEST_CASE("an anonymous API is configured explicitly and forwards without a credential") {
    Stage stage{{}, [](Configuration& configuration) {
                    configuration.apis += "  open: { paths: [\"/public/\"], upstream: management, "
                                          "authenticate: [anonymous] }\n";
                }};
    auto const response = stage.send(Outgoing{"GET", "/public/x"});
    CHECK(response.status == 200);
    CHECK(stage.upstream.request(0).fields.count("Authorization") == 0);
    CHECK(stage.send(Outgoing{"GET", "/public/x"}.authorization(basic(administrator))).status
          == 200);
    stage.finish();
}

} // namespace e03_credentials
