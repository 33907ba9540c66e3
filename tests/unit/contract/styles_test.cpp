// Parameters that are lists and objects, in the styles of OpenAPI, and header parameters.
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

namespace sallyport::contract::test::styles_test {
namespace {

constexpr std::string_view document = R"yaml(
openapi: 3.1.0
info: { title: T }
paths:
  /v1/{ids}/{box}:
    parameters:
      - { name: ids, in: path, required: true, schema: { type: array, maxItems: 3, items: { type: integer } } }
      - { name: box, in: path, required: true, explode: true,
          schema: { type: object, required: [w], properties: { w: { type: integer } } } }
    get: { operationId: read }
  /v1/search:
    get:
      operationId: search
      parameters:
        - { name: tag, in: query, schema: { type: array, maxItems: 2, items: { type: string, maxLength: 3 } } }
        - { name: n, in: query, explode: false, schema: { type: array, uniqueItems: true, items: { type: number } } }
        - { name: s, in: query, style: spaceDelimited, explode: false, schema: { type: array, items: { enum: [a, b] } } }
        - { name: p, in: query, style: pipeDelimited, explode: false, schema: { type: array, items: { enum: [a, b] } } }
        - { name: po, in: query, style: pipeDelimited, explode: false, schema: { type: object, properties: { x: { type: integer } } } }
        - { name: deep, in: query, style: deepObject, schema: { type: object, additionalProperties: false,
              properties: { from: { type: integer }, name: { type: string } } } }
        - { name: flat, in: query, explode: false, schema: { type: object, properties: { x: { type: boolean } } } }
        - { name: page, in: query, schema: { type: object, required: [size],
              properties: { size: { type: integer, maximum: 9 }, after: { type: string } } } }
        - { name: empty, in: query, allowEmptyValue: true, schema: { type: integer } }
        - { name: filter, in: query, content: { application/json: { schema: { type: object,
              additionalProperties: false, properties: { at: { type: integer }, in: { type: array } } } } } }
        - { name: X-Mode, in: header, required: true, schema: { enum: [fast, slow] } }
        - { name: X-Ids, in: header, schema: { type: array, items: { type: integer } } }
        - { name: X-Box, in: header, content: { application/json: { schema: { type: [integer, array] } } } }
)yaml";

class Api {
public:
    std::string path(std::string_view path) {
        auto const match = contract_->route(path);
        if (!match) return "no route";
        return text(validator_.check_path(*contract_->find_operation(match, "GET"), match, {}, {}));
    }
    std::string query(std::string_view query) {
        return text(validator_.check_query(*contract_->find_operation("search"), query, {}, {}));
    }
    std::string header(std::size_t index, Validator::HeaderValue const& value) {
        auto const& operation = *contract_->find_operation("search");
        return text(validator_.check_header(operation.header_parameters.at(index), value, {}, {}));
    }

private:
    static std::string text(ParameterReport const& report) {
        return report.outcome == Outcome::valid ? "valid" : message_of(report.violations.front());
    }

    std::shared_ptr<Contract const> contract_ = load_document(document);
    Validator validator_;
};

TEST_CASE("a list in a path is checked item by item") {
    Api api;
    CHECK(api.path("/v1/1,x/w=1") == "ids/1 must be an integer, not a string");
    CHECK(api.path("/v1/1,2,3,4/w=1") == "ids must have at most 3 items");
    CHECK(api.path("/v1/1,,2/w=1") == "ids/1 must be an integer, not a string");
    // A text with a comma, or two texts: this depends on whether a server decodes first.
    constexpr std::string_view coded =
        " has an encoded comma (%2C), and is not valid both as a part of a value and as the end of "
        "one: lists (strict or decoded) of the API says which it is";
    CHECK(api.path("/v1/1%2C2/w=1") == "ids" + std::string{coded});
    CHECK(api.path("/v1/1,2%2c3/w=1") == "ids" + std::string{coded});
    CHECK(api.path("/v1/1/w=1%2Ch=2").find(coded) != std::string::npos);
    CHECK(api.path("/v1/1%zz/w=1") == "ids must be percent-encoded UTF-8 text");
    CHECK(api.path("/v1/1,2,3/w=1") == "valid");
    CHECK(api.path("/v1/7/w=1") == "valid");
}

TEST_CASE("an object may be separated by pipes, as a list may") {
    Api api;
    CHECK(api.query("po=x|a") == "po/x must be an integer, not a string");
    CHECK(api.query("po=x%7Ca") == "po/x must be an integer, not a string");
    CHECK(api.query("po=x") == "po must be pairs of names and values");
    CHECK(api.query("po=x|1|y|a,b") == "valid");
}

TEST_CASE("an object in a path is checked property by property") {
    Api api;
    CHECK(api.path("/v1/1/w=x") == "box/w must be an integer, not a string");
    CHECK(api.path("/v1/1/v=1") == "box/w is required");
    CHECK(api.path("/v1/1/w=1,w=2") == "box must contain each property once");
    CHECK(api.path("/v1/1/w") == "box must be pairs of names and values");
    CHECK(api.path("/v1/1/w=%FF") == "box must be percent-encoded UTF-8 text");
    CHECK(api.path("/v1/1/w=1,v=x") == "valid");
}

TEST_CASE("lists in a query are repeated, or separated by their delimiter") {
    Api api;
    CHECK(api.query("tag=a&tag=b&tag=c") == "tag must have at most 2 items");
    CHECK(api.query("tag=abcd") == "tag/0 must have at most 3 characters");
    CHECK(api.query("tag=%zz") == "tag must be percent-encoded UTF-8 text");
    CHECK(api.query("tag=a,b&tag=5&x=1") == "valid"); // a comma is part of a text here
    CHECK(api.query("n=1,2,1.0") == "n must not contain an item twice");
    CHECK(api.query("n=1,2%2C3")
          == "n has an encoded comma (%2C), and is not valid both as a part of a value and as the end "
             "of one: lists (strict or decoded) of the API says which it is");
    CHECK(api.query("n=1,2%252C3")
          == "n/1 must be a number, not a string"); // encoded twice: a text
    CHECK(api.query("tag=a%2C&tag=5") == "valid");  // separated by &: commas have no meaning
    CHECK(api.query("n=1&n=2") == "n must be given once");
    CHECK(api.query("n=1,x") == "n/1 must be a number, not a string");
    CHECK(api.query("n=1,2,1e400") == "valid");
    CHECK(api.query("s=a%20b+a") == "valid");
    CHECK(api.query("s=a%20c") == R"(s/1 must be "a" or "b")");
    CHECK(api.query("p=a|b%7Cb%7ca") == "valid");
    CHECK(api.query("p=a%7Cc") == R"(p/1 must be "a" or "b")");
}

TEST_CASE("objects in a query have brackets, or are one list, or separate pairs") {
    Api api;
    CHECK(api.query("deep[from]=x") == "deep/from must be an integer, not a string");
    CHECK(api.query("deep%5Bfrom%5D=x") == "deep/from must be an integer, not a string");
    CHECK(api.query("deep[other]=x") == "deep/other is not a property that the contract allows");
    CHECK(api.query("deep[from]=1&deep[from]=2") == "deep must contain each property once");
    CHECK(api.query("deep[from]=1&deep[name]=5") == "valid");
    CHECK(api.query("flat=x,maybe") == "flat/x must be a boolean, not a string");
    CHECK(api.query("flat=x") == "flat must be pairs of names and values");
    CHECK(api.query("flat=") == "flat must be pairs of names and values");
    CHECK(api.query("flat=x,%FF") == "flat must be percent-encoded UTF-8 text");
    CHECK(api.query("flat=x,true") == "valid");
    CHECK(api.query("size=10") == "page/size must be at most 9");
    CHECK(api.query("after=x") == "page/size is required");
    CHECK(api.query("size=9&after=5") == "valid");
    CHECK(api.query("empty=&empty=") == "empty must be given once");
    CHECK(api.query("empty=x") == "empty must be an integer, not a string");
    CHECK(api.query("empty=") == "valid");
}

TEST_CASE("a header parameter is checked without decoding, its lines as one list") {
    Api api;
    CHECK(api.header(0, {}) == "X-Mode is required");
    CHECK(api.header(0, {"quick", false}) == R"(X-Mode must be "fast" or "slow")");
    CHECK(api.header(0, {"fast", true}) == "X-Mode must be given once");
    CHECK(api.header(0, {"f%61st", false}) == R"(X-Mode must be "fast" or "slow")");
    CHECK(api.header(0, {"f\xFF", false}) == "X-Mode must be UTF-8 text");
    CHECK(api.header(0, {"fast", false}) == "valid");
    CHECK(api.header(1, {"1, x", true}) == "X-Ids/1 must be an integer, not a string");
    CHECK(api.header(1, {"1,\t2 ,3", true}) == "valid");
    CHECK(api.header(1, {}) == "valid");
}

TEST_CASE("a parameter in JSON must be valid JSON, and valid for its schema") {
    Api api;
    CHECK(api.query("filter=") == "filter must be JSON");
    CHECK(api.query("filter=at") == "filter must be JSON");
    CHECK(api.query("filter={") == "filter must be JSON");
    CHECK(api.query("filter=%EF%BB%BF{}")
          == "filter must be JSON: it begins with a byte-order mark");
    CHECK(api.query("filter={%0A}") == "valid");
    CHECK(api.query("filter=%7B%22at%22:1,%22at%22:2%7D")
          == "filter must be JSON: a property name occurs twice in one object");
    CHECK(api.query("filter=%7B%22at%22:1%7D%7D").rfind("filter must be JSON: ", 0) == 0);
    CHECK(api.query("filter=%FF") == "filter must be percent-encoded UTF-8 text");
    CHECK(api.query("filter={}&filter={}") == "filter must be given once");
    CHECK(api.query(R"(filter={"at":"x"})") == "filter/at must be an integer, not a string");
    CHECK(api.query(R"(filter={"other":1})")
          == "filter/other is not a property that the contract allows");
    CHECK(api.query("filter=%7B%22at%22%3A99999999999999999999999%7D") == "valid");
    CHECK(api.query(R"(filter={"at":1,+"in":[1,"a%2Cb"]})") == "valid");
    CHECK(api.header(2, {"{}"}) == "X-Box must be an integer or an array, not an object");
    CHECK(api.header(2, {"[1, 2"}) == "X-Box must be JSON");
    CHECK(api.header(2, {"[1, 2]"}) == "valid");
    CHECK(api.header(2, {std::nullopt}) == "valid");
}

} // namespace
} // namespace sallyport::contract::test::styles_test
