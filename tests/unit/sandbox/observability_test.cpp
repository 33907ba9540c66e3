// The four operations of the observability API: errors in its shape, then dashboards, alerts and
// series.
#include "tests/unit/sandbox/asking.h"

#include <catch2/catch.hpp>

using namespace sallyport::sandbox;

namespace {

boost::json::value data_of(Reply const& reply) {
    REQUIRE(reply.status == 200);
    auto const body = body_of(reply);
    REQUIRE(names_of(body) == Names{"data"});
    return body.at("data");
}

void check_error(Reply const& reply, unsigned status, std::string const& message) {
    CHECK(reply.status == status);
    CHECK(body_of(reply) == boost::json::value{{"message", message}});
}

std::string chart(std::string const& rest) {
    return R"({"series":[{},{}],)" + rest + "}";
}

} // namespace

TEST_CASE("an unknown path, method or dashboard is refused in the shape of the API") {
    Sandbox sandbox;
    check_error(sandbox.ask("GET", "/elsewhere"), 404, "there is nothing here");
    check_error(sandbox.ask("GET", "/api/v2/dashboards/nobody"), 404, "Dashboard not found");
    check_error(sandbox.ask("PUT", "/api/v2/dashboards/nobody", "{}"), 404, "Dashboard not found");
    auto const wrong_method = sandbox.ask("DELETE", dashboard_path());
    check_error(wrong_method, 405, "the path does not take this method");
    REQUIRE(wrong_method.fields.size() == 2);
    CHECK(wrong_method.fields[1] == std::pair<std::string, std::string>{"Allow", "GET, PUT"});
}

TEST_CASE("tiles without a proper id are refused") {
    Sandbox sandbox;
    check_error(sandbox.ask("PUT", dashboard_path(), R"({"tiles":[1]})"), 400,
                "tiles must hold objects");
    check_error(sandbox.ask("PUT", dashboard_path(), R"({"tiles":[{"id":1}]})"), 400,
                "the id of a tile must be a string");
    check_error(sandbox.ask("PUT", dashboard_path(), R"({"tiles":[{"id":"a"},{"id":"a"}]})"), 400,
                "two tiles have the same id");
}

TEST_CASE("a chart that cannot be drawn is refused") {
    Sandbox sandbox;
    auto const ask = [&](std::string const& body) {
        return sandbox.ask("POST", "/api/v2/charts/series", body);
    };
    check_error(ask("{}"), 400, "series must be an array");
    check_error(ask(R"({"series":[]})"), 400, "series must hold 1 to 5 elements");
    check_error(ask(R"({"series":[{},{},{},{},{},{}]})"), 400, "series must hold 1 to 5 elements");
    std::string const times = "startTime and endTime must be times in milliseconds";
    check_error(ask(chart(R"("startTime":0)")), 400, times);
    check_error(ask(chart(R"("startTime":"0","endTime":1)")), 400, times);
    check_error(ask(chart(R"("startTime":0,"endTime":1e300)")), 400, times);
    check_error(ask(chart(R"("startTime":0,"endTime":1,"granularity":"3m")")), 400,
                "granularity is not known");
    check_error(ask(chart(R"("startTime":0,"endTime":8.64e15,"granularity":"30s")")), 400,
                "too many buckets");
}

TEST_CASE("get dashboard answers it whole") {
    Sandbox sandbox;
    auto const dashboard = data_of(sandbox.ask("GET", dashboard_path()));
    CHECK(names_of(dashboard) == Names{"id", "name", "tiles", "tags"});
    auto const& tile = dashboard.at("tiles").at(0);
    CHECK(names_of(tile) == Names{"id", "name", "x", "y", "w", "h", "asRatio", "series"});
    CHECK(names_of(tile.at("series").at(0))
          == Names{"type", "dataSource", "aggFn", "field", "where", "groupBy"});
}

TEST_CASE(
    "an updated dashboard keeps the ids it was sent, gives the missing ones, and reads back") {
    Sandbox sandbox;
    auto const dashboard = data_of(sandbox.ask(
        "PUT", dashboard_path(), R"({"name":"N","tiles":[{"id":"mine"},{"name":"t"},{}]})"));
    CHECK(dashboard.at("name") == "N");
    CHECK(dashboard.at("tags").as_array().size() == 2);
    auto const& tiles = dashboard.at("tiles").as_array();
    REQUIRE(tiles.size() == 3);
    CHECK(tiles[0].at("id") == "mine");
    CHECK(tiles[1].at("name") == "t");
    CHECK(tiles[1].at("id").as_string().size() == 24);
    CHECK(tiles[2].at("id") != tiles[1].at("id"));
    CHECK(data_of(sandbox.ask("GET", dashboard_path())) == dashboard);
}

TEST_CASE("alerts come whole") {
    Sandbox sandbox;
    auto const alerts = data_of(sandbox.ask("GET", "/api/v2/alerts")).as_array();
    REQUIRE(alerts.size() == 2);
    CHECK(names_of(alerts[0])
          == Names{"id", "name", "message", "threshold", "interval", "thresholdType", "source",
                   "state", "channel", "team", "tileId", "dashboard", "createdAt", "updatedAt"});
    CHECK(names_of(alerts[0].at("channel")) == Names{"type", "webhookId"});
}

TEST_CASE("chart rows ascend in whole buckets, with one number for each series") {
    Sandbox sandbox;
    auto const rows = data_of(sandbox.ask(
        "POST", "/api/v2/charts/series",
        chart(R"("startTime":1709287230000,"endTime":1709287500000,"granularity":"1m")")));
    auto const& list = rows.as_array();
    REQUIRE(list.size() == 5);
    std::int64_t bucket = 1709287200000;
    for (auto const& row : list) {
        CHECK(names_of(row) == Names{"ts_bucket", "series_0.data", "series_1.data"});
        CHECK(row.at("ts_bucket") == bucket);
        CHECK(row.at("series_1.data").is_number());
        bucket += 60'000;
    }
}

TEST_CASE("without a granularity any range of time gives a chart of a readable size") {
    Sandbox sandbox;
    for (char const* const range :
         {R"("startTime":0,"endTime":1)", R"("startTime":0,"endTime":3600000)",
          R"("startTime":-8.64e15,"endTime":8.64e15,"granularity":"auto")"}) {
        INFO(range);
        auto const rows = data_of(sandbox.ask("POST", "/api/v2/charts/series", chart(range)));
        CHECK(rows.as_array().size() >= 1);
        CHECK(rows.as_array().size() <= 62);
    }
    auto const backwards = data_of(
        sandbox.ask("POST", "/api/v2/charts/series", chart(R"("startTime":2,"endTime":1)")));
    CHECK(backwards.as_array().empty());
}
