// Keywords that OpenAPI and the gateway add to JSON Schema: discriminator, nullable, readOnly,
// x-when and the like.
#include "gateway/contract/schema/compile.h"

#include "config/text.h"
#include "gateway/contract/evaluate/names.h"
#include "gateway/contract/schema/constants.h"

#include <algorithm>
#include <array>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

// Further kinds are not listed in a message.
constexpr std::size_t most_kinds = 16;

// Lists each kind once, in the order of the forms.
void describe_kinds(Discriminator& discriminator, std::vector<std::string> const& kinds) {
    std::vector<std::string> texts;
    for (std::string const& kind : kinds) {
        std::string text;
        append_json_string(text, kind);
        if (std::find(texts.begin(), texts.end(), text) == texts.end())
            texts.push_back(std::move(text));
    }
    discriminator.expected = "[";
    for (std::string const& text : texts)
        discriminator.expected += (discriminator.expected.size() == 1 ? "" : ",") + text;
    discriminator.expected += ']';
    std::vector<std::string_view> words{texts.begin(), texts.end()};
    std::string const rest = words.size() <= most_kinds
                                 ? ""
                                 : std::to_string(words.size() - most_kinds) + " other kinds";
    if (!rest.empty()) {
        words.resize(most_kinds);
        words.push_back(rest);
    }
    discriminator.phrase = "must be " + config::list_of(words);
}

} // namespace

// Swagger 2.0, Schema Object: keywords of 3.0 that it does not have.
bool SchemaCompiler::is_in_swagger_2_0(std::string_view name) {
    constexpr std::array others{
        std::string_view{"anyOf"},    std::string_view{"deprecated"}, std::string_view{"not"},
        std::string_view{"nullable"}, std::string_view{"oneOf"},      std::string_view{"writeOnly"},
    };
    return std::find(others.begin(), others.end(), name) == others.end();
}

void SchemaCompiler::keyword_nullable(Draft& draft, Node const& value, std::string const& path) {
    draft.is_nullable = read_flag(value, path);
    if ((draft.place.resource->vocabularies & vocabulary::openapi_3_0) != 0) return;
    problems_.add(value, path,
                  std::string{"is not part of JSON Schema 2020-12"}
                      + (draft.is_nullable ? "; null passes, as in 3.0" : ", and has no effect"),
                  draft.is_nullable ? "write type: [..., \"null\"]" : "remove it",
                  yaml::Severity::warning);
}

void SchemaCompiler::keyword_read_only(Draft& draft, Node const& value, std::string const& path) {
    keyword_flag(draft, value, path);
    if (!value.as_boolean() || side_ != CompiledSchema::Side::request) return;
    // Off by default; see levels.h.
    auto const rule = add_rule(draft, "readOnly", "true", "is set only by the server");
    program_.rules[rule].is_read_only = true;
    draft.any.push_back({Op::read_only, rule, 0});
}

void SchemaCompiler::keyword_discriminator(Draft& draft, Node const& value,
                                           std::string const& path) {
    // Compiled with anyOf and oneOf. Without them it lists subschemas. It decides nothing but which
    // violations are reported: whatever is wrong with it is a warning.
    auto const warn = [this](Node const& node, std::string at, std::string what) {
        problems_.add(node, std::move(at), std::move(what), {}, yaml::Severity::warning);
    };
    // Swagger 2.0: the name itself.
    bool const is_of_2_0 = (draft.place.resource->vocabularies & vocabulary::swagger) != 0;
    if (is_of_2_0 && value.is_string()) return;
    Node const* const name = value.find("propertyName");
    if (name == nullptr || !name->is_string()) {
        return warn(value, path, "has no propertyName, and so no effect");
    }
    Node const* const mapping = value.find("mapping");
    if (mapping != nullptr && !mapping->is_mapping()) {
        warn(*mapping, yaml::join_key(path, "mapping"), "is not a mapping of values to schemas");
    } else if (mapping != nullptr) {
        check_mapping(draft, *mapping, yaml::join_key(path, "mapping"));
    }
    if (Node const* const fallback = value.find("defaultMapping"); fallback != nullptr)
        check_mapping_target(draft, *fallback, yaml::join_key(path, "defaultMapping"));
    for (yaml::Entry const& entry : value.entries()) {
        if (entry.key == "propertyName" || entry.key == "mapping" || entry.key == "defaultMapping"
            || entry.key.rfind("x-", 0) == 0) {
            continue;
        }
        problems_.add_at(entry.mark, yaml::join_key(path, entry.key),
                         config::in_quotes(entry.key) + " of a discriminator is unknown",
                         "write propertyName or mapping", yaml::Severity::warning);
    }
}

// OpenAPI 3.2, 4.25.3: the name of a component, or a reference.
void SchemaCompiler::check_mapping_target(Draft const& draft, Node const& value,
                                          std::string const& path) {
    Node const* const components = documents_.main().root->find("components");
    Node const* const schemas = components != nullptr ? components->find("schemas") : nullptr;
    std::string const& target = value.text();
    bool const is_schema = (schemas != nullptr && schemas->find(target) != nullptr)
                           || documents_.resolve(*draft.place.resource, target).target;
    if (value.is_string() && is_schema) return;
    problems_.add(value, path,
                  (value.is_string() ? config::in_quotes(target) : std::string{"this"})
                      + " is no schema, and has no effect",
                  "write the name of one of components.schemas, or a reference to one",
                  yaml::Severity::warning);
}

void SchemaCompiler::check_mapping(Draft const& draft, Node const& mapping,
                                   std::string const& path) {
    for (yaml::Entry const& entry : mapping.entries())
        check_mapping_target(draft, entry.value, yaml::join_key(path, entry.key));
}

// The values that a form allows for its property, by const or enum; empty: any, as far as is known.
std::vector<std::string> SchemaCompiler::kinds_of(Node const& form, Resource const& resource,
                                                  std::string const& member) {
    std::vector<std::string> kinds;
    auto const take = [&kinds](Node const& schema, Resource const&) {
        Node const* const only = schema.find("const");
        Node const* const listed = schema.find("enum");
        if (only != nullptr && only->is_string()) {
            kinds.push_back(only->text());
        } else if (listed != nullptr) {
            for (Node const& one : listed->items())
                if (one.is_string()) kinds.push_back(one.text());
        }
        return !kinds.empty();
    };
    (void)any_in_place(form, resource, [&](Node const& schema, Resource const& within) {
        Node const* const properties = schema.find("properties");
        Node const* const value = properties != nullptr ? properties->find(member) : nullptr;
        return value != nullptr && any_in_place(*value, within, take);
    });
    return kinds;
}

std::uint32_t SchemaCompiler::compile_discriminator(Draft const& draft, Node const& forms) {
    Node const* const value = draft.schema->find("discriminator");
    Node const* const name = value != nullptr ? value->find("propertyName") : nullptr;
    bool const is_known = (draft.place.resource->vocabularies & vocabulary::openapi) != 0
                          && name != nullptr && name->is_string();
    if (!is_known) return no_discriminator;
    Discriminator discriminator;
    discriminator.member = name->text();
    std::vector<std::string> kinds;
    Node const* const mapping = value->find("mapping");
    Node const* const fallback = value->find("defaultMapping"); // OpenAPI 3.2, 4.25.1
    for (std::uint32_t i = 0; i < forms.items().size(); ++i) {
        Node const* const reference = forms.items()[i].find("$ref");
        if (reference == nullptr) continue;
        std::string const& target = reference->text();
        std::string const short_name = target.substr(target.rfind('/') + 1);
        bool const is_fallback =
            fallback != nullptr && (fallback->text() == target || fallback->text() == short_name);
        if (is_fallback && discriminator.fallback == SIZE_MAX) discriminator.fallback = i;
        // The name of a schema selects it, and so do the names of the mapping.
        discriminator.forms.emplace_back(short_name, i);
        std::vector<std::string> mapped;
        if (mapping != nullptr) {
            for (yaml::Entry const& entry : mapping->entries()) {
                if (entry.value.text() == target || entry.value.text() == short_name) {
                    mapped.push_back(entry.key);
                }
            }
        }
        // The values that its own rules allow take precedence over its name.
        auto own = kinds_of(forms.items()[i], *draft.place.resource, discriminator.member);
        for (auto const& kind : mapped)
            discriminator.forms.emplace_back(kind, i);
        for (auto const& kind : own)
            discriminator.forms.emplace_back(kind, i);
        if (own.empty()) own = mapped.empty() ? std::vector{short_name} : std::move(mapped);
        kinds.insert(kinds.end(), own.begin(), own.end());
    }
    if (discriminator.forms.empty()) return no_discriminator;
    describe_kinds(discriminator, kinds);
    discriminator.hash = hash_name(discriminator.member);
    // The first of two forms with the same value counts.
    std::stable_sort(discriminator.forms.begin(), discriminator.forms.end(),
                     [](auto const& left, auto const& right) { return left.first < right.first; });
    program_.discriminators.push_back(std::move(discriminator));
    return static_cast<std::uint32_t>(program_.discriminators.size() - 1);
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
            error(entry.value, yaml::join_key(path, entry.key), "never applies: the list is empty");
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

} // namespace sallyport::contract
