// Expected names: found without being read, and never confused with another name.
#include "gateway/contract/evaluate/names.h"
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace sallyport::contract::test::name_order_test {
namespace {

[[nodiscard]] std::string name_of(std::size_t size) {
    std::string name;
    for (std::size_t i = 0; i < size; ++i)
        name += static_cast<char>('a' + i % 26);
    return name;
}

[[nodiscard]] bool stands(QuotedName const& name, std::string text) {
    text.resize(std::max(text.size(), QuotedName::reads), 'z');
    return name.stands_at(text.data());
}

constexpr auto strict = R"({"properties":{
    "a":{"type":"integer"},"b":{"type":"string"},"ab":{"type":"boolean"},"aB":{"type":"null"},
    "minReplicaMemoryGb":{"type":"integer"},"maxReplicaMemoryGb":{"type":"string"},
    "inner":{"properties":{"a":{"type":"string"}},"additionalProperties":false}},
    "additionalProperties":false})";

} // namespace

TEST_CASE("a quoted name matches only if all of its bytes match") {
    for (std::size_t size = 0; size <= QuotedName::longest; ++size) {
        INFO(size);
        std::string const text = name_of(size);
        QuotedName const name{text};
        std::string const quoted = '"' + text + '"';
        CHECK(stands(name, quoted));
        CHECK(stands(name, quoted + ": 1, \"a\": 2}"));
        CHECK_FALSE(stands(name, '"' + text));
        CHECK_FALSE(stands(name, '"' + text + "a\""));
        for (std::size_t i = 0; i < quoted.size(); ++i) {
            std::string other = quoted;
            other[i] = static_cast<char>(other[i] ^ 0x20);
            CHECK_FALSE(stands(name, other));
        }
    }
}

TEST_CASE("a name that is too long, or has more than one spelling, never matches") {
    for (std::string const& text :
         {name_of(QuotedName::longest + 1), std::string{"a\"b"}, std::string{"a\\b"},
          std::string{"a\nb"}, std::string{"caf\xC3\xA9"}, std::string{"\x7F"}}) {
        INFO(text);
        CHECK_FALSE(stands(QuotedName{text}, '"' + text + '"'));
    }
    CHECK_FALSE(stands(QuotedName{}, "\"\""));
    CHECK_FALSE(stands(QuotedName{}, std::string(QuotedName::reads, '\0')));
    CHECK_FALSE(stands(QuotedName{}, std::string(QuotedName::reads, '\xFF')));
}

TEST_CASE("a property in the place of an expected one is validated by its own name") {
    Checker checker{strict};
    constexpr auto usual = R"({"a":1,"b":"x","minReplicaMemoryGb":8,"inner":{"a":"x"}})";
    for (auto const& [body, verdict] : {
             std::pair{R"({"b":"x","a":1})", "valid"},
             std::pair{R"({"ab":true,"b":"x"})", "valid"},
             std::pair{R"({"aB":null})", "valid"},
             std::pair{R"({"a":1,"b":"x","maxReplicaMemoryGb":"8"})", "valid"},
             std::pair{R"({"a":1,"b":"x","maxReplicaMemoryGb":8})",
                       "/maxReplicaMemoryGb must be a string, not a number"},
             std::pair{R"({"ab":1})", "/ab must be a boolean, not a number"},
             std::pair{R"({"a":"x"})", "/a must be an integer, not a string"},
             std::pair{R"({"a":1,"b":2})", "/b must be a string, not a number"},
             std::pair{R"({"inner":{"a":1}})", "/inner/a must be a string, not a number"},
             std::pair{R"({"a" : 1 ,"b"	:"x"})", "valid"},
             std::pair{R"({"a",1})", "malformed: not_json"},
             std::pair{R"({"a" 1})", "malformed: not_json"},
             std::pair{R"({"a":1,"a":1})", "malformed: duplicate_member"},
             std::pair{R"({"a":1,"b":"x","a":1})", "malformed: duplicate_member"},
         }) {
        INFO(body);
        // Twice: what is learned from the body itself has no effect either.
        for (int i = 0; i < 2; ++i) {
            CHECK(checker.verdict(usual) == "valid");
            CHECK(checker.verdict(body) == verdict);
            CHECK(checker.verdict(body) == verdict);
        }
    }
    CHECK(checker.check(R"({"a":1,"c":2})").outcome == Outcome::violated);
    CHECK(checker.check(R"({"a":1,"bb":2})").outcome == Outcome::violated);
    CHECK(checker.check(R"({"inner":{"b":"x"}})").outcome == Outcome::violated);
}

TEST_CASE("an expected name must end within the text, whatever follows it") {
    auto const contract = load_schema(R"({"properties":{"a}b]c":{"type":"integer"}}})");
    std::string const whole = R"({"a}b]c":1})";
    std::string const text = whole + std::string(body_padding, '}');
    Validator validator;
    LevelTable const levels;
    auto const outcome = [&](std::size_t size) {
        auto const body = std::string_view{text}.substr(0, size);
        return validator.validate(*contract->schema(), body, {}, levels).outcome;
    };
    for (std::size_t size = 1; size < whole.size(); ++size) {
        INFO(whole.substr(0, size));
        CHECK(outcome(whole.size()) == Outcome::valid);
        CHECK(outcome(whole.size()) == Outcome::valid);
        CHECK(outcome(size) == Outcome::malformed);
    }
}

TEST_CASE("names of two contracts are expected separately, and a quote ends a name") {
    auto const one = load_schema(R"({"properties":{"a":{"type":"integer"},"b":true}})");
    auto const other =
        load_schema(R"({"properties":{"b":{"type":"string"},"a\"b":{"type":"integer"}}})");
    Validator validator;
    LevelTable const levels;
    auto const verdict = [&](Contract const& contract, std::string_view body) {
        return verdict_of(validator.validate(*contract.schema(), Body{body}.view(), {}, levels));
    };
    for (int i = 0; i < 3; ++i) {
        CHECK(verdict(*one, R"({"a":1,"b":2})") == "valid");
        CHECK(verdict(*other, R"({"a":"1","b":"2"})") == "valid");
        CHECK(verdict(*one, R"({"a":"1"})") == "/a must be an integer, not a string");
        CHECK(verdict(*other, R"({"b":1})") == "/b must be a string, not a number");
        CHECK(verdict(*other, R"({"a\"b":1})") == "valid");
        CHECK(verdict(*other, R"({"a"b":1})").substr(0, 9) == "malformed");
    }
}

} // namespace sallyport::contract::test::name_order_test
