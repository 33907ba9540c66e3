// Tokens that their issuer is asked about, over TLS: callers, roles and labels, and what becomes of
// requests while the issuer is down, slow or lies.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"
#include "tests/support/encodings.h"
#include "tests/support/event.h"
#include "tests/support/time_limit.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <ctime>
#include <stdexcept>

namespace e46_introspection {

using namespace sallyport::test;

namespace {

constexpr std::string_view roles = R"(roles:
  reader:
    allow: { operations: [management/getPipe, management/listServiceBackups] }
  owner:
    allow: { operations: ["management/*"], organizationId: "${label:org}" }
)";

ExpectedProblem unauthenticated() {
    auto problem = refused(401, "unauthenticated");
    problem.fields = {{"WWW-Authenticate", "Bearer realm=\"management\""}};
    return problem;
}

constexpr std::string_view secret = "introspection.secret-0123456789";

std::string in(int seconds) {
    return std::to_string(std::time(nullptr) + seconds);
}

// What an issuer says of an active token.
std::string active(std::string const& more = {}, std::string const& role = "pipe reader") {
    return R"({"active":true,"iss":"https://issuer.example","aud":["management"],"sub":"alice",)"
           R"("token_type":"Bearer","scope":"pipes","org_id":")"
           + std::string{organization_id} + R"(","roles":[")" + role + "\"]"
           + (more.find("\"exp\"") == std::string::npos ? ",\"exp\":" + in(600) : "")
           + (more.empty() ? "" : "," + more) + '}';
}

// The token of an introspection request.
std::string token_in(Request const& request) {
    std::string_view body = request.body;
    constexpr std::string_view begin = "token=";
    // In the thread of the upstream too, where Catch's macros are not for.
    if (!body.starts_with(begin)) throw std::runtime_error{"no token in " + request.body};
    return std::string{body.substr(begin.size(), body.find('&') - begin.size())};
}

/// An issuer with TLS, and a gateway that asks it.
struct Issuer {
    RecordingUpstream server;

    explicit Issuer(RecordingUpstream::Script script)
        : server{std::move(script), {.certificate = certificates().server}} {}

    [[nodiscard]] Change change(std::string const& more = {}) const {
        auto const url = "https://localhost:" + std::to_string(server.port()) + "/introspect";
        return [=](Configuration& configuration) {
            configuration.apis =
                "  management: { contract: \"" + contracts_folder()
                + "/management.yaml\", upstream: management, authenticate: [bearer, "
                  "introspection], introspection: { url: \""
                + url
                + R"(", client: { id: sallyport, secret: "${env:INTROSPECTION}" }, ca: issuer.pem, )"
                  R"(issuer: "https://issuer.example", audience: management, )"
                  R"(labels: { org: org_id }, )"
                  R"(roles: { claim: roles, mapping: { "pipe reader": [reader], owner: [owner] } })"
                + more + " } }\n" + api_yaml("observability");
        };
    }
};

/// Of a gateway that trusts this authority.
Gateway::Options trusting(std::filesystem::path const& authority) {
    return {.credentials = std::string{roles} + standard_credentials(),
            .environment = {{"INTROSPECTION", std::string{secret}}},
            .files = {{"issuer.pem", read_file(authority)}}};
}
Gateway::Options trusting() {
    return trusting(certificates().authority);
}

Outgoing get_pipe(std::string_view token) {
    return request_for("getPipe").authorization(bearer(token));
}

RecordingUpstream::Script say(std::string const& json) {
    return [json](UpstreamExchange& exchange) { exchange.send(response_text(json)); };
}

// The status of a token once it is no longer `before`.
int status_after(Stage const& stage, std::string_view token, int before) {
    TimeLimit const limit;
    for (;;) {
        auto const status = stage.send(get_pipe(token)).status;
        if (status != before) return status;
        REQUIRE_FALSE(limit.has_passed());
    }
}

} // namespace

TEST_CASE("a token that its issuer says is active leads to its caller, who is asked about once") {
    Issuer issuer{say(active())};
    Stage stage{{}, issuer.change(), trusting()};
    for (int i = 0; i < 3; ++i) {
        auto const response = stage.send(get_pipe("opaque+token=="));
        CHECK(response.status == 200);
        auto const line = stage.log_of(response);
        CHECK(line.text("credential") == "introspection:alice");
        CHECK(line["auth_failure"].is_null());
    }
    REQUIRE(issuer.server.requests().size() == 1);
    auto const asked = issuer.server.request(0);
    CHECK(asked.method == "POST");
    CHECK(asked.target == "/introspect");
    CHECK(asked.fields.one("Authorization")
          == "Basic " + base64("sallyport:" + std::string{secret}));
    CHECK(asked.body == "token=opaque%2Btoken%3D%3D&token_type_hint=access_token");
    CHECK(issuer.server.server_names() == std::vector<std::string>{"localhost"});
    CHECK(issuer.server.protocol_errors().empty());
    // What it may not do.
    CHECK(
        stage.send(request_for("updatePipeSettings").authorization(bearer("opaque+token=="))).status
        == 403);
    // The upstream gets the token as the client has sent it; nothing else has it.
    CHECK(stage.upstream.request(0).fields.one("Authorization") == bearer("opaque+token=="));
    auto const written = stage.gateway.every_written_byte();
    CHECK(written.find("opaque+token") == std::string::npos);
    CHECK(written.find(secret) == std::string::npos);
    stage.finish();
}

TEST_CASE("roles and labels are those that the issuer says") {
    Issuer issuer{[](UpstreamExchange& exchange) {
        exchange.send(response_text(active({}, token_in(exchange.request))));
    }};
    Stage stage{{}, issuer.change(), trusting()};
    auto const as = [&](std::string_view operation_id, std::string const& role,
                        std::string_view organization) {
        auto target = operation(operation_id).target;
        target.replace(target.find(organization_id), organization_id.size(), organization);
        return stage.send(request_for(operation_id).target(target).authorization(bearer(role)))
            .status;
    };
    CHECK(as("updatePipeSettings", "owner", organization_id) == 200);
    CHECK(as("updatePipeSettings", "owner", other_organization_id) == 403);
    CHECK(as("getPipe", "another", organization_id) == 403);
    stage.finish();
}

TEST_CASE("an answer is not used beyond the expiry of its token, whatever the leeway") {
    Issuer issuer{say(active("\"exp\":" + in(-10)))}; // the issuer's clock is late
    Stage stage{{}, issuer.change(", cache: { positive: 1m }"), trusting()};
    CHECK(stage.send(get_pipe("opaque")).status == 200);
    CHECK(stage.send(get_pipe("opaque")).status == 200);
    CHECK(issuer.server.requests().size() == 2);
    stage.finish();
}

TEST_CASE("all tokens that the issuer refuses get one response, and the log says why") {
    struct Row {
        std::string token;
        std::string answer;
        char const* word;
    };
    std::vector<Row> const rows{
        {"inactive", R"({"active":false})", "inactive"},
        {"issuer", active(R"("iss":"x")").replace(15, 6, "\"ixx\":"), "claim"},
        {"expired", active("\"exp\":" + in(-60)), "expired"},
        {"early", active("\"nbf\":" + in(300)), "not_yet_valid"},
        {"scope", active(), "scope"},
        {"bound", active(R"("scopes":"admin","cnf":{"jkt":"x"})"), "binding"},
        {"refresh", active(R"("scopes":"admin","token_use":"refresh_token")"), "claim"},
    };
    Issuer issuer{[&rows](UpstreamExchange& exchange) {
        auto const token = token_in(exchange.request);
        for (auto const& row : rows)
            if (row.token == token) exchange.send(response_text(row.answer));
    }};
    Stage stage{{}, issuer.change(", scopes: { claim: scopes, required: [admin] }"), trusting()};
    for (auto const& row : rows) {
        CAPTURE(row.token);
        auto const response = stage.send(get_pipe(row.token));
        auto expected = unauthenticated();
        // RFC 6750, 3.1: a client that has one of the issuer's gets another.
        if (std::string_view{row.word} == "expired")
            expected.fields = {{"WWW-Authenticate",
                                R"(Bearer realm="management", error="invalid_token", )"
                                R"(error_description="The token has expired")"}};
        check_problem(response, expected);
        CHECK(stage.log_of(response).text("auth_failure") == row.word);
    }
    auto const asked = issuer.server.requests().size();
    CHECK(stage.send(get_pipe("inactive")).status == 401);
    CHECK(issuer.server.requests().size() == asked);
    // A field that is malformed is never asked about.
    CHECK(stage.send(request_for("getPipe").authorization("Bearer a b")).status == 401);
    CHECK(issuer.server.requests().size() == asked);
    stage.finish();
}

TEST_CASE("an operation that does not take introspection refuses what the store does not have") {
    Issuer issuer{say(active())};
    auto const change = both(issuer.change(), [](Configuration& configuration) {
        auto& apis = configuration.apis;
        constexpr std::string_view taken = "authenticate: [bearer, introspection]";
        apis.replace(apis.find(taken), taken.size(),
                     "authenticate: [bearer, introspection, api_key], api_key: { header: X-Key }, "
                     "rules: [ { operation: getPipe, authenticate: [bearer, api_key] } ]");
    });
    auto options = trusting();
    options.credentials += "  - name: keyed\n    api_key: { keys: [\"sha256:"
                           + sha256_hex("the-key-of-this-test") + "\"] }\n    allow: all\n";
    Stage stage{{}, change, options};
    // A right key beside it changes nothing: Authorization says whose the request is.
    auto const response = stage.send(get_pipe("opaque").add("X-Key", "the-key-of-this-test"));
    CHECK(response.status == 401);
    CHECK(stage.log_of(response).text("auth_failure") == "unknown");
    CHECK(issuer.server.requests().empty());
    auto const other = request_for("listServiceBackups").authorization(bearer("opaque"));
    CHECK(stage.send(other).status == 200);
    CHECK(issuer.server.requests().size() == 1);
    stage.finish();
}

TEST_CASE("while an issuer is down or lies no caller is accepted, and no other request waits") {
    std::string const json = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
    Issuer issuer{[&](UpstreamExchange& exchange) {
        auto const token = token_in(exchange.request);
        if (token == "good") {
            exchange.send(response_text(active()));
        } else if (token == "slow") {
            exchange.wait_for_end();
        } else if (token == "html") {
            exchange.send(response_text("<html>active</html>", 200, {}, "text/html"));
        } else if (token == "large") {
            exchange.send(response_text(active("\"x\":\"" + std::string(10 << 20, 'x') + "\"")));
        } else if (token == "endless") {
            exchange.send(json + "Transfer-Encoding: chunked\r\n\r\n");
            while (exchange.send("400\r\n" + std::string(0x400, ' ') + "\r\n") == End::data) {
            }
        } else if (token == "plain") {
            exchange.send("HTTP/1.1 302 Found\r\nLocation: http://localhost/introspect\r\n"
                          "Content-Length: 0\r\n\r\n");
        } else if (token == "metadata") {
            exchange.send("HTTP/1.1 307 Temporary Redirect\r\nLocation: "
                          "http://169.254.169.254/latest/meta-data\r\nContent-Length: 0\r\n\r\n");
        } else if (token == "truncated") {
            exchange.send(json + "Content-Length: 100\r\n\r\n{\"active\":true");
            exchange.close();
        } else if (token == "twice") {
            exchange.send(response_text(R"({"active":false,"active":true})"));
        } else if (token == "text") {
            exchange.send(response_text(R"({"active":"true"})"));
        } else {
            exchange.send(response_text("{}", 500));
        }
    }};
    Stage stage{{}, issuer.change(", timeout: 500ms"), trusting()};
    for (auto const* token : {"slow", "html", "large", "endless", "plain", "metadata", "truncated",
                              "twice", "text", "error"}) {
        CAPTURE(token);
        auto const response = stage.send(get_pipe(token));
        CHECK(response.status == 503);
        CHECK(response.fields.one("Retry-After") == "1");
        CHECK(stage.log_of(response).text("auth_failure") == "unavailable");
        CHECK(stage.send(get_pipe("good")).status == 200);
    }
    issuer.server.stop_listening();
    CHECK(stage.send(get_pipe("another")).status == 503);
    // It is known for a while.
    CHECK(stage.send(get_pipe("good")).status == 200);
    CHECK(stage.upstream.requests().size() == 11);
    stage.finish();
}

TEST_CASE("known tokens keep working while the issuer is down, where that is configured") {
    Issuer issuer{say(active())};
    Stage stage{{},
                issuer.change(", on_failure: allow_cached, cache: { positive: 1s, negative: 1s }"),
                trusting()};
    CHECK(stage.send(get_pipe("known")).status == 200);
    issuer.server.stop_listening();
    // Until it would be asked again, and beyond.
    auto const until = std::chrono::steady_clock::now() + std::chrono::seconds{3};
    while (std::chrono::steady_clock::now() < until)
        REQUIRE(stage.send(get_pipe("known")).status == 200);
    CHECK(stage.send(get_pipe("stranger")).status == 503);
    // A reload forgets nothing.
    stage.gateway.replace("issuer.pem", read_file(certificates().authority) + "\n");
    stage.gateway.wait_for_reloads(1);
    CHECK(stage.send(get_pipe("known")).status == 200);
    stage.finish();
}

TEST_CASE("known tokens end when the issuer has been down for longer than `keep`") {
    Issuer issuer{say(active())};
    Stage stage{{},
                issuer.change(", on_failure: allow_cached, cache: { positive: 1s, negative: 1s, "
                              "keep: 1s }"),
                trusting()};
    CHECK(stage.send(get_pipe("known")).status == 200);
    issuer.server.stop_listening();
    CHECK(status_after(stage, "known", 200) == 503);
    stage.finish();
}

TEST_CASE("a token that was revoked is refused once its answer is old") {
    std::atomic<bool> is_active{true};
    Issuer issuer{[&is_active](UpstreamExchange& exchange) {
        exchange.send(response_text(is_active ? active() : R"({"active":false})"));
    }};
    Stage stage{{}, issuer.change(", cache: { positive: 1s, negative: 1s }"), trusting()};
    CHECK(stage.send(get_pipe("token")).status == 200);
    is_active = false;
    CHECK(status_after(stage, "token", 200) == 401);
    is_active = true;
    CHECK(status_after(stage, "token", 401) == 200);
    stage.finish();
}

TEST_CASE("many unknown tokens do not cause as many requests to the issuer") {
    Event gate;
    Issuer issuer{[&gate](UpstreamExchange& exchange) {
        auto const token = token_in(exchange.request);
        if (token != "known") exchange.wait(gate);
        exchange.send(response_text(token == "known" ? active() : R"({"active":false})"));
    }};
    Stage stage{
        {}, issuer.change(", pending: 3, timeout: 20s, cache: { positive: 1s }"), trusting()};
    CHECK(stage.send(get_pipe("known")).status == 200);
    RawClient one{stage.port()};
    one.send(get_pipe("one").text());
    static_cast<void>(issuer.server.request(1));
    RawClient two{stage.port()};
    two.send(get_pipe("two").text());
    static_cast<void>(issuer.server.request(2));
    // One place is kept for other addresses, and as many tokens wait as may be asked about.
    std::vector<std::unique_ptr<RawClient>> waiting;
    for (int i = 0; i < 3; ++i) {
        waiting.push_back(std::make_unique<RawClient>(stage.port()));
        waiting.back()->send(get_pipe("waiting" + std::to_string(i)).text());
    }
    CHECK(waiting.back()->is_silent_for(std::chrono::milliseconds{100}));
    for (int i = 0; i < 20; ++i) {
        auto const response = stage.send(get_pipe("unknown" + std::to_string(i)));
        CHECK(response.status == 503);
        CHECK(response.fields.one("Retry-After") == "1");
    }
    // Only one that was active is asked about, when its answer is old.
    TimeLimit const limit;
    while (issuer.server.requests().size() == 3) {
        REQUIRE_FALSE(limit.has_passed());
        CHECK(stage.send(get_pipe("known")).status == 200);
    }
    CHECK(token_in(issuer.server.request(3)) == "known");
    gate.set();
    CHECK(one.read_final_response().status == 401);
    CHECK(two.read_final_response().status == 401);
    for (auto const& client : waiting)
        CHECK(client->read_final_response().status == 401);
    stage.finish();
}

TEST_CASE("for a client that sends many wrong tokens the issuer is not asked, but for known ones") {
    Issuer issuer{[](UpstreamExchange& exchange) {
        auto const token = token_in(exchange.request);
        exchange.send(response_text(token == "known" ? active() : R"({"active":false})"));
    }};
    auto const change = both(issuer.change(), [](Configuration& configuration) {
        configuration.rest += "failed_authentication: { per_address: 3, first_block: 1h, "
                              "longest_block: 1h, except: [192.0.2.1] }\n";
    });
    Stage stage{{}, change, trusting()};
    CHECK(stage.send(get_pipe("known")).status == 200);
    for (int i = 0; i < 3; ++i)
        CHECK(stage.send(get_pipe("wrong" + std::to_string(i))).status == 401);
    CHECK(stage.send(get_pipe("wrong3")).status == 429);
    CHECK(issuer.server.requests().size() == 5);
    auto const refused = stage.send(get_pipe("another"));
    CHECK(refused.status == 429);
    CHECK_FALSE(refused.fields.one("Retry-After").empty());
    CHECK(stage.log_of(refused).text("auth_failure") == "unavailable");
    CHECK(issuer.server.requests().size() == 5);
    CHECK(stage.send(get_pipe("known")).status == 200);
    stage.finish();
}

TEST_CASE("tokens of some addresses that an issuer is slow about leave places for those of others") {
    Event gate;
    Issuer issuer{[&](UpstreamExchange& exchange) {
        bool const is_known = token_in(exchange.request).starts_with("known");
        if (!is_known) exchange.wait(gate);
        exchange.send(response_text(is_known ? active() : R"({"active":false})"));
    }};
    auto const change = both(issuer.change(", pending: 16, timeout: 30s"), [](Configuration& configuration) {
        configuration.rest += admin_section;
        configuration.listeners += "  - { name: edge, address: \"127.0.0.1:0\", tls: off, "
                                   "trusted_proxies: [127.0.0.1] }\n";
    });
    Stage stage{{}, change, trusting()};
    std::vector<std::unique_ptr<RawClient>> clients;
    auto const send = [&](std::string_view address, std::string_view token) -> RawClient& {
        auto& client = *clients.emplace_back(
            std::make_unique<RawClient>(stage.gateway.port("edge"), without_tls()));
        client.send(get_pipe(token).add("X-Forwarded-For", address).text());
        return client;
    };
    // One address alone has all but an eighth; others find a place all the same.
    for (int i = 0; i < 20; ++i)
        send("192.0.2.1", "junk" + std::to_string(i));
    issuer.server.wait_for_requests(14);
    send("192.0.2.2", "other");
    issuer.server.wait_for_requests(15);
    for (int i = 0; i < 3; ++i)
        CHECK(send("192.0.2.3", "known" + std::to_string(i)).read_final_response().status == 200);
    // One more waits until there is a place.
    send("192.0.2.4", "more");
    issuer.server.wait_for_requests(19);
    auto& waiting = send("192.0.2.5", "known5");
    CHECK(waiting.is_silent_for(std::chrono::milliseconds{50}));
    gate.set();
    CHECK(waiting.read_final_response().status == 200);
    stage.finish();
}

TEST_CASE("an issuer that the gateway does not trust is not asked") {
    Issuer issuer{say(active())};
    Stage stage{{}, issuer.change(), trusting(certificates().other_authority)};
    CHECK(stage.send(get_pipe("token")).status == 503);
    CHECK(issuer.server.requests().empty());
    stage.finish();
}

} // namespace e46_introspection
