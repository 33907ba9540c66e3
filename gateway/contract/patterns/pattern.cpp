// Patterns of ECMA-262 as RE2's, one construct at a time: what is not listed here is refused.
#include "gateway/contract/patterns/pattern.h"

#include "gateway/contract/patterns/pattern_classes.h"
#include "gateway/contract/text/utf8.h"

#include <re2/re2.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace sallyport::contract {

namespace {

constexpr std::size_t max_pattern = 4096;
constexpr std::size_t max_groups = 128; // inside each other
// Of one pattern of one worker. Texts that want more are matched more slowly, still in linear time.
constexpr std::int64_t max_memory = std::int64_t{2} << 20;

[[nodiscard]] bool is_alphanumeric(char c) noexcept {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

void append_code_point(std::string& out, char32_t code_point) {
    constexpr std::string_view hex = "0123456789abcdef";
    std::string digits;
    do {
        digits.insert(digits.begin(), hex[code_point & 0xF]);
        code_point >>= 4;
    } while (code_point != 0);
    out += "\\x{" + digits + "}";
}

// Whether what has no equivalent is a failure, or only read over.
enum class Purpose : std::uint8_t { translate, check };

class Translator {
public:
    explicit Translator(std::string_view pattern, Purpose purpose = Purpose::translate)
        : rest_{pattern}, purpose_{purpose} {}

    Translation run() {
        if (rest_.size() > max_pattern) fail("it is longer than 4096 bytes");
        while (error_.empty() && !rest_.empty())
            term();
        if (error_.empty() && depth_ != 0) fail("a group is not closed");
        if (!error_.empty()) return {{}, std::move(error_)};
        return {std::move(out_), {}};
    }

private:
    void fail(std::string error) {
        if (error_.empty()) error_ = std::move(error);
    }

    [[nodiscard]] bool take(std::string_view text) {
        if (rest_.substr(0, text.size()) != text) return false;
        rest_.remove_prefix(text.size());
        return true;
    }

    void atom(std::string_view text) {
        out_ += text;
        is_repeatable_ = true;
    }

    void assertion(std::string_view text) {
        out_ += text;
        is_repeatable_ = false;
    }

    // ECMA-262, 22.2.1: Term, and the `|` and `)` between terms.
    void term() {
        switch (rest_.front()) {
        case '|': rest_.remove_prefix(1); return assertion("|");
        case '^': rest_.remove_prefix(1); return assertion("\\A");
        case '$': rest_.remove_prefix(1); return assertion("\\z");
        case '(': return open_group();
        case ')': return close_group();
        case '*':
        case '+':
        case '?': return quantifier(rest_.substr(0, 1));
        case '{': return braces();
        case '.': rest_.remove_prefix(1); return atom("[^" + std::string{line_terminators} + "]");
        case '[': return character_class();
        case '\\': return escape();
        default: break;
        }
        std::string text;
        append_code_point(text, take_code_point());
        atom(text);
    }

    char32_t take_code_point() {
        char32_t const code_point = first_code_point(rest_);
        rest_.remove_prefix(std::max<std::size_t>(1, utf8_length(rest_)));
        return code_point;
    }

    void open_group() {
        rest_.remove_prefix(1);
        if (++depth_ > max_groups) return fail("groups nest too deep");
        if (take("?=") || take("?!") || take("?<=") || take("?<!")) {
            if (purpose_ == Purpose::check) return assertion("(?:");
            return fail("look-around has no equivalent in linear time");
        }
        // Nothing is captured: what a group holds is never asked for.
        if (take("?<")) {
            std::size_t const end = rest_.find('>');
            if (end == std::string_view::npos || end == 0)
                return fail("a group name is not closed");
            rest_.remove_prefix(end + 1);
        } else if (!take("?:") && !rest_.empty() && rest_.front() == '?') {
            return fail("a group begins with an unknown (?");
        }
        assertion("(?:");
    }

    void close_group() {
        rest_.remove_prefix(1);
        if (depth_ == 0) return fail("a ) closes nothing");
        --depth_;
        atom(")");
    }

    void quantifier(std::string_view text) {
        if (!is_repeatable_) return fail("a quantifier has nothing to repeat");
        out_ += text;
        rest_.remove_prefix(text.size());
        // Lazy or greedy finds the same texts.
        if (!rest_.empty() && rest_.front() == '?') rest_.remove_prefix(1);
        is_repeatable_ = false;
    }

    // {n}, {n,} or {n,m}; anything else is a brace (ECMA-262, B.1.2).
    void braces() {
        std::size_t at = 1;
        auto const digits = [this, &at] {
            std::size_t const begin = at;
            while (at < rest_.size() && rest_[at] >= '0' && rest_[at] <= '9')
                ++at;
            return at > begin;
        };
        bool is_quantifier = digits();
        if (is_quantifier && at < rest_.size() && rest_[at] == ',') {
            ++at;
            digits();
        }
        is_quantifier = is_quantifier && at < rest_.size() && rest_[at] == '}';
        if (is_quantifier) return quantifier(rest_.substr(0, at + 1));
        rest_.remove_prefix(1);
        atom("\\{");
    }

    void escape() {
        rest_.remove_prefix(1);
        if (rest_.empty()) return fail("it ends in a backslash");
        char const c = rest_.front();
        if (c == 'b' || c == 'B') {
            rest_.remove_prefix(1);
            return assertion(c == 'b' ? "\\b" : "\\B");
        }
        if ((c >= '1' && c <= '9') || c == 'k') {
            if (purpose_ == Purpose::check) return back_reference();
            return fail("a back-reference has no equivalent in linear time");
        }
        if (auto const set = take_class_escape()) {
            // An empty set: \P{Any}.
            return atom(set->empty() ? R"([^\x{0}-\x{10ffff}])" : "[" + *set + "]");
        }
        std::string text;
        if (auto const code_point = take_character_escape()) append_code_point(text, *code_point);
        atom(text);
    }

    void back_reference() {
        if (rest_.front() == 'k') {
            std::size_t const end = rest_.find('>');
            if (rest_.substr(0, 2) != "k<" || end == std::string_view::npos || end == 2) {
                return fail("\\k wants <a name>");
            }
            rest_.remove_prefix(end + 1);
        } else {
            while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9')
                rest_.remove_prefix(1);
        }
        atom("(?:)");
    }

    // \d \D \w \W \s \S \p{...} \P{...}, for the inside of a class; nullopt: something else, or
    // failed.
    std::optional<std::string> take_class_escape() {
        char const c = rest_.front();
        if (auto const set = class_escape(c); !set.empty()) {
            rest_.remove_prefix(1);
            return std::string{set};
        }
        if (c != 'p' && c != 'P') return std::nullopt;
        std::size_t const end = rest_.find('}');
        if (rest_.size() < 2 || rest_[1] != '{' || end == std::string_view::npos) {
            fail("\\p wants {a property}");
            return std::nullopt;
        }
        PropertyClass property = property_class(rest_.substr(2, end - 2), c == 'P');
        if (!property.error.empty()) fail(std::move(property.error));
        rest_.remove_prefix(end + 1);
        return std::move(property.text);
    }

    // ECMA-262, 22.2.1: CharacterEscape. Behind the backslash.
    std::optional<char32_t> take_character_escape() {
        if (!error_.empty()) return std::nullopt;
        char const c = rest_.front();
        rest_.remove_prefix(1);
        switch (c) {
        case 't': return U'\t';
        case 'n': return U'\n';
        case 'v': return U'\v';
        case 'f': return U'\f';
        case 'r': return U'\r';
        case '0':
            if (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') break;
            return U'\0';
        case 'c':
            if (rest_.empty() || !is_alphanumeric(rest_.front()) || rest_.front() <= '9') break;
            return take_code_point() % 32;
        case 'x':
            if (auto const value = take_hex(2)) return value;
            break;
        case 'u':
            if (auto const value = take_unicode_escape()) return value;
            break;
        default:
            // Punctuation stands for itself.
            if (static_cast<unsigned char>(c) < 0x80 && c > ' ' && !is_alphanumeric(c)) {
                return static_cast<char32_t>(c);
            }
        }
        fail(std::string{"the escape \\"} + c + " means nothing");
        return std::nullopt;
    }

    std::optional<char32_t> take_hex(std::size_t count) {
        if (rest_.size() < count) return std::nullopt;
        char32_t value = 0;
        for (char const c : rest_.substr(0, count)) {
            bool const is_digit = c >= '0' && c <= '9';
            char const lower = static_cast<char>(c | 0x20);
            if (!is_digit && (lower < 'a' || lower > 'f')) return std::nullopt;
            value = value << 4 | static_cast<char32_t>(is_digit ? c - '0' : lower - 'a' + 10);
        }
        rest_.remove_prefix(count);
        return value;
    }

    std::optional<char32_t> take_unicode_escape() {
        std::optional<char32_t> value;
        if (take("{")) {
            std::size_t const end = rest_.find('}');
            if (end == std::string_view::npos || end == 0 || end > 6) return std::nullopt;
            value = take_hex(end);
            rest_.remove_prefix(value ? 1 : 0);
        } else {
            value = take_hex(4);
            if (value && *value >= 0xD800 && *value < 0xDC00 && take("\\u")) {
                auto const low = take_hex(4);
                if (!low || *low < 0xDC00 || *low > 0xDFFF) return std::nullopt;
                value = 0x10000 + ((*value - 0xD800) << 10) + (*low - 0xDC00);
            }
        }
        // Half of a surrogate pair is in no text that we let through.
        if (!value || *value > 0x10FFFF || (*value >= 0xD800 && *value <= 0xDFFF)) {
            return std::nullopt;
        }
        return value;
    }

    // ECMA-262, 22.2.1: CharacterClass
    void character_class() {
        rest_.remove_prefix(1);
        bool const is_negated = take("^");
        std::string set;
        while (error_.empty() && !take("]")) {
            if (rest_.empty()) return fail("a class is not closed");
            auto const low = take_class_atom(set);
            if (!rest_.empty() && rest_.front() == '-' && rest_.substr(0, 2) != "-]") {
                rest_.remove_prefix(1);
                if (rest_.empty()) return fail("a class is not closed");
                std::string other;
                auto const high = take_class_atom(other);
                if (!low || !high) return fail("a range in a class wants a character at each end");
                if (*high < *low) return fail("a range in a class is out of order");
                append_code_point(set, *low);
                set += '-';
                append_code_point(set, *high);
            } else if (low) {
                append_code_point(set, *low);
            }
        }
        if (set.empty()) {
            // `[]` finds nothing, `[^]` anything.
            return atom(is_negated ? R"([\x{0}-\x{10ffff}])" : R"([^\x{0}-\x{10ffff}])");
        }
        atom((is_negated ? "[^" : "[") + set + "]");
    }

    // A character; nullopt: a set, which was added, or a failure.
    std::optional<char32_t> take_class_atom(std::string& set) {
        if (rest_.front() != '\\') return take_code_point();
        rest_.remove_prefix(1);
        if (rest_.empty()) {
            fail("it ends in a backslash");
            return std::nullopt;
        }
        if (auto const known = take_class_escape()) {
            set += *known;
            return std::nullopt;
        }
        if (take("b")) return U'\b';
        return take_character_escape();
    }

    std::string_view rest_;
    std::string out_;
    std::string error_;
    std::size_t depth_ = 0;
    bool is_repeatable_ = false;
    Purpose purpose_;
};

[[nodiscard]] std::unique_ptr<re2::RE2 const> compile(std::string const& translated) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_never_capture(true);
    options.set_max_mem(max_memory);
    return std::make_unique<re2::RE2 const>(translated, options);
}

} // namespace

Translation translate_pattern(std::string_view pattern) {
    return Translator{pattern}.run();
}

bool is_pattern(std::string_view text) {
    return Translator{text, Purpose::check}.run().error.empty();
}

Pattern::Pattern(std::unique_ptr<re2::RE2 const> compiled) : compiled_{std::move(compiled)} {}
Pattern::~Pattern() = default;

Pattern::Made Pattern::make(std::string_view pattern) {
    Translation translation = translate_pattern(pattern);
    if (!translation.error.empty()) return {nullptr, std::move(translation.error)};
    auto compiled = compile(translation.text);
    if (!compiled->ok()) return {nullptr, compiled->error()};
    return {std::unique_ptr<Pattern const>{new Pattern{std::move(compiled)}}, {}};
}

std::unique_ptr<Pattern const> Pattern::copy() const {
    return std::unique_ptr<Pattern const>{new Pattern{compile(compiled_->pattern())}};
}

bool Pattern::is_in(std::string_view text) const noexcept {
    return compiled_->Match({text.data(), text.size()}, 0, text.size(), re2::RE2::UNANCHORED,
                            nullptr, 0);
}

} // namespace sallyport::contract
