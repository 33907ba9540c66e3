// Query values, userinfo and control characters do not reach the log.
#include "gateway/observe/loggable.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace loggable_test {

using namespace sallyport::observe;
using namespace std::string_literals;

namespace {

std::vector<std::string_view> names(std::string_view query,
                                    std::vector<std::string_view> const& declared) {
    auto const shown = loggable_query(query, [&declared](std::string_view name) {
        auto const known = std::find(declared.begin(), declared.end(), name);
        return known == declared.end() ? std::string_view{} : *known;
    });
    return {shown.view().begin(), shown.view().end()};
}

} // namespace

TEST_CASE("a path is logged without its query, fragment and parameters") {
    CHECK(loggable_path("/v1/a?token=CANARY") == "/v1/a");
    CHECK(loggable_path("/v1/a#CANARY") == "/v1/a");
    CHECK(loggable_path("/v1/a;session=CANARY/b") == "/v1/a");
    CHECK(loggable_path("/v1/a%3ftoken=CANARY") == "/v1/a");
    CHECK(loggable_path("/v1/a%3Ftoken=CANARY") == "/v1/a");
    CHECK(loggable_path("/v1/a%23CANARY") == "/v1/a");
    CHECK(loggable_path("/v1/a%3BCANARY") == "/v1/a");
    CHECK(loggable_path("?CANARY").empty());
    CHECK(loggable_path("/v1/a") == "/v1/a");
    CHECK(loggable_path("/v1/a@b/%C3%A9%3") == "/v1/a@b/%C3%A9%3");
    CHECK(loggable_path("/") == "/");
}

TEST_CASE("userinfo is never part of a logged path") {
    CHECK(loggable_path("http://user:CANARY@host/v1/a?b") == "/v1/a");
    CHECK(loggable_path("http://user:CAN/ARY@host/v1/a") == "/v1/a");
    CHECK(loggable_path("http://user:CANARY@host").empty());
    CHECK(loggable_path("http://user:CANARY@host?x=/y").empty());
    CHECK(loggable_path("//user:CANARY@host/v1").empty());
    CHECK(loggable_path("/http://user:CANARY@host/v1") == "/");
    CHECK(loggable_path("/http://user:CAN;ARY@host/v1") == "/");
    CHECK(loggable_path("/a/http://CANARY@host/v1") == "/a/");
    CHECK(loggable_path("/a//CANARY@host/v1") == "/a");
    CHECK(loggable_path("/\\u:CANARY@h/x").empty());
    CHECK(loggable_path("/a/\\CANARY@h/x") == "/a");
    CHECK(loggable_path("/a\\CANARY@h/x") == "/a");
    CHECK(loggable_path("/http:\\\\u:CANARY@h/x") == "/");
    CHECK(loggable_path("/blob/http:%2f%2fu:CANARY@h/x") == "/blob/");
    CHECK(loggable_path("/blob/%2f%2fCANARY@h/x") == "/blob");
    CHECK(loggable_path("/blob/a%2FCANARY@h/x") == "/blob/a");
    CHECK(loggable_path("/blob/a%5cCANARY@h/x") == "/blob/a");
    CHECK(loggable_path("/blob/u%3ACANARY%40h/x") == "/blob/");
    CHECK(loggable_path("/blob/u:CANARY%40h/x") == "/blob/");
    CHECK(loggable_path("/blob/http%253a%252f%252fu%253aCANARY%2540h/x") == "/blob/");
    CHECK(loggable_path("/u:CAN?ARY@h/x") == "/");
    CHECK(loggable_path("/u:CAN%253fARY@h/x") == "/");
    CHECK(loggable_path("http://user:CAN/;ARY@host/v1").empty());
    CHECK(loggable_path("http://user:CANARY%40host/v1") == "/v1");
    CHECK(loggable_path("//user:CAN?ARY@host/v1").empty());
    CHECK(loggable_path("//user:CAN%3fARY@host/v1").empty());
    CHECK(loggable_path("/v1?next=//user:CANARY@host") == "/v1");
    CHECK(loggable_path("http://user:CAN;ARY@host/v1").empty());
    CHECK(loggable_path("http://user:CAN?ARY@host/v1").empty());
    CHECK(loggable_path("user:CANARY@host:443").empty());
    CHECK(loggable_path("http:\\\\user:CANARY@host\\v1").empty());
    CHECK(loggable_path("https://host/v1/a") == "/v1/a");
    CHECK(loggable_path("/a//b") == "/a//b");
    CHECK(loggable_path("/a@b/x:y") == "/a@b/x:y");
    CHECK(loggable_path("/users/a%40b.c?d") == "/users/a%40b.c");
    CHECK(loggable_path("/a:b/c?d") == "/a:b/c");
    CHECK(loggable_path("/a%2fb\\c:d") == "/a%2fb\\c:d");
    CHECK(loggable_path("/users/a@b.c") == "/users/a@b.c");
    CHECK(loggable_path("*").empty());
    CHECK(loggable_path("").empty());
}

TEST_CASE("a method is logged only if it is plausible") {
    for (auto const* const method : {"GET", "get", "BREW", "M-SEARCH", "VERSION_CONTROL", "HTTP2"})
        CHECK(loggable_method(method) == method);
    for (auto const* const method :
         {"CAN'ARY", "CAN.ARY", "a!CANARY", "GET/CANARY", "GET\tCANARY", "k=CANARY", "\xC3\x84"})
        CHECK(loggable_method(method).empty());
    CHECK(loggable_method(std::string(32, 'x')).size() == 32);
    CHECK(loggable_method(std::string(33, 'x')).empty());
    CHECK(loggable_method("").empty());
}

TEST_CASE("names of query parameters are logged only if the contract declares them") {
    std::vector<std::string_view> const declared = {"limit", "page"};
    using Names = std::vector<std::string_view>;
    CHECK(names("CANARY", declared) == Names{"*"});
    CHECK(names("token=CANARY&limit=CANARY", declared) == Names{"*", "limit"});
    CHECK(names("limit", declared) == Names{"limit"});
    CHECK(names("Limit=1&lim%69t=2&limit%20=3", declared) == Names{"*"});
    CHECK(names("limit=1;page=2", declared) == Names{"limit"});
    CHECK(names("page=1&limit=2&page=3&x&y", declared) == Names{"page", "limit", "*"});
    CHECK(names("&&", declared).empty());
    CHECK(names("=CANARY", declared) == Names{"*"});
    CHECK(names("", declared).empty());
    CHECK(names("a=b", {}) == Names{"*"});
}

TEST_CASE("more declared query names than a line holds are left out") {
    std::vector<std::string> texts;
    std::string query;
    for (std::size_t i = 0; i < 2 * LoggableQuery::most; ++i) {
        texts.push_back("name" + std::to_string(i));
        query += "&" + texts.back() + "=1";
    }
    std::vector<std::string_view> const declared{texts.begin(), texts.end()};
    CHECK(names(query, declared).size() == LoggableQuery::most);
}

TEST_CASE("fields that may contain a secret are not loggable") {
    for (auto const* const name :
         {"Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key", "Referer",
          "Location", "Host", "X-Forwarded-For", "", "Accept2"}) {
        CHECK_FALSE(is_loggable_field(name));
    }
    CHECK(is_loggable_field("content-TYPE"));
    CHECK(is_loggable_field("Transfer-Encoding"));
}

TEST_CASE("untrusted bytes become printable ASCII in a line of text") {
    CHECK(loggable("a b") == "a b");
    CHECK(loggable("a\r\nb\x1B[31m\x7F\\\"\0"s) == R"(a\x0d\x0ab\x1b[31m\x7f\x5c\x22\x00)");
    CHECK(loggable("\u00e9\xFF") == R"(\xc3\xa9\xff)");
    CHECK(loggable(std::string(256, 'x')) == std::string(256, 'x'));
    CHECK(loggable(std::string(257, 'x')) == std::string(256, 'x') + "[...]");
    CHECK(loggable("abc", 2) == "ab[...]");
}

TEST_CASE("a trace is logged if it is valid by W3C Trace Context") {
    std::string const trace = "0af7651916cd43dd8448eb211c80319c";
    std::string const parent = "b7ad6b7169203331";
    CHECK(loggable_trace_id("00-" + trace + "-" + parent + "-01") == trace);
    CHECK(loggable_trace_id("00-" + trace + "-" + parent + "-00") == trace);
    CHECK(loggable_trace_id("cc-" + trace + "-" + parent + "-01") == trace);
    CHECK(loggable_trace_id("cc-" + trace + "-" + parent + "-01-what-comes") == trace);
    for (auto const& text :
         {std::string{}, trace, "ff-" + trace + "-" + parent + "-01",
          "00-" + trace + "-" + parent + "-01-", "00-" + trace + "-" + parent + "-01x",
          "cc-" + trace + "-" + parent + "-01x", "00-" + trace + "-" + parent + "-0",
          "00-" + trace + "-" + parent + "-0G", "00-" + trace + "-" + parent + "_01",
          "00-" + std::string(32, '0') + "-" + parent + "-01",
          "00-" + trace + "-" + std::string(16, '0') + "-01",
          "00-0AF7651916CD43DD8448EB211C80319C-" + parent + "-01",
          "0x-" + trace + "-" + parent + "-01", "00_" + trace + "-" + parent + "-01",
          "00-" + trace + "_" + parent + "-01", " 00-" + trace + "-" + parent + "-01"}) {
        CAPTURE(text);
        CHECK(loggable_trace_id(text).empty());
    }
}

} // namespace loggable_test
