// Path parameters of the styles label and matrix (RFC 6570, 3.2.5 and 3.2.7).
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace sallyport::contract::test::path_styles_test {
namespace {

constexpr std::string_view document = R"yaml(
openapi: 3.1.0
info: { title: T }
paths:
  /v1/l/{one}: { get: { operationId: l, parameters: [
    { name: one, in: path, required: true, style: label, schema: { type: number } } ] } }
  /v1/ll/{list}: { get: { operationId: ll, parameters: [
    { name: list, in: path, required: true, style: label, schema: { type: array, items: { type: string, maxLength: 5 } } } ] } }
  /v1/lle/{list}: { get: { operationId: lle, parameters: [
    { name: list, in: path, required: true, style: label, explode: true, schema: { type: array, maxItems: 2 } } ] } }
  /v1/lo/{box}: { get: { operationId: lo, parameters: [
    { name: box, in: path, required: true, style: label, schema: { type: object, properties: { r: { type: integer } } } } ] } }
  /v1/loe/{box}: { get: { operationId: loe, parameters: [
    { name: box, in: path, required: true, style: label, explode: true, schema: { type: object, properties: { r: { type: integer } } } } ] } }
  /v1/m/{id}: { get: { operationId: m, parameters: [
    { name: id, in: path, required: true, style: matrix, schema: { type: integer, maximum: 9 } } ] } }
  /v1/cars{id}/wheels/{wheel}: { get: { operationId: wheel, parameters: [
    { name: id, in: path, required: true, style: matrix, schema: { type: integer, maximum: 9 } },
    { name: wheel, in: path, required: true, schema: { type: string } } ] } }
  /v1/ml/{list}: { get: { operationId: ml, parameters: [
    { name: list, in: path, required: true, style: matrix, schema: { type: array, items: { type: integer } } } ] } }
  /v1/mle/{list}: { get: { operationId: mle, parameters: [
    { name: list, in: path, required: true, style: matrix, explode: true, schema: { type: array, maxItems: 2, items: { type: integer } } } ] } }
  /v1/mo/{box}: { get: { operationId: mo, parameters: [
    { name: box, in: path, required: true, style: matrix, schema: { type: object, properties: { r: { type: integer } } } } ] } }
  /v1/moe/{box}: { get: { operationId: moe, parameters: [
    { name: box, in: path, required: true, style: matrix, explode: true, schema: { type: object, additionalProperties: false, properties: { r: { type: integer }, g: { type: string } } } } ] } }
)yaml";

class Api {
public:
    std::string path(std::string_view path) {
        auto const match = contract_->route(path);
        if (!match) return "no route";
        auto const& operation = *contract_->find_operation(match, "GET");
        auto const& report = validator_.check_path(operation, match, {}, {});
        return report.outcome == Outcome::valid ? "valid" : message_of(report.violations.front());
    }
    bool takes(std::string_view path) {
        auto const match = contract_->route(path);
        return match && takes_semicolons(*contract_->find_operation(match, "GET"), match, path);
    }
    std::string value(std::string_view path) {
        auto const match = contract_->route(path);
        auto const& operation = *contract_->find_operation(match, "GET");
        auto const found = value_in_style(operation.path_parameters[0], match.parameters[0]);
        return found ? std::string{*found} : "none";
    }

private:
    std::shared_ptr<Contract const> contract_ = load_document(document);
    Validator validator_;
};

TEST_CASE("a value of style label begins with a dot") {
    Api api;
    CHECK(api.path("/v1/l/5") == "one must begin with a dot");
    CHECK(api.path("/v1/l/.x") == "one must be a number, not a string");
    CHECK(api.path("/v1/l/.") == "one must be a number, not a string");
    CHECK(api.path("/v1/l/.%zz") == "one must be percent-encoded UTF-8 text");
    CHECK(api.path("/v1/l/.5") == "valid");
    CHECK(api.path("/v1/l/.5.5") == "valid");
    CHECK(api.path("/v1/ll/a,b") == "list must begin with a dot");
    CHECK(api.path("/v1/ll/.a,bcdefg") == "list/1 must have at most 5 characters");
    CHECK(api.path("/v1/ll/.abcde%2Cb").find("encoded comma") != std::string::npos);
    CHECK(api.path("/v1/ll/.a%2Cb") == "valid");
    CHECK(api.path("/v1/ll/.a,b.cd") == "valid");
    CHECK(api.path("/v1/lle/.a.b.c") == "list must have at most 2 items");
    CHECK(api.path("/v1/lle/.a.b") == "valid");
    CHECK(api.path("/v1/lo/.r,x") == "box/r must be an integer, not a string");
    CHECK(api.path("/v1/lo/.r") == "box must be pairs of names and values");
    CHECK(api.path("/v1/lo/.r,1,s,x") == "valid");
    CHECK(api.path("/v1/loe/.r=x.s=1") == "box/r must be an integer, not a string");
    CHECK(api.path("/v1/loe/.r=1.r=2") == "box must contain each property once");
    CHECK(api.path("/v1/loe/.r=1.s") == "box must be pairs of names and values");
    CHECK(api.path("/v1/loe/.r=1.s=x") == "valid");
}

TEST_CASE("a value of style matrix begins with a semicolon and its name") {
    Api api;
    for (std::string_view const path :
         {"/v1/m/5", "/v1/m/;5", "/v1/m/;=5", "/v1/m/;ID=5", "/v1/m/;idx=5", "/v1/m/;%69d=5",
          "/v1/m/;id=5;id=6", "/v1/m/;id=5;jsessionid=1", "/v1/m/5;id=5", "/v1/m/;id=5;"}) {
        CAPTURE(path);
        CHECK(api.path(path) == "id must be written as ;id=value");
        CHECK(api.value(path) == "none");
    }
    CHECK(api.path("/v1/m/;id=10") == "id must be at most 9");
    CHECK(api.path("/v1/m/;id") == "id must be an integer, not a string");
    CHECK(api.path("/v1/m/;id=5") == "valid");
    CHECK(api.value("/v1/m/;id=5") == "5");
    CHECK(api.path("/v1/cars;id=5/wheels/a") == "valid");
    CHECK(api.path("/v1/cars;id=10/wheels/a") == "id must be at most 9");
    CHECK(api.path("/v1/ml/;list=1,x") == "list/1 must be an integer, not a string");
    CHECK(api.path("/v1/ml/;list=1;list=2") == "list must be written as ;list=value");
    CHECK(api.path("/v1/ml/;list=1,2") == "valid");
    CHECK(api.path("/v1/mle/;list=1;list=x") == "list/1 must be an integer, not a string");
    CHECK(api.path("/v1/mle/;list=1;other=2") == "list must be written as ;list=value");
    CHECK(api.path("/v1/mle/;list=1;list=2;list=3") == "list must have at most 2 items");
    CHECK(api.path("/v1/mle/;list=1;list=2") == "valid");
    CHECK(api.path("/v1/mo/;box=r,x") == "box/r must be an integer, not a string");
    CHECK(api.path("/v1/mo/;box=r,1") == "valid");
    CHECK(api.path("/v1/moe/;r=x") == "box/r must be an integer, not a string");
    CHECK(api.path("/v1/moe/;r=1;r=2") == "box must contain each property once");
    CHECK(api.path("/v1/moe/;r=1;=2") == "box must be written as ;property=value");
    CHECK(api.path("/v1/moe/;r=1;c4nary=2")
          == "box/c4nary is not a property that the contract allows");
    CHECK(api.path("/v1/moe/;r=1;g") == "valid");
}

TEST_CASE("a semicolon belongs to a parameter of style matrix, or to none") {
    Api api;
    for (std::string_view const path :
         {"/v1/l/.a;b=c", "/v1/m/a;id=5", "/v1/m/;idx=5", "/v1/m/;id=5;x=y", "/v1/m/;id=5;",
          "/v1/cars;id=5/wheels/a;b=c", "/v1/cars;id=5/wheels/;id=5", "/v1/mle/;list=1;other=2",
          "/v1/moe/;r=1;=2", "/v1/moe/;r=1;;g=2", "/v1/m/;"}) {
        CAPTURE(path);
        CHECK_FALSE(api.takes(path));
    }
    for (std::string_view const path :
         {"/v1/m/;id=5", "/v1/m/;id", "/v1/m/;id=%3F", "/v1/cars;id=5/wheels/a",
          "/v1/mle/;list=1;list=2", "/v1/moe/;r=1;x=2", "/v1/l/.a"}) {
        CAPTURE(path);
        CHECK(api.takes(path));
    }
}

TEST_CASE("the value that a credential is restricted to has no prefix") {
    Api api;
    CHECK(api.value("/v1/l/.5.5") == "5.5");
    CHECK(api.value("/v1/l/5") == "none");
    CHECK(api.value("/v1/ll/.a") == "none"); // a list
    CHECK(api.value("/v1/mle/;list=1") == "none");
}

TEST_CASE("a parameter of style matrix is the end of its segment") {
    auto const problem = [](std::string const& path, std::string const& name,
                            std::string const& others = {}) {
        std::string text = "openapi: 3.1.0\ninfo: { title: T }\npaths:\n  " + path
                           + ":\n    get: { operationId: o, parameters: [ { name: \"" + name
                           + "\", in: path, required: true, style: matrix, schema: { type: string "
                             "} }"
                           + others + " ] }\n";
        auto const problems = problems_of(text);
        return problems.empty() ? std::string{} : problems.front();
    };
    std::string const other = ", { name: b, in: path, required: true, schema: { type: string } }";
    for (auto const& [path, more] :
         {std::pair{"/v1/{a}.json", std::string{}}, std::pair{"/v1/{a}-{b}", other},
          std::pair{"/v1/{b}-{a}", other}}) {
        CAPTURE(path);
        CHECK(problem(path, "a", more).find("must be the only one of its segment, and at its end")
              != std::string::npos);
    }
    CHECK(problem("/v1/{a b}", "a b").find("has a name that is percent-encoded in paths")
          != std::string::npos);
}

} // namespace
} // namespace sallyport::contract::test::path_styles_test
