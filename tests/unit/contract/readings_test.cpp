// The types that the text of a parameter is read as: a table of schemas, texts and results.
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract::test::readings_test {
namespace {

// One query parameter `q` with a schema and further keys.
class Query {
public:
    explicit Query(std::string const& schema, std::string const& more = {},
                   std::string const& version = "3.1.0")
        : contract_{
            load_document("openapi: " + version
                          + "\ninfo: { title: T, version: '1' }\npaths:\n  /v1/a:\n    get:\n"
                            "      operationId: read\n      parameters:\n"
                            "        - { name: q, in: query, "
                          + more + "schema: " + schema + " }\n")} {}

    std::string check(std::string_view query, std::vector<LevelOverride> const& overrides = {}) {
        auto const levels = LevelTable::compile(*contract_, {}, overrides);
        REQUIRE(levels.problems.empty());
        auto const& report = validator_.check_query(*contract_->find_operation("read"), query,
                                                    contract_->conditions_for({}), levels.table);
        std::string text =
            report.outcome == Outcome::valid ? "valid" : message_of(report.violations.front());
        for (auto const& one : report.reported)
            text += "; reported: " + message_of(one);
        return text;
    }

    // A JSON text for the same schema.
    bool is_valid(std::string const& json) {
        auto const& operation = *contract_->find_operation("read");
        return validator_
                   .validate(*operation.query_parameters.front().schema, Body{json}.view(), {}, {})
                   .outcome
               == Outcome::valid;
    }

private:
    std::shared_ptr<Contract const> contract_;
    Validator validator_;
};

struct Row {
    std::string schema;
    std::vector<std::string> refused;
    std::vector<std::string> valid;
};

void check(Row const& row, std::string const& more = {}) {
    Query query{row.schema, more};
    for (auto const& text : row.refused) {
        INFO(row.schema << " " << text << ": " << query.check(text));
        CHECK(query.check(text) != "valid");
    }
    for (auto const& text : row.valid) {
        INFO(row.schema << " " << text);
        CHECK(query.check(text) == "valid");
    }
}

TEST_CASE("a text is read as one of the types of its schema, and all rules are checked") {
    for (auto const& row : std::vector<Row>{
             // No string is valid: a text that is a number, true or false is read as that.
             {"{ type: integer }",
              // An integer consists of digits: other spellings are not read the same by all
              // parsers.
              {"q=x", "q=true", "q=1.5", "q=null", "q=", "q=1.0", "q=5e0", "q=5E0", "q=1e2", "q=-",
               "q=05", "q=+5", "q=0x5", "q=5."},
              {"q=1", "q=-1", "q=0", "q=-0", "q=123456789012345678901234567890"}},
             {"{ type: number }", {"q=05", "q=5."}, {"q=5e0", "q=1.0", "q=5"}},
             {"{ type: [integer, string], maxLength: 2 }", {"q=5e0", "q=1.0"}, {"q=500", "q=ab"}},
             {"{ anyOf: [{ type: integer }, { type: number, maximum: 9 }] }", {}, {"q=5e0"}},
             {"{ type: boolean }", {"q=1", "q=True"}, {"q=true", "q=false"}},
             {"{ type: [integer, 'null'] }", {"q=x", "q=nul"}, {"q=null", "q=3"}},
             {"{ type: 'null' }", {"q=x", "q=0"}, {"q=null"}},
             {"{ enum: [1, 2] }", {"q=3", "q=x", "q=true", "q=1.0", "q=2e0"}, {"q=1", "q=2"}},
             {"{ enum: [1, 2.5] }", {"q=2"}, {"q=1", "q=1.0", "q=25e-1"}},
             {"{ const: true }", {"q=false", "q=1", "q=yes"}, {"q=true"}},
             {"{ const: 1.5 }", {"q=1"}, {"q=1.5", "q=15e-1"}},
             {"{ enum: [] }", {"q=1", "q=x"}, {}},
             {"{ not: { type: string }, minimum: 3 }", {"q=x", "q=2", "q=%22"}, {"q=3", "q=true"}},
             {"{ anyOf: [{ type: integer }, { type: boolean }] }", {"q=x"}, {"q=1", "q=true"}},
             {"{ if: { const: 1 }, then: { type: integer }, else: { enum: [2, true] } }",
              {"q=3", "q=x"},
              {"q=1", "q=2", "q=true"}},
             // No type, but rules for numbers: a number is one, any other text is a string.
             {"{ minimum: 3 }", {"q=1", "q=-1e9"}, {"q=3", "q=x", "q=true", "q="}},
             {"{ multipleOf: 5 }", {"q=4"}, {"q=5", "q=x"}},
             {"{ format: int32 }", {"q=2147483648"}, {"q=7", "q=x"}},
             {"{ minimum: 3, minLength: 5 }", {"q=1", "q=true", "q=abc"}, {"q=3", "q=false"}},
             {"{ if: { type: integer }, then: { minimum: 3 } }", {"q=2"}, {"q=3", "q=x", "q=2.5"}},
             {"{ if: { type: string }, then: { maxLength: 3 }, else: { minimum: 3 } }",
              {"q=2", "q=abcd"},
              {"q=3", "q=12345", "q=abc"}},
             {"{ not: { const: 1 } }", {"q=1", "q=1.0"}, {"q=2", "q=x"}},
             {"{ not: { enum: [true, null] } }", {"q=true", "q=null"}, {"q=1", "q=x"}},
             {"{ allOf: [{ minimum: 3 }, { maximum: 5 }] }", {"q=2", "q=6"}, {"q=4", "q=x"}},
             // No type, and rules for strings, or none: always a string.
             {"{ minLength: 3 }", {"q=12"}, {"q=123", "q=abc"}},
             {"{ pattern: '^[a-z]+$' }", {"q=12"}, {"q=true"}},
             {"{ not: { pattern: '^1' } }", {"q=12"}, {"q=21"}},
             {"{ format: uuid }", {"q=1"}, {}},
             {"{ enum: ['1', a] }", {"q=2"}, {"q=1", "q=a"}},
             {"{ type: string, minLength: 2 }", {"q=1"}, {"q=12", "q=null"}},
             {"{}", {}, {"q=1", "q=x", "q=null", "q="}},
             // Strings are allowed explicitly: valid as either is valid.
             {"{ oneOf: [{ type: integer, maximum: 5 }, { type: string, enum: [all] }] }",
              {"q=6", "q=al", "q=true"},
              {"q=3", "q=all"}},
             {"{ enum: [1, all, null] }", {"q=2", "q=al", "q=true"}, {"q=1", "q=all", "q=null"}},
             {"{ type: [string, integer], minimum: 3 }", {}, {"q=1", "q=3", "q=x"}},
             {"{ type: [string, integer], maxLength: 2 }", {"q=abc"}, {"q=123", "q=ab"}},
             {"{ anyOf: [{ type: string, pattern: '^0' }, { type: integer, minimum: 5 }] }",
              {"q=4", "q=x"},
              {"q=01", "q=0", "q=5"}},
             {"{ oneOf: [{ type: boolean }, { const: maybe }] }",
              {"q=1", "q=no"},
              {"q=true", "q=maybe"}},
         })
        check(row);
}

TEST_CASE("the parts of lists and objects are read like values, each by its own schema") {
    std::string const list = "explode: false, ";
    for (auto const& row : std::vector<Row>{
             {"{ type: array, items: { enum: [1, 2] } }", {"q=3", "q=1,x"}, {"q=1,2"}},
             {"{ type: array, items: { minimum: 3 } }", {"q=1"}, {"q=3,x"}},
             {"{ type: array, items: { oneOf: [{ type: integer, maximum: 5 }, { type: string, "
              "pattern: '^[0-9]{3}$' }] } }",
              {"q=6", "q=3,x"},
              {"q=3,123", "q=5"}},
             {"{ type: array, prefixItems: [{ type: integer }, { type: string }], items: { type: "
              "boolean } }",
              {"q=x,y", "q=1,y,z"},
              {"q=1,2,true"}},
             {"{ type: array, contains: { type: integer, minimum: 3 } }", {"q=1,2"}, {"q=x,3"}},
             {"{ type: array, anyOf: [{ items: { type: integer } }, { items: { type: string, "
              "maxLength: 1 } }] }",
              {"q=1,ab"},
              {"q=1,22", "q=a,b", "q=1,b"}},
             {"{ enum: [[1, 2], [a]] }", {"q=1", "q=b"}, {"q=1,2", "q=a"}},
             {"{ type: object, additionalProperties: { type: integer, maximum: 5 } }",
              {"q=a,6", "q=a,x"},
              {"q=a,5,b,1"}},
             {"{ type: object, required: [a], additionalProperties: { type: integer } }",
              {"q=a,x", "q=b,1"},
              {"q=a,1"}},
             {"{ type: object, patternProperties: { '^n': { type: integer, maximum: 5 }, '^s': { "
              "type: string } } }",
              {"q=n,6", "q=n,x"},
              {"q=n,5,s,7", "q=x,1"}},
             {"{ type: object, oneOf: [{ properties: { kind: { const: a }, x: { type: integer } }, "
              "required: [kind] }, { properties: { kind: { const: b }, x: { type: string } }, "
              "required: [kind] }] }",
              {"q=kind,a,x,y", "q=kind,c", "q=x,1"},
              {"q=kind,a,x,1", "q=kind,b,x,1", "q=kind,b,x,y"}},
         })
        check(row, list);
}

TEST_CASE("OpenAPI 3.0: a nullable parameter accepts the text null") {
    Query query{"{ type: integer, nullable: true, maximum: 5 }", {}, "3.0.3"};
    CHECK(query.check("q=6") == "q must be at most 5");
    CHECK(query.check("q=null") == "valid");
    CHECK(query.check("q=5") == "valid");
}

TEST_CASE("a text that is valid as either type is not reported, otherwise its literal is") {
    Query query{"{ anyOf: [{ type: integer, maximum: 5 }, { type: string, maxLength: 2 }] }"};
    CHECK(query.check("q=10") == "valid");
    CHECK(query.check("q=100") != "valid");
    std::vector<LevelOverride> const reported{
        {"read", "/parameters/q/anyOf/0/maximum", Level::report}};
    CHECK(query.check("q=10", reported) == "valid");
    CHECK(query.check("q=100", reported) == "valid; reported: q must be at most 5");
    CHECK(query.check("q=abc", reported) != "valid");
}

TEST_CASE("the rule that is reported is one that the literal breaks") {
    Query query{"{ oneOf: [{ type: integer, maximum: 5 }, { type: string, enum: [all] }] }"};
    CHECK(query.check("q=6") == query.check("q=7"));
    CHECK(query.check("q=6").rfind("q ", 0) == 0);
}

TEST_CASE("for any schema a text passes only if one reading is valid, and if both are") {
    std::vector<std::string> const plain{"{}",
                                         "{ type: string }",
                                         "{ type: integer }",
                                         "{ type: [number, 'null'] }",
                                         "{ minimum: 3 }",
                                         "{ maxLength: 1 }",
                                         "{ enum: [1, '3'] }",
                                         "{ const: true }",
                                         "{ enum: [ab, null, 5] }",
                                         "{ multipleOf: 2 }",
                                         "{ pattern: '^[a-z]' }",
                                         "{ type: [string, boolean] }"};
    std::vector<std::string> schemas = plain;
    for (auto const& one : plain) {
        schemas.push_back("{ not: " + one + " }");
        for (auto const& other : plain) {
            for (std::string const word : {"allOf", "anyOf", "oneOf"})
                schemas.push_back("{ " + word + ": [" + one + ", " + other + "] }");
            schemas.push_back("{ if: " + one + ", then: " + other + ", else: { minimum: 4 } }");
            schemas.push_back("{ not: " + one + ", anyOf: [" + other + "] }");
        }
    }
    std::size_t passed = 0;
    std::size_t refused = 0;
    for (auto const& schema : schemas) {
        Query query{schema};
        for (std::string const text : {"0", "1", "2", "3", "4.0", "5", "12", "-1e2", "true",
                                       "false", "null", "a", "ab", ""}) {
            bool const is_literal = text != "a" && text != "ab" && !text.empty();
            bool const as_text = query.is_valid('"' + text + '"');
            bool const as_literal = is_literal ? query.is_valid(text) : as_text;
            bool const is_valid = query.check("q=" + text) == "valid";
            ++(is_valid ? passed : refused);
            if (is_valid ? as_text || as_literal : !as_text || !as_literal) continue;
            FAIL_CHECK(schema << " " << text << (is_valid ? " passes" : " is refused"));
        }
    }
    CHECK(passed > 1000);
    CHECK(refused > 1000);
}

} // namespace
} // namespace sallyport::contract::test::readings_test
