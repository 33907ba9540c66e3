// Compiled schemas: flat arrays that name each other by index, made by the compiler and run by the
// evaluator.
//
// Every `$ref` is expanded where it stands, so that each rule has one place, one number and one
// level; only a schema that refers back to one it stands in points to that one's node.
#pragma once

#include "config/yaml.h"
#include "gateway/contract/evaluate/names.h"
#include "gateway/contract/evaluate/tape.h"
#include "gateway/contract/labels.h"
#include "gateway/contract/patterns/pattern.h"
#include "gateway/contract/schema/format.h"
#include "gateway/contract/schema/name_slots.h"
#include "gateway/contract/schema/value_sets.h"
#include "gateway/contract/text/decimal.h"

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::contract {

using NodeIndex = std::uint32_t;
using RuleIndex = std::uint32_t;

inline constexpr NodeIndex anything = UINT32_MAX; // no schema: every value passes
inline constexpr RuleIndex no_rule = UINT32_MAX;
inline constexpr std::uint32_t no_discriminator = UINT32_MAX;
inline constexpr std::uint32_t no_table = UINT32_MAX;

/// What a value is, one bit each; an integer has `integer` and `number`.
namespace value_bits {
inline constexpr std::uint8_t null = 1;
inline constexpr std::uint8_t boolean = 2;
inline constexpr std::uint8_t integer = 4;
inline constexpr std::uint8_t number = 8;
inline constexpr std::uint8_t string = 16;
inline constexpr std::uint8_t array = 32;
inline constexpr std::uint8_t object = 64;
inline constexpr std::uint8_t any = 127;
} // namespace value_bits

/// A keyword at its place. Everything that a violation says, except where in the body.
struct Rule {
    std::string_view keyword;
    std::string pointer; // from the body schema
    std::string source;  // x-source
    config::yaml::Mark mark;
    std::string expected; // JSON text
    std::string phrase;   // "must be at most 64": what follows the pointer in the message
    /// Inside if, not, anyOf or oneOf: its answer decides about other rules, and is no violation of
    /// its own.
    bool is_question = false;
    bool is_read_only = false; // of readOnly: asked only where the operator says so
};

enum class Op : std::uint8_t {
    /// of any value
    constant,  // operand: constants (enum and const)
    all_of,    // operand: children
    any_of,    // operand: children
    one_of,    // operand: children
    negation,  // operand: node
    condition, // operand: conditionals (if, then, else)
    when,      // operand: whens (x-when)
    never,     // the schema `false`
    read_only, // nothing that a request may hold
    /// of numbers
    minimum, // operand: numbers
    maximum,
    exclusive_minimum,
    exclusive_maximum,
    multiple_of,
    number_format, // operand: Format
    /// of strings
    min_length, // operand: the length in code points
    max_length,
    pattern,       // operand: patterns
    string_format, // operand: Format
    /// of arrays
    items, // operand: item_lists
    min_items,
    max_items,
    unique_items,
    contains,          // operand: contains
    unevaluated_items, // operand: unevaluated; the last of its group
    /// of objects
    members, // operand: member_tables
    min_properties,
    max_properties,
    property_names,         // operand: node
    unevaluated_properties, // operand: unevaluated; the last of its group
};

struct Instruction {
    Op op = Op::never;
    RuleIndex rule = no_rule;
    std::uint64_t operand = 0;
};

/// What the tape says a value is. A number's kind there may say too little.
inline constexpr auto likely_bits = [] {
    std::array<std::uint8_t, 256> bits{};
    auto const set = [&bits](TapeKind kind, int value) {
        bits[static_cast<std::uint8_t>(kind)] = static_cast<std::uint8_t>(value);
    };
    set(TapeKind::null, value_bits::null);
    set(TapeKind::true_value, value_bits::boolean);
    set(TapeKind::false_value, value_bits::boolean);
    set(TapeKind::signed_integer, value_bits::integer | value_bits::number);
    set(TapeKind::unsigned_integer, value_bits::integer | value_bits::number);
    set(TapeKind::number, value_bits::number);
    set(TapeKind::string, value_bits::string);
    set(TapeKind::array, value_bits::array);
    set(TapeKind::object, value_bits::object);
    return bits;
}();

/// Which values of a schema are asked nothing but what the tape shows at first sight: most values of
/// most bodies. Nothing, unless said otherwise.
struct AtOnce {
    std::uint8_t kinds = 0;                                         // value_bits
    std::int64_t lowest = std::numeric_limits<std::int64_t>::max(); // and integers of this range
    std::int64_t highest = std::numeric_limits<std::int64_t>::min();
    NodeIndex node = anything; // asks everything, the rest too; anything: nothing is asked

    /// Not for a tape on which numbers have stand-ins.
    [[nodiscard]] bool takes(Tape const& tape, TapeIndex at) const noexcept {
        TapeKind const kind = tape.kind(at);
        if ((kinds & likely_bits[static_cast<std::uint8_t>(kind)]) != 0) return true;
        if (kind != TapeKind::signed_integer) return false;
        std::int64_t const value = tape.signed_value(at);
        return value >= lowest && value <= highest;
    }
};

/// One schema. Its instructions stand in groups, of which a value runs the first and the one of its
/// kind.
struct SchemaNode {
    std::uint8_t types = value_bits::any;
    /// The rules of numbers are bounds by integers, and hold for an integer from lowest to highest:
    /// no need to run them.
    bool is_range = false;
    bool is_nullable = false;  // OpenAPI 3.0: null passes, whatever the rest says
    bool is_tracker = false;   // asks what the schemas in it have evaluated (unevaluated...)
    bool is_recursive = false; // it is asked again by what stands in it
    AtOnce at_once;
    /// For the first look (first_look.h): the members of objects, by index into member_tables, and
    /// what items are asked, if all of them are asked the same;
    std::uint32_t members = no_table;
    NodeIndex items = anything;
    /// and whether nothing more is asked but that what is in them passes.
    bool passes_by_members = false;
    bool passes_by_items = false;
    RuleIndex type_rule = no_rule;
    std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
    std::int64_t highest = std::numeric_limits<std::int64_t>::max();
    std::uint32_t any = 0; // where each group begins; it ends where the next begins
    std::uint32_t number = 0;
    std::uint32_t string = 0;
    std::uint32_t array = 0;
    std::uint32_t object = 0;
    std::uint32_t end = 0;
};

/// A bound or a divisor, ready for both ways of comparing.
struct NumberOperand {
    std::string text;              // what the contract says; Decimal views it
    Decimal decimal;               //
    double nearest = 0;            // a double on the other side of it decides at once
    std::int64_t whole = 0;        // if is_whole: the exact value
    bool is_whole = false;         // an integer of 64 bits
    std::uint64_t coefficient = 0; // of a divisor: coefficient * 10^exponent
    std::int64_t exponent = 0;
};

/// The values of enum or const.
struct ConstantSet {
    std::uint8_t kinds = 0; // value_bits of all of them
    std::size_t count = 0;  // as often as they are stated
    bool has_fractions = false;
    IntegerSet integers; // those that are whole and fit, once more
    TextSet strings;
    CanonicalSet canonical; // numbers, arrays and objects
    bool has_null = false;
    bool has_true = false;
    bool has_false = false;
};

struct Children {
    std::vector<NodeIndex> nodes;
    bool declares = false; // some child declares members: all children must be asked, for the count
                           // of unknown ones
    std::uint32_t discriminator = no_discriminator; // of anyOf and oneOf
};

/// OpenAPI 3.1, 4.8.25: which form a value means to be, said by one of its members. It changes no
/// verdict: where no form fits, the violations of the one that was meant are told.
struct Discriminator {
    std::string member;
    std::uint32_t hash = 0;                                   // of the name
    std::vector<std::pair<std::string, std::uint32_t>> forms; // by value, ordered: which child
    /// Of the values that the forms take, for a value that is none of them: as in Rule.
    std::string expected;
    std::string phrase;
};

struct Conditional {
    NodeIndex if_node = anything;
    NodeIndex then_node = anything;
    NodeIndex else_node = anything;
};

struct When {
    std::uint32_t condition = 0; // index into Program::conditions
    NodeIndex node = anything;
};

struct ItemList {
    std::vector<NodeIndex> prefix;
    NodeIndex rest = anything;
    bool has_rest = false; // the rest counts as evaluated
};

struct Contains {
    NodeIndex node = anything;
    std::uint64_t least = 1;
    std::uint64_t most = UINT64_MAX;
    RuleIndex own_rule = no_rule; // where no minContains says how many
    RuleIndex least_rule = no_rule;
    RuleIndex most_rule = no_rule;
};

/// What unevaluatedItems or unevaluatedProperties says of what no other schema has evaluated.
struct Unevaluated {
    NodeIndex node = anything;
    RuleIndex rule = no_rule; // `false`
};

/// A name that properties, required or dependentRequired of one schema mention.
struct Member {
    std::string name;
    std::uint32_t hash = 0;
    NodeIndex node = anything;
    bool is_declared = false; // by properties
    bool is_deprecated = false;
};

struct Dependency {
    std::uint32_t trigger = 0; // index into members
    std::vector<std::uint32_t> needed;
    RuleIndex rule = no_rule;
};

/// Members whose names match a pattern.
struct PatternMembers {
    std::uint32_t pattern = 0;
    NodeIndex node = anything;
};

struct DependentSchema {
    std::uint32_t trigger = 0; // index into members
    NodeIndex node = anything;
};

/// Everything about the members of an object, for one pass over them.
struct MemberTable {
    static constexpr std::uint32_t empty_slot = UINT32_MAX;

    std::vector<Member> members;
    /// All that most members are asked, side by side.
    struct Slot {
        NameEnds ends = ends_of_none;
        char const* name = nullptr; // in members
        NameFact fact{0, Mark::none};
        NameBits bits;
        std::uint32_t member = empty_slot;
        bool is_ordinary = false; // declared and not deprecated
        bool is_deprecated = false;
        AtOnce at_once;

        [[gnu::always_inline]] [[nodiscard]] bool is_for(std::string_view other,
                                                         NameEnds const& others) const noexcept {
            return ends == others && has_same_middle(name, other.data(), other.size());
        }
    };
    std::vector<Slot> table;
    NameSlots slots;
    /// A member as it is expected in a text, by index into members.
    struct Expected {
        QuotedName name;
        Slot const* slot = nullptr;
        std::uint32_t behind = 0; // of all guesses of the program the one for what comes next
        std::uint64_t word = 0;   // on the tape, of a quote at the text's beginning
    };
    std::vector<Expected> expected;
    /// A declared member that must be one of some texts, numbers, true and false: it may tell an
    /// object of this form from those of others.
    struct Tell {
        std::string_view name; // in members
        std::uint32_t hash = 0;
        std::uint32_t constants = 0; // into Program::constants
        RuleIndex rule = no_rule;    // of the enum or const
        bool is_single = false;      // there is one value
    };
    std::vector<Tell> tells;
    std::uint32_t first_guess = 0;   // and the one for the first member of an object
    std::uint64_t bits = 0;          // bit_of_name of all members
    std::uint64_t required_bits = 0; // of the required ones
    bool is_plain = false;           // nothing but properties
    bool asks_presence = false;      // of members: by required, dependentRequired or -Schemas
    bool sees_all = false;           // members that it does not mention count too
    NodeIndex additional = anything;
    RuleIndex additional_rule = no_rule; // additionalProperties: false
    bool declares = false;               // has properties or patternProperties
    RuleIndex required_rule = no_rule;
    std::vector<std::uint32_t> required;
    std::vector<Dependency> dependencies;
    std::vector<PatternMembers> patterns;
    std::vector<DependentSchema> dependent_schemas;
    bool has_additional = false; // they count as evaluated

    /// Null: it is none of them.
    [[gnu::always_inline]] [[nodiscard]] Slot const* find(std::string_view name) const noexcept {
        NameEnds const ends = ends_of(name);
        Slot const& slot = table[slots.slot_of(ends)];
        if (slot.is_for(name, ends)) return &slot;
        return slots.are_shared ? find_behind(name, ends) : nullptr;
    }
    [[nodiscard]] Slot const* find_behind(std::string_view name,
                                          NameEnds const& ends) const noexcept {
        for (std::size_t at = slots.slot_of(ends);; at = (at + 1) & (table.size() - 1)) {
            Slot const& slot = table[at];
            if (slot.member == empty_slot) return nullptr;
            if (slot.is_for(name, ends)) return &slot;
        }
    }
};

/// One body, response or parameter schema, with the rules that are its own: they lie side by side.
struct CompiledSchema {
    NodeIndex root = anything;
    RuleIndex first_rule = 0;
    RuleIndex end_rule = 0;
    std::uint32_t operation = 0;
    enum class Side : std::uint8_t { request, response } side = Side::request;
};

struct Program {
    std::uint64_t number =
        0; // no two programs of a process have the same: an address may be used again
    std::vector<CompiledSchema> schemas;
    std::vector<SchemaNode> nodes;
    std::vector<Instruction> instructions;
    std::deque<Rule> rules; // deque: violations hold views into them
    std::deque<NumberOperand> numbers;
    std::deque<ConstantSet> constants;
    std::vector<std::unique_ptr<Pattern const>> patterns;
    std::vector<Children> children;
    std::vector<Conditional> conditionals;
    std::vector<When> whens;
    std::vector<ItemList> item_lists;
    std::vector<MemberTable> member_tables;
    std::uint32_t guesses = 0; // how many places there are to guess what comes next (name_order.h)
    std::vector<Contains> contains;
    std::vector<Unevaluated> unevaluated;
    std::deque<Discriminator> discriminators;
    std::vector<Condition> conditions;
};

} // namespace sallyport::contract
