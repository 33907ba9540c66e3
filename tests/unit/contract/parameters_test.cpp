// Parameters of paths and queries: decoded once, then validated like bodies.
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

namespace sallyport::contract::test::parameters_test {
namespace {

constexpr std::string_view document = R"yaml(
openapi: 3.1.0
info: { title: T }
paths:
  /v1/{id}/{count}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: string, format: uuid } }
      - { name: count, in: path, required: true, schema: { type: integer, maximum: 10 } }
    get:
      operationId: read
      parameters:
        - { name: limit, in: query, required: true, schema: { type: integer, minimum: 1 } }
        - { name: "from", in: query, schema: { type: string, maxLength: 3 } }
        - { name: all, in: query, schema: { type: boolean } }
        - { name: ratio, in: query, schema: { type: number, multipleOf: 0.5 } }
  /v1/names/of/{name}:
    get:
      operationId: find
      parameters:
        - { name: name, in: path, required: true, schema: { enum: [a b, "ä", "1"] } }
)yaml";

class Api {
public:
    std::string path(std::string_view path) {
        auto const match = contract_->route(path);
        if (!match) return "no route";
        auto const* const operation = contract_->find_operation(match, "GET");
        return text(validator_.check_path(*operation, match, {}, {}));
    }
    std::string query(std::string_view query) {
        return text(validator_.check_query(*contract_->find_operation("read"), query, {}, {}));
    }

private:
    static std::string text(ParameterReport const& report) {
        return report.outcome == Outcome::valid ? "valid" : message_of(report.violations.front());
    }

    std::shared_ptr<Contract const> contract_ = load_document(document);
    Validator validator_;
};

constexpr std::string_view uuid = "0B1c2d3e-0000-9000-0000-00000000000f";

TEST_CASE("an invalid path parameter is refused by name") {
    Api api;
    std::string const good{uuid};
    CHECK(api.path("/v1/x/5") == "id must be a uuid");
    CHECK(api.path("/v1/x/y") == "id must be a uuid");
    CHECK(api.path("/v1/" + good + "%0A/5") == "id must not contain control characters");
    CHECK(api.path("/v1/" + good + "%/5") == "id must be percent-encoded UTF-8 text");
    CHECK(api.path("/v1/" + good + "/%zz") == "count must be percent-encoded UTF-8 text");
    CHECK(api.path("/v1/" + good + "/%ff") == "count must be percent-encoded UTF-8 text");
    CHECK(api.path("/v1/" + good + "/x") == "count must be an integer, not a string");
    CHECK(api.path("/v1/" + good + "/05") == "count must be an integer, not a string");
    CHECK(api.path("/v1/" + good + "/+5") == "count must be an integer, not a string");
    CHECK(api.path("/v1/" + good + "/11") == "count must be at most 10");
    CHECK(api.path("/v1/" + good + "/10.5") == "count must be an integer, not a number");
    CHECK(api.path("/v1/" + good + "/99999999999999999999999") == "count must be at most 10");
    CHECK(api.path("/v1/" + good + "/true") == "count must be an integer, not a boolean");
    // Decoded once: %2535 is the text %35.
    CHECK(api.path("/v1/" + good + "/%2535") == "count must be an integer, not a string");
    CHECK(api.path("/v1/" + good + "/5") == "valid");
    CHECK(api.path("/v1/" + good + "/%35") == "valid");
    CHECK(api.path("/v1/" + good + "/-7") == "valid");
    CHECK(api.path("/v1/" + good + "/5.0") == "count must be an integer, not a string");
    CHECK(api.path("/v1/%30" + good.substr(1) + "/5") == "valid");
}

TEST_CASE("a parameter that may be a string is read as one") {
    Api api;
    CHECK(api.path("/v1/names/of/2") == R"(name must be "a b", "ä" or "1")");
    CHECK(api.path("/v1/names/of/a+b") == R"(name must be "a b", "ä" or "1")");
    CHECK(api.path("/v1/names/of/1") == "valid");
    CHECK(api.path("/v1/names/of/a%20b") == "valid");
    CHECK(api.path("/v1/names/of/%C3%A4") == "valid");
}

TEST_CASE("declared query parameters are checked, others are ignored") {
    Api api;
    CHECK(api.query("") == "limit is required");
    CHECK(api.query("Limits=1") == "limit is required");
    CHECK(api.query("Limit=1")
          == "limit must have its exact name, and only & may separate it from others");
    CHECK(api.query("limit=0") == "limit must be at least 1");
    CHECK(api.query("limit=") == "limit must be an integer, not a string");
    CHECK(api.query("limit") == "limit must be an integer, not a string");
    CHECK(api.query("limit=1&limit=2") == "limit must be given once");
    CHECK(api.query("limit=1&lim%69t=2") == "limit must be given once");
    CHECK(api.query("lim%69t=0") == "limit must be at least 1");
    CHECK(api.query("limit=1&from=abcd") == "from must have at most 3 characters");
    CHECK(api.query("limit=1&from=%E4") == "from must be percent-encoded UTF-8 text");
    CHECK(api.query("limit=1&all=yes") == "all must be a boolean, not a string");
    CHECK(api.query("limit=1&ratio=0.75") == "ratio must be a multiple of 0.5");
    CHECK(api.query("limit=1") == "valid");
    CHECK(api.query("&&x=1&limit=1&y&%zz=1&=5&x=2") == "valid");
    CHECK(api.query("limit=1&from=a+b&all=true&ratio=1.5") == "valid");
    CHECK(api.query("limit=1&from=a%3Db") == "valid");
}

TEST_CASE("the names of declared query parameters are known") {
    auto const contract = load_document(document);
    auto const* const read = contract->find_operation("read");
    CHECK(read->has_query_parameter("limit"));
    CHECK_FALSE(read->has_query_parameter("id"));
    CHECK_FALSE(contract->find_operation("find")->has_query_parameter("limit"));
}

TEST_CASE("values and bounds at the limits of 64 bits are compared exactly in a query") {
    std::string const large(310, '1');
    auto const contract =
        load_document("openapi: 3.1.0\ninfo: {title: T}\npaths:\n  /a:\n    "
                      "get:\n      operationId: read\n      parameters:\n"
                      "        - {name: least, in: query, schema: {type: integer, enum: "
                      "[-9223372036854775808]}}\n"
                      "        - {name: ratio, in: query, schema: {type: number, "
                      "minimum: -"
                      + large + ", maximum: " + large + "}}\n");
    Validator validator;
    auto const is_valid = [&](std::string_view query) {
        return validator.check_query(*contract->find_operation("read"), query, {}, {}).outcome
               == Outcome::valid;
    };
    CHECK(is_valid("least=-9223372036854775808"));
    CHECK_FALSE(is_valid("least=-9223372036854775807"));
    CHECK(is_valid("ratio=1.5"));
    CHECK(is_valid("ratio=-1.5"));
    CHECK_FALSE(is_valid("ratio=1e400"));
    CHECK_FALSE(is_valid("ratio=-1e400"));
}

} // namespace
} // namespace sallyport::contract::test::parameters_test
