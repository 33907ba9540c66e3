// Path items by `$ref`: where they lead, and what stands beside them.
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

namespace sallyport::contract::test::path_items_test {
namespace {

std::string const head = "openapi: 3.1.0\ninfo: {title: T}\n";

TEST_CASE("what stands both beside the $ref of a path and at its target does not load") {
    auto const first = [](std::string const& beside, std::string const& target) {
        return problems_of(head + "paths:\n  /a:\n    $ref: '#/components/pathItems/x'\n    "
                           + beside + "\ncomponents:\n  pathItems:\n    x:\n      " + target + "\n")
            .at(0);
    };
    CHECK(
        first("get: {operationId: one}", "get: {operationId: other}")
        == R"(api.yaml:6:10: paths["/a"].get: "get" is also at api.yaml:10:7, where the $ref beside it leads; remove one of the two)");
    CHECK(
        first("parameters: [{name: p, in: query, schema: {}}]",
              "parameters: [{name: p, in: query, schema: {type: string}}]")
        == R"(api.yaml:6:18: paths["/a"].parameters[0]: the parameter "p" is also at api.yaml:10:20, where the $ref beside it leads; remove one of the two)");
    CHECK(first("servers: [{url: /v1}]", "servers: [{url: /v2}]").find("\"servers\" is also at")
          != std::string::npos);
}

TEST_CASE("a path has the operations and parameters beside its $ref and those at the target") {
    auto const contract = load_document(head + R"(
paths:
  /a/{id}:
    $ref: '#/components/pathItems/x'
    parameters: [{name: page, in: query, schema: {type: integer}}, {$ref: '#/components/parameters/p'}]
    get: {operationId: read}
components:
  parameters:
    p: {name: p, in: query, schema: {}}
  pathItems:
    x:
      $ref: '#/components/pathItems/y'
      servers: [{url: /v1}]
      head: {operationId: probe}
    y:
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}, {$ref: '#/components/parameters/p'}]
      put: {operationId: write}
)");
    REQUIRE(contract->operations().size() == 3);
    auto const match = contract->route("/v1/a/5");
    REQUIRE(match);
    CHECK(match.item->allow == "GET, PUT, HEAD");
    auto const* const put = contract->find_operation(match, "PUT");
    REQUIRE(put != nullptr);
    CHECK(put->id == "write");
    CHECK(put->has_query_parameter("page"));
    CHECK(put->has_query_parameter("p"));
    Validator validator;
    CHECK(validator.check_path(*put, match, {}, {}).outcome == Outcome::valid);
    CHECK(validator.check_path(*put, contract->route("/v1/a/x"), {}, {}).outcome
          == Outcome::violated);
}

TEST_CASE("a path item may be that of another path") {
    auto const contract =
        load_document(head + "paths: {/a: {get: {tags: [x]}}, /b: {$ref: '#/paths/~1a'}}");
    REQUIRE(contract->operations().size() == 2);
    CHECK(contract->find_operation("get_a") != nullptr);
    CHECK(contract->find_operation("get_b") != nullptr);
}

TEST_CASE("an operation may be a $ref to one") {
    auto const contract = load_document(
        head
        + "paths: {/a: {get: {$ref: '#/x-operations/o'}}}\nx-operations: {o: {operationId: o, "
          "servers: [{url: /v1}], parameters: [{name: p, in: query, schema: {}}]}}");
    REQUIRE(contract->operations().size() == 1);
    CHECK(contract->operations().front().id == "o");
    CHECK(contract->operations().front().has_query_parameter("p"));
    CHECK(contract->route("/v1/a"));
    CHECK(problems_of(head + "paths: {/a: {get: {$ref: '#/nowhere'}}}")
              .at(0)
              .find(R"(paths["/a"].get["$ref"]: "#/nowhere" refers to nothing)")
          != std::string::npos);
}

TEST_CASE("an operation that two paths share by $ref has a made name at the second") {
    auto const loaded = Contract::load_text(
        head + "paths: {/a: {get: {operationId: o}}, /b: {$ref: '#/paths/~1a'}}", "api.yaml");
    REQUIRE(loaded.contract);
    CHECK(loaded.contract->find_operation("o")->path == "/a");
    CHECK(loaded.contract->find_operation("get_b")->path == "/b");
    CHECK(
        descriptions(loaded.problems).at(0)
        == R"(api.yaml:3:33: warning: paths["/a"].get.operationId: "o" is also the name of the same operation at another path, which refers to it: this operation is named get_b; write another name)");
}

TEST_CASE("unused path items of components are no problem") {
    CHECK(Contract::load_text(head
                                  + "paths: {/a: {get: {operationId: o}}}\ncomponents: {pathItems: "
                                    "{x: {get: {operationId: p}}}}",
                              "api.yaml")
              .problems.empty());
    auto const loaded = Contract::load_text(
        "openapi: 3.0.0\ninfo: {title: T}\npaths: {/a: {get: {operationId: o}}}\ncomponents: "
        "{pathItems: {}}",
        "api.yaml");
    REQUIRE(loaded.problems.size() == 1);
    CHECK(describe(loaded.problems.front()).find("unknown and has no effect") != std::string::npos);
}

} // namespace
} // namespace sallyport::contract::test::path_items_test
