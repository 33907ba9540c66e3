// Which types of values a compiled schema accepts.
#include "gateway/contract/schema/accepted.h"

#include "config/text.h"
#include "gateway/contract/schema/walk_in_place.h"

#include <algorithm>

namespace sallyport::contract {

namespace {

constexpr unsigned numbers = value_bits::number | value_bits::integer;
constexpr unsigned literals = numbers | value_bits::boolean | value_bits::null;
constexpr unsigned nested = value_bits::array | value_bits::object;

[[nodiscard]] unsigned accepted_by_some(Program const& program, Children const& children) {
    unsigned types = 0;
    for (NodeIndex const child : children.nodes)
        types |= accepted_types(program, child);
    return types;
}

// The types that `not` accepts: if its schema has only types, all others.
[[nodiscard]] unsigned accepted_without(Program const& program, NodeIndex index) {
    if (index == anything) return value_bits::any;
    SchemaNode const& node = program.nodes[index];
    bool const is_types = node.any == node.end && !node.is_nullable;
    return is_types ? value_bits::any & ~unsigned{node.types} : value_bits::any;
}

} // namespace

unsigned accepted_types(Program const& program, NodeIndex index) {
    if (index == anything) return value_bits::any;
    auto const& node = program.nodes[index];
    unsigned types = node.types;
    for (std::uint32_t i = node.any; i < node.number; ++i) {
        auto const operand = static_cast<std::size_t>(program.instructions[i].operand);
        switch (program.instructions[i].op) {
        case Op::constant:
            types &= program.constants[operand].kinds;
            if (!program.constants[operand].has_fractions) types &= ~unsigned{value_bits::number};
            break;
        case Op::all_of:
            for (NodeIndex const child : program.children[operand].nodes)
                types &= accepted_types(program, child);
            break;
        case Op::any_of:
        case Op::one_of: types &= accepted_by_some(program, program.children[operand]); break;
        case Op::negation:
            types &= accepted_without(program, static_cast<NodeIndex>(operand));
            break;
        case Op::condition: {
            Conditional const& one = program.conditionals[operand];
            types &=
                accepted_types(program, one.then_node) | accepted_types(program, one.else_node);
            break;
        }
        default: break;
        }
    }
    // OpenAPI 3.0: null is valid independent of the other rules.
    return node.is_nullable ? types | value_bits::null : types;
}

namespace {

// The types that occur in one schema, without nested ones.
[[nodiscard]] Kinds named_by(Program const& program, SchemaNode const& node) noexcept {
    unsigned named = node.types == value_bits::any ? 0U : node.types;
    if (node.is_nullable) named |= value_bits::null;
    for (std::uint32_t i = node.any; i < node.number; ++i) {
        Instruction const& instruction = program.instructions[i];
        if (instruction.op == Op::constant) {
            named |= program.constants[static_cast<std::size_t>(instruction.operand)].kinds;
        }
    }
    Kinds kinds;
    kinds.admits_text = (named & value_bits::string) != 0;
    if (node.number != node.string) named |= numbers;
    if (node.string != node.array) named |= value_bits::string;
    if (node.array != node.object) named |= value_bits::array;
    if (node.object != node.end) named |= value_bits::object;
    kinds.named = static_cast<std::uint8_t>(named);
    return kinds;
}

// The types that all schemas for one part accept.
class PartKinds {
public:
    explicit PartKinds(Program const& program) : program_{program} {}

    void add(NodeIndex index, Effect effect) {
        if (index == anything) return;
        schemas_.push_back({index, effect});
        Kinds const one = kinds_of(program_, index);
        is_nested_ = is_nested_ || may_be_nested(one);
        kinds_.named |= one.named;
        kinds_.admits_text = kinds_.admits_text || one.admits_text;
        if (effect != Effect::always) return;
        kinds_.accepted &= one.accepted;
        part_.nodes.push_back(index);
    }
    // Whole values are compared, with enum or const, which may contain any type in this part.
    void add_constants() {
        kinds_.named |= literals;
        kinds_.admits_text = true;
    }

    [[nodiscard]] bool is_nested(NestedForms forms) const noexcept {
        unsigned const plain = kinds_.accepted & ~(nested | value_bits::null);
        return is_nested_ && (forms == NestedForms::refused || plain == 0);
    }
    [[nodiscard]] Part finish() {
        part_.reading = reading_of(kinds_);
        return std::move(part_);
    }
    [[nodiscard]] PropertyKinds finish_property() {
        PropertyKinds property;
        property.kinds = kinds_;
        property.may_be_nested = is_nested_;
        property.schemas = std::move(schemas_);
        property.part = finish();
        return property;
    }

private:
    Program const& program_;
    Kinds kinds_;
    std::vector<SchemaInPlace> schemas_;
    Part part_;
    bool is_nested_ = false;
};

// The schemas for the properties of one object.
struct PropertySchemas {
    MemberTable const* table;
    Effect effect;
};

void add_member(Program const& program, PropertySchemas const& schemas, std::string const& name,
                PartKinds& kinds) {
    auto const& [table, effect] = schemas;
    bool is_known = false;
    for (Member const& member : table->members) {
        if (member.name != name || !member.is_declared) continue;
        kinds.add(member.node, effect);
        is_known = true;
    }
    for (PatternMembers const& one : table->patterns) {
        if (!program.patterns[one.pattern]->is_in(name)) continue;
        kinds.add(one.node, effect);
        is_known = true;
    }
    if (!is_known) kinds.add(table->additional, effect);
}

} // namespace

Kinds kinds_of(Program const& program, NodeIndex index) {
    Kinds kinds;
    kinds.accepted = static_cast<std::uint8_t>(accepted_types(program, index));
    auto const visit = [&](SchemaNode const& node, Effect effect) {
        Kinds const one = named_by(program, node);
        kinds.named |= one.named;
        if (effect != Effect::condition && one.admits_text) kinds.admits_text = true;
    };
    visit_in_place(program, SchemaInPlace{index}, value_bits::any, visit);
    return kinds;
}

bool may_be_nested(Kinds const& kinds) noexcept {
    bool const takes_nested = (kinds.accepted & nested) != 0;
    bool const takes_plain = (kinds.accepted & ~nested) != 0;
    return takes_nested && (!takes_plain || (kinds.named & nested) != 0);
}

Reading reading_of(Kinds const& kinds) noexcept {
    Reading reading;
    bool const takes_text = (kinds.accepted & value_bits::string) != 0;
    // If no string is valid, each text that looks like a literal is read as one, so that the
    // message fits.
    unsigned const read = takes_text ? kinds.accepted & kinds.named : literals;
    reading.numbers = (read & numbers) != 0;
    reading.only_digits = (kinds.accepted & numbers) == value_bits::integer;
    reading.words = (read & value_bits::boolean) != 0;
    reading.null = (read & kinds.accepted & value_bits::null) != 0;
    reading.or_text =
        takes_text && kinds.admits_text && (reading.numbers || reading.words || reading.null);
    return reading;
}

PropertyKinds kinds_of(Program const& program, std::vector<SchemaInPlace> const& schemas) {
    PartKinds kinds{program};
    for (auto const& [node, effect] : schemas)
        kinds.add(node, effect);
    return kinds.finish_property();
}

std::optional<PropertyKinds> read_all_items(Program const& program,
                                            std::vector<SchemaInPlace> const& schemas) {
    PartKinds kinds{program};
    bool is_alike = true;
    constexpr unsigned whole = value_bits::array;
    visit_in_place(program, schemas, whole, [&](SchemaNode const& node, Effect effect) {
        if (has_constants(program, node)) kinds.add_constants();
        for (std::uint32_t i = node.array; i < node.object; ++i) {
            auto const operand = static_cast<std::size_t>(program.instructions[i].operand);
            switch (program.instructions[i].op) {
            case Op::items:
                is_alike = is_alike && program.item_lists[operand].prefix.empty();
                kinds.add(program.item_lists[operand].rest, effect);
                break;
            case Op::contains: kinds.add(program.contains[operand].node, Effect::condition); break;
            case Op::unevaluated_items: is_alike = false; break;
            default: break;
            }
        }
    });
    if (!is_alike) return std::nullopt;
    return kinds.finish_property();
}

namespace {

// All schemas for the items of an array, by position.
struct ItemSchemas {
    std::vector<PartKinds> first;
    PartKinds others;
};

[[nodiscard]] ItemSchemas find_item_schemas(Program const& program,
                                            std::vector<SchemaInPlace> const& schemas) {
    struct Items {
        ItemList const* list;
        Effect effect;
    };
    std::vector<Items> lists;
    ItemSchemas found{{}, PartKinds{program}};
    bool has_whole_constants = false;
    constexpr unsigned whole = value_bits::array;
    visit_in_place(program, schemas, whole, [&](SchemaNode const& node, Effect effect) {
        has_whole_constants = has_whole_constants || has_constants(program, node);
        for (std::uint32_t i = node.array; i < node.object; ++i) {
            auto const operand = static_cast<std::size_t>(program.instructions[i].operand);
            switch (program.instructions[i].op) {
            case Op::items: lists.push_back({&program.item_lists[operand], effect}); break;
            case Op::contains:
                found.others.add(program.contains[operand].node, Effect::condition);
                break;
            case Op::unevaluated_items:
                found.others.add(program.unevaluated[operand].node, Effect::perhaps);
                break;
            default: break;
            }
        }
    });
    if (has_whole_constants) found.others.add_constants();
    std::size_t most = 0;
    for (Items const& one : lists)
        most = std::max(most, one.list->prefix.size());
    for (std::size_t at = 0; at < most; ++at) {
        PartKinds& kinds = found.first.emplace_back(found.others); // the schemas of all items
        for (Items const& one : lists) {
            auto const& prefix = one.list->prefix;
            kinds.add(at < prefix.size() ? prefix[at] : one.list->rest, one.effect);
        }
    }
    for (Items const& one : lists)
        found.others.add(one.list->rest, one.effect);
    return found;
}

} // namespace

std::optional<std::string> read_items(Program const& program,
                                      std::vector<SchemaInPlace> const& schemas, Parameter& list,
                                      NestedForms nested_forms) {
    auto found = find_item_schemas(program, schemas);
    bool is_nested = found.others.is_nested(nested_forms);
    for (PartKinds& kinds : found.first) {
        is_nested = is_nested || kinds.is_nested(nested_forms);
        list.first.push_back(kinds.finish());
    }
    list.others = found.others.finish();
    if (is_nested) return "an item";
    return std::nullopt;
}

ItemKinds read_item_kinds(Program const& program, NodeIndex index) {
    auto found = find_item_schemas(program, {{index, Effect::always}});
    ItemKinds kinds;
    for (PartKinds& one : found.first)
        kinds.first.push_back(one.finish_property());
    kinds.others = found.others.finish_property();
    return kinds;
}

namespace {

// All schemas for the properties of an object.
struct ObjectSchemas {
    std::vector<PropertySchemas> tables;
    std::vector<std::string_view> names; // that they mention, each once
    PartKinds others;                    // of unevaluatedProperties
    bool has_whole_constants = false;
};

[[nodiscard]] ObjectSchemas find_object_schemas(Program const& program,
                                                std::vector<SchemaInPlace> const& schemas) {
    ObjectSchemas found{{}, {}, PartKinds{program}, false};
    constexpr unsigned whole = value_bits::object;
    visit_in_place(program, schemas, whole, [&](SchemaNode const& node, Effect effect) {
        found.has_whole_constants = found.has_whole_constants || has_constants(program, node);
        for (std::uint32_t i = node.object; i < node.end; ++i) {
            Instruction const& instruction = program.instructions[i];
            auto const operand = static_cast<std::size_t>(instruction.operand);
            if (instruction.op == Op::members) {
                found.tables.push_back({&program.member_tables[operand], effect});
            } else if (instruction.op == Op::unevaluated_properties) {
                found.others.add(program.unevaluated[operand].node, Effect::perhaps);
            }
        }
    });
    auto& names = found.names;
    for (PropertySchemas const& one : found.tables) {
        for (Member const& member : one.table->members) {
            if (std::find(names.begin(), names.end(), member.name) == names.end()) {
                names.push_back(member.name);
            }
        }
    }
    return found;
}

} // namespace

ObjectKinds read_properties(Program const& program, NodeIndex index) {
    return read_properties(program, std::vector<SchemaInPlace>{{index, Effect::always}});
}

ObjectKinds read_properties(Program const& program, std::vector<SchemaInPlace> const& schemas) {
    auto found = find_object_schemas(program, schemas);
    ObjectKinds object;
    auto const finish = [&](PartKinds& kinds) {
        if (found.has_whole_constants) kinds.add_constants();
        return kinds.finish_property();
    };
    for (std::string_view const name : found.names) {
        PartKinds kinds{program};
        for (PropertySchemas const& one : found.tables)
            add_member(program, one, std::string{name}, kinds);
        object.members.push_back(finish(kinds));
        object.members.back().name = name;
    }
    for (PropertySchemas const& one : found.tables) {
        for (PatternMembers const& pattern : one.table->patterns) {
            PartKinds kinds{program};
            kinds.add(pattern.node, one.effect);
            object.patterns.push_back(finish(kinds));
            object.patterns.back().pattern = pattern.pattern;
        }
        found.others.add(one.table->additional, one.effect);
    }
    object.others = finish(found.others);
    return object;
}

std::optional<std::string> read_members(Program const& program,
                                        std::vector<SchemaInPlace> const& schemas,
                                        Parameter& object, NestedForms nested_forms) {
    auto found = find_object_schemas(program, schemas);
    std::optional<std::string> fault;
    auto const finish = [&](PartKinds& kinds, std::string what) {
        if (found.has_whole_constants) kinds.add_constants();
        if (kinds.is_nested(nested_forms) && !fault) fault = std::move(what);
        return kinds.finish();
    };
    for (std::string_view const name : found.names) {
        PartKinds kinds{program};
        for (PropertySchemas const& one : found.tables)
            add_member(program, one, std::string{name}, kinds);
        auto part = finish(kinds, "the property " + config::in_quotes(name));
        object.members.push_back({std::string{name}, std::move(part)});
    }
    for (PropertySchemas const& one : found.tables) {
        for (PatternMembers const& pattern : one.table->patterns) {
            PartKinds kinds{program};
            kinds.add(pattern.node, one.effect);
            object.patterns.push_back(
                {pattern.pattern, finish(kinds, "a property that matches a pattern")});
        }
        found.others.add(one.table->additional, one.effect);
    }
    object.others = finish(found.others, "an additional property");
    return fault;
}

} // namespace sallyport::contract
