// Facts about the values of a text, collected before its rules are checked.
#include "gateway/contract/evaluate/facts.h"

#include <algorithm>

namespace sallyport::contract {

namespace {

// Up to this number comparing all pairs of hashes is faster than sorting them.
constexpr std::size_t few = 32;

[[nodiscard]] TapeIndex place_of(std::uint64_t key) noexcept {
    return static_cast<TapeIndex>(key);
}

[[nodiscard]] bool is_before(std::string_view left, std::string_view right) noexcept {
    return left.size() != right.size() ? left.size() < right.size() : left < right;
}

} // namespace

OpenValue* Facts::begin(std::size_t words, std::size_t depth) {
    if (capacity_ < words) {
        capacity_ = std::max<std::size_t>(256, words + words / 2);
        names_.reset(new NameFact[capacity_]);
        passed_.reset(new NodeIndex[capacity_]);
    }
    if (open_.size() < depth) open_.resize(depth);
    return open_.data();
}

bool Facts::has_twins(Tape const& tape, TapeIndex object) {
    keys_.clear();
    TapeIndex const end = tape.close(object);
    for (TapeIndex name = object + 1; name < end; name = tape.next(name + 1))
        keys_.push_back(std::uint64_t{hash(name)} << 32 | name);
    std::size_t const count = keys_.size();
    if (count > few) return has_twins_sorted(tape);
    for (std::size_t i = 1; i < count; ++i) {
        std::uint64_t const hash = keys_[i] >> 32;
        bool is_met = false;
        for (std::size_t j = 0; j < i; ++j)
            is_met |= keys_[j] >> 32 == hash;
        if (!is_met) continue;
        std::string_view const name = tape.string(place_of(keys_[i]));
        for (std::size_t j = 0; j < i; ++j) {
            if (tape.string(place_of(keys_[j])) == name) return true;
        }
    }
    return false;
}

bool Facts::has_twins_sorted(Tape const& tape) {
    std::uint64_t* const first = keys_.data();
    std::uint64_t* const last = first + keys_.size();
    std::sort(first, last);
    for (auto* run = first; run != last;) {
        auto* const run_end =
            std::find_if(run, last, [run](std::uint64_t key) { return key >> 32 != *run >> 32; });
        if (run_end - run > 1) {
            // Names with equal hashes, possibly chosen by a client: sorted by their text.
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
