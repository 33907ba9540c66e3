// The first look at values while the tape is built: it accepts nothing that a rule would refuse,
// and counts nothing that the rules would not count.
#include "gateway/contract/evaluate/tape_walk.h"
#include "gateway/contract/schema/name_slots.h"
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>
#include <simdjson.h>

#include <string>

namespace sallyport::contract::test::first_look_test {
namespace {

// The ways to a result: strings that stay in the text, strings that are copied, and, if large
// numbers are replaced, no first look. `{"a":` becomes an equivalent text for each.
[[nodiscard]] std::string escaped(std::string body) {
    return body.replace(body.find('a'), 1, "\\u0061");
}
[[nodiscard]] std::string with_large_number(std::string body) {
    return body.insert(1, R"("~":123456789012345678901234567890,)");
}

// The result of the first look for the first array or object of a text, by its place on the tape.
class Looked {
public:
    Looked(Contract const& contract, std::string_view text) : body_{text} {
        REQUIRE(parser_.allocate(text.size(), 1) == simdjson::SUCCESS);
        REQUIRE(parser_.doc.allocate(text.size()) == simdjson::SUCCESS);
        program_ = contract.schema()->program;
        root_ = program_->schemas[contract.schema()->index].root;
        REQUIRE(lay_tape(parser_, body_.view(), 64, {program_, root_}, facts_) == Laid::done);
    }
    [[nodiscard]] bool has_passed() const { return facts_.has_passed(root_, Tape::first); }
    [[nodiscard]] std::size_t unknown_members() const { return facts_.unknown_members(); }

private:
    Body body_;
    simdjson::dom::parser parser_;
    Facts facts_;
    Program const* program_ = nullptr;
    NodeIndex root_ = anything;
};

} // namespace

TEST_CASE("a rule that is not part of the first look is checked even if all properties and items "
          "pass it") {
    for (auto const& [rule, body] : {
             std::pair{R"("minProperties":2)", R"({"a":1})"},
             std::pair{R"("required":["b"])", R"({"a":1})"},
             std::pair{R"("dependentRequired":{"a":["b"]})", R"({"a":1})"},
             std::pair{R"("dependentSchemas":{"a":false})", R"({"a":1})"},
             std::pair{R"("additionalProperties":false)", R"({"a":1,"b":1})"},
             std::pair{R"("patternProperties":{"a":{"maximum":0}})", R"({"a":1})"},
             std::pair{R"("propertyNames":{"maxLength":0})", R"({"a":1})"},
             std::pair{R"("unevaluatedProperties":false)", R"({"a":1,"b":1})"},
             std::pair{R"("allOf":[{"required":["b"]}])", R"({"a":1})"},
             std::pair{R"("not":{"required":["a"]})", R"({"a":1})"},
             std::pair{R"("const":{})", R"({"a":1})"},
             std::pair{R"("type":"array")", R"({"a":1})"},
             std::pair{R"("minItems":2)", "[1]"},
             std::pair{R"("maxItems":0)", "[1]"},
             std::pair{R"("uniqueItems":true)", "[1,1]"},
             std::pair{R"("contains":{"const":2})", "[1]"},
             std::pair{R"("prefixItems":[{"maximum":0}])", "[1]"},
             std::pair{R"("prefixItems":[true],"unevaluatedItems":false)", "[1,1]"},
             std::pair{R"("type":"object")", "[1]"},
         }) {
        INFO(rule << " and " << body);
        std::string const schema = R"({"properties":{"a":{"type":"integer"}},)"
                                   + std::string{R"("items":{"type":"integer"},)"} + rule + '}';
        std::string const without_items =
            R"({"properties":{"a":{"type":"integer"}},)" + (rule + std::string{"}"});
        bool const is_about_rest = schema.find("unevaluatedItems") != std::string::npos;
        Checker checker{is_about_rest ? without_items : schema};
        CHECK(checker.check(body).outcome == Outcome::violated);
        // And inside others.
        CHECK(Checker{R"({"properties":{"a":{"items":)" + (is_about_rest ? without_items : schema)
                      + "}}}"}
                  .check(R"({"a":[)" + std::string{body} + "]}")
                  .outcome
              == Outcome::violated);
    }
}

TEST_CASE("an invalid value is found at any place, among any valid values") {
    constexpr auto schema = R"({"properties":{
        "a":{"type":"array","items":{"type":"object","properties":{
            "from":{"type":"integer","minimum":0,"maximum":9},
            "to":{"type":["integer","null"]},
            "tags":{"type":"array","items":{"type":"string"}}}}},
        "b":{"type":"boolean"}}})";
    Checker checker{schema};
    for (auto const& [body, verdict] : {
             std::pair{R"({"a":[{"from":0},{"from":9,"to":null,"tags":["x"]}],"b":true})", "valid"},
             std::pair{R"({"a":[{"from":0},{"from":10}]})", "/a/1/from must be at most 9"},
             std::pair{R"({"a":[{"from":-1},{"from":0}]})", "/a/0/from must be at least 0"},
             std::pair{R"({"a":[{"from":9223372036854775808}]})", "/a/0/from must be at most 9"},
             std::pair{R"({"a":[{"from":0.5}]})",
                       "/a/0/from must be an integer, not a number with a fraction"},
             std::pair{R"({"a":[{"from":"0"}]})", "/a/0/from must be an integer, not a string"},
             std::pair{R"({"a":[{"to":[]}]})", "/a/0/to must be an integer or null, not an array"},
             std::pair{R"({"a":[{"tags":["x",1]},{}]})",
                       "/a/0/tags/1 must be a string, not a number"},
             std::pair{R"({"a":[{"tags":{}}]})", "/a/0/tags must be an array, not an object"},
             std::pair{R"({"a":[{},{},[]]})", "/a/2 must be an object, not an array"},
             std::pair{R"({"a":[{"x":{"from":77}}]})", "valid"},
             std::pair{R"({"a":[],"b":{"from":1}})", "/b must be a boolean, not an object"},
             std::pair{R"({"a":[{"from":10},{"from":11}],"b":1})",
                       "/a/0/from must be at most 9; /a/1/from must be at most 9; "
                       "/b must be a boolean, not a number"},
         }) {
        INFO(body);
        CHECK(checker.verdict(body) == verdict);
        CHECK(checker.verdict(escaped(body)) == verdict);
        CHECK(checker.verdict(with_large_number(body)) == verdict);
    }
}

TEST_CASE("unknown and deprecated properties are counted equally for every way to read a text") {
    constexpr auto schema = R"({"properties":{
        "a":{"items":{"properties":{"b":{"type":"integer"},"old":{"deprecated":true}}}},
        "open":true,"tree":{"properties":{"tree":{"$ref":"#/properties/tree"}}}},
        "allOf":[{"properties":{"c":{"type":"integer"},"a":true}}]})";
    Checker checker{schema};
    for (auto const& [body, unknown] : {
             std::pair{R"({"a":[]})", 0U},
             std::pair{R"({"a":[{"b":1,"x":1,"y":1},{"x":{"x":1}}]})", 3U},
             // The second table declares it, the first one does not.
             std::pair{R"({"a":[],"c":1,"d":1})", 1U},
             std::pair{R"({"a":[{"b":"wrong","x":1}]})", 1U},
             // No property is declared in it.
             std::pair{R"({"a":[],"open":{"x":{"x":1}}})", 0U},
             std::pair{R"({"a":[],"tree":{"tree":{"tree":{"x":1}},"x":1}})", 2U},
         }) {
        INFO(body);
        CHECK(checker.check(body).unknown_members == unknown);
        CHECK(checker.check(escaped(body)).unknown_members == unknown);
        CHECK(checker.check(with_large_number(body)).unknown_members == unknown + 1);
    }
    CHECK(checker.check(R"({"a":[{"b":1,"old":[{}]}]})").deprecated_members.size() == 1);
    CHECK(checker.check(R"({"a":[{"b":1,"old":1}]})").deprecated_members.size() == 1);
}

TEST_CASE("unknown properties are counted unless a body is off, also without rules") {
    for (std::string const member : {"{}", "{ type: string }"}) {
        INFO(member);
        std::string const content =
            "{ content: { application/json: { schema: { properties: { a: " + member + " } } } } }";
        auto const contract =
            load_document("openapi: 3.1.0\ninfo: { title: T }\npaths: { /v1/x: { put: { "
                          "operationId: change, requestBody: "
                          + content + ", responses: { \"200\": " + content + " } } } }\n");
        Validator validator;
        auto const unknown = [&](BodySchema schema, ApiLevels levels,
                                 std::vector<LevelOverride> const& overrides) {
            auto const compiled = LevelTable::compile(*contract, levels, overrides);
            CHECK(compiled.problems.empty());
            return validator.validate(schema, Body{R"({"b":1})"}.view(), {}, compiled.table)
                .unknown_members;
        };
        auto const& change = *contract->find_operation("change");
        auto const request = *change.request_body->find("application/json")->schema;
        CHECK(unknown(request, {Level::off}, {}) == 0);
        CHECK(unknown(request, {}, {{"change", "", Level::off}}) == 0);
        CHECK(unknown(request, {}, {}) == 1);
        CHECK(unknown(request, {Level::report}, {}) == 1);
        CHECK(unknown(request, {Level::off}, {{"change", "", Level::enforce}}) == 1);
        auto const response = *change.response_schema(200);
        CHECK(unknown(response, {}, {}) == 0);
        CHECK(unknown(response, {Level::off, Level::report}, {}) == 1);
    }
}

TEST_CASE("a value that passed the first look is checked again if its evaluation is needed") {
    // One node in two places, since it is recursive: the first look finds the value valid, and the
    // schema around allOf depends on which properties or items were evaluated.
    Checker members{R"({"properties":{"a":{"$ref":"#/$defs/tree"}},
        "allOf":[{"properties":{"a":{"$ref":"#/$defs/tree","unevaluatedProperties":false}}}],
        "$defs":{"tree":{"properties":{"left":{"$ref":"#/$defs/tree"}}}}})"};
    CHECK(members.verdict(R"({"a":{"left":{},"right":{}}})")
          == "/a/right is not a property that the contract allows");
    CHECK(members.verdict(R"({"a":{"left":{"left":{},"right":{}}}})") == "valid");
    Checker items{R"({"properties":{"a":{"$ref":"#/$defs/nested"}},
        "allOf":[{"properties":{"a":{"$ref":"#/$defs/nested","unevaluatedItems":false}}}],
        "$defs":{"nested":{"items":{"$ref":"#/$defs/nested"}}}})"};
    CHECK(items.verdict(R"({"a":[[],[[]]]})") == "valid");
}

TEST_CASE("the first look is sufficient for most bodies") {
    auto const contract = load_schema(R"({"type":"object","properties":{
        "n":{"type":["integer","null"],"minimum":1},"t":{"type":"string"},"any":{},
        "list":{"items":{"properties":{"d":{"type":"number"}}}}}})");
    for (char const* const body :
         {R"({"n":1,"t":"x","any":[{"n":"x"}],"list":[{"d":0.5},{"d":5}]})", R"({"n":null})", "{}",
          R"({"other":{"n":0}})", R"({"list":[1,[],null]})"}) {
        INFO(body);
        CHECK(Looked{*contract, body}.has_passed());
    }
    for (char const* const body :
         {"[]", R"({"n":0})", R"({"n":0,"t":"x"})", R"({"t":1})", R"({"list":[{"d":"x"},{}]})"}) {
        INFO(body);
        CHECK_FALSE(Looked{*contract, body}.has_passed());
    }
    CHECK(Looked{*contract, R"({"x":{"y":1},"list":[{"e":1},{"d":1}]})"}.unknown_members() == 2);
}

TEST_CASE("names are distinguished by every byte, also if they share a slot") {
    Checker checker{R"({"properties":{
        "a":{"maximum":0},
        "a_long_name_that_ends_so":{"maximum":1},"a_long_nxme_that_ends_so":{"maximum":2},
        "":{"maximum":3}},"additionalProperties":{"maximum":4}})"};
    for (auto const& [name, most] : {
             std::pair{"a_long_name_that_ends_so", 1},
             std::pair{"a_long_nxme_that_ends_so", 2},
             std::pair{"", 3},
             std::pair{"a_long_nyme_that_ends_so", 4},
             std::pair{"a_long_name_that_ends_s", 4},
             std::pair{"x_long_name_that_ends_so", 4},
             std::pair{"A", 4},
         }) {
        auto const body = [name = name](int value) {
            return R"({"a":0,")" + std::string{name} + "\":" + std::to_string(value) + '}';
        };
        INFO(name);
        CHECK(checker.verdict(body(most)) == "valid");
        CHECK(checker.verdict(body(most + 1)) != "valid");
        CHECK(checker.verdict(escaped(body(most + 1))) != "valid");
    }
}

TEST_CASE("a set of texts contains those that were added, and no others") {
    TextSet set;
    CHECK_FALSE(set.holds(""));
    CHECK_FALSE(set.holds("a"));
    std::vector<std::string> texts{"", "a_long_name_that_ends_so", "a_long_nxme_that_ends_so",
                                   "same"};
    for (int i = 0; i < 500; ++i)
        texts.push_back("text " + std::to_string(i));
    for (std::string const& text : texts)
        set.add(text);
    set.add("same");
    set.build();
    for (std::string const& text : texts) {
        INFO(text);
        CHECK(set.holds(text));
        CHECK_FALSE(set.holds(text + 'x'));
        CHECK_FALSE(set.holds('x' + text));
    }
    CHECK_FALSE(set.holds("a_long_nyme_that_ends_so"));
}

} // namespace sallyport::contract::test::first_look_test
