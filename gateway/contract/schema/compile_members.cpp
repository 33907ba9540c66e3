// Object keywords: one table for the properties of an object, for one pass.
#include "gateway/contract/schema/compile.h"

#include "config/text.h"
#include "gateway/contract/evaluate/names.h"

#include <algorithm>

namespace sallyport::contract {

namespace yaml = config::yaml;

std::string escape_token(std::string_view name) {
    std::string token;
    for (char const c : name) {
        if (c == '~') {
            token += "~0";
        } else if (c == '/') {
            token += "~1";
        } else {
            token += c;
        }
    }
    return token;
}

namespace {

[[nodiscard]] MemberTable::Slot slot_for(Member const& member, std::uint32_t number) {
    MemberTable::Slot slot;
    slot.ends = ends_of(member.name);
    slot.name = member.name.data();
    slot.fact.hash = member.hash;
    slot.bits = NameBits{member.hash};
    slot.member = number;
    return slot;
}

void build_table(MemberTable& table) {
    std::vector<std::string_view> names;
    for (Member const& member : table.members)
        names.push_back(member.name);
    PlacedNames const placed = place_names(names);
    table.slots = placed.slots;
    table.table.resize(placed.names.size());
    for (std::size_t i = 0; i < table.table.size(); ++i) {
        std::uint32_t const number = placed.names[i];
        if (number != PlacedNames::none) table.table[i] = slot_for(table.members[number], number);
    }
}

void find_bits(MemberTable& table) {
    for (Member const& member : table.members)
        table.bits |= bit_of_name(member.hash);
    for (std::uint32_t const member : table.required)
        table.required_bits |= bit_of_name(table.members[member].hash);
    table.checks_presence =
        !table.required.empty() || !table.dependencies.empty() || !table.dependent_schemas.empty();
    table.sees_all = table.has_additional || !table.patterns.empty();
    table.is_plain = !table.sees_all && !table.checks_presence;
}

} // namespace

// Finds the names of a table while it is built. Most tables are small enough for a linear search.
class SchemaCompiler::Mentions {
public:
    explicit Mentions(MemberTable& table) : table_{table} {}

    // The number of a property, which is added if it is new. `name` is in the document.
    [[nodiscard]] std::uint32_t number_of(std::string const& name) {
        auto const next = static_cast<std::uint32_t>(table_.members.size());
        if (next < searched) {
            for (std::uint32_t i = 0; i < next; ++i) {
                if (table_.members[i].name == name) return i;
            }
        } else {
            for (; known_ < next; ++known_)
                numbers_.emplace(table_.members[known_].name, known_);
            auto const [number, is_new] = numbers_.emplace(name, next);
            if (!is_new) return number->second;
            ++known_;
        }
        Member member;
        member.name = name;
        member.hash = hash_name(name);
        table_.members.push_back(std::move(member));
        return next;
    }

private:
    static constexpr std::uint32_t searched = 32;

    MemberTable& table_;
    std::unordered_map<std::string, std::uint32_t> numbers_;
    std::uint32_t known_ = 0; // how many of the table's members are in numbers_
};

// Called for the first of properties, patternProperties, additionalProperties, required,
// dependentRequired and dependentSchemas: compiles all of them.
void SchemaCompiler::keyword_members(Draft& draft, Node const& value, std::string const& path) {
    if (value.is_boolean() && &value == draft.schema->find("required"))
        return note_required_flag(draft, value, path);
    auto const is_members = [](Instruction const& one) { return one.op == Op::members; };
    if (std::any_of(draft.object.begin(), draft.object.end(), is_members)) return;
    auto const number = program_.member_tables.size();
    draft.object.push_back({Op::members, no_rule, number});
    program_.member_tables.emplace_back();
    MemberTable table;
    Mentions mentions{table};
    auto const child = [&draft](std::string_view keyword) -> Node const* {
        // A keyword whose vocabulary the dialect does not contain has no effect.
        bool const is_known =
            (find_keyword(keyword)->vocabularies & draft.place.resource->vocabularies) != 0;
        return is_known ? draft.schema->find(keyword) : nullptr;
    };
    auto const child_path = [&draft](std::string_view keyword) {
        return yaml::join_key(draft.place.path, keyword);
    };
    if (Node const* const properties = child("properties"); properties != nullptr) {
        compile_properties(draft, table, mentions, *properties, child_path("properties"));
    }
    if (Node const* const patterns = child("patternProperties"); patterns != nullptr) {
        compile_patterns(draft, table, *patterns, child_path("patternProperties"));
    }
    Node const* const required = child("required");
    if (required != nullptr && !required->is_boolean())
        compile_required(draft, table, mentions, *required, child_path("required"));
    if (Node const* const properties = child("properties"); properties != nullptr)
        require_flagged(draft, table, mentions, *properties);
    if (Node const* const dependent = child("dependentRequired"); dependent != nullptr) {
        compile_dependencies(draft, table, mentions, *dependent, child_path("dependentRequired"));
    }
    if (Node const* const dependent = child("dependentSchemas"); dependent != nullptr) {
        compile_dependent_schemas(draft, table, mentions, *dependent,
                                  child_path("dependentSchemas"));
    }
    Node const* const additional = child("additionalProperties");
    bool const takes_every_name = additional != nullptr && additional->as_boolean();
    if (additional != nullptr && draft.leaves_out_names && !takes_every_name) {
        leave_out_around(draft, "additionalProperties");
    } else if (additional != nullptr) {
        compile_additional(draft, table, *additional, child_path("additionalProperties"));
    }
    build_table(table);
    find_bits(table);
    program_.member_tables[number] = std::move(table);
}

// Called when all nodes are finished, including those of recursive schemas.
void SchemaCompiler::finish_members(std::size_t first_table) {
    for (std::size_t i = first_table; i < program_.member_tables.size(); ++i) {
        MemberTable& table = program_.member_tables[i];
        table.expected.resize(table.members.size());
        table.first_guess = program_.guesses++;
        find_discriminants(table);
        for (MemberTable::Slot& slot : table.table) {
            if (slot.member == MemberTable::empty_slot) continue;
            Member const& member = table.members[slot.member];
            table.expected[slot.member] = {QuotedName{member.name}, &slot, program_.guesses++,
                                           word_of_string(1, member.name.size())};
            slot.at_once.node = member.node;
            slot.is_ordinary = member.is_declared && !member.is_deprecated;
            slot.is_deprecated = member.is_deprecated;
            if (member.is_declared) slot.fact.mark = Mark::declared;
            if (!slot.is_ordinary) continue;
            if (member.node == anything) {
                slot.at_once.kinds = value_bits::any;
            } else {
                slot.at_once = program_.nodes[member.node].at_once;
            }
        }
    }
}

void SchemaCompiler::find_discriminants(MemberTable& table) const {
    constexpr unsigned held = value_bits::array | value_bits::object; // would have to be compared
    for (Member const& member : table.members) {
        if (!member.is_declared || member.node == anything) continue;
        SchemaNode const& node = program_.nodes[member.node];
        for (std::uint32_t i = node.any; i < node.number; ++i) {
            Instruction const& one = program_.instructions[i];
            if (one.op != Op::constant || node.is_nullable) continue;
            ConstantSet const& constants = program_.constants[one.operand];
            if ((constants.kinds & held) != 0) continue;
            table.discriminants.push_back({member.name, member.hash,
                                           static_cast<std::uint32_t>(one.operand), one.rule,
                                           constants.count == 1});
        }
    }
}

void SchemaCompiler::compile_properties(Draft& draft, MemberTable& table, Mentions& mentions,
                                        Node const& value, std::string const& path) {
    if (value.is_null()) {
        return problems_.add(value, path, "is empty: no property is declared",
                             "write {}, or remove it", yaml::Severity::warning);
    }
    if (!value.is_mapping()) return error(value, path, "must be a mapping of schemas");
    table.declares = true;
    ++declaring_;
    ++descents_;
    for (yaml::Entry const& entry : value.entries()) {
        if (entry.key == "$ref" && entry.value.is_string()) {
            // A bundler would resolve it; a schema has no such thing, and its names are not known.
            draft.leaves_out_names = true;
            leave_out_evaluations(entry.mark, yaml::join_key(path, entry.key),
                                  "stands for a whole mapping of properties, which is no OpenAPI",
                                  "bundle the document into one file, or write the properties");
            continue;
        }
        Place place = inside(draft, "properties", yaml::join_key(path, entry.key));
        place.pointer += '/' + escape_token(entry.key);
        place.property = &entry.key;
        if (can_hold_secret(entry.key)) place.holder = add_holder(entry.key);
        Compiled const compiled = compile_node(entry.value, place);
        Member& member = table.members[mentions.number_of(entry.key)];
        member.node = compiled.node;
        member.is_declared = true;
        member.is_deprecated = compiled.is_deprecated;
    }
    --descents_;
}

void SchemaCompiler::compile_required(Draft& draft, MemberTable& table, Mentions& mentions,
                                      Node const& value, std::string const& path) {
    if (value.is_null()) {
        return problems_.add(value, path, "is empty: no property is required", "remove it",
                             yaml::Severity::warning);
    }
    if (!value.is_sequence()) return error(value, path, "must be a list of property names");
    table.required_rule = add_rule(draft, "required", "", "is required");
    std::vector<bool> is_named; // by member
    for (std::size_t i = 0; i < value.items().size(); ++i) {
        Node const& item = value.items()[i];
        if (!item.is_string()) {
            error(item, yaml::join_index(path, i), "must be a property name");
            continue;
        }
        if (is_of_other_side(draft, item.text())) continue;
        auto const member = mentions.number_of(item.text());
        if (is_named.size() <= member) is_named.resize(table.members.size());
        if (is_named[member]) {
            // JSON Schema 2020-12 validation, 6.5.3: the names are unique. Nothing else follows.
            problems_.add(item, yaml::join_index(path, i), "is listed twice",
                          "remove one of the two", yaml::Severity::warning);
            continue;
        }
        is_named[member] = true;
        table.required.push_back(member);
    }
}

// A flag, as parameters have one. In the schema of a property it can mean only that the object must
// have that property; elsewhere it is not clear what is required.
void SchemaCompiler::note_required_flag(Draft const& draft, Node const& value,
                                        std::string const& path) {
    std::string const name = draft.place.property == nullptr ? "NAME" : *draft.place.property;
    std::string hint = "write required: [" + name + "] in the schema whose properties have "
                       + (draft.place.property == nullptr ? "that name" : "it");
    if (draft.place.property == nullptr && value.as_boolean())
        return error(value, path, "must be a list of property names", std::move(hint));
    problems_.add(value, path,
                  value.as_boolean() ? "is a flag: it is read as " + config::in_quotes(name)
                                           + " in required of the object around it"
                                     : "is a flag, and has no effect",
                  value.as_boolean() ? std::move(hint) : "remove it", yaml::Severity::warning);
}

void SchemaCompiler::require_flagged(Draft const& draft, MemberTable& table, Mentions& mentions,
                                     Node const& properties) {
    for (yaml::Entry const& entry : properties.entries()) {
        Node const* const flag = entry.value.find("required");
        if (flag == nullptr || !flag->as_boolean() || is_of_other_side(draft, entry.key)) continue;
        auto const member = mentions.number_of(entry.key);
        if (std::find(table.required.begin(), table.required.end(), member) != table.required.end())
            continue;
        if (table.required_rule == no_rule)
            table.required_rule = add_rule(draft, "required", "", "is required");
        table.required.push_back(member);
    }
}

bool SchemaCompiler::is_of_other_side(Draft const& draft, std::string const& member) {
    // OpenAPI 3.0, 4.7.24.2: such a property is only required on its own side. 3.1 follows JSON
    // Schema: a readOnly property is required like any other.
    if ((draft.place.resource->vocabularies & vocabulary::openapi_3_0) == 0) return false;
    std::string_view const mark = side_ == CompiledSchema::Side::request ? "readOnly" : "writeOnly";
    auto const is_marked = [mark](Node const& schema, Resource const&) {
        Node const* const value = schema.find(mark);
        return value != nullptr && value->as_boolean();
    };
    // `required` may be in one part of an allOf, and the property in another.
    return any_in_place(*draft.place.whole, *draft.place.whole_resource,
                        [&](Node const& schema, Resource const& resource) {
                            Node const* const properties = schema.find("properties");
                            Node const* const own =
                                properties != nullptr ? properties->find(member) : nullptr;
                            return own != nullptr && any_in_place(*own, resource, is_marked);
                        });
}

bool SchemaCompiler::any_in_place(Node const& schema, Resource const& resource,
                                  InPlace const& holds) {
    std::set<Node const*> seen;
    std::vector<std::pair<Node const*, Resource const*>> open{{&schema, &resource}};
    while (!open.empty()) {
        auto const [node, within] = open.back();
        open.pop_back();
        if (!node->is_mapping() || !seen.insert(node).second) continue;
        Node const* const reference = node->find("$ref");
        if (reference != nullptr && reference->is_string()) {
            // OpenAPI 3.0, 4.7.23: keywords beside it are ignored.
            auto const resolved = documents_.resolve(*within, reference->text());
            if (resolved.target)
                open.emplace_back(resolved.target->node, resolved.target->resource);
            continue;
        }
        if (holds(*node, *within)) return true;
        Node const* const parts = node->find("allOf");
        if (parts == nullptr) continue;
        for (Node const& part : parts->items())
            open.emplace_back(&part, within);
    }
    return false;
}

void SchemaCompiler::compile_patterns(Draft& draft, MemberTable& table, Node const& value,
                                      std::string const& path) {
    if (!value.is_mapping()) return error(value, path, "must be a mapping of patterns to schemas");
    table.declares = true;
    ++declaring_;
    ++descents_;
    for (yaml::Entry const& entry : value.entries()) {
        Place place = inside(draft, "patternProperties", yaml::join_key(path, entry.key));
        place.pointer += '/' + escape_token(entry.key);
        auto const pattern = pattern_number(entry.value, place.path, entry.key);
        NodeIndex const node = compile_node(entry.value, place).node;
        if (pattern) {
            table.patterns.push_back({*pattern, node});
        } else {
            draft.leaves_out_names = true;
            ++left_out_.evaluations;
        }
    }
    --descents_;
}

void SchemaCompiler::compile_additional(Draft& draft, MemberTable& table, Node const& value,
                                        std::string const& path) {
    table.has_additional = true;
    if (value.is_boolean()) {
        if (!value.as_boolean()) {
            table.additional_rule = add_rule(draft, "additionalProperties", "false",
                                             "is not a property that the contract allows");
        }
        return;
    }
    ++descents_;
    Place place = inside(draft, "additionalProperties", path);
    table.additional = compile_node(value, place).node;
    --descents_;
}

void SchemaCompiler::compile_dependent_schemas(Draft& draft, MemberTable& table, Mentions& mentions,
                                               Node const& value, std::string const& path) {
    if (!value.is_mapping()) return error(value, path, "must be a mapping of schemas");
    for (yaml::Entry const& entry : value.entries()) {
        Place place = inside(draft, "dependentSchemas", yaml::join_key(path, entry.key));
        place.pointer += '/' + escape_token(entry.key);
        NodeIndex const node = compile_node(entry.value, place).node;
        if (node != anything) {
            table.dependent_schemas.push_back({mentions.number_of(entry.key), node});
        }
    }
}

void SchemaCompiler::keyword_property_names(Draft& draft, Node const& value,
                                            std::string const& path) {
    Place place = inside(draft, "propertyNames", path);
    place.is_for_names = true;
    ++descents_;
    NodeIndex const node = compile_node(value, place).node;
    --descents_;
    if (node != anything) draft.object.push_back({Op::property_names, no_rule, node});
}

void SchemaCompiler::compile_dependencies(Draft& draft, MemberTable& table, Mentions& mentions,
                                          Node const& value, std::string const& path) {
    if (!value.is_mapping()) {
        return error(value, path, "must be a mapping of property names to lists of property names");
    }
    auto const rule = add_rule(draft, "dependentRequired", "", "is required");
    for (yaml::Entry const& entry : value.entries()) {
        std::string const at = yaml::join_key(path, entry.key);
        if (!entry.value.is_sequence()) {
            error(entry.value, at, "must be a list of property names");
            continue;
        }
        Dependency dependency;
        dependency.trigger = mentions.number_of(entry.key);
        dependency.rule = rule;
        std::set<std::string_view> named;
        for (std::size_t i = 0; i < entry.value.items().size(); ++i) {
            Node const& item = entry.value.items()[i];
            if (!item.is_string()) {
                error(item, yaml::join_index(at, i), "must be a property name");
                continue;
            }
            // JSON Schema 2020-12 validation, 6.5.4: the names are unique.
            if (!named.insert(item.text()).second) {
                error(item, yaml::join_index(at, i), "is listed twice", "remove one of the two");
                continue;
            }
            dependency.needed.push_back(mentions.number_of(item.text()));
        }
        table.dependencies.push_back(std::move(dependency));
    }
}

} // namespace sallyport::contract
