// Stored results of schemas that refer to themselves, for repeated checks of the same value.
#pragma once

#include "gateway/contract/evaluate/tape.h"
#include "gateway/contract/schema/program.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sallyport::contract {

/// How a value matches a schema: not, or only because rules at level report count as true, or
/// without such rules.
enum class Fit : std::uint8_t { no, with_reports, clean };

/// The forms of a recursive schema check the content of a value several times: without stored
/// results the number of checks is multiplied with every level of nesting, with them each schema is
/// checked once for each value.
///
/// Each result has one slot, and replaces the result that is in it: so the memory is at most as
/// large as the tape, and there is no search, whatever the text is.
class Verdicts {
public:
    /// The mode of a check: results of different modes may differ.
    enum class Kind : std::uint8_t {
        asserted, // violations are recorded at their levels
        reported, // the same, but at most at level report
        survey,   // violations are not recorded; the properties that schemas declare are marked
        trial,    // nothing is recorded or marked, so that the first violation ends it
    };

    /// Starts a new text, whose tape has that many words.
    void begin(std::size_t words) noexcept {
        words_ = words;
        is_ready_ = false;
    }

    /// The stored result; nullopt: there is none.
    [[nodiscard]] std::optional<Fit> find(NodeIndex schema, TapeIndex at,
                                          Kind kind) const noexcept {
        if (!is_ready_) return std::nullopt;
        Entry const& entry = table_[slot_of(schema, at, kind)];
        if (entry.schema != schema || entry.at != at || entry.kind != kind) return std::nullopt;
        return entry.fit;
    }
    /// Stores a result; replaces the one in its slot.
    void put(NodeIndex schema, TapeIndex at, Kind kind, Fit fit) {
        if (!is_ready_) make_ready();
        table_[slot_of(schema, at, kind)] = {schema, at, kind, fit};
    }

private:
    static constexpr std::size_t least = 256;
    static constexpr std::size_t most = std::size_t{1} << 19U; // 6 MiB

    struct Entry {
        NodeIndex schema = anything;
        TapeIndex at = 0;
        Kind kind = Kind::asserted;
        Fit fit = Fit::no;
    };

    // Called on first use: most texts need no stored results.
    void make_ready() {
        std::size_t const size = std::clamp(std::bit_ceil(words_), least, most);
        table_.assign(size, {});
        shift_ = 64 - std::countr_zero(size);
        is_ready_ = true;
    }
    // Multiplicative hashing: Knuth, The Art of Computer Programming, 6.4; by 2^64 / golden ratio.
    [[nodiscard]] std::size_t slot_of(NodeIndex schema, TapeIndex at, Kind kind) const noexcept {
        std::uint64_t const key =
            std::uint64_t{at} << 32 | schema << 2 | static_cast<std::uint64_t>(kind);
        return static_cast<std::size_t>(key * 0x9E37'79B9'7F4A'7C15U >> shift_);
    }

    std::vector<Entry> table_;
    std::size_t words_ = 0;
    int shift_ = 0;
    bool is_ready_ = false;
};

} // namespace sallyport::contract
