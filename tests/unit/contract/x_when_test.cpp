// x-when: rules for callers with certain labels.
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

namespace sallyport::contract::test::x_when_test {
namespace {

constexpr std::string_view for_callers = R"yaml(
properties:
  memory:
    maximum: 1068
    x-when:
      - { labels: { paid: false }, schema: { maximum: 360 } }
  profile:
    x-when: [{ labels: { tier: [BASIC, SCALE] }, schema: false }]
x-when:
  - labels: { tier: [SCALE, ENTERPRISE], level: 2 }
    schema: { required: [replicas] }
)yaml";

TEST_CASE("x-when applies to callers with all its labels, and to no others") {
    Checker checker{for_callers};
    CHECK(checker.verdict(R"({"memory":361})", {{"paid", false}})
          == "/memory must be at most 360 for this caller");
    CHECK(checker.check(R"({"memory":361})", {{"paid", false}}).violations[0].rule_pointer
          == "/properties/memory/x-when/0/schema/maximum");
    CHECK(checker.verdict(R"({"memory":361})", {{"paid", true}}) == "valid");
    CHECK(checker.verdict(R"({"memory":361})", {}) == "valid");
    CHECK(checker.verdict(R"({"memory":1069})", {}) == "/memory must be at most 1068");
    // Values are typed.
    CHECK(checker.verdict(R"({"memory":361})", {{"paid", std::string{"false"}}}) == "valid");
    CHECK(checker.verdict(R"({"memory":361})", {{"paid", std::int64_t{0}}}) == "valid");

    CHECK(checker.verdict(R"({"profile":1})", {{"tier", std::string{"SCALE"}}})
          == "/profile must not be present for this caller");
    CHECK(checker.verdict(R"({"profile":1})", {{"tier", std::string{"ENTERPRISE"}}}) == "valid");

    Labels const both{{"tier", std::string{"SCALE"}}, {"level", 2.0}};
    CHECK(checker.verdict("{}", both) == "/replicas is required");
    CHECK(checker.verdict("{}", {{"tier", std::string{"SCALE"}}}) == "valid");
    CHECK(checker.verdict("{}", {{"tier", std::string{"BASIC"}}, {"level", 2.0}}) == "valid");
}

TEST_CASE("a contract lists the labels that it uses") {
    CHECK(load_schema(for_callers)->label_names()
          == std::vector<std::string>{"level", "paid", "tier"});
}

} // namespace
} // namespace sallyport::contract::test::x_when_test
