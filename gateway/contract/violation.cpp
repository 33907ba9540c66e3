// Violations as the client reads them.
#include "gateway/contract/violation.h"

#include "gateway/text/utf8.h"

#include <array>

namespace sallyport::contract {

namespace {

struct CodePoint {
    unsigned number = 0;
    std::size_t size = 0; // in bytes; 0: there is none
};

// The code point at the beginning of `text`, if it could break the line or change the direction of
// the text when it is shown: control characters (C0, DEL, C1), U+2028 to U+202E, U+2066 to U+2069.
CodePoint unshowable(std::string_view text) noexcept {
    auto const byte = [text](std::size_t at) {
        return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
    };
    unsigned const first = byte(0);
    unsigned const second = byte(1);
    unsigned const third = byte(2);
    if (first < 0x20 || first == 0x7F) return {first, 1};
    if (first == 0xC2 && second >= 0x80 && second < 0xA0) return {second, 2};
    if (first != 0xE2) return {};
    if (second == 0x80 && third >= 0xA8 && third <= 0xAE) return {0x2000 + third - 0x80, 3};
    if (second == 0x81 && third >= 0xA6 && third <= 0xA9) return {0x2040 + third - 0x80, 3};
    return {};
}

// Appends a pointer with names of the client for people: in one line, in its own direction.
void append_shown(std::string& out, std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    while (!text.empty()) {
        auto const [number, size] = unshowable(text);
        if (size == 0) {
            out += text.front();
            text.remove_prefix(1);
            continue;
        }
        std::array<char, 6> const escape{'\\', 'u', digits[number >> 12U & 15U],
                                         digits[number >> 8U & 15U], digits[number >> 4U & 15U],
                                         digits[number & 15U]};
        out.append(escape.data(), escape.size());
        text.remove_prefix(size);
    }
}

} // namespace

void append_step(std::string& pointer, std::string_view name) {
    pointer += '/';
    for (char const c : name) {
        if (c == '~') {
            pointer += "~0";
        } else if (c == '/') {
            pointer += "~1";
        } else {
            pointer += c;
        }
    }
}

std::string cut_name(std::string_view name) {
    // RFC 3629, 3: a character has at most four bytes. Names in a query may not be UTF-8 at all.
    constexpr std::size_t most_bytes = 4 * longest_client_name;
    std::size_t characters = 0;
    std::size_t at = 0;
    for (; at < name.size() && at < most_bytes; ++at) {
        bool const is_first = !text::is_continuation(name[at]);
        if (is_first && ++characters > longest_client_name) break;
    }
    std::string cut{name.substr(0, at)};
    if (at < name.size()) cut += "\u2026";
    return cut;
}

void append_pointer(std::string& out, Violation const& violation, std::size_t which,
                    ToItsSender key) {
    std::string_view const as_sent = violation.pointer_as_sent.read(key);
    std::string_view pointer = as_sent.empty() ? violation.pointer : as_sent;
    bool const has_name = !violation.undeclared.empty();
    if (has_name && as_sent.empty()) pointer.remove_suffix(std::string_view{"/*"}.size());
    out += pointer;
    if (has_name) append_step(out, violation.undeclared[which].read(key));
}

void append_message(std::string& out, Violation const& violation, std::size_t which,
                    ToItsSender key) {
    std::size_t const before = out.size();
    out += violation.name;
    if (violation.undeclared.empty() && violation.pointer_as_sent.empty()) {
        out += violation.pointer;
    } else {
        std::string pointer;
        append_pointer(pointer, violation, which, key);
        append_shown(out, pointer);
    }
    if (!violation.missing.empty()) append_step(out, violation.missing);
    if (out.size() == before) out += violation.in == ValuePlace::query ? "the query" : "the body";
    out += ' ';
    out += violation.phrase;
}

} // namespace sallyport::contract
