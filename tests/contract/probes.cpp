// See probes.h.
#include "tests/contract/probes.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace sallyport::contract::test {

namespace {

struct TypedValue {
    char const* type;
    char const* value;
    char const* in_words;
};
constexpr std::array<TypedValue, 8> one_of_each{{{"null", "null", "null"},
                                                 {"boolean", "true", "a boolean"},
                                                 {"boolean", "false", "a boolean"},
                                                 {"integer", "7", "a number"},
                                                 {"number", "7.5", "a number with a fraction"},
                                                 {"string", "\"7\"", "a string"},
                                                 {"array", "[]", "an array"},
                                                 {"object", "{}", "an object"}}};

// Eight, four, four, four, twelve hexadecimal digits: any version, any letter case.
std::vector<std::string> const uuids{
    "\"0f4c1f3e-2d52-4c93-9d3a-0123456789ab\"", "\"0F4C1F3E-2D52-1C93-0D3A-0123456789AB\"",
    "\"00000000-0000-0000-0000-000000000000\"", "\"ffffffff-FFFF-ffff-FFFF-ffffffffffff\""};
std::vector<std::string> const no_uuids{"\"\"",
                                        "\"0f4c1f3e-2d52-4c93-9d3a-0123456789a\"",
                                        "\"0f4c1f3e-2d52-4c93-9d3a-0123456789abc\"",
                                        "\"0f4c1f3e-2d52-4c93-9d3a-0123456789ag\"",
                                        "\"0f4c1f3e2d524c939d3a0123456789ab\"",
                                        "\"0f4c1f3e-2d524c93-9d3a--0123456789ab\"",
                                        "\"0f4c1f3-e2d52-4c93-9d3a-0123456789ab\"",
                                        "\"{0f4c1f3e-2d52-4c93-9d3a-0123456789ab}\"",
                                        "\"urn:uuid:0f4c1f3e-2d52-4c93-9d3a-0123456789ab\"",
                                        "\" 0f4c1f3e-2d52-4c93-9d3a-0123456789ab\"",
                                        "\"0f4c1f3e-2d52-4c93-9d3a-0123456789ab\\n\"",
                                        "\"0f4c1f3e-2d52-4c93-9d3a-0123456789\u0661b\""};

std::vector<std::string> const moments{"\"2026-01-31T10:20:30.123Z\"",
                                       "\"2024-02-29T23:59:59.999+05:30\"",
                                       "\"1999-12-31T00:00:00.000-00:00\""};
std::vector<std::string> const whole_seconds{"\"2026-01-31T10:20:30Z\"",
                                             "\"2026-01-31T10:20:30+01:00\""};
std::vector<std::string> const no_moments{
    "\"2026-13-31T10:20:30.123Z\"",     "\"2026-02-29T10:20:30.123Z\"",
    "\"2026-01-31 10:20.123Z\"",        "\"2026-01-31T24:20:30.123Z\"",
    "\"2026-01-31T10:60:30.123Z\"",     "\"26-01-31T10:20:30.123Z\"",
    "\"2026-01-31T10:20:30.123+25:00\""};

long long number_of(std::string const& text) {
    return std::stoll(text);
}

std::string text_of(long long number) {
    return std::to_string(number);
}

// The distance between two numbers that the document allows.
long long step_of(MemberRow const& row) {
    return row.multiple ? number_of(*row.multiple) : 1;
}

std::string quoted(std::string const& word) {
    return '"' + word + '"';
}

std::string list_of(std::vector<std::string> const& values) {
    std::string list = "[";
    for (auto const& value : values)
        list += (list.size() > 1 ? "," : "") + quoted(value);
    return list + ']';
}

std::string array_of(std::size_t count) {
    std::string text = "[";
    for (std::size_t index = 0; index < count; ++index)
        text += index == 0 ? "{}" : ",{}";
    return text + ']';
}

std::string repeated(std::string const& text, std::size_t count) {
    std::string all;
    for (std::size_t index = 0; index < count; ++index)
        all += text;
    return all;
}

// A single "integer" is a string, several types are a list (RFC 8259 text, no white space).
std::string types_as_json(std::vector<std::string> const& types) {
    return types.size() == 1 ? quoted(types.front()) : list_of(types);
}

bool fits(std::vector<std::string> const& types, std::string const& type) {
    auto const has = [&](std::string const& name) {
        return std::find(types.begin(), types.end(), name) != types.end();
    };
    return has(type) || (type == "integer" && has("number"));
}

std::string in_words(std::string const& type) {
    if (type == "null") return type;
    auto const* const article =
        std::string{"aio"}.find(type.front()) == std::string::npos ? "a " : "an ";
    return article + type;
}

std::string either(std::vector<std::string> const& words) {
    std::string text;
    for (std::size_t index = 0; index < words.size(); ++index) {
        if (index != 0) text += index + 1 == words.size() ? " or " : ", ";
        text += words[index];
    }
    return text;
}

Broken broken(MemberRow const& row, std::string const& keyword, std::string const& expected,
              std::string const& phrase) {
    return {row.rule + "/" + keyword, row.source, expected, phrase};
}

Broken broken_type(std::string rule, std::string const& source,
                   std::vector<std::string> const& types, std::string const& found) {
    std::vector<std::string> words;
    for (auto const& type : types)
        words.push_back(in_words(type));
    return {std::move(rule) + "/type", source, types_as_json(types),
            "must be " + either(words) + ", not " + found};
}

// Long enums are not listed in messages.
Broken broken_enum(MemberRow const& row) {
    std::vector<std::string> words;
    for (auto const& value : row.values)
        words.push_back(quoted(value));
    auto const phrase = words.size() <= 8 ? either(words)
                                          : "one of the " + std::to_string(words.size())
                                                + " values of the contract";
    return broken(row, "enum", list_of(row.values), "must be " + phrase);
}

Broken broken_const(MemberRow const& row) {
    return broken(row, "const", *row.constant, "must be " + *row.constant);
}

Broken broken_count(MemberRow const& row, std::string const& keyword, std::string const& front,
                    std::size_t count, std::string const& what) {
    auto const number = std::to_string(count);
    return broken(row, keyword, number,
                  front + ' ' + number + ' ' + what + (count == 1 ? "" : "s"));
}

// Names and letters of two bytes each: lengths count code points.
std::string const letter_of_four_bytes = "\U0001D49C";

void add_passing_numbers(MemberRow const& row, std::vector<std::string>& values) {
    auto const step = step_of(row);
    auto const least = row.least ? number_of(*row.least) : -1'000'000'000'000;
    auto const most = row.most ? number_of(*row.most) : 1'000'000'000'000;
    for (auto const number : {least, least + step, most - step, most}) {
        values.push_back(text_of(number));
    }
    values.push_back(text_of(least) + ".0");
    values.push_back(text_of(most) + "e0");
    if (row.allows("number") && !row.multiple) values.push_back(text_of(least) + ".5");
}

void add_passing_texts(MemberRow const& row, std::vector<std::string>& values) {
    if (row.format == "uuid") {
        values.insert(values.end(), uuids.begin(), uuids.end());
    } else if (row.format == "date-time") {
        values.insert(values.end(), moments.begin(), moments.end());
        if (!row.milliseconds) {
            values.insert(values.end(), whole_seconds.begin(), whole_seconds.end());
        }
    } else {
        values.emplace_back("\"\"");
        values.emplace_back(row.pattern ? "\"A 1\"" : "\"<\\u0000> \\\"-_.,*/\"");
    }
    if (row.longest) values.push_back(quoted(repeated(letter_of_four_bytes, *row.longest)));
}

} // namespace

std::vector<std::string> passing_values(MemberRow const& row) {
    std::vector<std::string> values;
    for (auto const& word : row.values)
        values.push_back(quoted(word));
    if (row.constant) return {*row.constant, *row.constant + ".0"};
    if (row.allows("null")) values.emplace_back("null");
    if (row.allows("boolean")) values.insert(values.end(), {"true", "false"});
    if (row.allows("object")) values.emplace_back("{}");
    if (row.allows("array")) {
        values.push_back(array_of(row.fewest_elements.value_or(0)));
        if (row.most_elements) values.push_back(array_of(*row.most_elements));
    }
    if (row.allows("string")) add_passing_texts(row, values);
    if (row.allows("integer") || row.allows("number")) add_passing_numbers(row, values);
    return values;
}

std::vector<Probe> wrong_types(MemberRow const& row) {
    std::vector<Probe> probes;
    for (auto const& [type, value, found] : one_of_each) {
        // A fraction inside the range, so that only the type is invalid.
        bool const is_fraction = type == std::string{"number"} && row.least;
        Probe probe{is_fraction ? *row.least + ".5" : value, {}};
        if (row.is_enum) {
            probe.broken.push_back(broken_enum(row));
        } else if (!row.types.empty() && !fits(row.types, type)) {
            probe.broken.push_back(broken_type(row.rule, row.source, row.types, found));
        }
        if (probe.broken.empty()) continue;
        if (row.constant) probe.broken.push_back(broken_const(row));
        // The envelope is checked in addition to the schema of its contents.
        if (!row.envelope_types.empty() && !fits(row.envelope_types, type)) {
            probe.broken.push_back(broken_type("/$ref/properties/" + row.name(), row.object_source,
                                               row.envelope_types, found));
        }
        probes.push_back(std::move(probe));
    }
    return probes;
}

std::vector<Probe> wrong_numbers(MemberRow const& row) {
    std::vector<Probe> probes;
    auto const step = step_of(row);
    if (row.least) {
        auto const rule = broken(row, "minimum", *row.least, "must be at least " + *row.least);
        probes.push_back({text_of(number_of(*row.least) - step), {rule}});
    }
    if (row.most) {
        auto const rule = broken(row, "maximum", *row.most, "must be at most " + *row.most);
        probes.push_back({text_of(number_of(*row.most) + step), {rule}});
        if (row.allows("number") && !row.multiple) probes.push_back({*row.most + ".001", {rule}});
    }
    if (row.multiple) {
        auto const rule =
            broken(row, "multipleOf", *row.multiple, "must be a multiple of " + *row.multiple);
        probes.push_back({text_of(number_of(*row.least) + 1), {rule}});
        probes.push_back({*row.least + ".5", {rule}});
    }
    if (row.constant) {
        probes.push_back({text_of(number_of(*row.constant) + 1), {broken_const(row)}});
    }
    return probes;
}

std::vector<Probe> wrong_words(MemberRow const& row) {
    if (!row.is_enum) return {};
    auto upper = row.values.front();
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
    std::vector<Probe> probes;
    for (auto const& word :
         {std::string{}, std::string{"no such"}, upper, row.values.front() + ' '}) {
        probes.push_back({quoted(word), {broken_enum(row)}});
    }
    return probes;
}

std::vector<Probe> wrong_texts(MemberRow const& row) {
    std::vector<Probe> probes;
    if (row.format == "uuid") {
        for (auto const& text : no_uuids) {
            probes.push_back({text, {broken(row, "format", "\"uuid\"", "must be a uuid")}});
        }
    }
    if (row.format == "date-time") {
        auto const rule =
            broken(row, "format", "\"date-time\"", "must be a date and time (RFC 3339)");
        for (auto const& text : no_moments)
            probes.push_back({text, {rule}});
    }
    if (row.milliseconds) {
        auto const rule = broken(row, "pattern", R"("\\.\\d{3}(Z|[+-]\\d{2}:\\d{2})$")",
                                 R"(must match the pattern \.\d{3}(Z|[+-]\d{2}:\d{2})$)");
        for (auto const& text : whole_seconds)
            probes.push_back({text, {rule}});
    }
    if (row.longest) {
        probes.push_back(
            {quoted(repeated(letter_of_four_bytes, *row.longest + 1)),
             {broken_count(row, "maxLength", "must have at most", *row.longest, "character")}});
    }
    return probes;
}

std::vector<Probe> wrong_counts(MemberRow const& row) {
    std::vector<Probe> probes;
    if (row.fewest_elements && *row.fewest_elements > 0) {
        auto const rule =
            broken_count(row, "minItems", "must have at least", *row.fewest_elements, "item");
        probes.push_back({array_of(*row.fewest_elements - 1), {rule}});
    }
    if (row.most_elements) {
        auto const rule =
            broken_count(row, "maxItems", "must have at most", *row.most_elements, "item");
        probes.push_back({array_of(*row.most_elements + 1), {rule}});
    }
    return probes;
}

std::vector<Probe> all_wrong(MemberRow const& row) {
    std::vector<Probe> all;
    for (auto* const make : {wrong_types, wrong_numbers, wrong_words, wrong_texts, wrong_counts}) {
        for (auto& probe : make(row))
            all.push_back(std::move(probe));
    }
    return all;
}

} // namespace sallyport::contract::test
