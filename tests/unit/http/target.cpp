// Targets: their forms, the policy for paths, decoding, and the names of a query.
#include "gateway/http/target.h"

#include <catch2/catch.hpp>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace target {

namespace {

using namespace sallyport::http;

// "path|query", or the violated rule.
std::string judge(std::string_view raw) {
    auto const bytes = std::make_unique<char[]>(raw.size());
    raw.copy(bytes.get(), raw.size());
    Target target;
    if (auto const refused = parse_target({bytes.get(), raw.size()}, target))
        return std::string{refused->rule};
    return std::string{target.path} + "|" + std::string{target.query};
}

void check(std::string_view rule, std::vector<std::string> const& targets) {
    for (auto const& target : targets) {
        INFO(target);
        CHECK(judge(target) == rule);
    }
}

} // namespace

TEST_CASE("dot segments are refused at any position") {
    check("dot_segment", {"/.", "/..", "/./", "/../", "/a/.", "/a/..", "/a/./b", "/a/../b", "/./a",
                          "/../a", "/a/b/..", "/..?a", "http://h/..", "http://h/./a"});
}

TEST_CASE("dots in an escape are refused, alone and mixed with plain ones") {
    check("encoded_delimiter", {"/%2e", "/%2E", "/%2e%2e", "/.%2e", "/%2e.", "/%2E%2e/a",
                                "/a/%2e%2e/b", "/a%2eb", "/a/.%2E"});
}

TEST_CASE("slashes in a row, backslashes and semicolons are refused") {
    check("empty_segment", {"//", "//a", "/a//b", "/a//", "///", "/a///b", "http://h//a"});
    check("backslash", {"/\\", "/a\\b", "/..\\a", "/a/\\.."});
    check("semicolon", {"/;", "/a;b", "/a;/b", "/..;/a", "/a;x=y"});
}

TEST_CASE("semicolons are noted for contracts that have them, but no dot segment in front of one") {
    auto const judge_noted = [](std::string_view raw) {
        Target target;
        if (auto const refused = parse_target(raw, target, {.semicolons = Spelling::noted}))
            return std::string{refused->rule};
        return std::string{target.has_semicolon ? "noted " : "none "} + std::string{target.path};
    };
    for (std::string_view const path : {"/..;/a", "/.;x/a", "/a/..;x=y", "/..;;", "/a/.;"}) {
        INFO(path);
        CHECK(judge_noted(path) == "dot_segment");
    }
    CHECK(judge_noted("/a;/../b") == "dot_segment");
    CHECK(judge_noted("/a;//b") == "empty_segment");
    CHECK(judge_noted("/a%3Bb") == "encoded_delimiter");
    CHECK(judge_noted("/a;x=%2e%2e") == "encoded_delimiter");
    CHECK(judge_noted("/a;x=y\\") == "backslash");
    CHECK(judge_noted("/a;x=y") == "noted /a;x=y");
    CHECK(judge_noted("/;x=y/b...;c") == "noted /;x=y/b...;c");
    CHECK(judge_noted("/a/b?c;d") == "none /a/b");
}

TEST_CASE("escaped slashes are noted where an API has them, but no dot segment beside one") {
    auto const judge_noted = [](std::string_view raw) {
        Target target;
        if (auto const refused =
                parse_target(raw, target, {.encoded_slashes = Spelling::noted}))
            return std::string{refused->rule};
        return std::string{target.has_encoded_slash ? "noted " : "none "}
               + std::string{target.path};
    };
    for (std::string_view const path :
         {"/..%2Fa", "/a%2F..", "/a%2f../b", "/a%2F..%2Fb", "/%2F.", "/.%2Fx", "/a%2F.%2f"}) {
        INFO(path);
        CHECK(judge_noted(path) == "dot_segment");
    }
    CHECK(judge_noted("/a%2F%2E%2E") == "encoded_delimiter");
    CHECK(judge_noted("/a%2F%5C") == "encoded_delimiter");
    CHECK(judge_noted("/a%2F//b") == "empty_segment");
    CHECK(judge_noted("/a/%2F/b") == "noted /a/%2F/b");
    CHECK(judge_noted("/a%2fb..%2F...c") == "noted /a%2fb..%2F...c");
    CHECK(judge_noted("/a?b=%2F..") == "none /a");
}

TEST_CASE("empty segments are noted where an API has them") {
    auto const judge_noted = [](std::string_view raw) {
        Target target;
        if (auto const refused = parse_target(raw, target, {.empty_segments = Spelling::noted}))
            return std::string{refused->rule};
        return std::string{target.has_empty_segment ? "noted " : "none "}
               + std::string{target.path};
    };
    CHECK(judge_noted("/a//..") == "dot_segment");
    CHECK(judge_noted("/a//b%2Fc") == "encoded_slash");
    CHECK(judge_noted("/a//b///") == "noted /a//b///");
    CHECK(judge_noted("//a") == "noted //a");
    CHECK(judge_noted("/a?//") == "none /a");
}

TEST_CASE("the digits of escapes are compared in upper case") {
    Target target;
    REQUIRE(parse_target("/caf%c3%A9/a", target) == nullptr);
    CHECK(target.has_lower_case_escape);
    CHECK(with_upper_case_escapes(target.path) == "/caf%C3%A9/a");
    REQUIRE(parse_target("/caf%C3%A9/abc", target) == nullptr);
    CHECK_FALSE(target.has_lower_case_escape);
    CHECK(with_plain_slashes("/a%2f%2Fb//c/") == "/a/b/c/");
}

TEST_CASE("escaped delimiters and controls in a path are refused") {
    check("encoded_delimiter", {"/%5c", "/%5C", "/%3f", "/%3F", "/a%3fb", "/%23", "/a%23b", "/%3b",
                                "/%3B", "/..%5ca"});
    check("encoded_slash", {"/%2f", "/%2F", "/a%2fb", "/..%2fa"});
    check("encoded_control", {"/%00", "/a%00", "/%00a", "/%0d", "/%0a", "/%0D%0A", "/%09", "/%1f",
                              "/%1F", "/%7f", "/%01"});
}

TEST_CASE("malformed escapes are refused, in paths and queries") {
    check("malformed_escape",
          {"/%", "/%2", "/a%", "/%g0", "/%0g", "/%%", "/%%32", "/% 0", "/%u0041", "/%-1", "/%+1",
           "/a?%", "/a?b=%2", "/a?b=%zz", "/a?%%", "/%2?a"});
}

TEST_CASE("escapes of a path that are not UTF-8 are refused") {
    check("path_not_utf8",
          {"/%ff", "/%c0%ae", "/%c0%af", "/%e0%80%ae", "/%c3", "/%c3a", "/%c3/a", "/%a9",
           "/%ed%a0%80", "/%f4%90%80%80", "/%c3%28a", "/a%e2%82", "/%e2%82?a"});
}

TEST_CASE("characters that are not allowed in a path are refused") {
    check("fragment", {"/#", "/a#b", "/a?b#c", "/#/..", "http://h#a"});
    check("non_ascii_target", {"/\xc3\xa9", "/\xff", "/a?\xc3\xa9", "/\x80"});
    check("character_of_no_path",
          {"/\"", "/<", "/>", "/[", "/]", "/^", "/`", "/{", "/|", "/}", "/a b", "/a\tb", "/\x01"});
}

TEST_CASE("targets of other forms are refused") {
    check("asterisk_form", {"*"});
    check("malformed_target",
          {"a",      "a/b",      "?a",      "*a",   "**",          "a:80",  "http:",      "http:/",
           "http:a", "ftp://a/", "ws://a/", "://a", "httpss://a/", "httpx", "mailto:a@b", "\\a",
           ".",      "..",       "%2f",     ""});
    check("malformed_target_authority",
          {"http://", "http:///a", "http://:80/", "http://a:x/", "http://a,b/", "http://[::1/",
           "http://a%2eb/", "http://?a", "http://#a", "http://a\\b/"});
    check("target_userinfo",
          {"http://a@b/", "http://a:b@c/", "http://@/", "http://a@", "https://%40@b/"});
}

TEST_CASE("plain targets pass, byte for byte") {
    struct Case {
        std::string_view raw, expected;
    };
    for (auto const& c : {
             Case{"/", "/|"},
             Case{"/v1/a/b", "/v1/a/b|"},
             Case{"/a/", "/a/|"},
             Case{"/a?", "/a|?"},
             Case{"/a?b=c&d", "/a|?b=c&d"},
             Case{"/a?b/../c//d;e\\f", "/a|?b/../c//d;e\\f"},
             Case{"/a?%00%2e%2f", "/a|?%00%2e%2f"},
             Case{"/a?b?c", "/a|?b?c"},
             Case{"/a?f[]={1|2}", "/a|?f[]={1|2}"},
             Case{"/...", "/...|"},
             Case{"/.a/b./..c/d..", "/.a/b./..c/d..|"},
             Case{"/a.b/c..d", "/a.b/c..d|"},
             Case{"/~-._!$&'()*+,=:@", "/~-._!$&'()*+,=:@|"},
             Case{"/a%20b%41%25", "/a%20b%41%25|"},
             Case{"/caf%C3%A9/%e2%82%ac/%f0%9f%98%80", "/caf%C3%A9/%e2%82%ac/%f0%9f%98%80|"},
             Case{"/%252e%252e", "/%252e%252e|"},
             Case{"http://h", "/|"},
             Case{"http://h/", "/|"},
             Case{"https://h:443/a/b?c", "/a/b|?c"},
             Case{"HTTPS://[::1]:1?c", "/|?c"},
             Case{"/http://h/a", "empty_segment"},
         }) {
        INFO(c.raw);
        CHECK(judge(c.raw) == c.expected);
    }
}

TEST_CASE("only the absolute form has an authority") {
    Target target;
    REQUIRE(!parse_target("/a", target));
    CHECK(!target.authority);
    REQUIRE(!parse_target("http://h:80/a", target));
    REQUIRE(target.authority);
    CHECK(target.authority->text == "h:80");
    REQUIRE(!parse_target("/b", target));
    CHECK(!target.authority);
}

TEST_CASE("the names of a query come out in order, without their values") {
    auto const names = [](std::string_view query) {
        std::string all;
        for_each_query_name(query, [&](std::string_view name) { all += std::string{name} + ";"; });
        return all;
    };
    CHECK(names("") == "");
    CHECK(names("?") == "");
    CHECK(names("?a=1&b&c=&=d&&e=f=g") == "a;b;c;;e;");
    CHECK(names("a=secret&b%20c=1") == "a;b%20c;");
    CHECK(names("?a=1&") == "a;");
}

} // namespace target
