// Reads texts that simdjson has refused, to say what in them is no JSON (RFC 8259), and where.
#include "config/yaml_builder.h"
#include "gateway/text/hexadecimal.h"
#include "gateway/text/utf8.h"

#include <optional>

namespace sallyport::config::yaml {

namespace {

// RFC 8259, 6: no leading zeros, no plus sign, digits on both sides of the point.
bool is_number(std::string_view word) {
    std::size_t i = 0;
    auto const digits = [&word, &i] {
        std::size_t const from = i;
        while (i < word.size() && word[i] >= '0' && word[i] <= '9')
            ++i;
        return i - from;
    };
    if (i < word.size() && word[i] == '-') ++i;
    bool const begins_with_zero = i < word.size() && word[i] == '0';
    std::size_t const whole = digits();
    if (whole == 0 || (begins_with_zero && whole > 1)) return false;
    if (i < word.size() && word[i] == '.') {
        ++i;
        if (digits() == 0) return false;
    }
    if (i < word.size() && (word[i] == 'e' || word[i] == 'E')) {
        ++i;
        if (i < word.size() && (word[i] == '-' || word[i] == '+')) ++i;
        if (digits() == 0) return false;
    }
    return i == word.size();
}

class Reader {
public:
    Reader(std::string_view text, Builder& builder) : text_{text}, builder_{builder} {}

    JsonResult read(Place& where, std::string& what) {
        bool const is_json = read_value() && read_end();
        where = failed_at_;
        what = std::move(failure_);
        return is_json || stopped_ ? JsonResult::read : JsonResult::not_json;
    }

private:
    [[nodiscard]] bool at_end() const { return offset_ >= text_.size(); }
    [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[offset_]; }

    void advance() {
        char const c = text_[offset_++];
        if (c == '\n') {
            ++place_.line;
            place_.column = 1;
        } else if (!text::is_continuation(c)) {
            ++place_.column;
        }
    }

    void skip_space() {
        while (!at_end() && (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')) {
            advance();
        }
    }

    bool take(char c) {
        if (at_end() || peek() != c) return false;
        advance();
        return true;
    }

    bool fail(std::string what) {
        failed_at_ = place_;
        failure_ = "not JSON: " + std::move(what);
        return false;
    }

    // A limit of the builder, which has recorded it: what was read stands, nothing more is read.
    bool go_on(Proceed proceed) {
        if (proceed == Proceed::no) stopped_ = true;
        return proceed == Proceed::yes;
    }

    bool read_end() {
        skip_space();
        return at_end() || fail("something stands after the end of the document");
    }

    // The builder stops at max_depth, before this recursion could hurt.
    bool read_value() {
        skip_space();
        Place const start = place_;
        switch (peek()) {
        case '{': return read_object(start);
        case '[': return read_array(start);
        case '"': return read_string_value(start);
        default: return read_word(start);
        }
    }

    bool read_object(Place start) {
        if (!go_on(builder_.begin_mapping(start))) return false;
        advance();
        skip_space();
        if (!take('}')) {
            do {
                skip_space();
                Place const key = place_;
                if (peek() != '"') return fail("a property name in double quotes is missing");
                if (!read_string_value(key)) return false;
                skip_space();
                if (!take(':')) return fail("':' is missing");
                if (!read_value()) return false;
                skip_space();
            } while (take(','));
            if (!take('}')) return fail("',' or '}' is missing");
        }
        builder_.end();
        return true;
    }

    bool read_array(Place start) {
        if (!go_on(builder_.begin_sequence(start))) return false;
        advance();
        skip_space();
        if (!take(']')) {
            do {
                if (!read_value()) return false;
                skip_space();
            } while (take(','));
            if (!take(']')) return fail("',' or ']' is missing");
        }
        builder_.end();
        return true;
    }

    bool read_string_value(Place start) {
        std::string value;
        return read_string(value) && go_on(builder_.quoted_scalar(start, value));
    }

    bool read_string(std::string& value) {
        advance();
        while (!at_end()) {
            char const c = peek();
            if (c == '"') {
                advance();
                return true;
            }
            if (static_cast<unsigned char>(c) < 0x20) {
                return fail("a control character in a string");
            }
            if (c == '\\') {
                if (!read_escape(value)) return false;
            } else {
                value += c;
                advance();
            }
        }
        return fail("a string is never closed");
    }

    bool read_escape(std::string& value) {
        advance();
        char const c = peek();
        switch (c) {
        case '"':
        case '\\':
        case '/': value += c; break;
        case 'b': value += '\b'; break;
        case 'f': value += '\f'; break;
        case 'n': value += '\n'; break;
        case 'r': value += '\r'; break;
        case 't': value += '\t'; break;
        case 'u': return read_unicode(value);
        default: return fail("an unknown escape");
        }
        advance();
        return true;
    }

    // RFC 8259, 7: characters beyond U+FFFF are two escapes; one half alone is no character.
    bool read_unicode(std::string& value) {
        auto const first = read_unit();
        if (!first) return fail("\\u needs four hexadecimal digits");
        std::uint32_t point = *first;
        if (point >= 0xDC00 && point <= 0xDFFF) return fail("half of a surrogate pair");
        if (point >= 0xD800 && point <= 0xDBFF) {
            if (!take('\\') || peek() != 'u') return fail("half of a surrogate pair");
            auto const second = read_unit();
            if (!second || *second < 0xDC00 || *second > 0xDFFF) {
                return fail("half of a surrogate pair");
            }
            point = 0x10000 + ((point - 0xD800) << 10U) + (*second - 0xDC00);
        }
        text::append_utf8(value, point);
        return true;
    }

    std::optional<std::uint32_t> read_unit() {
        advance();
        std::uint32_t unit = 0;
        for (int i = 0; i < 4; ++i) {
            int const digit = text::hex_value(peek());
            if (digit < 0) return {};
            unit = unit * 16 + static_cast<std::uint32_t>(digit);
            advance();
        }
        return unit;
    }

    bool read_word(Place start) {
        std::size_t const from = offset_;
        while (!at_end()
               && std::string_view{" \t\r\n,:[]{}\""}.find(peek()) == std::string_view::npos) {
            advance();
        }
        std::string_view const word = text_.substr(from, offset_ - from);
        if (!is_json_word(word)) {
            place_ = start;
            return fail(word.empty() ? "a value is missing" : "neither a number nor a literal");
        }
        return go_on(builder_.plain_scalar(start, word));
    }

    std::string_view text_;
    Builder& builder_;
    std::size_t offset_ = 0;
    Place place_{1, 1};
    Place failed_at_;
    std::string failure_;
    bool stopped_ = false;
};

} // namespace

bool is_json_word(std::string_view text) {
    return text == "true" || text == "false" || text == "null" || is_number(text);
}

JsonResult read_json(std::string_view text, Builder& builder, Place& where, std::string& what) {
    return Reader{text, builder}.read(where, what);
}

} // namespace sallyport::config::yaml
