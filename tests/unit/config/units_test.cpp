// Durations, sizes, points in time, addresses, endpoints, secrets and the helpers for messages.
#include "config/addresses.h"
#include "config/text.h"
#include "config/types.h"
#include "config/units.h"

#include <catch2/catch.hpp>
#include <type_traits>
#include <vector>

namespace units_test {

using namespace sallyport::config;
using namespace std::chrono_literals;

TEST_CASE("what is no duration is refused") {
    for (std::string_view const text : {"", "10", "s", "10 s", "-1s", "+1s", "1.5s", "10S", "10sec",
                                        "10s ", " 10s", "1d", "9999999999999s", "0x10s", "10\0s"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_duration(text).has_value());
    }
}

TEST_CASE("durations are digits and a unit") {
    CHECK(parse_duration("0ms") == 0ms);
    CHECK(parse_duration("250ms") == 250ms);
    CHECK(parse_duration("10s") == 10s);
    CHECK(parse_duration("5m") == 5min);
    CHECK(parse_duration("24h") == 24h);
    CHECK(parse_duration("999999999999h") == std::chrono::hours{999999999999});
}

TEST_CASE("what is no size is refused") {
    for (std::string_view const text : {"", "16", "KiB", "16KB", "16K", "16kib", "16 KiB", "-1B",
                                        "1.5MiB", "16TiB", "999999999999GiB", "1234567890123B"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_size(text).has_value());
    }
}

TEST_CASE("sizes are digits and a unit of 1024") {
    CHECK(parse_size("0B") == ByteCount{0});
    CHECK(parse_size("16KiB") == kibibytes(16));
    CHECK(parse_size("1MiB") == ByteCount{1048576});
    CHECK(parse_size("2GiB") == gibibytes(2));
}

TEST_CASE("durations and sizes are written as they are read") {
    CHECK(format_duration(0ms) == "0ms");
    CHECK(format_duration(1500ms) == "1500ms");
    CHECK(format_duration(60s) == "60s");
    CHECK(format_duration(310s) == "310s");
    CHECK(format_duration(1h) == "1h");
    CHECK(format_size(ByteCount{0}) == "0B");
    CHECK(format_size(ByteCount{1000}) == "1000B");
    CHECK(format_size(kibibytes(16)) == "16KiB");
    CHECK(format_size(mebibytes(1024)) == "1GiB");
}

TEST_CASE("what is no point in time is refused") {
    for (std::string_view const text :
         {"", "2027-06-30", "2027-06-30T00:00:00", "2027-06-30 00:00:00Z", "2027-13-01T00:00:00Z",
          "2027-02-29T00:00:00Z", "2027-06-30T24:00:00Z", "2027-06-30T00:60:00Z",
          "2027-06-30T00:00:60Z", "2027-06-30T00:00:00.Z", "2027-06-30T00:00:00+0200",
          "2027-06-30T00:00:00+24:00", "2027-06-30T00:00:00Zx", "1969-12-31T23:59:59Z",
          "2262-01-01T00:00:00Z", "27-06-30T00:00:00Z", "2027-6-30T00:00:00Z"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_date_time(text).has_value());
    }
}

TEST_CASE("points in time are read as RFC 3339 has them") {
    std::chrono::sys_days const day{std::chrono::year{2027} / 6 / 30};
    CHECK(parse_date_time("2027-06-30T00:00:00Z") == day);
    CHECK(parse_date_time("2027-06-30t12:30:15z") == day + 12h + 30min + 15s);
    CHECK(parse_date_time("2027-06-30T02:00:00+02:00") == day);
    CHECK(parse_date_time("2027-06-29T19:30:00-04:30") == day);
    CHECK(parse_date_time("2027-06-30T00:00:00.25Z") == day + 250ms);
    CHECK(parse_date_time("2027-06-30T00:00:00.1234567890123Z") == day + 123456789ns);
    CHECK(parse_date_time("2028-02-29T00:00:00Z").has_value());
}

TEST_CASE("what is no address is refused") {
    for (std::string_view const text :
         {"", "8443", ":8443", "localhost:8443", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536",
          "127.0.0.1:-1", "127.0.0.1:+1", "127.1:80", "::1:80", "[::1]", "[::1]80", "[::1%eth0]:80",
          "[127.0.0.1]:80", "256.0.0.1:80", "127.0.0.1:80 ", "[]:80", "*:80"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_address(text).has_value());
    }
}

TEST_CASE("addresses are IP and port, in canonical spelling") {
    auto const v4 = parse_address("127.0.0.1:8443");
    REQUIRE(v4);
    CHECK(v4->ip == "127.0.0.1");
    CHECK(v4->port == 8443);
    auto const v6 = parse_address("[0:0:0:0:0:0:0:1]:0");
    REQUIRE(v6);
    CHECK(v6->ip == "::1");
    CHECK(v6->port == 0);
}

TEST_CASE("what is no endpoint is refused with what to write") {
    struct Case {
        std::string_view text;
        std::string_view problem;
    };
    Case const cases[] = {
        {"a:80", "not an endpoint"},
        {"ftp://a", "not an endpoint"},
        {"http://", "not a host name or an IP address"},
        {"http://a//", "the path of the endpoint is not a plain one"},
        {"http://a/b/../c", "the path of the endpoint is not a plain one"},
        {"http://a/./", "the path of the endpoint is not a plain one"},
        {"http://a/%62", "the path of the endpoint is not a plain one"},
        {"http://a/b;c", "the path of the endpoint is not a plain one"},
        {"http://a/b c", "the path of the endpoint is not a plain one"},
        {"https://a?x", "an endpoint has no query: the client's is passed on"},
        {"https://a/b?x", "an endpoint has no query: the client's is passed on"},
        {"https://a/b#x", "an endpoint has no query: the client's is passed on"},
        {"http://u:p@a", "an endpoint takes no user name or password"},
        {"http://a:0", "the port is not a number from 1 to 65535"},
        {"http://a:65536", "the port is not a number from 1 to 65535"},
        {"http://a:", "the port is not a number from 1 to 65535"},
        {"http://a b", "not a host name or an IP address"},
        {"http://[::1", "not a host name or an IP address"},
        {"http://::1", "not a host name or an IP address"},
        {"http://a..b", "not a host name or an IP address"},
        {"unix:", "the path of a socket must begin with /"},
        {"unix:run/x", "the path of a socket must begin with /"},
    };
    for (auto const& [text, problem] : cases) {
        CAPTURE(text);
        ParsedEndpoint const parsed = parse_endpoint(text);
        CHECK_FALSE(parsed.endpoint.has_value());
        CHECK(parsed.problem == problem);
        CHECK_FALSE(parsed.hint.empty());
    }
    CHECK(parse_endpoint("unix:/" + std::string(107, 'x')).problem
          == "the path of a socket is longer than 107 bytes");
}

TEST_CASE("endpoints are http, https and unix sockets") {
    auto const http = parse_endpoint("http://127.0.0.1:8123").endpoint;
    REQUIRE(http);
    CHECK(http->scheme == Scheme::http);
    CHECK(http->host == "127.0.0.1");
    CHECK(http->port == 8123);
    auto const https = parse_endpoint("https://api.example.com").endpoint;
    REQUIRE(https);
    CHECK(https->scheme == Scheme::https);
    CHECK(https->port == 443);
    CHECK(https->path.empty());
    auto const based = parse_endpoint("https://a:81/base/v.1/").endpoint;
    REQUIRE(based);
    CHECK(based->host == "a");
    CHECK(based->port == 81);
    CHECK(based->path == "/base/v.1");
    CHECK(based->text == "https://a:81/base/v.1/");
    REQUIRE(parse_endpoint("http://a/").endpoint);
    CHECK(parse_endpoint("http://a/").endpoint->path.empty());
    auto const v6 = parse_endpoint("http://[::1]:80").endpoint;
    REQUIRE(v6);
    CHECK(v6->host == "::1");
    auto const socket = parse_endpoint("unix:/run/x.sock").endpoint;
    REQUIRE(socket);
    CHECK(socket->scheme == Scheme::unix_socket);
    CHECK(socket->socket == "/run/x.sock");
    CHECK(parse_endpoint("unix:/" + std::string(106, 'x')).endpoint.has_value());
}

TEST_CASE("a secret converts to nothing, is not copied, and is gone after a move") {
    static_assert(!std::is_copy_constructible_v<Secret>);
    static_assert(!std::is_copy_assignable_v<Secret>);
    static_assert(!std::is_convertible_v<Secret, std::string_view>);
    static_assert(!std::is_convertible_v<std::string, Secret>);
    Secret first{"hunter2"};
    CHECK(first.reveal() == "hunter2");
    Secret second{std::move(first)};
    CHECK(first.is_empty()); // NOLINT(bugprone-use-after-move): what is left is what is tested
    CHECK(first.reveal().empty());
    CHECK(second.reveal() == "hunter2");
    first = Secret{"other"};
    first = std::move(second);
    CHECK(first.reveal() == "hunter2");
    CHECK(Secret{}.is_empty());
}

TEST_CASE("a wiped text holds nothing, and its memory neither") {
    std::string text = "a secret that is longer than the small buffer of a string";
    char const* const memory = text.data();
    std::size_t const size = text.size();
    wipe(text);
    CHECK(text.empty());
    REQUIRE(text.data() == memory);
    CHECK(std::string_view{memory, size}.find_first_not_of('\0') == std::string_view::npos);
}

TEST_CASE("texts are quoted so that no terminal obeys them") {
    CHECK(in_quotes("a\"b\\c\n\x1b[0m\x7f") == "\"a\\\"b\\\\c\\n\\x1b[0m\\x7f\"");
    CHECK(in_quotes("\xFF\xC3\xA4") == "\"???\"");
    CHECK(in_quotes("\xC3\xA4") == "\"\xC3\xA4\"");
    CHECK(in_quotes(std::string(61, 'x')) == '"' + std::string(60, 'x') + "...\"");
}

TEST_CASE("control characters have names, and stand in no line as they are") {
    CHECK(name_of_control('\0') == "U+0000 (NUL)");
    CHECK(name_of_control('\x1b') == "U+001B, a control character");
    CHECK(name_of_control('\x7f') == "U+007F, a control character");
    CHECK(printable(std::string_view{"a\0\"b\\c\n\xC3\xA4", 9}) == "a\\x00\"b\\c\\n\xC3\xA4");
}

TEST_CASE("a near word is suggested, a far one is not") {
    std::vector<std::string_view> const words{"listeners", "limits", "drain", "minimum_version"};
    CHECK(nearest("listners", words) == "listeners");
    CHECK(nearest("limit", words) == "limits");
    CHECK(nearest("minimumVersion", words) == "minimum_version");
    CHECK(nearest("dirain", words) == "drain");
    CHECK(nearest("darin", words) == "drain");
    CHECK_FALSE(nearest("servers", words).has_value());
    CHECK_FALSE(nearest(std::string(100'000, 'l'), words).has_value());
    CHECK_FALSE(nearest("x", {}).has_value());
    std::string const longest(64, 'l');
    std::vector<std::string_view> const long_words{longest};
    CHECK(nearest(std::string(43, 'l'), long_words) == longest); // a third is missing
    CHECK_FALSE(nearest(std::string(42, 'l'), long_words).has_value());
    CHECK(nearest(std::string(63, 'l') + 'x', long_words) == longest);
    CHECK_FALSE(nearest(longest + 'l', long_words).has_value());
    CHECK(suggestion("zzz", words) == "write one of listeners, limits, drain or minimum_version");
    CHECK(suggestion("zzz", {}).empty());
}

} // namespace units_test
