// The first look at each value, while the tape is built: a check against the schema that applies
// first, which is sufficient for most values of most bodies.
//
// That schema is known if the path from the root consists of `properties` and `items` only: they
// always apply. A value that passes here would pass there, and the marks that are set here would be
// set there. If another keyword determines the schema of a value, the first look does nothing.
#pragma once

#include "gateway/contract/evaluate/name_order.h"
#include "gateway/contract/evaluate/names.h"
#include "gateway/contract/evaluate/tape.h"
#include "gateway/contract/schema/program.h"

#include <cstdint>
#include <string_view>

namespace sallyport::contract {

/// The schema at the root. Without a program the first look does nothing.
struct Guide {
    Program const* program = nullptr;
    NodeIndex root = anything;
};

/// There is no schema, or it is not known.
inline constexpr AtOnce takes_all{value_bits::any, 0, -1};

/// An open array or object.
struct OpenValue {
    char end = '\0';
    bool passes = true; // so far: the evaluator need not check it
    Mark mark = Mark::none;
    TapeIndex place = 0;
    std::uint32_t count = 0;              // number of values in it, by commas
    NodeIndex node = anything;            // its schema; anything: not known, or found valid
    AtOnce const* items = &takes_all;     // for an array: the check of its items
    MemberTable const* members = nullptr; // for an object, if its properties are known
    NameOrder::Guess* guess = nullptr;    // and the one that is expected next
    NameSet names;
};

/// Not thread-safe: changes the guesses of one validator's NameOrder.
class FirstLook {
public:
    FirstLook(Guide guide, NameOrder& order)
        : program_{guide.program}, guesses_{guide.program != nullptr ? order.of(*guide.program)
                                                                     : nullptr} {
        if (program_ != nullptr && guide.root != anything) {
            document_.items = &program_->nodes[guide.root].at_once;
        }
    }

    /// The parent of the root value.
    [[nodiscard]] OpenValue const& document() const noexcept { return document_; }

    /// Called at the beginning of an object or array: sets the fields of `value` that are used for
    /// its kind.
    [[gnu::always_inline]] void open_object(AtOnce const& expected,
                                            OpenValue& value) const noexcept {
        value.passes = true;
        value.mark = Mark::none;
        value.node = expected.node;
        value.members = nullptr;
        value.guess = nullptr;
        value.names = {};
        if (expected.node == anything) return;
        SchemaNode const& node = program_->nodes[expected.node];
        value.passes = node.passes_by_members;
        if (node.members == no_table) return;
        value.members = &program_->member_tables[node.members];
        if (value.members->declares) value.mark = Mark::declares;
        value.guess = guesses_ + value.members->first_guess;
    }
    [[gnu::always_inline]] void open_array(AtOnce const& expected,
                                           OpenValue& value) const noexcept {
        value.passes = true;
        value.node = expected.node;
        value.items = &takes_all;
        if (expected.node == anything) return;
        SchemaNode const& node = program_->nodes[expected.node];
        value.passes = node.passes_by_items;
        if (node.items != anything) value.items = &program_->nodes[node.items].at_once;
    }

    /// Called for a name in `object`: its slot; null: it is not in the table.
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
    /// Called for a name in `object` that is in its table.
    [[gnu::always_inline]] void met(OpenValue& object,
                                    MemberTable::Expected const& known) noexcept {
        object.guess = guesses_ + known.behind;
        if (known.slot->is_ordinary) [[likely]]
            return;
        if (known.slot->is_deprecated) object.passes = false;
        if (known.slot->fact.mark == Mark::none)
            unknown_members_ += object.members->declares ? 1U : 0U;
    }

    /// Called for a value that is not an array or object, in `around`.
    static void scalar(OpenValue& around, AtOnce const& expected, std::uint8_t bits) noexcept {
        if ((expected.kinds & bits) == 0) around.passes = false;
    }
    static void integer(OpenValue& around, AtOnce const& expected, std::int64_t value) noexcept {
        if (value >= expected.lowest && value <= expected.highest) return;
        scalar(around, expected, value_bits::integer);
    }
    /// Called at the end of an array or object.
    static void closed(OpenValue& around, bool passes) noexcept {
        if (!passes) around.passes = false;
    }

    /// Number of properties that the schemas followed do not declare.
    [[nodiscard]] std::size_t unknown_members() const noexcept { return unknown_members_; }

private:
    Program const* program_;
    NameOrder::Guess* guesses_;
    OpenValue document_;
    std::size_t unknown_members_ = 0;
};

} // namespace sallyport::contract
