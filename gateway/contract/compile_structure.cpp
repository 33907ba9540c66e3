// Keywords that hold schemas: in place, of items, of members, of callers.
#include "gateway/contract/compile.h"

#include "config/text.h"
#include "gateway/contract/constants.h"
#include "gateway/contract/names.h"

#include <algorithm>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

// RFC 6901, 3
[[nodiscard]] std::string escape_token(std::string_view name) {
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

[[nodiscard]] std::uint32_t mention(MemberTable& table, std::string const& name) {
    for (std::uint32_t i = 0; i < table.members.size(); ++i) {
        if (table.members[i].name == name) return i;
    }
    Member member;
    member.name = name;
    member.hash = hash_name(name);
    table.members.push_back(std::move(member));
    return static_cast<std::uint32_t>(table.members.size() - 1);
}

void build_slots(MemberTable& table) {
    std::size_t size = 2;
    while (size < 2 * table.members.size() + 1)
        size *= 2;
    table.slots.assign(size, MemberTable::empty_slot);
    for (std::uint32_t i = 0; i < table.members.size(); ++i) {
        std::size_t slot = table.members[i].hash & (size - 1);
        while (table.slots[slot] != MemberTable::empty_slot)
            slot = (slot + 1) & (size - 1);
        table.slots[slot] = i;
    }
}

} // namespace

std::optional<std::uint64_t> SchemaCompiler::compile_list(Draft& draft, Node const& value,
                                                          std::string_view keyword,
                                                          std::string const& path) {
    if (!value.is_sequence() || value.items().empty()) {
        error(value, path, "must be a list of at least one schema");
        return std::nullopt;
    }
    Children children;
    std::size_t const before = declaring_;
    for (std::size_t i = 0; i < value.items().size(); ++i) {
        Place place = inside(draft, keyword, yaml::join_index(path, i));
        place.pointer += '/' + std::to_string(i);
        place.is_question = place.is_question || keyword != "allOf";
        children.nodes.push_back(compile_node(value.items()[i], place).node);
    }
    children.declares = declaring_ != before;
    program_.children.push_back(std::move(children));
    return program_.children.size() - 1;
}

void SchemaCompiler::keyword_all_of(Draft& draft, Node const& value, std::string const& path) {
    if (auto const list = compile_list(draft, value, "allOf", path)) {
        draft.any.push_back({Op::all_of, no_rule, *list});
    }
}

void SchemaCompiler::keyword_any_of(Draft& draft, Node const& value, std::string const& path) {
    auto const list = compile_list(draft, value, "anyOf", path);
    if (!list) return;
    auto const rule =
        add_rule(draft, "anyOf", "",
                 "must match at least one of the " + std::to_string(value.items().size())
                     + " forms of the contract");
    draft.any.push_back({Op::any_of, rule, *list});
}

void SchemaCompiler::keyword_one_of(Draft& draft, Node const& value, std::string const& path) {
    auto const list = compile_list(draft, value, "oneOf", path);
    if (!list) return;
    auto const rule =
        add_rule(draft, "oneOf", "",
                 "must match exactly one of the " + std::to_string(value.items().size())
                     + " forms of the contract");
    draft.any.push_back({Op::one_of, rule, *list});
}

void SchemaCompiler::keyword_not(Draft& draft, Node const& value, std::string const& path) {
    Place place = inside(draft, "not", path);
    place.is_question = true;
    NodeIndex const node = compile_node(value, place).node;
    std::string phrase = "must not match what the contract excludes";
    std::string expected;
    Node const* const constant = value.entries().size() == 1 ? value.find("const") : nullptr;
    std::string text;
    if (constant != nullptr && append_json(text, *constant)) {
        phrase = "must not be " + text;
        expected = "{\"not\":{\"const\":" + text + "}}";
    }
    auto const rule = add_rule(draft, "not", std::move(expected), std::move(phrase));
    if (node == anything) {
        draft.any.push_back({Op::never, rule, 0});
    } else {
        draft.any.push_back({Op::negation, rule, node});
    }
}

void SchemaCompiler::keyword_if(Draft& draft, Node const& value, std::string const& path) {
    std::string const parent = draft.place.path;
    Conditional conditional;
    Place place = inside(draft, "if", path);
    place.is_question = true;
    conditional.if_node = compile_node(value, place).node;
    if (Node const* const then_schema = draft.schema->find("then"); then_schema != nullptr) {
        conditional.then_node =
            compile_node(*then_schema, inside(draft, "then", yaml::join_key(parent, "then"))).node;
    }
    if (Node const* const else_schema = draft.schema->find("else"); else_schema != nullptr) {
        conditional.else_node =
            compile_node(*else_schema, inside(draft, "else", yaml::join_key(parent, "else"))).node;
    }
    if (conditional.then_node == anything && conditional.else_node == anything) return;
    program_.conditionals.push_back(conditional);
    draft.any.push_back({Op::condition, no_rule, program_.conditionals.size() - 1});
}

void SchemaCompiler::keyword_with_if(Draft& draft, Node const& value, std::string const& path) {
    // JSON Schema 2020-12 core, 10.2.2: without `if` they mean nothing. Whoever wrote them meant
    // something.
    if (draft.schema->find("if") == nullptr) {
        problems_.add(value, path, "has no effect without if", "write if, or remove it",
                      yaml::Severity::warning);
    }
}

void SchemaCompiler::keyword_definitions(Draft& draft, Node const& value, std::string const& path) {
    // Compiled where a `$ref` leads to them.
    if (!value.is_mapping()) error(value, path, "must be a mapping of schemas");
    (void)draft;
}

void SchemaCompiler::keyword_x_when(Draft& draft, Node const& value, std::string const& path) {
    if (!value.is_sequence() || value.items().empty()) {
        return error(value, path, "must be a list of {labels, schema}");
    }
    for (std::size_t i = 0; i < value.items().size(); ++i) {
        Node const& entry = value.items()[i];
        std::string const at = yaml::join_index(path, i);
        Node const* const labels = entry.find("labels");
        Node const* const schema = entry.find("schema");
        if (labels == nullptr || schema == nullptr || entry.entries().size() != 2) {
            error(entry, at, "must have labels and schema, and nothing else");
            continue;
        }
        Place place = inside(draft, "x-when", yaml::join_key(at, "schema"));
        place.pointer += '/' + std::to_string(i) + "/schema";
        place.is_for_callers = true;
        auto const condition = compile_condition(*labels, yaml::join_key(at, "labels"));
        NodeIndex const node = compile_node(*schema, place).node;
        if (!condition || node == anything) continue;
        program_.whens.push_back({*condition, node});
        draft.any.push_back({Op::when, no_rule, program_.whens.size() - 1});
    }
}

std::optional<std::uint32_t> SchemaCompiler::compile_condition(Node const& labels,
                                                               std::string const& path) {
    if (!labels.is_mapping() || labels.entries().empty()) {
        error(labels, path, "must be a mapping of labels to the values that are bound");
        return std::nullopt;
    }
    Condition condition;
    bool is_good = true;
    for (yaml::Entry const& entry : labels.entries()) {
        Condition::Test test{entry.key, {}};
        auto const add = [&](Node const& value) {
            if (value.is_boolean()) {
                test.values.emplace_back(value.as_boolean());
            } else if (value.is_integer()) {
                test.values.emplace_back(value.as_integer());
            } else if (value.is_number()) {
                test.values.emplace_back(value.as_number());
            } else if (value.is_string()) {
                test.values.emplace_back(value.text());
            } else {
                is_good = false;
                error(value, yaml::join_key(path, entry.key),
                      "must be a string, a number, true or false, or a list of these");
            }
        };
        if (entry.value.is_sequence()) {
            for (Node const& item : entry.value.items())
                add(item);
        } else {
            add(entry.value);
        }
        if (entry.value.is_sequence() && entry.value.items().empty()) {
            is_good = false;
            error(entry.value, yaml::join_key(path, entry.key), "binds nobody: the list is empty");
        }
        label_names_.insert(entry.key);
        condition.tests.push_back(std::move(test));
    }
    std::string key;
    if (!is_good || !append_json(key, labels)) return std::nullopt;
    auto const number = static_cast<std::uint32_t>(program_.conditions.size());
    auto const [known, is_new] = condition_numbers_.emplace(std::move(key), number);
    if (is_new) program_.conditions.push_back(std::move(condition));
    return known->second;
}

void SchemaCompiler::keyword_items(Draft& draft, Node const& value, std::string const& path) {
    // With prefixItems beside it both are one list, made here.
    ItemList list;
    ++descents_;
    if (Node const* const prefix = draft.schema->find("prefixItems");
        prefix != nullptr && prefix->is_sequence()) {
        std::string const prefix_path = yaml::join_key(draft.place.path, "prefixItems");
        for (std::size_t i = 0; i < prefix->items().size(); ++i) {
            Place place = inside(draft, "prefixItems", yaml::join_index(prefix_path, i));
            place.pointer += '/' + std::to_string(i);
            list.prefix.push_back(compile_node(prefix->items()[i], place).node);
        }
    }
    if (draft.schema->find("items") != nullptr) {
        list.rest = compile_node(value, inside(draft, "items", path)).node;
    }
    --descents_;
    program_.item_lists.push_back(std::move(list));
    draft.array.push_back({Op::items, no_rule, program_.item_lists.size() - 1});
}

void SchemaCompiler::keyword_prefix_items(Draft& draft, Node const& value,
                                          std::string const& path) {
    if (!value.is_sequence() || value.items().empty()) {
        return error(value, path, "must be a list of at least one schema");
    }
    if (draft.schema->find("items") == nullptr) keyword_items(draft, value, path);
}

// Called for the first of properties, required, additionalProperties and dependentRequired: takes
// them all.
void SchemaCompiler::keyword_members(Draft& draft, Node const& value, std::string const& path) {
    (void)value;
    (void)path;
    auto const is_members = [](Instruction const& one) { return one.op == Op::members; };
    if (std::any_of(draft.object.begin(), draft.object.end(), is_members)) return;
    auto const number = program_.member_tables.size();
    draft.object.push_back({Op::members, no_rule, number});
    program_.member_tables.emplace_back();
    MemberTable table;
    auto const child = [&draft](std::string_view keyword) { return draft.schema->find(keyword); };
    auto const child_path = [&draft](std::string_view keyword) {
        return yaml::join_key(draft.place.path, keyword);
    };
    if (Node const* const properties = child("properties"); properties != nullptr) {
        compile_properties(draft, table, *properties, child_path("properties"));
    }
    if (Node const* const required = child("required"); required != nullptr) {
        compile_required(draft, table, *required, child_path("required"));
    }
    if (Node const* const dependent = child("dependentRequired"); dependent != nullptr) {
        compile_dependencies(draft, table, *dependent, child_path("dependentRequired"));
    }
    if (Node const* const additional = child("additionalProperties"); additional != nullptr) {
        if (additional->is_boolean()) {
            if (!additional->as_boolean()) {
                table.additional_rule = add_rule(draft, "additionalProperties", "false",
                                                 "is not a member that the contract allows");
            }
        } else {
            ++descents_;
            table.additional = compile_node(*additional, inside(draft, "additionalProperties",
                                                                child_path("additionalProperties")))
                                   .node;
            --descents_;
        }
    }
    build_slots(table);
    program_.member_tables[number] = std::move(table);
}

void SchemaCompiler::compile_properties(Draft& draft, MemberTable& table, Node const& value,
                                        std::string const& path) {
    if (!value.is_mapping()) return error(value, path, "must be a mapping of schemas");
    table.has_properties = true;
    ++declaring_;
    ++descents_;
    for (yaml::Entry const& entry : value.entries()) {
        Place place = inside(draft, "properties", yaml::join_key(path, entry.key));
        place.pointer += '/' + escape_token(entry.key);
        place.member = entry.key;
        Compiled const compiled = compile_node(entry.value, place);
        Member& member = table.members[mention(table, entry.key)];
        member.node = compiled.node;
        member.is_declared = true;
        member.is_deprecated = compiled.is_deprecated;
    }
    --descents_;
}

void SchemaCompiler::compile_required(Draft& draft, MemberTable& table, Node const& value,
                                      std::string const& path) {
    if (!value.is_sequence()) return error(value, path, "must be a list of member names");
    table.required_rule = add_rule(draft, "required", "", "is required");
    for (std::size_t i = 0; i < value.items().size(); ++i) {
        Node const& item = value.items()[i];
        if (!item.is_string()) {
            error(item, yaml::join_index(path, i), "must be a member name");
            continue;
        }
        auto const member = mention(table, item.text());
        if (std::find(table.required.begin(), table.required.end(), member)
            != table.required.end()) {
            error(item, yaml::join_index(path, i), "stands here twice");
            continue;
        }
        table.required.push_back(member);
    }
}

void SchemaCompiler::compile_dependencies(Draft& draft, MemberTable& table, Node const& value,
                                          std::string const& path) {
    if (!value.is_mapping()) {
        return error(value, path, "must be a mapping of member names to lists of member names");
    }
    auto const rule = add_rule(draft, "dependentRequired", "", "is required");
    for (yaml::Entry const& entry : value.entries()) {
        std::string const at = yaml::join_key(path, entry.key);
        if (!entry.value.is_sequence()) {
            error(entry.value, at, "must be a list of member names");
            continue;
        }
        Dependency dependency;
        dependency.trigger = mention(table, entry.key);
        dependency.rule = rule;
        for (std::size_t i = 0; i < entry.value.items().size(); ++i) {
            Node const& item = entry.value.items()[i];
            if (!item.is_string()) {
                error(item, yaml::join_index(at, i), "must be a member name");
                continue;
            }
            dependency.needed.push_back(mention(table, item.text()));
        }
        table.dependencies.push_back(std::move(dependency));
    }
}

} // namespace sallyport::contract
