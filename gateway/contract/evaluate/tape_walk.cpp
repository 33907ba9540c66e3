// From tokens to the tape, in one pass.
#include "gateway/contract/evaluate/tape_walk.h"
#include "gateway/contract/text/json_text.h"
#include "gateway/text/ascii.h"

#include <simdjson.h>

#include <bit>
#include <cstddef>
#include <cstring>
#include <new>

namespace sallyport::contract {

namespace {

namespace atoms = simdjson::builtin::atomparsing;
namespace numbers = simdjson::builtin::numberparsing;

static_assert(read_beyond >= QuotedName::reads && read_beyond >= simdjson::SIMDJSON_PADDING);

// The longest number, with the spaces after it, that is first read as digits only.
constexpr std::ptrdiff_t longest_plain = 32;

// simdjson counts up to this number of items and properties.
constexpr std::uint32_t max_count = 0xFF'FFFF;

[[nodiscard]] std::uint8_t const* bytes_of(char const* text) noexcept {
    return reinterpret_cast<std::uint8_t const*>(text);
}

// The interface through which simdjson's number parser writes a number.
struct NumberWriter {
    std::uint64_t* words;
    OpenValue& around;
    AtOnce const& expected;

    [[gnu::always_inline]] void append_s64(std::int64_t value) noexcept {
        put(TapeKind::signed_integer, static_cast<std::uint64_t>(value));
        FirstLook::integer(around, expected, value);
    }
    [[gnu::always_inline]] void append_u64(std::uint64_t value) noexcept {
        put(TapeKind::unsigned_integer, value);
        FirstLook::scalar(around, expected, value_bits::integer);
    }
    [[gnu::always_inline]] void append_double(double value) noexcept {
        put(TapeKind::number, std::bit_cast<std::uint64_t>(value));
        FirstLook::scalar(around, expected, value_bits::number);
    }
    static void skip_double() noexcept {} // the walk counts words

private:
    [[gnu::always_inline]] void put(TapeKind kind, std::uint64_t value) noexcept {
        words[0] = tape_word(kind, 0);
        words[1] = value;
    }
};

// Removes the escapes of any string: all memory that it needs is the caller's. Made before main, where there is memory.
simdjson::ondemand::parser const unescaper = [] {
    simdjson::ondemand::parser parser;
    if (parser.allocate(simdjson::dom::MINIMAL_DOCUMENT_CAPACITY) != simdjson::SUCCESS) throw std::bad_alloc{};
    return parser;
}();

// Strings that are copied: those with escapes, and those that are too long.
class CopiedStrings {
public:
    CopiedStrings(simdjson::dom::parser& parser, std::string_view text)
        : end_{text.data() + text.size()}, first_{parser.doc.string_buf.get()}, next_{first_},
          escape_{text.data()} {}

    // A string that ends before this position has no escape, and stays in the text.
    [[nodiscard]] char const* escape() const noexcept { return escape_; }

    // The word of the string from `begin` to its quote, or 0.
    [[gnu::noinline]] [[nodiscard]] std::uint64_t word(char const* text, char const* begin,
                                                       char const* quote) noexcept {
        std::string_view const raw{begin, static_cast<std::size_t>(quote - begin)};
        if (static_cast<std::size_t>(end_ - text) <= max_string_in_text) find_escape(quote);
        bool const has_escapes = std::memchr(begin, '\\', raw.size()) != nullptr;
        if (!has_escapes && raw.size() <= max_string_in_text) {
            return word_of_string(static_cast<std::uint64_t>(begin - text), raw.size());
        }
        std::uint8_t* const place = next_ + sizeof(std::uint32_t);
        // Half a surrogate pair is refused here as well.
        std::uint8_t* end = place;
        if (unescaper.unescape(bytes_of(begin), end).error() != simdjson::SUCCESS) return 0;
        auto const size = static_cast<std::uint32_t>(end - place);
        std::memcpy(next_, &size, sizeof size);
        std::uint64_t const at = static_cast<std::uint64_t>(next_ - first_);
        *end = 0;
        next_ = end + 1;
        return tape_word(TapeKind::string, at);
    }

private:
    void find_escape(char const* from) noexcept {
        void const* const found = std::memchr(from, '\\', static_cast<std::size_t>(end_ - from));
        escape_ = found != nullptr ? static_cast<char const*>(found) : end_;
    }

    char const* const end_;
    std::uint8_t* const first_;
    std::uint8_t* next_;
    char const* escape_;
};

// There is only white space between the two.
[[gnu::noinline]] [[nodiscard]] char const* quote_before(char const* at) noexcept {
    while (*at != '"')
        --at;
    return at;
}

// What follows: a value or a name, the end of the open array or object, nothing; or the text is
// refused.
enum class Step : std::uint8_t { next, ends, done, refused };

class TapeWalk {
public:
    TapeWalk(simdjson::dom::parser& parser, std::string_view text, std::size_t max_depth,
             Guide guide, Facts& facts, CopiedStrings& copied)
        : text_{text.data()}, next_{parser.implementation->structural_indexes.get()},
          end_{next_ + parser.implementation->n_structural_indexes}, words_{parser.doc.tape.get()},
          copies_{parser.doc.string_buf.get()}, copied_{copied}, facts_{facts},
          look_{guide, facts.order()},
          // As many words as bytes, and two for the root; and one open value for the document.
          document_{facts.begin(text.size() + 2, max_depth + 1)}, names_{facts.names()},
          limit_{document_ + max_depth}, here_{document_} {
        *document_ = look_.document();
    }

    [[gnu::always_inline]] [[nodiscard]] Laid walk() {
        for (;;) {
            AtOnce const* expected = here_->items;
            if (here_->end == '}') [[likely]] {
                expected = add_name();
                if (expected == nullptr) return Laid::refused;
            }
            Step step = add_value(*expected);
            if (step == Step::ends) step = close_all();
            if (step == Step::refused) return Laid::refused;
            if (step == Step::done) break;
        }
        if (next_ != end_) return Laid::refused;
        words_[0] = tape_word(TapeKind::root, word_ + 1);
        words_[word_] = tape_word(TapeKind::root, 0);
        facts_.end(look_);
        return has_twins_ ? Laid::has_twins : Laid::done;
    }

private:
    [[gnu::always_inline]] [[nodiscard]] Step add_value(AtOnce const& expected) {
        char const* const at = text_ + *next_++;
        char const first = *at;
        if (first == '"') [[likely]] {
            FirstLook::scalar(*here_, expected, value_bits::string);
            return ends_if(add_string(at + 1));
        }
        if (text::is_digit(first)) return ends_if(add_number(at, expected));
        if (first == '{') return open('}', expected);
        switch (first) {
        case '-': return ends_if(add_number(at, expected));
        case '[': return open(']', expected);
        case 't':
            return ends_if(
                add_atom(atoms::is_valid_true_atom(bytes_of(at)), TapeKind::true_value, expected));
        case 'f':
            return ends_if(add_atom(atoms::is_valid_false_atom(bytes_of(at)), TapeKind::false_value,
                                    expected));
        case 'n':
            return ends_if(
                add_atom(atoms::is_valid_null_atom(bytes_of(at)), TapeKind::null, expected));
        default: return Step::refused;
        }
    }

    [[nodiscard]] static Step ends_if(bool is_good) noexcept {
        return is_good ? Step::ends : Step::refused;
    }

    [[gnu::always_inline]] [[nodiscard]] Step open(char end, AtOnce const& expected) {
        if (here_ == limit_) return Step::refused;
        ++here_;
        here_->end = end;
        here_->place = static_cast<TapeIndex>(word_);
        if (end == '}') {
            look_.open_object(expected, *here_);
        } else {
            look_.open_array(expected, *here_);
        }
        ++word_; // written when it is closed
        bool const is_empty = text_[*next_] == end;
        here_->count = is_empty ? 0 : 1;
        return is_empty ? Step::ends : Step::next;
    }

    // After a value, or at the end of an empty array or object: handles all closing brackets up to
    // the comma before the next value, or up to the end.
    [[gnu::always_inline]] [[nodiscard]] Step close_all() {
        char next = text_[*next_++];
        if (next != ',') [[unlikely]] {
            do {
                if (next != here_->end) return Step::refused;
                close();
                if (here_ == document_) return Step::done;
                next = text_[*next_++];
            } while (next != ',');
        }
        ++here_->count;
        return Step::next;
    }

    [[gnu::always_inline]] void close() {
        auto const end = static_cast<TapeIndex>(word_++);
        TapeIndex const place = here_->place;
        std::uint64_t const count = here_->count < max_count ? here_->count : max_count;
        std::uint64_t const extent = count << 32 | word_;
        if (here_->end == '}') {
            words_[place] = tape_word(TapeKind::object, extent);
            words_[end] = tape_word(TapeKind::object_end, place);
            if (facts_.close(*here_, end)) [[unlikely]]
                has_twins_ = has_twins_ || facts_.has_twins({words_, copies_, text_}, place);
        } else {
            words_[place] = tape_word(TapeKind::array, extent);
            words_[end] = tape_word(TapeKind::array_end, place);
            facts_.close(*here_);
        }
        bool const passes = here_->passes;
        --here_;
        FirstLook::closed(*here_, passes);
    }

    // A name and the colon after it: returns the check of its value, or null.
    [[gnu::always_inline]] [[nodiscard]] AtOnce const* add_name() {
        std::uint32_t const place = *next_++;
        char const* const at = text_ + place;
        if (here_->guess != nullptr) {
            // The next property if the text has the same order as earlier ones.
            MemberTable::Expected const& expected = **here_->guess;
            if (expected.name.stands_at(at)) [[likely]] {
                look_.met(*here_, expected);
                MemberTable::Slot const& slot = *expected.slot;
                here_->names.add(slot.bits);
                put_fact(word_, slot.fact);
                words_[word_++] = expected.word + place;
                return text_[*next_++] == ':' ? &slot.at_once : nullptr;
            }
        }
        return add_other_name(at);
    }

    [[gnu::always_inline]] [[nodiscard]] AtOnce const* add_other_name(char const* at) {
        std::size_t const word = word_;
        if (*at != '"' || !add_string(at + 1)) return nullptr;
        if (text_[*next_++] != ':') return nullptr;
        std::string_view const name =
            Tape{words_, copies_, text_}.string(static_cast<TapeIndex>(word));
        MemberTable::Slot const* const slot = look_.find(*here_, name);
        if (slot != nullptr) {
            here_->names.add(slot->bits);
            put_fact(word, slot->fact);
            return &slot->at_once;
        }
        std::uint32_t const hash = hash_name(name);
        here_->names.add(NameBits{hash});
        put_fact(word, {hash, Mark::none});
        return &takes_all;
    }

    [[gnu::always_inline]] void put_fact(std::size_t word, NameFact const& fact) noexcept {
        std::memcpy(names_ + word, &fact, sizeof fact); // in one store, unlike `=`
    }

    // RFC 8259, 7: simdjson's first stage guarantees that there is a quote, and that no byte before
    // it is a control character or invalid UTF-8. Between the quote and the next token is only
    // white space.
    [[gnu::always_inline]] [[nodiscard]] bool add_string(char const* begin) noexcept {
        char const* quote = text_ + *next_ - 1;
        if (*quote != '"') [[unlikely]]
            quote = quote_before(quote);
        if (quote > copied_.escape()) [[unlikely]]
            return (words_[word_++] = copied_.word(text_, begin, quote)) != 0;
        words_[word_++] = word_of_string(static_cast<std::uint64_t>(begin - text_),
                                         static_cast<std::uint64_t>(quote - begin));
        return true;
    }

    [[gnu::always_inline]] [[nodiscard]] bool add_atom(bool is_good, TapeKind kind,
                                                       AtOnce const& expected) noexcept {
        words_[word_++] = tape_word(kind, 0);
        FirstLook::scalar(*here_, expected, likely_bits[static_cast<std::uint8_t>(kind)]);
        return is_good;
    }

    [[gnu::always_inline]] [[nodiscard]] bool add_number(char const* at,
                                                         AtOnce const& expected) noexcept {
        std::uint64_t* const words = words_ + word_;
        word_ += 2;
        // Most are only digits, which are faster to read. Very long ones are not read twice.
        if (text_ + *next_ - at > longest_plain)
            return put_rare_number(at, expected, *here_, words);
        auto const digits = numbers::parse_unsigned(bytes_of(at));
        if (digits.error() != simdjson::SUCCESS)
            return put_rare_number(at, expected, *here_, words);
        NumberWriter writer{words, *here_, expected};
        if (digits.value_unsafe() <= INT64_MAX) [[likely]] {
            writer.append_s64(static_cast<std::int64_t>(digits.value_unsafe()));
        } else {
            writer.append_u64(digits.value_unsafe());
        }
        return true;
    }

    [[gnu::noinline]] [[nodiscard]] static bool put_rare_number(char const* at,
                                                                AtOnce const& expected,
                                                                OpenValue& around,
                                                                std::uint64_t* words) noexcept {
        NumberWriter writer{words, around, expected};
        return numbers::parse_number(bytes_of(at), writer) == simdjson::SUCCESS;
    }

    char const* const text_;
    std::uint32_t const* next_; // the next token; after the last one is the text's length
    std::uint32_t const* const end_;
    std::uint64_t* const words_;
    std::uint8_t const* const copies_;
    std::size_t word_ = Tape::first; // the next word
    bool has_twins_ = false;
    CopiedStrings& copied_;
    Facts& facts_;
    FirstLook look_;
    OpenValue* const document_; // the parent of the root value; after it the open values
    NameFact* const names_;
    OpenValue* const limit_;
    OpenValue* here_; // the innermost open value
};

// A text with one value that is not an array or object: simdjson checks that a number ends with it.
[[gnu::cold]] [[nodiscard]] Laid lay_scalar(simdjson::dom::parser& parser, Facts& facts) {
    if (parser.implementation->stage2(parser.doc) != simdjson::SUCCESS) return Laid::refused;
    facts.end(FirstLook{{}, facts.order()});
    return Laid::done;
}

} // namespace

Laid lay_tape(simdjson::dom::parser& parser, std::string_view text, std::size_t max_depth,
              Guide guide, Facts& facts) {
    auto& reader = *parser.implementation;
    if (reader.stage1(bytes_of(text.data()), text.size(), simdjson::stage1_mode::regular)
        != simdjson::SUCCESS) {
        return Laid::refused;
    }
    char const first = text[reader.structural_indexes[0]];
    if (first != '{' && first != '[') return lay_scalar(parser, facts);
    // The last token closes something, so that no value is searched for after the tokens: positions
    // after them are from other texts.
    char const last = text[reader.structural_indexes[reader.n_structural_indexes - 1]];
    if (last != '}' && last != ']') return Laid::refused;
    CopiedStrings copied{parser, text};
    return TapeWalk{parser, text, max_depth, guide, facts, copied}.walk();
}

} // namespace sallyport::contract
