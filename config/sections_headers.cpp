// The keys `headers` and `security_headers` of an API: fields that are set, added and removed.
#include "config/patterns.h"
#include "config/sections.h"
#include "config/text.h"
#include "gateway/text/ascii.h"

#include <algorithm>
#include <array>

namespace sallyport::config {

namespace {

constexpr std::int64_t most_fields = 32;
constexpr std::size_t longest_value = 1024;
constexpr std::size_t longest_name = 64;

bool has_name(FieldChanges const& changes, std::string_view name) {
    auto const is_same = [name](auto const& field) {
        return text::equals_ignoring_case(field.name, name);
    };
    return std::any_of(changes.set.begin(), changes.set.end(), is_same)
           || std::any_of(changes.add.begin(), changes.add.end(), is_same)
           || std::any_of(changes.remove.begin(), changes.remove.end(), is_same);
}

bool check_new(Reader& reader, Origin const& origin, FieldChanges const& changes,
               std::string_view name) {
    if (!has_name(changes, name)) return true;
    reader.refuse(origin, "the field is named twice, in set, add or remove", "name it once");
    return false;
}

// RFC 9110, 5.5: white space around a value is no part of it.
void trim(std::vector<ValuePart>& value) {
    if (value.front().variable == Variable::none)
        value.front().text.erase(0, value.front().text.find_first_not_of(' '));
    auto& last = value.back();
    if (last.variable == Variable::none) last.text.resize(last.text.find_last_not_of(' ') + 1);
}

void read_fields(Reader& reader, Value const& value, FieldChanges& changes,
                 std::vector<WrittenField>& out) {
    auto const fields = reader.read_named(value, Empty::allowed);
    if (static_cast<std::int64_t>(fields.size()) > most_fields)
        reader.refuse(value, "has more than 32 fields", "write fewer");
    for (NamedValue const& named : fields) {
        Origin const origin{named.mark, named.value.path};
        if (!is_field_name(named.name)) {
            refuse_field_name(reader, origin);
            continue;
        }
        auto parts = reader.read_template(named.value, longest_value);
        if (!check_new(reader, origin, changes, named.name) || !parts) continue;
        trim(*parts);
        out.push_back({named.name, std::move(*parts), origin});
    }
}

void read_removed(Reader& reader, Value const& value, FieldChanges& out) {
    auto const items = reader.read_list(value, Empty::allowed);
    if (static_cast<std::int64_t>(items.size()) > most_fields)
        reader.refuse(value, "has more than 32 fields", "write fewer");
    for (Value const& item : items) {
        auto name = reader.read_line(item, longest_name);
        if (!name) continue;
        if (!is_field_name(*name)) {
            refuse_field_name(reader, Reader::origin_of(item));
        } else if (check_new(reader, Reader::origin_of(item), out, *name)) {
            out.remove.push_back({std::move(*name), Reader::origin_of(item)});
        }
    }
}

Section<FieldChanges> const& changes_section() {
    auto const fields = [] {
        auto shape =
            named_shape(text_shape(longest_value, field_value_pattern()), 0, field_name_pattern());
        shape.maximum = most_fields;
        return shape;
    };
    KeyInfo set{"set", fields(), "fields with their values, instead of those that were received"};
    KeyInfo add{"add", fields(), "fields with their values, beside those that were received"};
    KeyInfo remove{"remove",
                   list_shape(text_shape(longest_name, field_name_pattern()), 0, most_fields,
                              Repeats::refused),
                   "names of fields that are not passed on", "[]"};
    static Section<FieldChanges> const section{
        "header changes",
        {
            custom_key<FieldChanges>(std::move(set),
                                     [](Reader& reader, Value const& value, FieldChanges& out) {
                                         read_fields(reader, value, out, out.set);
                                     }),
            custom_key<FieldChanges>(std::move(add),
                                     [](Reader& reader, Value const& value, FieldChanges& out) {
                                         read_fields(reader, value, out, out.add);
                                     }),
            custom_key<FieldChanges>(std::move(remove), read_removed),
        }};
    return section;
}

Section<Headers> const& headers_section() {
    static Section<Headers> const section{
        "headers",
        {
            section_key("request", &Headers::request, changes_section(),
                        "of requests, as the upstream gets them"),
            section_key("response", &Headers::response, changes_section(),
                        "of responses, as the client gets them"),
        }};
    return section;
}

std::vector<Word<SecurityHeaders>> const security_words{{"off", SecurityHeaders::off},
                                                        {"on", SecurityHeaders::on}};

} // namespace

bool is_field_name(std::string_view name) {
    return !name.empty() && name.size() <= longest_name
           && std::all_of(name.begin(), name.end(), text::is_token_character);
}

void refuse_field_name(Reader& reader, Origin const& origin) {
    reader.refuse(origin, "not the name of a field (RFC 9110, 5.1)",
                  "write a token of at most 64 characters, such as X-Team");
}

void add_keys_of_headers(std::vector<Key<ApiDraft>>& keys) {
    keys.push_back(section_key<ApiDraft, Headers>("headers", &ApiDraft::headers, headers_section(),
                                                  "fields that the gateway changes"));
    keys.push_back(word_key<ApiDraft, SecurityHeaders>(
        "security_headers", &ApiDraft::security_headers, security_words,
        "on: responses have the fields that tell browsers to be careful"));
}

} // namespace sallyport::config
