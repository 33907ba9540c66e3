// A number for each JSON value: those of equal values (JSON Schema 2020-12 core, 4.2.2) are equal.
#pragma once

#include "gateway/contract/evaluate/tape.h"
#include "gateway/contract/text/json_text.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract {

/// What both sides, values of bodies and constants of contracts, are hashed with. The key is chosen
/// by chance when the process starts: no client can make values that collide. Nothing may depend on
/// it but how fast something is.
namespace value_hash {
[[nodiscard]] std::uint64_t of_word(char kind) noexcept; // null, true, false: as in canonical.h
[[nodiscard]] std::uint64_t of_string(std::string_view text) noexcept;
[[nodiscard]] std::uint64_t of_number(std::string_view text); // 1.0 and 1 are one value
[[nodiscard]] std::uint64_t of_integer(std::int64_t value) noexcept; // the same as its text's

/// Arrays and objects begin with a seed, and take what is in them in: an array in its order, an
/// object whatever the order of its members is.
inline constexpr std::uint64_t array_seed = 0x5A11'B0A7'0000'0001U;
inline constexpr std::uint64_t object_seed = 0x5A11'B0A7'0000'0002U;
[[nodiscard]] std::uint64_t with_item(std::uint64_t array, std::uint64_t item) noexcept;
[[nodiscard]] std::uint64_t with_member(std::uint64_t object, std::uint64_t name,
                                        std::uint64_t value) noexcept;
/// Of a whole array or object of so many items or members: nothing but the bits that are kept.
[[nodiscard]] std::uint64_t whole(std::uint64_t hash, std::uint64_t count) noexcept;

/// As many bits as are remembered of a value; never 0.
inline constexpr unsigned kept_bits = 30;
[[nodiscard]] constexpr std::uint32_t kept(std::uint64_t hash) noexcept {
    auto const high = static_cast<std::uint32_t>(hash >> (64 - kept_bits));
    return high != 0 ? high : 1;
}
} // namespace value_hash

/// Of the values of one text. Arrays and objects are hashed once each, however often and from
/// however far outside they are asked for. Keeps its scratch memory: four bytes for each word of the
/// tape, from the first array or object that is asked for.
class ValueHashes {
public:
    /// For another text. `stand_ins`: some numbers on its tape are not those of the text.
    enum class StandIns : std::uint8_t { no, yes };
    void begin(StandIns stand_ins) noexcept {
        kept_.clear();
        has_stand_ins_ = stand_ins == StandIns::yes;
        work_ = 0;
    }

    /// Has `kept_bits` bits, and is not 0.
    [[nodiscard]] std::uint32_t of(Tape const& tape, NumberTexts& texts, TapeIndex at);
    /// Of the array at `at`: whether no two of its items are equal, as far as that was found out.
    enum class Twins : std::uint8_t { not_known, none, some };
    [[nodiscard]] Twins twins(TapeIndex at) const noexcept {
        return at < kept_.size() ? static_cast<Twins>(kept_[at] >> value_hash::kept_bits)
                                 : Twins::not_known;
    }
    void set_twins(Tape const& tape, TapeIndex at, Twins twins);

    /// What of() has done since this was asked last: a unit for each value that was looked at, and
    /// for each 32 bytes of strings.
    [[nodiscard]] std::uint64_t take_work() noexcept {
        std::uint64_t const work = work_;
        work_ = 0;
        return work;
    }

private:
    [[nodiscard]] std::uint64_t whole(Tape const& tape, NumberTexts& texts, TapeIndex at);
    [[nodiscard]] std::uint64_t of_container(Tape const& tape, NumberTexts& texts, TapeIndex at);
    void make_room(Tape const& tape);

    // Of arrays and objects by place: the hash, and above it what is known of twins. 0: nothing.
    std::vector<std::uint32_t> kept_;
    std::uint64_t work_ = 0;
    bool has_stand_ins_ = false;
};

} // namespace sallyport::contract
