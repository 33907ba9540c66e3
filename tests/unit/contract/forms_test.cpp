// anyOf and oneOf: the violations of a value that matches none of the forms, or several; and forms
// that cannot be distinguished.
#include "tests/unit/contract/sent_text.h"
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

namespace sallyport::contract::test::forms_test {
namespace {

constexpr std::string_view nullable = R"(
openapi: 3.1.0
info: { title: forms }
paths:
  /v1/a:
    post:
      operationId: make
      requestBody:
        content:
          application/json:
            schema:
              properties:
                range:
                  oneOf:
                    - { type: object, required: [to], properties: { from: { type: integer, maximum: 9 }, to: {} },
                        additionalProperties: false }
                    - { type: "null" }
                pet:
                  oneOf:
                    - { type: object, properties: { kind: { const: cat }, lives: { type: integer } } }
                    - { type: object, properties: { kind: { const: dog }, barks: { type: boolean } } }
                    - { type: string, maxLength: 3 }
                size:
                  oneOf: [{ minimum: 1 }, { minimum: 2 }, { multipleOf: 7 }, { maximum: 3 }]
                list:
                  anyOf: [{ type: array, items: { oneOf: [{ type: string, maxLength: 2 }, { type: "null" }] } }, { type: boolean }]
)";

// Enforced violations, " | ", reported ones: messages, or rules.
class Forms {
public:
    std::string rules(std::string_view body, std::vector<LevelOverride> const& overrides = {},
                      Level level = Level::enforce) {
        return outcome_of(body, overrides, level,
                          [](Violation const& one) { return std::string{one.rule_pointer}; });
    }
    std::string messages(std::string_view body) {
        return outcome_of(body, {}, Level::enforce,
                          [](Violation const& one) { return message_of(one); });
    }
    std::size_t unknown(std::string_view body) {
        (void)rules(body);
        return unknown_;
    }

private:
    template <class Say>
    std::string outcome_of(std::string_view body, std::vector<LevelOverride> const& overrides,
                           Level level, Say const& say) {
        auto const levels =
            LevelTable::compile(*contract_, {level, Level::off, Level::off}, overrides);
        REQUIRE(levels.problems.empty());
        auto const& operation = *contract_->find_operation("make");
        auto const schema = *operation.request_body->media_types.front().schema;
        Report const& report =
            validator_.validate(schema, Body{body}.view(), {}, levels.table);
        std::string text;
        auto const add = [&](std::vector<Violation> const& list) {
            for (Violation const& one : list)
                text += (text.empty() || text.back() == ' ' ? "" : "; ") + say(one);
        };
        CHECK((report.outcome == Outcome::violated) == !report.violations.empty());
        unknown_ = report.unknown_members;
        add(report.violations);
        if (!report.reported.empty()) text += " | ";
        add(report.reported);
        return text;
    }

    std::shared_ptr<Contract const> contract_ = load_document(nullable);
    Validator validator_;
    std::size_t unknown_ = 0;
};

TEST_CASE("if all forms but one are for other types, the violations of that one are reported") {
    Forms forms;
    CHECK(forms.messages(R"({"range":null})").empty());
    CHECK(forms.messages(R"({"range":{"to":1,"from":2}})").empty());
    CHECK(forms.messages(R"({"range":{"from":10,"x":1}})")
          == "/range/from must be at most 9; "
             "/range/x is not a property that the contract allows; /range/to is required");
    CHECK(forms.rules(R"({"range":{"from":10,"to":1}})")
          == "/properties/range/oneOf/0/properties/from/maximum");
    CHECK(forms.messages(R"({"list":["a",null,"abc"]})")
          == "/list/2 must have at most 2 characters");
    // No form is possible.
    CHECK(forms.messages(R"({"range":"x"})")
          == "/range must match exactly one of the 2 forms of the contract");
    CHECK(forms.messages(R"({"list":{}})")
          == "/list must match at least one of the 2 forms of the contract");
}

TEST_CASE(
    "if a constant property rules out all forms but one, the violations of that one are reported") {
    Forms forms;
    CHECK(forms.messages(R"({"pet":{"kind":"dog","barks":1}})")
          == "/pet/barks must be a boolean, not a number");
    CHECK(forms.messages(R"({"pet":{"kind":"cat","lives":"x"}})")
          == "/pet/lives must be an integer, not a string");
    CHECK(forms.messages(R"({"pet":"long"})") == "/pet must have at most 3 characters");
    CHECK(forms.messages(R"({"pet":{"kind":"cow"}})")
          == "/pet must match exactly one of the 3 forms of the contract");
    CHECK(forms.messages(R"({"pet":{"kind":"dog","barks":true}})").empty());
}

TEST_CASE("the only form for the value's type is reported even if its constant property is wrong") {
    for (std::string const keyword : {"oneOf", "anyOf"}) {
        Checker checker{keyword
                        + ": [{properties: {kind: {enum: [a]}, n: {type: integer}}, required: "
                          "[n]}, {type: \"null\"}]"};
        CHECK(checker.verdict(R"({"kind":"a","n":1})") == "valid");
        // The first form accepts it, too.
        CHECK((checker.verdict("null") == "valid") == (keyword == "anyOf"));
        CHECK(checker.verdict(R"({"kind":"b"})") == "/kind must be \"a\"; /n is required");
        CHECK(checker.verdict(R"({"kind":"b","n":1})") == "/kind must be \"a\"");
    }
    // None of two forms for its type is selected.
    Checker checker{"oneOf: [{properties: {kind: {const: a}}}, {properties: {kind: {const: b}}}, "
                    "{type: \"null\"}]"};
    CHECK(checker.verdict(R"({"kind":"c"})")
          == "the body must match exactly one of the 3 forms of the contract");
}

TEST_CASE("the message for a value that matches several forms has their number") {
    Forms forms;
    CHECK(forms.messages(R"({"size":7})")
          == "/size matches 3 of the 4 forms of the contract, and must match exactly one");
    CHECK(forms.messages(R"({"pet":{"lives":1}})")
          == "/pet matches 2 of the 3 forms of the contract, and must match exactly one");
    CHECK(forms.rules(R"({"size":7})") == "/properties/size/oneOf");
}

TEST_CASE("the rules of the only possible form have levels of their own") {
    Forms forms;
    std::string const body = R"({"range":{"from":10}})";
    std::string const from = "/properties/range/oneOf/0/properties/from/maximum";
    std::string const to = "/properties/range/oneOf/0/required";
    std::string const whole = "/properties/range/oneOf";
    CHECK(forms.rules(body) == from + "; " + to);
    CHECK(forms.rules(body, {{"make", from, Level::report}}) == to + " | " + from);
    CHECK(forms.rules(body, {{"make", from, Level::off}}) == to);
    CHECK(forms.rules(body, {{"make", from, Level::off}, {"make", to, Level::off}}).empty());
    // If the combination may not refuse a value, no rule in it may.
    CHECK(forms.rules(body, {{"make", whole, Level::report}}) == " | " + from + "; " + to);
    CHECK(forms.rules(body, {{"make", whole, Level::off}}).empty());
    CHECK(forms.rules(body, {}, Level::report) == " | " + from + "; " + to);
    CHECK(forms.rules(body, {{"make", from, Level::off}}, Level::report) == " | " + to);
    CHECK(forms.rules(body, {}, Level::off).empty());
    // A type that is not enforced rules nothing out.
    CHECK(forms.rules(body, {{"make", whole + "/1/type", Level::off}}).empty());
}

TEST_CASE("a form that does not match declares no properties, unless none matches") {
    Forms forms;
    CHECK(forms.unknown(R"({"pet":{"kind":"cat","lives":1}})") == 0);
    CHECK(forms.unknown(R"({"pet":{"kind":"cat","barks":1}})") == 1);
    CHECK(forms.unknown(R"({"pet":{"kind":"cow","barks":1,"lives":1,"x":1}})") == 1);
}

std::vector<std::string> warnings_of(std::string_view schema) {
    std::vector<std::string> all;
    auto const loaded = Contract::load_schema(schema, "schema.yaml");
    CHECK(loaded.contract != nullptr);
    for (auto const& problem : loaded.problems)
        all.push_back(config::yaml::describe(problem));
    return all;
}

TEST_CASE("forms that no value can distinguish are a warning") {
    constexpr std::string_view defs =
        ", $defs: {a: {type: object, required: [x]}, b: {type: object, required: [x]}, "
        "all: {title: T, properties: {}}, closed: {properties: {}, additionalProperties: false}}}";
    auto const count = [&](std::string_view forms) {
        return warnings_of("{oneOf: " + std::string{forms} + std::string{defs}).size();
    };
    CHECK(warnings_of("{oneOf: [{type: string}, {type: integer}, {type: string, title: T}]}")
          == std::vector<std::string>{
              "schema.yaml:1:43: warning: oneOf[2]: is the same form as oneOf[0]: no value matches "
              "exactly one of the two; remove one of them"});
    CHECK(warnings_of("{oneOf: [{type: string}, {description: any}]}")
          == std::vector<std::string>{
              "schema.yaml:1:26: warning: oneOf[1]: accepts every value, so that values of other "
              "forms match two; write anyOf, or a rule that distinguishes this form"});
    CHECK(count("[{required: [a], minimum: 1}, {minimum: 1, required: [a]}]") == 1);
    CHECK(count("[{$ref: '#/$defs/a'}, {$ref: '#/$defs/a'}]") == 1);
    CHECK(count("[{$ref: '#/$defs/a'}, {$ref: '#/%24defs/a'}]") == 1);
    CHECK(count("[true, {type: string}, {}]") == 2);
    CHECK(count("[{$ref: '#/$defs/all'}, {type: 'null'}]") == 1);
    CHECK(count("[{properties: {}}, {type: 'null'}]") == 1);
    // These are not certain to be equivalent, or are valid.
    CHECK(count("[{required: [a]}, {required: [b]}]") == 0);
    CHECK(count("[{type: integer}, {type: number}]") == 0);
    CHECK(count("[{properties: {a: {title: x}}}, {properties: {a: {title: y}}}]") == 0);
    CHECK(count("[{$ref: '#/$defs/a'}, {$ref: '#/$defs/b'}]") == 0);
    CHECK(count("[{$ref: '#/$defs/a'}, {$ref: '#/$defs/a', minProperties: 2}]") == 0);
    CHECK(count("[{$ref: '#/$defs/closed'}, {type: 'null'}]") == 0);
    CHECK(count("[{}]") == 0);
    CHECK(warnings_of("{anyOf: [{type: string}, {}, {type: string}]}").empty());
}

} // namespace
} // namespace sallyport::contract::test::forms_test
