// What is known of the values of one text before its rules are asked, by their place on the tape.
#pragma once

#include "gateway/contract/evaluate/first_look.h"
#include "gateway/contract/evaluate/names.h"
#include "gateway/contract/evaluate/tape.h"
#include "gateway/contract/report.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace sallyport::contract {

// Scratch that is kept from body to body.
class Facts {
public:
    // Walks the whole tape. Says whether some object holds a name twice, or more than `max_depth`
    // arrays and objects lie inside each other: at any place, and in time that grows with n log n
    // whatever the names are. The guide's program has to see the numbers as the tape has them.
    [[nodiscard]] Malformed read(Tape const& tape, std::size_t max_depth, Guide guide);

    // Of the name at `at`.
    [[nodiscard]] std::uint32_t hash(TapeIndex at) const noexcept { return hashes_[at]; }
    // The bits of all names of the object at `at`: one that is not set is of no name in it.
    [[nodiscard]] std::uint64_t bits(Tape const& tape, TapeIndex at) const noexcept {
        return std::uint64_t{hashes_[tape.close(at)]} << 32 | hashes_[at];
    }
    // Of a name, or of an object; whoever asks rules adds to them.
    [[nodiscard]] Mark& mark(TapeIndex at) noexcept { return marks_[at]; }
    // Whether the array or object at `at` has passed a schema at the first look.
    [[nodiscard]] bool has_passed(NodeIndex schema, TapeIndex at) const noexcept {
        return passed_[at] == schema;
    }
    // In objects of which the marks say so.
    [[nodiscard]] std::size_t unknown_members() const noexcept { return unknown_members_; }

    // For who lays the tape, and finds all of this on the way, instead of read(): room for a tape
    // of at most `words`, and for what is open, `depth` at most.
    [[nodiscard]] OpenValue* begin(std::size_t words, std::size_t depth);
    [[nodiscard]] NameOrder& order() noexcept { return order_; }
    void put_name(TapeIndex at, FirstLook::Name name) noexcept {
        hashes_[at] = name.hash;
        marks_[at] = name.mark;
    }
    // To be called where an array or object ends, at `end` of `tape`, which holds it as a whole.
    // False: a name occurs twice in it.
    [[gnu::always_inline]] [[nodiscard]] bool close(Tape const& tape, OpenValue const& value,
                                                    TapeIndex end) {
        TapeIndex const place = value.place;
        passed_[place] = value.passes ? value.node : anything;
        if (!value.is_object) return true;
        std::uint64_t const bits = value.names.bits();
        hashes_[place] = static_cast<std::uint32_t>(bits);
        hashes_[end] = static_cast<std::uint32_t>(bits >> 32);
        marks_[place] = FirstLook::mark_of(value);
        return !value.names.may_hold_twins() || !has_twins(tape, place);
    }
    void end(FirstLook const& look) noexcept { unknown_members_ = look.unknown_members(); }

private:
    [[nodiscard]] bool has_twins(Tape const& tape, TapeIndex object);
    [[nodiscard]] bool has_twins_sorted(Tape const& tape);

    NameOrder order_;
    // By place: of names their hash, of objects, in both their words, their bits.
    std::unique_ptr<std::uint32_t[]> hashes_;
    std::unique_ptr<Mark[]> marks_;       // of names and objects
    std::unique_ptr<NodeIndex[]> passed_; // of arrays and objects
    std::size_t capacity_ = 0;
    std::size_t unknown_members_ = 0;
    std::vector<OpenValue> open_;
    std::vector<std::uint64_t> keys_; // of the object that is searched: hash above place
};

} // namespace sallyport::contract
