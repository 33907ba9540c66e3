// The first look at each value of a text, by the schema that will ask it first, while its tape is
// laid: most values of most bodies need no other.
//
// That schema is known where the way from the root leads through `properties` and `items` alone:
// they are asked of every value, whatever else is asked. So a value that passes here has passed
// there, and the marks that are set here would be set there. Where another keyword decides about
// the schema of a value nothing is known, and nothing is lost.
#pragma once

#include "gateway/contract/evaluate/name_order.h"
#include "gateway/contract/evaluate/names.h"
#include "gateway/contract/evaluate/tape.h"
#include "gateway/contract/schema/program.h"

#include <cstdint>
#include <string_view>

namespace sallyport::contract {

// Of a name: some schema declares it, or has a pattern that it fits. Of an object: a schema that
// declares members was asked.
// A type of its own, not a byte: what is written to it can be nothing else.
enum class Mark : std::uint8_t { none, declares, declared, known_by_pattern };

// Where the looks begin. Without a program nothing is looked at.
struct Guide {
    Program const* program = nullptr;
    NodeIndex root = anything;
};

inline constexpr AtOnce takes_all{value_bits::any, 0, -1};

// An array or object that is open.
struct OpenValue {
    TapeIndex place = 0;
    std::uint32_t count = 0; // of the values in it
    bool is_object = false;
    bool passes = true;        // so far: nothing in it needs another look
    NodeIndex node = anything; // asks it first; anything: not known, or it passes
    // What asks the next value in it first, and what that asks at once.
    NodeIndex inner = anything;
    AtOnce const* at_once = &takes_all;
    MemberTable const* members = nullptr;    // of an object, if they are known
    NameOrder::Guess const* guess = nullptr; // and which of them comes next
    NameSet names;
};

class FirstLook {
public:
    FirstLook(Guide guide, NameOrder& order)
        : program_{guide.program}, guesses_{guide.program != nullptr ? order.of(*guide.program)
                                                                     : nullptr} {
        document_.inner = program_ != nullptr ? guide.root : anything;
    }

    // What stands around the value of the text.
    [[nodiscard]] OpenValue const& document() const noexcept { return document_; }

    // An array or object begins, in `around`: fills `value`, field by field, since what was written
    // so is read back so.
    [[gnu::always_inline]] void open(OpenValue const& around, TapeIndex place, bool is_object,
                                     OpenValue& value) const noexcept {
        NodeIndex const asks = around.inner;
        value.place = place;
        value.count = 0;
        value.is_object = is_object;
        value.passes = true;
        value.node = asks;
        value.inner = anything;
        value.at_once = &takes_all;
        value.members = nullptr;
        value.guess = nullptr;
        value.names = {};
        if (asks == anything) return;
        SchemaNode const& node = program_->nodes[asks];
        if (is_object) {
            value.passes = node.passes_by_members;
            if (node.members == no_table) return;
            value.members = &program_->member_tables[node.members];
            value.guess = guesses_ + value.members->first_guess;
        } else {
            value.passes = node.passes_by_items;
            value.inner = node.items;
            if (node.items != anything) value.at_once = &program_->nodes[node.items].at_once;
        }
    }
    [[nodiscard]] static Mark mark_of(OpenValue const& object) noexcept {
        return object.members != nullptr && object.members->declares ? Mark::declares : Mark::none;
    }

    // A name in `object`, in front of its value.
    struct Name {
        std::uint32_t hash = 0;
        Mark mark = Mark::none;
    };
    [[gnu::always_inline]] [[nodiscard]] Name name(OpenValue& object,
                                                   std::string_view name) noexcept {
        MemberTable const* const members = object.members;
        if (members == nullptr) return {hash_name(name), Mark::none};
        MemberTable::Slot const* const slot = members->find(name);
        if (slot == nullptr) {
            object.inner = anything;
            object.at_once = &takes_all;
            unknown_members_ += members->declares ? 1U : 0U;
            return {hash_name(name), Mark::none};
        }
        MemberTable::Expected const& known = members->expected[slot->member];
        guesses_[object.guess - guesses_] = &known;
        return known_name(object, known);
    }
    // The member of `object` that comes next if its text is written as those before it were; null
    // where no members are known.
    [[gnu::always_inline]] [[nodiscard]] static MemberTable::Expected const*
    expected(OpenValue const& object) noexcept {
        return object.guess != nullptr ? *object.guess : nullptr;
    }
    // The name in `object` is one of its table's.
    [[gnu::always_inline]] [[nodiscard]] Name
    known_name(OpenValue& object, MemberTable::Expected const& known) noexcept {
        MemberTable::Slot const& slot = *known.slot;
        object.guess = guesses_ + known.behind;
        object.inner = slot.node;
        object.at_once = &slot.at_once;
        if (slot.is_deprecated) object.passes = false;
        if (slot.is_declared) return {slot.hash, Mark::declared};
        unknown_members_ += object.members->declares ? 1U : 0U;
        return {slot.hash, Mark::none};
    }

    // A value that holds no others, in `around`.
    static void scalar(OpenValue& around, std::uint8_t bits) noexcept {
        if ((around.at_once->kinds & bits) == 0) around.passes = false;
    }
    static void integer(OpenValue& around, std::int64_t value) noexcept {
        AtOnce const& asked = *around.at_once;
        if (value >= asked.lowest && value <= asked.highest) return;
        scalar(around, value_bits::integer);
    }
    // An array or object has ended.
    static void closed(OpenValue& around, bool passes) noexcept {
        if (!passes) around.passes = false;
    }

    // That no schema declares which was followed.
    [[nodiscard]] std::size_t unknown_members() const noexcept { return unknown_members_; }

private:
    Program const* program_;
    NameOrder::Guess* guesses_;
    OpenValue document_;
    std::size_t unknown_members_ = 0;
};

} // namespace sallyport::contract
