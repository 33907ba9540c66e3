// Compares names of members in their folded form, and tells most of them apart by two letters.
#include "gateway/observe/redaction_list.h"

#include "gateway/observe/json_string.h"

#include <algorithm>

namespace sallyport::observe {

namespace {

constexpr std::string_view secret_ending = "passwordhash";

constexpr std::array<std::string_view, 18> built_in_names = {
    "password",      "connectionString", "secret",    "clientSecret", "keySecret",
    "secretKey",     "secretAccessKey",  "accessKey", "privateKey",   "serviceAccountKey",
    "encryptionKey", "credentials",      "token",     "accessToken",  "refreshToken",
    "apiKey",        "authorization",    "uploadUrl",
};

constexpr bool is_letter_or_digit(char byte) {
    auto const letter = static_cast<unsigned char>(byte) | 0x20U;
    return letter - 'a' <= 'z' - 'a' || static_cast<unsigned char>(byte) - unsigned{'0'} <= 9;
}

constexpr std::uint16_t no_name = UINT16_MAX;

constexpr std::size_t row_of(char byte) {
    return static_cast<unsigned char>(byte) & 31U;
}

constexpr std::uint32_t bit_of(char byte) {
    return std::uint32_t{1} << (static_cast<unsigned char>(byte) & 31U);
}

} // namespace

// A name in the form in which names are compared: UTF-8 in small letters, without `_` and `-`.
class FoldedName {
public:
    void add(std::string_view text) noexcept {
        for (auto const byte : text)
            add(byte);
    }

    void add(std::uint32_t code_point) noexcept {
        auto const tail = [](std::uint32_t bits) {
            return static_cast<char>(0x80 | (bits & 0x3F));
        };
        if (code_point < 0x80) return add(static_cast<char>(code_point));
        if (code_point < 0x800) {
            add(static_cast<char>(0xC0 | (code_point >> 6)));
            return add(tail(code_point));
        }
        if (code_point < 0x10000) {
            add(static_cast<char>(0xE0 | (code_point >> 12)));
        } else {
            add(static_cast<char>(0xF0 | (code_point >> 18)));
            add(tail(code_point >> 12));
        }
        add(tail(code_point >> 6));
        add(tail(code_point));
    }

    bool is_too_long() const noexcept { return size_ > RedactionList::longest_name; }
    std::string_view text() const noexcept { return {bytes_.data(), size_}; }

private:
    void add(char byte) noexcept {
        if (byte == '_' || byte == '-') return;
        if (byte >= 'A' && byte <= 'Z') byte = static_cast<char>(byte - 'A' + 'a');
        if (size_ == bytes_.size()) return; // and stays too long
        bytes_[size_++] = byte;
        // The two letters outside ASCII whose other case is inside (Unicode, CaseFolding.txt):
        // U+017F is an s, U+212A a k.
        replace_ending("\xC5\xBF", 's');
        replace_ending("\xE2\x84\xAA", 'k');
    }

    void replace_ending(std::string_view ending, char letter) noexcept {
        if (!text().ends_with(ending)) return;
        size_ -= ending.size();
        bytes_[size_++] = letter;
    }

    // The last letter may have come as three bytes.
    std::array<char, RedactionList::longest_name + 2> bytes_;
    std::size_t size_ = 0;
};

RedactionList::RedactionList() {
    for (auto& row : shortest_)
        row.fill(no_name);
    for (auto const name : built_in_names)
        add(name);
    remember_ending(secret_ending);
}

void RedactionList::add(std::string_view name) {
    FoldedName folded;
    folded.add(name);
    if (folded.text().empty()) return;
    auto const place = std::lower_bound(names_.begin(), names_.end(), folded.text());
    if (place != names_.end() && *place == folded.text()) return;
    names_.emplace(place, folded.text());
    remember_ending(folded.text());
}

void RedactionList::remember_ending(std::string_view folded) noexcept {
    auto const last = bit_of(folded.back());
    if (folded.size() == 1) {
        single_letters_ |= last;
    } else {
        auto& shortest = shortest_[row_of(folded[folded.size() - 2])][row_of(folded.back())];
        shortest = std::min(shortest, static_cast<std::uint16_t>(folded.size()));
    }
}

// False only when the name, which has no escapes, cannot be listed. Two letters or digits at its
// end are the end of its folded form; the lower five bits of a letter are the same in both cases.
bool RedactionList::may_have(std::string_view name) const noexcept {
    if (name.empty() || !is_letter_or_digit(name.back())) return true;
    auto const last = bit_of(name.back());
    if (name.size() == 1) return (single_letters_ & last) != 0;
    auto const before = name[name.size() - 2];
    return !is_letter_or_digit(before) || name.size() > longest_name
           || name.size() >= shortest_[row_of(before)][row_of(name.back())];
}

bool RedactionList::has_folded(FoldedName const& name) const noexcept {
    return name.is_too_long() || name.text().ends_with(secret_ending)
           || std::binary_search(names_.begin(), names_.end(), name.text());
}

bool RedactionList::has(std::string_view name) const noexcept {
    if (!may_have(name)) return false;
    FoldedName folded;
    folded.add(name);
    return has_folded(folded);
}

bool RedactionList::has_escaped(std::string_view name) const noexcept {
    FoldedName folded;
    while (!name.empty()) {
        auto const ordinary = name.substr(0, ordinary_prefix(name));
        folded.add(ordinary);
        name.remove_prefix(ordinary.size());
        if (name.empty()) break;
        auto const escape = read_escape(name);
        if (escape.size == 0) return true; // nobody can say what this name is
        folded.add(escape.code_point);
        name.remove_prefix(escape.size);
    }
    return has_folded(folded);
}

} // namespace sallyport::observe
