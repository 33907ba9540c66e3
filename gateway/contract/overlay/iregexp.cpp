// Reads I-Regexp (RFC 9485, 3) and writes ECMA-262.
#include "gateway/contract/overlay/iregexp.h"

#include "gateway/text/ascii.h"
#include "gateway/text/utf8.h"

namespace sallyport::contract::jsonpath {

namespace {

constexpr std::size_t max_groups = 32; // in each other

class Reader {
public:
    explicit Reader(std::string_view text) : text_{text} {}

    // i-regexp = branch *( "|" branch ), at the end of the text or of a group.
    bool read_alternatives() {
        while (true) {
            while (!at_end() && peek() != '|' && peek() != ')') {
                if (!read_piece()) return false;
            }
            if (peek() != '|') return true;
            copy(1);
        }
    }

    [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
    bool fail(std::string_view error) {
        error_ = error;
        return false;
    }

    std::string out_;
    std::string_view error_;

private:
    [[nodiscard]] char peek(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }
    void copy(std::size_t count) {
        out_ += text_.substr(at_, count);
        at_ += count;
    }

    bool read_piece() { return read_atom() && read_quantifier(); }

    bool read_atom() {
        switch (peek()) {
        case '(': return read_group();
        case '[': return read_class();
        case '\\': return read_escape();
        case '.':
            // RFC 9485, 5.3.
            out_ += "[^\\n\\r]";
            ++at_;
            return true;
        case '*':
        case '+':
        case '?':
        case '{': return fail("a quantifier that has nothing in front of it");
        case ']':
        case '}': return fail("a bracket that is never opened");
        default: return read_character();
        }
    }

    bool read_character() {
        std::size_t const length = text::utf8_length(text_.substr(at_));
        if (length == 0) return fail("it is not UTF-8");
        copy(length);
        return true;
    }

    bool read_group() {
        if (peek(1) == '?') return fail("(? is not part of I-Regexp");
        if (++groups_ > max_groups) return fail("it has too many groups in each other");
        ++at_;
        out_ += "(?:";
        if (!read_alternatives()) return false;
        if (peek() != ')') return fail("a group that is never closed");
        --groups_;
        copy(1);
        return true;
    }

    // RFC 9485, 3: SingleCharEsc, and the categories.
    bool read_escape() {
        char const c = peek(1);
        if (c == 'p' || c == 'P') return read_category();
        constexpr std::string_view escaped{"()*+-.?[\\]^{|}$nrt"};
        if (c == '\0' || escaped.find(c) == std::string_view::npos) {
            return fail(c == 'd'   ? "\\d is not part of I-Regexp: write [0-9]"
                        : c == 'w' ? "\\w is not part of I-Regexp: write [A-Za-z0-9_]"
                                   : "an escape that is not part of I-Regexp");
        }
        // With the flag u, ECMA-262 escapes `-` in classes only; there and outside of them this is
        // the same character.
        if (c == '-') {
            out_ += "\\x2d";
            at_ += 2;
        } else {
            copy(2);
        }
        return true;
    }

    // RFC 9485, 3: charProp, a general category in one or two letters.
    bool read_category() {
        std::size_t const close = text_.find('}', at_);
        if (peek(2) != '{' || close == std::string_view::npos)
            return fail("\\p without {category}");
        std::string_view const name = text_.substr(at_ + 3, close - at_ - 3);
        constexpr std::string_view majors{"LMNPZSC"};
        constexpr std::string_view minors[] = {"ultmo", "nce",  "dlo", "cdseifo",
                                               "slp",   "mcko", "cfon"};
        std::size_t const major = name.empty() ? std::string_view::npos : majors.find(name[0]);
        if (major == std::string_view::npos || name.size() > 2
            || (name.size() == 2 && minors[major].find(name[1]) == std::string_view::npos)) {
            return fail("an unknown category of characters");
        }
        copy(close + 1 - at_);
        return true;
    }

    // charClassExpr = "[" [ "^" ] ( "-" / CCE1 ) *CCE1 [ "-" ] "]"
    bool read_class() {
        copy(1);
        if (peek() == '^') copy(1);
        bool is_first = true;
        while (peek() != ']' || is_first) {
            if (at_end()) return fail("a class that is never closed");
            if (peek() == '-' && (is_first || peek(1) == ']')) {
                out_ += "\\x2d";
                ++at_;
            } else if (!read_class_part()) {
                return false;
            }
            is_first = false;
        }
        copy(1);
        return true;
    }

    // A character, a range or a category.
    bool read_class_part() {
        bool const is_category = peek() == '\\' && (peek(1) == 'p' || peek(1) == 'P');
        if (!read_class_character()) return false;
        if (is_category || peek() != '-' || peek(1) == ']') return true;
        copy(1);
        bool const is_bad = peek() == '\\' && (peek(1) == 'p' || peek(1) == 'P');
        return is_bad ? fail("a range that ends in a category") : read_class_character();
    }

    bool read_class_character() {
        if (at_end()) return fail("a class that is never closed");
        if (peek() == '\\') return read_escape();
        if (peek() == '[' || peek() == ']' || peek() == '-') {
            return fail("a bracket or '-' in a class without its backslash");
        }
        return read_character();
    }

    bool read_quantifier() {
        if (peek() == '*' || peek() == '+' || peek() == '?') {
            copy(1);
        } else if (peek() == '{') {
            std::size_t const close = text_.find('}', at_);
            if (close == std::string_view::npos || !text::is_digit(peek(1))) {
                return fail("a count that is none");
            }
            std::string_view const count = text_.substr(at_ + 1, close - at_ - 1);
            if (count.find_first_not_of("0123456789,") != std::string_view::npos
                || count.find(',') != count.rfind(',')) {
                return fail("a count that is none");
            }
            copy(close + 1 - at_);
        } else {
            return true;
        }
        bool const is_twice = peek() == '*' || peek() == '+' || peek() == '?' || peek() == '{';
        return !is_twice || fail("two quantifiers in a row");
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t groups_ = 0;
};

} // namespace

EcmaPattern translate_iregexp(std::string_view text, Extent extent) {
    Reader reader{text};
    bool const is_read = reader.read_alternatives();
    if (is_read && !reader.at_end()) reader.fail("a group that is never opened");
    if (!reader.error_.empty()) return {{}, std::string{reader.error_}};
    if (extent == Extent::anywhere) return {std::move(reader.out_), {}};
    return {"^(?:" + reader.out_ + ")$", {}};
}

} // namespace sallyport::contract::jsonpath
