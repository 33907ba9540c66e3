// Lists of extensions, and the bits of frames that they may set.
#include "gateway/websocket/extensions.h"

#include "tests/unit/websocket/heads.h"

#include <catch2/catch.hpp>

#include <string>

namespace extensions_test {

using namespace sallyport;
using namespace sallyport::websocket;
using namespace sallyport::websocket::test;

namespace {

// The rule, or the names.
std::string read(std::string const& value) {
    auto const head = request_with("Sec-WebSocket-Extensions: " + value + "\r\n");
    REQUIRE(rule_of(head->refused).empty());
    TokenList names;
    auto const refused = read_extensions(head->fields(), http::Sender::client, names);
    if (refused != nullptr) return rule_of(refused);
    std::string text;
    for (auto const name : names)
        text += "[" + std::string{name} + "]";
    return text;
}

} // namespace

TEST_CASE("extensions are names with parameters") {
    CHECK(read("").empty());
    CHECK(read("permessage-deflate") == "[permessage-deflate]");
    // What browsers send, and an example of RFC 7692, 7.1.
    CHECK(read("permessage-deflate; client_max_window_bits") == "[permessage-deflate]");
    CHECK(read("permessage-deflate; client_max_window_bits; server_max_window_bits=10, "
               "permessage-deflate; client_max_window_bits")
          == "[permessage-deflate]");
    // RFC 6455, 9.1.
    CHECK(read("foo,, bar; baz=2") == "[foo][bar]");
    CHECK(read("foo ; a = \"b\" ;c , bar") == "[foo][bar]");
    CHECK(read("foo; a=\"\\b\\c\"") == "[foo]");
}

TEST_CASE("what is not of that grammar is refused") {
    for (auto const* const value :
         {"foo bar", ";a", "foo;", "foo; =b", "foo; a=", "foo; a=\"\"", "foo; a=\"b",
          "foo; a=\"b\\", "foo; a=\"b c\"", "foo; a=\"b,c\"", "foo; a=b c", "foo; a=\"b\"c",
          "f(oo)", "foo=b"}) {
        INFO(value);
        CHECK(read(value) == "malformed_extensions");
    }
}

TEST_CASE("32 extensions are read, 33 are refused, also of one name") {
    std::string value = "a";
    for (int i = 1; i < 32; ++i)
        value += ", a";
    CHECK(read(value) == "[a]");
    CHECK(read(value + ", a") == "too_many_extensions");
}

TEST_CASE("extensions decide which reserved bits frames may set") {
    TokenList none;
    CHECK(reserved_bits(none).of_first == 0);
    CHECK(reserved_bits(none).of_any == 0);
    TokenList deflate;
    deflate.push("permessage-deflate");
    CHECK(reserved_bits(deflate).of_first == 0x40);
    CHECK(reserved_bits(deflate).of_any == 0);
    deflate.push("x-other");
    CHECK(reserved_bits(deflate).of_first == 0x70);
    CHECK(reserved_bits(deflate).of_any == 0x70);
}

} // namespace extensions_test
