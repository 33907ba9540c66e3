// A simple parser of JSON texts, for what simdjson does not report.
#include "gateway/contract/text/json_text.h"

#include "gateway/contract/text/decimal.h"
#include "gateway/contract/text/digits.h"
#include "gateway/text/hexadecimal.h"
#include "gateway/text/utf8.h"

#include <algorithm>
#include <cstring>

namespace sallyport::contract {

namespace {

[[nodiscard]] constexpr bool is_space(char c) noexcept {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r'; // RFC 8259, 2
}

[[nodiscard]] constexpr bool is_number_character(char c) noexcept {
    return text::is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

// Iterative: open arrays and objects are in a string of closing brackets, not on the thread's
// stack.
class Reader {
public:
    Reader(std::string_view text, std::size_t max_depth) : text_{text}, max_depth_{max_depth} {}

    [[nodiscard]] Fault read() {
        skip_space();
        if (at_ == text_.size()) return {Malformed::empty, at_};
        for (;;) {
            if (!read_value_or_opening()) return fault_;
            // After a complete value: closes what ends with it, up to a comma before the next
            // value.
            while (after_value_) {
                skip_space();
                if (open_.empty()) {
                    if (at_ != text_.size()) return {Malformed::trailing_bytes, at_};
                    return {};
                }
                if (at_ == text_.size()) return {Malformed::not_json, at_};
                if (text_[at_] == open_.back()) {
                    open_.pop_back();
                    ++at_;
                    continue;
                }
                if (text_[at_] != ',') return {Malformed::not_json, at_};
                ++at_;
                if (open_.back() == '}' && !read_name()) return fault_;
                after_value_ = false;
            }
        }
    }

private:
    bool fail(Malformed reason, std::size_t offset) {
        fault_ = {reason, offset};
        return false;
    }

    void skip_space() {
        while (at_ < text_.size() && is_space(text_[at_]))
            ++at_;
    }

    bool read_value_or_opening() {
        skip_space();
        if (at_ == text_.size()) return fail(Malformed::not_json, at_);
        char const c = text_[at_];
        after_value_ = true;
        if (c == '{' || c == '[') return open(c);
        if (c == '"') return read_string();
        if (c == 't') return read_word("true");
        if (c == 'f') return read_word("false");
        if (c == 'n') return read_word("null");
        return read_number();
    }

    bool open(char bracket) {
        if (open_.size() == max_depth_) return fail(Malformed::too_deep, at_);
        char const closing = bracket == '{' ? '}' : ']';
        ++at_;
        skip_space();
        if (at_ < text_.size() && text_[at_] == closing) {
            ++at_;
            return true;
        }
        open_.push_back(closing);
        after_value_ = false;
        return bracket == '[' || read_name();
    }

    bool read_name() {
        skip_space();
        if (at_ == text_.size() || text_[at_] != '"') return fail(Malformed::not_json, at_);
        if (!read_string()) return false;
        skip_space();
        if (at_ == text_.size() || text_[at_] != ':') return fail(Malformed::not_json, at_);
        ++at_;
        return true;
    }

    bool read_word(std::string_view word) {
        if (text_.substr(at_, word.size()) != word) return fail(Malformed::not_json, at_);
        at_ += word.size();
        return true;
    }

    bool read_number() {
        char const c = text_[at_];
        bool const is_meant = text::is_digit(c) || c == '-' || c == '+' || c == '.';
        if (!is_meant) return fail(Malformed::not_json, at_);
        std::size_t const length = number_length(text_.substr(at_));
        std::size_t const end = at_ + length;
        if (length == 0 || (end < text_.size() && is_number_character(text_[end]))) {
            return fail(Malformed::number, at_);
        }
        at_ = end;
        return true;
    }

    bool read_string() {
        ++at_;
        while (at_ < text_.size()) {
            auto const c = static_cast<unsigned char>(text_[at_]);
            if (c == '"') {
                ++at_;
                return true;
            }
            if (c < 0x20) return fail(Malformed::not_json, at_);
            if (c == '\\') {
                if (!read_escape()) return false;
                continue;
            }
            std::size_t const length = text::utf8_length(text_.substr(at_));
            if (length == 0) return fail(Malformed::invalid_utf8, at_);
            at_ += length;
        }
        return fail(Malformed::not_json, at_);
    }

    bool read_escape() {
        constexpr std::string_view simple = "\"\\/bfnrt";
        if (at_ + 1 == text_.size()) return fail(Malformed::not_json, at_);
        char const c = text_[at_ + 1];
        if (simple.find(c) != std::string_view::npos) {
            at_ += 2;
            return true;
        }
        if (c != 'u' || text::four_digits(text_, at_ + 2) < 0)
            return fail(Malformed::not_json, at_);
        std::size_t const length = escape_length(text_, at_);
        if (length == 0) return fail(Malformed::lone_surrogate, at_);
        at_ += length;
        return true;
    }

public:
    // The length of a `\uXXXX`, or of a pair of them for one code point; 0: half of a pair.
    [[nodiscard]] static std::size_t escape_length(std::string_view text, std::size_t at) noexcept {
        int const first = text::four_digits(text, at + 2);
        if (first < 0xD800 || first > 0xDFFF) return 6;
        if (first > 0xDBFF || text.substr(at + 6, 2) != "\\u") return 0;
        int const second = text::four_digits(text, at + 8);
        return second >= 0xDC00 && second <= 0xDFFF ? 12 : 0;
    }

private:
    std::string_view text_;
    std::size_t max_depth_;
    std::size_t at_ = 0;
    std::string open_; // the expected closing brackets
    bool after_value_ = false;
    Fault fault_;
};

// Whether simdjson may refuse a number that RFC 8259 allows: an integer beyond 64 bits, or a number
// beyond the range of double.
[[nodiscard]] bool may_be_too_large(std::string_view number) noexcept {
    std::size_t const exponent = std::min(number.find('e'), number.find('E'));
    std::size_t const mantissa = std::min(exponent, number.size());
    if (exponent != std::string_view::npos) {
        // 1e99 is far from the limit, also with a mantissa of 100 digits.
        return number.size() - exponent > 3 || mantissa > 100;
    }
    return mantissa >= 19;
}

} // namespace

Fault find_fault(std::string_view text, std::size_t max_depth) {
    if (text.substr(0, 3) == "\xEF\xBB\xBF") return {Malformed::byte_order_mark, 0};
    // Encoding has priority over syntax: bytes that are not UTF-8 are reported as such.
    Fault const fault = Reader{text, max_depth}.read();
    if (fault.reason == Malformed::none) return fault;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t const length = text::utf8_length(text.substr(at));
        if (length == 0) return {Malformed::invalid_utf8, at};
        at += length;
    }
    return fault;
}

Fault find_lone_surrogate(std::string_view text) noexcept {
    for (std::size_t at = text.find('\\'); at != std::string_view::npos; at = text.find('\\', at)) {
        if (at + 1 >= text.size() || text[at + 1] != 'u') {
            at += 2;
            continue;
        }
        std::size_t const length = Reader::escape_length(text, at);
        if (length == 0) return {Malformed::lone_surrogate, at};
        at += length;
    }
    return {};
}

void find_numbers(std::string_view text, std::vector<NumberPlace>& out) {
    for (std::size_t at = 0; at < text.size();) {
        char const c = text[at];
        if (c == '"') {
            for (++at; at < text.size() && text[at] != '"'; ++at) {
                if (text[at] == '\\') ++at;
            }
            ++at;
        } else if (c == '-' || text::is_digit(c)) {
            std::size_t end = digits_from(text, at + 1);
            while (end < text.size() && is_number_character(text[end]))
                end = digits_from(text, end + 1);
            out.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end - at)});
            at = end;
        } else {
            ++at;
        }
    }
}

std::size_t replace_large_numbers(std::string_view text, std::size_t padding, std::string& copy) {
    copy.assign(text);
    copy.append(padding, ' ');
    std::vector<NumberPlace> places;
    find_numbers(text, places);
    std::size_t replaced = 0;
    for (auto const place : places) {
        auto const number = text.substr(place.offset, place.length);
        if (!is_number(number) || !may_be_too_large(number)) continue;
        copy[place.offset] = '0';
        std::memset(copy.data() + place.offset + 1, ' ', place.length - 1);
        ++replaced;
    }
    return replaced;
}

std::string_view NumberTexts::of(Tape const& tape, TapeIndex at) {
    if (!ready_) {
        find_numbers(text_, places_);
        TapeIndex const end = tape.end();
        for (TapeIndex i = Tape::first; i < end; ++i) {
            if (!tape.is_number(i)) continue;
            indices_.push_back(i);
            ++i; // the second word of a number is its value, not a kind
        }
        ready_ = true;
    }
    auto const found = std::lower_bound(indices_.begin(), indices_.end(), at);
    auto const place = places_[static_cast<std::size_t>(found - indices_.begin())];
    return text_.substr(place.offset, place.length);
}

} // namespace sallyport::contract
