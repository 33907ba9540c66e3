// Documents that are valid and cannot be enforced as a whole: refused, or loaded without the rules of
// those places.
#include "gateway/contract/rule_list.h"
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace sallyport::contract::test::unchecked_test {
namespace {

constexpr LoadOptions unchecked{{}, {}, Unsupported::unchecked};
// RE2 has no look-behind in the middle of a pattern.
constexpr std::string_view pattern = R"('a+(?<=b+)c')";

[[nodiscard]] std::string described(config::yaml::Problems const& problems) {
    std::string all;
    for (auto const& problem : problems)
        all += describe(problem) + '\n';
    return all;
}

[[nodiscard]] std::shared_ptr<Contract const> load(std::string const& text) {
    auto loaded = Contract::load_text(text, "api.yaml", unchecked);
    INFO(described(loaded.problems));
    REQUIRE(loaded.contract != nullptr);
    return loaded.contract;
}

// A document with one operation: the rest of it, in flow style.
[[nodiscard]] std::string document(std::string_view rest, std::string_view more = {}) {
    return "openapi: 3.1.0\ninfo: {title: T}\npaths:\n  /a/{id}:\n    post: {operationId: o, "
           "parameters: [{name: id, in: path, required: true, schema: {}}], "
           + std::string{rest} + "}\n" + std::string{more};
}

// One schema, loaded without the rules that are not supported.
class Lenient {
public:
    explicit Lenient(std::string text) {
        auto const at = text.find("PATTERN");
        if (at != std::string::npos) text.replace(at, 7, pattern);
        auto loaded =
            Contract::load_schema(text, "schema.yaml", Formats::assert_them, unchecked);
        INFO(described(loaded.problems));
        REQUIRE(loaded.contract != nullptr);
        contract_ = std::move(loaded.contract);
    }
    [[nodiscard]] bool takes(std::string_view body) {
        return validator_
                   .validate(*contract_->schema(), Body{body}.view(), contract_->conditions_for({}),
                             {})
                   .outcome
               == Outcome::valid;
    }
    [[nodiscard]] std::vector<std::string> places() const {
        std::vector<std::string> all;
        for (auto const& place : contract_->unchecked())
            all.push_back(place.path);
        std::sort(all.begin(), all.end());
        return all;
    }

private:
    std::shared_ptr<Contract const> contract_;
    Validator validator_;
};

using Places = std::vector<std::string>;

TEST_CASE("a document with unsupported places is refused, and its last line says how to load it") {
    auto const text = document("requestBody: {content: {application/json: {schema: {properties: "
                               "{a: {pattern: "
                               + std::string{pattern} + "}, b: {dependencies: {}}}}}}}");
    auto const loaded = Contract::load_text(text, "api.yaml");
    CHECK(loaded.contract == nullptr);
    REQUIRE(loaded.problems.size() == 3);
    CHECK(describe(loaded.problems[2])
          == "api.yaml: the gateway cannot enforce all of it; write unsupported: unchecked to load "
             "it with these 2 places unchecked");
    auto const one = Contract::load_schema("dependencies: {}", "s.yaml");
    CHECK(described(one.problems).find("with this place unchecked") != std::string::npos);
}

TEST_CASE("a document that is invalid as well is refused either way, without that line") {
    auto const text = document("requestBody: {content: {application/json: {schema: {minLength: -1, "
                               "dependencies: {}}}}}");
    for (auto const& options : {LoadOptions{}, unchecked}) {
        auto const loaded = Contract::load_text(text, "api.yaml", options);
        CHECK(loaded.contract == nullptr);
        CHECK(loaded.problems.size() == 2);
        CHECK(described(loaded.problems).find("write unsupported") == std::string::npos);
    }
}

TEST_CASE("what is invalid is not taken for unsupported") {
    for (std::string const schema :
         {"pattern: '('", "pattern: '[b-a]'", "pattern: 'a{2,1}'", "$ref: '#/nothing'",
          "type: strin", "multipleOf: 0", "required: 5", "$id: 'a#b'"}) {
        INFO(schema);
        CHECK(Contract::load_schema(schema, "s", Formats::assert_them, unchecked).contract
              == nullptr);
    }
    for (std::string const rest :
         {"requestBody: {content: {a: {}}}", "parametres: []",
          "requestBody: {content: {multipart/form-data: {schema: {properties: {a: {}}}, encoding: "
          "{a: {contentType: x}}}}}"}) {
        INFO(rest);
        CHECK(Contract::load_text(document(rest), "a", unchecked).contract == nullptr);
    }
}

TEST_CASE("an unchecked keyword is left out, and the others of its schema are not") {
    for (std::string const keyword :
         {"pattern: PATTERN", R"(pattern: '(a)\1')", R"(pattern: '\p{Emoji}')",
          "pattern: '(?u:a)'", "dependencies: {a: [b]}", "maxLenght: 1",
          "multipleOf: 12345678901234567890123"}) {
        INFO(keyword);
        Lenient schema{"maxLength: 3\n" + keyword};
        CHECK(schema.takes("\"xyz\""));
        CHECK(schema.takes("7"));
        CHECK_FALSE(schema.takes("\"wxyz\""));
        REQUIRE(schema.places().size() == 1);
        CHECK(keyword.starts_with(schema.places().front()));
    }
}

TEST_CASE("each unchecked place is one warning, wherever it is referred to") {
    auto const text = document(
        "requestBody: {content: {application/json: {schema: {allOf: [{$ref: '#/components/schemas/S'"
        "}, {properties: {a: {$ref: '#/components/schemas/S'}}}]}}}}",
        "components: {schemas: {S: {dependencies: {}}}}\n");
    auto const loaded = Contract::load_text(text, "api.yaml", unchecked);
    REQUIRE(loaded.contract != nullptr);
    REQUIRE(loaded.problems.size() == 1);
    CHECK(describe(loaded.problems[0])
          == "api.yaml:6:28: warning: components.schemas.S.dependencies: unchecked: the keyword "
             "\"dependencies\" is not implemented; write dependentRequired or dependentSchemas");
}

TEST_CASE("not, if and a counted contains are left out with what they contain") {
    Lenient negation{"{maximum: 9, not: {pattern: PATTERN}}"};
    CHECK(negation.takes("\"x\""));
    CHECK_FALSE(negation.takes("10"));
    CHECK(negation.places() == Places{"not", "not.pattern"});

    Lenient condition{
        "{maximum: 9, if: {pattern: PATTERN}, then: {maxLength: 1}, else: {maxLength: 2}}"};
    CHECK(condition.takes("\"xyz\""));
    CHECK_FALSE(condition.takes("10"));
    CHECK(condition.places() == Places{"if", "if.pattern"});

    Lenient counted{"{contains: {pattern: PATTERN, type: string}, maxContains: 1}"};
    CHECK(counted.takes(R"(["x", "y"])"));
    CHECK_FALSE(counted.takes("[1]")); // at least one, still
    CHECK(counted.places() == Places{"contains.pattern", "maxContains"});
    CHECK(Lenient{"{contains: {pattern: PATTERN}}"}.places() == Places{"contains.pattern"});
}

TEST_CASE("a oneOf with an unchecked rule needs at least one form") {
    Lenient forms{"oneOf: [{type: string, pattern: PATTERN}, {type: string, maxLength: 1}]"};
    CHECK(forms.takes("\"x\"")); // both, of which the first may be wrong
    CHECK(forms.takes("\"xyz\""));
    CHECK_FALSE(forms.takes("5"));
    CHECK(forms.places() == Places{"oneOf", "oneOf[0].pattern"});
}

TEST_CASE("allOf, anyOf, then and properties only lose the unchecked keyword") {
    CHECK(Lenient{"allOf: [{pattern: PATTERN}]"}.places() == Places{"allOf[0].pattern"});
    CHECK(Lenient{"anyOf: [{pattern: PATTERN}, {type: integer}]"}.places()
          == Places{"anyOf[0].pattern"});
    CHECK(Lenient{"{if: {type: string}, then: {pattern: PATTERN}}"}.places()
          == Places{"then.pattern"});
    CHECK(Lenient{"propertyNames: {pattern: PATTERN}"}.places() == Places{"propertyNames.pattern"});
    CHECK(Lenient{"dependentSchemas: {a: {pattern: PATTERN}}"}.places()
          == Places{"dependentSchemas.a.pattern"});
}

TEST_CASE("a pattern of names that is unchecked lifts what holds for all other names") {
    Lenient closed{"{patternProperties: {PATTERN: {type: string}}, additionalProperties: false, "
                   "properties: {n: {type: integer}}}"};
    CHECK(closed.takes(R"({"abc": 1, "n": 2})"));
    CHECK_FALSE(closed.takes(R"({"n": "2"})"));
    CHECK(closed.places().size() == 2);
    Lenient around{"{allOf: [{patternProperties: {PATTERN: {}}}], unevaluatedProperties: false}"};
    CHECK(around.takes(R"({"abc": 1})"));
    CHECK(around.places().back() == "unevaluatedProperties");
}

TEST_CASE("unevaluated keywords are left out if an evaluation is missing below them") {
    Lenient lost{"{allOf: [{if: {properties: {k: {pattern: PATTERN}}}, then: {properties: {a: {}}}}], "
                 "unevaluatedProperties: false}"};
    CHECK(lost.takes(R"({"k": "x", "a": 1})"));
    // A rule that only restricts does not matter for them.
    Lenient kept{"{properties: {k: {pattern: PATTERN}}, unevaluatedProperties: false}"};
    CHECK(kept.takes(R"({"k": "x"})"));
    CHECK_FALSE(kept.takes(R"({"a": 1})"));
}

TEST_CASE("a schema that refers to itself inside not or oneOf is unchecked with its rules") {
    Lenient recursive{"{$ref: '#/$defs/s', $defs: {s: {maximum: 5, properties: {not_this: {not: "
                      "{$ref: '#/$defs/s'}}}, dependencies: {}}}}"};
    CHECK(recursive.takes(R"({"not_this": {}})"));
    CHECK(recursive.takes("6")); // as a whole
    // Not so if it refers to itself where nothing is turned around,
    Lenient plain{"{$ref: '#/$defs/s', $defs: {s: {maximum: 5, properties: {a: {$ref: "
                  "'#/$defs/s'}}, dependencies: {}}}}"};
    CHECK_FALSE(plain.takes("6"));
    CHECK(plain.places().size() == 1);
    // or if what is unchecked is elsewhere.
    Lenient apart{"{properties: {a: {$ref: '#/$defs/s'}, b: {dependencies: {}}}, $defs: {s: "
                  "{maximum: 5, properties: {n: {not: {$ref: '#/$defs/s'}}}}}}"};
    CHECK_FALSE(apart.takes(R"({"a": 6})"));
}

TEST_CASE("schemas of a dialect that is not implemented are unchecked as a whole") {
    auto const contract = load(document(
        "requestBody: {content: {application/json: {schema: {type: object}}}}",
        "jsonSchemaDialect: https://example.com/own\n"));
    Validator validator;
    auto const& schema = *contract->operations().front().request_body->media_types.front().schema;
    CHECK(validator.validate(schema, Body{"[1]"}.view(), contract->conditions_for({}), {}).outcome
          == Outcome::valid);
    CHECK(contract->unchecked().size() == 1);
    CHECK(contract->operations().front().unchecked_in_requests == std::vector<std::uint32_t>{0});

    Lenient inner{"{properties: {a: {$id: 'https://example.com/a', $schema: "
                  "'http://json-schema.org/draft-07/schema#', type: string}, b: {type: string}}}"};
    CHECK(inner.takes(R"({"a": 5})"));
    CHECK_FALSE(inner.takes(R"({"b": 5})"));
}

TEST_CASE("a parameter that cannot be read is accepted as it comes") {
    auto const contract = load(
        document("requestBody: {content: {text/plain: {}}}")
            .replace(
                document("").find("post"), 0,
                "get: {operationId: g, parameters: [{name: id, in: path, required: true, style: "
                "form, "
                "schema: {type: integer}}, {name: c, in: cookie, required: true, style: simple, "
                "schema: {type: "
                "integer}}, {name: f, in: query, required: true, style: deepObject, schema: {type: "
                "object, properties: {a: {type: [array, object]}}}}, {name: n, in: query, schema: "
                "{type: "
                "integer}}, {name: h, in: header, content: {text/csv: {}}}, {name: o, in: query, "
                "schema: "
                "{type: object, additionalProperties: false, properties: {p: {type: "
                "integer}}}}]}\n    "));
    auto const* const operation = contract->find_operation("g");
    REQUIRE(operation != nullptr);
    Validator validator;
    LevelTable const levels;
    auto const query = [&](std::string_view text) {
        return validator.check_query(*operation, text, contract->conditions_for({}), levels)
                   .outcome
               == Outcome::valid;
    };
    CHECK(query("f[a][b]=1"));
    CHECK(query(""));
    CHECK(query("n=1&f=x&p=x"));
    CHECK_FALSE(query("n=x"));
    CHECK(operation->header_parameters.empty());
    CHECK(operation->header_names == std::vector<std::string>{"h"});
    auto const match = contract->route("/a/x");
    CHECK(validator.check_path(*operation, match, contract->conditions_for({}), levels).outcome
          == Outcome::valid);
    CHECK(validator
              .check_path(*operation, contract->route("/a/%ff"), contract->conditions_for({}),
                          levels)
              .outcome
          == Outcome::violated);
    // Rules that are not checked are not listed: only that of `n` is left.
    auto const rules = list_rules(*contract, operation->index);
    REQUIRE(rules.size() == 1);
    CHECK(rules[0].pointer == "/parameters/n/type");
    CHECK(operation->unchecked_in_requests.size() == 5);
    CHECK(contract->find_operation("o")->unchecked_in_requests.empty());
}

TEST_CASE("two parameters that one pair could belong to are both unread") {
    auto const contract = load(
        "openapi: 3.1.0\ninfo: {title: T}\npaths:\n  /a:\n    get: {operationId: o, parameters: "
        "[{name: x, in: query, schema: {type: object, additionalProperties: false, properties: "
        "{y: {type: integer}}}}, {name: y, in: query, schema: {type: integer}}]}\n");
    CHECK(contract->operations().front().query_parameters.empty());
    CHECK(list_rules(*contract, 0).empty());
}

TEST_CASE("beside a media type that is not compared all others of its name pass as bytes") {
    auto const contract =
        load(document("requestBody: {content: {application/json; v=2: {schema: {type: object}}, "
                      "application/json; v: {schema: {type: array}}}}"));
    auto const& operation = contract->operations().front();
    for (auto const* const parameters : {"", "; v=1", "; v=2"}) {
        CAPTURE(parameters);
        auto const* const type = find_media_type(operation.request_body->media_types,
                                                 "application/json", parameters);
        REQUIRE(type != nullptr);
        CHECK_FALSE(type->schema);
    }
    CHECK(list_rules(*contract, operation.index).empty());
}

TEST_CASE("bodies of media types and forms that cannot be read pass as bytes") {
    for (std::string const content :
         {"application/xml: {schema: {type: object}}",
          "application/x-www-form-urlencoded: {schema: {properties: {a: {type: [string, "
          "array], items: {type: array}}, b: {type: integer}}}}",
          "multipart/form-data: {schema: {properties: {a: {format: binary, pattern: x, type: "
          "string}}}}",
          "application/json; charset=latin1: {schema: {type: object}}",
          "application/json;v: {schema: {type: object}}, application/json: {schema: {type: "
          "array}}"}) {
        INFO(content);
        auto const contract = load(document("requestBody: {content: {" + content + "}}"));
        auto const& operation = contract->operations().front();
        REQUIRE(operation.request_body->media_types.size() == 1);
        auto const& type = operation.request_body->media_types.front();
        CHECK_FALSE(type.schema.has_value());
        CHECK(type.form == nullptr);
        CHECK(type.name.find(';') == std::string::npos);
        CHECK(list_rules(*contract, operation.index).empty());
        CHECK_FALSE(operation.unchecked_in_requests.empty());
    }
}

TEST_CASE("places are noted for requests and for responses of the operations that lead to them") {
    auto const contract = load(
        "openapi: 3.1.0\ninfo: {title: T}\npaths:\n  /a:\n"
        "    get: {operationId: g, responses: {200: {content: {application/json: {schema: {$ref: "
        "'#/components/schemas/S'}}}}}}\n"
        "    put: {operationId: p, requestBody: {content: {application/json: {schema: {$ref: "
        "'#/components/schemas/S'}}}}}\n"
        "    post: {operationId: q, requestBody: {content: {application/json: {schema: {}}}}}\n"
        "components: {schemas: {S: {dependencies: {}}, U: {extends: {}}}}\n");
    CHECK(contract->unchecked().size() == 2);
    using Numbers = std::vector<std::uint32_t>;
    CHECK(contract->find_operation("g")->unchecked_in_requests == Numbers{});
    CHECK(contract->find_operation("g")->unchecked_in_responses.size() == 1);
    CHECK(contract->find_operation("p")->unchecked_in_requests
          == contract->find_operation("g")->unchecked_in_responses);
    CHECK(contract->find_operation("p")->unchecked_in_responses == Numbers{});
    CHECK(contract->find_operation("q")->unchecked_in_requests == Numbers{});
}

} // namespace
} // namespace sallyport::contract::test::unchecked_test
