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

Malformed Names::read(Tape const& tape, std::size_t max_depth) {
    TapeIndex const end = tape.end();
    if (hash_capacity_ < end) {
        hash_capacity_ = std::max<std::size_t>(256, end + end / 2);
        hashes_.reset(new std::uint32_t[hash_capacity_]);
    }
    keys_.clear();
    open_.clear();
    bool in_object = false; // then the next word is a name, or the end
    for (TapeIndex at = Tape::first; at < end;) {
        if (in_object && tape.kind(at) == TapeKind::string) {
            std::uint32_t const hash = hash_name(tape.string(at));
            hashes_[at] = hash;
            keys_.push_back(std::uint64_t{hash} << 32 | at);
            ++at;
        }
        switch (tape.kind(at)) {
        case TapeKind::object:
            open_.push_back(static_cast<std::uint32_t>(keys_.size()));
            if (open_.size() > max_depth) return Malformed::too_deep;
            in_object = true;
            ++at;
            break;
        case TapeKind::array:
            open_.push_back(not_an_object);
            if (open_.size() > max_depth) return Malformed::too_deep;
            in_object = false;
            ++at;
            break;
        case TapeKind::object_end:
            if (has_duplicate(tape, open_.back())) return Malformed::duplicate_member;
            keys_.resize(open_.back());
            [[fallthrough]];
        case TapeKind::array_end:
            open_.pop_back();
            in_object = !open_.empty() && open_.back() != not_an_object;
            ++at;
            break;
        default: at = tape.next(at);
        }
    }
    return Malformed::none;
}

bool Names::has_duplicate(Tape const& tape, std::size_t begin) {
    std::size_t const count = keys_.size() - begin;
    if (count > few) return has_duplicate_sorted(tape, begin);
    std::uint64_t const* const keys = keys_.data() + begin;
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

bool Names::has_duplicate_sorted(Tape const& tape, std::size_t begin) {
    auto const first = keys_.begin() + static_cast<std::ptrdiff_t>(begin);
    std::sort(first, keys_.end());
    for (auto run = first; run != keys_.end();) {
        auto const run_end = std::find_if(
            run, keys_.end(), [run](std::uint64_t key) { return key >> 32 != *run >> 32; });
        if (run_end - run > 1) {
            // Names that collide, perhaps on purpose: order them by what they are.
            std::sort(run, run_end, [&tape](std::uint64_t left, std::uint64_t right) {
                return is_before(tape.string(place_of(left)), tape.string(place_of(right)));
            });
            auto const twin =
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
