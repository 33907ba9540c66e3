// Which problems of a reload the log has.
#include "gateway/lifecycle/reported_problems.h"

#include <catch2/catch.hpp>

namespace sallyport::lifecycle::test::reported_problems_test {
namespace {

using Texts = std::vector<std::string>;

[[nodiscard]] Texts take(ReportedProblems& reported, bool adopted, Texts const& problems) {
    LoadAttempt attempt;
    attempt.adopted = adopted;
    attempt.problems = problems;
    Texts found;
    for (auto const* const one : reported.take_new(attempt))
        found.push_back(*one);
    return found;
}

TEST_CASE("a warning that the configuration before had is not reported again, on whatever line") {
    ReportedProblems reported{{"a.yaml:3:5: warning: x: is old", "b.yaml:1:2: warning: y: same"}};
    CHECK(take(reported, true, {"a.yaml:3:5: warning: x: is old"}).empty());
    CHECK(take(reported, true, {"a.yaml:14:9: warning: x: is old"}).empty());
    CHECK(take(reported, true, {"a.yaml:3:5: warning: x: is new"})
          == Texts{"a.yaml:3:5: warning: x: is new"});
    // It was gone meanwhile.
    CHECK(take(reported, true, {"a.yaml:3:5: warning: x: is old"})
          == Texts{"a.yaml:3:5: warning: x: is old"});
    CHECK(take(reported, true, {"c.yaml:3:5: warning: x: is old"}).size() == 1);
}

TEST_CASE("the line of the next place does not count either, other numbers do") {
    std::string const counted =
        "a.yaml:3:5: warning: x: what (and at 2 other places, the next on line ";
    ReportedProblems reported{{counted + "40)", "a.yaml:1:1: warning: port 80 of 127.0.0.1:80"}};
    CHECK(take(reported, true, {counted + "41)", "a.yaml:1:1: warning: port 80 of 127.0.0.1:80"})
              .empty());
    CHECK(take(reported, true, {"a.yaml:1:1: warning: port 81 of 127.0.0.1:80"}).size() == 1);
    CHECK(take(reported, true, {"a.yaml:1:1: warning: port 81 of 127.0.0.1:81"}).size() == 1);
}

TEST_CASE("a configuration that is rejected is reported with all its problems, each time") {
    ReportedProblems reported{{"a.yaml:3:5: warning: x: is old"}};
    Texts const problems{"a.yaml:3:5: warning: x: is old", "a.yaml:4:5: y: is wrong"};
    CHECK(take(reported, false, problems) == problems);
    CHECK(take(reported, false, problems) == problems);
    CHECK(take(reported, true, {"a.yaml:3:5: warning: x: is old"}).empty());
}

} // namespace
} // namespace sallyport::lifecycle::test::reported_problems_test
