// Lists of subprotocols, and credentials in them.
#include "gateway/websocket/subprotocols.h"

#include "tests/unit/websocket/heads.h"

#include <catch2/catch.hpp>

#include <string>

namespace subprotocols_test {

using namespace sallyport;
using namespace sallyport::websocket;
using namespace sallyport::websocket::test;

namespace {

constexpr std::string_view prefix = "base64url.bearer.authorization.k8s.io.";

struct Read {
    std::string rule;
    std::string names; // as the field would have them
};

Read read(std::string_view lines) {
    auto const head = request_with(lines);
    REQUIRE(rule_of(head->refused).empty());
    TokenList list;
    auto const refused = read_subprotocols(head->fields(), http::Sender::client, list);
    return {rule_of(refused), join_subprotocols(list)};
}

Read read_value(std::string const& value) {
    return read("Sec-WebSocket-Protocol: " + value + "\r\n");
}

struct Taken {
    std::string rule;
    std::string left;
    std::string token;
};

Taken take(std::string const& value, std::string_view own_prefix = prefix) {
    auto const head = request_with("Sec-WebSocket-Protocol: " + value + "\r\n");
    TokenList list;
    REQUIRE(rule_of(read_subprotocols(head->fields(), http::Sender::client, list)).empty());
    std::optional<config::Secret> token;
    auto const refused = take_credential(list, own_prefix, token);
    return {rule_of(refused), join_subprotocols(list),
            token ? std::string{token->reveal()} : std::string{}};
}

} // namespace

TEST_CASE("subprotocols are tokens, in one field or several") {
    CHECK(read("X: y\r\n").names.empty());
    CHECK(read("X: y\r\n").rule.empty());
    CHECK(read_value("chat").names == "chat");
    CHECK(read_value("chat,superchat ,, v1.x").names == "chat, superchat, v1.x");
    CHECK(read("Sec-WebSocket-Protocol: a\r\nSec-WebSocket-Protocol: b, c\r\n").names == "a, b, c");
}

TEST_CASE("what is no list of different tokens is refused") {
    CHECK(read_value("").rule == "malformed_subprotocols");
    CHECK(read_value(", ,").rule == "malformed_subprotocols");
    CHECK(read_value("a b").rule == "malformed_subprotocols");
    CHECK(read_value("a;b").rule == "malformed_subprotocols");
    CHECK(read_value("\"a\"").rule == "malformed_subprotocols");
    CHECK(read_value("a=").rule == "malformed_subprotocols");
    CHECK(read_value("a, b, a").rule == "repeated_subprotocol");
    CHECK(read("Sec-WebSocket-Protocol: a\r\nSec-WebSocket-Protocol: a\r\n").rule
          == "repeated_subprotocol");
    CHECK(read_value("a, A").rule.empty());
}

TEST_CASE("32 subprotocols are read, 33 are refused") {
    std::string value = "p0";
    for (int i = 1; i < 32; ++i)
        value += ", p" + std::to_string(i);
    CHECK(read_value(value).rule.empty());
    CHECK(read_value(value + ", p32").rule == "too_many_subprotocols");
}

TEST_CASE("a credential is taken out of the list, wherever it stands") {
    // "a.b-c/d+e==" in base64url
    std::string const entry = std::string{prefix} + "YS5iLWMvZCtlPT0";
    auto taken = take(entry + ", chat, superchat");
    CHECK(taken.rule.empty());
    CHECK(taken.token == "a.b-c/d+e==");
    CHECK(taken.left == "chat, superchat");
    CHECK(take("chat, " + entry + ", superchat").left == "chat, superchat");
    CHECK(take("chat, superchat, " + entry).left == "chat, superchat");
    CHECK(take("chat, superchat, " + entry).token == "a.b-c/d+e==");
}

TEST_CASE("without an entry with the prefix nothing is taken") {
    auto taken = take("chat, base64url.bearer.authorization.k8s.i");
    CHECK(taken.rule.empty());
    CHECK(taken.token.empty());
    CHECK(taken.left == "chat, base64url.bearer.authorization.k8s.i");
    CHECK(take("chat, bearer.YWJj", "bearer.").token == "abc");
}

TEST_CASE("a credential that is malformed, repeated or alone is refused") {
    auto const entry = [](std::string const& encoded) {
        return "chat, " + std::string{prefix} + encoded;
    };
    CHECK(take(entry("")).rule == "malformed_credential");
    CHECK(take(entry("YWI")).token == "ab");
    CHECK(take(entry("YWJ")).rule == "malformed_credential");   // bits behind the last byte
    CHECK(take(entry("Y")).rule == "malformed_credential");     // of no byte
    CHECK(take(entry("YWJj+")).rule == "malformed_credential"); // of base64
    CHECK(take(entry("YQ0K")).rule == "malformed_credential");  // "a" CR LF
    CHECK(take(entry("YSBi")).rule == "malformed_credential");  // "a b"
    CHECK(take(entry("PT0")).rule == "malformed_credential");   // "=="
    CHECK(take(entry("YT1i")).rule == "malformed_credential");  // "a=b"
    CHECK(take(entry("YWJj") + ", " + std::string{prefix} + "YWJk").rule == "repeated_credential");
    CHECK(take(std::string{prefix} + "YWJj").rule == "credential_alone");
    CHECK(take(entry("YSBi")).token.empty());
}

} // namespace subprotocols_test
