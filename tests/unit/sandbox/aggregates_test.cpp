// The functions that the sandbox adds to SQL, by themselves.
#include "deploy/sandbox/database.h"

#include <catch2/catch.hpp>

#include <optional>
#include <string>

namespace aggregates_test {

using namespace sallyport::sandbox;

namespace {

// The function over these rows; empty if it is null.
std::optional<double> over(std::string const& function, std::string const& rows) {
    Database database;
    Rows found =
        database.query("WITH t(a, b, c) AS (" + rows + ") SELECT " + function + ", 1 FROM t");
    REQUIRE(found.next());
    return found.text(0).empty() ? std::nullopt : std::optional{found.real(0)};
}

} // namespace

TEST_CASE("without rows, and for nulls only, quantile and newest are null") {
    std::string const none = "SELECT 1, 1, 1 WHERE 0";
    std::string const nulls = "VALUES (NULL, 0.5, 1), (NULL, 0.5, 2)";
    for (std::string const& rows : {none, nulls}) {
        CHECK_FALSE(over("quantile(a, b)", rows));
        CHECK_FALSE(over("newest(a, b, c)", rows));
    }
}

TEST_CASE("quantile returns the number at the nearest rank, in any order and with nulls") {
    std::string const rows = "VALUES (4, 0, 0), (NULL, 0, 0), (1, 0, 0), (3, 0, 0), (2, 0, 0)";
    CHECK(over("quantile(a, 0.01)", rows) == 1);
    CHECK(over("quantile(a, 0.25)", rows) == 1);
    CHECK(over("quantile(a, 0.26)", rows) == 2);
    CHECK(over("quantile(a, 0.5)", rows) == 2);
    CHECK(over("quantile(a, 0.99)", rows) == 4);
    CHECK(over("quantile(a, 1)", rows) == 4);
    // Levels that no request can have stay within the numbers.
    CHECK(over("quantile(a, -1)", rows) == 1);
    CHECK(over("quantile(a, 7)", rows) == 4);
    CHECK(over("quantile(a, NULL)", rows) == 1);
    CHECK(over("quantile(a, 'x')", rows) == 1);
}

TEST_CASE("newest returns the value of the latest time, then of the highest number, in any order") {
    CHECK(over("newest(a, b, c)", "VALUES (1, 5, 1), (2, 4, 9), (3, 5, 0)") == 1);
    CHECK(over("newest(a, b, c)", "VALUES (3, 5, 0), (2, 4, 9), (1, 5, 1)") == 1);
    CHECK(over("newest(a, b, c)", "VALUES (7, -5, 0), (8, -6, 0), (NULL, 0, 0)") == 7);
}

} // namespace aggregates_test
