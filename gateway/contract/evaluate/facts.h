// What is known about the values of a text before its rules are checked, by place on the tape.
#pragma once

#include "gateway/contract/evaluate/first_look.h"
#include "gateway/contract/evaluate/names.h"
#include "gateway/contract/evaluate/tape.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace sallyport::contract {

/// Reuses its memory for every text.
class Facts {
public:
    /// The hash of the name at `at`.
    [[nodiscard]] std::uint32_t hash(TapeIndex at) const noexcept { return names_[at].hash; }
    /// The bits of all names of the object at `at`: a bit that is not set belongs to no name in it.
    [[nodiscard]] std::uint64_t bits(Tape const& tape, TapeIndex at) const noexcept {
        return std::uint64_t{hash(tape.close(at))} << 32 | hash(at);
    }
    /// The mark of a name or an object; the evaluator changes it.
    [[nodiscard]] Mark& mark(TapeIndex at) noexcept { return names_[at].mark; }
    /// Whether the array or object at `at` was found valid by the first look.
    [[nodiscard]] bool has_passed(NodeIndex schema, TapeIndex at) const noexcept {
        return passed_[at] == schema;
    }
    /// The number of unknown properties in objects marked `declares`.
    [[nodiscard]] std::size_t unknown_members() const noexcept { return unknown_members_; }

    /// For lay_tape(), which fills in all facts: makes room for a tape of at most `words`, and
    /// returns memory for at most `depth` nested arrays and objects.
    [[nodiscard]] OpenValue* begin(std::size_t words, std::size_t depth);
    /// The order of names in earlier texts, for the first look.
    [[nodiscard]] NameOrder& order() noexcept { return order_; }
    [[nodiscard]] NameFact* names() noexcept { return names_.get(); } // by place
    /// Called at the end of an array.
    [[gnu::always_inline]] void close(OpenValue const& array) noexcept {
        passed_[array.place] = array.passes ? array.node : anything;
    }
    /// Called at the end of an object, at `end`. True: it may contain duplicate names (see
    /// has_twins).
    [[gnu::always_inline]] [[nodiscard]] bool close(OpenValue const& object,
                                                    TapeIndex end) noexcept {
        close(object);
        std::uint64_t const bits = object.names.bits();
        names_[object.place] = {static_cast<std::uint32_t>(bits), object.mark};
        names_[end].hash = static_cast<std::uint32_t>(bits >> 32);
        return object.names.may_hold_twins();
    }
    /// Whether a name occurs twice in the object at `object`, all of which is on `tape`.
    [[nodiscard]] bool has_twins(Tape const& tape, TapeIndex object);
    /// Called at the end of the text.
    void end(FirstLook const& look) noexcept { unknown_members_ = look.unknown_members(); }

private:
    [[nodiscard]] bool has_twins_sorted(Tape const& tape);

    NameOrder order_;
    // By place.
    std::unique_ptr<NameFact[]> names_;   // of names and objects
    std::unique_ptr<NodeIndex[]> passed_; // of arrays and objects
    std::size_t capacity_ = 0;
    std::size_t unknown_members_ = 0;
    std::vector<OpenValue> open_;
    std::vector<std::uint64_t> keys_; // of the object that is searched: hash above place
};

} // namespace sallyport::contract
