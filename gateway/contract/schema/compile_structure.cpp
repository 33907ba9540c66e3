// Keywords that contain schemas: in place, for items, for properties, for callers.
#include "gateway/contract/schema/compile.h"

#include "config/text.h"
#include "gateway/contract/schema/constants.h"

#include <algorithm>
#include <array>
#include <map>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

[[nodiscard]] std::string phrase_of_forms(std::string_view how_many, std::size_t count) {
    if (count == 1) return "must match the one form of the contract";
    return "must match " + std::string{how_many} + " one of the " + std::to_string(count)
           + " forms of the contract";
}

// Whether a keyword has no effect on validation.
[[nodiscard]] bool is_without_rules(std::string_view keyword) noexcept {
    constexpr std::array without_rules{"title",   "description", "$comment",   "default",
                                       "example", "examples",    "deprecated", "externalDocs"};
    return std::find(without_rules.begin(), without_rules.end(), keyword) != without_rules.end();
}

// Whether every value is valid for the form: it has no rules, or only for properties that are not
// required.
[[nodiscard]] bool takes_every_value(yaml::Node const& form) noexcept {
    return form.is_mapping()
           && std::all_of(form.entries().begin(), form.entries().end(),
                          [](yaml::Entry const& entry) {
                              bool const is_empty = entry.value.is_mapping()
                                                    && entry.value.entries().empty()
                                                    && entry.key == "properties";
                              return is_empty || is_without_rules(entry.key);
                          });
}

// Appends JSON with its properties sorted, so that equal schemas have one text. At the outermost
// level keywords without effect on validation are omitted.
void append_ordered(std::string& out, yaml::Node const& node, bool is_outermost) {
    if (node.is_sequence()) {
        out += '[';
        for (yaml::Node const& item : node.items()) {
            append_ordered(out, item, false);
            out += ',';
        }
        out += ']';
        return;
    }
    if (!node.is_mapping()) {
        if (!append_json(out, node)) out += node.text();
        return;
    }
    std::vector<yaml::Entry const*> entries;
    for (yaml::Entry const& entry : node.entries()) {
        if (!is_outermost || !is_without_rules(entry.key)) entries.push_back(&entry);
    }
    std::sort(entries.begin(), entries.end(),
              [](auto const* left, auto const* right) { return left->key < right->key; });
    out += '{';
    for (yaml::Entry const* const entry : entries) {
        append_json_string(out, entry->key);
        out += ':';
        append_ordered(out, entry->value, false);
        out += ',';
    }
    out += '}';
}

} // namespace

// Warns of forms of a oneOf for which each value of one is certainly valid for another: no value
// could match exactly one. Certain are equal schemas, one schema through several `$ref`s, and
// schemas that accept every value.
void SchemaCompiler::warn_of_equal_forms(Draft const& draft, Node const& forms,
                                         Children const& children, std::string const& path) {
    std::map<std::string, std::size_t> known;
    for (std::size_t i = 0; i < forms.items().size(); ++i) {
        Node const& form = forms.items()[i];
        std::string const at = yaml::join_index(path, i);
        std::string text;
        append_ordered(text, form, true);
        Node const* const reference = form.find("$ref");
        // Only a `$ref`.
        std::string alone = "{\"$ref\":";
        bool is_open = children.nodes[i] == anything || takes_every_value(form);
        if (reference != nullptr && reference->is_string() && append_json(alone, *reference)
            && text == alone + ",}") {
            auto const resolved = documents_.resolve(*draft.place.resource, reference->text());
            if (resolved.target) {
                text = "$ref " + resolved.target->path; // two references may have one target
                is_open = is_open || takes_every_value(*resolved.target->node);
            }
        }
        if (is_open && forms.items().size() > 1) {
            problems_.add(form, at, "accepts every value, so that values of other forms match two",
                          "write anyOf, or a rule that distinguishes this form",
                          yaml::Severity::warning);
            continue;
        }
        auto const [first, is_new] = known.emplace(std::move(text), i);
        if (is_new) continue;
        problems_.add(form, at,
                      "is the same form as " + yaml::join_index(path, first->second)
                          + ": no value matches exactly one of the two",
                      "remove one of them", yaml::Severity::warning);
    }
}

std::optional<std::uint64_t> SchemaCompiler::compile_list(Draft& draft, Node const& value,
                                                          std::string_view keyword,
                                                          std::string const& path) {
    if (!value.is_sequence() || value.items().empty()) {
        error(value, path, "must be a list of at least one schema");
        return std::nullopt;
    }
    Children children;
    std::size_t const before = declaring_;
    std::uint32_t const trial = keyword == "allOf" ? draft.place.trial : trial_of(draft);
    LeftOut const left_out_before = left_out_;
    for (std::size_t i = 0; i < value.items().size(); ++i) {
        Place place = inside(draft, keyword, yaml::join_index(path, i));
        place.pointer += '/' + std::to_string(i);
        place.trial = trial;
        place.is_exact = place.is_exact || keyword == "oneOf";
        if (keyword == "allOf") {
            place.whole = draft.place.whole;
            place.part_of = draft.schema;
        }
        children.nodes.push_back(compile_node(value.items()[i], place).node);
    }
    children.declares = declaring_ != before;
    if (keyword == "oneOf" && !has_left_out(left_out_before)) {
        warn_of_equal_forms(draft, value, children, path);
    }
    if (keyword != "allOf") children.discriminator = compile_discriminator(draft, value);
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
        add_rule(draft, "anyOf", "", phrase_of_forms("at least", value.items().size()));
    draft.any.push_back({Op::any_of, rule, *list});
}

void SchemaCompiler::keyword_one_of(Draft& draft, Node const& value, std::string const& path) {
    LeftOut const left_out_before = left_out_;
    auto const list = compile_list(draft, value, "oneOf", path);
    if (!list) return;
    if (has_left_out(left_out_before)) {
        leave_out_around(draft, "oneOf");
        auto const at_least =
            add_rule(draft, "oneOf", "", phrase_of_forms("at least", value.items().size()));
        draft.any.push_back({Op::any_of, at_least, *list});
        return;
    }
    auto const rule =
        add_rule(draft, "oneOf", "", phrase_of_forms("exactly", value.items().size()));
    draft.any.push_back({Op::one_of, rule, *list});
}

void SchemaCompiler::keyword_not(Draft& draft, Node const& value, std::string const& path) {
    Place place = inside(draft, "not", path);
    place.trial = trial_of(draft);
    place.is_exact = true;
    LeftOut const left_out_before = left_out_;
    NodeIndex const node = compile_node(value, place).node;
    if (has_left_out(left_out_before)) return leave_out_around(draft, "not");
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
    place.trial = trial_of(draft);
    place.is_exact = true;
    LeftOut const left_out_before = left_out_;
    conditional.if_node = compile_node(value, place).node;
    if (has_left_out(left_out_before)) return leave_out_around(draft, "if");
    if (Node const* const then_schema = draft.schema->find("then"); then_schema != nullptr) {
        conditional.then_node =
            compile_node(*then_schema, inside(draft, "then", yaml::join_key(parent, "then"))).node;
    }
    if (Node const* const else_schema = draft.schema->find("else"); else_schema != nullptr) {
        conditional.else_node =
            compile_node(*else_schema, inside(draft, "else", yaml::join_key(parent, "else"))).node;
    }
    // Without them there is no rule, but what `if` evaluates may count.
    bool const is_without_rules =
        conditional.then_node == anything && conditional.else_node == anything;
    if (is_without_rules && !documents_.mentions_unevaluated()) return;
    program_.conditionals.push_back(conditional);
    draft.any.push_back({Op::condition, no_rule, program_.conditionals.size() - 1});
}

void SchemaCompiler::keyword_with_if(Draft& draft, Node const& value, std::string const& path) {
    // JSON Schema 2020-12 core, 10.2.2: without `if` they have no effect, which is probably a
    // mistake.
    if (draft.schema->find("if") == nullptr) {
        problems_.add(value, path, "has no effect without if", "write if, or remove it",
                      yaml::Severity::warning);
    }
}

void SchemaCompiler::keyword_definitions(Draft& draft, Node const& value, std::string const& path) {
    if (!value.is_mapping()) return error(value, path, "must be a mapping of schemas");
    // Definitions are compiled at their references. Those without a reference are compiled into a
    // program that is dropped, so that errors in them are reported before they are used.
    for (yaml::Entry const& entry : value.entries()) {
        if (documents_.is_target(entry.value) || !documents_.is_unchecked(entry.value)) continue;
        Program dropped;
        SchemaCompiler compiler{documents_, dropped, problems_};
        std::swap(compiler.warned_words_, warned_words_); // with warnings so far
        auto reached = problems_.exchange_reached({});    // no request leads there
        SchemaUse use;
        use.member = entry.key; // for secrets marked in it
        use.side = side_;
        (void)compiler.compile(
            {&entry.value, yaml::join_key(path, entry.key), draft.place.resource}, use);
        (void)problems_.exchange_reached(std::move(reached));
        std::swap(compiler.warned_words_, warned_words_);
    }
}

void SchemaCompiler::keyword_items(Draft& draft, Node const& value, std::string const& path) {
    // `items` and `prefixItems` are compiled into one list.
    ItemList list;
    ++descents_;
    auto const add_prefix = [&](Node const& schemas, std::string_view keyword) {
        std::string const prefix_path = yaml::join_key(draft.place.path, keyword);
        for (std::size_t i = 0; i < schemas.items().size(); ++i) {
            Place place = inside(draft, keyword, yaml::join_index(prefix_path, i));
            place.pointer += '/' + std::to_string(i);
            list.prefix.push_back(compile_node(schemas.items()[i], place).node);
        }
    };
    if (Node const* const prefix = draft.schema->find("prefixItems");
        prefix != nullptr && prefix->is_sequence()) {
        add_prefix(*prefix, "prefixItems");
    }
    Node const* const items = draft.schema->find("items");
    // JSON Schema draft 4, which Swagger 2.0 follows: a list in place of `prefixItems`.
    bool const is_of_2_0 = (draft.place.resource->vocabularies & vocabulary::swagger) != 0;
    if (items != nullptr && is_of_2_0 && items->is_sequence()) {
        add_prefix(*items, "items");
    } else if (items != nullptr) {
        list.rest = compile_node(value, inside(draft, "items", path)).node;
        list.has_rest = true;
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

void SchemaCompiler::keyword_contains(Draft& draft, Node const& value, std::string const& path) {
    Contains contains;
    Place place = inside(draft, "contains", path);
    place.trial = trial_of(draft);
    place.is_exact = place.is_exact || draft.schema->find("maxContains") != nullptr;
    LeftOut const left_out_before = left_out_;
    ++descents_;
    contains.node = compile_node(value, place).node;
    --descents_;
    bool const is_incomplete = has_left_out(left_out_before);
    bool const has_counts = (draft.place.resource->vocabularies & vocabulary::validation) != 0;
    auto const bound = [&](std::string_view keyword) -> std::optional<std::uint64_t> {
        Node const* const count = has_counts ? draft.schema->find(keyword) : nullptr;
        if (count == nullptr) return std::nullopt;
        return count_of(*count, yaml::join_key(draft.place.path, keyword));
    };
    auto const items = [](std::uint64_t count) {
        return std::to_string(count) + (count == 1 ? " item" : " items")
               + " of the form that the contract requires";
    };
    auto const least = bound("minContains");
    contains.least = least.value_or(1);
    contains.least_rule =
        add_rule(draft, least ? "minContains" : "contains", least ? std::to_string(*least) : "",
                 "must contain at least " + items(contains.least));
    if (!least) contains.own_rule = contains.least_rule;
    auto const most = bound("maxContains");
    if (most && is_incomplete) {
        leave_out_around(draft, "maxContains");
    } else if (most) {
        contains.most = *most;
        contains.most_rule = add_rule(draft, "maxContains", std::to_string(*most),
                                      "must contain at most " + items(*most));
    }
    bool const is_without_rules = contains.least == 0 && contains.most_rule == no_rule;
    if (is_without_rules && !documents_.mentions_unevaluated()) return;
    program_.contains.push_back(contains);
    draft.array.push_back({Op::contains, no_rule, program_.contains.size() - 1});
}

void SchemaCompiler::keyword_with_contains(Draft& draft, Node const& value,
                                           std::string const& path) {
    // JSON Schema 2020-12 validation, 6.4.4: without `contains` they have no effect.
    if (draft.schema->find("contains") != nullptr) return;
    (void)count_of(value, path);
    problems_.add(value, path, "has no effect without contains", "write contains, or remove it",
                  yaml::Severity::warning);
}

Instruction SchemaCompiler::compile_unevaluated(Draft& draft, Node const& value,
                                                std::string_view keyword, Op op,
                                                std::string const& path) {
    Unevaluated unevaluated;
    if (value.is_boolean() && !value.as_boolean()) {
        unevaluated.rule =
            add_rule(draft, keyword, "false",
                     op == Op::unevaluated_items ? "is not an item that the contract allows"
                                                 : "is not a property that the contract allows");
    } else {
        ++descents_;
        unevaluated.node = compile_node(value, inside(draft, keyword, path)).node;
        --descents_;
    }
    program_.unevaluated.push_back(unevaluated);
    return {op, no_rule, program_.unevaluated.size() - 1};
}

void SchemaCompiler::keyword_unevaluated_items(Draft& draft, Node const& value,
                                               std::string const& path) {
    draft.unevaluated_items =
        compile_unevaluated(draft, value, "unevaluatedItems", Op::unevaluated_items, path);
}

void SchemaCompiler::keyword_unevaluated_properties(Draft& draft, Node const& value,
                                                    std::string const& path) {
    draft.unevaluated_properties = compile_unevaluated(draft, value, "unevaluatedProperties",
                                                       Op::unevaluated_properties, path);
}

} // namespace sallyport::contract
