// Chart series: invalid ones are refused, the others are compared with numbers calculated by
// hand.
#include "tests/unit/sandbox/requests.h"

#include "deploy/sandbox/resources.h"

#include <boost/json/serialize.hpp>

#include <initializer_list>

namespace charts_test {

using namespace sallyport::sandbox;
namespace json = boost::json;

namespace {

constexpr std::int64_t minute = 60'000;
constexpr std::int64_t noon = seed::first_time + 12 * 60 * minute;

std::string between(std::int64_t start, std::int64_t end) {
    return R"("startTime":)" + std::to_string(start) + R"(,"endTime":)" + std::to_string(end);
}

// An element of `series` about the events.
std::string element(std::string const& aggregate, std::string const& more = {}) {
    return R"({"sourceId":")" + std::string{seed::events_id} + R"(","aggFn":")" + aggregate + "\""
           + more + "}";
}

// The example data without its points; those of a test are added one by one.
struct Charts : Sandbox {
    std::int64_t count = 0;

    Charts() : Sandbox{{.events = 0}} {}

    void add(std::int64_t time, double value, std::string_view service,
             std::string_view level = "info") {
        Point point;
        point.source = 1;
        point.time = time;
        point.number = ++count;
        point.value = value;
        point.service = service;
        point.level = level;
        point.status = level == "error" ? 500 : 200;
        insert_point(database, point);
    }

    Reply post(std::string const& series, std::string const& rest) {
        return ask("POST", "/api/v2/charts/series", R"({"series":[)" + series + "]," + rest + "}");
    }

    json::array rows(std::string const& series, std::string const& rest) {
        return data_of(post(series, rest)).as_array();
    }

    // The first series alone, in order.
    std::string numbers(std::string const& series, std::string const& rest) {
        json::array numbers;
        for (auto const& row : rows(series, rest))
            numbers.push_back(row.at("series_0.data"));
        return json::serialize(numbers);
    }
};

// Three minutes: 10 and 30 of orders, 20 of checkout (an error); nothing; 5 of orders.
struct ThreeMinutes : Charts {
    std::string const range = between(noon, noon + 3 * minute) + R"(,"granularity":"1m")";

    ThreeMinutes() {
        add(noon, 10, "orders");
        add(noon + 1'000, 20, "checkout", "error");
        add(noon + minute - 1, 30, "orders");
        add(noon + 2 * minute, 5, "orders");
    }
};

void check_error(Reply const& reply, unsigned status, std::string const& error) {
    INFO(reply.body);
    CHECK(reply.status == status);
    CHECK(body_of(reply) == json::value{{"error", error}});
}

} // namespace

TEST_CASE("an invalid chart is refused") {
    Charts charts;
    auto const ask = [&](std::string const& body) {
        return charts.ask("POST", "/api/v2/charts/series", body);
    };
    std::string const day = between(noon, noon + 1);
    std::string const one = element("count");
    check_error(ask("{}"), 400, "series must be an array");
    check_error(charts.post("", day), 400, "series must hold 1 to 5 elements");
    check_error(charts.post(one + "," + one + "," + one + "," + one + "," + one + "," + one, day),
                400, "series must hold 1 to 5 elements");
    check_error(charts.post("1", day), 400, "series must hold objects");
    std::string const times = "startTime and endTime must be times in milliseconds";
    check_error(charts.post(one, R"("startTime":0)"), 400, times);
    check_error(charts.post(one, R"("startTime":"0","endTime":1)"), 400, times);
    check_error(charts.post(one, R"("startTime":0,"endTime":1e300)"), 400, times);
    check_error(charts.post(one, day + R"(,"granularity":"3m")"), 400, "granularity is not known");
    check_error(charts.post(one, day + R"(,"granularity":1)"), 400, "granularity must be a string");
    check_error(charts.post(one, R"("startTime":0,"endTime":8.64e15,"granularity":"30s")"), 400,
                "there are too many buckets");
    check_error(charts.post(one, day + R"(,"seriesReturnType":"pie")"), 400,
                "seriesReturnType is not known");
    check_error(charts.post(one, day + R"(,"seriesReturnType":"ratio")"), 400,
                "a ratio needs exactly two series");
}

TEST_CASE("a series that cannot be computed is refused") {
    Charts charts;
    std::string const day = between(noon, noon + 1);
    check_error(charts.post(R"({"aggFn":"count"})", day), 400, "each series needs a sourceId");
    check_error(charts.post(R"({"sourceId":1,"aggFn":"count"})", day), 400,
                "sourceId must be a string");
    check_error(charts.post(R"({"sourceId":"nobody","aggFn":"count"})", day), 404,
                "Source not found");
    check_error(charts.post(R"({"sourceId":")" + std::string{seed::events_id} + "\"}", day), 400,
                "each series needs an aggFn");
    struct Case {
        char const* aggregate;
        char const* more;
        char const* error;
    };
    for (Case const& c : std::initializer_list<Case>{
             {"median", "", "aggFn is not known"},
             {"sum", R"(,"field":"color")", "field is not known"},
             {"sum", R"(,"field":"service")", "this aggFn needs a field that is a number"},
             {"sum", R"(,"field":null)", "field must be a string"},
             {"quantile", R"(,"level":"0.5")", "level must be a number"},
             {"quantile", R"(,"level":0)", "level must be above 0 and at most 1"},
             {"quantile", R"(,"level":1.1)", "level must be above 0 and at most 1"},
             {"count", R"(,"where":1)", "where must be a string"},
             {"count", R"(,"where":"level:")", "where lacks a term"},
             {"count", R"(,"whereLanguage":"sql")", "whereLanguage must be lucene here"},
             {"count", R"(,"groupBy":"level")", "groupBy must be an array"},
             {"count", R"(,"groupBy":[1])", "groupBy must hold names of fields"},
             {"count", R"(,"groupBy":["color"])", "groupBy has a field that is not known"},
             {"count", R"(,"groupBy":["level","level","level","level","level","level"])",
              "groupBy has too many entries"}}) {
        INFO(c.aggregate << c.more);
        check_error(charts.post(element(c.aggregate, c.more), day), 400, c.error);
    }
    check_error(
        charts.post(element("count", R"(,"groupBy":["level"])") + "," + element("count"), day), 400,
        "All series must have the same groupBy fields");
}

TEST_CASE("rows ascend in whole buckets, one for each, with a number for each series") {
    ThreeMinutes charts;
    auto const rows = charts.rows(element("count") + "," + element("sum"), charts.range);
    CHECK(json::serialize(rows)
          == json::serialize(json::parse(
              R"([{"ts_bucket":1709294400000,"series_0.data":3,"series_1.data":60},
                  {"ts_bucket":1709294460000,"series_0.data":0,"series_1.data":0},
                  {"ts_bucket":1709294520000,"series_0.data":1,"series_1.data":5}])")));
}

TEST_CASE("the start is inclusive and the end exclusive; a bucket begins before the start") {
    ThreeMinutes charts;
    auto const rest = R"(,"granularity":"1m")";
    CHECK(charts.numbers(element("count"), between(noon + 1, noon + 2 * minute) + rest) == "[2,0]");
    auto const rows = charts.rows(element("count"), between(noon + 1, noon + 2) + rest);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].at("ts_bucket") == noon);
    CHECK(charts.numbers(element("count"), between(noon, noon + 2 * minute + 1) + rest)
          == "[3,0,1]");
    CHECK(charts.numbers(element("count"), between(noon, noon + 1'000) + rest) == "[1]");
    CHECK(charts.numbers(element("count"), between(noon, noon + 1'001) + rest) == "[2]");
    CHECK(charts.numbers(element("count"), between(noon, noon) + rest) == "[]");
    CHECK(charts.numbers(element("count"), between(noon + 1, noon) + rest) == "[]");
}

TEST_CASE("buckets before 1970 ascend too") {
    Charts charts;
    charts.add(-1, 1, "orders");
    charts.add(-minute, 2, "orders");
    charts.add(-minute - 1, 4, "orders");
    auto const rest = between(-2 * minute, minute) + R"(,"granularity":"1m")";
    CHECK(charts.numbers(element("sum"), rest) == "[4,3,0]");
}

TEST_CASE("each granularity is its own width of buckets") {
    Charts charts;
    struct Case {
        char const* name;
        std::int64_t seconds;
    };
    for (Case const& c : std::initializer_list<Case>{{"30s", 30},
                                                     {"1m", 60},
                                                     {"5m", 300},
                                                     {"10m", 600},
                                                     {"15m", 900},
                                                     {"30m", 1'800},
                                                     {"1h", 3'600},
                                                     {"2h", 7'200},
                                                     {"6h", 21'600},
                                                     {"12h", 43'200},
                                                     {"1d", 86'400},
                                                     {"2d", 172'800},
                                                     {"7d", 604'800},
                                                     {"30d", 2'592'000}}) {
        INFO(c.name);
        std::int64_t const width = c.seconds * 1000;
        auto const rows = charts.rows(
            element("count"), between(width, 3 * width) + R"(,"granularity":")" + c.name + "\"");
        REQUIRE(rows.size() == 2);
        CHECK(rows[0].at("ts_bucket") == width);
        CHECK(rows[1].at("ts_bucket") == 2 * width);
    }
}

TEST_CASE("without a granularity, or with auto, any range gives a chart of a readable size") {
    Charts charts;
    for (char const* const range :
         {R"("startTime":0,"endTime":1)", R"("startTime":0,"endTime":3600000)",
          R"("startTime":0,"endTime":3600000,"granularity":"auto")",
          R"("startTime":-8.64e15,"endTime":8.64e15,"granularity":"auto")"}) {
        INFO(range);
        auto const rows = charts.rows(element("count"), range);
        CHECK(rows.size() >= 1);
        CHECK(rows.size() <= 62);
    }
    auto const hour = charts.rows(element("count"), between(noon, noon + 60 * minute));
    REQUIRE(hour.size() == 60);
    CHECK(hour[1].at("ts_bucket") == noon + minute);
}

TEST_CASE("each aggregation function computes its documented result") {
    ThreeMinutes charts;
    auto const numbers = [&](std::string const& aggregate, std::string const& more = {}) {
        return charts.numbers(element(aggregate, more), charts.range);
    };
    CHECK(numbers("count") == "[3,0,1]");
    CHECK(numbers("sum") == "[60,0,5]");
    CHECK(numbers("avg") == "[20,0,5]");
    CHECK(numbers("min") == "[10,0,5]");
    CHECK(numbers("max") == "[30,0,5]");
    CHECK(numbers("last_value") == "[30,0,5]");
    CHECK(numbers("count_distinct", R"(,"field":"service")") == "[2,0,1]");
    CHECK(numbers("sum", R"(,"field":"status")") == "[900,0,200]");
    CHECK(numbers("max", R"(,"field":"duration")") == "[30,0,5]");
    CHECK(numbers("quantile") == "[20,0,5]");
    CHECK(numbers("quantile", R"(,"level":0.3)") == "[10,0,5]");
    CHECK(numbers("p90") == "[30,0,5]");
}

TEST_CASE("a quantile is the value at its nearest rank") {
    Charts charts;
    for (int i = 1; i <= 200; ++i)
        charts.add(noon + (i * 37) % 200, i, "orders");
    auto const range = between(noon, noon + minute);
    CHECK(charts.numbers(element("p50"), range) == "[100,0]");
    CHECK(charts.numbers(element("p90"), range) == "[180,0]");
    CHECK(charts.numbers(element("p95"), range) == "[190,0]");
    CHECK(charts.numbers(element("p99"), range) == "[198,0]");
    CHECK(charts.numbers(element("quantile", R"(,"level":1)"), range) == "[200,0]");
}

TEST_CASE("where selects the points of its own series") {
    ThreeMinutes charts;
    auto const rows = charts.rows(element("count", R"(,"where":"service:orders")") + ","
                                      + element("count", R"(,"where":"level:error")"),
                                  charts.range);
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].at("series_0.data") == 2);
    CHECK(rows[0].at("series_1.data") == 1);
    CHECK(rows[2].at("series_0.data") == 1);
    CHECK(rows[2].at("series_1.data") == 0);
}

TEST_CASE("group by has a row for each existing bucket and group, in order") {
    ThreeMinutes charts;
    std::string const more = R"(,"groupBy":["service","level"])";
    auto const rows = charts.rows(element("sum", more) + ","
                                      + element("count", more + R"(,"where":"level:error")"),
                                  charts.range);
    CHECK(json::serialize(rows)
          == json::serialize(json::parse(
              R"([{"ts_bucket":1709294400000,"series_0.data":20,"series_1.data":1,
                   "group":["checkout","error"]},
                  {"ts_bucket":1709294400000,"series_0.data":40,"series_1.data":0,
                   "group":["orders","info"]},
                  {"ts_bucket":1709294520000,"series_0.data":5,"series_1.data":0,
                   "group":["orders","info"]}])")));
    // A field that a point does not have is an empty group; a number is its text.
    CHECK(charts.rows(element("count", R"(,"groupBy":["host"])"), charts.range)[0].at("group")
          == json::parse(R"([""])"));
    CHECK(charts.rows(element("count", R"(,"groupBy":["status"])"), charts.range)[0].at("group")
          == json::parse(R"(["200"])"));
}

TEST_CASE("the picked values of a group are its own") {
    ThreeMinutes charts;
    std::string const more = R"(,"groupBy":["service"])";
    CHECK(charts.numbers(element("last_value", more), charts.range) == "[20,30,5]");
    CHECK(charts.numbers(element("p50", more), charts.range) == "[20,10,5]");
}

TEST_CASE("a ratio divides the first series by the second, unless that is 0") {
    ThreeMinutes charts;
    std::string const errors = element("count", R"(,"where":"level:error")");
    auto const rows = charts.rows(errors + "," + element("count"),
                                  charts.range + R"(,"seriesReturnType":"ratio")");
    REQUIRE(rows.size() == 2);
    CHECK(names_of(rows[0]) == Names{"ts_bucket", "series_0.data"});
    CHECK(rows[0].at("series_0.data").as_double() == Approx(1.0 / 3));
    CHECK(rows[1].at("ts_bucket") == noon + 2 * minute);
    CHECK(rows[1].at("series_0.data") == 0);
    // As columns they stay unchanged.
    auto const columns = charts.rows(errors + "," + element("count"),
                                     charts.range + R"(,"seriesReturnType":"column")");
    CHECK(columns[0].at("series_0.data") == 1);
    CHECK(columns[0].at("series_1.data") == 3);
}

TEST_CASE("five series have a column each, each from its own source") {
    Sandbox sandbox;
    std::string const metric = R"({"sourceId":")" + std::string{seed::metrics_id}
                               + R"(","aggFn":"avg","where":"","groupBy":[],"metricName":")";
    std::string const body = R"({"series":[)" + element("count") + "," + element("avg") + ","
                             + element("p99") + "," + metric + R"(queue_depth"},)" + metric
                             + R"(cpu_load"}],)" + between(seed::first_time, seed::last_time)
                             + R"(,"granularity":"7d"})";
    auto const rows = data_of(sandbox.ask("POST", "/api/v2/charts/series", body)).as_array();
    REQUIRE(rows.size() == 2); // weeks begin on Thursdays, like 1970
    CHECK(rows[0].at("series_0.data").as_int64() + rows[1].at("series_0.data").as_int64() == 70);
    CHECK(rows[0].at("series_3.data").to_number<double>() > 1);
    CHECK(rows[0].at("series_4.data").to_number<double>() <= 1);
}

TEST_CASE("more groups than a chart can have are refused") {
    Charts charts;
    Transaction transaction{charts.database};
    for (int i = 0; i < 10'001; ++i)
        charts.add(noon + i, 1, "orders");
    transaction.commit();
    auto const range = between(noon, noon + minute);
    check_error(charts.post(element("count", R"(,"groupBy":["time"])"), range), 400,
                "there are too many rows");
}

TEST_CASE("a chart of 10,000 points reads the points of its range once, by their index") {
    Sandbox sandbox{{.events = 10'000}};
    auto const chart = [&](std::int64_t start, std::int64_t end) {
        sandbox.database.reset_work();
        std::string const body = R"({"series":[)" + element("avg", R"(,"groupBy":["service"])")
                                 + "]," + between(start, end) + R"(,"granularity":"1h"})";
        REQUIRE(sandbox.ask("POST", "/api/v2/charts/series", body).status == 200);
        return sandbox.database.work().steps;
    };
    auto const week = chart(seed::first_time, seed::last_time);
    auto const hour = chart(seed::first_time, seed::first_time + 60 * minute);
    CHECK(week < 10'000 * 200);
    // An hour has 60 of the points: without the index it would cost as much as the week.
    CHECK(hour < 60 * 400);
}

} // namespace charts_test
