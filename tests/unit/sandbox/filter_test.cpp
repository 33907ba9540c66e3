// `where`: invalid expressions are refused with the reason, valid ones select the right points.
#include "deploy/sandbox/filter.h"

#include "tests/unit/sandbox/requests.h"

#include "deploy/sandbox/resources.h"

#include <initializer_list>

namespace filter_test {

using namespace sallyport::sandbox;

namespace {

std::string problem_of(std::string const& expression) {
    auto const compiled = compile_filter(expression);
    auto const* const problem = std::get_if<FilterProblem>(&compiled);
    return problem == nullptr ? "" : problem->text;
}

// Four points of which each condition selects some; the result is their numbers.
struct Points : Sandbox {
    Points() : Sandbox{{.events = 0}} {
        add({1, 0, 1, 10, "orders", "info", "host-1", 200, "", "GET /orders completed 200"});
        add({1, 0, 2, 20, "orders", "error", "host-2", 500, "", "Payment REFUSED by bank"});
        add({1, 0, 3, 30, "checkout", "info", "", 0, "", ""});
        add({1, 0, 4, 40, "orders-archive", "warn", "", 404, "", "not:a field's name"});
    }

    void add(Point const& point) { insert_point(database, point); }

    std::string of(std::string const& expression) {
        auto const compiled = compile_filter(expression);
        if (auto const* const problem = std::get_if<FilterProblem>(&compiled)) {
            return problem->text;
        }
        auto const& condition = std::get<Sql>(compiled);
        std::string numbers;
        Rows rows = database.query("SELECT number FROM points WHERE source = 1 AND "
                                       + condition.text + " ORDER BY number",
                                   condition.values);
        while (rows.next())
            numbers += std::to_string(rows.integer(0));
        return numbers;
    }
};

} // namespace

TEST_CASE("an invalid expression is refused with its reason") {
    struct Case {
        std::string expression;
        char const* problem;
    };
    for (Case const& c : std::initializer_list<Case>{
             {"color:red", "where has a field that is not known"},
             {":red", "where has a field that is not known"},
             {"level:", "where lacks a term"},
             {"NOT", "where lacks a term"},
             {"a AND", "where lacks a term"},
             {"OR a OR", "where lacks a term"},
             {"(a", "where has a bracket too few"},
             {"()", "where lacks a term"},
             {"a)", "where has a bracket too many"},
             {"\"a", "where has a quotation mark too few"},
             {"level:\"a", "where has a quotation mark too few"},
             {"status:many", "where must compare status with a number"},
             {"status:>", "where must compare status with a number"},
             {"status:>1x", "where must compare status with a number"},
             {"level:>1", "where compares level, which is not a number"},
             {"status:[1 TO", "a range of where is not [NUMBER TO NUMBER]"},
             {"status:[1]", "a range of where is not [NUMBER TO NUMBER]"},
             {"status:[a TO 2]", "where must compare status with a number"},
             {"level:[1 TO 2]", "where compares level, which is not a number"},
             {std::string(4097, 'a'), "where is too long"},
             {std::string(17, '(') + "a" + std::string(17, ')'), "where is nested too deeply"},
             {std::string(17, '-') + "a", "where is nested too deeply"}}) {
        INFO(c.expression);
        CHECK(problem_of(c.expression) == c.problem);
    }
    std::string terms = "a";
    for (int i = 0; i < 64; ++i)
        terms += " a";
    CHECK(problem_of(terms) == "where has too many terms");
    CHECK(problem_of(terms.substr(2)).empty());
    CHECK(problem_of(std::string(16, '(') + "a" + std::string(16, ')')).empty());
}

TEST_CASE("a term selects by part, by equality, by presence, or by number") {
    Points points;
    CHECK(points.of("") == "1234");
    CHECK(points.of("  ") == "1234");
    CHECK(points.of("service:orders") == "124");
    CHECK(points.of("service:ORDERS") == "124");
    CHECK(points.of("service:order*") == "124");
    CHECK(points.of("service:\"orders\"") == "12");
    CHECK(points.of("service:\"ORDERS\"") == "");
    CHECK(points.of("host:*") == "12");
    CHECK(points.of("status:200") == "1");
    CHECK(points.of("status:\"200\"") == "1");
    CHECK(points.of("status:>200") == "24");
    CHECK(points.of("status:>=200") == "124");
    CHECK(points.of("status:<404") == "1");
    CHECK(points.of("status:<=404") == "14");
    CHECK(points.of("status:[200 TO 404]") == "14");
    CHECK(points.of("duration:>2.5e1") == "34");
    CHECK(points.of("refused") == "2");
    CHECK(points.of("\"/orders completed\"") == "1");
    CHECK(points.of("\"not:a field's\"") == "4");
}

TEST_CASE("terms are joined: AND binds closer than OR, and NOT includes points without the field") {
    Points points;
    CHECK(points.of("service:orders level:error") == "2");
    CHECK(points.of("service:orders AND level:error") == "2");
    CHECK(points.of("level:warn OR service:checkout AND level:error") == "4");
    CHECK(points.of("(level:warn OR service:checkout) AND level:info") == "3");
    CHECK(points.of("NOT level:info") == "24");
    CHECK(points.of("-level:info") == "24");
    CHECK(points.of("!level:info -level:warn") == "2");
    CHECK(points.of("NOT (level:info OR level:warn)") == "2");
    CHECK(points.of("NOT host:host-1") == "234");
    CHECK(points.of("NOT status:>300") == "13");
    CHECK(points.of("NOT NOT level:warn") == "4");
    CHECK(points.of("ORacle OR ANDes OR refused") == "2");
}

TEST_CASE("no value becomes a part of the statement") {
    Points points;
    CHECK(points.of("service:'); DROP TABLE points") == "where has a bracket too many");
    CHECK(points.of("service:\"' OR 1=1 --\"") == "");
    CHECK(points.of("\"?\"") == "");
    CHECK(points.of("level:'||level||'") == "");
    CHECK(points.of("") == "1234");
}

} // namespace filter_test
