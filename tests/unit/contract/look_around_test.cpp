// Look-around: what becomes several programs, what does not load, and what the work costs.
#include "gateway/contract/patterns/pattern.h"
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::contract::test::look_around_test {
namespace {

TEST_CASE("look-around whose place depends on the rest of the pattern is refused by name") {
    std::string const middle = " in the middle of the pattern has no equivalent in linear time";
    std::string const first =
        " at the beginning of the pattern without ^ has no equivalent in linear time";
    std::string const last =
        " at the end of the pattern without $ has no equivalent in linear time";
    for (auto const& [pattern, error] : std::vector<std::pair<std::string, std::string>>{
             {"^a*(?=b)c", "look-ahead" + middle},
             {"^a+(?!b)c", "negative look-ahead" + middle},
             {"^(?:a|bc*)(?!b)c", "negative look-ahead" + middle},
             {"^a{1,20}(?=b).", "look-ahead" + middle},
             {"^[a-c]*a(?=b).", "look-ahead" + middle},
             {"^[^b]*a(?=b).", "look-ahead" + middle},
             {"^(?:ab+)*a(?=b).", "look-ahead" + middle},
             {"a(?=b).$", "look-ahead" + middle},
             {"^a(?<=b)c*$", "look-behind" + middle},
             {"^a+(?<!b)c+$", "negative look-behind" + middle},
             {"x(?:(?<!b)c)", "negative look-behind" + middle},
             {"(?=a)b", "look-ahead" + first},
             {"(?=.*a)(?=.*b)", "look-ahead" + first},
             {"(?!ab)c$", "negative look-ahead" + first},
             {"(?:^|x)(?!ab)c", "negative look-ahead" + middle},
             {"a|(?!ab)c", "negative look-ahead" + first},
             {"a(?<=b)", "look-behind" + last},
             {"^a(?<!bc)", "negative look-behind" + last},
             {"a*(?!bc)", "negative look-ahead of more than one character at the end of the "
                          "pattern has no equivalent in linear time"},
             {"a(?!b?)", "negative look-ahead of more than one character at the end of the "
                         "pattern has no equivalent in linear time"},
             {"(?<!bc)a*", "negative look-behind of more than one character at the beginning of "
                           "the pattern has no equivalent in linear time"},
             {"^(?:a(?=b))*", "look-ahead in a repetition has no equivalent in linear time"},
             {"^(?:(?:a(?!b))){2}", "look-ahead in a repetition has no equivalent in linear time"},
             {"^(?!(?:(?<!a)b)+)", "look-behind in a repetition has no equivalent in linear time"},
             {"(?m)a+^b", "^ with the flag m" + middle},
             {"(?m)a$b", "$ with the flag m" + middle},
             {"(?m)(?:^a)+", "^ with the flag m in a repetition has no equivalent in linear time"},
             {"^(?=a*(?=b)d)", "look-ahead" + middle},
         }) {
        INFO(pattern);
        auto const made = Pattern::make(pattern);
        CHECK(made.error == error);
        CHECK_FALSE(made.hint.empty());
    }
}

TEST_CASE("a pattern becomes as few programs as its look-around needs, and at most 16") {
    for (auto const& [pattern, programs] : std::vector<std::pair<std::string, std::size_t>>{
             {"^abc$", 1},
             {"a(?=b)", 1},
             {"(?<=a)b(?!c)", 1},
             {"^(?=ab)", 1},
             {"(?m)^a$|^b$", 1},
             // All that must not be found together, and the rest.
             {"^(?!a.)", 1},
             {"^(?!a.)(?!b.)(?!c.).$", 2},
             {"^(?=.*a)(?=.*b).*$", 3},
             {"a|b|^(?=a)c", 3},
             {"^(?=.*a)(?=.*b)(?=.*c)(?=.*d)(?=.*e)(?=.*f)(?=.*g)(?=.*h)(?=.*i)(?=.*j)(?=.*k)"
              "(?=.*l)(?=.*m)(?=.*n)(?=.*o).$",
              16},
         }) {
        INFO(pattern);
        auto const made = Pattern::make(pattern);
        INFO(made.error);
        REQUIRE(made.pattern != nullptr);
        CHECK(made.pattern->programs() == programs);
        CHECK(made.warning.empty() == (pattern.front() != '(' || pattern[2] != 'm'));
    }
    std::string const too_many = "its look-around needs more than 16 patterns";
    std::string many = "^";
    for (char letter = 'a'; letter < 'q'; ++letter)
        many += std::string{"(?=.*"} + letter + ")";
    CHECK(Pattern::make(many + ".$").error == too_many);
    // Each group doubles the number of ways through the pattern.
    std::string doubling = "^";
    for (int i = 0; i < 20; ++i)
        doubling += "(?:(?=a)b|(?=c)d)";
    CHECK(Pattern::make(doubling).error == too_many);
    std::string look_arounds;
    for (int i = 0; i < 65; ++i)
        look_arounds += "(?=a)";
    CHECK(Pattern::make('^' + look_arounds).error == "it has more than 64 look-arounds");
    CHECK(Pattern::make("^(?!x{2501})x").error
          == "its repetitions expand to more than 2500 characters");
    // Several programs share the memory that one may have.
    CHECK(Pattern::make("x\\p{L}{300}").pattern != nullptr);
    CHECK(Pattern::make("^(?=.*a)x\\p{L}{300}$").error
          == "a part of it takes more than 2 MiB with its repetitions expanded");
    CHECK(Pattern::make("^(?=.*a)x\\p{L}{10}\\p{Script=Foo}").error
          == "the property \\p{Foo} is unknown");
}

TEST_CASE("look-around applies to bodies, names and parameters") {
    Checker body{R"({pattern: '^(?=.*\d)(?!.*\s).{4,}$'})"};
    CHECK(body.verdict(R"("abc1")") == "valid");
    CHECK(body.verdict(R"("abcd")")
          == R"(the body must match the pattern ^(?=.*\d)(?!.*\s).{4,}$)");
    CHECK(body.verdict(R"("ab 1")") != "valid");
    CHECK(body.verdict(R"("")") != "valid");
    Checker empty{"{pattern: '^(?!x)'}"};
    CHECK(empty.verdict(R"("")") == "valid");
    Checker names{
        "{patternProperties: {'^(?!x-)(?!id$)': {type: integer}}, additionalProperties: false}"};
    CHECK(names.verdict(R"({"a": 1, "": 2})") == "valid");
    CHECK(names.verdict(R"({"a": "1"})") != "valid");
    CHECK(names.verdict(R"({"x-a": 1})") != "valid");
    CHECK(names.verdict(R"({"id": 1})") != "valid");
}

TEST_CASE("each program of a pattern is charged") {
    auto const text = [](std::size_t size) { return '"' + std::string(size, 'x') + '"'; };
    // One of them alone may look at twice as many bytes.
    Checker one{R"({pattern: "^x[a-z]{0,1000}"})"};
    Checker two{R"({pattern: "^(?=x[a-z]{0,1000})x[a-z]{0,1000}"})"};
    CHECK(one.verdict(text(40'000)) == "valid");
    CHECK(two.verdict(text(20'000)) == "valid");
    CHECK(two.verdict(text(40'000)) == "malformed: too_complex");
    // Also for many short texts.
    auto const list = [](int items) {
        std::string all = "[";
        for (int i = 0; i < items; ++i)
            all += i > 0 ? ",\"a\"" : "\"a\"";
        return all + ']';
    };
    std::string many = "^";
    for (char letter = 'a'; letter < 'p'; ++letter)
        many += std::string{"(?=(?:a|"} + letter + "))";
    Checker sixteen{"{items: {pattern: '" + many + ".$'}}"};
    Checker plain{"{items: {pattern: '^a$'}}"};
    CHECK(plain.verdict(list(100'000)) == "valid");
    CHECK(sixteen.verdict(list(1'000)) == "valid");
    CHECK(sixteen.verdict(list(100'000)) == "malformed: too_complex");
}

TEST_CASE("what only Annex B or other engines know is a warning at each place") {
    auto const loaded = Contract::load_schema(
        R"({properties: {a: {pattern: '^\_$'}, b: {pattern: '^\_$'}, c: {pattern: '(?i)a'}}})",
        "schema.yaml", Formats::annotate);
    REQUIRE(loaded.contract != nullptr);
    REQUIRE(loaded.problems.size() == 3);
    CHECK(describe(loaded.problems[0])
          == "schema.yaml:1:28: warning: properties.a.pattern: the pattern is read leniently: "
             "\\_ is not an escape with the flag u: it is read as the character (ECMA-262, Annex "
             "B); write the character without a backslash");
    CHECK(loaded.problems[1].path == "properties.b.pattern");
    CHECK(loaded.problems[2].what
          == "the pattern is read leniently: (?i) is not in ECMA-262: it is read as in RE2, for "
             "the rest of the group");
    for (auto const& [pattern, warning] : std::vector<std::pair<std::string, std::string>>{
             {"a{", "{ without a backslash is read as the character (ECMA-262, Annex B)"},
             {"]", "] without a backslash is read as the character (ECMA-262, Annex B)"},
             {"[\\w-.]", "a range in a class with a class at one end is read as both ends and the "
                         "character - (ECMA-262, Annex B)"},
             {"\\012", "\\012 is read as an octal number (ECMA-262, Annex B)"},
             {"\\c", "\\c without a letter is read as a backslash and a c (ECMA-262, Annex B)"},
             {"[\\c1]", "\\c1 is read as a control character (ECMA-262, Annex B)"},
             {"(?=a)*", "a quantifier after a look-ahead is not in the grammar with the flag u "
                        "(ECMA-262, Annex B)"},
             {"(?i:a)", ""},
             {"[\\-a]\\/\\.", ""},
         }) {
        INFO(pattern);
        auto const made = Pattern::make(pattern);
        INFO(made.error);
        REQUIRE(made.pattern != nullptr);
        CHECK(made.warning == warning);
        CHECK(made.warning_hint.empty() == warning.empty());
    }
    // `format: regex` is strict.
    CHECK_FALSE(is_pattern("(?i)a"));
    CHECK_FALSE(is_pattern("\\i"));
    CHECK_FALSE(is_pattern("[\\w-.]"));
    CHECK_FALSE(is_pattern("\\c"));
    CHECK(is_pattern("(?i:a)"));
    CHECK(is_pattern("(?=a)b"));
}

} // namespace
} // namespace sallyport::contract::test::look_around_test
