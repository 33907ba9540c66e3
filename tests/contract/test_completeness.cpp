// Compares the contracts with documents/*.yaml, as files: both must contain the same rules.
#include "tests/contract/read.h"
#include "tests/contract/schema_tree.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

namespace test_completeness {

using namespace sallyport::contract::test;
namespace yaml = sallyport::config::yaml;

namespace {

using Words = std::map<std::string, std::string>;

std::string joined(std::vector<std::string> const& words) {
    std::string text;
    for (auto const& word : words)
        text += (text.empty() ? "" : ", ") + word;
    return text;
}

// A value of the contract in one line; lists with commas.
std::string in_words(yaml::Node const& node) {
    return node.is_sequence() ? joined(texts_of(node)) : text_of(node);
}

// The contract's rules for one value, without nested schemas and annotations for readers.
Words rules_of_contract(yaml::Node const& schema) {
    Words words;
    for (auto const& entry : schema.entries()) {
        if (entry.key == "x-when") words["x-when"] = "some";
        if (is_applicator(entry.key) || entry.key == "required") continue;
        if (entry.key == "x-source" || entry.key == "description") continue;
        words[entry.key] = in_words(entry.value);
    }
    return words;
}

Words rules_of_document(MemberRow const& row) {
    Words words;
    if (row.is_enum) words["enum"] = joined(row.values);
    if (!row.types.empty()) words["type"] = joined(row.types);
    if (row.constant) words["const"] = *row.constant;
    if (row.least) words["minimum"] = *row.least;
    if (row.most) words["maximum"] = *row.most;
    if (row.multiple) words["multipleOf"] = *row.multiple;
    if (row.longest) words["maxLength"] = std::to_string(*row.longest);
    if (row.pattern) words["pattern"] = *row.pattern;
    if (row.milliseconds) words["pattern"] = R"(\.\d{3}(Z|[+-]\d{2}:\d{2})$)";
    if (!row.format.empty()) words["format"] = row.format;
    if (row.fewest_elements) words["minItems"] = std::to_string(*row.fewest_elements);
    if (row.most_elements) words["maxItems"] = std::to_string(*row.most_elements);
    if (row.deprecated) words["deprecated"] = "true";
    if (row.secret) words["x-secret"] = "true";
    if (row.has_conditions) words["x-when"] = "some";
    return words;
}

std::string name_of(MemberRow const& row) {
    return row.operation + (row.side == Side::request ? " request " : " response ") + row.pointer;
}

} // namespace

TEST_CASE("the contract has exactly the document's rules for each property") {
    for (auto const& document : documents()) {
        auto const& root = contract_file(document);
        CHECK(document.rows.size() > 60);
        for (auto const& row : document.rows) {
            INFO(name_of(row) << ", rule " << row.rule);
            auto const* const body = body_schema(root, row.operation, row.side);
            REQUIRE(body != nullptr);
            auto const* const schema = follow(root, *body, row.rule);
            REQUIRE(schema != nullptr);
            CHECK(rules_of_contract(*schema) == rules_of_document(row));
        }
    }
}

TEST_CASE("the contract requires exactly the properties that the document requires") {
    for (auto const& document : documents()) {
        auto const& root = contract_file(document);
        // By place of the object: its required properties.
        std::map<std::pair<yaml::Node const*, std::string>, std::set<std::string>> required;
        for (auto const& row : document.rows) {
            if (row.is_element) continue;
            auto const* const body = body_schema(root, row.operation, row.side);
            REQUIRE(body != nullptr);
            auto& names = required[{body, row.object_rule}];
            if (row.required) names.insert(row.name());
        }
        for (auto const& [place, names] : required) {
            INFO(place.second);
            auto const* const object = follow(root, *place.first, place.second);
            REQUIRE(object != nullptr);
            auto const* const words = object->find("required");
            auto const listed = words == nullptr ? std::vector<std::string>{} : texts_of(*words);
            CHECK(std::set<std::string>(listed.begin(), listed.end()) == names);
        }
    }
}

TEST_CASE("the contract declares no property that is not in the document") {
    for (auto const& document : documents()) {
        auto const& root = contract_file(document);
        std::map<yaml::Node const*, std::set<std::string>> of_document;
        for (auto const& row : document.rows) {
            of_document[body_schema(root, row.operation, row.side)].insert(row.pointer);
        }
        std::size_t bodies = 0;
        for (auto const& path : child(root, "paths").entries()) {
            for (auto const& method : path.value.entries()) {
                auto const* const id = method.value.find("operationId");
                if (id == nullptr) continue;
                for (auto const side : {Side::request, Side::response}) {
                    auto const* const body = body_schema(root, text_of(*id), side);
                    if (body == nullptr) continue;
                    INFO(text_of(*id));
                    auto const declared = declared_members(root, *body);
                    CHECK(std::set<std::string>(declared.begin(), declared.end())
                          == of_document[body]);
                    ++bodies;
                }
            }
        }
        CHECK(bodies == of_document.size());
    }
}

TEST_CASE("every request body is an object") {
    for (auto const& document : documents()) {
        auto const& root = contract_file(document);
        for (auto const& row : document.rows) {
            if (row.side != Side::request) continue;
            INFO(row.operation);
            CHECK(text_of(child(*body_schema(root, row.operation, row.side), "type")) == "object");
        }
    }
}

} // namespace test_completeness
