// See schema_tree.h.
#include "tests/contract/schema_tree.h"

#include "tests/contract/read.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

namespace sallyport::contract::test {

namespace yaml = config::yaml;

namespace {

using Words = std::set<std::string, std::less<>>;

Words const asserting{"type",
                      "enum",
                      "const",
                      "minimum",
                      "maximum",
                      "exclusiveMinimum",
                      "exclusiveMaximum",
                      "multipleOf",
                      "minLength",
                      "maxLength",
                      "pattern",
                      "format",
                      "minItems",
                      "maxItems",
                      "required",
                      "dependentRequired"};
// Keywords that contain one schema, a list of them, or schemas by name.
Words const holds_one{"items", "additionalProperties", "not", "if", "then", "else"};
Words const holds_list{"allOf", "anyOf", "oneOf"};
Words const holds_named{"properties"};
Words const annotation{"description", "deprecated", "x-secret", "x-source", "$ref"};

Words const methods{"get", "put", "post", "patch", "delete"};

yaml::Node const* find_path(yaml::Node const& node, std::vector<std::string> const& keys) {
    auto const* at = &node;
    for (auto const& key : keys) {
        at = at->find(key);
        if (at == nullptr) return nullptr;
    }
    return at;
}

yaml::Node const* referred(yaml::Node const& root, std::string const& reference) {
    std::string const front = "#/components/schemas/";
    INFO(reference);
    REQUIRE(reference.rfind(front, 0) == 0);
    return find_path(root, {"components", "schemas", reference.substr(front.size())});
}

class Visitor {
public:
    explicit Visitor(VisitSchema const& visit) : visit_{visit} {}

    void schema(yaml::Node const& node, std::string const& place, std::string source) {
        if (auto const* own = node.find("x-source")) source = text_of(*own);
        visit_(node, place, source);
        for (auto const& entry : node.entries()) {
            auto const below = place + "/" + entry.key;
            if (holds_one.count(entry.key)) schema(entry.value, below, source);
            if (holds_named.count(entry.key)) {
                for (auto const& named : entry.value.entries()) {
                    schema(named.value, below + "/" + named.key, source);
                }
            }
            if (!holds_list.count(entry.key) && entry.key != "x-when") continue;
            std::size_t index = 0;
            for (auto const& item : entry.value.items()) {
                auto const at = below + "/" + std::to_string(index++);
                if (entry.key == "x-when") {
                    schema(child(item, "schema"), at + "/schema", source);
                } else {
                    schema(item, at, source);
                }
            }
        }
    }

    // Objects with a `schema` outside of schemas: parameters and media types, at any depth.
    void outside(yaml::Node const& node, std::string const& place) {
        for (auto const& entry : node.entries()) {
            auto const below = place + "/" + entry.key;
            if (entry.key == "schema") {
                schema(entry.value, below, "");
            } else {
                outside(entry.value, below);
            }
        }
        std::size_t index = 0;
        for (auto const& item : node.items())
            outside(item, place + "/" + std::to_string(index++));
    }

private:
    VisitSchema const& visit_;
};

void collect(yaml::Node const& root, yaml::Node const& schema, std::string const& pointer,
             std::set<std::string>& found) {
    if (auto const* reference = schema.find("$ref")) {
        auto const* const target = referred(root, text_of(*reference));
        REQUIRE(target != nullptr);
        collect(root, *target, pointer, found);
    }
    for (auto const& entry : schema.entries()) {
        if (entry.key == "properties") {
            for (auto const& member : entry.value.entries()) {
                found.insert(pointer + "/" + member.key);
                collect(root, member.value, pointer + "/" + member.key, found);
            }
        } else if (entry.key == "items") {
            found.insert(pointer + "/0");
            collect(root, entry.value, pointer + "/0", found);
        } else if (holds_one.count(entry.key)) {
            collect(root, entry.value, pointer, found);
        } else if (holds_list.count(entry.key)) {
            for (auto const& each : entry.value.items())
                collect(root, each, pointer, found);
        } else if (entry.key == "x-when") {
            for (auto const& each : entry.value.items()) {
                collect(root, child(each, "schema"), pointer, found);
            }
        }
    }
}

void collect_rules(yaml::Node const& root, yaml::Node const& schema, std::string const& pointer,
                   std::vector<std::string>& rules) {
    if (schema.kind() == yaml::Kind::boolean && !schema.as_boolean()) rules.push_back(pointer);
    for (auto const& entry : schema.entries()) {
        auto const below = pointer + "/" + entry.key;
        if (is_asserting(entry.key) || entry.key == "not") rules.push_back(below);
        if (entry.key == "if" || entry.key == "not") continue;
        if (entry.key == "$ref") {
            collect_rules(root, *referred(root, text_of(entry.value)), below, rules);
        } else if (holds_one.count(entry.key)) {
            collect_rules(root, entry.value, below, rules);
        } else if (holds_named.count(entry.key)) {
            for (auto const& named : entry.value.entries()) {
                collect_rules(root, named.value, below + "/" + named.key, rules);
            }
        }
        std::size_t index = 0;
        for (auto const& item : entry.value.items()) {
            auto const at = below + "/" + std::to_string(index++);
            if (entry.key == "x-when")
                collect_rules(root, child(item, "schema"), at + "/schema", rules);
            if (holds_list.count(entry.key)) collect_rules(root, item, at, rules);
        }
    }
}

} // namespace

bool is_asserting(std::string_view keyword) {
    return asserting.count(keyword) == 1;
}

bool is_applicator(std::string_view keyword) {
    return holds_one.count(keyword) + holds_list.count(keyword) + holds_named.count(keyword) == 1
           || keyword == "x-when";
}

bool is_annotation(std::string_view keyword) {
    return annotation.count(keyword) == 1;
}

yaml::Node const& contract_file(Document const& document) {
    static std::map<std::string, yaml::Document> files;
    auto found = files.find(document.name);
    if (found == files.end()) {
        found = files.emplace(document.name, load(document.contract)).first;
    }
    return found->second.root();
}

yaml::Node const* body_schema(yaml::Node const& root, std::string const& operation, Side side) {
    for (auto const& path : child(root, "paths").entries()) {
        for (auto const& method : path.value.entries()) {
            if (!methods.count(method.key)) continue;
            if (text_of(child(method.value, "operationId")) != operation) continue;
            auto const* const message = side == Side::request
                                            ? method.value.find("requestBody")
                                            : find_path(method.value, {"responses", "200"});
            if (message == nullptr) return nullptr;
            auto const* const schema =
                find_path(*message, {"content", "application/json", "schema"});
            if (schema == nullptr || schema->entries().size() != 1) return schema;
            auto const* const reference = schema->find("$ref");
            return reference == nullptr ? schema : referred(root, text_of(*reference));
        }
    }
    return nullptr;
}

yaml::Node const* follow(yaml::Node const& root, yaml::Node const& schema,
                         std::string_view rule_pointer) {
    auto const* at = &schema;
    while (at != nullptr && !rule_pointer.empty()) {
        rule_pointer.remove_prefix(1);
        auto const token = std::string{rule_pointer.substr(0, rule_pointer.find('/'))};
        rule_pointer.remove_prefix(token.size());
        auto const* next = at->find(token);
        if (next != nullptr && token == "$ref") next = referred(root, text_of(*next));
        at = next;
    }
    return at;
}

void visit_schemas(yaml::Node const& root, VisitSchema const& visit) {
    Visitor visitor{visit};
    visitor.outside(child(root, "paths"), "/paths");
    for (auto const& schema : child(child(root, "components"), "schemas").entries()) {
        visitor.schema(schema.value, "/components/schemas/" + schema.key, "");
    }
}

std::vector<std::string> declared_members(yaml::Node const& root, yaml::Node const& schema) {
    std::set<std::string> found;
    collect(root, schema, "", found);
    return {found.begin(), found.end()};
}

std::vector<std::string> rule_pointers(yaml::Node const& root, yaml::Node const& schema) {
    std::vector<std::string> rules;
    collect_rules(root, schema, "", rules);
    return rules;
}

} // namespace sallyport::contract::test
