// Which requests open a WebSocket; keys and what follows from them.
#include "gateway/websocket/handshake.h"
#include "gateway/websocket/key.h"

#include "tests/unit/websocket/heads.h"

#include <catch2/catch.hpp>

#include <string>

namespace handshake_test {

using namespace sallyport;
using namespace sallyport::websocket;
using namespace sallyport::websocket::test;

namespace {

constexpr std::string_view upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\n";
constexpr std::string_view key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
constexpr std::string_view version = "Sec-WebSocket-Version: 13\r\n";

std::string joined(std::initializer_list<std::string_view> parts) {
    std::string text;
    for (auto const part : parts)
        text += part;
    return text;
}

std::string judge(std::string_view text) {
    auto const head = request(text);
    REQUIRE(rule_of(head->refused).empty());
    Offer offer;
    auto const refused = judge_request(*head->head, offer);
    if (refused != nullptr) CHECK(refused->kind == http::RefusalKind::bad_request);
    return rule_of(refused);
}

std::string judge_lines(std::string_view lines) {
    return judge("GET /chat HTTP/1.1\r\nHost: a.example\r\n" + std::string{lines} + "\r\n");
}

} // namespace

TEST_CASE("the request of RFC 6455, 1.2 opens a WebSocket") {
    auto const head = request("GET /chat HTTP/1.1\r\n"
                              "Host: server.example.com\r\n"
                              "Upgrade: websocket\r\n"
                              "Connection: Upgrade\r\n"
                              "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                              "Origin: http://example.com\r\n"
                              "Sec-WebSocket-Protocol: chat, superchat\r\n"
                              "Sec-WebSocket-Version: 13\r\n\r\n");
    REQUIRE(rule_of(head->refused).empty());
    CHECK(asks_for_websocket(*head->head));
    Offer offer;
    CHECK(rule_of(judge_request(*head->head, offer)).empty());
    CHECK(offer.key == example_key);
    CHECK(offer.subprotocols.size() == 2);
    CHECK(offer.subprotocols.has("superchat"));
    CHECK(offer.extensions.is_empty());
}

TEST_CASE("a WebSocket is opened with GET, over HTTP/1.1, and without a body") {
    auto const fields = joined({"Host: a.example\r\n", upgrade, key, version});
    CHECK(judge("GET / HTTP/1.1\r\n" + fields + "\r\n").empty());
    CHECK(judge("POST / HTTP/1.1\r\n" + fields + "\r\n") == "method_not_get");
    CHECK(judge("HEAD / HTTP/1.1\r\n" + fields + "\r\n") == "method_not_get");
    CHECK(judge("GET / HTTP/1.0\r\n" + fields + "\r\n") == "upgrade_in_http_1_0");
    CHECK(judge("GET / HTTP/1.1\r\n" + fields + "Content-Length: 1\r\n\r\n")
          == "upgrade_with_body");
    CHECK(judge("GET / HTTP/1.1\r\n" + fields + "Transfer-Encoding: chunked\r\n\r\n")
          == "upgrade_with_body");
    CHECK(judge("GET / HTTP/1.1\r\n" + fields + "Content-Length: 0\r\n\r\n").empty());
}

TEST_CASE("Upgrade names websocket and Connection names upgrade, in any case and any list") {
    CHECK(judge_lines(joined({key, version})) == "upgrade_not_websocket");
    CHECK(judge_lines(joined({"Upgrade: h2c\r\nConnection: upgrade\r\n", key, version}))
          == "upgrade_not_websocket");
    CHECK(judge_lines(joined({"Upgrade: websocket/13\r\nConnection: upgrade\r\n", key, version}))
          == "upgrade_not_websocket");
    CHECK(judge_lines(joined({"Upgrade: websocket\r\n", key, version}))
          == "connection_without_upgrade");
    CHECK(judge_lines(joined({"Upgrade: websocket\r\nConnection: keep-alive\r\n", key, version}))
          == "connection_without_upgrade");
    // Firefox sends the first of these.
    CHECK(judge_lines(
              joined({"Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n", key, version}))
              .empty());
    CHECK(judge_lines(joined({"Upgrade: h2c, WebSocket\r\nConnection: x\r\nConnection: UPGRADE\r\n",
                              key, version}))
              .empty());
    CHECK(judge_lines(joined({"Upgrade: h2c\r\nUpgrade: websocket\r\nConnection: upgrade\r\n", key,
                              version}))
              .empty());
}

TEST_CASE("a request asks for WebSocket if Upgrade names it, and not in HTTP/1.0") {
    auto const asks = [](std::string_view start, std::string_view line) {
        auto const head =
            request(std::string{start} + "\r\nHost: a.example\r\n" + std::string{line} + "\r\n");
        REQUIRE(rule_of(head->refused).empty());
        return asks_for_websocket(*head->head);
    };
    CHECK(asks("GET / HTTP/1.1", "Upgrade: foo, WEBSOCKET\r\n"));
    CHECK(asks("POST / HTTP/1.1", "Upgrade: websocket\r\n"));
    CHECK_FALSE(asks("GET / HTTP/1.0", "Upgrade: websocket\r\n"));
    CHECK_FALSE(asks("GET / HTTP/1.1", "Upgrade: h2c\r\n"));
    CHECK_FALSE(asks("GET / HTTP/1.1", "X: websocket\r\n"));
}

TEST_CASE("Sec-WebSocket-Version is 13, and there once") {
    CHECK(judge_lines(joined({upgrade, key})) == "websocket_version");
    for (auto const* const value : {"8", "013", "13, 8", "14", ""})
        CHECK(judge_lines(joined({upgrade, key, "Sec-WebSocket-Version: ", value, "\r\n"}))
              == "websocket_version");
    CHECK(judge_lines(joined({upgrade, key, version, version})) == "websocket_version");
    CHECK(judge_lines(joined({upgrade, key, "sec-websocket-version: 13\r\n"})).empty());
}

TEST_CASE("Sec-WebSocket-Key is 16 bytes in base64, and there once") {
    CHECK(judge_lines(joined({upgrade, version})) == "missing_websocket_key");
    CHECK(judge_lines(joined({upgrade, version, key, key})) == "repeated_websocket_key");
    for (auto const* const value : {
             "", "==",
             "dGhlIHNhbXBsZSBub25jZQ=",  // one sign of padding
             "dGhlIHNhbXBsZSBub25jZQ",   // none
             "SGVsbG8sIHdvcmxkIQ==",     // 13 bytes
             "dGhlIHNhbXBsZSBub25jZTE=", // 17 bytes
             "dGhlIHNhbXBsZSBub25jZTEx", // 18 bytes
             "dGhlIHNhbXBsZSBub25j-Q==", // of base64url
             "dGhlIHNhbXBsZSBub25jZQ==," // and more
         })
        CHECK(judge_lines(joined({upgrade, version, "Sec-WebSocket-Key: ", value, "\r\n"}))
              == "malformed_websocket_key");
    CHECK(judge_lines(joined({upgrade, version, "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAA+/A==\r\n"}))
              .empty());
}

TEST_CASE("the accept value is that of RFC 6455, 1.3") {
    auto const accept = accept_of(example_key);
    REQUIRE(accept);
    CHECK(accept->text() == example_accept);
    CHECK_FALSE(accept_of("dGhlIHNhbXBsZSBub25jZQ="));
}

TEST_CASE("a key of ours is a key, and another one each time") {
    auto const one = make_key();
    auto const other = make_key();
    REQUIRE(one);
    REQUIRE(other);
    CHECK(is_key(one->text()));
    CHECK(one->text() != other->text());
}

TEST_CASE("in HTTP/2 the protocol is named by its pseudo field, and there is no key") {
    auto const judge_h2 = [](std::string_view protocol, std::string_view lines) {
        auto const head = request_with(lines);
        REQUIRE(rule_of(head->refused).empty());
        Offer offer;
        auto const rule = rule_of(judge_extended_connect(protocol, head->fields(), offer));
        CHECK(offer.key.empty());
        if (rule.empty()) {
            CHECK(offer.subprotocols.has("chat"));
            CHECK(offer.extensions.has("permessage-deflate"));
        }
        return rule;
    };
    // RFC 8441, 5.1.
    constexpr std::string_view lines = "Sec-WebSocket-Protocol: chat, superchat\r\n"
                                       "Sec-WebSocket-Extensions: permessage-deflate\r\n"
                                       "Sec-WebSocket-Version: 13\r\n"
                                       "Origin: http://www.example.com\r\n";
    CHECK(judge_h2("websocket", lines).empty());
    CHECK(judge_h2("websocket", joined({lines, key})).empty());
    CHECK(judge_h2("connect-udp", lines) == "protocol_not_websocket");
    CHECK(judge_h2("", lines) == "protocol_not_websocket");
    CHECK(judge_h2("websocket", "X: y\r\n") == "websocket_version");
}

} // namespace handshake_test
