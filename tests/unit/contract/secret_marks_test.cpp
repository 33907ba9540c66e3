// Marks of secrets that no member name could hide do not load.
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

namespace sallyport::contract::test {
namespace {

TEST_CASE("a secret in a body that no member name leads to is named, wherever it is marked") {
    auto const problems_with = [](std::string const& schema) {
        return problems_of("openapi: 3.1.0\ninfo: {title: T}\npaths: {/a: {post: {operationId: o, "
                           "requestBody: {content: {application/json: {schema:\n"
                           + schema + "}}}}}}\n"
                           + "components: {schemas: {Sec: {writeOnly: true}, All: {allOf: [{$ref: "
                             "'#/components/schemas/Sec'}]}, T: {properties: {x: {$ref: "
                             "'#/components/schemas/T'}}, additionalProperties: {$ref: "
                             "'#/components/schemas/U'}}, U: {items: {$ref: "
                             "'#/components/schemas/T'}, format: password}}}");
    };
    std::string const whole = "marks the whole body as secret, which no member name can stand for; "
                              "mark the members";
    std::string const inner = "marks as secret what no member name leads to; put it into a member, "
                              "and mark that: the log hides values by the names of members";
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
             // To redaction it has no name.
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
              == std::vector<std::string>{"api.yaml:" + one.place + ": " + one.problem});
    }
    // Behind references the mark stands elsewhere, and may be fine for other bodies.
    for (auto const* const name : {"Sec", "All"}) {
        INFO(name);
        CHECK(problems_with("{$ref: '#/components/schemas/" + std::string{name} + "'}")
              == std::vector<std::string>{
                  "api.yaml:5:41: components.schemas.Sec.writeOnly: marks the whole body as "
                  "secret, which no member name can stand for, in "
                  + schema + "; mark the members"});
    }
    // `x` is fine; a turn of the recursion leads to what is marked without it.
    auto const told = problems_with("{$ref: '#/components/schemas/T'}");
    REQUIRE(told.size() == 1);
    CHECK(told[0].find(
              "components.schemas.U.format: marks as secret what no member name leads to, in "
              + schema)
          != std::string::npos);
    CHECK(problems_with("{properties: {s: {$ref: '#/components/schemas/All'}, t: {$ref: "
                        "'#/components/schemas/T'}}}")
          == std::vector<std::string>{"it loads"});
    // So in answers, and where nothing refers to a body as yet.
    CHECK(problems_of("openapi: 3.1.0\ninfo: {title: T}\npaths: {/a: {get: {operationId: o, "
                      "responses: {default: {content: {application/json: {schema: {items: "
                      "{x-secret: true}}}}}}}}}")
              .size()
          == 1);
    CHECK(problems_of("openapi: 3.1.0\ninfo: {title: T}\npaths: {/a: {get: {operationId: o}}}\n"
                      "components: {requestBodies: {B: {content: {application/json: {schema: "
                      "{items: {x-secret: true}}}}}}}")
              .size()
          == 1);
}

} // namespace
} // namespace sallyport::contract::test
