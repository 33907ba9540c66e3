// Parameters whose schema accepts a plain value, a list or an object: a request passes if one reading
// of the text that the style allows is valid.
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract::test::several_shapes_test {
namespace {

// An operation `read` with one parameter `q`, or `id` in the path.
class OneParameter {
public:
    OneParameter(std::string const& place, std::string const& schema, std::string const& more = {})
        : contract_{load_document(
            "openapi: 3.1.0\ninfo: { title: T }\npaths:\n  /v1/{id}:\n    get:\n"
            "      operationId: read\n      parameters:\n        - { name: "
            + std::string{place == "path" ? "id" : "q"} + ", in: " + place + ", required: true, "
            + more + "schema: " + schema + " }\n")} {}

    [[nodiscard]] std::string query(std::string_view text) {
        return verdict(
            validator_.check_query(operation(), text, contract_->conditions_for({}), levels_));
    }
    [[nodiscard]] std::string path(std::string_view text) {
        std::string const whole = "/v1/" + std::string{text};
        auto const match = contract_->route(whole);
        REQUIRE(match);
        return verdict(
            validator_.check_path(operation(), match, contract_->conditions_for({}), levels_));
    }
    [[nodiscard]] std::string header(std::string_view text, bool is_repeated = false) {
        return verdict(validator_.check_header(operation().header_parameters.front(),
                                               {text, is_repeated}, contract_->conditions_for({}),
                                               levels_));
    }
    [[nodiscard]] Operation const& operation() const { return *contract_->find_operation("read"); }
    void report_all() { levels_ = LevelTable::compile(*contract_, {Level::report}, {}).table; }

private:
    [[nodiscard]] static std::string verdict(ParameterReport const& report) {
        std::string text =
            report.outcome == Outcome::valid ? "valid" : message_of(report.violations.front());
        if (!report.reported.empty()) text += ", reported";
        return text;
    }

    std::shared_ptr<Contract const> contract_;
    Validator validator_;
    LevelTable levels_;
};

constexpr auto word_or_numbers =
    "{ oneOf: [{ type: string, pattern: '^[a-z]+$' }, { type: array, items: { type: integer }, "
    "maxItems: 3 }] }";

TEST_CASE("of several shapes a text that is none of them is refused") {
    OneParameter exploded{"query", word_or_numbers};
    CHECK(exploded.query("q=A") != "valid");
    CHECK(exploded.query("q=a&q=b") != "valid"); // two values are no plain one
    CHECK(exploded.query("q=1&q=2&q=3&q=4") != "valid");
    CHECK(exploded.query("q=1,2") != "valid"); // a comma separates nothing there
    CHECK(exploded.query("") != "valid");
    CHECK(exploded.query("q[]=1") != "valid");
    OneParameter joined{"query", word_or_numbers, "explode: false, "};
    CHECK(joined.query("q=1,x") != "valid");
    CHECK(joined.query("q=1&q=2") != "valid");
    CHECK(joined.query("q=1%2C2") != "valid");
    OneParameter field{"header", word_or_numbers};
    CHECK(field.header("1, x") != "valid");
    CHECK(field.header("a, b", true) != "valid");
}

TEST_CASE("of several shapes a text that is one of them passes") {
    OneParameter exploded{"query", word_or_numbers};
    CHECK(exploded.query("q=a") == "valid");
    CHECK(exploded.query("q=1") == "valid");
    CHECK(exploded.query("q=1&q=2") == "valid");
    OneParameter joined{"query", word_or_numbers, "explode: false, "};
    CHECK(joined.query("q=abc") == "valid");
    CHECK(joined.query("q=1,2") == "valid");
    OneParameter field{"header", word_or_numbers};
    CHECK(field.header("abc") == "valid");
    CHECK(field.header("1, 2") == "valid");
    CHECK(field.header("1, 2", true) == "valid");
    OneParameter segment{"path", word_or_numbers};
    CHECK(segment.path("abc") == "valid");
    CHECK(segment.path("1,2") == "valid");
    CHECK(segment.path("1,x") != "valid");
}

TEST_CASE("an object is one of several shapes where all of it is one text") {
    OneParameter joined{"query",
                        "{ oneOf: [{ type: integer }, { type: object, required: [n], properties: { "
                        "n: { type: integer } } }] }",
                        "explode: false, "};
    CHECK(joined.query("q=5") == "valid");
    CHECK(joined.query("q=n,5") == "valid");
    CHECK(joined.query("q=n,x") != "valid");
    CHECK(joined.query("q=m,5") != "valid");
    OneParameter segment{"path", "{ type: [string, array, object], maxLength: 2, maxItems: 2 }",
                         "style: matrix, explode: true, "};
    CHECK(segment.path(";id=ab") == "valid");
    CHECK(segment.path(";id=abc;id=def") == "valid");
    CHECK(segment.path(";id=a;id=b;id=c") != "valid");
    CHECK(segment.path(";n=a;m=b;o=c") == "valid");
    CHECK(segment.path("ab") != "valid");
}

TEST_CASE("shapes that a schema does not mention, or a style does not have, are none") {
    // Any list of strings is valid as well, but the schema is for plain values.
    OneParameter plain{"query", "{ minLength: 2 }"};
    CHECK(plain.operation().query_parameters.front().shape == ParameterShape::value);
    CHECK(plain.query("q=a") != "valid");
    OneParameter piped{"query", "{ type: [string, array], items: { maxLength: 2 } }",
                       "style: pipeDelimited, explode: false, "};
    CHECK(piped.operation().query_parameters.front().readings.empty());
    CHECK(piped.query("q=ab%7Ccd") == "valid");
    CHECK(piped.query("q=abc") != "valid");
    OneParameter text{"query", "{ type: string }"};
    CHECK(text.operation().query_parameters.front().readings.empty());
}

TEST_CASE("items that may be nested are read as the plain values that can be written") {
    OneParameter list{"query",
                      "{ type: array, items: { oneOf: [{ type: integer }, { type: array, items: { "
                      "type: integer } }] } }"};
    CHECK(list.query("q=1&q=2") == "valid");
    CHECK(list.query("q=1&q=x") != "valid");
    OneParameter object{"query",
                        "{ type: object, properties: { a: { type: [string, array], maxLength: 1 } "
                        "} }",
                        "explode: false, "};
    CHECK(object.query("q=a,b") == "valid");
    CHECK(object.query("q=a,bc") != "valid");
}

TEST_CASE("a reading without reported violations comes before one with them") {
    OneParameter parameter{"query", "{ anyOf: [{ type: string, maxLength: 1 }, { type: array, "
                                    "items: { type: integer } }] }"};
    parameter.report_all();
    CHECK(parameter.query("q=12") == "valid");
    CHECK(parameter.query("q=xy") == "valid, reported");
    CHECK(parameter.query("q=a&q=b") == "valid, reported");
}

} // namespace
} // namespace sallyport::contract::test::several_shapes_test
