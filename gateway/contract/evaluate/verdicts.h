// What a schema that refers to itself has said of values, for who asks again.
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

/// How a value fits a schema: not, or only because rules at level report count as true, or without
/// any of that.
enum class Fit : std::uint8_t { no, with_reports, clean };

/// Forms of a recursive schema ask what is in a value once each: without a memory the questions
/// multiply with every level of nesting, with it each schema is asked once about each value.
///
/// A question has one place in which its answer may stand, and takes it from another one: so the
/// memory is as large as the tape at most, and forgets rather than searches, whatever a text is made
/// to do to it.
class Verdicts {
public:
    /// In which of these an answer was given: one of another kind might have been another.
    enum class Kind : std::uint8_t {
        asserted, // broken rules are violations
        reported, // the same, but none is more than reported
        survey,   // none is told; the members that schemas declare are noted
        trial,    // nothing is told or noted, so that the first rule that is broken ends it
    };

    /// For another text, whose tape has so many words.
    void begin(std::size_t words) noexcept {
        words_ = words;
        is_ready_ = false;
    }

    [[nodiscard]] std::optional<Fit> find(NodeIndex schema, TapeIndex at,
                                          Kind kind) const noexcept {
        if (!is_ready_) return std::nullopt;
        Entry const& entry = table_[slot_of(schema, at, kind)];
        if (entry.schema != schema || entry.at != at || entry.kind != kind) return std::nullopt;
        return entry.fit;
    }
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

    // Most texts are asked nothing that comes by here.
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
