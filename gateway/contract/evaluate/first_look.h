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

/// Where the looks begin. Without a program nothing is looked at.
struct Guide {
    Program const* program = nullptr;
    NodeIndex root = anything;
};

/// Nothing is asked, or nothing is known.
inline constexpr AtOnce takes_all{value_bits::any, 0, -1};

/// An array or object that is open.
struct OpenValue {
    char end = '\0';
    bool passes = true; // so far: nothing in it needs another look
    Mark mark = Mark::none;
    TapeIndex place = 0;
    std::uint32_t count = 0;              // of the values in it, as far as commas tell
    NodeIndex node = anything;            // asks it first; anything: not known, or it passes
    AtOnce const* items = &takes_all;     // of an array
    MemberTable const* members = nullptr; // of an object, if they are known
    NameOrder::Guess* guess = nullptr;    // and which of them comes next
    NameSet names;
};

class FirstLook {
public:
    FirstLook(Guide guide, NameOrder& order)
        : program_{guide.program}, guesses_{guide.program != nullptr ? order.of(*guide.program)
                                                                     : nullptr} {
        if (program_ != nullptr && guide.root != anything) {
            document_.items = &program_->nodes[guide.root].at_once;
        }
    }

    /// What stands around the value of the text.
    [[nodiscard]] OpenValue const& document() const noexcept { return document_; }

    /// An array or object begins: what is not written of `value` is not read of its kind.
    [[gnu::always_inline]] void open_object(AtOnce const& asked, OpenValue& value) const noexcept {
        value.passes = true;
        value.mark = Mark::none;
        value.node = asked.node;
        value.members = nullptr;
        value.guess = nullptr;
        value.names = {};
        if (asked.node == anything) return;
        SchemaNode const& node = program_->nodes[asked.node];
        value.passes = node.passes_by_members;
        if (node.members == no_table) return;
        value.members = &program_->member_tables[node.members];
        if (value.members->declares) value.mark = Mark::declares;
        value.guess = guesses_ + value.members->first_guess;
    }
    [[gnu::always_inline]] void open_array(AtOnce const& asked, OpenValue& value) const noexcept {
        value.passes = true;
        value.node = asked.node;
        value.items = &takes_all;
        if (asked.node == anything) return;
        SchemaNode const& node = program_->nodes[asked.node];
        value.passes = node.passes_by_items;
        if (node.items != anything) value.items = &program_->nodes[node.items].at_once;
    }

    /// A name in `object`: its slot, if its table has it.
    [[gnu::always_inline]] [[nodiscard]] MemberTable::Slot const*
    find(OpenValue& object, std::string_view name) noexcept {
        if (object.members == nullptr) return nullptr;
        MemberTable::Slot const* const slot = object.members->find(name);
        if (slot == nullptr) {
            unknown_members_ += object.members->declares ? 1U : 0U;
            return nullptr;
        }
        MemberTable::Expected const& known = object.members->expected[slot->member];
        *object.guess = &known;
        met(object, known);
        return slot;
    }
    /// The name in `object` is one of its table's.
    [[gnu::always_inline]] void met(OpenValue& object,
                                    MemberTable::Expected const& known) noexcept {
        object.guess = guesses_ + known.behind;
        if (known.slot->is_ordinary) [[likely]]
            return;
        if (known.slot->is_deprecated) object.passes = false;
        if (known.slot->fact.mark == Mark::none)
            unknown_members_ += object.members->declares ? 1U : 0U;
    }

    /// A value that holds no others, in `around`.
    static void scalar(OpenValue& around, AtOnce const& asked, std::uint8_t bits) noexcept {
        if ((asked.kinds & bits) == 0) around.passes = false;
    }
    static void integer(OpenValue& around, AtOnce const& asked, std::int64_t value) noexcept {
        if (value >= asked.lowest && value <= asked.highest) return;
        scalar(around, asked, value_bits::integer);
    }
    /// An array or object has ended.
    static void closed(OpenValue& around, bool passes) noexcept {
        if (!passes) around.passes = false;
    }

    /// That no schema declares which was followed.
    [[nodiscard]] std::size_t unknown_members() const noexcept { return unknown_members_; }

private:
    Program const* program_;
    NameOrder::Guess* guesses_;
    OpenValue document_;
    std::size_t unknown_members_ = 0;
};

} // namespace sallyport::contract
