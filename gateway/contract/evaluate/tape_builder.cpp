// Text to tape, in one pass.
#include "gateway/contract/evaluate/tape_builder.h"
#include "gateway/simd/blocks.h"

#include <simdjson.h>

#include <array>
#include <bit>
#include <cstring>

namespace sallyport::contract {

namespace {

using simd::Block;
using simd::load_block;
using simd::mask_of;

// Of eight digits, a byte each, the number. The first is in the lowest byte.
[[gnu::always_inline]] [[nodiscard]] inline std::uint64_t
join_digits(std::uint64_t digits) noexcept {
    std::uint64_t const pairs = (digits * 10 + (digits >> 8)) & 0x00FF'00FF'00FF'00FFU;
    std::uint64_t const fours = (pairs * 100 + (pairs >> 16)) & 0x0000'FFFF'0000'FFFFU;
    return (fours * 10'000 + (fours >> 32)) & 0xFFFF'FFFFU;
}

// Up to eight digits, read at once.
struct Digits {
    unsigned count = 0;
    std::uint64_t value = 0;
};

[[gnu::always_inline]] [[nodiscard]] inline Digits read_digits(char const* from) noexcept {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t const bytes = first8(from);
    std::uint64_t const digits = bytes - 0x3030'3030'3030'3030U;
    // The top bit of the first byte that is no digit; of those behind it nothing is known.
    std::uint64_t const others =
        ((bytes + 0x4646'4646'4646'4646U) | digits) & 0x8080'8080'8080'8080U;
    if (others == 0) return {8, join_digits(digits)};
    auto const count = static_cast<unsigned>(std::countr_zero(others)) / 8;
    if (count == 0) return {};
    // In front of the first digit come zeros.
    return {count, join_digits(digits << (64 - 8 * count))};
}

constexpr std::array<std::uint64_t, 9> powers{1,       10,        100,        1'000,      10'000,
                                              100'000, 1'000'000, 10'000'000, 100'000'000};

// A number with a fraction. No digits: it is none, or has more digits than we take.
struct Fraction {
    unsigned digits = 0; // behind the point
    double number = 0;
};

// Both the digits as an integer and the power of ten are exact as doubles, and so their quotient is
// rounded once, as it must be.
[[nodiscard]] Fraction read_fraction(char const* from, std::uint64_t whole,
                                     bool is_negative) noexcept {
    Digits const digits = read_digits(from);
    // At most 8 digits in front of the point, at most 7 behind it.
    if (digits.count == 8 || whole >= powers[8]) return {};
    auto const all = static_cast<double>(whole * powers[digits.count] + digits.value);
    double const number = all / static_cast<double>(powers[digits.count]);
    return {digits.count, is_negative ? -number : number};
}

[[nodiscard]] bool is_digit(char byte) noexcept {
    return byte >= '0' && byte <= '9';
}

// RFC 8259, 2.
[[nodiscard]] bool is_space(char byte) noexcept {
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

// The first byte that is none; there is one in front of `end`. A text that has more than one space
// between two tokens is indented, and has many.
[[gnu::noinline]] [[nodiscard]] char const* skip_spaces(char const* from,
                                                        char const* end) noexcept {
    for (; from < end; from += sizeof(Block)) {
        Block const block = load_block(from);
        Block const is_any = (block == ' ') | (block == '\n') | (block == '\r') | (block == '\t');
        auto const count = static_cast<unsigned>(std::countr_one(mask_of(is_any)));
        if (count != sizeof(Block)) return from + count;
    }
    return end;
}

static_assert(read_beyond >= QuotedName::reads);

// simdjson counts items and members up to this.
constexpr std::uint32_t max_count = 0xFF'FFFF;

// What follows: a value or a name, the end of what is open, nothing; or it gives up.
enum class Step : std::uint8_t { next, ends, done, gives_up };

class TapeBuilder {
public:
    TapeBuilder(std::string_view text, std::size_t max_depth, Guide guide, std::uint64_t* words,
                Facts& facts)
        : text_{text.data()}, at_{text.data()}, end_{text.data() + text.size()}, words_{words},
          facts_{facts}, look_{guide, facts.order()},
          // As many words as there are bytes, and the root's two; and the document itself is open.
          document_{facts.begin(text.size() + 2, max_depth + 1)}, limit_{document_ + max_depth},
          here_{document_} {
        *document_ = look_.document();
    }

    [[gnu::always_inline]] [[nodiscard]] bool build() {
        while (end_ != text_ && is_space(end_[-1]))
            --end_;
        // The last byte closes something: numbers, words and spaces end in front of it, so that the
        // end has to be looked for only where a string ends or something closes.
        if (end_ == text_ || (end_[-1] != '}' && end_[-1] != ']')) return false;
        skip_space();
        if (*at_ != '{' && *at_ != '[') return false;
        for (;;) {
            if (here_->is_object && !add_name()) return false;
            Step step = add_value();
            if (step == Step::ends) step = close_all();
            if (step == Step::gives_up) return false;
            if (step == Step::done) break;
        }
        if (at_ != end_) return false;
        words_[0] = tape_word(TapeKind::root, word_ + 1);
        words_[word_] = tape_word(TapeKind::root, 0);
        facts_.end(look_);
        // RFC 8259, 8.1. Only strings can hold what is not ASCII.
        return mask_of(seen_ < 0) == 0
               || simdjson::validate_utf8(text_, static_cast<std::size_t>(end_ - text_));
    }

private:
    [[gnu::always_inline]] void skip_space() noexcept {
        if (*at_ == ' ') ++at_;
        if (static_cast<unsigned char>(*at_) <= ' ') [[unlikely]]
            at_ = skip_spaces(at_, end_);
    }

    // A value; of one that holds others, its beginning.
    [[gnu::always_inline]] [[nodiscard]] Step add_value() {
        char const first = *at_;
        if (first == '"') [[likely]] {
            FirstLook::scalar(*here_, value_bits::string);
            return ends_if(add_string());
        }
        if (is_digit(first)) return ends_if(add_number(at_, false));
        switch (first) {
        case '{': return open(true);
        case '[': return open(false);
        case 't': return ends_if(add_word("true", TapeKind::true_value));
        case 'f': return ends_if(add_word("false", TapeKind::false_value));
        case 'n': return ends_if(add_word("null", TapeKind::null));
        case '-': return ends_if(is_digit(at_[1]) && add_number(at_ + 1, true));
        default: return Step::gives_up;
        }
    }

    [[nodiscard]] static Step ends_if(bool is_good) noexcept {
        return is_good ? Step::ends : Step::gives_up;
    }

    [[gnu::always_inline]] [[nodiscard]] Step open(bool is_object) {
        if (here_ == limit_) return Step::gives_up;
        look_.open(*here_, static_cast<TapeIndex>(word_), is_object, *(here_ + 1));
        ++here_;
        ++word_; // written when it is closed
        ++at_;
        skip_space();
        return *at_ == (is_object ? '}' : ']') ? Step::ends : Step::next;
    }

    // Behind a value, or at the end of what is empty: all ends, and the comma in front of the next
    // value; or up to the last end.
    [[gnu::always_inline]] [[nodiscard]] Step close_all() {
        if (*at_ != ',') skip_space();
        while (*at_ != ',') {
            if (*at_ != (here_->is_object ? '}' : ']') || !close()) return Step::gives_up;
            ++at_;
            if (here_ == document_) return Step::done;
            if (at_ == end_) return Step::gives_up;
            skip_space();
        }
        ++at_;
        ++here_->count;
        skip_space();
        return Step::next;
    }

    [[gnu::always_inline]] [[nodiscard]] bool close() {
        // Behind the last one is no comma.
        auto const end = static_cast<TapeIndex>(word_);
        TapeIndex const place = here_->place;
        std::uint32_t const count = here_->count + (end == place + 1 ? 0 : 1);
        std::uint64_t const told = std::uint64_t{count < max_count ? count : max_count} << 32;
        std::uint64_t const next = word_ + 1;
        if (here_->is_object) {
            words_[place] = tape_word(TapeKind::object, told | next);
            words_[end] = tape_word(TapeKind::object_end, place);
        } else {
            words_[place] = tape_word(TapeKind::array, told | next);
            words_[end] = tape_word(TapeKind::array_end, place);
        }
        if (!facts_.close({words_, nullptr, text_}, *here_, end)) return false;
        word_ = next;
        bool const passes = here_->passes;
        --here_;
        FirstLook::closed(*here_, passes);
        return true;
    }

    // A name, and what stands between it and its value.
    [[gnu::always_inline]] [[nodiscard]] bool add_name() {
        if (*at_ != '"') return false;
        char const* const begin = at_ + 1;
        auto const word = static_cast<TapeIndex>(word_);
        FirstLook::Name name;
        MemberTable::Expected const* const expected = FirstLook::expected(*here_);
        if (expected != nullptr && expected->name.stands_at(begin)
            && begin + expected->name.size() < end_) [[likely]] {
            put_string(begin, begin + expected->name.size());
            name = look_.known_name(*here_, *expected);
        } else {
            if (!add_string()) return false;
            name = look_.name(*here_, {begin, static_cast<std::size_t>(at_ - 1 - begin)});
        }
        facts_.put_name(word, name);
        here_->names.add(name.hash);
        if (*at_ != ':') [[unlikely]]
            skip_space();
        if (*at_++ != ':') return false;
        skip_space();
        return true;
    }

    [[gnu::always_inline]] [[nodiscard]] bool add_string() noexcept {
        char const* const begin = at_ + 1;
        char const* const quote = find_quote(begin);
        if (quote == nullptr) return false;
        put_string(begin, quote);
        return true;
    }

    [[gnu::always_inline]] void put_string(char const* begin, char const* quote) noexcept {
        words_[word_++] = word_of_string(static_cast<std::uint64_t>(begin - text_),
                                         static_cast<std::uint64_t>(quote - begin));
        at_ = quote + 1;
    }

    // RFC 8259, 7: without escapes the first quote is the last, and a control is a fault.
    [[gnu::always_inline]] [[nodiscard]] char const* find_quote(char const* from) noexcept {
        for (;; from += sizeof(Block)) {
            Block const block = load_block(from);
            seen_ |= block;
            Block const is_control = (block & ~0x1F) == 0;
            unsigned const ends = mask_of((block == '"') | is_control);
            if (ends != 0) [[likely]] {
                from += static_cast<unsigned>(std::countr_zero(ends));
                return *from == '"' && from < end_ ? from : nullptr;
            }
            if (from >= end_) return nullptr;
        }
    }

    [[gnu::always_inline]] [[nodiscard]] bool add_word(std::string_view word,
                                                       TapeKind kind) noexcept {
        if (std::memcmp(at_, word.data(), word.size()) != 0) return false;
        words_[word_++] = tape_word(kind, 0);
        FirstLook::scalar(*here_, likely_bits[static_cast<std::uint8_t>(kind)]);
        at_ += word.size();
        return true;
    }

    // RFC 8259, 6, as far as 15 digits, from the first of them. What may not follow a number is
    // found by who looks for the comma behind it.
    [[gnu::always_inline]] [[nodiscard]] bool add_number(char const* at,
                                                         bool is_negative) noexcept {
        Digits const first = read_digits(at);
        if (*at == '0' && first.count > 1) return false;
        at += first.count;
        std::uint64_t value = first.value;
        if (first.count == 8) {
            Digits const second = read_digits(at);
            if (second.count == 8) return false;
            at += second.count;
            value = value * powers[second.count] + second.value;
        }
        if (*at == '.') {
            Fraction const fraction = read_fraction(at + 1, value, is_negative);
            put_number(TapeKind::number, std::bit_cast<std::uint64_t>(fraction.number));
            FirstLook::scalar(*here_, value_bits::number);
            at_ = at + 1 + fraction.digits;
            return fraction.digits != 0;
        }
        if (is_negative && value == 0) return false; // -0 is another matter
        std::uint64_t const number = is_negative ? 0 - value : value;
        put_number(TapeKind::signed_integer, number);
        FirstLook::integer(*here_, static_cast<std::int64_t>(number));
        at_ = at;
        return true;
    }

    [[gnu::always_inline]] void put_number(TapeKind kind, std::uint64_t value) noexcept {
        words_[word_] = tape_word(kind, 0);
        words_[word_ + 1] = value;
        word_ += 2;
    }

    char const* const text_;
    char const* at_;  // the next token, or spaces in front of it
    char const* end_; // of the last token
    std::uint64_t* const words_;
    std::size_t word_ = Tape::first; // the next one
    Block seen_{};                   // what any byte of a string has, and bytes behind strings
    Facts& facts_;
    FirstLook look_;
    OpenValue* const document_; // around the value of the text; above it what is open in it
    OpenValue* const limit_;
    OpenValue* here_; // the innermost one that is open
};

} // namespace

bool build_tape(std::string_view text, std::size_t max_depth, Guide guide, std::uint64_t* words,
                Facts& facts) {
    // No string of it is longer than a word can say.
    if (text.size() > max_string_in_text) return false;
    // Before any work: it would be done twice.
    if (std::memchr(text.data(), '\\', text.size()) != nullptr) return false;
    return TapeBuilder{text, max_depth, guide, words, facts}.build();
}

} // namespace sallyport::contract
