// Escapes and classes of ECMA-262 patterns, with what Annex B adds to them.
#include "gateway/contract/patterns/pattern_input.h"

#include "gateway/contract/patterns/pattern_classes.h"
#include "gateway/text/ascii.h"
#include "gateway/text/utf8.h"

#include <algorithm>
#include <charconv>

namespace sallyport::contract {

namespace {

using text::is_digit;

// Letters whose escape is an anchor, a class, a quotation or a reference in other engines. Without
// the flag `u` they would be the letter itself, which nobody means.
constexpr std::string_view other_engines = "AGZzQEKRXHhNPapeg";

// With the flag `u`, only these may be escaped as themselves.
[[nodiscard]] bool is_escaped_strictly(char c) noexcept {
    constexpr std::string_view syntax = "^$\\.*+?()[]{}|/";
    return syntax.find(c) != std::string_view::npos;
}

[[nodiscard]] bool is_hex(char c) noexcept {
    char const lower = static_cast<char>(c | 0x20);
    return is_digit(c) || (lower >= 'a' && lower <= 'f');
}

[[nodiscard]] bool is_octal(std::string_view text) noexcept {
    return !text.empty() && text.front() >= '0' && text.front() <= '7';
}

} // namespace

void append_code_point(std::string& out, char32_t code_point) {
    constexpr std::string_view hex = "0123456789abcdef";
    std::string digits;
    do {
        digits.insert(digits.begin(), hex[code_point & 0xF]);
        code_point >>= 4;
    } while (code_point != 0);
    out += "\\x{" + digits + "}";
}

std::uint64_t number_from(std::string_view digits) noexcept {
    std::uint64_t value = 0;
    auto const result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return result.ec == std::errc{} ? value : no_most - 1;
}

void PatternInput::fail_unsupported(std::string error, std::string hint) {
    if (!has_failed()) is_unsupported_ = true;
    fail(std::move(error), std::move(hint));
}

void PatternInput::fail(std::string error, std::string hint) {
    if (has_failed()) return;
    error_ = std::move(error);
    hint_ = std::move(hint);
}

void PatternInput::warn(std::string what, std::string hint) {
    if (!warning_.empty()) return;
    warning_ = std::move(what);
    warning_hint_ = std::move(hint);
}

void PatternInput::warn_of_escape(std::string_view escaped) {
    warn("\\" + std::string{escaped} + " is not an escape with the flag u: it is read as the "
             + "character (ECMA-262, Annex B)",
         "write the character without a backslash");
}

void PatternInput::hand_over(ParsedPattern& out) {
    out.error = std::move(error_);
    out.hint = std::move(hint_);
    out.is_unsupported = is_unsupported_;
    out.warning = std::move(warning_);
    out.warning_hint = std::move(warning_hint_);
}

PatternInput::Captures const& PatternInput::captures() {
    if (captures_) return *captures_;
    captures_ = Captures{}; // not emplace(): clang 14 takes the class as incomplete there
    bool is_in_class = false;
    for (std::size_t i = 0; i < pattern_.size(); ++i) {
        char const c = pattern_[i];
        if (c == '\\') {
            ++i;
        } else if (is_in_class) {
            is_in_class = c != ']';
        } else if (c == '[') {
            is_in_class = true;
        } else if (c == '(') {
            auto const rest = pattern_.substr(i + 1);
            bool const is_named = rest.substr(0, 2) == "?<" && rest.substr(0, 3) != "?<="
                                  && rest.substr(0, 3) != "?<!";
            if (is_named || rest.substr(0, 1) != "?") ++captures_->count;
            captures_->has_names = captures_->has_names || is_named;
        }
    }
    return *captures_;
}

std::optional<std::string> PatternInput::take_name() {
    std::string name;
    while (!reader.is_at_end() && !reader.is_at(">")) {
        std::optional<char32_t> const c =
            reader.take("\\u") ? reader.take_unicode_escape() : reader.take_code_point();
        // An invalid escape makes an invalid name, like a space.
        text::append_utf8(name, c.value_or(U' '));
    }
    if (!reader.take(">") || name.empty()) {
        fail("a group name is not closed", "write (?<name>");
        return std::nullopt;
    }
    if (is_group_name(name)) return name;
    fail("a group has an invalid name", "write letters, digits and _, no digit first");
    return std::nullopt;
}

Term PatternInput::take_escape() {
    Term term;
    term.kind = TermKind::character;
    term.ignores_case = ignores_case;
    if (auto set = take_class_escape()) {
        term.set = std::move(*set);
        return term;
    }
    if (auto const code_point = take_character_escape(Place::term)) {
        append_code_point(term.set, *code_point);
    }
    term.is_single = true;
    return term;
}

// \d \D \w \W \s \S \p{...} \P{...}, for the inside of a class; nullopt: it is something else, or
// an error.
std::optional<std::string> PatternInput::take_class_escape() {
    std::string_view const rest = reader.rest();
    char const c = rest.front();
    auto const set = class_escape(c, ignores_case ? Case::ignored : Case::kept);
    if (!set.empty()) {
        reader.skip(1);
        return std::string{set};
    }
    if (c != 'p' && c != 'P') return std::nullopt;
    std::size_t const end = rest.find('}');
    if (rest.size() < 2 || rest[1] != '{' || end == std::string_view::npos) {
        fail("\\p needs {a property}", "write such as \\p{L}");
        return std::nullopt;
    }
    if (c == 'P' && ignores_case) {
        // With the flags `iu` it matches every character of which one case lacks the property, and
        // in RE2 those of which no case has it.
        fail_unsupported("\\P{...} with the flag i is not supported", "write what it contains");
        return std::nullopt;
    }
    PropertyClass property = property_class(rest.substr(2, end - 2), c == 'P');
    if (!property.error.empty()) {
        fail_unsupported(
            std::move(property.error),
            "write a general category or a script, such as \\p{L} or \\p{Script=Greek}");
    }
    reader.skip(end + 1);
    return std::move(property.text);
}

std::optional<char32_t> PatternInput::take_character_escape(Place place) {
    if (has_failed()) return std::nullopt;
    char const c = reader.rest().front();
    PatternReader ahead = reader;
    auto code_point = ahead.take_character_escape();
    if (code_point) {
        reader = ahead;
        bool const is_mark = *code_point == static_cast<unsigned char>(c);
        bool const is_strict_mark =
            is_escaped_strictly(c) || (place == Place::in_class && c == '-');
        if (is_mark && !is_strict_mark) warn_of_escape({&c, 1});
        return code_point;
    }
    if (!is_strict()) code_point = take_lenient_escape(place);
    if (!code_point) {
        fail(std::string{"the escape \\"} + c + " is not defined",
             "write the character without a backslash");
    }
    return code_point;
}

// ECMA-262, B.1.2: IdentityEscape, LegacyOctalEscapeSequence and `\c` without a letter.
std::optional<char32_t> PatternInput::take_lenient_escape(Place place) {
    std::string_view const rest = reader.rest();
    char const c = rest.front();
    if (is_octal(rest)) return take_octal();
    if (c == 'c') return take_lenient_control(place);
    if (other_engines.find(c) != std::string_view::npos) return std::nullopt;
    if (c == 'k' && captures().has_names) return std::nullopt;
    // The author means a code point; half of a surrogate pair is in no text.
    bool const is_code_point =
        c == 'u'
        && (rest.substr(1, 1) == "{"
            || (rest.size() > 4 && std::all_of(rest.begin() + 1, rest.begin() + 5, is_hex)));
    if (is_code_point) return std::nullopt;
    warn_of_escape(rest.substr(0, std::max<std::size_t>(1, text::utf8_length(rest))));
    return reader.take_code_point();
}

char32_t PatternInput::take_octal() {
    std::string_view const all = reader.rest();
    char32_t value = 0;
    std::size_t size = 0;
    // At most three digits, and 0377.
    while (size < 3 && is_octal(reader.rest())) {
        char32_t const next = value * 8 + static_cast<char32_t>(reader.rest().front() - '0');
        if (next > 0377) break;
        value = next;
        reader.skip(1);
        ++size;
    }
    warn("\\" + std::string{all.substr(0, size)}
             + " is read as an octal number (ECMA-262, Annex B)",
         "write \\x and two hexadecimal digits");
    return value;
}

char32_t PatternInput::take_lenient_control(Place place) {
    std::string_view const next = reader.rest().substr(1, 1);
    bool const is_control =
        place == Place::in_class && !next.empty() && (is_digit(next[0]) || next == "_");
    if (is_control) {
        warn("\\c" + std::string{next} + " is read as a control character (ECMA-262, Annex B)",
             "write \\x and two hexadecimal digits");
        reader.skip(2);
        return static_cast<char32_t>(next[0]) % 32;
    }
    // The c is the next character.
    warn("\\c without a letter is read as a backslash and a c (ECMA-262, Annex B)", "write \\\\c");
    return U'\\';
}

Term PatternInput::take_class() {
    Term term;
    term.kind = TermKind::character;
    term.ignores_case = ignores_case;
    term.is_negated = reader.take("^");
    while (!has_failed() && !reader.take("]")) {
        if (reader.is_at_end()) {
            fail_in_class();
            return term;
        }
        auto const low = take_class_atom(term.set);
        if (reader.is_at("-") && !reader.is_at("-]")) {
            reader.skip(1);
            append_range(term.set, low);
        } else if (low) {
            append_code_point(term.set, *low);
        }
    }
    return term;
}

// After the `-`. `low` is nullopt if it was a class, which `set` contains.
void PatternInput::append_range(std::string& set, std::optional<char32_t> low) {
    if (reader.is_at_end()) return fail_in_class();
    std::string other;
    auto const high = take_class_atom(other);
    if (low && high) {
        if (*high < *low) return fail("a range in a class is out of order", "swap its ends");
        append_code_point(set, *low);
        set += '-';
        append_code_point(set, *high);
        return;
    }
    if (is_strict()) {
        return fail("a range in a class needs a character at each end",
                    "write \\- for the character");
    }
    // ECMA-262, B.1.2: CharacterRangeOrUnion
    warn("a range in a class with a class at one end is read as both ends and the character - "
         "(ECMA-262, Annex B)",
         "write \\- for the character");
    if (low) append_code_point(set, *low);
    append_code_point(set, U'-');
    set += other;
    if (high) append_code_point(set, *high);
}

void PatternInput::fail_in_class() {
    fail("a class is not closed", "write a ], or \\[ for the character");
}

// A character; nullopt: a class, which was appended to `set`, or an error.
std::optional<char32_t> PatternInput::take_class_atom(std::string& set) {
    if (!reader.take("\\")) return reader.take_code_point();
    if (reader.is_at_end()) {
        fail("it ends in a backslash", "write two, or none");
        return std::nullopt;
    }
    if (auto const known = take_class_escape()) {
        set += *known;
        return std::nullopt;
    }
    if (reader.take("b")) return U'\b';
    return take_character_escape(Place::in_class);
}

} // namespace sallyport::contract
