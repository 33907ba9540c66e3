// Formats that the shipped contracts do not use, each compared with its standard.
#include "gateway/contract/schema/format.h"
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

namespace sallyport::contract::test::formats_test {
namespace {

struct FormatCase {
    std::string_view format;
    std::vector<std::string_view> refused;
    std::vector<std::string_view> accepted;
};

TEST_CASE("formats of strings follow their standards") {
    std::string const long_label(64, 'a');
    std::string const long_local = std::string(65, 'a') + "@example.com";
    for (auto const& one : std::vector<FormatCase>{
             {"duration",
              {"", "P", "PT", "P1", "1D", "PT1D", "P1D2H", "P2D1Y", "P1Y2D", "PT1H2S", "P1W1D",
               "P2S", "PT0.5S", "p1D", "P1YT", "PT1M1M", "P-1D", "P1D "},
              {"P4DT12H30M5S", "P4Y", "PT0S", "P0D", "P1M", "PT1M", "PT36H", "P1DT12H", "P2W",
               "P1Y2M3D", "PT1H2M3S", "P1Y2M"}},
             {"email",
              {"",
               "2962",
               "a@",
               "@b.com",
               ".a@b.com",
               "a.@b.com",
               "a..b@c.com",
               "a b@c.com",
               "a@-b.com",
               "a@[127.0.0.300]",
               "a@[IPv6:1]",
               long_local,
               "\"a\"b\"@c.com",
               "\"a\\\"@c.com",
               "a@b..c",
               R"("a\\"b"@example.com)",
               R"(""x"@x.com)",
               R"("""@x.com)",
               R"("a\"@x.com)",
               R"("@x.com)",
               "\"a\tb\"@x.com",
               R"(a@xn--X.com)"},
              {"joe.bloggs@example.com", "te~st@example.com", "\"joe bloggs\"@example.com",
               "\"joe..bloggs\"@example.com", "\"joe@bloggs\"@example.com", "a@[127.0.0.1]",
               "a@[IPv6:::1]", "\"a\\\"b\"@c.com", R"("a\\b"@example.com)",
               R"("a\\\"b"@example.com)", R"(""@x.com)"}},
             {"hostname",
              {"",
               ".",
               "-a.com",
               "a-.com",
               "a..b",
               "a.b.",
               "not_valid",
               long_label,
               "a b",
               "\xC3\xA4.com",
               "xn--X",
               "xn--",
               "XN--X.com",
               "xn--a",
               "xn--abc-",
               "xn--99999999",
               "xn--zzzzzz9",
               "xn----",
               "a.xn--a-b.c",
               "xn--aa---o47jg78q"},
              {"www.example.com", "xn--4gbwdl.xn--wgbh1c", "a", "1.2.3.4", "a-b--c.d",
               "xn--ihqwcrb4cv8a8dqg056pqjye", "xn--mnchen-3ya.de", "XN--MNCHEN-3YA",
               "xn--bcher-kva", "xn--nxasmq6b", "xn--maana-pta", "xn--ls8h"}},
             {"uri-reference",
              {"\\\\WINDOWS\\fileshare", "#frag\\ment", "a b", "1a:b", "%zz", "//[::1", "/{a}"},
              {"", "http://foo.bar/?baz=qux#quuz", "//foo.bar/?baz=qux#quuz", "/abc", "abc",
               "#fragment", "?q", "./a:b", "a/b:c"}},
             {"json-pointer",
              {"a", "/foo/bar~", "/~2", "#", "#/a", "/~", "~0"},
              {"", "/", "/foo/bar~0/baz~1/%a", "/foo//bar", "/~1~0", "/ "}},
             {"regex",
              {"^(abc]",
               "(",
               "a**",
               "[b-a]",
               "\\",
               "\\y",
               "(?x)",
               "\\k<",
               "[a",
               "a{2,1}",
               "\\k<x>",
               "\\1",
               "(a)\\2",
               "(?:a)\\1",
               "(?<1a>x)",
               "(?<n>a)(?<n>b)",
               "(?<n>a)\\k<m>",
               "(?=a)*",
               "(?<=a){2}",
               "(?<a-b>x)"},
              {"", "([abc])+\\s+$", "(?=a)b", "(a)\\1", "(?<n>a)\\k<n>", "(?<!x)y", "\\p{L}",
               "\\k<n>(?<n>a)", "\\1(a)",
               "(?<$_\xC3\xA4"
               "1>x)",
               "(?<\\u0061>x)\\k<a>", "a{2,99999}", "((a{999}){999}){999}"}},
             {"byte",
              {"a", "abc", "ab=c", "a===", "ab==cd==", "a-_=", " YQ=="},
              {"", "YQ==", "YWI=", "YWJj", "+/+/"}},
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
}

TEST_CASE("formats of numbers limit numbers, and do not apply to strings") {
    Checker of_32{"format: int32"};
    CHECK(of_32.verdict("2147483648") == "the body must be an integer of 32 bits");
    CHECK(of_32.verdict("-2147483649") == "the body must be an integer of 32 bits");
    CHECK(of_32.verdict("0.5") == "the body must be an integer of 32 bits");
    CHECK(of_32.verdict("2147483647.0") == "valid");
    CHECK(of_32.verdict("\"x\"") == "valid");
    Checker of_64{"format: int64"};
    CHECK(of_64.verdict("9223372036854775808") == "the body must be an integer of 64 bits");
    CHECK(of_64.verdict("-9223372036854775808") == "valid");
    CHECK(of_64.verdict("9223372036854775807") == "valid");
    Checker single{"format: float"};
    CHECK(single.verdict("3.5e38") == "the body must be a number within single precision");
    CHECK(single.verdict("-1e400") == "the body must be a number within single precision");
    CHECK(single.verdict("3.4e38") == "valid");
    // The usual text of numbers that are rounded to the largest double; half a step above it is
    // infinite.
    CHECK(single.verdict("3.4028234663852886e38") == "valid");
    CHECK(single.verdict("-3.4028235e38") == "valid");
    CHECK(single.verdict("340282356779733661637539395458142568447") == "valid");
    CHECK(single.verdict("340282356779733661637539395458142568448")
          == "the body must be a number within single precision");
    CHECK(single.verdict("0.1") == "valid");
    Checker twice{"format: double"};
    CHECK(twice.verdict("1.8e308") == "the body must be a number within double precision");
    CHECK(twice.verdict("1.7976931348623159e308")
          == "the body must be a number within double precision");
    CHECK(twice.verdict("1.7976931348623158e308") == "valid");
    CHECK(twice.verdict("-1.7976931348623158e308") == "valid");
    CHECK(twice.verdict("123456789012345678901234567890") == "valid");
}

} // namespace
} // namespace sallyport::contract::test::formats_test
