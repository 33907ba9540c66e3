// Documents that are too large with every `$ref` expanded: their schemas are shared by all places
// that refer to them.
#include "gateway/contract/openapi/load.h"
#include "gateway/contract/rule_list.h"
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

namespace sallyport::contract::test::shared_references_test {
namespace {

[[nodiscard]] Loaded load_shared(std::string_view text,
                                 Unsupported unsupported = Unsupported::refuse) {
    LoadOptions options;
    options.unsupported = unsupported;
    auto document = config::yaml::load_text(text, "api.yaml", config::yaml::Syntax::full);
    return Loader{std::move(document), options, References::shared}.load_openapi();
}

[[nodiscard]] std::shared_ptr<Contract const> shared_contract(std::string_view text) {
    auto const loaded = load_shared(text);
    for (auto const& problem : loaded.problems)
        UNSCOPED_INFO(describe(problem));
    REQUIRE(loaded.contract != nullptr);
    return loaded.contract;
}

[[nodiscard]] Report const& check(Validator& validator, Contract const& contract,
                                  std::string_view operation, std::string_view body,
                                  LevelTable const& levels = {}) {
    auto const* const type =
        contract.find_operation(operation)->request_body->find("application/json");
    return validator.validate(*type->schema, Body{body}.view(), {}, levels);
}

constexpr std::string_view zoo = R"yaml(
openapi: 3.0.3
info: { title: Zoo }
paths:
  /animals:
    post:
      operationId: add
      requestBody:
        content:
          application/json: { schema: { $ref: "#/components/schemas/Animal" } }
      responses:
        "200":
          content:
            application/json:
              schema: { type: array, items: { $ref: "#/components/schemas/Animal" } }
    put:
      operationId: replace
      requestBody:
        content:
          application/json:
            schema: { type: array, items: { $ref: "#/components/schemas/Animal" } }
  /keepers:
    post:
      operationId: hire
      requestBody:
        content:
          application/json:
            schema: { type: object, properties: { k: { $ref: "#/components/schemas/Keeper" } } }
components:
  schemas:
    Animal:
      type: object
      required: [id, name]
      properties:
        id: { type: integer, readOnly: true }
        name: { type: string, maxLength: 5 }
        keeper: { $ref: "#/components/schemas/Keeper" }
        young: { type: array, items: { $ref: "#/components/schemas/Animal" } }
      additionalProperties: false
    Keeper:
      type: object
      required: [name]
      properties:
        name: { type: string, minLength: 2 }
        pin: { $ref: "#/components/schemas/Pin" }
        likes:
          oneOf: [{ $ref: "#/components/schemas/Animal" }, { $ref: "#/components/schemas/Keeper" }]
    Pin: { type: string, format: password }
)yaml";

TEST_CASE("shared schemas have the rules that they have at each place") {
    auto const contract = shared_contract(zoo);
    auto const expanded = load_document(zoo);
    Validator one;
    Validator other;
    for (std::string_view const body :
         {R"({"name":"Leo"})", R"({"name":"Leonard"})", R"({})", R"({"name":"Leo","x":1})",
          R"({"name":"Leo","keeper":{"name":"A"}})",
          R"({"name":"Leo","young":[{"name":"Leonard"}]})",
          R"({"name":"Leo","keeper":{"name":"Ann","likes":{"name":"Leo","young":[]}}})",
          R"({"name":"Leo","keeper":{"name":"Ann","likes":{"name":"Leonard"}}})",
          R"({"name":"Leo","young":[{"name":"Leo","keeper":{"name":"A","pin":1}}]})", R"([])"}) {
        INFO(body);
        CHECK(verdict_of(check(one, *contract, "add", body))
              == verdict_of(check(other, *expanded, "add", body)));
        std::string const list = '[' + std::string{body} + ']';
        CHECK(verdict_of(check(one, *contract, "replace", list))
              == verdict_of(check(other, *expanded, "replace", list)));
    }
}

TEST_CASE("rules of shared schemas are named by their reference") {
    auto const contract = shared_contract(zoo);
    Validator validator;
    auto const& report =
        check(validator, *contract, "add", R"({"name":"Leonard","keeper":{"name":"A"}})");
    REQUIRE(report.violations.size() == 2);
    CHECK(report.violations[0].rule_pointer == "/properties/name/maxLength");
    CHECK(report.violations[1].rule_pointer
          == "#/components/schemas/Keeper/properties/name/minLength");
    CHECK(report.violations[1].pointer == "/keeper/name");

    std::vector<std::string_view> listed;
    auto const rules = list_rules(*contract, contract->find_operation("hire")->index);
    for (auto const& rule : rules)
        listed.push_back(rule.pointer);
    // What it leads to, and nothing of itself but the type of its body.
    CHECK(std::find(listed.begin(), listed.end(), "/type") != listed.end());
    CHECK(std::find(listed.begin(), listed.end(),
                    "#/components/schemas/Animal/properties/name/maxLength")
          == listed.end()); // inside a oneOf
    CHECK(std::find(listed.begin(), listed.end(),
                    "#/components/schemas/Keeper/properties/name/minLength")
          != listed.end());
}

TEST_CASE("a rule of a shared schema has in each operation the level of that operation") {
    auto const contract = shared_contract(zoo);
    std::string const rule = "#/components/schemas/Keeper/properties/name/minLength";
    auto const compiled = [&](std::vector<LevelOverride> const& overrides, ApiLevels levels = {}) {
        return LevelTable::compile(*contract, levels, overrides);
    };
    constexpr std::string_view of_animal = R"({"name":"Leo","keeper":{"name":"A"}})";
    constexpr std::string_view of_keeper = R"({"k":{"name":"A"}})";
    Validator validator;
    auto const counts = [&](LevelTable const& table, std::string_view operation,
                            std::string_view body) {
        auto const& report = check(validator, *contract, operation, body, table);
        return std::pair{report.violations.size(), report.reported.size()};
    };
    using Counts = std::pair<std::size_t, std::size_t>;

    auto const reported = compiled({{"hire", "", Level::report}});
    CHECK(reported.problems.empty());
    CHECK(counts(reported.table, "hire", of_keeper) == Counts{0, 1});
    CHECK(counts(reported.table, "add", of_animal) == Counts{1, 0});
    CHECK(reported.table.of_requests(contract->find_operation("hire")->index) == Level::report);
    CHECK(reported.table.of_requests(contract->find_operation("add")->index) == Level::enforce);

    auto const single = compiled({{"hire", rule, Level::off}});
    CHECK(single.problems.empty());
    CHECK(counts(single.table, "hire", of_keeper) == Counts{0, 0});
    CHECK(counts(single.table, "add", of_animal) == Counts{1, 0});

    // An enforced rule makes its operation enforced.
    auto const raised = compiled({{"hire", rule, Level::enforce}}, {Level::report});
    CHECK(counts(raised.table, "hire", of_keeper) == Counts{1, 0});
    CHECK(counts(raised.table, "add", of_animal) == Counts{0, 1});
    CHECK(raised.table.of_requests(contract->find_operation("hire")->index) == Level::enforce);
    CHECK(raised.table.of_requests(contract->find_operation("add")->index) == Level::report);

    auto const unknown = compiled({{"hire", rule + "s", Level::off}});
    REQUIRE(unknown.problems.size() == 1);
    CHECK(unknown.problems[0].hint == "did you mean \"" + rule + "\"?");
}

TEST_CASE("responses with shared schemas are checked if they are at level report") {
    auto const contract = shared_contract(zoo);
    auto const index = contract->find_operation("add")->index;
    auto const off = LevelTable::compile(*contract, {}, {});
    CHECK_FALSE(off.table.checks_responses(index));
    auto const on = LevelTable::compile(*contract, {Level::enforce, Level::report}, {});
    CHECK(on.table.checks_responses(index));
    Validator validator;
    auto const& report =
        validator.validate(*contract->find_operation("add")->response_schema(200),
                           Body{R"([{"id":1,"name":"Leonard"}])"}.view(), {}, on.table);
    CHECK(report.reported.size() == 1);
    // Of a rule that requests have too, the level is that of each side.
    CHECK(check(validator, *contract, "replace", R"([{"name":"Leonard"}])", on.table)
              .violations.size()
          == 1);
}

TEST_CASE("a property that is read-only is required on its own side, in shared schemas too") {
    auto const contract = shared_contract(zoo);
    Validator validator;
    CHECK(check(validator, *contract, "replace", R"([{"name":"Leo"}])").outcome == Outcome::valid);
    auto const levels = LevelTable::compile(*contract, {Level::enforce, Level::report}, {});
    auto const& response =
        validator.validate(*contract->find_operation("add")->response_schema(200),
                           Body{R"([{"name":"Leo"}])"}.view(), {}, levels.table);
    CHECK(response.reported.size() == 1);
    // Where `required` is in one part of an allOf and the property in another, they stay together.
    auto const parts = shared_contract(R"yaml(
openapi: 3.0.3
info: { title: T }
paths:
  /a: { post: { operationId: a, requestBody: { content: { application/json: { schema: { allOf: [
    { $ref: "#/components/schemas/R" }, { properties: { id: { readOnly: true } } }] } } } } } }
  /b: { post: { operationId: b, requestBody: { content: { application/json: { schema: { allOf: [
    { $ref: "#/components/schemas/R" }, { properties: { id: {} } }] } } } } } }
components: { schemas: { R: { required: [id] } } }
)yaml");
    CHECK(check(validator, *parts, "a", "{}").outcome == Outcome::valid);
    CHECK(check(validator, *parts, "b", "{}").outcome == Outcome::violated);
}

TEST_CASE("secrets in shared schemas are found from each body that leads to them") {
    CHECK(shared_contract(zoo)->secret_members() == std::vector<std::string>{"pin"});
    // The second body has the secret under another name.
    auto const contract = shared_contract(R"yaml(
openapi: 3.0.3
info: { title: T }
paths:
  /a: { post: { operationId: a, requestBody: { content: { application/json: { schema: {
    properties: { first: { $ref: "#/components/schemas/P" } } } } } } } }
  /b: { post: { operationId: b, requestBody: { content: { application/json: { schema: {
    properties: { second: { $ref: "#/components/schemas/P" } } } } } } } }
  /c: { post: { operationId: c, requestBody: { content: { application/json: { schema: {
    items: { $ref: "#/components/schemas/P" } } } } } } }
components: { schemas: { P: { items: { type: string, format: password } } } }
)yaml");
    CHECK(contract->secret_members() == std::vector<std::string>{"first", "second"});
    CHECK(contract->find_operation("c")->request_body->find("application/json")->is_secret);
}

TEST_CASE("what shared schemas leave unchecked counts for each operation that leads to it") {
    constexpr std::string_view document = R"yaml(
openapi: 3.1.0
info: { title: T }
paths:
  /a: { post: { operationId: a, requestBody: { content: { application/json: { schema: {
    items: { $ref: "#/components/schemas/Outer" } } } } } } }
  /b: { post: { operationId: b, requestBody: { content: { application/json: { schema: {
    items: { $ref: "#/components/schemas/Outer" } } } } } } }
  /c: { post: { operationId: c, requestBody: { content: { application/json: { schema: {
    not: { $ref: "#/components/schemas/Outer" } } } } } } }
  /d: { post: { operationId: d, requestBody: { content: { application/json: { schema: {
    items: { type: string } } } } } } }
components:
  schemas:
    Outer: { properties: { inner: { $ref: "#/components/schemas/Inner" } } }
    Inner: { pattern: '(a)\1', type: string }
)yaml";
    CHECK(load_shared(document).contract == nullptr);
    auto const loaded = load_shared(document, Unsupported::unchecked);
    REQUIRE(loaded.contract != nullptr);
    auto const reached = [&](std::string_view id) {
        return loaded.contract->find_operation(id)->unchecked_in_requests.size();
    };
    CHECK(reached("a") == 1);
    CHECK(reached("b") == 1);
    CHECK(reached("c") == 2); // `not` is left out around it
    CHECK(reached("d") == 0);
    Validator validator;
    // Without the pattern more is valid, so that `not` could refuse what is valid.
    CHECK(check(validator, *loaded.contract, "c", R"({"inner":"b"})").outcome == Outcome::valid);
    CHECK(check(validator, *loaded.contract, "b", R"([{"inner":1}])").outcome
          == Outcome::violated);
}

TEST_CASE("a loop of shared schemas without a property or an item does not load") {
    auto const first_problem = [](std::string_view schemas) {
        auto const loaded = load_shared("openapi: 3.1.0\ninfo: {title: T}\npaths: {/a: {post: {"
                                        "operationId: a, requestBody: {content: {application/json: "
                                        "{schema: {properties: {a: {$ref: '#/components/schemas/A'"
                                        "}}}}}}}}}\ncomponents: {schemas: "
                                        + std::string{schemas} + "}");
        return loaded.problems.empty() ? std::string{"none"} : describe(loaded.problems.front());
    };
    CHECK(first_problem("{A: {allOf: [{$ref: '#/components/schemas/A'}]}}")
              .find("refers back to this schema")
          != std::string::npos);
    CHECK(first_problem("{A: {properties: {b: {$ref: '#/components/schemas/B'}}, allOf: "
                        "[{$ref: '#/components/schemas/B'}]}, B: {anyOf: [{$ref: "
                        "'#/components/schemas/A'}, {type: string}]}}")
              .find("refers back to this schema")
          != std::string::npos);
    CHECK(first_problem("{A: {properties: {b: {$ref: '#/components/schemas/B'}}}, B: {anyOf: "
                        "[{$ref: '#/components/schemas/A'}, {type: string}]}}")
          == "none");
}

// Each schema has two properties of the next one.
[[nodiscard]] std::string doubling_document(int count) {
    std::string text = "openapi: 3.1.0\ninfo: {title: T}\npaths: {/a: {post: {operationId: a, "
                       "requestBody: {content: {application/json: {schema: {$ref: "
                       "'#/components/schemas/s0'}}}}}}}\ncomponents:\n  schemas:\n";
    for (int i = 0; i + 1 < count; ++i) {
        std::string const next =
            "{$ref: '#/components/schemas/s" + std::to_string(i + 1) + "'}";
        text += "    s" + std::to_string(i) + ": {properties: {l: " + next + ", r: " + next
                + "}}\n";
    }
    return text + "    s" + std::to_string(count - 1) + ": {type: integer}\n";
}

TEST_CASE("a document that grows too large when it is expanded is loaded with shared schemas") {
    std::string body = "1";
    std::string wrong = "true";
    for (int i = 0; i + 1 < 40; ++i) {
        std::string const side = i % 2 == 0 ? "l" : "r";
        body = "{\"" + side + "\":" + body + '}';
        wrong = "{\"" + side + "\":" + wrong + '}';
    }
    auto const contract = load_document(doubling_document(40));
    Validator validator;
    CHECK(check(validator, *contract, "a", body).outcome == Outcome::valid);
    auto const& report = check(validator, *contract, "a", wrong);
    REQUIRE(report.violations.size() == 1);
    CHECK(report.violations[0].rule_pointer == "#/components/schemas/s39/type");
    // One that does not keeps its names by place.
    auto const small = load_document(doubling_document(3));
    auto const& other = check(validator, *small, "a", R"({"r":{"l":true}})");
    REQUIRE(other.violations.size() == 1);
    CHECK(other.violations[0].rule_pointer == "/properties/r/$ref/properties/l/$ref/type");
}

TEST_CASE("shared schemas may lead to each other in a chain of any length") {
    std::string text = "openapi: 3.1.0\ninfo: {title: T}\npaths: {/a: {post: {operationId: a, "
                       "requestBody: {content: {application/json: {schema: {$ref: "
                       "'#/components/schemas/s0'}}}}}}}\ncomponents:\n  schemas:\n";
    for (int i = 0; i < 3000; ++i)
        text += "    s" + std::to_string(i) + ": {properties: {n: {$ref: '#/components/schemas/s"
                + std::to_string((i + 1) % 3000) + "'}, v: {type: integer, deprecated: true}}}\n";
    auto const contract = shared_contract(text);
    Validator validator{{1024}};
    std::string body = R"({"v":"x"})";
    for (int i = 0; i < 1000; ++i)
        body = "{\"n\":" + body + '}';
    auto const& report = check(validator, *contract, "a", body);
    REQUIRE(report.violations.size() == 1);
    CHECK(report.violations[0].rule_pointer == "#/components/schemas/s1000/properties/v/type");
}

TEST_CASE("the size of a file is no length of the same schema elsewhere") {
    auto const contract = shared_contract(R"yaml(
openapi: 3.0.3
info: { title: T }
paths:
  /files:
    post:
      operationId: upload
      requestBody:
        content:
          multipart/form-data: { schema: { $ref: "#/components/schemas/Upload" } }
    put:
      operationId: replace
      requestBody:
        content:
          application/json: { schema: { $ref: "#/components/schemas/Upload" } }
components:
  schemas:
    Upload: { type: object, properties: { f: { $ref: "#/components/schemas/File" } } }
    File: { type: string, format: binary, maxLength: 2 }
)yaml");
    Validator validator;
    CHECK(verdict_of(check(validator, *contract, "replace", R"({"f": "ab"})")) == "valid");
    CHECK(verdict_of(check(validator, *contract, "replace", R"({"f": "abc"})"))
          == "/f must have at most 2 characters");
    auto const& files = contract->find_operation("upload")->request_body->media_types.front();
    auto const upload = [&](std::string_view bytes) {
        std::string const body = "--b\r\nContent-Disposition: form-data; name=\"f\"; "
                                 "filename=\"f\"\r\n\r\n"
                                 + std::string{bytes} + "\r\n--b--\r\n";
        return verdict_of(validator.validate(files, {Body{body}.view(), "b"}, {}, {}));
    };
    CHECK(upload("ab") == "valid");
    CHECK(upload("abc") == "/f must have at most 2 bytes");
}

} // namespace
} // namespace sallyport::contract::test::shared_references_test
