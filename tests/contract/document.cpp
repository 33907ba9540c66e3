// See document.h.
#include "tests/contract/document.h"

#include "config/yaml.h"
#include "tests/contract/read.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <utility>

namespace sallyport::contract::test {

namespace yaml = config::yaml;

namespace {

std::set<std::string> const member_words{
    "type",     "nullable", "range",        "at_least", "multiple", "longest", "pattern",
    "format",   "values",   "milliseconds", "count",    "of",       "is",      "const",
    "required", "section",  "deprecated",   "secret",   "for_some", "needs",   "component"};

// The position of the walk: one object at one place of one body.
struct Place {
    std::string operation;
    Side side = Side::request;
    std::string pointer;
    std::string rule;
    std::vector<std::pair<std::string, std::string>> around;
};

class Walk {
public:
    Walk(yaml::Node const& root, Document& document)
        : root_{root}, document_{document}, objects_{child(root, "objects")} {}

    void all_bodies() {
        for (auto const& body : child(root_, "bodies").items()) {
            auto const words = text_of(child(body, "body"));
            auto const space = words.find(' ');
            REQUIRE(words.substr(space + 1) == "request");
            Place place{words.substr(0, space), Side::request, "", "", {}};
            add_texts(child(body, "smallest"), "", place.around);
            object(text_of(child(body, "is")), place);
        }
        envelopes();
    }

private:
    // The responses: an envelope, and the value of its only property.
    void envelopes() {
        auto const& envelope = child(root_, "envelope");
        auto const wrapper = text_of(child(envelope, "object"));
        auto const member = text_of(child(envelope, "member"));
        for (auto const& response : child(envelope, "responses").items()) {
            bool const is_list = response.find("list") != nullptr;
            Place place{text_of(child(response, "operation")), Side::response, "", "", {}};
            add_texts(child(envelope, "smallest"), "", place.around);
            place.around.emplace_back("/" + member, is_list ? "[]" : "{}");
            if (auto const* more = response.find("smallest")) add_texts(*more, "", place.around);

            Place outside = place;
            outside.rule = "/$ref";
            for (auto const& entry : child(child(objects_, wrapper), "members").entries()) {
                if (entry.key == member) {
                    content(response, wrapper, entry, outside);
                } else {
                    this->member(wrapper, entry, outside);
                }
            }
        }
    }

    // The envelope's only property: its rules are beside those of the envelope, in the schema of
    // the response.
    void content(yaml::Node const& response, std::string const& wrapper, yaml::Entry const& entry,
                 Place const& outside) {
        bool const is_list = response.find("list") != nullptr;
        auto const result = text_of(child(response, "result"));
        auto row = row_of(wrapper, entry, outside);
        row.rule = "/properties/" + entry.key;
        row.envelope_types = std::exchange(row.types, {is_list ? "array" : "object"});
        Place inside{row.operation, row.side, row.pointer, row.rule, row.around};
        if (is_list) {
            row.source = source_of(response);
            document_.rows.push_back(row);
            elements(child(response, "result"), row, inside);
            return;
        }
        row.source = source_of(child(objects_, result));
        if (is_component(result)) row.rule = inside.rule += "/$ref";
        document_.rows.push_back(row);
        object(result, inside);
    }

    void object(std::string const& name, Place const& place) {
        for (auto const& entry : child(child(objects_, name), "members").entries()) {
            member(name, entry, place);
        }
    }

    MemberRow row_of(std::string const& object_name, yaml::Entry const& entry,
                     Place const& place) const {
        auto const& node = entry.value;
        for (auto const& word : node.entries()) {
            INFO(object_name << "." << entry.key << ": " << word.key);
            REQUIRE(member_words.count(word.key) == 1);
        }
        MemberRow row;
        row.operation = place.operation;
        row.side = place.side;
        row.pointer = place.pointer + "/" + entry.key;
        row.rule = place.rule + "/properties/" + entry.key;
        row.object_rule = place.rule;
        row.object_source = source_of(child(objects_, object_name));
        row.source = node.find("section") ? source_of(node) : row.object_source;
        row.around = place.around;
        if (auto const* needs = node.find("needs")) {
            add_texts(*needs, place.pointer + "/", row.around);
        }
        if (is_true(node, "component")) row.rule += "/$ref";
        read_rules(node, row);
        return row;
    }

    void member(std::string const& object_name, yaml::Entry const& entry, Place const& place) {
        auto const& node = entry.value;
        auto row = row_of(object_name, entry, place);
        Place inner = place;
        inner.pointer = row.pointer;
        inner.rule = row.rule;
        inner.around = row.around;
        if (auto const* is = node.find("is")) {
            if (is_component(is->text())) row.rule = inner.rule += "/$ref";
            row.source = source_of(child(objects_, is->text()));
            document_.rows.push_back(row);
            object(is->text(), inner);
            return;
        }
        document_.rows.push_back(row);
        if (auto const* of = node.find("of")) elements(*of, row, inner);
    }

    // The items of an array: `of` is a type, a list of values, or an object.
    void elements(yaml::Node const& of, MemberRow const& array, Place inner) {
        inner.pointer += "/0";
        inner.rule += "/items";
        MemberRow row;
        row.operation = array.operation;
        row.side = array.side;
        row.pointer = inner.pointer;
        row.source = array.source;
        row.around = array.around;
        row.is_element = true;
        bool const is_object = of.is_string() && objects_.find(of.text()) != nullptr;
        if (of.is_sequence()) {
            row.is_enum = true;
            row.values = texts_of(of);
        } else {
            row.types = {is_object ? "object" : of.text()};
        }
        if (is_object) {
            if (is_component(of.text())) inner.rule += "/$ref";
            row.source = source_of(child(objects_, of.text()));
        }
        row.rule = inner.rule;
        document_.rows.push_back(row);
        if (is_object) object(of.text(), inner);
    }

    static void read_rules(yaml::Node const& node, MemberRow& row) {
        if (auto const* type = node.find("type")) {
            if (type->text() == "enum") {
                row.is_enum = true;
                row.values = texts_of(child(node, "values"));
            } else {
                row.types = type->is_sequence() ? texts_of(*type)
                                                : std::vector<std::string>{text_of(*type)};
            }
        }
        if (is_true(node, "nullable")) row.types.emplace_back("null");
        if (auto const* range = node.find("range")) {
            REQUIRE(range->items().size() == 2);
            row.least = range->items()[0].text();
            row.most = range->items()[1].text();
        }
        if (auto const* least = node.find("at_least")) row.least = least->text();
        if (auto const* multiple = node.find("multiple")) row.multiple = multiple->text();
        if (auto const* text = node.find("const")) row.constant = text_of(*text);
        if (auto const* longest = node.find("longest")) row.longest = size_of(*longest);
        if (auto const* pattern = node.find("pattern")) row.pattern = text_of(*pattern);
        if (auto const* format = node.find("format")) row.format = text_of(*format);
        if (auto const* count = node.find("count")) {
            REQUIRE(count->items().size() == 2);
            row.fewest_elements = size_of(count->items()[0]);
            row.most_elements = size_of(count->items()[1]);
        }
        row.milliseconds = is_true(node, "milliseconds");
        row.required = is_true(node, "required");
        row.deprecated = is_true(node, "deprecated");
        row.secret = is_true(node, "secret");
        row.has_conditions = is_true(node, "for_some");
    }

    static void add_texts(yaml::Node const& node, std::string const& front,
                          std::vector<std::pair<std::string, std::string>>& out) {
        for (auto const& entry : node.entries()) {
            out.emplace_back(front + entry.key, text_of(entry.value));
        }
    }

    std::string source_of(yaml::Node const& node) const {
        return document_.name + " " + text_of(child(node, "section"));
    }

    bool is_component(std::string const& object_name) const {
        return is_true(child(objects_, object_name), "component");
    }

    yaml::Node const& root_;
    Document& document_;
    yaml::Node const& objects_;
};

Document read_document(std::string const& file) {
    auto const loaded = load("tests/contract/documents/" + file);
    auto const& root = loaded.root();
    Document document;
    document.name = text_of(child(root, "document"));
    document.contract = text_of(child(root, "contract"));
    document.sections = texts_of(child(root, "sections"));
    document.secrets = texts_of(child(root, "secrets"));
    Walk{root, document}.all_bodies();
    return document;
}

} // namespace

bool MemberRow::allows(std::string const& type) const {
    return std::find(types.begin(), types.end(), type) != types.end();
}

bool Document::has_section(std::string const& source) const {
    return std::any_of(sections.begin(), sections.end(),
                       [&](auto const& section) { return source == name + " " + section; });
}

std::vector<Document> const& documents() {
    static std::vector<Document> const both{read_document("management.yaml"),
                                            read_document("observability.yaml")};
    return both;
}

} // namespace sallyport::contract::test
