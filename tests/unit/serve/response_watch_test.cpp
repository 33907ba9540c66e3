// Reports about a relayed response: its violations of the contract, and its loggable parts. The
// client gets it unchanged in any case.
#include "tests/unit/serve/serve_harness.h"

namespace response_watch_test {

using namespace sallyport;
using namespace sallyport::serve;
using namespace sallyport::serve::test;

namespace {

constexpr std::string_view checked = ", responses: report";

struct Row {
    std::string what;
    std::string response; // head and body
    std::string rule;     // violated rules, at level report; empty: none
    std::string cause;    // why it was not checked; empty: it was
};

std::string json(std::string_view body, std::string_view status = "200 OK",
                 std::string_view fields = {}) {
    return "HTTP/1.1 " + std::string{status} + "\r\nContent-Type: application/json\r\n"
           + std::string{fields} + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n"
           + std::string{body};
}

// The causes in the metrics of an operation, each once; `checked` for none.
std::string causes_of(ServeFixture& test, std::string_view operation) {
    std::string causes;
    test.worker.metrics.operation("items", operation)
        .responses.for_each([&](std::string_view cause, std::uint64_t) {
            causes += cause.empty() ? "checked" : std::string{cause};
        });
    return causes;
}

} // namespace

TEST_CASE("a response is checked against its contract, and passes whatever the result") {
    auto const compressed = sallyport::test::compress(R"({"b":1})", sallyport::test::Coding::gzip);
    std::vector<Row> const rows{
        {"as it should be", json(R"({"a":1})"), "", ""},
        {"a member is missing", json(R"({"b":1})"), "required", ""},
        {"compressed", json(compressed, "200 OK", "Content-Encoding: gzip\r\n"), "required", ""},
        {"an unknown coding", json(R"({"b":1})", "200 OK", "Content-Encoding: br\r\n"), "",
         "coding"},
        {"no JSON", json("{"), "not_json", ""},
        {"a secret that is not declared", json(R"({"a":1,"clientSecret":"s3cr3t"})"),
         "undeclared_secret", ""},
        {"longer than any body may be", json('"' + std::string(300'000, 'x') + '"'), "",
         "too_large"},
        {"a status that is not declared", json("{}", "418 Teapot"), "status", "status"},
        {"a media type that is not declared",
         "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1\r\n\r\nx", "media_type",
         "media_type"},
        {"nothing, where JSON should be", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "empty",
         ""},
        {"none, to a condition", "HTTP/1.1 304 Not Modified\r\n\r\n", "", "no_body"},
    };
    for (auto const& row : rows) {
        CAPTURE(row.what);
        ServeFixture test{{.items = std::string{checked}}};
        test.pool->add().receive(row.response);
        auto const sent = test.exchange(with_credential("GET /v1/items/1"));
        auto const body = row.response.substr(row.response.find("\r\n\r\n") + 4);
        CHECK(sent.ends_with("\r\n\r\n" + body));
        REQUIRE(test.log().size() == 1);
        auto const rule = "\"rule\":\"" + row.rule + "\"";
        CHECK(test.has_logged("\"level\":\"report\"") == !row.rule.empty());
        if (!row.rule.empty()) CHECK(test.has_logged(rule));
        CHECK_FALSE(test.has_logged("s3cr3t"));
        CHECK(causes_of(test, "getItem") == (row.cause.empty() ? "checked" : row.cause));
        CHECK(test.budget.used() == 0);
    }
}

TEST_CASE("a response that the contract does not describe is not checked") {
    ServeFixture test{{.items = std::string{checked}}};
    test.pool->add().receive(json("anything"));
    test.exchange(put_json("{}"));
    CHECK(causes_of(test, "putItem") == "no_schema");
}

TEST_CASE("an incomplete response is reported as incomplete") {
    ServeFixture test{{.access_log = "{ output: access.log, bodies: { responses: all } }",
                       .items = std::string{checked}}};
    test.pool->add()
        .receive("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n"
                 R"({"password":"s3cr3t")")
        .receive_end(net::asio::error::connection_reset);
    test.exchange(with_credential("GET /v1/items/1"));
    CHECK(causes_of(test, "getItem") == "incomplete");
    CHECK(test.has_logged("\"response_body\":{\"bytes\":20}"));
    CHECK_FALSE(test.has_logged("s3cr3t"));
}

TEST_CASE("responses outside of the sample are not checked") {
    ServeFixture test{{.items = ", responses: { level: report, sample: 0.000001 }"}};
    for (int i = 0; i < 3; ++i) {
        test.pool->add().receive(json(R"({"b":1})"));
        test.exchange(with_credential("GET /v1/items/1"));
    }
    CHECK(causes_of(test, "getItem").empty());
}

TEST_CASE("bodies are logged if configured, without their secrets") {
    struct Logged {
        std::string bodies;
        std::string status;
        bool is_request_logged;
        bool is_response_logged;
    };
    auto const row = GENERATE(values<Logged>({
        {"{ requests: none, responses: none }", "500 Oops", false, false},
        {"{ requests: errors, responses: errors }", "200 OK", false, false},
        {"{ requests: errors, responses: errors }", "500 Oops", true, true},
        {"{ requests: all, responses: all }", "200 OK", true, true},
    }));
    CAPTURE(row.bodies, row.status);
    ServeFixture test{{.access_log = "{ output: access.log, bodies: " + row.bodies + " }"}};
    test.pool->add().receive(json(R"({"password":"s3cr3t","b":2})", row.status));
    test.exchange(put_json(R"({"a":1,"password":"s3cr3t"})"));
    CHECK(test.has_logged(R"("request_body":{"a":1,"password":"[redacted]"})")
          == row.is_request_logged);
    CHECK(test.has_logged(R"("response_body":{"password":"[redacted]","b":2})")
          == row.is_response_logged);
    CHECK_FALSE(test.has_logged("s3cr3t"));
}

TEST_CASE("a body that was not read completely is logged as its size") {
    ServeFixture test{{.access_log = "{ output: access.log, bodies: { requests: all } }"}};
    SECTION("it streamed") {
        test.pool->add().receive("HTTP/1.1 204 No Content\r\n\r\n");
        test.exchange("PUT /files/a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nbytes");
        CHECK(test.has_logged("\"request_body\":{\"bytes\":5}"));
    }
    SECTION("its head was refused") {
        test.exchange("PUT /files/a HTTP/1.1\r\n\r\nbytes");
        CHECK(test.has_logged("\"request_body\":null"));
    }
}

TEST_CASE("a line has the client's own fields and its request") {
    ServeFixture test;
    test.pool->add().receive(json(R"({"a":1})"));
    test.exchange(with_credential(
        "GET /v1/items/1?limit=3&zzz=4&limit=5",
        "User-Agent: test/1\r\nX-Request-Id: theirs\r\n"
        "Traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n"));
    CHECK(test.has_logged("\"user_agent\":\"test/1\""));
    CHECK(test.has_logged("\"client_request_id\":\"theirs\""));
    CHECK(test.has_logged("\"trace_id\":\"0af7651916cd43dd8448eb211c80319c\""));
    // The names of the contract, and none of the values.
    CHECK(test.has_logged("limit"));
    CHECK_FALSE(test.has_logged("zzz"));
    CHECK(test.has_logged("\"host\":\"api.example\""));
}

} // namespace response_watch_test
