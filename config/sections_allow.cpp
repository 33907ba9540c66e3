// `allow` and `deny` of a credential or a role: operations, APIs, tags, methods and the values of
// parameters.
#include "config/patterns.h"
#include "config/sections.h"
#include "config/text.h"
#include "gateway/text/ascii.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sallyport::config {

namespace {

constexpr std::size_t longest_value = 1024;
constexpr std::string_view label_begin = "${label:";
constexpr std::string_view label_pattern = R"(^\$\{label:[0-9A-Za-z._-]{1,64}\}$)";
constexpr std::array<std::string_view, 5> keys_of_rules{"operations", "apis", "tags", "methods",
                                                        "read_only"};

struct Draft {
    AccessRule* rule = nullptr;
    std::vector<std::string> const* apis = nullptr;
    Empty empty = Empty::refused; // a list of it: of a denial it could mean nothing, or everything
};

bool check_api(Reader& reader, Value const& value, std::string const& api,
               std::vector<std::string> const& apis) {
    // Of a configuration whose APIs could not be read nothing is known.
    if (apis.empty() || std::find(apis.begin(), apis.end(), api) != apis.end()) return true;
    std::vector<std::string_view> const names{apis.begin(), apis.end()};
    reader.refuse(value, "no API is called " + in_quotes(api), suggestion(api, names));
    return false;
}

// `API/NAME`; none: refused.
std::optional<std::pair<std::string, std::string>>
read_name_in_api(Reader& reader, Value const& item, std::string_view noun, std::string hint) {
    auto const text = reader.read_line(item, 512);
    if (!text) return std::nullopt;
    std::size_t const slash = text->find('/');
    if (slash != std::string::npos && slash != 0 && slash + 1 != text->size())
        return std::pair{text->substr(0, slash), text->substr(slash + 1)};
    reader.refuse(item, Reader::shown(item) + " is not " + std::string{noun}, std::move(hint));
    return std::nullopt;
}

void read_operations(Reader& reader, Value const& value, Draft& out) {
    for (Value const& item : reader.read_list(value, out.empty)) {
        auto name = read_name_in_api(reader, item, "an operation",
                                     "write API/operationId, or API/* for all of them");
        if (!name) continue;
        auto& [api, operation] = *name;
        if (operation == "*") {
            operation.clear();
        } else if (operation.find('*') != std::string::npos) {
            reader.refuse(item, "'*' stands for all operations of an API, not for a part of a name",
                          "write API/* or whole operationIds");
            continue;
        }
        if (!check_api(reader, item, api, *out.apis)) continue;
        out.rule->operations.push_back(
            {std::move(api), std::move(operation), lasting_origin_of(item)});
    }
}

void read_allowed_apis(Reader& reader, Value const& value, Draft& out) {
    for (Value const& item : reader.read_list(value, out.empty)) {
        auto api = reader.read_line(item, 64);
        if (!api || !check_api(reader, item, *api, *out.apis)) continue;
        out.rule->apis.push_back({std::move(*api), lasting_origin_of(item)});
    }
}

void read_tags(Reader& reader, Value const& value, Draft& out) {
    for (Value const& item : reader.read_list(value, out.empty)) {
        auto name = read_name_in_api(reader, item, "a tag of an API", "write API/TAG");
        if (!name || !check_api(reader, item, name->first, *out.apis)) continue;
        out.rule->tags.push_back(
            {std::move(name->first), std::move(name->second), lasting_origin_of(item)});
    }
}

bool is_empty_list(yaml::Node const& node) {
    return node.is_null() || (node.is_sequence() && node.items().empty());
}

void read_methods(Reader& reader, Value const& value, Draft& out) {
    if (out.empty == Empty::told && is_empty_list(*value.node))
        return static_cast<void>(reader.read_list(value, Empty::told));
    out.rule->methods_origin = lasting_origin_of(value);
    read_method_list(reader, value, out.rule->methods);
}

// The name of a label that a value is as a whole.
std::optional<std::string> label_of(std::string_view text) {
    if (!text.starts_with(label_begin) || !text.ends_with('}')) return std::nullopt;
    auto const name = text.substr(label_begin.size(), text.size() - label_begin.size() - 1);
    bool const is_name =
        !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
            return text::is_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
        });
    return is_name ? std::optional{std::string{name}} : std::nullopt;
}

// A text, with references, or a label of the credential. What a reference stands for is a text.
void read_parameter_value(Reader& reader, Value const& item, AllowedParameter& out) {
    if (item.node->is_string()) {
        std::string_view const text = item.node->text();
        if (auto label = label_of(text)) {
            out.labels.push_back(std::move(*label));
            return;
        }
        auto const at = text.find(label_begin);
        if (at != std::string_view::npos && (at == 0 || text[at - 1] != '$')) {
            reader.refuse(item, "a label has to be the whole value", "write \"${label:NAME}\"");
            return;
        }
    }
    if (auto text = reader.read_line(item, longest_value)) out.values.push_back(std::move(*text));
}

// Every key that is not in the table is a path parameter of the contract, which is not known here.
void read_parameter(Reader& reader, yaml::Entry const& entry, Value const& value, Draft& out) {
    if (auto const meant = nearest(entry.key, keys_of_rules)) {
        reader.warn(value, "taken for a path parameter of the contract",
                    "did you mean " + in_quotes(*meant) + '?');
    }
    AllowedParameter parameter;
    parameter.name = entry.key;
    parameter.origin = {entry.mark, value.path};
    bool const is_label =
        value.node->is_string() && value.node->text().starts_with(label_begin);
    if (is_label) {
        read_parameter_value(reader, value, parameter);
    } else if (!value.node->is_sequence() && !(out.empty == Empty::told && value.node->is_null())) {
        reader.refuse_type(value, "a list of the values that are allowed",
                           "write " + entry.key + ": [...]");
        return;
    } else {
        for (Value const& item : reader.read_list(value, out.empty))
            read_parameter_value(reader, item, parameter);
    }
    out.rule->parameters.push_back(std::move(parameter));
}

// `API/operationId`, `API/*`, `API/TAG`.
std::string pattern_in_api(std::string_view rest) {
    std::string const name = name_pattern();
    return name.substr(0, name.size() - 1) + '/' + std::string{rest} + '$';
}

// `fewest`: elements of a list.
KeyInfo info_of_parameters(std::int64_t fewest) {
    auto value = text_shape(longest_value, '(' + text_pattern() + ")|(" + std::string{label_pattern}
                                               + ')');
    auto label = text_shape(longest_value, std::string{label_pattern});
    label.references = References::not_read;
    return {"PARAMETER", either_shape(list_shape(std::move(value), fewest), std::move(label)),
            "a path parameter of the contract, by its name: its values, of which ${label:NAME} is "
            "that of a label of the credential"};
}

std::vector<Key<Draft>> keys_of_allow_and_deny(std::int64_t fewest) {
    std::vector<Key<Draft>> keys;
    keys.push_back(custom_key<Draft>(
        {"operations", list_shape(text_shape(512, pattern_in_api(R"((\*|[^*]+))")), fewest),
         "API/operationId, or API/* for all of an API"},
        read_operations));
    keys.push_back(custom_key<Draft>({"apis", list_shape(text_shape(64, name_pattern()), fewest),
                                      "whole APIs, those without a contract too"},
                                     read_allowed_apis));
    keys.push_back(custom_key<Draft>({"tags",
                                      list_shape(text_shape(512, pattern_in_api(".+")), fewest),
                                      "API/TAG: operations that have the tag in the contract"},
                                     read_tags));
    keys.push_back(custom_key<Draft>(
        {"methods", methods_shape(), "methods; GET is HEAD too; without it: any"}, read_methods));
    return keys;
}

std::vector<WordInfo> const& words_of_read_only() {
    static std::vector<WordInfo> const words{{"true"}};
    return words;
}

Section<Draft> const& allow_section() {
    static Section<Draft> const section{
        "allow",
        [] {
            auto keys = keys_of_allow_and_deny(0);
            keys.push_back(custom_key<Draft>(
                {"read_only", word_shape(words_of_read_only()),
                 "only methods that are safe: GET, HEAD, OPTIONS and QUERY"},
                [](Reader& reader, Value const& value, Draft& out) {
                    if (reader.read_word(value, words_of_read_only())) out.rule->read_only = true;
                }));
            return keys;
        }(),
        {.others = {info_of_parameters(0)}}};
    return section;
}

Section<Draft> const& deny_section() {
    static Section<Draft> const section{"deny",
                                        keys_of_allow_and_deny(1),
                                        {.fewest_keys = 1, .others = {info_of_parameters(1)}}};
    return section;
}

void read_rule(Reader& reader, Value const& value, Section<Draft> const& section, Draft& draft) {
    draft.rule->origin = lasting_origin_of(value);
    // The table reads the keys that it has, and would refuse the others.
    for (yaml::Entry const& entry : value.node->entries()) {
        if (section.read_key(reader, entry, value.path, draft)) continue;
        read_parameter(reader, entry, {&entry.value, value.path.key(entry.key)}, draft);
    }
    // Of values that are not known here: what is left of a list would say less than the list.
    if (!reader.has_left_open(value.path)) return;
    draft.rule->operations.clear();
    draft.rule->apis.clear();
    draft.rule->tags.clear();
    draft.rule->methods.clear();
}

// Of a rule that names no operation, or whose condition no request meets: a list has no element
// left.
bool allows_nothing(yaml::Node const& rule) {
    constexpr std::array<std::string_view, 3> names{"operations", "apis", "tags"};
    std::size_t named = 0;
    std::size_t empty = 0;
    for (yaml::Entry const& entry : rule.entries()) {
        bool const is_empty = is_empty_list(entry.value);
        if (std::find(names.begin(), names.end(), entry.key) == names.end()) {
            if (is_empty) return true;
        } else {
            ++named;
            empty += is_empty ? 1 : 0;
        }
    }
    return named != 0 && named == empty;
}

constexpr std::string_view how_to_deny = "write deny: [{ operations: [...] }]";

void read_denial(Reader& reader, Value const& item, std::vector<std::string> const& apis,
                 std::vector<AccessRule>& out) {
    if (!item.node->is_mapping()) {
        reader.refuse_type(item, "a mapping", std::string{how_to_deny});
        return;
    }
    if (item.node->entries().empty()) {
        reader.refuse(item, "is empty: it would deny everything", std::string{how_to_deny});
        return;
    }
    if (auto const* const entry = item.node->find_entry("read_only")) {
        reader.refuse(Origin{entry->mark, item.path.key("read_only")},
                      "is for `allow`: it says what passes",
                      "write allow: { read_only: true }, or the methods that are denied");
        return;
    }
    AccessRule rule;
    Draft draft{&rule, &apis};
    read_rule(reader, item, deny_section(), draft);
    out.push_back(std::move(rule));
}

} // namespace

SectionInfo const& allow_info() {
    return allow_section().info();
}

SectionInfo const& deny_info() {
    return deny_section().info();
}

void read_allow(Reader& reader, Value const& value, std::vector<std::string> const& apis,
                Allow& out) {
    out.origin = lasting_origin_of(value);
    if (value.node->is_string() && value.node->text() == "all") {
        out.extent = Allowed::all;
        return;
    }
    if (!value.node->is_mapping()) {
        reader.refuse(value, "must be all or a mapping",
                      "write allow: all, or allow: { operations: [...] }");
        return;
    }
    if (value.node->entries().empty()) {
        reader.warn(value, "is empty: it allows nothing",
                    "write allow: all, or allow: { operations: [...] }");
        return;
    }
    Draft draft{&out, &apis, Empty::told};
    read_rule(reader, value, allow_section(), draft);
    out.extent = allows_nothing(*value.node) ? Allowed::nothing : Allowed::listed;
}

void read_deny(Reader& reader, Value const& value, std::vector<std::string> const& apis,
               std::vector<AccessRule>& out) {
    if (!value.node->is_sequence()) {
        reader.refuse_type(value, "a list of rules, each of which denies by itself",
                           std::string{how_to_deny});
        return;
    }
    for (Value const& item : reader.read_list(value, Empty::refused))
        read_denial(reader, item, apis, out);
}

} // namespace sallyport::config
