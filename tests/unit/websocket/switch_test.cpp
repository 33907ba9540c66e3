// Which responses of an upstream agree to the change of protocols.
#include "gateway/websocket/handshake.h"

#include "tests/unit/websocket/heads.h"

#include <catch2/catch.hpp>

#include <string>

namespace switch_test {

using namespace sallyport;
using namespace sallyport::websocket;
using namespace sallyport::websocket::test;

namespace {

std::string const upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\n";
std::string const accept = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n";

Offer example_offer() {
    Offer offer;
    offer.key = example_key;
    offer.subprotocols.push("chat");
    offer.subprotocols.push("superchat");
    offer.extensions.push("permessage-deflate");
    return offer;
}

std::string judge(std::string const& lines, Selection& selection) {
    auto const head = response_with(lines);
    REQUIRE(rule_of(head->refused).empty());
    auto const refused = judge_switch(*head->head, example_accept, example_offer(), selection);
    if (refused != nullptr) CHECK(refused->kind == http::RefusalKind::upstream_invalid);
    CHECK((selection.subprotocol.empty() || refused != nullptr || selection.subprotocol == "chat"));
    selection.subprotocol = {}; // its head goes
    return rule_of(refused);
}

std::string judge(std::string const& lines) {
    Selection selection;
    return judge(lines, selection);
}

} // namespace

TEST_CASE("the response of RFC 6455, 1.2 agrees") {
    CHECK(judge(upgrade + accept + "Sec-WebSocket-Protocol: chat\r\n").empty());
    CHECK(judge("upgrade: WebSocket\r\nconnection: keep-alive, upgrade\r\n" + accept).empty());
}

TEST_CASE("a response whose Upgrade is not websocket alone is invalid") {
    CHECK(judge("Connection: Upgrade\r\n" + accept) == "upgrade_not_websocket");
    CHECK(judge("Connection: Upgrade\r\nUpgrade: h2c\r\n" + accept) == "upgrade_not_websocket");
    CHECK(judge("Connection: Upgrade\r\nUpgrade: websocket, h2c\r\n" + accept)
          == "upgrade_not_websocket");
    CHECK(judge(upgrade + "Upgrade: websocket\r\n" + accept) == "upgrade_not_websocket");
    CHECK(judge("Upgrade: websocket\r\n" + accept) == "connection_without_upgrade");
    CHECK(judge("Upgrade: websocket\r\nConnection: close\r\n" + accept)
          == "connection_without_upgrade");
}

TEST_CASE("a response that does not show that it has read the key is invalid") {
    CHECK(judge(upgrade) == "missing_websocket_accept");
    CHECK(judge(upgrade + accept + accept) == "repeated_websocket_accept");
    CHECK(judge(upgrade + "Sec-WebSocket-Accept: S3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n")
          == "wrong_websocket_accept");
    CHECK(judge(upgrade + "Sec-WebSocket-Accept:\r\n") == "wrong_websocket_accept");
}

TEST_CASE("an upstream selects one subprotocol of those that were offered, or none") {
    CHECK(judge(upgrade + accept + "Sec-WebSocket-Protocol: other\r\n")
          == "subprotocol_not_offered");
    CHECK(judge(upgrade + accept + "Sec-WebSocket-Protocol: Chat\r\n")
          == "subprotocol_not_offered");
    CHECK(judge(upgrade + accept + "Sec-WebSocket-Protocol: chat, superchat\r\n")
          == "several_subprotocols_selected");
    CHECK(judge(upgrade + accept
                + "Sec-WebSocket-Protocol: chat\r\nSec-WebSocket-Protocol: "
                  "superchat\r\n")
          == "several_subprotocols_selected");
    CHECK(judge(upgrade + accept + "Sec-WebSocket-Protocol: c(h)at\r\n")
          == "malformed_subprotocols");
}

TEST_CASE("an upstream selects extensions of those that were offered, which decide about bits") {
    Selection selection;
    CHECK(judge(upgrade + accept, selection).empty());
    CHECK(selection.reserved.of_first == 0);
    CHECK(selection.reserved.of_any == 0);
    CHECK(judge(upgrade + accept
                    + "Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=10\r\n",
                selection)
              .empty());
    CHECK(selection.extensions.size() == 1);
    CHECK(selection.reserved.of_first == rsv1);
    CHECK(selection.reserved.of_any == 0);
    CHECK(judge(upgrade + accept + "Sec-WebSocket-Extensions: x-other\r\n")
          == "extension_not_offered");
    CHECK(judge(upgrade + accept + "Sec-WebSocket-Extensions: permessage-deflate, x-other\r\n")
          == "extension_not_offered");
    CHECK(judge(upgrade + accept + "Sec-WebSocket-Extensions: permessage-deflate;\r\n")
          == "malformed_extensions");
}

} // namespace switch_test
