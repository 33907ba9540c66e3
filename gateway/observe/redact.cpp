// The one pass over a body that takes secrets out.
#include "gateway/observe/redact.h"

#include "gateway/observe/json_string.h"
#include "gateway/observe/json_text.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <cstring>

namespace sallyport::observe {

namespace {

constexpr std::string_view redacted = "\"[redacted]\"";
constexpr std::size_t deepest = 1024;

constexpr bool is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

constexpr bool is_space(char byte) { // RFC 8259, 2: ws
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

// Nothing but `text`, most of which are a name or a number between two spaces: a call of memcpy
// costs more than these.
void copy_bytes(char* to, std::string_view text) {
    auto const size = text.size();
    auto const copy_both_ends = [&]<class Word>(Word word) {
        std::memcpy(&word, text.data(), sizeof word);
        std::memcpy(to, &word, sizeof word);
        std::memcpy(&word, text.data() + size - sizeof word, sizeof word);
        std::memcpy(to + size - sizeof word, &word, sizeof word);
    };
    if (size > 2 * sizeof(std::uint64_t)) {
        std::memcpy(to, text.data(), size);
    } else if (size >= sizeof(std::uint64_t)) {
        copy_both_ends(std::uint64_t{});
    } else if (size >= sizeof(std::uint32_t)) {
        copy_both_ends(std::uint32_t{});
    } else {
        for (std::size_t i = 0; i < size; ++i)
            to[i] = text[i];
    }
}

// One pass over a body: checks the whole grammar of RFC 8259, and copies all but what must not be
// seen. Its own grammar, not another parser's: what is a name and where its value ends is decided
// by the very code that copies.
class Redaction {
public:
    Redaction(std::string_view body, RedactionList const& list, std::string& out)
        : list_{list}, out_{out}, at_{body.data()}, end_{at_ + body.size()}, copied_{at_} {
        // Nearly always enough: white space goes, and few values are shorter than what replaces
        // them.
        out_.resize(body.size() + redacted.size());
    }

    // False when the body is not one JSON text; what was copied until then must not be used.
    bool run() {
        auto next = Next::value;
        while (next != Next::end && next != Next::failure) {
            skip_space();
            switch (next) {
            case Next::value: next = read_value(); break;
            case Next::first_element: next = is_at(']') ? close() : Next::value; break;
            case Next::first_name: next = is_at('}') ? close() : Next::name; break;
            case Next::name: next = read_name(); break;
            case Next::after_value: next = read_after_value(); break;
            default: return false;
            }
        }
        if (next == Next::failure) return false;
        copy_up_to_here();
        out_.resize(written_);
        return true;
    }

private:
    enum class Next : std::uint8_t {
        value,
        first_element,
        first_name,
        name,
        after_value,
        end,
        failure,
    };

    bool is_at(char byte) const { return at_ != end_ && *at_ == byte; }
    std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }

    void copy_up_to_here() {
        if (!hides_) write({copied_, static_cast<std::size_t>(at_ - copied_)});
        copied_ = at_;
    }

    void write(std::string_view text) {
        if (text.size() > out_.size() - written_) out_.resize(2 * (out_.size() + text.size()));
        copy_bytes(out_.data() + written_, text);
        written_ += text.size();
    }

    void skip_space() {
        if (at_ == end_ || static_cast<unsigned char>(*at_) > ' ') return; // nearly always
        copy_up_to_here();
        while (at_ != end_ && is_space(*at_))
            ++at_;
        copied_ = at_;
    }

    Next read_value() {
        if (at_ == end_) return Next::failure;
        switch (*at_) {
        case '{': return open(Next::first_name);
        case '[': return open(Next::first_element);
        case '"': return read_string() ? Next::after_value : Next::failure;
        case 't': return read_literal("true");
        case 'f': return read_literal("false");
        case 'n': return read_literal("null");
        default: return read_number() ? Next::after_value : Next::failure;
        }
    }

    Next open(Next first) {
        if (depth_ == deepest) return Next::failure;
        is_object_[depth_++] = first == Next::first_name;
        ++at_;
        return first;
    }

    Next close() {
        --depth_;
        ++at_;
        return Next::after_value;
    }

    // `at_` is behind a value and the white space that follows it.
    Next read_after_value() {
        if (hides_ && depth_ == hidden_depth_) {
            hides_ = false;
            copied_ = at_;
        }
        if (depth_ == 0) return at_ == end_ ? Next::end : Next::failure;
        auto const is_object = is_object_[depth_ - 1];
        if (is_at(',')) {
            ++at_;
            return is_object ? Next::name : Next::value;
        }
        return is_at(is_object ? '}' : ']') ? close() : Next::failure;
    }

    Next read_name() {
        if (!is_at('"')) return Next::failure;
        auto const* const begin = at_ + 1;
        if (!read_string()) return Next::failure;
        std::string_view const name{begin, static_cast<std::size_t>(at_ - 1 - begin)};
        auto const has_escapes = has_escapes_;
        skip_space();
        if (!is_at(':')) return Next::failure;
        ++at_;
        if (!hides_ && (has_escapes ? list_.has_escaped(name) : list_.has(name))) hide_value();
        return Next::value;
    }

    // Nothing of the value that follows is copied, whatever it is.
    void hide_value() {
        copy_up_to_here();
        write(redacted);
        hides_ = true;
        hidden_depth_ = depth_;
    }

    // From its quote to behind the other one; has_escapes_ says what was on the way.
    bool read_string() {
        has_escapes_ = false;
        ++at_;
        for (;;) {
            at_ += ordinary_prefix(rest());
            if (at_ == end_) return false;
            if (*at_ == '"') {
                ++at_;
                return true;
            }
            // RFC 8259, 7: control characters must be escaped. A raw line feed would also tear the
            // line.
            if (*at_ != '\\') return false;
            auto const escape = read_escape(rest());
            if (escape.size == 0) return false;
            has_escapes_ = true;
            at_ += escape.size;
        }
    }

    Next read_literal(std::string_view literal) {
        if (!rest().starts_with(literal)) return Next::failure;
        at_ += literal.size();
        return Next::after_value;
    }

    // RFC 8259, 6, of any length.
    bool read_number() {
        if (is_at('-')) ++at_;
        if (is_at('0')) {
            ++at_;
        } else if (!read_digits()) {
            return false;
        }
        if (is_at('.')) {
            ++at_;
            if (!read_digits()) return false;
        }
        if (is_at('e') || is_at('E')) {
            ++at_;
            if (is_at('+') || is_at('-')) ++at_;
            if (!read_digits()) return false;
        }
        return true;
    }

    bool read_digits() {
        auto const* const begin = at_;
        while (at_ != end_ && is_digit(*at_))
            ++at_;
        return at_ != begin;
    }

    RedactionList const& list_;
    std::string& out_; // as large as there was room; what counts is:
    std::size_t written_ = 0;
    char const* at_;
    char const* end_;
    char const* copied_; // everything before it is in `out_`, or was left out
    std::bitset<deepest> is_object_;
    std::size_t depth_ = 0;
    std::size_t hidden_depth_ = 0;
    bool hides_ = false;
    bool has_escapes_ = false;
};

} // namespace

LoggedBody redact_json(std::string_view body, RedactionList const& list, std::size_t limit,
                       std::string& out) {
    out.clear();
    if (body.size() <= std::min(limit, longest_logged_body)
        && simdjson::validate_utf8(body.data(), body.size()) && Redaction{body, list, out}.run()) {
        return LoggedBody::redacted;
    }
    bytes_only(body.size(), out);
    return LoggedBody::bytes_only;
}

void bytes_only(std::uint64_t size, std::string& out) {
    std::array<char, 40> memory;
    JsonText text{memory.data(), memory.data() + memory.size()};
    text.raw("{\"bytes\":");
    text.number(size);
    text.raw("}");
    out.assign(text.text());
}

} // namespace sallyport::observe
