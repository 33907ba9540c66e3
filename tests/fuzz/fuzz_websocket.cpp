// Fuzzes the frames of WebSocket: however they are cut, the same is passed on, which is what a
// plain reading of the whole text finds; and the lists of handshakes. The first bytes select the
// direction, the extensions and the pieces.
#include "check.h"

#include "gateway/http/head.h"
#include "gateway/websocket/extensions.h"
#include "gateway/websocket/frame_reader.h"
#include "gateway/websocket/subprotocols.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace sallyport;
using namespace sallyport::websocket;
using sallyport::fuzz::check;
using sallyport::fuzz::Copy;
using sallyport::fuzz::take_byte;

// What a reading of the whole text finds.
struct Plain {
    std::size_t passed = 0;
    std::vector<bool> is_border; // by the number of bytes passed
    bool violates = false;
    bool closes = false;
    std::uint64_t messages = 0;
    std::uint64_t pings = 0;
};

struct Direction {
    bool is_client = false;
    std::array<unsigned, 2> reserved{}; // of the first frame of a message, and of others
};

// RFC 6455, 5.2, as its figure has it: bit by bit. False: the frame is not valid, or not whole
// enough to know.
struct PlainFrame {
    bool is_known = false;
    bool is_valid = false;
    bool is_final = false;
    unsigned opcode = 0;
    std::size_t head = 0;
    std::uint64_t length = 0;
};

bool is_valid_start(unsigned first, unsigned second, bool in_message, Direction const& direction) {
    unsigned const opcode = first % 16;
    unsigned const length = second % 128;
    unsigned const reserved = first / 16 % 8;
    bool const starts = opcode == 1 || opcode == 2;
    if ((reserved & ~direction.reserved[starts ? 0 : 1]) != 0) return false;
    if ((second >= 128) != direction.is_client) return false;
    switch (opcode) {
    case 0: return in_message;
    case 1:
    case 2: return !in_message;
    case 8: return first >= 128 && length < 126 && length != 1;
    case 9:
    case 10: return first >= 128 && length < 126;
    default: return false;
    }
}

PlainFrame read_plainly(std::string_view text, bool in_message, Direction const& direction) {
    PlainFrame frame;
    auto const at = [text](std::size_t i) {
        return static_cast<unsigned>(static_cast<unsigned char>(text[i]));
    };
    if (text.size() < 2) return frame;
    frame.is_final = at(0) >= 128;
    frame.opcode = at(0) % 16;
    if (!is_valid_start(at(0), at(1), in_message, direction)) {
        frame.is_known = true;
        return frame;
    }
    frame.length = at(1) % 128;
    std::size_t const more = frame.length == 126 ? 2 : frame.length == 127 ? 8 : 0;
    frame.head = 2 + more + (direction.is_client ? 4 : 0);
    if (text.size() < frame.head) return frame;
    frame.is_known = true;
    if (more == 0) {
        frame.is_valid = true;
        return frame;
    }
    frame.length = 0;
    for (std::size_t i = 0; i < more; ++i)
        frame.length = frame.length * 256 + at(2 + i);
    frame.is_valid = more == 2 ? frame.length >= 126
                               : frame.length >= 65'536 && frame.length < 0x8000'0000'0000'0000;
    return frame;
}

Plain read_all(std::string_view text, Direction const& direction) {
    Plain plain;
    plain.is_border.assign(text.size() + 1, false);
    bool in_message = false;
    for (;;) {
        plain.is_border[plain.passed] = true;
        auto const rest = text.substr(plain.passed);
        auto const frame = read_plainly(rest, in_message, direction);
        if (!frame.is_known) return plain;
        if (!frame.is_valid) {
            plain.violates = true;
            return plain;
        }
        if (frame.opcode < 8) in_message = !frame.is_final;
        if (rest.size() - frame.head < frame.length) {
            plain.passed = text.size();
            return plain;
        }
        plain.passed += frame.head + static_cast<std::size_t>(frame.length);
        if (frame.opcode < 8 && frame.is_final) ++plain.messages;
        if (frame.opcode == 9) ++plain.pings;
        if (frame.opcode == 8) {
            plain.closes = true;
            plain.is_border[plain.passed] = true;
            return plain;
        }
    }
}

// A reader that was asked to stop at the piece with the middle of the text passes on what is under
// way, and finds the same violation and the same close frame.
void check_stop(std::string_view input, std::size_t piece, FrameReader reader, Plain const& plain) {
    std::string passed;
    std::size_t before = 0;
    for (std::size_t at = 0; at < input.size(); at += piece) {
        if (at <= input.size() / 2 && at + piece > input.size() / 2) {
            reader.stop_at_border();
            before = passed.size();
        }
        Copy const part{input.substr(at, piece)};
        auto const more = reader.take(part.view());
        passed += more.carried;
        passed += more.bytes;
    }
    auto end = before;
    while (end < plain.passed && !plain.is_border[end])
        ++end;
    check(passed == input.substr(0, end), "what is under way is passed on, and nothing else");
    check(reader.has_stopped() || !plain.is_border[end] || input.empty(), "a border is found");
    check(reader.violated().empty() != plain.violates, "violations are found behind the border");
    check(reader.has_closed() == plain.closes, "a close frame is found behind the border");
}

void check_frames(std::string_view input) {
    auto const choice = take_byte(input);
    std::size_t const piece = 1U + take_byte(input) % 32U;
    auto const sender = choice % 2 == 0 ? http::Sender::client : http::Sender::upstream;
    TokenList extensions;
    Direction direction{.is_client = choice % 2 == 0, .reserved = {}};
    if (choice / 4 % 3 == 1) {
        extensions.push("permessage-deflate");
        direction.reserved = {4, 0};
    } else if (choice / 4 % 3 == 2) {
        extensions.push("x-other");
        direction.reserved = {7, 7};
    }

    auto const plain = read_all(input, direction);
    FrameReader reader{sender, reserved_bits(extensions)};
    std::string passed;
    for (std::size_t at = 0; at < input.size(); at += piece) {
        Copy const part{input.substr(at, piece)};
        auto const more = reader.take(part.view());
        passed += more.carried;
        passed += more.bytes;
        check(reader.is_at_border() == plain.is_border[passed.size()],
              "borders are where they are");
    }
    check(passed == input.substr(0, plain.passed), "the same bytes are passed on");
    check(reader.violated().empty() != plain.violates, "the same frames are refused");
    check(reader.has_closed() == plain.closes, "the same frame closes");
    check(reader.counts().bytes == plain.passed, "bytes are counted");
    check(reader.counts().messages == plain.messages, "messages are counted");
    check(reader.counts().pings == plain.pings, "pings are counted");
    check_stop(input, piece, {sender, reserved_bits(extensions)}, plain);
}

std::string head_with(std::string_view name, std::string_view value) {
    return "GET / HTTP/1.1\r\nHost: a\r\n" + std::string{name} + ": " + std::string{value}
           + "\r\n\r\n";
}

// What is read of a list, written again, is read as the same.
void check_lists(std::string_view value) {
    value = value.substr(0, value.find_first_of("\r\n")); // of one line
    auto const head = std::make_unique<http::RequestHead>();
    auto const text = head_with("Sec-WebSocket-Protocol", value);
    if (http::parse_request_head(text, {}, *head) != nullptr) return;
    TokenList list;
    if (read_subprotocols(head->fields, http::Sender::client, list) == nullptr) {
        std::optional<config::Secret> token;
        auto const size = list.size();
        bool const is_refused = take_credential(list, "b.", token) != nullptr;
        check(!is_refused || !token, "nothing is taken of a refused list");
        check(list.size() == size - (token ? 1 : 0), "only the credential is taken");
        auto const joined = head_with("Sec-WebSocket-Protocol", join_subprotocols(list));
        auto const again = std::make_unique<http::RequestHead>();
        check(http::parse_request_head(joined, {}, *again) == nullptr, "a field with the list");
        TokenList same;
        check(read_subprotocols(again->fields, http::Sender::upstream, same) == nullptr,
              "what is left is a list");
        check(std::equal(list.begin(), list.end(), same.begin(), same.end()), "the same list");
        for (auto const one : list)
            check(!token || !one.starts_with("b."), "no credential is left");
    }
    auto const other = head_with("Sec-WebSocket-Extensions", value);
    if (http::parse_request_head(other, {}, *head) != nullptr) return;
    TokenList names;
    if (read_extensions(head->fields, http::Sender::client, names) != nullptr) return;
    for (auto const name : names)
        check(http::is_all_of(http::token_character, name), "a name is a token");
    check(names.is_empty() == (value.find_first_not_of(", \t") == std::string_view::npos),
          "what is no list of nothing has names");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    auto input = sallyport::fuzz::view_of(data, size);
    if (size > 0 && data[0] % 4 == 3) {
        input.remove_prefix(1);
        check_lists(input);
        return 0;
    }
    check_frames(input);
    return 0;
}
