// Hashes of JSON values, computed with multiplications of 64 by 64 bits.
#include "gateway/contract/evaluate/value_hashes.h"

#include "gateway/contract/evaluate/canonical.h"
#include "gateway/contract/evaluate/names.h"
#include "gateway/contract/text/decimal.h"

#include <random>

namespace sallyport::contract {

namespace value_hash {

namespace {

struct Key {
    std::uint64_t first;
    std::uint64_t second;
};

[[nodiscard]] Key const& key() {
    static Key const chosen = [] {
        std::random_device source;
        auto const word = [&source] {
            // An odd factor, so that multiplication is reversible.
            return (std::uint64_t{source()} << 32 | source()) | 1U;
        };
        return Key{word(), word()};
    }();
    return chosen;
}

[[nodiscard]] std::uint64_t mix(std::uint64_t left, std::uint64_t right) noexcept {
    __extension__ using Wide = unsigned __int128;
    Wide const product = Wide{left} * right;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Seeds, so that values of different types have different hashes.
constexpr std::uint64_t string_seed = 0x5A11'B0A7'0000'0003U;
constexpr std::uint64_t integer_seed = 0x5A11'B0A7'0000'0004U;
constexpr std::uint64_t number_seed = 0x5A11'B0A7'0000'0005U;
constexpr std::uint64_t word_seed = 0x5A11'B0A7'0000'0006U;

[[nodiscard]] std::uint64_t of_bytes(std::string_view text, std::uint64_t seed) noexcept {
    auto const& [first, second] = key();
    std::size_t const size = text.size();
    char const* const data = text.data();
    std::uint64_t hash = mix(seed ^ first, size ^ second);
    if (size < 8) return mix(hash ^ short_name(text), second);
    for (std::size_t at = 0; at + 16 < size; at += 16)
        hash = mix(hash ^ first8(data + at), first8(data + at + 8) ^ second);
    // The last words may overlap earlier ones: the size is part of the hash.
    std::uint64_t const before = size >= 16 ? first8(data + size - 16) : first8(data);
    return mix(hash ^ before, first8(data + size - 8) ^ second);
}

} // namespace

std::uint64_t of_word(char kind) noexcept {
    return mix(word_seed ^ key().first, static_cast<unsigned char>(kind) ^ key().second);
}

std::uint64_t of_string(std::string_view text) noexcept {
    return of_bytes(text, string_seed);
}

std::uint64_t of_integer(std::int64_t value) noexcept {
    auto const& [first, second] = key();
    // Twice: with some keys one multiplication would place consecutive numbers in consecutive
    // slots.
    return mix(mix(static_cast<std::uint64_t>(value) ^ first, integer_seed ^ second) ^ second,
               first);
}

std::uint64_t of_number(std::string_view text) {
    Decimal const decimal{text};
    std::int64_t whole = 0;
    if (decimal.whole(whole)) return of_integer(whole);
    std::string canonical;
    decimal.append_canonical(canonical);
    return of_bytes(canonical, number_seed);
}

std::uint64_t with_item(std::uint64_t array, std::uint64_t item) noexcept {
    return mix(array ^ key().first, item ^ key().second);
}

std::uint64_t with_member(std::uint64_t object, std::uint64_t name, std::uint64_t value) noexcept {
    // A sum does not depend on the order.
    return object + mix(name ^ key().first, value ^ key().second);
}

std::uint64_t whole(std::uint64_t hash, std::uint64_t count) noexcept {
    // Mixed once more, so that the upper bits depend on all bits of a sum.
    return std::uint64_t{kept(with_item(hash, count))} << (64 - kept_bits);
}

} // namespace value_hash

void ValueHashes::make_room(Tape const& tape) {
    if (kept_.empty()) kept_.assign(tape.end(), 0);
}

void ValueHashes::set_twins(Tape const& tape, TapeIndex at, Twins twins) {
    make_room(tape);
    kept_[at] |= static_cast<std::uint32_t>(twins) << value_hash::kept_bits;
}

std::uint32_t ValueHashes::of(Tape const& tape, NumberTexts& texts, TapeIndex at) {
    return value_hash::kept(whole(tape, texts, at));
}

// Recursion is limited by the depth of the text, which the parser limits.
std::uint64_t ValueHashes::whole(Tape const& tape, NumberTexts& texts, TapeIndex at) {
    ++work_;
    switch (tape.kind(at)) {
    case TapeKind::null: return value_hash::of_word(canonical::null);
    case TapeKind::true_value: return value_hash::of_word(canonical::true_value);
    case TapeKind::false_value: return value_hash::of_word(canonical::false_value);
    case TapeKind::string: {
        auto const text = tape.string(at);
        work_ += text.size() / 32;
        return value_hash::of_string(text);
    }
    case TapeKind::array:
    case TapeKind::object: return of_container(tape, texts, at);
    case TapeKind::signed_integer:
        if (!has_stand_ins_) return value_hash::of_integer(tape.signed_value(at));
        break;
    default: break;
    }
    auto const text = texts.of(tape, at);
    work_ += 8 + text.size() / 4; // searched among all numbers, and read digit by digit
    return value_hash::of_number(text);
}

std::uint64_t ValueHashes::of_container(Tape const& tape, NumberTexts& texts, TapeIndex at) {
    constexpr std::uint32_t hash_bits = (std::uint32_t{1} << value_hash::kept_bits) - 1;
    make_room(tape);
    std::uint32_t const known = kept_[at] & hash_bits;
    if (known != 0) return std::uint64_t{known} << (64 - value_hash::kept_bits);
    bool const is_object = tape.kind(at) == TapeKind::object;
    std::uint64_t hash = is_object ? value_hash::object_seed : value_hash::array_seed;
    std::uint64_t count = 0;
    TapeIndex const end = tape.close(at);
    for (TapeIndex one = at + 1; one < end; one = tape.next(one), ++count) {
        if (is_object) {
            auto const name = tape.string(one);
            work_ += 1 + name.size() / 32;
            ++one;
            hash = value_hash::with_member(hash, value_hash::of_string(name),
                                           whole(tape, texts, one));
        } else {
            hash = value_hash::with_item(hash, whole(tape, texts, one));
        }
    }
    hash = value_hash::whole(hash, count);
    kept_[at] |= value_hash::kept(hash);
    return hash;
}

} // namespace sallyport::contract
