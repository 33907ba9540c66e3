// Patterns, formats and decimals by themselves.
#include "gateway/contract/patterns/pattern.h"
#include "gateway/contract/schema/format.h"
#include "gateway/contract/text/decimal.h"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract::test::values_test {
namespace {

struct PatternCase {
    std::string_view pattern;
    std::string text;
    bool is_found;
};

TEST_CASE("patterns have the meaning of ECMA-262, not that of RE2") {
    std::string two_thousand;
    for (int i = 0; i < 1000; ++i)
        two_thousand += "ab";
    for (auto const& one : std::vector<PatternCase>{
             {"^.$", "\r", false},
             {"^.$", "\xE2\x80\xA8", false},
             {"^.$", "\xC3\xA4", true},
             {"^.$", "\xF0\x9F\x98\x80", true},
             {"^\\s$", "\xC2\xA0", true},
             {"^\\s$", "\xEF\xBB\xBF", true},
             {"^\\s$", "\v", true},
             {"^\\s$", "\xE2\x80\x8B", false},
             {"^\\S$", "\xC2\xA0", false},
             {"^\\S$", "x", true},
             {"^[^\\s]$", "\xC2\xA0", false},
             {"^[\\S]$", "\xE3\x80\x80", false},
             {"^\\d$", "\xD9\xA3", false},
             {"^\\w$", "\xC3\xA4", false},
             {"^\\W$", "\xC3\xA4", true},
             {"^\\D$", "5", false},
             {"a$", "a\n", false},
             {"^b", "a\nb", false},
             {"^\\p{Letter}$", "\xC3\xA4", true},
             {"^\\p{Decimal_Number}$", "\xD9\xA3", true},
             {"^\\p{gc=Lu}$", "a", false},
             {"^\\p{Script=Greek}$", "\xCE\xB1", true},
             {"^\\P{L}$", "a", false},
             {"^[\\p{L}\\-]+$", "a-b", true},
             {"^\\p{Any}$", "a", true},
             {"^\\P{Any}$", "a", false},
             {"^\\p{ASCII}$", "\xC3\xA4", false},
             {"[]", "a", false},
             {"^[^]$", "\n", true},
             {"^[]a]$", "a]", false},
             {"^[[:alpha:]]$", "a]", true},
             {"^\\u{1F600}$", "\xF0\x9F\x98\x80", true},
             {"^\\ud83d\\ude00$", "\xF0\x9F\x98\x80", true},
             {"^\\x41\\u0042\\cA\\0$", std::string{"AB\x01\0", 4}, true},
             {"^(?<year>\\d{4})-(?:a|b)$", "2024-b", true},
             {"^a{2,3}?$", "aaaa", false},
             {"^a{2,}$", "aaaa", true},
             {"^a{,3}$", "a{,3}", true},
             {"x{", "x{", true},
             {"^[a\\]b]$", "]", true},
             {"^[\\b]$", "\b", true},
             {"^[a-c-e]$", "-", true},
             {"\\bfoo\\b", "a foo b", true},
             {"\\Bfoo", "a foo", false},
             // Between characters, not between the bytes of one.
             {"\\B",
              "a\xC3\xA9"
              "b",
              false},
             {"\\B",
              "a\xF0\x9F\x98\x80"
              "b",
              false},
             {"\\Bx*|q",
              "a\xC3\xA9"
              "b",
              false},
             {"\\B", "", true},
             {"\\B", "ab", true},
             {"\\B", "\xC3\xA9\xC3\xA9", true},
             {"^\\B", "a", false},
             {"\\B$", "\xC3\xA9", true},
             {"\xC3\xA9\\B\xC3\xA9", "\xC3\xA9\xC3\xA9", true},
             // RE2 counts up to 1000, including nested counts.
             {"^(?:ab){1001}$", two_thousand + "ab", true},
             {"^(?:ab){1001}$", two_thousand, false},
             {"^(?:ab){1001}$", two_thousand + "abab", false},
             {"^(?:ab){999,1001}$", two_thousand + "ab", true},
             {"^(?:ab){999,1001}$", two_thousand + "abab", false},
             {"^(?:ab){0,1001}$", "", true},
             {"^(?:ab){0,1001}$", two_thousand + "ab", true},
             {"^(?:ab){0,1001}$", two_thousand + "abab", false},
             {"^(?:ab){1002,}$", two_thousand + "ab", false},
             {"^(?:ab){1002,}$", two_thousand + "ababab", true},
             {"^((?:ab){100}){10}$", two_thousand, true},
             {"^((?:ab){100}){11}$", two_thousand, false},
             {"^((?:ab){50}){11,20}$", two_thousand, true},
             {"^((?:ab){50}){21,24}$", two_thousand, false},
             {"^(a{1001}){0,2}$", std::string(1001, 'a'), true},
             {"^(a{1001}){0,2}$", std::string(2002, 'a'), true},
             {"^(a{1001}){0,2}$", std::string(2000, 'a'), false},
             {"^c[ab]{0,2001}$", "c" + two_thousand + "a", true},
             {"^c[ab]{0,2001}$", "c" + two_thousand + "ab", false},
             {"^(\\p{L}{1,64}\\.){1,8}$",
              "\xC3\xA4"
              "b.c.",
              true},
             {"^(\\p{L}{1,64}\\.){1,8}$", "a.b.c.d.e.f.g.h.i.", false},
             // One class over the whole text.
             {"^[ab]{1,2000}$", two_thousand, true},
             {"^[ab]{1,2000}?$", two_thousand + "a", false},
             {"^[ab]{1,2000}$", "", false},
             {"^[ab]{1,2000}$", "abc", false},
             {"^.{1,65535}$", two_thousand, true},
             {"^.{2001}$", two_thousand, false},
             {"^\\p{L}{2}$", "\xC3\xA4\xC3\xA4", true},
             {"^\\p{L}{2}$", "\xC3\xA4", false},
             {"^a{99999999999999999999,}$", "a", false},
             {"^a{0,99999999999999999999}$", "a", true},
             {"^[]{0,3}$", "", true},
             {"^[]{0,3}$", "a", false},
             {"^a{2}", "aaa", true},
             {"a{2}$", "aaa", true},
             {"^a+$", "", false},
             {"^a?$", "aa", false},
             {"(?:){3}", "", true},
             {"^\\$\\.\\/$", "$./", true},
             {"", "anything", true},
             {"a|^b$", "xa", true},
             {"^(a|b", "a", false},
         }) {
        INFO(one.pattern << " in " << one.text);
        auto const made = Pattern::make(one.pattern);
        if (one.pattern == "^(a|b") {
            CHECK(made.error == "a group is not closed");
            continue;
        }
        INFO(made.error);
        REQUIRE(made.pattern != nullptr);
        CHECK(made.pattern->is_in(one.text) == one.is_found);
    }
}

TEST_CASE("patterns that are invalid, or have no linear equivalent, are refused") {
    for (auto const& [pattern, error] : std::vector<std::pair<std::string, std::string>>{
             {"(a)\\1", "the back-reference \\1 has no equivalent in linear time"},
             {"\\2(a)(b)", "the back-reference \\2 has no equivalent in linear time"},
             {"(?<n>a)\\k<n>", "the back-reference \\k<n> has no equivalent in linear time"},
             {"(?P<n>a)", "a group begins with an unknown (?"},
             {"(?", "a group begins with an unknown (?"},
             {"(?i", "a group begins with an unknown (?"},
             {"(?i)*", "a quantifier has nothing to repeat"},
             {"a(?i)*", "a quantifier has nothing to repeat"},
             {"(?x)a", "the inline flags x are not supported"},
             {"(?ii:a)", "the inline flags ii are not supported"},
             {"(?i-i:a)", "the inline flags i-i are not supported"},
             {"(?-:a)", "the inline flags - are not supported"},
             {"(?i)\\bfoo", "\\b with the flag i is not supported"},
             {"(?i)\\P{Lu}", "\\P{...} with the flag i is not supported"},
             {"(a", "a group is not closed"},
             {"a)", "a ) has no matching ("},
             {"[a", "a class is not closed"},
             {"[a-", "a class is not closed"},
             {"[b-a]", "a range in a class is out of order"},
             {"*a", "a quantifier has nothing to repeat"},
             {"a**", "a quantifier has nothing to repeat"},
             {"a{2}{3}", "a quantifier has nothing to repeat"},
             {"^*", "a quantifier has nothing to repeat"},
             {"(|*)", "a quantifier has nothing to repeat"},
             {"\\A", "the escape \\A is not defined"},
             {"\\z", "the escape \\z is not defined"},
             {"\\Qa\\E", "the escape \\Q is not defined"},
             {"\\pN", "\\p needs {a property}"},
             {"\\p{Greek}", "the property Greek is not implemented"},
             {"\\p{Cn}", "the property Cn is not implemented"},
             {"\\p{Script=L}", "the property Script=L is not implemented"},
             {"\\p{Script=Foo}", "the property \\p{Foo} is unknown"},
             {"a{2,1}", "a repetition has a minimum above its maximum"},
             {"(?<n>a)(?<n>b)", "two groups have the name n"},
             {"(?<1a>x)", "a group has an invalid name"},
             {"(?<a b>x)", "a group has an invalid name"},
             {"(?<\\u>x)", "a group has an invalid name"},
             {"(?<>x)", "a group name is not closed"},
             {"\\p{Alphabetic}", "the property Alphabetic is not implemented"},
             {"\\ud800", "the escape \\u is not defined"},
             {"\\u{110000}", "the escape \\u is not defined"},
             {"\\pL", "\\p needs {a property}"},
             {"(?=a){2}{3}", "a quantifier has nothing to repeat"},
             {"(?=a)?*", "a quantifier has nothing to repeat"},
             {"(?<=a)*", "a quantifier has nothing to repeat"},
             {"(?<n>a)\\k", "\\k needs <a name>"},
             {"a\\", "it ends in a backslash"},
             {"[\\", "it ends in a backslash"},
         }) {
        INFO(pattern);
        auto const made = Pattern::make(pattern);
        CHECK(made.error == error);
        CHECK_FALSE(made.hint.empty());
    }
    std::string const too_many = "its repetitions expand to more than 2500 characters";
    for (auto const* const pattern :
         {"((((a{100}){100}){100}){100})", "xa{2501}", "xa{0,2500}", "(){99999999999}",
          "(a{2500}){0,3}", "xa{18446744073709551615}", "x(a{3000}|b{2500})"}) {
        INFO(pattern);
        CHECK(Pattern::make(pattern).error == too_many);
    }
    CHECK(Pattern::make("xa{5001}").hint
          == "write smaller counts, or minLength and maxLength for the whole text");
    CHECK(Pattern::make("x\\p{L}{2000}").error
          == "it takes more than 32 MiB with its repetitions expanded");
    CHECK(Pattern::make(std::string(5000, 'a')).error == "it is longer than 4096 bytes");
}

struct FormatCase {
    std::string_view format;
    std::vector<std::string_view> refused;
    std::vector<std::string_view> accepted;
};

TEST_CASE("formats are asserted exactly") {
    for (auto const& one : std::vector<FormatCase>{
             {"uuid",
              {"", "2eb8aa08-aa98-11ea-b4aa73b441d16380", "2eb8aa08aa9811eab4aa73b441d16380",
               "2eb8aa08-aa98-11ea-b4aa-73b441d1638", "2eb8aa08-aa98-11ea-b4aa-73b441d16380\n",
               "2eb8aa08-aa98-11ea-b4ga-73b441d16380", "{2eb8aa08-aa98-11ea-b4aa-73b441d16380}",
               "2eb8-aa08-aa98-11ea-b4aa73b44-1d16380"},
              {"2EB8AA08-aa98-11EA-b4aa-73b441d16380", "00000000-0000-0000-0000-000000000000",
               "98d80576-482e-f27f-8434-7f86890ab222"}},
             {"date-time",
              {"", "1990-02-31T15:59:59Z", "1998-12-31T23:59:61Z", "1998-12-31T22:59:60Z",
               "1990-12-31T15:59:59", "1990-12-31T15:59:59-24:00", "1990-12-31 15:59:59Z",
               "1990-13-01T00:00:00Z", "1963-06-19T08:30:06.Z", "1963-06-1TT08:30:06Z",
               "2023-02-29T00:00:00Z", "1990-12-31T24:00:00Z", "1990-12-31T15:59:59+1:00",
               "1990-12-31T15:59:59.123Zx", "1963-06-19T08:30:06.283185"},
              {"1963-06-19T08:30:06.283185Z", "1963-06-19T08:30:06Z",
               "1937-01-01T12:00:27.87+00:20", "1990-12-31T15:59:50.123-08:00",
               "1998-12-31T23:59:60Z", "1998-12-31T15:59:60.123-08:00", "2024-02-29t00:00:00z",
               "2000-02-29T00:00:00Z"}},
             {"date",
              {"", "2020-00-10", "2020-13-01", "2020-04-31", "2021-02-29", "1900-02-29", "20-01-01",
               "2020-1-1", "2020-01-01 ", "2020-01-0a"},
              {"1963-06-19", "2020-02-29", "0000-01-01"}},
             {"time",
              {"", "08:30:06", "8:30:06Z", "24:00:00Z", "00:60:00Z", "23:59:61Z", "22:59:60Z",
               "01:02:03+24:00", "01:02:03+00:60", "01:02:03 Z", "01:02:03+0000"},
              {"08:30:06Z", "23:59:60Z", "15:59:60-08:00", "23:29:60+23:30", "00:29:60+00:30",
               "08:30:06.283185z"}},
             {"ipv4",
              {"", "127.0.0.0.1", "256.1.1.1", "127.0", "0x7f000001", "01.2.3.4", "1.2.3.4 ",
               "1..2.3", "1.2.3.", "1.2.3.4/24", "-1.2.3.4"},
              {"192.168.0.1", "0.0.0.0", "255.255.255.255"}},
             {"ipv6",
              {"", "12345::", "::abcef", "1:1::1::1", "::laptop", ":2:3:4:5:6:7:8",
               "1:2:3:4:5:6:7:", ":2:3:4::8", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1", "1.2.3.4",
               "1:2:1.2.3.4:3", "::256.1.1.1", "fe80::a%eth1", "1:2:3:4:5:6:7::8", "::1 ", ":",
               ":::"},
              {"::1", "::", "1::", "::42:ff:1", "d6::", "1:d6::42", "1:2::192.168.0.1",
               "1:2:3:4:5:6:7:8", "::ffff:192.168.0.1", "1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:7::"}},
             {"uri",
              {"", "//foo.bar/?baz=qux#quuz", "/abc", "abc", "\\\\WINDOWS\\fileshare",
               "http:// shouldfail.com", ":// should fail", "bar,baz:x", "http://a/<b>",
               "http://a/%zz", "http://[::1", "http://[:::1]/", "http://a:b/", "1http://a",
               "http://a b", "http://\xC3\xA4/"},
              {"http://foo.bar/?baz=qux#quuz", "http://foo.com/blah_(wikipedia)_blah#cite-1",
               "ldap://[2001:db8::7]/c=GB?objectClass?one", "mailto:John.Doe@example.com",
               "urn:oasis:names:specification:docbook:dtd:xml:4.1.2", "tel:+1-816-555-1212",
               "http://u:p@h:80/%41", "file:///etc", "a:", "http://[v1.x:y]:8/"}},
         }) {
        auto const format = format_from(one.format);
        REQUIRE(format);
        CHECK(name_of(*format) == one.format);
        for (auto const text : one.refused) {
            INFO(one.format << ": " << text);
            CHECK_FALSE(has_format(*format, text));
        }
        for (auto const text : one.accepted) {
            INFO(one.format << ": " << text);
            CHECK(has_format(*format, text));
        }
    }
    CHECK_FALSE(format_from("idn-hostname"));
    CHECK_FALSE(format_from(""));
}

TEST_CASE("decimals compare by value, whatever their spelling and size") {
    std::vector<std::vector<std::string_view>> const ascending{
        {"-1e99999999999999999999", "-2e99999999999999999998"},
        {"-1e400"},
        {"-123456789012345678901234567890"},
        {"-10", "-1e1", "-10.000", "-0.1e2"},
        {"-9.99999999999999999999"},
        {"-1e-400"},
        {"0", "-0", "0.000", "0e99999999999999999999", "-0.0e-5"},
        {"1e-400"},
        {"0.1", "1e-1", "0.10", "10e-2"},
        {"0.10000000000000000001"},
        {"1", "1.0", "1e0", "0.01e2"},
        {"9007199254740993"},
        {"9007199254740994"},
        {"1e400", "10e399"},
    };
    for (std::size_t i = 1; i < ascending.size(); ++i) {
        for (std::size_t j = 1; j < ascending.size(); ++j) {
            for (auto const left : ascending[i]) {
                for (auto const right : ascending[j]) {
                    INFO(left << " and " << right);
                    int const expected = i < j ? -1 : i > j ? 1 : 0;
                    CHECK(Decimal::compare(Decimal{left}, Decimal{right}) == expected);
                    std::string left_text;
                    std::string right_text;
                    Decimal{left}.append_canonical(left_text);
                    Decimal{right}.append_canonical(right_text);
                    CHECK((left_text == right_text) == (i == j));
                }
            }
        }
    }
}

TEST_CASE("the grammar of numbers is that of RFC 8259") {
    for (std::string_view const text : {"", "-", "+1", "01", "-01", ".5", "1.", "1e", "1e+", "1.e5",
                                        "0x1", "1 ", " 1", "1.5.5", "NaN", "--1"}) {
        INFO(text);
        CHECK_FALSE(is_number(text));
    }
    for (std::string_view const text :
         {"0", "-0", "10", "1.5", "0.5e-10", "1E+5", "-1e0", "123456789012345678901234567890"}) {
        INFO(text);
        CHECK(is_number(text));
    }
}

} // namespace
} // namespace sallyport::contract::test::values_test
