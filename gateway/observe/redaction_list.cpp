// Compares names of members in their folded form.
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

constexpr std::uint16_t no_name = UINT16_MAX;

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
    shortest_.front().fill(0);
    for (std::size_t row = 1; row < shortest_.size(); ++row) {
        shortest_[row].fill(no_name);
        shortest_[row].front() = 0;
    }
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
    if (folded.size() < 2) return; // may_have() lets names of one letter pass
    auto& shortest = shortest_[row_of(folded[folded.size() - 2])][row_of(folded.back())];
    shortest = std::min(shortest, static_cast<std::uint16_t>(folded.size()));
}

bool RedactionList::has_folded(FoldedName const& name) const noexcept {
    return name.is_too_long() || name.text().ends_with(secret_ending)
           || std::binary_search(names_.begin(), names_.end(), name.text());
}

bool RedactionList::is_listed(std::string_view name) const noexcept {
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
