// See cases.h.
#include "tests/contract/cases.h"

#include "tests/contract/read.h"

#include <catch2/catch.hpp>
#include <set>

namespace sallyport::contract::test {

namespace yaml = config::yaml;

namespace {

std::set<std::string> const case_words{"name",     "operation", "side",      "labels", "levels",
                                       "passes",   "refused",   "malformed", "reason", "because",
                                       "reported", "unknown",   "deprecated"};

LabelValue label_value(yaml::Node const& node) {
    if (node.kind() == yaml::Kind::boolean) return node.as_boolean();
    if (node.is_integer()) return node.as_integer();
    if (node.is_number()) return node.as_number();
    return text_of(node);
}

std::vector<ExpectedViolation> violations_of(yaml::Node const* list) {
    std::vector<ExpectedViolation> violations;
    if (list == nullptr) return violations;
    REQUIRE(list->is_sequence());
    for (auto const& row : list->items()) {
        ExpectedViolation violation{
            text_of(child(row, "pointer")), text_of(child(row, "rule")), {}, {}};
        for (auto const& entry : row.entries()) {
            if (entry.key == "expected") {
                violation.expected = text_of(entry.value);
            } else if (entry.key == "message") {
                violation.message = text_of(entry.value);
            } else {
                INFO(entry.key);
                REQUIRE((entry.key == "pointer" || entry.key == "rule"));
            }
        }
        violations.push_back(std::move(violation));
    }
    return violations;
}

// The values that all bodies of a row share.
Case common_part(yaml::Node const& row) {
    Case each;
    each.name = text_of(child(row, "name"));
    each.operation = text_of(child(row, "operation"));
    if (auto const side = text_or_empty(row, "side"); !side.empty()) {
        REQUIRE(side == "response");
        each.side = Side::response;
    }
    if (auto const* labels = row.find("labels")) {
        for (auto const& entry : labels->entries()) {
            each.labels.push_back({entry.key, label_value(entry.value)});
        }
    }
    if (auto const* levels = row.find("levels")) {
        for (auto const& entry : levels->entries()) {
            auto const level = level_from(text_of(entry.value));
            REQUIRE(level.has_value());
            each.levels.push_back({each.operation, entry.key, *level});
        }
    }
    each.because = violations_of(row.find("because"));
    each.reported = violations_of(row.find("reported"));
    if (auto const* unknown = row.find("unknown")) each.unknown_members = size_of(*unknown);
    if (auto const* deprecated = row.find("deprecated")) each.deprecated = texts_of(*deprecated);
    return each;
}

void add_row(yaml::Node const& row, std::vector<Case>& cases) {
    for (auto const& entry : row.entries()) {
        INFO(row.mark().file_name() << ":" << entry.mark.line << ": " << entry.key);
        REQUIRE(case_words.count(entry.key) == 1);
    }
    auto each = common_part(row);
    INFO(each.name);
    auto const* const passes = row.find("passes");
    auto const* const refused = row.find("refused");
    auto const* const malformed = row.find("malformed");
    REQUIRE((passes != nullptr) + (refused != nullptr) + (malformed != nullptr) == 1);
    REQUIRE((refused != nullptr) == !each.because.empty());
    if (passes != nullptr) {
        REQUIRE_FALSE(texts_of(*passes).empty());
        for (auto const& body : texts_of(*passes)) {
            each.body = body;
            cases.push_back(each);
        }
        return;
    }
    each.outcome = refused != nullptr ? Outcome::violated : Outcome::malformed;
    each.body = text_of(refused != nullptr ? *refused : *malformed);
    if (malformed != nullptr) each.malformed = text_of(child(row, "reason"));
    cases.push_back(each);
}

} // namespace

std::vector<Case> read_cases(std::string const& file) {
    auto const document = load("tests/contract/cases/" + file);
    std::vector<Case> cases;
    for (auto const& row : child(document.root(), "cases").items())
        add_row(row, cases);
    REQUIRE_FALSE(cases.empty());
    return cases;
}

} // namespace sallyport::contract::test
