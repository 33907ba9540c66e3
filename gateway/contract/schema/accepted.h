// Which types of values a compiled schema accepts: determines how the text of a parameter is read.
#pragma once

#include "gateway/contract/contract.h"
#include "gateway/contract/schema/program.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sallyport::contract {

/// Sets of value_bits.
struct Kinds {
    std::uint8_t accepted = value_bits::any; // may be valid according to types and constants
    std::uint8_t named = 0;                  // occur in types and constants, or have rules
    bool admits_text = false;                // a type or a constant explicitly allows strings
};
/// The types of values, as value_bits, of which some may be valid.
[[nodiscard]] unsigned accepted_types(Program const& program, NodeIndex index);
/// The types that a schema accepts, according to all schemas for the same value.
[[nodiscard]] Kinds kinds_of(Program const& program, NodeIndex index);

/// Whether the schema accepts lists or objects and has rules for them: otherwise it is for plain
/// values.
[[nodiscard]] bool may_be_nested(Kinds const& kinds) noexcept;

/// How a schema that applies to the same value as another one affects its result.
enum class Effect : std::uint8_t {
    always,    // always
    perhaps,   // may decide that a value is valid
    condition, // of if and not
};

/// A schema of one value, and how it affects the result.
struct SchemaInPlace {
    NodeIndex node = anything;
    Effect effect = Effect::always;
};

/// A property, and which types all schemas for it accept together.
struct PropertyKinds {
    std::string name;          // or:
    std::uint32_t pattern = 0; // of its name, into Program::patterns
    Kinds kinds;
    bool may_be_nested = false; // for one of the schemas
    Part part;                  // as a plain value
    std::vector<SchemaInPlace> schemas;
};

/// The same of a value with these schemas, without a name.
[[nodiscard]] PropertyKinds kinds_of(Program const& program,
                                     std::vector<SchemaInPlace> const& schemas);

/// The properties of an object.
struct ObjectKinds {
    std::vector<PropertyKinds> members; // all names that its schema mentions,
    std::vector<PropertyKinds> patterns;
    PropertyKinds others; // and all other properties
};
/// Those of the objects that a schema accepts.
[[nodiscard]] ObjectKinds read_properties(Program const& program, NodeIndex index);
/// The same for all schemas of one value.
[[nodiscard]] ObjectKinds read_properties(Program const& program,
                                          std::vector<SchemaInPlace> const& schemas);
/// The items of the lists that they accept; nullopt: not all items have the same schemas.
[[nodiscard]] std::optional<PropertyKinds>
read_all_items(Program const& program, std::vector<SchemaInPlace> const& schemas);

/// The items of the arrays that a schema accepts: those of prefixItems, and all others.
struct ItemKinds {
    std::vector<PropertyKinds> first;
    PropertyKinds others;
};
[[nodiscard]] ItemKinds read_item_kinds(Program const& program, NodeIndex index);

/// Takes minLength and maxLength, which always apply to a string, out of the program: its bytes are
/// counted, not its characters. The result describes another rule for the text of the string;
/// nullopt: there is none.
struct SizeLimit {
    bool is_least = false; // minLength
    std::uint64_t size = 0;
    RuleIndex rule = no_rule;
};
[[nodiscard]] std::optional<std::string> take_sizes(Program& program,
                                                    std::vector<SchemaInPlace> const& schemas,
                                                    std::vector<SizeLimit>& sizes);

/// How the text of a plain value is read.
[[nodiscard]] Reading reading_of(Kinds const& kinds) noexcept;

/// What becomes of items and properties that may be lists or objects, and plain values as well:
/// `ignored`: they are read as plain values, since no style can write anything else.
enum class NestedForms : std::uint8_t { refused, ignored };

/// Fill in the schemas of the items of a list, or of the properties of an object. The result
/// describes the first of them that may be a list or an object itself, which no style can express;
/// nullopt: none.
[[nodiscard]] std::optional<std::string>
read_items(Program const& program, std::vector<SchemaInPlace> const& schemas, Parameter& list,
           NestedForms nested = NestedForms::refused);
[[nodiscard]] std::optional<std::string>
read_members(Program const& program, std::vector<SchemaInPlace> const& schemas, Parameter& object,
             NestedForms nested = NestedForms::refused);

/// Whether a value of style deepObject may have names that read_members() does not read.
[[nodiscard]] bool has_deep_names(Program const& program,
                                  std::vector<SchemaInPlace> const& schemas);
/// Fills in the nested names of a parameter or field of style deepObject (Parameter::deep). The
/// result says what cannot be told from a name; nullopt: all can.
[[nodiscard]] std::optional<std::string> read_deep_names(Program const& program,
                                                         std::vector<SchemaInPlace> const& schemas,
                                                         Parameter& parameter);

/// Fills in takes_others and closed_by of an object after read_members().
void read_others(Program const& program, NodeIndex index, Parameter& object);

} // namespace sallyport::contract
