// Every property of every body: each rule that the document states for it refuses the invalid
// values, and no others.
#include "tests/contract/body.h"
#include "tests/contract/probes.h"
#include "tests/contract/shipped.h"
#include "tests/unit/contract/sent_text.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace test_members {

using namespace sallyport::contract;
using namespace sallyport::contract::test;

namespace {

std::vector<MemberRow> all_rows() {
    std::vector<MemberRow> rows;
    for (auto const& document : documents()) {
        rows.insert(rows.end(), document.rows.begin(), document.rows.end());
    }
    return rows;
}

// The smallest valid body, with `value` for the property.
Body body_with(MemberRow const& row, std::string const& value) {
    Body body;
    bool is_filled = false; // with the required properties of the object
    for (auto const& [pointer, text] : row.around) {
        body.set(pointer, text);
        is_filled = is_filled || pointer.rfind(row.pointer + '/', 0) == 0;
    }
    if (!is_filled || value != "{}") body.set(row.pointer, value);
    return body;
}

using Rules = std::vector<std::string>;

// Rules are compared in any order: the document does not define one.
void check_refused(MemberRow const& row, Probe const& probe) {
    auto const body = body_with(row, probe.value).text();
    INFO(row.operation << (row.side == Side::request ? " request " : " response ") << body);
    auto report = validate(row.operation, row.side, body);
    CHECK(report.outcome == Outcome::violated);
    auto const by_rule = [](auto const& left, auto const& right) {
        return left.rule_pointer < right.rule_pointer;
    };
    auto broken = probe.broken;
    std::sort(broken.begin(), broken.end(), by_rule);
    std::sort(report.violations.begin(), report.violations.end(), by_rule);
    Rules expected;
    Rules found;
    for (auto const& each : broken)
        expected.push_back(rule_name(row.side, each.rule_pointer));
    for (auto const& each : report.violations)
        found.emplace_back(each.rule_pointer);
    CHECK(found == expected);
    if (found != expected) return;
    for (std::size_t index = 0; index < broken.size(); ++index) {
        auto const& violation = report.violations[index];
        CHECK(violation.pointer == row.pointer);
        CHECK(violation.rule
              == broken[index].rule_pointer.substr(broken[index].rule_pointer.rfind('/') + 1));
        CHECK(violation.source == broken[index].source);
        CHECK(violation.expected == broken[index].expected);
        CHECK(violation.level == Level::enforce);
        CHECK(message_of(violation) == row.pointer + " " + broken[index].phrase);
    }
}

template <typename MakeProbes>
void check_all_refused(MakeProbes make_probes, std::size_t at_least) {
    std::size_t checked = 0;
    for (auto const& row : all_rows()) {
        for (auto const& probe : make_probes(row)) {
            check_refused(row, probe);
            ++checked;
        }
    }
    CHECK(checked >= at_least); // a table without rows would prove nothing
}

} // namespace

TEST_CASE("a value of a type that the document does not allow for a property is refused") {
    check_all_refused(wrong_types, 2000);
}

TEST_CASE("a number one step outside its range or its multiples is refused") {
    check_all_refused(wrong_numbers, 60);
}

TEST_CASE("a value that is not in the document's enum is refused") {
    check_all_refused(wrong_words, 36);
}

TEST_CASE("a string of another format, or too long, is refused") {
    check_all_refused(wrong_texts, 100);
}

TEST_CASE("an array with one element too few or too many is refused") {
    check_all_refused(wrong_counts, 2);
}

TEST_CASE("a body without a required property is refused") {
    std::size_t checked = 0;
    for (auto const& row : all_rows()) {
        if (!row.required) continue;
        auto body = body_with(row, "0");
        body.remove(row.pointer);
        INFO(row.operation << " " << body.text());
        auto const report = validate(row.operation, row.side, body.text());
        REQUIRE(report.violations.size() == 1);
        auto const& violation = report.violations.front();
        CHECK(violation.pointer == row.pointer.substr(0, row.pointer.rfind('/')));
        CHECK(violation.rule == "required");
        CHECK(violation.rule_pointer == rule_name(row.side, row.object_rule + "/required"));
        CHECK(violation.expected == '"' + row.name() + '"');
        CHECK(violation.source == row.object_source);
        ++checked;
    }
    CHECK(checked >= 24);
}

TEST_CASE("every value that the document allows passes, and deprecated properties are reported") {
    std::size_t checked = 0;
    for (auto const& row : all_rows()) {
        for (auto const& value : passing_values(row)) {
            auto const body = body_with(row, value).text();
            INFO(row.operation << (row.side == Side::request ? " request " : " response ") << body);
            auto const report = validate(row.operation, row.side, body);
            for (auto const& violation : report.violations)
                UNSCOPED_INFO(message_of(violation));
            CHECK(report.outcome == Outcome::valid);
            CHECK(report.violations.empty());
            CHECK(report.reported.empty());
            CHECK(report.unknown_members == 0);
            auto const is_named = std::find(report.deprecated_members.begin(),
                                            report.deprecated_members.end(), row.name())
                                  != report.deprecated_members.end();
            CHECK(is_named == row.deprecated);
            ++checked;
        }
    }
    CHECK(checked >= 1000);
}

TEST_CASE("an unknown property beside any property passes, and is counted") {
    for (auto const& row : all_rows()) {
        if (row.is_element) continue;
        auto body = body_with(row, passing_values(row).front());
        auto const object = row.pointer.substr(0, row.pointer.rfind('/'));
        for (auto const* value : {"null", "[{\"a\":null}]"}) {
            body.set(object + "/not in the document", value);
            INFO(row.operation << " " << body.text());
            auto const report = validate(row.operation, row.side, body.text());
            CHECK(report.outcome == Outcome::valid);
            CHECK(report.unknown_members == 1);
        }
    }
}

} // namespace test_members
