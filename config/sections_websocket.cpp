// The keys `upgrade` and `websocket` of an API: which WebSockets it opens (RFC 6455), and for whom.
#include "config/sections.h"
#include "config/text.h"
#include "gateway/text/ascii.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace sallyport::config {

namespace {

enum class Protocol : std::uint8_t { websocket };
std::vector<Word<Protocol>> const upgrade_words{{"websocket", Protocol::websocket}};

constexpr std::size_t longest_token_prefix = 128;

void read_upgrade(Reader& reader, Value const& value, ApiDraft& out) {
    for (Value const& item : reader.read_list(value, Empty::refused)) {
        if (!read_word(reader, item, upgrade_words)) continue;
        if (out.upgrades_to_websocket) reader.refuse(item, "is given twice", "remove one");
        out.upgrades_to_websocket = true;
    }
}

// Of the characters of a subprotocol (RFC 9110, 5.6.2) those that prefixes in use have.
bool is_prefix(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
        return text::is_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
    });
}

void read_token_prefix(Reader& reader, Value const& value, WebSocket& out) {
    auto prefix = reader.read_line(value, longest_token_prefix);
    if (!prefix) return;
    if (!is_prefix(*prefix)) {
        reader.refuse(value, Reader::shown(value) + " is no begin of a subprotocol",
                      "write letters, digits, '.', '_' and '-'");
    } else {
        out.token_prefix = std::move(*prefix);
    }
}

Section<WebSocket> const& websocket_section() {
    KeyInfo origins{"origins", origins_shape(EveryOrigin::refused),
                    "web pages that may open a WebSocket, beside those of x-upgrade: "
                    "https://app.example.com, all hosts below one as https://*.example.com"};
    KeyInfo token_prefix{"token_prefix", text_shape(longest_token_prefix, "^[A-Za-z0-9._-]+$"),
                         "what stands before a Bearer token, in base64url, in an entry of "
                         "Sec-WebSocket-Protocol; without it tokens are not looked for there"};
    static Section<WebSocket> const section{
        "websocket",
        {
            custom_key<WebSocket>(std::move(origins),
                                  [](Reader& reader, Value const& value, WebSocket& out) {
                                      read_origins(reader, value, EveryOrigin::refused,
                                                   out.origins);
                                  }),
            duration_key("idle", &WebSocket::idle, Duration{1}, std::chrono::hours{24},
                         "the longest silence, where x-timeouts and rules say nothing of it"),
            custom_key<WebSocket>(std::move(token_prefix), read_token_prefix),
        }};
    return section;
}

} // namespace

void add_keys_of_websockets(std::vector<Key<ApiDraft>>& keys) {
    KeyInfo upgrade{"upgrade",
                    list_shape(word_shape(infos_of(upgrade_words)), 1, no_limit, Repeats::refused),
                    "protocols that `paths` may change to"};
    keys.push_back(custom_key<ApiDraft>(std::move(upgrade), read_upgrade)
                       .needing("paths", "x-upgrade of the contract marks what opens a WebSocket"));
    keys.push_back(custom_key<ApiDraft>(
        {"websocket", section_shape(websocket_section().info()), "who may open WebSockets"},
        [](Reader& reader, Value const& value, ApiDraft& out) {
            WebSocket& websocket = out.websocket.emplace();
            websocket.origin = Reader::origin_of(value);
            websocket_section().read(reader, value, websocket);
        }));
}

void check_websockets(Reader& reader, Value const& value, ApiDraft const& api) {
    auto const& methods = api.methods;
    bool const has_get = std::find(methods.begin(), methods.end(), "GET") != methods.end();
    if (api.upgrades_to_websocket && !methods.empty() && !has_get)
        reader.refuse(Reader::child(value, "upgrade"), "a WebSocket is opened with GET",
                      "add GET to methods");
    if (api.websocket && value.node->find("contract") == nullptr
        && value.node->find("upgrade") == nullptr)
        reader.refuse(Reader::child(value, "websocket"), "no path of the API opens a WebSocket",
                      "write upgrade: [websocket] beside it");
}

} // namespace sallyport::config
