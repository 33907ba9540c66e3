// Every property of every body at its boundaries, read from the contract's file: the violations of
// the engine, the rules of the contract and those of the document must be the same.
#include "tests/contract/body.h"
#include "tests/contract/read.h"
#include "tests/contract/schema_tree.h"
#include "tests/contract/shipped.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <set>

namespace test_boundaries {

using namespace sallyport::contract;
using namespace sallyport::contract::test;
namespace yaml = sallyport::config::yaml;

namespace {

using Keywords = std::set<std::string>;

// The rules for one property, from any of these sources: JSON Schema's keywords, without formats.
struct Rules {
    std::vector<std::string> types;
    std::vector<std::string> words; // of an enum of strings
    bool is_enum = false;
    std::optional<long long> constant;
    std::optional<long long> least;
    std::optional<long long> most;
    std::optional<long long> multiple;
    std::optional<std::size_t> longest;
    std::optional<std::size_t> fewest_elements;
    std::optional<std::size_t> most_elements;
};

std::optional<long long> number_in(yaml::Node const& schema, char const* keyword) {
    auto const* const word = schema.find(keyword);
    if (word == nullptr) return std::nullopt;
    return std::stoll(text_of(*word));
}

Rules rules_of(yaml::Node const& schema) {
    Rules rules;
    if (auto const* const type = schema.find("type"); type != nullptr) {
        rules.types = type->is_sequence() ? texts_of(*type) : std::vector{text_of(*type)};
    }
    if (auto const* const words = schema.find("enum"); words != nullptr) {
        rules.is_enum = true;
        rules.words = texts_of(*words);
    }
    rules.constant = number_in(schema, "const");
    rules.least = number_in(schema, "minimum");
    rules.most = number_in(schema, "maximum");
    rules.multiple = number_in(schema, "multipleOf");
    rules.longest = number_in(schema, "maxLength");
    rules.fewest_elements = number_in(schema, "minItems");
    rules.most_elements = number_in(schema, "maxItems");
    return rules;
}

Rules rules_of(MemberRow const& row) {
    auto const number = [](std::optional<std::string> const& text) {
        return text ? std::optional{std::stoll(*text)} : std::nullopt;
    };
    Rules rules;
    rules.types = row.types;
    rules.is_enum = row.is_enum;
    rules.words = row.values;
    rules.constant = number(row.constant);
    rules.least = number(row.least);
    rules.most = number(row.most);
    rules.multiple = number(row.multiple);
    rules.longest = row.longest;
    rules.fewest_elements = row.fewest_elements;
    rules.most_elements = row.most_elements;
    return rules;
}

// A value whose position among all others is known by construction.
struct Value {
    std::string text; // JSON
    std::string type; // integer is a number too
    // For a number: this, and a little more (1) or less (-1).
    long long whole = 0;
    int rest = 0;
    std::size_t size = 0; // code points or elements
    std::string word;     // of a string
};

// Integers in all spellings that RFC 8259 (6) allows.
void add_number(std::vector<Value>& values, long long number) {
    auto const text = std::to_string(number);
    std::string const sign = number < 0 ? "-" : "";
    auto const digits = std::to_string(std::llabs(number));
    std::vector<std::string> spellings{
        text, text + ".0", text + "e0", text + ".000E+00", text + "0e-1", text + "00.00e-2"};
    if (digits.size() > 1) {
        spellings.push_back(sign + digits.substr(0, 1) + '.' + digits.substr(1) + 'e'
                            + std::to_string(digits.size() - 1));
    }
    spellings.push_back(sign + "0." + digits + 'E' + std::to_string(digits.size()));
    for (auto const& spelling : spellings) {
        // A number cannot begin with 00.
        bool const is_number = number != 0 || spelling.find("00") != 0;
        if (is_number) values.push_back({spelling, "integer", number, 0, 0, {}});
    }
    // Closer than doubles can be.
    auto const more = text + ".000000000000000000001";
    values.push_back({more, "number", number, number < 0 || sign == "-" ? -1 : 1, 0, {}});
    if (number > 0) {
        auto const less = std::to_string(number - 1) + ".999999999999999999999";
        values.push_back({less, "number", number, -1, 0, {}});
    }
}

void add_texts(std::vector<Value>& values, std::size_t size) {
    std::string plain;
    std::string escaped;
    std::string wide;
    for (std::size_t i = 0; i < size; ++i) {
        plain += 'x';
        escaped += "\\u00e9";
        wide += "\U0001D49C";
    }
    for (auto const& text : {plain, escaped, wide})
        values.push_back({'"' + text + '"', "string", 0, 0, size, text});
}

void add_arrays(std::vector<Value>& values, std::size_t size) {
    std::string text = "[";
    for (std::size_t i = 0; i < size; ++i)
        text += i == 0 ? "{}" : ", {}";
    values.push_back({text + ']', "array", 0, 0, size, {}});
}

// Values below, at and above each boundary; one value of each type.
std::vector<Value> values_around(Rules const& rules) {
    std::vector<Value> values{{"null", "null", 0, 0, 0, {}},
                              {"true", "boolean", 0, 0, 0, {}},
                              {"false", "boolean", 0, 0, 0, {}},
                              {"{}", "object", 0, 0, 0, {}},
                              {"7.5", "number", 7, 1, 0, {}}};
    add_number(values, 7);
    for (auto const& bound : {rules.least, rules.most, rules.constant}) {
        if (!bound) continue;
        long long const step = rules.multiple.value_or(1);
        for (long long const number :
             {*bound - step, *bound - 1, *bound, *bound + 1, *bound + step})
            add_number(values, number);
    }
    add_texts(values, 0);
    for (auto const& word : rules.words)
        values.push_back({'"' + word + '"', "string", 0, 0, word.size(), word});
    if (rules.longest) {
        for (std::size_t const size : {*rules.longest - 1, *rules.longest, *rules.longest + 1})
            add_texts(values, size);
    }
    add_arrays(values, 0);
    for (auto const& bound : {rules.fewest_elements, rules.most_elements}) {
        if (!bound) continue;
        if (*bound > 0) add_arrays(values, *bound - 1);
        add_arrays(values, *bound);
        add_arrays(values, *bound + 1);
    }
    return values;
}

Keywords broken_by_number(Rules const& rules, Value const& value) {
    Keywords broken;
    auto const is_below = [&value](long long bound) {
        return value.whole < bound || (value.whole == bound && value.rest < 0);
    };
    auto const is_above = [&value](long long bound) {
        return value.whole > bound || (value.whole == bound && value.rest > 0);
    };
    if (rules.least && is_below(*rules.least)) broken.insert("minimum");
    if (rules.most && is_above(*rules.most)) broken.insert("maximum");
    if (rules.multiple && (value.rest != 0 || value.whole % *rules.multiple != 0)) {
        broken.insert("multipleOf");
    }
    return broken;
}

// JSON Schema 2020-12 validation, 6: each keyword by itself.
Keywords broken_by(Rules const& rules, Value const& value) {
    bool const is_number = value.type == "integer" || value.type == "number";
    Keywords broken;
    if (is_number) broken = broken_by_number(rules, value);
    auto const has_type = [&rules](std::string const& type) {
        return std::find(rules.types.begin(), rules.types.end(), type) != rules.types.end();
    };
    bool const is_typed = has_type(value.type) || (value.type == "integer" && has_type("number"));
    if (!rules.types.empty() && !is_typed) broken.insert("type");
    bool const is_listed =
        value.type == "string"
        && std::find(rules.words.begin(), rules.words.end(), value.word) != rules.words.end();
    if (rules.is_enum && !is_listed) broken.insert("enum");
    bool const is_constant = is_number && value.rest == 0 && value.whole == rules.constant;
    if (rules.constant && !is_constant) broken.insert("const");
    if (value.type == "string" && rules.longest && value.size > *rules.longest) {
        broken.insert("maxLength");
    }
    if (value.type == "array") {
        if (rules.fewest_elements && value.size < *rules.fewest_elements) broken.insert("minItems");
        if (rules.most_elements && value.size > *rules.most_elements) broken.insert("maxItems");
    }
    return broken;
}

// The rules of the property's own schema that the engine finds violated.
Keywords broken_by_engine(MemberRow const& row, Value const& value) {
    Body body;
    bool is_filled = false; // with the required properties of the object
    for (auto const& [pointer, text] : row.around) {
        body.set(pointer, text);
        is_filled = is_filled || pointer.rfind(row.pointer + '/', 0) == 0;
    }
    if (!is_filled || value.text != "{}") body.set(row.pointer, value.text);
    auto const report = validate(row.operation, row.side, body.text());
    REQUIRE(report.outcome != Outcome::malformed);
    auto const front = rule_name(row.side, row.rule) + '/';
    Keywords broken;
    for (auto const& violation : report.violations) {
        auto const& rule = violation.rule_pointer;
        bool const is_own = rule.substr(0, front.size()) == front
                            && rule.find('/', front.size()) == std::string_view::npos;
        auto const keyword = std::string{violation.rule};
        // Other rules are tested in test_members.cpp.
        if (is_own && keyword != "format" && keyword != "pattern" && keyword != "required") {
            broken.insert(keyword);
        }
    }
    return broken;
}

} // namespace

TEST_CASE("at every boundary the engine reports the rules that contract and document define") {
    std::size_t checked = 0;
    std::size_t refused = 0;
    for (auto const& document : documents()) {
        auto const& root = contract_file(document);
        for (auto const& row : document.rows) {
            auto const* const body = body_schema(root, row.operation, row.side);
            REQUIRE(body != nullptr);
            auto const* const schema = follow(root, *body, row.rule);
            REQUIRE(schema != nullptr);
            auto const by_contract = rules_of(*schema);
            auto const by_document = rules_of(row);
            for (auto const& value : values_around(by_contract)) {
                INFO(row.operation << ' ' << row.pointer << ": " << value.text);
                auto const found = broken_by_engine(row, value);
                CHECK(found == broken_by(by_contract, value));
                CHECK(found == broken_by(by_document, value));
                ++checked;
                refused += found.empty() ? 0U : 1U;
            }
        }
    }
    // The test would prove nothing without values.
    CHECK(checked > 10'000);
    CHECK(refused > 5'000);
}

} // namespace test_boundaries
