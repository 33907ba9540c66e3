// Dashboards and alerts of the observability API: errors in its format, then what is stored.
#include "deploy/sandbox/reply.h"
#include "tests/unit/sandbox/requests.h"

#include <catch2/catch.hpp>

namespace observability_test {

using namespace sallyport::sandbox;

namespace {

void check_error(Reply const& reply, unsigned status, std::string const& message) {
    CHECK(reply.status == status);
    CHECK(body_of(reply) == boost::json::value{{"message", message}});
}

} // namespace

TEST_CASE("an unknown path, method or dashboard is refused in the format of the API") {
    Sandbox sandbox;
    check_error(sandbox.ask("GET", "/elsewhere"), 404, "there is nothing here");
    check_error(sandbox.ask("GET", "/api/v2/dashboards/nobody"), 404, "Dashboard not found");
    check_error(sandbox.ask("PUT", "/api/v2/dashboards/nobody", "{}"), 404, "Dashboard not found");
    auto const wrong_method = sandbox.ask("DELETE", dashboard_path());
    check_error(wrong_method, 405, "the path does not take this method");
    REQUIRE(wrong_method.fields.size() == 2);
    CHECK(wrong_method.fields[1] == std::pair<std::string, std::string>{"Allow", "GET, HEAD, PUT"});
}

TEST_CASE("tiles without a proper id are refused") {
    Sandbox sandbox;
    check_error(sandbox.ask("PUT", dashboard_path(), R"({"tiles":[1]})"), 400,
                "tiles must hold objects");
    check_error(sandbox.ask("PUT", dashboard_path(), R"({"tiles":[{"id":1}]})"), 400,
                "the id of a tile must be a string");
    check_error(sandbox.ask("PUT", dashboard_path(), R"({"tiles":[{"id":"a"},{"id":"a"}]})"), 400,
                "two tiles have the same id");
    std::string many = R"({"tiles":[{})";
    for (int i = 0; i < 1000; ++i)
        many += ",{}";
    check_error(sandbox.ask("PUT", dashboard_path(), many + "]}"), 400,
                "tiles has too many entries");
}

TEST_CASE("a refused dashboard changes nothing") {
    Sandbox sandbox;
    auto const before = data_of(sandbox.ask("GET", dashboard_path()));
    check_error(sandbox.ask("PUT", dashboard_path(), R"({"name":"N","tags":1})"), 400,
                "tags must be an array");
    CHECK(data_of(sandbox.ask("GET", dashboard_path())) == before);
}

TEST_CASE("get dashboard returns it completely") {
    Sandbox sandbox;
    auto const dashboard = data_of(sandbox.ask("GET", dashboard_path()));
    CHECK(names_of(dashboard) == Names{"id", "name", "tiles", "tags"});
    auto const& tile = dashboard.at("tiles").at(0);
    CHECK(names_of(tile) == Names{"id", "name", "x", "y", "w", "h", "asRatio", "series"});
    CHECK(names_of(tile.at("series").at(0))
          == Names{"type", "dataSource", "aggFn", "field", "where", "groupBy"});
}

TEST_CASE("an updated dashboard keeps the sent ids, adds missing ones, and reads back") {
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

TEST_CASE("alerts are complete") {
    Sandbox sandbox;
    auto const alerts = data_of(sandbox.ask("GET", "/api/v2/alerts")).as_array();
    REQUIRE(alerts.size() == 2);
    CHECK(names_of(alerts[0])
          == Names{"id", "name", "message", "threshold", "interval", "thresholdType", "source",
                   "state", "channel", "team", "tileId", "dashboard", "createdAt", "updatedAt"});
    CHECK(names_of(alerts[0].at("channel")) == Names{"type", "webhookId"});
}

TEST_CASE("a tile that is sent again keeps its alerts, one that is not sent loses them") {
    Sandbox sandbox;
    auto const alerts = [&] { return data_of(sandbox.ask("GET", "/api/v2/alerts")).as_array(); };
    auto const before = alerts();
    auto const changed = data_of(sandbox.ask(
        "PUT", dashboard_path(),
        R"({"tiles":[{"name":"new"},{"id":"65f2a1b3c4d5e6f708192a41","name":"kept"}]})"));
    REQUIRE(changed.at("tiles").as_array().size() == 2);
    CHECK(changed.at("tiles").at(1)
          == boost::json::parse(R"({"id":"65f2a1b3c4d5e6f708192a41","name":"kept"})"));
    REQUIRE(alerts().size() == 1);
    CHECK(alerts()[0] == before[1]);

    // Without the member the tiles do not change; an empty list deletes all.
    (void)data_of(sandbox.ask("PUT", dashboard_path(), R"({"tags":[]})"));
    CHECK(alerts().size() == 1);
    CHECK(data_of(sandbox.ask("PUT", dashboard_path(), R"({"tiles":[]})"))
              .at("tiles")
              .as_array()
              .empty());
    CHECK(alerts().empty());
}

TEST_CASE("any text is a valid id of a tile") {
    Sandbox sandbox;
    std::string const body = R"({"tiles":[{"id":"a\u0000b"},{"id":""},{"id":"'; --"}]})";
    auto const dashboard = data_of(sandbox.ask("PUT", dashboard_path(), body));
    CHECK(dashboard.at("tiles") == boost::json::parse(body).at("tiles"));
    CHECK(data_of(sandbox.ask("PUT", dashboard_path(), body)) == dashboard);
}

TEST_CASE("numbers are written in decimal notation, and read back unchanged") {
    boost::json::array const numbers{0.5,  -0.25, 100000.0, 1e20, 1e21, 0.1 + 0.2,
                                     1e-6, 1e-7,  0.0,      3,    5e-324};
    auto const body = observability_data(numbers).body;
    CHECK(body
          == R"({"data":[0.5,-0.25,100000,100000000000000000000,1e+21,0.30000000000000004,)"
             R"(0.000001,1e-07,0,3,5e-324]})");
    auto const read = boost::json::parse(body).at("data").as_array();
    for (std::size_t i = 0; i < numbers.size(); ++i)
        CHECK(read[i].to_number<double>() == numbers[i].to_number<double>());
}

} // namespace observability_test
