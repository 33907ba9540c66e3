// What is known of the values of one text before its rules are asked, by their place on the tape.
#pragma once

#include "gateway/contract/evaluate/first_look.h"
#include "gateway/contract/evaluate/names.h"
#include "gateway/contract/evaluate/tape.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace sallyport::contract {

/// Scratch that is kept from body to body.
class Facts {
public:
    /// Of the name at `at`.
    [[nodiscard]] std::uint32_t hash(TapeIndex at) const noexcept { return names_[at].hash; }
    /// The bits of all names of the object at `at`: one that is not set is of no name in it.
    [[nodiscard]] std::uint64_t bits(Tape const& tape, TapeIndex at) const noexcept {
        return std::uint64_t{hash(tape.close(at))} << 32 | hash(at);
    }
    /// Of a name, or of an object; whoever asks rules adds to them.
    [[nodiscard]] Mark& mark(TapeIndex at) noexcept { return names_[at].mark; }
    /// Whether the array or object at `at` has passed a schema at the first look.
    [[nodiscard]] bool has_passed(NodeIndex schema, TapeIndex at) const noexcept {
        return passed_[at] == schema;
    }
    /// In objects of which the marks say so.
    [[nodiscard]] std::size_t unknown_members() const noexcept { return unknown_members_; }

    /// For who lays the tape, and finds all of this on the way, room for a tape
    /// of at most `words`, and for what is open, `depth` at most.
    [[nodiscard]] OpenValue* begin(std::size_t words, std::size_t depth);
    [[nodiscard]] NameOrder& order() noexcept { return order_; }
    [[nodiscard]] NameFact* names() noexcept { return names_.get(); } // by place
    /// To be called where an array ends.
    [[gnu::always_inline]] void close(OpenValue const& array) noexcept {
        passed_[array.place] = array.passes ? array.node : anything;
    }
    /// To be called where an object ends, at `end`. True: names may occur twice in it (has_twins).
    [[gnu::always_inline]] [[nodiscard]] bool close(OpenValue const& object,
                                                    TapeIndex end) noexcept {
        close(object);
        std::uint64_t const bits = object.names.bits();
        names_[object.place] = {static_cast<std::uint32_t>(bits), object.mark};
        names_[end].hash = static_cast<std::uint32_t>(bits >> 32);
        return object.names.may_hold_twins();
    }
    /// Whether a name occurs twice in the object at `object`; `tape` holds it as a whole.
    [[nodiscard]] bool has_twins(Tape const& tape, TapeIndex object);
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
