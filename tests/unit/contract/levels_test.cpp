// Levels of APIs, operations and rules; rule pointers.
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

namespace sallyport::contract::test::levels_test {
namespace {

// Two operations with bodies, a parameter and a response, whose levels the tests set.
constexpr std::string_view document = R"yaml(
openapi: 3.1.0
info: { title: Things }
paths:
  /v1/things/{thingId}:
    parameters:
      - { name: thingId, in: path, required: true, schema: { type: string, format: uuid } }
    put:
      operationId: updateThing
      x-source: "things 1"
      requestBody:
        required: true
        content:
          application/json:
            schema: { $ref: "#/components/schemas/Thing" }
      responses:
        "200":
          content:
            application/json: { schema: { $ref: "#/components/schemas/Thing" } }
    patch:
      operationId: patchThing
      requestBody:
        content:
          application/json: { schema: { type: object, properties: { size: { maximum: 5 } } } }
components:
  schemas:
    Thing:
      type: object
      x-source: "things 2.1"
      required: [name]
      properties:
        name: { type: string, maxLength: 3 }
        size: { type: integer, maximum: 10 }
        box: { $ref: "#/components/schemas/Box" }
        kind: { anyOf: [{ type: string, maxLength: 2 }, { type: integer, minimum: 10 }] }
      allOf:
        - if: { properties: { size: { const: 7 } }, required: [size] }
          then: { required: [box], x-source: "things 2.2" }
    Box:
      type: object
      properties: { width: { minimum: 1, x-source: "things 3" } }
      additionalProperties: false
)yaml";

class Api {
public:
    explicit Api(std::vector<LevelOverride> const& overrides, ApiLevels levels = {})
        : contract_{load_document(document)}, compiled_{LevelTable::compile(*contract_, levels,
                                                                            overrides)} {
        for (auto const& problem : compiled_.problems) {
            problems.push_back(std::to_string(problem.index) + ": " + problem.what + "; "
                               + problem.hint);
        }
    }

    Report const& check(std::string_view operation, std::string_view body) {
        auto const* const found = contract_->find_operation(operation);
        auto const* const media = found->request_body->find("application/json");
        return validator_.validate(*media->schema, Body{body}.view(), {}, compiled_.table);
    }
    Report const& check_response(std::string_view operation, std::string_view body) {
        auto const* const schema = contract_->find_operation(operation)->response_schema(200);
        return validator_.validate(*schema, Body{body}.view(), {}, compiled_.table);
    }
    ParameterReport const& check_path(std::string_view operation, std::string_view path) {
        auto const* const found = contract_->find_operation(operation);
        return validator_.check_path(*found, contract_->route(path), {}, compiled_.table);
    }

    bool checks_responses(std::string_view operation) const {
        return compiled_.table.checks_responses(contract_->find_operation(operation)->index);
    }

    std::vector<std::string> problems;

private:
    std::shared_ptr<Contract const> contract_;
    CompiledLevels compiled_;
    Validator validator_;
};

[[nodiscard]] std::string pointers(std::vector<Violation> const& violations) {
    std::string all;
    for (auto const& one : violations) {
        all += (all.empty() ? "" : " ") + std::string{one.rule_pointer};
    }
    return all;
}

// An operation `make` whose body has one schema, and the schema `Tree`, which is recursive by its
// property `next`.
class Making {
public:
    Making(std::string const& schema, std::string const& next)
        : contract_{load_document(
            "openapi: 3.1.0\ninfo: { title: T }\npaths: { /a: { post: { operationId: make, "
            "requestBody: { content: { application/json: { schema: "
            + schema
            + " } } } } } }\ncomponents: { schemas: { Tree: { type: object, properties: { value: { "
              "type: integer }, next: "
            + next + " } } } }\n")} {}

    // The result for a body: violations, then reports after a bar.
    std::string outcome_of(ApiLevels levels, std::vector<LevelOverride> const& overrides,
                           std::string_view body) {
        auto const compiled = LevelTable::compile(*contract_, levels, overrides);
        REQUIRE(compiled.problems.empty());
        auto const* const operation = contract_->find_operation("make");
        auto const schema = *operation->request_body->find("application/json")->schema;
        Report const& report = validator_.validate(schema, Body{body}.view(), {}, compiled.table);
        auto const reports = pointers(report.reported);
        return pointers(report.violations) + (reports.empty() ? "" : " | " + reports);
    }

private:
    std::shared_ptr<Contract const> contract_;
    Validator validator_;
};

TEST_CASE("a violation has its place, rule, rule pointer, source and the expected value") {
    Api api{{}};
    auto const& report = api.check("updateThing", R"({"size":11,"box":{"width":0,"x":1}})");
    REQUIRE(report.violations.size() == 4);
    auto const& size = report.violations[0];
    CHECK(size.pointer == "/size");
    CHECK(size.rule == "maximum");
    CHECK(size.expected == "10");
    CHECK(size.rule_pointer == "/properties/size/maximum");
    CHECK(size.source == "things 2.1");
    CHECK(size.level == Level::enforce);
    CHECK(message_of(size) == "/size must be at most 10");
    CHECK_FALSE(size.file.empty());
    CHECK(size.line != 0);
    auto const& width = report.violations[1];
    CHECK(width.pointer == "/box/width");
    CHECK(width.rule_pointer == "/properties/box/$ref/properties/width/minimum");
    CHECK(width.source == "things 3");
    auto const& unknown = report.violations[2];
    CHECK(unknown.pointer == "/box/*");
    CHECK(unknown.rule == "additionalProperties");
    CHECK(unknown.rule_pointer == "/properties/box/$ref/additionalProperties");
    CHECK(unknown.source == "things 2.1");
    auto const& missing = report.violations[3];
    CHECK(missing.pointer.empty());
    CHECK(missing.rule == "required");
    CHECK(missing.expected == "\"name\"");
    CHECK(missing.rule_pointer == "/required");
    CHECK(message_of(missing) == "/name is required");
}

TEST_CASE("a failing if/then is reported at the rule inside then") {
    Api api{{}};
    auto const& report = api.check("updateThing", R"({"name":"a","size":7})");
    CHECK(pointers(report.violations) == "/allOf/0/then/required");
    CHECK(report.violations.at(0).source == "things 2.2");
}

TEST_CASE("rule pointers of responses and parameters begin with their place") {
    Api api{{}, {Level::enforce, Level::report}};
    auto const& response = api.check_response("updateThing", R"({"name":5})");
    CHECK(response.outcome == Outcome::valid);
    CHECK(pointers(response.reported) == "/responses/200/properties/name/type");
    auto const& parameter = api.check_path("updateThing", "/v1/things/x");
    CHECK(parameter.outcome == Outcome::violated);
    CHECK(parameter.violations.front().name == "thingId");
    CHECK(message_of(parameter.violations.front()) == "thingId must be a uuid");
    CHECK(parameter.violations.front().rule_pointer == "/parameters/thingId/format");
}

TEST_CASE("every part of a rule pointer can be copied into an override") {
    for (std::string_view const rule :
         {"/properties/size/maximum", "/properties/box/$ref/properties/width/minimum",
          "/properties/box/$ref/additionalProperties", "/required", "/allOf/0/then/required",
          "/parameters/thingId/format", "/responses/200/properties/name/type", "/responses/status",
          "/responses/200/media_type", "/responses/200/malformed",
          "/responses/200/undeclared_secret", "/properties/kind/anyOf",
          "/properties/kind/anyOf/0/maxLength"}) {
        INFO(rule);
        CHECK(Api{{{"updateThing", std::string{rule}, Level::report}}}.problems.empty());
    }
}

TEST_CASE("an override that matches no rule is a problem, with a suggestion") {
    Api api{{{"updateThink", "", Level::report},
             {"updateThing", "/properties/size/maximun", Level::off},
             {"patchThing", "/required", Level::off},
             {"updateThing", "/properties/size", Level::off},
             {"updateThing", "/responses/200/type", Level::enforce}}};
    CHECK(
        api.problems
        == std::vector<std::string>{
            R"(0: the contract has no operation "updateThink"; did you mean "updateThing"?)",
            R"(1: the operation updateThing has no rule "/properties/size/maximun"; did you mean "/properties/size/maximum"?)",
            R"(2: the operation patchThing has no rule "/required"; copy rule_pointer of a violation)",
            R"(3: the operation updateThing has no rule "/properties/size"; did you mean "/properties/size/type"?)",
            "4: a rule of a response cannot be enforced: responses are forwarded before they are "
            "checked; write report or off"});
}

TEST_CASE("a rule at report lets the body pass and is reported; the others still apply") {
    Api api{{{"updateThing", "/properties/size/maximum", Level::report}}};
    auto const& passed = api.check("updateThing", R"({"name":"a","size":11})");
    CHECK(passed.outcome == Outcome::valid);
    CHECK(passed.violations.empty());
    REQUIRE(passed.reported.size() == 1);
    CHECK(passed.reported[0].level == Level::report);
    CHECK(message_of(passed.reported[0]) == "/size must be at most 10");
    auto const& refused = api.check("updateThing", R"({"name":"abcd","size":11})");
    CHECK(refused.outcome == Outcome::violated);
    CHECK(pointers(refused.violations) == "/properties/name/maxLength");
    CHECK(pointers(refused.reported) == "/properties/size/maximum");
    // A rule of another operation with the same pointer is another rule.
    CHECK(api.check("patchThing", R"({"size":6})").outcome == Outcome::violated);
}

TEST_CASE("a rule that is off is not checked") {
    Api api{{{"updateThing", "/properties/size/maximum", Level::off}}};
    auto const& report = api.check("updateThing", R"({"name":"a","size":11})");
    CHECK(report.outcome == Outcome::valid);
    CHECK(report.reported.empty());
}

TEST_CASE("an operation and one of its rules may have different levels, in any order") {
    for (bool const is_reversed : {false, true}) {
        std::vector<LevelOverride> overrides{
            {"updateThing", "", Level::report},
            {"updateThing", "/properties/size/maximum", Level::enforce}};
        if (is_reversed) std::swap(overrides[0], overrides[1]);
        Api api{overrides};
        auto const& report = api.check("updateThing", R"({"name":"abcd","size":11})");
        CHECK(pointers(report.violations) == "/properties/size/maximum");
        CHECK(pointers(report.reported) == "/properties/name/maxLength");
        CHECK(api.check_path("updateThing", "/v1/things/x").reported.size() == 1);
        CHECK(api.check("patchThing", R"({"size":6})").outcome == Outcome::violated);
    }
}

TEST_CASE("an API that is off checks no rules, but still requires well-formed JSON") {
    Api api{{}, {Level::off, Level::off}};
    CHECK(api.check("updateThing", R"([1])").outcome == Outcome::valid);
    CHECK(api.check("updateThing", R"({"a":1,"a":2})").malformed == Malformed::duplicate_member);
    CHECK(api.check("updateThing", "{").malformed == Malformed::not_json);
    CHECK(api.check_path("updateThing", "/v1/things/x").outcome == Outcome::valid);
}

TEST_CASE("responses of an operation are checked if one of their rules is at report") {
    constexpr auto off = Level::off;
    constexpr auto report = Level::report;
    ApiLevels const reported{Level::enforce, report};
    CHECK_FALSE(Api{{}}.checks_responses("updateThing"));
    CHECK(Api{{}, reported}.checks_responses("updateThing"));
    CHECK_FALSE(Api{{}, reported}.checks_responses("patchThing")); // it declares none
    std::string const rule = "/responses/200/properties/name/type";
    for (std::string_view const one : {rule, std::string{"/responses/status"}})
        CHECK(Api{{{"updateThing", std::string{one}, report}}}.checks_responses("updateThing"));
    CHECK_FALSE(Api{{{"updateThing", "/required", report}}}.checks_responses("updateThing"));

    // The whole operation: only `off` applies to its responses too.
    constexpr std::string_view bad = R"({"name":5})";
    Api without{{{"updateThing", "", off}}, reported};
    CHECK_FALSE(without.checks_responses("updateThing"));
    CHECK(without.check_response("updateThing", bad).reported.empty());
    CHECK_FALSE(Api{{{"updateThing", "", report}}}.checks_responses("updateThing"));
    for (Level const level : {Level::enforce, report}) {
        Api with{{{"updateThing", "", off}, {"updateThing", "", level}}, reported};
        CHECK(pointers(with.check_response("updateThing", bad).reported) == rule);
    }
    Api but{{{"updateThing", rule, report}, {"updateThing", "", off}}, reported};
    CHECK(but.checks_responses("updateThing"));
    CHECK(pointers(but.check_response("updateThing", bad).reported) == rule);
}

TEST_CASE("a rule at report counts as true for the schemas around it") {
    // Without the level no branch of anyOf matches.
    CHECK(Api{{}}.check("updateThing", R"({"name":"a","kind":"abc"})").outcome
          == Outcome::violated);

    Api api{{{"updateThing", "/properties/kind/anyOf/0/maxLength", Level::report}}};
    auto const& passed = api.check("updateThing", R"({"name":"a","kind":"abc"})");
    CHECK(passed.outcome == Outcome::valid);
    CHECK(pointers(passed.reported) == "/properties/kind/anyOf/0/maxLength");
    // A branch that matches by itself is preferred to one that does not: nothing is reported.
    CHECK(api.check("updateThing", R"({"name":"a","kind":12})").reported.empty());
    CHECK(api.check("updateThing", R"({"name":"a","kind":2})").outcome == Outcome::violated);
}

TEST_CASE("the level of an API does not apply to rules that decide about other rules") {
    Making making{R"({
        properties: {
          one: { oneOf: [{ type: string }, { type: integer }, { type: boolean }] },
          any: { anyOf: [{ type: string }, { type: integer }] },
          no: { not: { const: x } },
          tree: { $ref: "#/components/schemas/Tree" } },
        if: { properties: { kind: { const: big } }, required: [kind] },
        then: { required: [size] } })",
                  R"({ anyOf: [{ $ref: "#/components/schemas/Tree" }, { type: "null" }] })"};
    auto const verdict = [&making](Level level, std::string_view body) {
        return making.outcome_of({level, Level::off}, {}, body);
    };
    for (std::string_view const good :
         {R"({"one":1,"any":1,"no":"y","kind":"small"})", R"({"kind":"big","size":1})",
          R"({"tree":{"value":1,"next":{"value":2,"next":null}}})"}) {
        INFO(good);
        CHECK(verdict(Level::report, good).empty());
        CHECK(verdict(Level::off, good).empty());
    }
    CHECK(verdict(Level::report, R"({"one":null,"any":[],"no":"x","kind":"big"})")
          == " | /then/required /properties/one/oneOf /properties/any/anyOf /properties/no/not");
    CHECK(verdict(Level::report, R"({"tree":{"value":"x","next":{"value":"x"}}})")
          == " | /properties/tree/$ref/properties/value/type "
             "/properties/tree/$ref/properties/next/anyOf/0/$ref/properties/value/type");
    CHECK(verdict(Level::off, R"({"one":null,"any":[],"no":"x","kind":"big"})").empty());
}

TEST_CASE("a rule at report inside if counts as true, and is not reported") {
    Api api{{{"updateThing", "/allOf/0/if/properties/size/const", Level::report}}};
    auto const& report = api.check("updateThing", R"({"name":"a","size":6})");
    CHECK(pointers(report.violations) == "/allOf/0/then/required");
    CHECK(report.reported.empty());
}

TEST_CASE("the level of a single rule applies inside not, oneOf, contains and $ref") {
    Making making{R"({
        properties: {
          no: { not: { type: string, maxLength: 3 } },
          one: { oneOf: [{ type: string, maxLength: 3 }, { type: string, pattern: "^x" }] },
          some: { contains: { type: integer, minimum: 5 } },
          tree: { $ref: "#/components/schemas/Tree" },
          any: { anyOf: [{ $ref: "#/components/schemas/Tree" }, { type: "null" }] } } })",
                  R"({ $ref: "#/components/schemas/Tree" })"};
    auto const outcome_of = [&making](std::string rule, Level level, std::string_view body) {
        return making.outcome_of({}, {{"make", std::move(rule), level}}, body);
    };
    constexpr auto off = Level::off;
    constexpr auto report = Level::report;

    // At both `report` and `off` the rule inside counts as true, and so the negation does not.
    std::string const in_not = "/properties/no/not/maxLength";
    CHECK(outcome_of(in_not, Level::enforce, R"({"no":"long"})").empty());
    CHECK(outcome_of(in_not, report, R"({"no":"long"})") == "/properties/no/not");
    CHECK(outcome_of(in_not, off, R"({"no":"long"})") == "/properties/no/not");
    CHECK(outcome_of("/properties/no/not", report, R"({"no":"abc"})") == " | /properties/no/not");
    CHECK(outcome_of("/properties/no/not", off, R"({"no":"abc"})").empty());

    // A form that matches only with a report matches nevertheless: together with another one that
    // makes two.
    std::string const in_one = "/properties/one/oneOf/0/maxLength";
    CHECK(outcome_of(in_one, Level::enforce, R"({"one":"xlong"})").empty());
    CHECK(outcome_of(in_one, report, R"({"one":"xlong"})") == "/properties/one/oneOf");
    CHECK(outcome_of(in_one, off, R"({"one":"xlong"})") == "/properties/one/oneOf");
    CHECK(outcome_of(in_one, report, R"({"one":"long"})") == " | " + in_one);
    CHECK(outcome_of(in_one, off, R"({"one":"long"})").empty());

    // An item counts although the rule is not enforced; a condition is not reported.
    std::string const in_some = "/properties/some/contains/minimum";
    CHECK(outcome_of(in_some, Level::enforce, R"({"some":[1]})") == "/properties/some/contains");
    CHECK(outcome_of(in_some, report, R"({"some":[1]})").empty());
    CHECK(outcome_of(in_some, off, R"({"some":[1]})").empty());
    CHECK(outcome_of(in_some, off, R"({"some":["x"]})") == "/properties/some/contains");

    // Each place of a `$ref` has its own rules; the turns of a recursion share theirs.
    std::string const in_tree = "/properties/tree/$ref/properties/value/type";
    std::string const in_any = "/properties/any/anyOf/0/$ref/properties/value/type";
    CHECK(outcome_of(in_tree, report, R"({"tree":{"value":"x"},"any":{"value":"x"}})")
          == in_any + " | " + in_tree);
    CHECK(outcome_of(in_tree, off, R"({"tree":{"value":"x","next":{"value":"x"}}})").empty());
    CHECK(outcome_of(in_any, report, R"({"any":{"value":"x"},"tree":{"value":"x"}})")
          == in_tree + " | " + in_any);
}

TEST_CASE("a combination that is off has no effect, including the rules in it") {
    auto const contract = load_document(R"yaml(
openapi: 3.1.0
info: { title: t }
paths:
  /v1/a:
    post:
      operationId: o
      requestBody:
        content:
          application/json:
            schema:
              properties:
                some: { contains: { type: integer, minimum: 5 }, maxContains: 1 }
                least: { contains: { type: integer }, minContains: 2, maxContains: 2 }
                one: { oneOf: [{ properties: { k: {} }, required: [k] }, { required: [j] }], unevaluatedProperties: false }
                any: { anyOf: [{ properties: { k: {} } }], unevaluatedProperties: false }
      responses: { default: { description: d } }
)yaml");
    Validator validator;
    auto const outcome_of = [&](std::string const& rule, std::string_view body) {
        auto const levels = LevelTable::compile(*contract, {}, {{"o", rule, Level::off}});
        REQUIRE(levels.problems.empty());
        auto const* const media =
            contract->find_operation("o")->request_body->find("application/json");
        return verdict_of(validator.validate(*media->schema, Body{body}.view(), {}, levels.table));
    };
    CHECK(outcome_of("/properties/some/contains", R"({"some":[9,9]})") == "valid");
    CHECK(outcome_of("/properties/any/anyOf", R"({"some":[9,9]})")
          == "/some must contain at most 1 item of the form that the contract requires");
    CHECK(outcome_of("/properties/least/minContains", R"({"least":[1,1,1]})")
          == "/least must contain at most 2 items of the form that the contract requires");
    CHECK(outcome_of("/properties/some/contains", R"({"one":{"k":1}})") == "valid");
    CHECK(outcome_of("/properties/one/oneOf", R"({"one":{"k":1}})")
          == "/one/k is not a property that the contract allows");
    CHECK(outcome_of("/properties/any/anyOf", R"({"any":{"k":1}})")
          == "/any/k is not a property that the contract allows");
}

TEST_CASE("checks that are not schema rules have the level of their operation or API") {
    auto const contract = load_document(document);
    auto const update = contract->find_operation("updateThing")->index;
    auto const patch = contract->find_operation("patchThing")->index;
    auto const table = [&contract](Level api, std::vector<LevelOverride> const& overrides) {
        auto compiled = LevelTable::compile(*contract, {api, Level::off}, overrides);
        CHECK(compiled.problems.empty());
        return std::move(compiled.table);
    };
    LevelTable const by_default;
    CHECK(by_default.of_requests() == Level::enforce);
    CHECK(by_default.of_requests(update) == Level::enforce);
    CHECK(by_default.enforces_any());

    for (Level const level : {Level::report, Level::off}) {
        auto const of_api = table(level, {});
        CHECK(of_api.of_requests() == level);
        CHECK(of_api.of_requests(update) == level);
        CHECK_FALSE(of_api.enforces_any());
        auto const of_operation = table(Level::enforce, {{"updateThing", "", level}});
        CHECK(of_operation.of_requests() == Level::enforce);
        CHECK(of_operation.of_requests(update) == level);
        CHECK(of_operation.of_requests(patch) == Level::enforce);
        CHECK(of_operation.enforces_any());
    }
    // An operation with one enforced rule, for the body or a parameter, is enforced.
    for (std::string const rule :
         {"/required", "/properties/size/type", "/parameters/thingId/format"}) {
        INFO(rule);
        auto const with_rule = table(Level::report, {{"updateThing", rule, Level::enforce}});
        CHECK(with_rule.of_requests(update) == Level::enforce);
        CHECK(with_rule.of_requests(patch) == Level::report);
        CHECK(with_rule.of_requests() == Level::report);
        CHECK(with_rule.enforces_any());
    }
    // A rule that decides about other rules does not count.
    std::string const condition = "/allOf/0/if/properties/size/const";
    auto const conditional = table(Level::report, {{"updateThing", condition, Level::enforce}});
    CHECK(conditional.of_requests(update) == Level::report);
}

} // namespace
} // namespace sallyport::contract::test::levels_test
