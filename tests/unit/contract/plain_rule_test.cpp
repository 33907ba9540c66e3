// Plain rules, compared with the evaluator.
#include "gateway/contract/evaluate/plain_rule.h"

#include "gateway/contract/evaluate/parameter_text.h"
#include "gateway/contract/schema/format.h"
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract::test::plain_rule_test {
namespace {

std::string document_with(std::string const& schema) {
    return "openapi: 3.1.0\ninfo: { title: T }\n"
           "components: { schemas: { Uuid: { type: string, format: uuid } } }\n"
           "paths:\n  /v1/{value}:\n    get:\n      operationId: read\n      parameters:\n"
           "        - { name: value, in: path, required: true, schema: "
           + schema + " }\n";
}

// A path parameter with one schema, and a body with the same schema, for the evaluator.
class Both {
public:
    explicit Both(std::string const& schema)
        : contract_{load_document(document_with(schema))},
          parameter_{contract_->find_operation("read")->path_parameters.front()} {}

    bool holds_plainly(std::string_view text) {
        return contract::holds_plainly(contract_->program(), parameter_.plain_rule, text,
                                       patterns_);
    }
    bool is_valid(std::string_view text) {
        std::string json{text};
        auto const& reading = parameter_.reading;
        bool const is_literal = reading.numbers || reading.words || reading.null;
        if (!is_literal || reading.or_text) {
            json = '"';
            for (char const c : text) {
                if (c == '"' || c == '\\') json += '\\';
                json += c;
            }
            json += '"';
        }
        return validator_
                   .validate(*parameter_.schema, Body{json}.view(), contract_->conditions_for({}),
                             levels_)
                   .outcome
               == Outcome::valid;
    }
    std::string path(std::string_view text) {
        std::string const path = "/v1/" + std::string{text};
        auto const& report = validator_.check_path(*contract_->find_operation("read"),
                                                   contract_->route(path), {}, levels_);
        return report.outcome == Outcome::valid ? "valid" : message_of(report.violations.front());
    }

private:
    std::shared_ptr<Contract const> contract_;
    Parameter const& parameter_;
    OwnPatterns patterns_;
    Validator validator_;
    LevelTable levels_;
};

std::vector<std::string_view> const texts{"",
                                          "a",
                                          "ab",
                                          "abc",
                                          "abcd",
                                          "A",
                                          "a b",
                                          "a-b",
                                          "\"",
                                          "\\",
                                          "null",
                                          "true",
                                          "false",
                                          "True",
                                          "0",
                                          "-0",
                                          "1",
                                          "5",
                                          "10",
                                          "11",
                                          "-1",
                                          "007",
                                          "00",
                                          "-",
                                          "--1",
                                          "1.0",
                                          "1.5",
                                          "1e1",
                                          "0x1",
                                          " 1",
                                          "9007199254740993",
                                          "999999999999999999",
                                          "1000000000000000000",
                                          "9223372036854775807",
                                          "-9223372036854775808",
                                          "9223372036854775808",
                                          "99999999999999999999999",
                                          "2147483648",
                                          "2026-02-29",
                                          "2028-02-29",
                                          "2026-01-31T23:59:59Z",
                                          "12:00:00Z",
                                          "192.0.2.1",
                                          "::1",
                                          "a@b.example",
                                          "example.com",
                                          "0b1c2d3e-0000-9000-0000-00000000000f",
                                          "0b1c2d3e-0000-9000-0000-00000000000g",
                                          "0b1c2d3e00009000000000000000000f",
                                          "0b1c2d3e-0000-9000-0000-00000000000",
                                          "YWJj",
                                          "P1D",
                                          "/a/b",
                                          "sixteen-bytes-xx",
                                          "a text of more than sixteen bytes"};

TEST_CASE("values that no plain rule accepts are left to the evaluator") {
    // Schemas with rules that cannot be checked on the text have no plain rule.
    for (std::string const schema :
         {"{ anyOf: [{ const: a }, { maxLength: 2 }] }", "{ type: string, not: { const: a } }",
          "{ oneOf: [{ const: a }, { const: b }] }",
          "{ type: string, if: { const: a }, then: { maxLength: 1 } }", "{ not: {} }",
          "{ type: string, x-when: [{ labels: { a: [b] }, schema: { maxLength: 1 } }] }",
          "{ type: string, allOf: [{ anyOf: [{ maxLength: 1 }] }] }"}) {
        Both both{schema};
        for (auto const text : texts) {
            INFO(schema << " " << text);
            CHECK_FALSE(both.holds_plainly(text));
        }
    }
    Both multiples{"{ type: integer, multipleOf: 5 }"};
    CHECK_FALSE(multiples.holds_plainly("5"));
    CHECK(multiples.path("5") == "valid");
    Both halves{"{ type: number, minimum: 0.5 }"};
    CHECK_FALSE(halves.holds_plainly("1"));
    CHECK(halves.path("1") == "valid");
    // More digits than a plain rule reads.
    Both whole{"{ type: integer }"};
    CHECK_FALSE(whole.holds_plainly("9223372036854775807"));
    CHECK(whole.path("9223372036854775807") == "valid");
    CHECK(whole.path("1.0") != "valid");
}

TEST_CASE("no plain rule accepts a value that the evaluator refuses") {
    for (std::string const schema :
         {"{ type: string }",
          "{ type: string, format: uuid }",
          "{ type: string, format: date }",
          "{ type: string, format: date-time }",
          "{ type: string, format: time }",
          "{ type: string, format: duration }",
          "{ type: string, format: ipv4 }",
          "{ type: string, format: ipv6 }",
          "{ type: string, format: email }",
          "{ type: string, format: hostname }",
          "{ type: string, format: byte }",
          "{ type: string, format: uri-reference }",
          "{ type: string, format: json-pointer }",
          "{ type: string, minLength: 2 }",
          "{ type: string, maxLength: 3 }",
          "{ type: string, minLength: 2, maxLength: 3 }",
          "{ type: string, pattern: '^[a-c]+$' }",
          "{ type: string, pattern: b, minLength: 3 }",
          "{ enum: [a, abc, '5'] }",
          "{ enum: [a, 5] }",
          "{ const: abc }",
          "{ enum: [1, 5, null, true] }",
          "{ type: [string, 'null'] }",
          "{ $ref: '#/components/schemas/Uuid' }",
          "{ allOf: [{ $ref: '#/components/schemas/Uuid' }, { maxLength: 36 }] }",
          "{ type: string, allOf: [{ minLength: 1 }, { maxLength: 2 }] }",
          "{ type: integer }",
          "{ type: integer, minimum: 1, maximum: 10 }",
          "{ type: integer, exclusiveMinimum: 0 }",
          "{ type: integer, exclusiveMaximum: 5 }",
          "{ type: integer, minimum: 6, maximum: 5 }",
          "{ type: integer, format: int32 }",
          "{ type: integer, format: int64 }",
          "{ type: number }",
          "{ type: number, minimum: 1 }",
          "{ type: integer, multipleOf: 5 }",
          "{ type: boolean }",
          "{ type: [integer, boolean] }",
          "{ type: [string, integer], maxLength: 2 }",
          "{ type: integer, enum: [1, 5] }",
          "{ type: integer, minimum: -9223372036854775808 }"}) {
        Both both{schema};
        bool sees_any = false;
        for (auto const text : texts) {
            INFO(schema << " " << text);
            bool const is_seen = both.holds_plainly(text);
            sees_any = sees_any || is_seen;
            if (is_seen) CHECK(both.is_valid(text));
        }
        // Most of these schemas have a text that is accepted: the test is not trivial.
        INFO(schema);
        bool const is_evaluators = schema.find("multipleOf") != std::string::npos
                                   || schema.find("int32") != std::string::npos
                                   || schema.find("int64") != std::string::npos
                                   || schema.find("minimum: 6") != std::string::npos
                                   || schema.find("enum: [1") != std::string::npos
                                   || schema.find("-9223372036854775808") != std::string::npos;
        CHECK(sees_any != is_evaluators);
    }
}

TEST_CASE("every simple schema for strings has a plain rule that accepts what it should") {
    struct Row {
        std::string schema;
        std::vector<std::string> unseen;
        std::vector<std::string> seen;
    };
    for (auto const& row : std::vector<Row>{
             {"{ type: string, format: date, maxLength: 10, pattern: '^20' }",
              {"2026-02-29", "1999-02-28"},
              {"2028-02-29"}},
             {"{ enum: [a, abc, '5'] }", {"ab"}, {"5"}},
             {"{ type: integer, minimum: 1, maximum: 10 }", {"0", "11", "007", "-0"}, {"1", "10"}},
             {"{ type: boolean }", {"True"}, {"false"}},
         }) {
        Both both{row.schema};
        INFO(row.schema);
        for (auto const& text : row.unseen)
            CHECK_FALSE(both.holds_plainly(text));
        for (auto const& text : row.seen)
            CHECK(both.holds_plainly(text));
    }
}

TEST_CASE("every character of a uuid is checked") {
    std::string const good = "0B1c2d3e-0000-9fFa-A000-00000000000f";
    REQUIRE(is_uuid(good));
    CHECK_FALSE(is_uuid(""));
    CHECK_FALSE(is_uuid(good + "0"));
    CHECK_FALSE(is_uuid(good.substr(1)));
    for (std::size_t at = 0; at < good.size(); ++at) {
        for (int byte = 0; byte < 256; ++byte) {
            auto text = good;
            text[at] = static_cast<char>(byte);
            bool const is_hyphen = byte == '-';
            bool const is_hex = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f')
                                || (byte >= 'A' && byte <= 'F');
            bool const wants_hyphen = at == 8 || at == 13 || at == 18 || at == 23;
            if (is_uuid(text) != (wants_hyphen ? is_hyphen : is_hex)) {
                FAIL_CHECK("byte " << byte << " at " << at);
            }
        }
    }
}

TEST_CASE("a text that decoding would change or refuse is not plain") {
    for (std::size_t size = 1; size < 50; ++size) {
        std::string text(size, 'a');
        CHECK(is_plain(text));
        for (std::size_t at = 0; at < size; ++at) {
            for (int byte = 0; byte < 256; ++byte) {
                text[at] = static_cast<char>(byte);
                bool const wants_plain = byte >= 0x20 && byte < 0x7F && byte != '%' && byte != '+';
                if (is_plain(text) != wants_plain) {
                    FAIL_CHECK("byte " << byte << " at " << at << " of " << size);
                }
            }
            text[at] = 'a';
        }
    }
    CHECK(is_plain(""));
}

} // namespace
} // namespace sallyport::contract::test::plain_rule_test
