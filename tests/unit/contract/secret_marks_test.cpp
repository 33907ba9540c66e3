// Marks of secrets that no property name can hide: nothing of such a body is logged.
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

namespace sallyport::contract::test::secret_marks_test {
namespace {

// The warnings of secrets in a document, which loads.
[[nodiscard]] std::vector<std::string> warnings_of(std::string const& document) {
    auto const loaded = Contract::load_text(document, "api.yaml");
    CHECK(loaded.contract != nullptr);
    auto all = descriptions(loaded.problems);
    std::erase_if(all, [](auto const& one) { return one.find("secret") == std::string::npos; });
    return all;
}

// "4:12: path" as the beginning of a warning.
[[nodiscard]] std::string warned_at(std::string const& place) {
    auto const path = place.find(": ") + 2;
    return "api.yaml:" + place.substr(0, path) + "warning: " + place.substr(path) + ": ";
}

TEST_CASE("a secret in a body without a property name is said, wherever it is marked") {
    auto const problems_with = [](std::string const& schema) {
        return warnings_of("openapi: 3.1.0\ninfo: {title: T}\npaths: {/a: {post: {operationId: o, "
                           "requestBody: {content: {application/json: {schema:\n"
                           + schema + "}}}}}}\n"
                           + "components: {schemas: {Sec: {writeOnly: true}, All: {allOf: [{$ref: "
                             "'#/components/schemas/Sec'}]}, T: {properties: {x: {$ref: "
                             "'#/components/schemas/T'}}, additionalProperties: {$ref: "
                             "'#/components/schemas/U'}}, U: {items: {$ref: "
                             "'#/components/schemas/T'}, format: password}}}");
    };
    std::string const effect = ": the log has the size of such bodies alone; mark properties, "
                               "whose values alone are removed then";
    std::string const whole = "marks the whole body as secret" + effect;
    std::string const inner = "marks a value as secret that has no property name" + effect;
    std::string const schema = R"(paths["/a"].post.requestBody.content["application/json"].schema)";
    struct Marked {
        std::string schema;
        std::string place;
        std::string problem;
    };
    for (auto const& one : std::vector<Marked>{
             {"{x-secret: true}", "4:12: " + schema + ".x-secret", whole},
             {"{format: password}", "4:10: " + schema + ".format", whole},
             {"{allOf: [{x-secret: true}]}", "4:21: " + schema + ".allOf[0].x-secret", whole},
             {"{if: {}, else: {writeOnly: true}}", "4:28: " + schema + ".else.writeOnly", whole},
             {"{additionalProperties: {type: string, x-secret: true}}",
              "4:49: " + schema + ".additionalProperties.x-secret", inner},
             {"{patternProperties: {a: {x-secret: true}}}",
              "4:36: " + schema + ".patternProperties.a.x-secret", inner},
             {"{unevaluatedProperties: {x-secret: true}}",
              "4:36: " + schema + ".unevaluatedProperties.x-secret", inner},
             // It has no name for redaction.
             {"{properties: {_: {x-secret: true}}}", "4:29: " + schema + ".properties._.x-secret",
              inner},
             {"{propertyNames: {x-secret: true}}", "4:28: " + schema + ".propertyNames.x-secret",
              inner},
             {"{type: array, items: {writeOnly: true}}", "4:34: " + schema + ".items.writeOnly",
              inner},
             {"{prefixItems: [{writeOnly: true}]}", "4:28: " + schema + ".prefixItems[0].writeOnly",
              inner},
         }) {
        INFO(one.schema);
        CHECK(problems_with(one.schema)
              == std::vector<std::string>{warned_at(one.place) + one.problem});
    }
    // In the target of a reference the mark may be valid for other bodies.
    for (auto const* const name : {"Sec", "All"}) {
        INFO(name);
        CHECK(
            problems_with("{$ref: '#/components/schemas/" + std::string{name} + "'}")
            == std::vector<std::string>{
                "api.yaml:5:41: warning: components.schemas.Sec.writeOnly: marks the whole body as "
                "secret, in "
                + schema + effect});
    }
    // `x` is valid; a turn of the recursion leads to the mark without it.
    auto const told = problems_with("{$ref: '#/components/schemas/T'}");
    REQUIRE(told.size() == 1);
    CHECK(told[0].find(
              "components.schemas.U.format: marks a value as secret that has no property name, in "
              + schema)
          != std::string::npos);
    CHECK(problems_with("{properties: {s: {$ref: '#/components/schemas/All'}, t: {$ref: "
                        "'#/components/schemas/T'}}}")
              .empty());
    // The same for responses, and for bodies without references.
    CHECK(warnings_of("openapi: 3.1.0\ninfo: {title: T}\npaths: {/a: {get: {operationId: o, "
                      "responses: {default: {content: {application/json: {schema: {items: "
                      "{x-secret: true}}}}}}}}}")
              .size()
          == 1);
    CHECK(warnings_of("openapi: 3.1.0\ninfo: {title: T}\npaths: {/a: {get: {operationId: o}}}\n"
                      "components: {requestBodies: {B: {content: {application/json: {schema: "
                      "{items: {x-secret: true}}}}}}}")
              .size()
          == 1);
}

TEST_CASE("a body without a name for its secret is secret as a whole") {
    auto const is_secret = [](std::string const& media_type, std::string const& schema) {
        auto const contract = load_document(
            "openapi: 3.1.0\ninfo: {title: T}\npaths: {/a: {post: {operationId: o, requestBody: "
            "{content: {"
            + media_type + ": {schema: " + schema
            + "}, application/a+json: {schema: {type: integer}}}}}}}\n");
        auto const& types = contract->operations().front().request_body->media_types;
        CHECK_FALSE(types.back().is_secret);
        return types.front().is_secret;
    };
    CHECK(is_secret("application/json", "{type: string, writeOnly: true}"));
    CHECK(is_secret("application/json", "{type: array, items: {format: password}}"));
    CHECK(is_secret("text/plain", "{type: string, maxLength: 3, x-secret: true}"));
    CHECK_FALSE(is_secret("application/json", "{properties: {p: {writeOnly: true}}}"));
    CHECK_FALSE(is_secret("application/json", "{type: string}"));
}

} // namespace
} // namespace sallyport::contract::test::secret_marks_test
