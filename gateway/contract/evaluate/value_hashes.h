// Hashes of JSON values: equal values (JSON Schema 2020-12 core, 4.2.2) have equal hashes.
#pragma once

#include "gateway/contract/evaluate/tape.h"
#include "gateway/contract/text/json_text.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract {

/// The hash functions for values of bodies and constants of contracts. The key is random for each
/// process, so that clients cannot produce collisions. It may only affect speed.
namespace value_hash {
[[nodiscard]] std::uint64_t of_word(char kind) noexcept; // null, true, false: see canonical.h
[[nodiscard]] std::uint64_t of_string(std::string_view text) noexcept;
[[nodiscard]] std::uint64_t of_number(std::string_view text); // a JSON number: 1.0 and 1 are equal
[[nodiscard]] std::uint64_t of_integer(std::int64_t value) noexcept; // the same as that of its text

/// The hash of an array or object begins with a seed and combines its items in their order, or its
/// properties independent of their order.
inline constexpr std::uint64_t array_seed = 0x5A11'B0A7'0000'0001U;
inline constexpr std::uint64_t object_seed = 0x5A11'B0A7'0000'0002U;
[[nodiscard]] std::uint64_t with_item(std::uint64_t array, std::uint64_t item) noexcept;
[[nodiscard]] std::uint64_t with_member(std::uint64_t object, std::uint64_t name,
                                        std::uint64_t value) noexcept;
/// The final hash of an array or object with that many items or properties: only the bits that are
/// kept.
[[nodiscard]] std::uint64_t whole(std::uint64_t hash, std::uint64_t count) noexcept;

/// Number of bits that are stored for a value; the stored hash is never 0.
inline constexpr unsigned kept_bits = 30;
/// The stored bits of a hash.
[[nodiscard]] constexpr std::uint32_t kept(std::uint64_t hash) noexcept {
    auto const high = static_cast<std::uint32_t>(hash >> (64 - kept_bits));
    return high != 0 ? high : 1;
}
} // namespace value_hash

/// The hashes of the values of one text. Each array and object is hashed once, however often it is
/// requested. Reuses its scratch memory: four bytes for each word of the tape, from the first array
/// or object on.
class ValueHashes {
public:
    /// Starts a new text. `stand_ins`: whether large numbers on its tape are replaced.
    enum class StandIns : std::uint8_t { no, yes };
    void begin(StandIns stand_ins) noexcept {
        kept_.clear();
        has_stand_ins_ = stand_ins == StandIns::yes;
        work_ = 0;
    }

    /// The hash of a value: `kept_bits` bits, not 0.
    [[nodiscard]] std::uint32_t of(Tape const& tape, NumberTexts& texts, TapeIndex at);
    /// Whether two items of the array at `at` are equal, as far as known.
    enum class Twins : std::uint8_t { not_known, none, some };
    [[nodiscard]] Twins twins(TapeIndex at) const noexcept {
        return at < kept_.size() ? static_cast<Twins>(kept_[at] >> value_hash::kept_bits)
                                 : Twins::not_known;
    }
    /// Stores the result for an array.
    void set_twins(Tape const& tape, TapeIndex at, Twins twins);

    /// The work of of() since the last call: one unit for each value, and for each 32 bytes of
    /// strings.
    [[nodiscard]] std::uint64_t take_work() noexcept {
        std::uint64_t const work = work_;
        work_ = 0;
        return work;
    }

private:
    [[nodiscard]] std::uint64_t whole(Tape const& tape, NumberTexts& texts, TapeIndex at);
    [[nodiscard]] std::uint64_t of_container(Tape const& tape, NumberTexts& texts, TapeIndex at);
    void make_room(Tape const& tape);

    // For arrays and objects by place: the hash, and above it their Twins. 0: nothing is known.
    std::vector<std::uint32_t> kept_;
    std::uint64_t work_ = 0;
    bool has_stand_ins_ = false;
};

} // namespace sallyport::contract
