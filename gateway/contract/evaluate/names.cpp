// Member names of a parsed text.
#include "gateway/contract/evaluate/names.h"

#include <algorithm>
#include <array>

namespace sallyport::contract {

namespace {

constexpr std::uint32_t not_an_object = UINT32_MAX;

// Up to here comparing every hash with every other is faster than sorting them.
constexpr std::size_t few = 32;

[[nodiscard]] TapeIndex place_of(std::uint64_t key) noexcept {
    return static_cast<TapeIndex>(key);
}

[[nodiscard]] bool is_before(std::string_view left, std::string_view right) noexcept {
    return left.size() != right.size() ? left.size() < right.size() : left < right;
}

} // namespace

void Names::make_room(TapeIndex words, std::size_t depth) {
    if (capacity_ < words) {
        capacity_ = std::max<std::size_t>(256, words + words / 2);
        hashes_.reset(new std::uint32_t[capacity_]);
        keys_.reset(new std::uint64_t[capacity_]);
    }
    if (open_.size() <= depth) open_.resize(depth + 1);
}

Malformed Names::read(Tape const& tape, std::size_t max_depth) {
    TapeIndex const end = tape.end();
    make_room(end, max_depth);
    std::size_t keys = 0;
    std::size_t depth = 0;
    bool in_object = false; // then the next word is a name, or the end
    for (TapeIndex at = Tape::first; at < end;) {
        TapeKind kind = tape.kind(at);
        if (in_object && kind == TapeKind::string) {
            std::uint32_t const hash = hash_name(tape.string(at));
            hashes_[at] = hash;
            keys_[keys++] = std::uint64_t{hash} << 32 | at;
            kind = tape.kind(++at);
        }
        std::uint8_t const words = scalar_words[static_cast<std::uint8_t>(kind)];
        if (words != 0) {
            at += words;
            continue;
        }
        if (kind == TapeKind::object || kind == TapeKind::array) {
            in_object = kind == TapeKind::object;
            if (depth == max_depth) return Malformed::too_deep;
            open_[depth++] = in_object ? static_cast<std::uint32_t>(keys) : not_an_object;
        } else {
            std::size_t const begin = open_[--depth];
            if (in_object) {
                if (!close_object(tape, at, begin, keys)) return Malformed::duplicate_member;
                keys = begin;
            }
            in_object = depth != 0 && open_[depth - 1] != not_an_object;
        }
        ++at;
    }
    return Malformed::none;
}

// False: a name occurs twice. Both words of the object keep the bits of its names.
bool Names::close_object(Tape const& tape, TapeIndex close, std::size_t begin, std::size_t end) {
    std::uint64_t all = 0;
    bool is_clear = true;
    for (std::size_t i = begin; i < end; ++i) {
        std::uint64_t const bit = bit_of_name(static_cast<std::uint32_t>(keys_[i] >> 32));
        is_clear = is_clear && (all & bit) == 0;
        all |= bit;
    }
    hashes_[tape.payload(close)] = static_cast<std::uint32_t>(all);
    hashes_[close] = static_cast<std::uint32_t>(all >> 32);
    // Each with a bit of its own: none of them is there twice.
    if (is_clear) return true;
    return !has_duplicate(tape, begin, end);
}

bool Names::has_duplicate(Tape const& tape, std::size_t begin, std::size_t end) {
    std::size_t const count = end - begin;
    if (count > few) return has_duplicate_sorted(tape, begin, end);
    std::uint64_t const* const keys = keys_.get() + begin;
    // Of a few names hardly two share ten bits: then none are the same.
    std::array<std::uint64_t, 16> met{};
    bool is_clear = true;
    for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t const bit = std::uint64_t{1} << (keys[i] >> 32 & 63);
        std::uint64_t& word = met[keys[i] >> 38 & 15];
        is_clear = is_clear && (word & bit) == 0;
        word |= bit;
    }
    if (is_clear) return false;
    for (std::size_t i = 1; i < count; ++i) {
        std::uint64_t const hash = keys[i] >> 32;
        bool is_met = false;
        for (std::size_t j = 0; j < i; ++j)
            is_met |= keys[j] >> 32 == hash;
        if (!is_met) continue;
        std::string_view const name = tape.string(place_of(keys[i]));
        for (std::size_t j = 0; j < i; ++j) {
            if (tape.string(place_of(keys[j])) == name) return true;
        }
    }
    return false;
}

bool Names::has_duplicate_sorted(Tape const& tape, std::size_t begin, std::size_t end) {
    std::uint64_t* const first = keys_.get() + begin;
    std::uint64_t* const last = keys_.get() + end;
    std::sort(first, last);
    for (auto* run = first; run != last;) {
        auto* const run_end =
            std::find_if(run, last, [run](std::uint64_t key) { return key >> 32 != *run >> 32; });
        if (run_end - run > 1) {
            // Names that collide, perhaps on purpose: order them by what they are.
            std::sort(run, run_end, [&tape](std::uint64_t left, std::uint64_t right) {
                return is_before(tape.string(place_of(left)), tape.string(place_of(right)));
            });
            auto* const twin =
                std::adjacent_find(run, run_end, [&tape](std::uint64_t left, std::uint64_t right) {
                    return tape.string(place_of(left)) == tape.string(place_of(right));
                });
            if (twin != run_end) return true;
        }
        run = run_end;
    }
    return false;
}

} // namespace sallyport::contract
