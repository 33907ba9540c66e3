// Compiles schemas: the walk, rules and problems. Keywords: compile_keywords.cpp and
// compile_structure.cpp.
#include "gateway/contract/schema/compile.h"

#include "config/text.h"

#include <algorithm>
#include <array>
#include <limits>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

// Rules of earlier drafts, and what replaced them.
struct OlderKeyword {
    std::string_view name;
    std::string_view hint;
};
constexpr std::array older_keywords{
    OlderKeyword{"additionalItems", "write items, and prefixItems in place of a list of items"},
    OlderKeyword{"dependencies", "write dependentRequired or dependentSchemas"},
    OlderKeyword{"disallow", "write not"},
    OlderKeyword{"divisibleBy", "write multipleOf"},
    OlderKeyword{"extends", "write allOf"},
    OlderKeyword{"$recursiveRef", "write $dynamicRef"},
};

} // namespace

void SchemaCompiler::error(Node const& node, std::string const& path, std::string what,
                           std::string hint) {
    problems_.add(node, path, std::move(what), std::move(hint));
}

// A schema that consists of a `$ref` is replaced by its target: rule pointers do not begin with a
// `$ref` step.
SchemaCompiler::Node const* SchemaCompiler::enter_root(Node const& schema, Place& place) {
    Node const* root = &schema;
    constexpr std::array beside{std::string_view{"description"}, std::string_view{"title"},
                                std::string_view{"x-source"}};
    for (std::size_t steps = 0; steps < 16 && root->is_mapping(); ++steps) {
        Node const* const reference = root->find("$ref");
        auto const is_alone = [&beside](yaml::Entry const& entry) {
            return entry.key == "$ref"
                   || std::find(beside.begin(), beside.end(), entry.key) != beside.end();
        };
        if (reference == nullptr || !reference->is_string()
            || !std::all_of(root->entries().begin(), root->entries().end(), is_alone)) {
            break;
        }
        auto const resolved = documents_.resolve(*place.resource, reference->text());
        if (!resolved.target) break;
        Node const* const source = root->find("x-source");
        if (source != nullptr && source->is_string()) place.source = source->text();
        root = resolved.target->node;
        place.path = resolved.target->path;
        place.resource = resolved.target->resource;
        place.scope = enter(place.scope, *place.resource);
    }
    return root;
}

BodySchema SchemaCompiler::compile(Target const& schema, SchemaUse const& use) {
    CompiledSchema compiled;
    compiled.operation = use.operation;
    compiled.side = use.side;
    compiled.first_rule = static_cast<RuleIndex>(program_.rules.size());
    side_ = use.side;
    shares_ = use.may_share && references_are_ == References::shared;
    referred_.clear();
    first_shared_ = shared_.size();
    root_ = schema.node;
    root_path_ = schema.path;
    parts_before_ = parts();
    opened_.clear();
    links_.clear();
    expansions_.clear();
    held_.clear();
    secret_marks_.clear();
    has_secret_body_ = false;
    holders_.assign(1, {use.member, !use.member.empty()});
    descents_ = 0;
    repeated_before_ = repeated_.spent(work_);
    LeftOut const left_out_before = left_out_;
    std::size_t const faults_before = problems_.faults_of_responses();
    auto const first_node = static_cast<NodeIndex>(program_.nodes.size());
    std::size_t const first_table = program_.member_tables.size();
    Place place;
    place.path = schema.path;
    place.pointer = use.pointer;
    place.source = use.source;
    place.resource = schema.resource;
    place.scope = enter(0, *schema.resource);
    Node const* const root = enter_root(*schema.node, place);
    compiled.root = compile_node(*root, place).node;
    compile_put_off();
    if (has_loop(first_node)) compiled.root = anything;
    bool const is_unsupported = is_undermined(left_out_before);
    if (is_unsupported) {
        leave_out(root_->mark(), root_path_,
                  "a schema that refers to itself depends on a rule in it that is not supported");
    }
    // Of a response whose schema has an error nothing is checked.
    bool const is_unchecked =
        is_unsupported || problems_.faults_of_responses() != faults_before;
    if (is_unchecked) compiled.root = anything;
    for (Link const& link : links_)
        if (link.to != anything) program_.nodes[link.to].is_recursive = true;
    name_secrets(schema, use);
    finish_shared(is_unsupported);
    for (NodeIndex i = first_node; i < program_.nodes.size(); ++i)
        program_.nodes[i].at_once.node = i;
    finish_members(first_table);
    compiled.end_rule =
        is_unchecked ? compiled.first_rule : static_cast<RuleIndex>(program_.rules.size());
    if (!is_unchecked) compiled.refers_to = referred_;
    program_.schemas.push_back(std::move(compiled));
    return {&program_, static_cast<std::uint32_t>(program_.schemas.size() - 1)};
}

SchemaCompiler::Place SchemaCompiler::inside(Draft const& draft, std::string_view keyword,
                                             std::string const& path) {
    Place place = draft.place;
    place.path = path;
    place.pointer += '/';
    place.pointer += keyword;
    place.whole = nullptr;
    place.is_shared = false;
    place.property = nullptr;
    place.part_of = nullptr;
    place.is_parent = false;
    return place;
}

RuleIndex SchemaCompiler::add_rule_at(Place const& place, yaml::Mark const& mark,
                                      std::string_view keyword, std::string pointer,
                                      std::string expected, std::string phrase) {
    if (place.is_for_names) phrase.insert(0, "has a name that ");
    if (place.is_for_callers) phrase += " for this caller";
    program_.rules.push_back({keyword, std::move(pointer), place.source, mark, std::move(expected),
                              std::move(phrase), place.trial != 0});
    program_.rules.back().shared = current_shared_;
    return static_cast<RuleIndex>(program_.rules.size() - 1);
}

RuleIndex SchemaCompiler::add_rule(Draft const& draft, std::string_view keyword,
                                   std::string expected, std::string phrase) {
    std::string pointer = draft.place.pointer;
    pointer += '/';
    pointer += keyword;
    Node const* const value = draft.schema->find(keyword);
    yaml::Mark const& mark = value != nullptr ? value->mark() : draft.schema->mark();
    return add_rule_at(draft.place, mark, keyword, std::move(pointer), std::move(expected),
                       std::move(phrase));
}

std::size_t SchemaCompiler::parts() const noexcept {
    return program_.rules.size() + program_.nodes.size() + 10 * program_.member_tables.size();
}

// The position of the last schema that fitted is not helpful: the problem names the whole schema,
// and its share of the total.
void SchemaCompiler::refuse_growth() {
    WithConcern const limit{problems_, Concern::requests};
    std::size_t const own = parts() - parts_before_;
    error(*root_, root_path_,
          "the contract has more than " + std::to_string(most_parts_)
              + " rules and schemas, counted at each place that a $ref leads to; "
              + std::to_string(own) + " belong to this schema",
          own > most_parts_ / 2
              ? "refer less often to schemas that refer to others"
              : "write the operations into several documents, each the contract of an API");
}

// For a keyword whose schemas are conditions: the forms of one list have one number.
std::uint32_t SchemaCompiler::trial_of(Draft const& draft) {
    return draft.place.trial != 0 ? draft.place.trial : ++trials_;
}

SchemaCompiler::Compiled SchemaCompiler::compile_node(Node const& schema, Place const& place) {
    if (is_full_) return {};
    if (parts() > most_parts_) {
        is_full_ = true;
        refuse_growth();
        return {};
    }
    if (depth_ > max_schema_depth) {
        is_full_ = true;
        WithConcern const limit{problems_, Concern::requests};
        error(schema, place.path, "schemas are nested too deeply");
        return {};
    }
    if (schema.is_boolean()) {
        if (schema.as_boolean()) return {};
        Draft draft;
        // A property or an item can be omitted, but a body that a part of its schema refuses is
        // never valid.
        bool const is_form = depth_ != 0 && descents_ == 0;
        auto const rule = add_rule_at(place, schema.mark(), "false", place.pointer, "false",
                                      is_form ? "must not match what the contract excludes"
                                              : "must not be present");
        draft.any.push_back({Op::never, rule, 0});
        program_.nodes.emplace_back();
        auto const index = static_cast<NodeIndex>(program_.nodes.size() - 1);
        finish(index, draft);
        return {index, false};
    }
    if (!schema.is_mapping()) {
        error(schema, place.path,
              "is " + std::string{yaml::name_of(schema.kind())} + ", not a schema",
              "write a mapping of keywords, true or false");
        return {};
    }
    ++depth_;
    Compiled const compiled = compile_object(schema, place);
    --depth_;
    return compiled;
}

SchemaCompiler::Compiled SchemaCompiler::compile_object(Node const& schema, Place const& place) {
    auto const index = static_cast<NodeIndex>(program_.nodes.size());
    program_.nodes.emplace_back();
    Draft draft;
    draft.place = place;
    draft.schema = &schema;
    if (Resource const* const own = documents_.resource_at(schema); own != nullptr) {
        draft.place.resource = own;
        draft.place.scope = enter(place.scope, *own);
    }
    if (is_of_unknown_dialect(draft)) return {};
    if (draft.place.whole == nullptr) {
        draft.place.whole = &schema;
        draft.place.whole_resource = draft.place.resource;
    }
    bool const is_shared =
        place.is_shared || (!shares_ && is_recursive(schema, *draft.place.resource));
    if (is_shared) {
        std::uint32_t const holder = add_holder({});
        held_.emplace_back(place.holder, holder);
        draft.place.holder = holder;
        if (recursions_++ == 0) repeated_inside_ = {};
    }
    LeftOut const left_out_before = left_out_;
    std::size_t const first_link = links_.size();
    OpenedKey const key{&schema, place.trial != 0, place.is_parent, draft.place.scope};
    opened_[key] = {index, descents_, place.trial, draft.place.holder, true, false};
    if (Node const* const source = schema.find("x-source"); source != nullptr) {
        if (source->is_string()) draft.place.source = source->text();
    }
    for (yaml::Entry const& entry : schema.entries()) {
        work_ += 1 + entry.value.items().size() + entry.value.entries().size();
        compile_keyword(draft, entry);
    }
    check_unevaluated(draft, left_out_before);
    warn_of_contradictions(draft);
    finish(index, draft);
    if (is_shared) {
        expansions_.push_back({index, has_left_out(left_out_before), first_link, links_.size()});
        --recursions_;
        opened_[key].is_open = false;
        opened_[key].is_deprecated = draft.is_deprecated;
    } else {
        opened_.erase(key);
    }
    Compiled compiled{index, draft.is_deprecated};
    bool const is_untyped = draft.types == value_bits::any && draft.number.empty()
                            && draft.string.empty() && draft.array.empty() && draft.object.empty()
                            && !draft.unevaluated_items && !draft.unevaluated_properties
                            && !draft.is_nullable;
    if (is_untyped && draft.any.empty()) compiled.node = anything;
    if (is_untyped && draft.any.size() == 1 && draft.any[0].op == Op::all_of) {
        // A schema that is only a `$ref`, or an allOf with one: its target can be checked directly.
        auto const& nodes = program_.children[static_cast<std::size_t>(draft.any[0].operand)].nodes;
        if (nodes.size() == 1) compiled.node = nodes.front();
    }
    return compiled;
}

void SchemaCompiler::compile_keyword(Draft& draft, yaml::Entry const& entry) {
    std::string const path = yaml::join_key(draft.place.path, entry.key);
    Vocabularies const vocabularies = draft.place.resource->vocabularies;
    Keyword const* const keyword = find_keyword(entry.key);
    bool const is_of_3_0 = (vocabularies & vocabulary::openapi_3_0) != 0;
    bool const is_of_2_0 = (vocabularies & vocabulary::swagger) != 0;
    if (keyword == nullptr) return unknown_keyword(entry, path);
    bool const is_list_of_forms =
        entry.key == "oneOf" || entry.key == "anyOf" || entry.key == "discriminator";
    if (draft.place.is_parent && is_list_of_forms) return;
    bool const is_annotation = keyword->handler == &SchemaCompiler::keyword_annotation;
    if (is_of_3_0 && !is_annotation) {
        bool const is_beside = entry.key != "$ref" && draft.schema->find("$ref") != nullptr;
        std::string const version = is_of_2_0 ? "Swagger 2.0" : "OpenAPI 3.0";
        switch (words_of_3_0(entry.key)) {
        case Words::of_3_0: break;
        case Words::of_later:
            if (is_beside && !is_rule_of_later_beside_ref(entry.key)) break;
            // The word has one meaning, and no other one in this version.
            problems_.add_at(entry.mark, path,
                             "the keyword " + config::in_quotes(entry.key) + " is not part of "
                                 + version + ", and is read as in OpenAPI 3.1",
                             is_of_2_0 ? "" : "write openapi: 3.1.0", yaml::Severity::warning);
            break;
        case Words::without_rules:
            return problems_.add_at(entry.mark, path,
                                    "the keyword " + config::in_quotes(entry.key)
                                        + " is not part of " + version + " and has no effect",
                                    {}, yaml::Severity::warning);
        case Words::of_references:
            return leave_out_evaluations(
                entry.mark, path,
                "the keyword " + config::in_quotes(entry.key) + " is not part of " + version,
                is_of_2_0 ? "remove it, or convert the document to OpenAPI 3.1"
                          : "write openapi: 3.1.0");
        }
        if (is_of_2_0 && !is_in_swagger_2_0(entry.key)) {
            problems_.add_at(entry.mark, path,
                             "the keyword " + config::in_quotes(entry.key)
                                 + " is not part of Swagger 2.0, and is read as in OpenAPI 3.0",
                             {}, yaml::Severity::warning);
        }
        // OpenAPI 3.0, 4.7.23: keywords beside a `$ref` are ignored. `nullable` is applied
        // nevertheless, and so are rules that only versions have in which they count: the intention
        // is clear.
        bool const is_null = keyword->handler == &SchemaCompiler::keyword_nullable;
        if (is_beside && !is_null && !is_rule_of_later_beside_ref(entry.key)) {
            if (keyword->handler == &SchemaCompiler::keyword_text) return;
            return problems_.add_at(entry.mark, path,
                                    std::string{"has no effect beside $ref in "}
                                        + (is_of_2_0 ? "Swagger 2.0" : "OpenAPI 3.0"),
                                    "write allOf around the $ref", yaml::Severity::warning);
        }
    }
    if ((vocabularies & keyword->vocabularies) != 0) {
        (this->*keyword->handler)(draft, entry.value, path);
    }
}

// JSON Schema 2020-12 core, 6.5: unknown keywords are annotations. One that was meant to be another
// keyword, or is a rule of an earlier draft, is unsupported: its rule would silently be missing.
void SchemaCompiler::unknown_keyword(yaml::Entry const& entry, std::string const& path) {
    if (entry.key.starts_with("x-")) return check_extension(entry, path);
    std::string const word = "the keyword " + config::in_quotes(entry.key);
    auto const* const older =
        std::find_if(older_keywords.begin(), older_keywords.end(),
                     [&entry](OlderKeyword const& one) { return one.name == entry.key; });
    if (older != older_keywords.end()) {
        return leave_out_evaluations(entry.mark, path, word + " is not implemented",
                                     std::string{older->hint});
    }
    auto const near = config::nearest(entry.key, keyword_names());
    std::string hint = near ? "did you mean " + config::in_quotes(*near) + "?" : std::string{};
    // What says nothing of a value is no rule that would be missing.
    constexpr std::array<std::string_view, 4> of_documents{"$schema", "$id", "$anchor",
                                                           "$vocabulary"};
    bool const is_rule = near
                         && (entry.key.front() == '$'
                             || std::find(of_documents.begin(), of_documents.end(), *near)
                                    == of_documents.end());
    if (is_rule && find_keyword(*near)->handler != &SchemaCompiler::keyword_annotation) {
        return leave_out_evaluations(entry.mark, path, word + " is not implemented",
                                     std::move(hint));
    }
    problems_.add_at(entry.mark, path, word + " is unknown and has no effect", std::move(hint),
                     yaml::Severity::warning);
}

// OpenAPI 3.1, 4.9: x- words of others are allowed.
void SchemaCompiler::check_extension(yaml::Entry const& entry, std::string const& path) {
    auto const near = config::nearest(entry.key, gateway_words);
    if (!near || !warned_words_.insert(entry.key).second) return;
    bool const is_ours = *near == entry.key;
    problems_.add_at(
        entry.mark, path,
        config::in_quotes(entry.key)
            + (is_ours ? " has no effect on a schema" : " is unknown and has no effect"),
        is_ours ? std::string{} : "did you mean " + config::in_quotes(*near) + "?",
        yaml::Severity::warning);
}

void SchemaCompiler::finish(NodeIndex index, Draft const& draft) {
    SchemaNode node;
    node.types = draft.types;
    node.is_nullable = draft.is_nullable;
    node.is_tracker = draft.unevaluated_items || draft.unevaluated_properties;
    node.type_rule = draft.type_rule;
    auto const append = [this](std::vector<Instruction> const& group) {
        auto const begin = static_cast<std::uint32_t>(program_.instructions.size());
        program_.instructions.insert(program_.instructions.end(), group.begin(), group.end());
        return begin;
    };
    node.any = append(draft.any);
    node.number = append(draft.number);
    node.string = append(draft.string);
    node.array = append(draft.array);
    if (draft.unevaluated_items) program_.instructions.push_back(*draft.unevaluated_items);
    node.object = append(draft.object);
    if (draft.unevaluated_properties) {
        program_.instructions.push_back(*draft.unevaluated_properties);
    }
    node.end = static_cast<std::uint32_t>(program_.instructions.size());
    find_range(draft, node);
    find_first_look(draft, node);
    program_.nodes[index] = node;
}

// Fills in the fields for first_look.h.
void SchemaCompiler::find_first_look(Draft const& draft, SchemaNode& node) const {
    auto const of = [](std::vector<Instruction> const& group, Op op) -> Instruction const* {
        auto const found = std::find_if(group.begin(), group.end(),
                                        [op](Instruction const& one) { return one.op == op; });
        return found != group.end() ? &*found : nullptr;
    };
    Instruction const* const members = of(draft.object, Op::members);
    if (members != nullptr) node.members = static_cast<std::uint32_t>(members->operand);
    Instruction const* const items = of(draft.array, Op::items);
    ItemList const* const list = items != nullptr ? &program_.item_lists[items->operand] : nullptr;
    bool const are_alike = list != nullptr && list->prefix.empty();
    if (are_alike) node.items = list->rest;
    if (!draft.any.empty() || node.is_tracker) return;

    bool const takes_objects = (node.types & value_bits::object) != 0;
    bool const takes_arrays = (node.types & value_bits::array) != 0;
    node.passes_by_members = takes_objects
                             && (draft.object.empty()
                                 || (draft.object.size() == 1 && members != nullptr
                                     && program_.member_tables[members->operand].is_plain));
    node.passes_by_items =
        takes_arrays && (draft.array.empty() || (draft.array.size() == 1 && are_alike));
    unsigned kinds = value_bits::null | value_bits::boolean;
    if (draft.number.empty()) kinds |= value_bits::number | value_bits::integer;
    if (draft.string.empty()) kinds |= value_bits::string;
    if (draft.array.empty()) kinds |= value_bits::array;
    if (draft.object.empty()) kinds |= value_bits::object;
    node.at_once.kinds = static_cast<std::uint8_t>(kinds & node.types);
    if (node.is_range && (node.types & value_bits::integer) != 0) {
        node.at_once.lowest = node.lowest;
        node.at_once.highest = node.highest;
    }
}

void SchemaCompiler::find_range(Draft const& draft, SchemaNode& node) const {
    node.is_range = true;
    for (Instruction const& instruction : draft.number) {
        bool const is_bound = instruction.op == Op::minimum || instruction.op == Op::maximum
                              || instruction.op == Op::exclusive_minimum
                              || instruction.op == Op::exclusive_maximum;
        if (!is_bound) {
            node.is_range = false;
            return;
        }
        auto const& bound = program_.numbers[static_cast<std::size_t>(instruction.operand)];
        // An exclusive bound at the end of the 64-bit range leaves no 64-bit integer.
        bool const has_next = bound.whole != std::numeric_limits<std::int64_t>::min()
                              && bound.whole != std::numeric_limits<std::int64_t>::max();
        if (!bound.is_whole || !has_next) {
            node.is_range = false;
            return;
        }
        switch (instruction.op) {
        case Op::minimum: node.lowest = std::max(node.lowest, bound.whole); break;
        case Op::maximum: node.highest = std::min(node.highest, bound.whole); break;
        case Op::exclusive_minimum: node.lowest = std::max(node.lowest, bound.whole + 1); break;
        default: node.highest = std::min(node.highest, bound.whole - 1);
        }
    }
}

} // namespace sallyport::contract
