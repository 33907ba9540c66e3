// The operation of a request, and the decisions about its body by its head: before a byte of it is
// read.
#include "double.h"

#include "gateway/pipeline/steps.h"

#include <catch2/catch.hpp>

namespace steps_test {

using namespace sallyport;
using namespace sallyport::pipeline;
using pipeline::test::Fixture;

namespace {

constexpr std::string_view document = R"(
openapi: 3.1.0
info: { title: Test, version: "1" }
paths:
  /v1/items/{itemId}:
    parameters:
      - { name: itemId, in: path, required: true, schema: { type: string, format: uuid } }
    get:
      operationId: getItem
      responses: { "200": { description: fine } }
    put:
      operationId: putItem
      x-body-limit: 100
      requestBody:
        required: true
        content: { application/json: { schema: { type: object } } }
      responses: { "200": { description: fine } }
    post:
      operationId: postItem
      requestBody: { content: { application/json: {}, text/plain: { schema: {} } } }
)";

constexpr std::string_view with_items = R"(
openapi: 3.2.0
info: { title: Test, version: "1" }
paths:
  /v1/items:
    post:
      operationId: addItems
      requestBody:
        content:
          text/event-stream: { itemSchema: { required: [data] } }
          multipart/mixed: { itemSchema: { type: string } }
)";

constexpr std::string_view with_parameters = R"(
openapi: 3.1.0
info: { title: Test, version: "1" }
paths:
  /v1/modes:
    get:
      operationId: getMode
      parameters:
        - { name: X-Mode, in: header, required: true, schema: { enum: [a, b] } }
        - { name: X-Note, in: header, schema: { maxLength: 3 } }
        - { name: limit, in: query, schema: { type: integer, maximum: 10 } }
      responses: { "200": { description: fine } }
    put:
      operationId: putMode
      responses: { "200": { description: fine } }
)";

constexpr std::string_view item = "/v1/items/11111111-2222-4333-8444-555555555555";

std::shared_ptr<contract::Contract const> load(std::string_view text) {
    auto loaded = contract::Contract::load_text(text, "test.yaml");
    for (auto const& problem : loaded.problems)
        UNSCOPED_INFO(config::yaml::describe(problem));
    REQUIRE(loaded.contract);
    return loaded.contract;
}

struct Asked : Fixture {
    Asked(std::string_view line, std::string_view fields = {})
        : Asked{line, fields, [] {
                    static auto const contract = load(document);
                    return contract;
                }()} {}
    Asked(std::string_view line, std::string_view fields,
          std::shared_ptr<contract::Contract const> contract)
        : Fixture{std::string{line} + " HTTP/1.1\r\nHost: h\r\n" + std::string{fields} + "\r\n"} {
        api.contract = std::move(contract);
        api.body_limit = 1000;
    }
    std::string find() {
        auto denial = find_operation(exchange.request, exchange.decision);
        if (!denial) denial = judge_parameters(exchange.request, exchange.decision, services);
        return denial ? std::string{to_string(denial->reason)} : exchange.decision.operation->id;
    }
    std::string judge() {
        if (api.contract) REQUIRE(find_operation(exchange.request, exchange.decision) == nullptr);
        auto const denial = plan_body(exchange.request, exchange.decision);
        return denial ? std::string{to_string(denial->reason)} : "fine";
    }
};

constexpr std::string_view with_versions = R"(
openapi: 3.1.0
info: { title: Test, version: "1" }
paths:
  /v1/orders:
    post:
      operationId: addOrder
      requestBody:
        content:
          application/json; v=2: { schema: { type: object } }
          text/csv; header=absent: {}
)";

struct AskedWithParameters : Asked {
    explicit AskedWithParameters(std::string_view fields, std::string_view line = "GET /v1/modes")
        : Asked{line, fields, [] {
                    static auto const contract = load(with_parameters);
                    return contract;
                }()} {}
    std::string detail() {
        REQUIRE(find_operation(exchange.request, exchange.decision) == nullptr);
        auto const denial = judge_parameters(exchange.request, exchange.decision, services);
        if (!denial) return "fine";
        CHECK(denial->reason == Reason::bad_parameter);
        CHECK(denial->violations.size() == 1);
        auto const& violation = denial->violations.front();
        CHECK(violation.in == contract::ValuePlace::header);
        CHECK_FALSE(violation.rule_pointer.empty());
        return std::string{violation.name} + " " + violation.phrase;
    }
};

std::string request(std::string_view method) {
    return std::string{method} + " " + std::string{item};
}

} // namespace

TEST_CASE("a path, a method or a parameter that the contract does not have is denied, each with "
          "its reason") {
    CHECK(Asked{"GET /v1/other"}.find() == "unknown_operation");
    CHECK(Asked{"GET /v1/items"}.find() == "unknown_operation");
    CHECK(Asked{request("GET") + "/"}.find() == "unknown_operation");
    CHECK(Asked{request("DELETE")}.find() == "method_not_allowed");
    CHECK(Asked{request("TRACE")}.find() == "method_not_allowed");
    CHECK(Asked{request("head")}.find() == "method_not_allowed");
    CHECK(Asked{request("get")}.find() == "method_not_allowed");
    CHECK(Asked{"GET /v1/items/x"}.find() == "bad_parameter");
}

TEST_CASE("the denial of a method lists the allowed ones") {
    Asked test{request("PATCH")};
    auto const denial = find_operation(test.exchange.request, test.exchange.decision);
    REQUIRE(denial);
    REQUIRE(denial->fields.size() == 1);
    CHECK(denial->fields[0].name == "Allow");
    CHECK(denial->fields[0].value == "GET, HEAD, PUT, POST");
}

TEST_CASE("the denial of a body with a wrong or missing media type lists the accepted ones") {
    for (std::string const fields : {"Content-Type: text/html\r\n", ""}) {
        Asked test{request("POST"), fields + "Content-Length: 2\r\n"};
        REQUIRE(find_operation(test.exchange.request, test.exchange.decision) == nullptr);
        auto const denial = plan_body(test.exchange.request, test.exchange.decision);
        REQUIRE(denial);
        CHECK(denial->reason == Reason::unsupported_media_type);
        REQUIRE(denial->fields.size() == 1);
        CHECK(denial->fields[0].name == "Accept");
        CHECK(denial->fields[0].value == "application/json, text/plain");
    }
}

TEST_CASE("a media type of the contract with parameters is that of the bodies that have them") {
    auto const judge = [contract = load(with_versions)](std::string_view type) {
        return Asked{"POST /v1/orders",
                     "Content-Type: " + std::string{type} + "\r\nContent-Length: 2\r\n", contract}
            .judge();
    };
    CHECK(judge("application/json; v=2") == "fine");
    CHECK(judge("Application/JSON;charset=utf-8;V=\"2\"") == "fine");
    CHECK(judge("text/csv; header=absent; charset=utf-8") == "fine");
    for (auto const* const other :
         {"application/json", "application/json; v=1", "application/json; v=2; v=1",
          "application/json; v=2; charset=latin1", "application/json; v*=utf-8''2",
          "text/csv; header=Absent", "text/csv"}) {
        CAPTURE(other);
        CHECK(judge(other) == "unsupported_media_type");
    }
    Asked test{"POST /v1/orders", "Content-Type: a/b\r\nContent-Length: 2\r\n",
               load(with_versions)};
    REQUIRE(find_operation(test.exchange.request, test.exchange.decision) == nullptr);
    auto const denial = plan_body(test.exchange.request, test.exchange.decision);
    REQUIRE(denial);
    CHECK(denial->public_detail
          == "The request body must be application/json; v=2 in UTF-8 or text/csv; header=absent");
    CHECK(denial->fields[0].value == "application/json; v=2, text/csv; header=absent");
}

TEST_CASE("wrong parameters of the query and of the head are reported together") {
    AskedWithParameters test{"X-Note: abcd\r\n", "GET /v1/modes?limit=11"};
    REQUIRE(find_operation(test.exchange.request, test.exchange.decision) == nullptr);
    auto const denial =
        judge_parameters(test.exchange.request, test.exchange.decision, test.services);
    REQUIRE(denial);
    std::string names;
    for (auto const& violation : denial->violations)
        names += std::string{violation.name} + ' ' + std::string{violation.rule} + ';';
    CHECK(names == "limit maximum;X-Mode required;X-Note maxLength;");
}

TEST_CASE("a header parameter that Connection names is denied, because it would not be forwarded") {
    constexpr auto denied = "X-Mode must not be named by Connection";
    CHECK(AskedWithParameters{"X-Mode: a\r\nConnection: x-mode\r\n"}.detail() == denied);
    CHECK(AskedWithParameters{"Connection: close, X-MODE\r\nX-Mode: a\r\n"}.detail() == denied);
    CHECK(AskedWithParameters{"X-Mode: a\r\nConnection: x\r\nConnection: ,X-Mode\r\n"}.detail()
          == denied);
    CHECK(AskedWithParameters{"X-Mode: a\r\nX-Note: b\r\nConnection: X-Note\r\n"}.detail()
          == "X-Note must not be named by Connection");
    CHECK(AskedWithParameters{"X-Mode: a\r\nConnection: X-Note, X-Other, close\r\n"}.detail()
          == "fine");
    CHECK(AskedWithParameters{"X-Mode: a\r\nConnection: x-mode\r\n", "PUT /v1/modes"}.detail()
          == "fine");
}

TEST_CASE("a field that an upstream may take for a header parameter is denied") {
    constexpr auto denied = "X-Mode must be the only field whose name differs from it in signs "
                            "alone";
    CHECK(AskedWithParameters{"X-Mode: a\r\nX_Mode: z\r\n"}.detail() == denied);
    CHECK(AskedWithParameters{"x_mode: z\r\nX-Mode: a\r\n"}.detail() == denied);
    CHECK(AskedWithParameters{"X_Mode: a\r\n"}.detail() == denied);
    CHECK(AskedWithParameters{"X-Mode: a\r\nX.Mode: z\r\n"}.detail() == denied);
    CHECK(AskedWithParameters{"X-Mode: a\r\nX_Note: toolong\r\n"}.detail()
          == "X-Note must be the only field whose name differs from it in signs alone");
    CHECK(AskedWithParameters{"X-Mode: a\r\nX_Other: z\r\nXMode: z\r\n"}.detail() == "fine");
    CHECK(AskedWithParameters{"X_Mode: z\r\n", "PUT /v1/modes"}.detail() == "fine");
}

TEST_CASE("an operation is found by path and method") {
    CHECK(Asked{request("GET")}.find() == "getItem");
    CHECK(Asked{request("PUT")}.find() == "putItem");
    CHECK(Asked{request("HEAD")}.find() == "getItem"); // RFC 9110, 9.3.2
}

TEST_CASE("an operation without a body accepts none, and chunks are known to be empty only after "
          "reading") {
    CHECK(Asked{request("GET"), "Content-Length: 1\r\n"}.judge() == "malformed_body");
    CHECK(Asked{request("GET"), "Content-Length: 0\r\n"}.judge() == "fine");
    CHECK(Asked{request("GET"), "Content-Type: text/plain\r\n"}.judge() == "fine");
    Asked chunked{request("GET"), "Transfer-Encoding: chunked\r\n"};
    CHECK(chunked.judge() == "fine");
    CHECK(chunked.exchange.decision.body.handling == BodyHandling::buffered);
    CHECK(chunked.exchange.decision.body.limit == 0);
}

TEST_CASE("a multipart body without names has a boundary, beside any parameters, and is buffered") {
    auto const with = [](std::string const& parameters) {
        return Asked{"POST /v1/items",
                     "Content-Type: multipart/mixed" + parameters + "\r\nContent-Length: 2\r\n",
                     load(with_items)};
    };
    CHECK(with("").judge() == "malformed_body");
    CHECK(with("; boundary=b; boundary=c").judge() == "malformed_body");
    CHECK(with("; boundary=b; charset=latin1").judge() == "unsupported_media_type");
    CHECK(with("; boundary=b; charset=utf-8; charset=utf-8").judge() == "unsupported_media_type");
    auto related = with("; boundary=b; type=\"text/html\"; charset=utf-8");
    CHECK(related.judge() == "fine");
    CHECK(related.exchange.decision.body.handling == BodyHandling::buffered);
    CHECK(related.exchange.decision.body.type->name == "multipart/mixed");
}

TEST_CASE("an event stream is streamed, without a coding and in UTF-8") {
    std::string const type = "Content-Type: text/event-stream";
    Asked stream{"POST /v1/items", type + "; charset=utf-8\r\nContent-Length: 2\r\n",
                 load(with_items)};
    CHECK(stream.judge() == "fine");
    CHECK(stream.exchange.decision.body.handling == BodyHandling::streamed);
    CHECK(stream.exchange.decision.body.type->name == "text/event-stream");
    auto const with = [&](std::string const& more) {
        auto const fields = type + more + "\r\nContent-Length: 2\r\n";
        return Asked{"POST /v1/items", fields, load(with_items)}.judge();
    };
    CHECK(with("\r\nContent-Encoding: gzip") == "unsupported_media_type");
    CHECK(with("; charset=latin1") == "unsupported_media_type");
    // Whether it is ASCII would be known only in the end.
    CHECK(with("; charset=us-ascii") == "unsupported_media_type");
}

TEST_CASE("a required body must be present, of the correct type and coding, and within its limit") {
    constexpr std::string_view json = "Content-Type: application/json\r\n";
    auto const with = [&](std::string const& fields) {
        return Asked{request("PUT"), fields}.judge();
    };
    std::string const type{json};
    CHECK(with("") == "malformed_body");
    CHECK(with(type + "Content-Length: 0\r\n") == "malformed_body");
    CHECK(with("Content-Length: 2\r\n") == "unsupported_media_type");
    CHECK(with("Content-Type: text/plain\r\nContent-Length: 2\r\n") == "unsupported_media_type");
    CHECK(with("Content-Type: application/json; charset=latin1\r\nContent-Length: 2\r\n")
          == "unsupported_media_type");
    CHECK(with("Content-Type: application/json; charset*=utf-7''utf-7\r\nContent-Length: 2\r\n")
          == "unsupported_media_type");
    CHECK(with(type + "Content-Encoding: br\r\nContent-Length: 2\r\n") == "unsupported_media_type");
    CHECK(with(type + "Content-Length: 101\r\n") == "body_too_large");
    CHECK(with(type + "Content-Length: 100\r\n") == "fine");
    CHECK(with("Content-Type: APPLICATION/JSON; charset=\"UTF-8\"; x=y\r\nContent-Length: 2\r\n")
          == "fine");
    CHECK(with("Content-Type: application/json; charset=us-ascii\r\nContent-Length: 2\r\n")
          == "fine");
    CHECK(with(type + "Transfer-Encoding: chunked\r\n") == "fine");
    Asked gzip{request("PUT"), type + "Content-Encoding: gzip\r\nContent-Length: 2\r\n"};
    CHECK(gzip.judge() == "fine");
    CHECK(gzip.exchange.decision.body.coding == http::ContentCoding::gzip);
    CHECK(gzip.exchange.decision.body.handling == BodyHandling::buffered);
}

TEST_CASE("a body in chunks has a wrong type only if it is not empty") {
    for (std::string const type : {"", "Content-Type: text/html\r\n",
                                   "Content-Type: application/json; charset=utf-7\r\n"}) {
        auto const fields = type + "Transfer-Encoding: chunked\r\n";
        Asked test{request("PUT"), fields};
        CHECK(test.judge() == "fine");
        CHECK(test.exchange.decision.body.handling == BodyHandling::buffered);
        CHECK(test.exchange.decision.body.limit == 0);
        auto const denial = excess_of(test.exchange.decision);
        CHECK(denial.reason == Reason::unsupported_media_type);
        // RFC 9110, 10.1.1: only a client that has content expects 100-continue.
        CHECK(Asked{request("PUT"), fields + "Expect: 100-continue\r\n"}.judge()
              == "unsupported_media_type");
    }
}

TEST_CASE("a body without a schema is streamed and not decoded") {
    for (std::string const type : {"application/json", "text/plain; charset=latin1"}) {
        Asked test{request("POST"), "Content-Type: " + type
                                        + "\r\nContent-Encoding: br\r\n"
                                          "Transfer-Encoding: chunked\r\n"};
        CHECK(test.judge() == "fine");
        CHECK(test.exchange.decision.body.handling == BodyHandling::streamed);
        CHECK(test.exchange.decision.body.type == nullptr);
    }
}

TEST_CASE("without a contract a body streams, within the limit, for the methods that are listed") {
    Asked refused{"PATCH /files/x", "Content-Length: 5\r\n"};
    refused.api.contract = nullptr;
    refused.api.methods = {"PUT"};
    refused.api.allow = "PUT";
    auto const denial = find_operation(refused.exchange.request, refused.exchange.decision);
    REQUIRE(denial);
    CHECK(denial->reason == Reason::method_not_allowed);

    Asked large{"PUT /files/x", "Content-Length: 1001\r\n"};
    large.api.contract = nullptr;
    CHECK(large.judge() == "body_too_large");
    Asked fits{"PUT /files/x", "Content-Length: 1000\r\n"};
    fits.api.contract = nullptr;
    CHECK(fits.judge() == "fine");
    CHECK(fits.exchange.decision.body.handling == BodyHandling::streamed);
}

} // namespace steps_test
