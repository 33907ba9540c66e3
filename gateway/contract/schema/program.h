// Compiled schemas: flat arrays that refer to each other by index, written by the compiler and run
// by the evaluator.
//
// Every `$ref` is expanded at its place, so that each rule has one pointer, one number and one
// level; only a schema that refers to a schema around it refers to that one's node. In a document
// that would be too large so, the schemas that `$ref`s lead to are shared by all places.
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

/// Indices into Program::nodes and Program::rules.
using NodeIndex = std::uint32_t;
using RuleIndex = std::uint32_t;

inline constexpr NodeIndex anything = UINT32_MAX; // no schema: every value passes
inline constexpr RuleIndex no_rule = UINT32_MAX;
inline constexpr std::uint32_t no_discriminator = UINT32_MAX;
inline constexpr std::uint32_t no_table = UINT32_MAX;
inline constexpr std::uint32_t not_shared = UINT32_MAX;

/// The type of a value, one bit each; an integer has `integer` and `number`.
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

/// A keyword at its place: all fields of a violation except for the position in the body.
struct Rule {
    std::string_view keyword;
    std::string pointer; // from the body schema
    std::string source;  // x-source
    config::yaml::Mark mark;
    std::string expected; // JSON text
    std::string phrase;   // "must be at most 64": follows the pointer in the message
    /// Inside if, not, anyOf or oneOf: its result decides about other rules, and is not a violation
    /// itself.
    bool is_condition = false;
    bool is_read_only = false; // readOnly: only checked if the operator configures it
    /// The shared schema that it belongs to, an index into Program::shared; not_shared: to one body
    /// or parameter alone. Its pointer begins with the `$ref` then.
    std::uint32_t shared = not_shared;
};

/// The kinds of instructions, with the array of Program that the operand is an index into.
enum class Op : std::uint8_t {
    // For any value:
    constant,  // operand: constants (enum and const)
    all_of,    // operand: children
    any_of,    // operand: children
    one_of,    // operand: children
    negation,  // operand: node
    condition, // operand: conditionals (if, then, else)
    when,      // operand: whens (x-when)
    never,     // the schema `false`
    read_only, // must not be sent in a request
    // For numbers:
    minimum, // operand: numbers
    maximum,
    exclusive_minimum,
    exclusive_maximum,
    multiple_of,
    number_format, // operand: Format
    // For strings:
    min_length, // operand: the length in code points
    max_length,
    pattern,       // operand: patterns
    string_format, // operand: Format
    // For arrays:
    items, // operand: item_lists
    min_items,
    max_items,
    unique_items,
    contains,          // operand: contains
    unevaluated_items, // operand: unevaluated; the last of its group
    // For objects:
    members, // operand: member_tables
    min_properties,
    max_properties,
    property_names,         // operand: node
    unevaluated_properties, // operand: unevaluated; the last of its group
};

/// One check of one rule.
struct Instruction {
    Op op = Op::never;
    RuleIndex rule = no_rule;
    std::uint64_t operand = 0;
};

/// The types of a value by its kind on the tape. For a number the kind may be too general.
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

/// The values that need no check but that of their kind or range: most values of most bodies. By
/// default no value.
struct AtOnce {
    std::uint8_t kinds = 0;                                         // value_bits
    std::int64_t lowest = std::numeric_limits<std::int64_t>::max(); // and integers of this range
    std::int64_t highest = std::numeric_limits<std::int64_t>::min();
    NodeIndex node = anything; // the complete schema; anything: there is none

    /// Whether the value is valid. Not for a tape on which large numbers are replaced.
    [[nodiscard]] bool takes(Tape const& tape, TapeIndex at) const noexcept {
        TapeKind const kind = tape.kind(at);
        if ((kinds & likely_bits[static_cast<std::uint8_t>(kind)]) != 0) return true;
        if (kind != TapeKind::signed_integer) return false;
        std::int64_t const value = tape.signed_value(at);
        return value >= lowest && value <= highest;
    }
};

/// One schema. Its instructions are in groups; for a value the first group and that of its type are
/// run.
struct SchemaNode {
    std::uint8_t types = value_bits::any;
    /// All rules for numbers are integer bounds, and an integer from lowest to highest is valid:
    /// they need not be run.
    bool is_range = false;
    bool is_nullable = false;  // OpenAPI 3.0: null is valid, independent of the other rules
    bool is_tracker = false;   // has unevaluatedItems or unevaluatedProperties
    bool is_recursive = false; // it is applied again inside itself
    AtOnce at_once;
    /// For the first look (first_look.h): the properties of objects, by index into member_tables,
    /// and the schema of the items, if all have the same;
    std::uint32_t members = no_table;
    NodeIndex items = anything;
    /// and whether the value is valid if all values in it are.
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

/// A bound or a divisor, prepared for exact and fast comparison.
struct NumberOperand {
    std::string text; // as in the contract; Decimal is a view of it
    Decimal decimal;
    double nearest = 0;            // a double on one side of it needs no exact comparison
    std::int64_t whole = 0;        // if is_whole: the exact value
    bool is_whole = false;         // an integer of 64 bits
    std::uint64_t coefficient = 0; // of a divisor: coefficient * 10^exponent
    std::int64_t exponent = 0;
};

/// The values of enum or const.
struct ConstantSet {
    std::uint8_t kinds = 0; // value_bits of all of them
    std::size_t count = 0;  // counted as often as they are listed
    bool has_fractions = false;
    IntegerSet integers; // the numbers that are 64-bit integers, in addition
    TextSet strings;
    CanonicalSet canonical; // numbers, arrays and objects
    bool has_null = false;
    bool has_true = false;
    bool has_false = false;
};

/// The schemas of allOf, anyOf or oneOf.
struct Children {
    std::vector<NodeIndex> nodes;
    bool declares = false; // some child declares properties: all children are checked, for the
                           // count of unknown ones
    std::uint32_t discriminator = no_discriminator; // for anyOf and oneOf
};

/// OpenAPI 3.2, 4.25: the property that selects the form of a value. It does not change the
/// result: if no form matches, the violations of the selected one are reported.
struct Discriminator {
    std::string member;
    std::uint32_t hash = 0;                                   // of the name
    std::vector<std::pair<std::string, std::uint32_t>> forms; // sorted by value; index of a child
    std::size_t fallback = SIZE_MAX; // defaultMapping: for a value that selects none
    /// For a value that selects no form: the values that the forms take, as in Rule.
    std::string expected;
    std::string phrase;
};

/// if, then and else.
struct Conditional {
    NodeIndex if_node = anything;
    NodeIndex then_node = anything;
    NodeIndex else_node = anything;
};

/// One entry of x-when.
struct When {
    std::uint32_t condition = 0; // index into Program::conditions
    NodeIndex node = anything;
};

/// prefixItems and items.
struct ItemList {
    std::vector<NodeIndex> prefix;
    NodeIndex rest = anything;
    bool has_rest = false; // the remaining items count as evaluated
};

/// contains, minContains and maxContains.
struct Contains {
    NodeIndex node = anything;
    std::uint64_t least = 1;
    std::uint64_t most = UINT64_MAX;
    RuleIndex own_rule = no_rule; // if there is no minContains
    RuleIndex least_rule = no_rule;
    RuleIndex most_rule = no_rule;
};

/// unevaluatedItems or unevaluatedProperties: the schema for what no other schema has evaluated.
struct Unevaluated {
    NodeIndex node = anything;
    RuleIndex rule = no_rule; // for `false`
};

/// A name in properties, required or dependentRequired of one schema.
struct Member {
    std::string name;
    std::uint32_t hash = 0;
    NodeIndex node = anything;
    bool is_declared = false; // by properties
    bool is_deprecated = false;
};

/// One entry of dependentRequired.
struct Dependency {
    std::uint32_t trigger = 0; // index into members
    std::vector<std::uint32_t> needed;
    RuleIndex rule = no_rule;
};

/// One entry of patternProperties.
struct PatternMembers {
    std::uint32_t pattern = 0;
    NodeIndex node = anything;
};

/// One entry of dependentSchemas.
struct DependentSchema {
    std::uint32_t trigger = 0; // index into members
    NodeIndex node = anything;
};

/// All rules for the properties of an object, for one pass over them.
struct MemberTable {
    static constexpr std::uint32_t empty_slot = UINT32_MAX;

    std::vector<Member> members;
    /// What is needed to check most properties, in one place.
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
    /// A property that is expected next in a text, by index into members.
    struct Expected {
        QuotedName name;
        Slot const* slot = nullptr;
        std::uint32_t behind = 0; // index of the guess for the property after it
        std::uint64_t word = 0;   // the tape word for its name at offset 0 of the text
    };
    std::vector<Expected> expected;
    /// A declared property that has a fixed set of strings, numbers and booleans as values: it can
    /// distinguish objects of this form from those of others.
    struct Discriminant {
        std::string_view name; // in members
        std::uint32_t hash = 0;
        std::uint32_t constants = 0; // into Program::constants
        RuleIndex rule = no_rule;    // the rule of the enum or const
        bool is_single = false;      // there is only one value
    };
    std::vector<Discriminant> discriminants;
    std::uint32_t first_guess = 0;   // index of the guess for the first property of an object
    std::uint64_t bits = 0;          // bit_of_name of all members
    std::uint64_t required_bits = 0; // of the required ones
    bool is_plain = false;           // nothing but `properties`
    bool checks_presence = false;    // there are required, dependentRequired or dependentSchemas
    bool sees_all = false;           // properties that are not in the table have rules, too
    NodeIndex additional = anything;
    RuleIndex additional_rule = no_rule; // additionalProperties: false
    bool declares = false;               // has properties or patternProperties
    RuleIndex required_rule = no_rule;
    std::vector<std::uint32_t> required;
    std::vector<Dependency> dependencies;
    std::vector<PatternMembers> patterns;
    std::vector<DependentSchema> dependent_schemas;
    bool has_additional = false; // additional properties count as evaluated

    /// The slot of a name; null: it is not in the table.
    [[gnu::always_inline]] [[nodiscard]] Slot const* find(std::string_view name) const noexcept {
        NameEnds const ends = ends_of(name);
        Slot const& slot = table[slots.slot_of(ends)];
        if (slot.is_for(name, ends)) return &slot;
        return slots.are_shared ? find_behind(name, ends) : nullptr;
    }
    /// As find(), for names that share slots.
    [[nodiscard]] Slot const* find_behind(std::string_view name,
                                          NameEnds const& ends) const noexcept {
        for (std::size_t at = slots.slot_of(ends);; at = (at + 1) & (table.size() - 1)) {
            Slot const& slot = table[at];
            if (slot.member == empty_slot) return nullptr;
            if (slot.is_for(name, ends)) return &slot;
        }
    }
};

/// A schema that several places refer to, in a document that is too large to have it at each of
/// them. Its rules have the levels of the operation for which they are checked.
struct SharedSchema {
    std::vector<std::uint32_t> refers_to; // others that it refers to itself
};

/// One body, response or parameter schema, with the range of its rules. Rules of shared schemas may
/// be in between.
struct CompiledSchema {
    NodeIndex root = anything;
    RuleIndex first_rule = 0;
    RuleIndex end_rule = 0;
    std::uint32_t operation = 0;
    enum class Side : std::uint8_t { request, response } side = Side::request;
    std::vector<std::uint32_t> refers_to{}; // the shared schemas that it refers to itself
};

/// All compiled schemas of a contract. Immutable; shared by all workers.
struct Program {
    std::uint64_t number = 0; // unique within the process: an address may be reused
    std::vector<CompiledSchema> schemas;
    std::vector<SharedSchema> shared;
    std::vector<SchemaNode> nodes;
    std::vector<Instruction> instructions;
    std::deque<Rule> rules; // a deque: violations have views into it
    std::deque<NumberOperand> numbers;
    std::deque<ConstantSet> constants;
    std::vector<std::unique_ptr<Pattern const>> patterns;
    std::vector<Children> children;
    std::vector<Conditional> conditionals;
    std::vector<When> whens;
    std::vector<ItemList> item_lists;
    std::vector<MemberTable> member_tables;
    std::uint32_t guesses = 0; // number of guesses of the next property (name_order.h)
    std::vector<Contains> contains;
    std::vector<Unevaluated> unevaluated;
    std::deque<Discriminator> discriminators;
    std::vector<Condition> conditions;
};

} // namespace sallyport::contract
