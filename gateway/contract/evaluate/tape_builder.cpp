// Tokens to tape, in one pass.
#include "gateway/contract/evaluate/tape_builder.h"

#include <array>
#include <bit>
#include <cstring>

namespace sallyport::contract {

namespace {

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

// What may follow a number or a word.
constexpr auto ends_of_scalars = [] {
    std::array<bool, 256> bytes{};
    for (char const c : std::string_view{" \t\n\r,]}"})
        bytes[static_cast<unsigned char>(c)] = true;
    return bytes;
}();

// simdjson counts items and members up to this.
constexpr std::uint32_t max_count = 0xFF'FFFF;

enum class Step : std::uint8_t { next, done, gives_up };

class TapeBuilder {
public:
    TapeBuilder(Tokens const& tokens, std::size_t max_depth, Guide guide, std::uint64_t* words,
                Facts& facts)
        : text_{tokens.text.data()}, token_{tokens.first}, end_{tokens.first + tokens.count},
          words_{words}, facts_{facts}, look_{guide},
          // As many words as there are bytes, and the root's two; and the document itself is open.
          document_{facts.begin(tokens.text.size() + 2, max_depth + 1)},
          limit_{document_ + max_depth}, here_{document_} {
        *document_ = look_.document();
    }

    [[gnu::always_inline]] [[nodiscard]] bool build() {
        if (token_ == end_ || (text_[*token_] != '{' && text_[*token_] != '[')) return false;
        // The last token closes something: behind any other there is one more, and only where
        // something closes the end has to be looked for.
        char const last = text_[*(end_ - 1)];
        if (last != '}' && last != ']') return false;
        for (;;) {
            if (!add_value()) return false;
            Step const step = close_all();
            if (step == Step::gives_up) return false;
            if (step == Step::done) break;
        }
        if (token_ != end_) return false;
        words_[0] = tape_word(TapeKind::root, word_ + 1);
        words_[word_] = tape_word(TapeKind::root, 0);
        facts_.end(look_);
        return true;
    }

private:
    // A value; of one that holds others, all up to the first that holds none.
    [[gnu::always_inline]] [[nodiscard]] bool add_value() {
        for (;;) {
            std::size_t const at = *token_++;
            char const first = text_[at];
            if (first == '"') {
                FirstLook::scalar(*here_, value_bits::string);
                put_string(at, size_of_string(at, *token_));
                return true;
            }
            if (first >= '0' && first <= '9') return add_number(at, at);
            switch (first) {
            case '{':
                if (!open(true)) return false;
                if (text_[*token_] == '}') return true;
                if (!add_name()) return false;
                break;
            case '[':
                if (!open(false)) return false;
                if (text_[*token_] == ']') return true;
                break;
            case 't': return add_word(at, "true", TapeKind::true_value);
            case 'f': return add_word(at, "false", TapeKind::false_value);
            case 'n': return add_word(at, "null", TapeKind::null);
            case '-': return add_number(at + 1, at);
            default: return false;
            }
        }
    }

    [[gnu::always_inline]] [[nodiscard]] bool open(bool is_object) {
        if (here_ == limit_) return false;
        look_.open(*here_, static_cast<TapeIndex>(word_), is_object, *(here_ + 1));
        ++here_;
        ++word_; // written when it is closed
        return true;
    }

    // Behind a value, or at the end of what is empty: all ends up to the comma in front of the next
    // value, or up to the last.
    [[gnu::always_inline]] [[nodiscard]] Step close_all() {
        for (;;) {
            char const token = text_[*token_++];
            if (token == ',') {
                ++here_->count;
                return !here_->is_object || add_name() ? Step::next : Step::gives_up;
            }
            if (token != (here_->is_object ? '}' : ']') || !close()) return Step::gives_up;
            if (here_ == document_) return Step::done;
            if (token_ == end_) return Step::gives_up;
        }
    }

    [[gnu::always_inline]] [[nodiscard]] bool close() {
        // Behind the last one is no comma.
        std::uint32_t const count = here_->count + (word_ == here_->place + 1 ? 0 : 1);
        std::uint64_t const told = std::uint64_t{count < max_count ? count : max_count} << 32;
        std::uint64_t const next = word_ + 1;
        if (here_->is_object) {
            words_[here_->place] = tape_word(TapeKind::object, told | next);
            words_[word_] = tape_word(TapeKind::object_end, here_->place);
        } else {
            words_[here_->place] = tape_word(TapeKind::array, told | next);
            words_[word_] = tape_word(TapeKind::array_end, here_->place);
        }
        if (!facts_.close({words_, nullptr, text_}, *here_)) return false;
        word_ = next;
        bool const passes = here_->passes;
        --here_;
        FirstLook::closed(*here_, passes);
        return true;
    }

    [[gnu::always_inline]] [[nodiscard]] bool add_name() {
        std::size_t const at = token_[0];
        if (text_[at] != '"' || text_[token_[1]] != ':') return false;
        std::size_t const size = size_of_string(at, token_[1]);
        std::size_t const word = word_;
        put_string(at, size);
        FirstLook::Name const name = look_.name(*here_, {text_ + at + 1, size});
        facts_.put_name(static_cast<TapeIndex>(word), name);
        here_->names.add(name.hash);
        token_ += 2;
        return true;
    }

    // Between a string and the next token are spaces only, and without escapes its last quote is
    // the only one behind its first.
    [[gnu::always_inline]] [[nodiscard]] std::size_t size_of_string(std::size_t at,
                                                                    std::size_t next) noexcept {
        std::size_t last = next - 1;
        while (text_[last] != '"')
            --last;
        return last - at - 1;
    }

    [[gnu::always_inline]] void put_string(std::size_t at, std::size_t size) noexcept {
        words_[word_++] = word_of_string(at + 1, size);
    }

    [[gnu::always_inline]] [[nodiscard]] bool add_word(std::size_t at, std::string_view word,
                                                       TapeKind kind) noexcept {
        if (std::memcmp(text_ + at, word.data(), word.size()) != 0) return false;
        words_[word_++] = tape_word(kind, 0);
        FirstLook::scalar(*here_, likely_bits[static_cast<std::uint8_t>(kind)]);
        return is_end(at + word.size());
    }

    [[nodiscard]] bool is_end(std::size_t at) const noexcept {
        return ends_of_scalars[static_cast<unsigned char>(text_[at])];
    }

    // RFC 8259, 6, as far as 15 digits, behind the sign, if there is one at `begin`.
    [[gnu::always_inline]] [[nodiscard]] bool add_number(std::size_t at,
                                                         std::size_t begin) noexcept {
        Digits const first = read_digits(text_ + at);
        if (first.count == 0 || (text_[at] == '0' && first.count > 1)) return false;
        at += first.count;
        std::uint64_t value = first.value;
        if (first.count == 8) {
            Digits const second = read_digits(text_ + at);
            if (second.count == 8) return false;
            at += second.count;
            value = value * powers[second.count] + second.value;
        }
        bool const is_negative = text_[begin] == '-';
        if (text_[at] == '.') {
            Fraction const fraction = read_fraction(text_ + at + 1, value, is_negative);
            put_number(TapeKind::number, std::bit_cast<std::uint64_t>(fraction.number));
            FirstLook::scalar(*here_, value_bits::number);
            return fraction.digits != 0 && is_end(at + 1 + fraction.digits);
        }
        if (is_negative && value == 0) return false; // -0 is another matter
        std::uint64_t const number = is_negative ? 0 - value : value;
        put_number(TapeKind::signed_integer, number);
        FirstLook::integer(*here_, static_cast<std::int64_t>(number));
        return is_end(at);
    }

    [[gnu::always_inline]] void put_number(TapeKind kind, std::uint64_t value) noexcept {
        words_[word_] = tape_word(kind, 0);
        words_[word_ + 1] = value;
        word_ += 2;
    }

    char const* const text_;
    std::uint32_t const* token_; // the next one
    std::uint32_t const* const end_;
    std::uint64_t* const words_;
    std::size_t word_ = Tape::first; // the next one
    Facts& facts_;
    FirstLook look_;
    OpenValue* const document_; // around the value of the text; above it what is open in it
    OpenValue* const limit_;
    OpenValue* here_; // the innermost one that is open
};

} // namespace

bool build_tape(Tokens const& tokens, std::size_t max_depth, Guide guide, std::uint64_t* words,
                Facts& facts) {
    // No string of it is longer than a word can say.
    if (tokens.text.size() > max_string_in_text) return false;
    return TapeBuilder{tokens, max_depth, guide, words, facts}.build();
}

} // namespace sallyport::contract
