// Browsers of other origins: what they are told before a request and with its response.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"

#include <catch2/catch.hpp>

namespace e36_cors {

using namespace sallyport::test;

namespace {

constexpr std::string_view app = "https://app.example.com";

constexpr std::string_view contract = R"yaml(openapi: 3.1.0
info: { title: T, version: "1" }
paths:
  /v1/items:
    get: { operationId: listItems }
    put:
      operationId: putItems
      requestBody:
        required: true
        content: { application/json: { schema: { type: object, required: [n] } } }
    options: { operationId: describeItems }
  /v1/items/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    delete: { operationId: deleteItem }
)yaml";

// `own` with the contract and `open` without one, each with these keys beside `cors`.
struct Shared {
    explicit Shared(std::string const& cors, std::string const& own = {},
                    RecordingUpstream::Script script = {})
        : stage{std::move(script),
                [&](Configuration& configuration) {
                    configuration.rest += admin_section;
                    configuration.apis =
                        "  own: { contract: own.yaml, upstream: management, authenticate: [basic], "
                        "cors: { "
                        + cors + " }" + own
                        + " }\n  open: { paths: [\"/open/\"], methods: [GET, PUT, DELETE], "
                          "upstream: management, authenticate: [anonymous], cors: { "
                        + cors
                        + " } }\n  silent: { paths: [\"/silent/\"], methods: [GET, OPTIONS], "
                          "upstream: management, authenticate: [anonymous] }\n";
                },
                options()} {}

    static Gateway::Options options() {
        Gateway::Options options;
        auto const all = standard_credentials();
        options.credentials = all.substr(0, all.find("  - name: ", all.find("administrator")));
        options.files["own.yaml"] = contract;
        return options;
    }

    Response preflight(std::string_view target, std::string_view origin = app,
                       std::string_view method = "PUT") const {
        return stage.send(Outgoing{"OPTIONS", target}
                              .add("Origin", origin)
                              .add("Access-Control-Request-Method", method));
    }

    Stage stage;
};

std::string const origins = "origins: [\"https://app.example.com\", \"https://*.example.org\"]";

// "name: value" of each field of the CORS protocol, and Vary.
std::string cors_of(Response const& response) {
    std::string all;
    for (auto const& field : response.fields) {
        if (field.name.starts_with("Access-Control-") || field.name == "Vary")
            all += field.name + ": " + field.value + "\n";
    }
    return all;
}

RecordingUpstream::Script responding(Fields const& fields) {
    return
        [fields](UpstreamExchange& exchange) { exchange.send(response_text("{}", 200, fields)); };
}

Outgoing from_page(Outgoing outgoing, std::string_view origin = app) {
    return outgoing.add("Origin", origin);
}

std::string const permitted = "Access-Control-Allow-Origin: https://app.example.com\n";
std::string const exposed = "Access-Control-Expose-Headers: X-Request-Id\n";
std::string const vary = "Vary: Origin\n";

} // namespace

TEST_CASE("a preflight is responded to by the gateway, without credentials, to the byte") {
    Shared shared{origins};
    auto const response = shared.preflight("/v1/items");
    CHECK(response.head
          == "HTTP/1.1 204 No Content\r\n"
             "Access-Control-Allow-Origin: https://app.example.com\r\n"
             "Access-Control-Allow-Methods: GET, HEAD, PUT, OPTIONS\r\n"
             "Access-Control-Allow-Headers: Authorization, Content-Type\r\n"
             "Access-Control-Max-Age: 600\r\n"
             "Vary: Origin, Access-Control-Request-Method, Access-Control-Request-Headers\r\n"
             "Date: "
                 + response.fields.one("Date") + "\r\nCache-Control: no-store\r\nX-Request-Id: "
                 + response.fields.one("X-Request-Id") + "\r\n\r\n");
    auto const log = shared.stage.log_of(response);
    CHECK(log.text("method") == "OPTIONS");
    CHECK(log.text("api") == "own");
    CHECK(log.text("path") == "/v1/items");
    CHECK(log.text("status") == "204");
    for (auto const* const absent : {"reason", "operation", "credential", "upstream"})
        CHECK(log[absent].is_null());
    CHECK(shared.stage.upstream.requests().empty());
    auto const metrics = metrics_of(shared.stage.gateway);
    CHECK(metrics[R"(sallyport_requests_total{api="own",operation="",status="204",reason=""})"]
          == 1);
    shared.stage.finish();
}

TEST_CASE("a preflight of a foreign origin is refused, and learns nothing") {
    Shared shared{origins + ", credentials: true"};
    for (auto const* const origin :
         {"https://app.example.com.evil.example", "https://evil.example", "http://app.example.com",
          "https://app.example.com:8443", "https://APP.example.com", "https://example.org",
          "https://evilexample.org", "https://a..example.org", "https://.example.org",
          "https://a/b.example.org", "https://u@a.example.org", "null", "*", ""}) {
        INFO(origin);
        auto const response = shared.preflight("/v1/items", origin);
        auto expected = refused(403, "origin_denied");
        expected.fields = {{"Vary", "Origin"}};
        check_problem(response, expected);
        CHECK(shared.stage.log_of(response).text("reason") == "origin_denied");
        // Also where the path is unknown.
        CHECK(cors_of(shared.preflight("/v1/none", origin)) == vary);
    }
    // Two of them are none.
    auto const twice = shared.stage.send(Outgoing{"OPTIONS", "/v1/items"}
                                             .add("Origin", app)
                                             .add("Origin", app)
                                             .add("Access-Control-Request-Method", "GET"));
    CHECK(twice.status == 403);
    CHECK(cors_of(twice) == vary);
    CHECK(shared.stage.upstream.requests().empty());
    shared.stage.finish();
}

TEST_CASE("hosts below one are allowed as whole labels") {
    Shared shared{"origins: [\"https://*.example.org\", \"http://*.example.net:8080\"]"};
    for (auto const* const origin :
         {"https://a.example.org", "https://a.b-c_d.example.org", "http://a.example.net:8080"}) {
        INFO(origin);
        CHECK(shared.preflight("/v1/items", origin).fields.one("Access-Control-Allow-Origin")
              == origin);
    }
    CHECK(shared.preflight("/v1/items", "http://a.example.net").status == 403);
    CHECK(shared.preflight("/v1/items", "https://a.example.org:443").status == 403);
    shared.stage.finish();
}

TEST_CASE("a preflight is judged by the paths and methods of the contract") {
    Shared shared{origins + ", methods: [DELETE, PUT]", ", trailing_slash: same", responding({})};
    CHECK(shared.preflight("/v1/items").fields.one("Access-Control-Allow-Methods") == "PUT");
    CHECK(shared.preflight("/v1/items/").fields.one("Access-Control-Allow-Methods") == "PUT");
    CHECK(shared.preflight("/open/any").fields.one("Access-Control-Allow-Methods")
          == "DELETE, PUT");
    CHECK(shared.preflight("/v1/items/a").fields.one("Access-Control-Allow-Methods") == "DELETE");
    auto const unknown = shared.preflight("/v1/none");
    auto expected = refused(403, "unknown_operation");
    expected.fields = {{"Vary", "Origin"},
                       {"Access-Control-Allow-Origin", std::string{app}},
                       {"Access-Control-Expose-Headers", "X-Request-Id"}};
    check_problem(unknown, expected);
    shared.stage.finish();
}

TEST_CASE("unknown paths and methods that are forwarded may be asked for") {
    Shared shared{origins, ", requests: report"};
    CHECK(shared.preflight("/v1/none").fields.one("Access-Control-Allow-Methods")
          == "GET, HEAD, POST, PUT, PATCH, DELETE");
    CHECK(shared.preflight("/v1/items").fields.one("Access-Control-Allow-Methods")
          == "GET, HEAD, PUT, OPTIONS");
    shared.stage.finish();
    for (auto const* const mode : {", requests: report", ", unknown_operations: forward"}) {
        Shared listed{origins + ", methods: [DELETE, PUT]", mode};
        CHECK(listed.preflight("/v1/items").fields.one("Access-Control-Allow-Methods")
              == "DELETE, PUT");
        CHECK(listed.preflight("/v1/none").fields.one("Access-Control-Allow-Methods")
              == "DELETE, PUT");
        listed.stage.finish();
    }
}

TEST_CASE("an OPTIONS that is no preflight goes where the contract says, or is refused") {
    Shared shared{origins};
    auto const options = [](std::string_view target) {
        return Outgoing{"OPTIONS", target}.authorization(basic(administrator));
    };
    CHECK(shared.stage.send(from_page(options("/v1/items"))).status == 200);
    CHECK(shared.stage.send(options("/v1/items").add("Access-Control-Request-Method", "GET")).status
          == 200);
    CHECK(shared.stage.send(from_page(options("/open/a"))).status == 405);
    // Without credentials it is like any other request.
    CHECK(shared.stage.send(from_page(Outgoing{"OPTIONS", "/v1/items"})).status == 401);
    CHECK(shared.stage.upstream.requests().size() == 2);
    // An API without cors passes preflights on.
    CHECK(shared.preflight("/silent/a").status == 200);
    CHECK(shared.stage.upstream.request(2).fields.one("Origin") == app);
    shared.stage.finish();
}

TEST_CASE("a preflight with a body leaves its connection usable") {
    Shared shared{origins};
    RawClient client{shared.stage.port()};
    auto const preflight =
        Outgoing{"OPTIONS", "/v1/items"}
            .add("Origin", app)
            .add("Access-Control-Request-Method", "PUT")
            .body("GET /open/smuggled HTTP/1.1\r\nHost: a\r\n\r\n", "text/plain");
    CHECK(client.exchange(preflight.text()).status == 204);
    CHECK(client.exchange(from_page(Outgoing{"GET", "/open/a"}).text()).status == 200);
    REQUIRE(shared.stage.upstream.requests().size() == 1);
    CHECK(shared.stage.upstream.request(0).target == "/open/a");
    shared.stage.finish();
}

TEST_CASE("a response has the fields of the API instead of those of the upstream") {
    Fields const theirs{{"Access-Control-Allow-Origin", "*"},
                        {"access-control-allow-credentials", "true"},
                        {"Access-Control-Allow-Methods", "TRACE"},
                        {"Access-Control-Allow-Headers", "*"},
                        {"Access-Control-Max-Age", "86400"},
                        {"Access-Control-Expose-Headers", "*"},
                        {"Access_Control_Allow_Origin", "*"},
                        {"Vary", "Accept-Encoding, origin"},
                        {"X-Own", "1"},
                        {"Vary", "accept-encoding,X-A"}};
    Shared shared{origins + ", expose: [X-Own, ETag], credentials: true", {}, responding(theirs)};
    auto const passed = shared.stage.send(from_page(Outgoing{"GET", "/open/a"}));
    CHECK(passed.status == 200);
    CHECK(cors_of(passed)
          == "Vary: Accept-Encoding, origin, X-A\n" + permitted
                 + "Access-Control-Allow-Credentials: true\n"
                   "Access-Control-Expose-Headers: X-Own, ETag\n");
    CHECK(passed.fields.one("X-Own") == "1");
    CHECK(passed.fields.count("Access_Control_Allow_Origin") == 0);
    CHECK(passed.body == "{}");
    // A foreign origin is forwarded, because CORS authorizes nothing, and its page cannot read the
    // response; neither can one be served to an allowed origin from a cache.
    for (auto const& request : {from_page(Outgoing{"GET", "/open/b"}, "https://evil.example"),
                                Outgoing{"GET", "/open/b"}}) {
        auto const foreign = shared.stage.send(request);
        CHECK(foreign.status == 200);
        CHECK(cors_of(foreign) == "Vary: Accept-Encoding, origin, X-A\n");
    }
    CHECK(shared.stage.upstream.request(1).fields.one("Origin") == "https://evil.example");
    // An API without cors changes nothing.
    auto const silent = shared.stage.send(from_page(Outgoing{"GET", "/silent/a"}));
    CHECK(silent.fields.one("Access-Control-Allow-Methods") == "TRACE");
    CHECK(silent.fields.count("Vary") == 2);
    shared.stage.finish();
}

TEST_CASE("a response is merged with the Vary of the API's own headers") {
    Shared shared{origins, ", headers: { response: { set: { Vary: Accept, X-A: b } } }",
                  responding({{"Vary", "Cookie"}})};
    auto const passed = shared.stage.send(
        from_page(Outgoing{"GET", "/v1/items"}.authorization(basic(administrator))));
    CHECK(cors_of(passed) == "Vary: Accept, Origin\n" + permitted + exposed);
    CHECK(passed.fields.one("X-A") == "b");
    auto const refused_one = shared.stage.send(from_page(Outgoing{"GET", "/v1/items"}));
    CHECK(cors_of(refused_one) == "Vary: Accept, Origin\n" + permitted + exposed);
    shared.stage.finish();
}

TEST_CASE("pages can read the gateway's own refusals") {
    Shared shared{origins};
    auto const with_key = [](std::string_view method, std::string_view target) {
        return from_page(Outgoing{method, target}.authorization(basic(administrator)));
    };
    std::vector<std::pair<Outgoing, int>> const cases{
        {from_page(Outgoing{"GET", "/v1/items"}), 401},
        {with_key("GET", "/v1/none"), 403},
        {with_key("PATCH", "/v1/items"), 405},
        {with_key("PUT", "/v1/items").body("{}"), 400},
        {with_key("PUT", "/v1/items").body("{}", "text/plain"), 415},
        {with_key("PUT", "/v1/items").set("Content-Length", "99999999"), 413}};
    for (auto const& [request, status] : cases) {
        auto const response = shared.stage.send(request);
        CHECK(response.status == status);
        CHECK(cors_of(response) == vary + permitted + exposed);
    }
    shared.stage.upstream.stop_listening();
    auto const failed = shared.stage.send(from_page(Outgoing{"GET", "/open/a"}));
    CHECK(failed.status == 502);
    CHECK(cors_of(failed) == vary + permitted + exposed);
    // Before its API is known a request gets none of it.
    CHECK(cors_of(shared.stage.send(from_page(Outgoing{"GET", "/none"}))).empty());
    shared.stage.finish();
}

TEST_CASE("for all origins responses do not depend on them") {
    Shared shared{"origins: [\"*\"], headers: [\"*\", Authorization], expose: [\"*\"], max_age: 0s",
                  {},
                  responding({{"Vary", "Cookie"}})};
    auto const preflight = shared.preflight("/open/a", "null");
    CHECK(cors_of(preflight)
          == "Access-Control-Allow-Origin: *\n"
             "Access-Control-Allow-Methods: GET, PUT, DELETE\n"
             "Access-Control-Allow-Headers: *, Authorization\n"
             "Access-Control-Max-Age: 0\n"
             "Vary: Origin, Access-Control-Request-Method, Access-Control-Request-Headers\n");
    for (auto const& request :
         {from_page(Outgoing{"GET", "/open/a"}), Outgoing{"GET", "/open/a"}}) {
        CHECK(cors_of(shared.stage.send(request))
              == "Vary: Cookie\nAccess-Control-Allow-Origin: *\n"
                 "Access-Control-Expose-Headers: *\n");
    }
    shared.stage.finish();
}

TEST_CASE("the origin null is allowed where it is written") {
    Shared shared{"origins: [\"null\"], headers: [], expose: []"};
    auto const preflight = shared.preflight("/open/a", "null");
    CHECK(preflight.status == 204);
    CHECK(preflight.fields.one("Access-Control-Allow-Origin") == "null");
    CHECK(preflight.fields.count("Access-Control-Allow-Headers") == 0);
    CHECK(cors_of(shared.stage.send(from_page(Outgoing{"GET", "/open/a"}, "null")))
          == vary + "Access-Control-Allow-Origin: null\n");
    shared.stage.finish();
}

TEST_CASE("addresses are looked at before preflights") {
    Shared shared{origins, ", deny_addresses: [127.0.0.0/8]"};
    CHECK(shared.stage.log_of(shared.preflight("/v1/items")).text("reason") == "address_denied");
    CHECK(shared.preflight("/open/a").status == 204);
    shared.stage.finish();
}

} // namespace e36_cors
