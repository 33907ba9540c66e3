// Paths and methods of the ten operations, and invalid ones.
#include "deploy/sandbox/routes.h"

#include <catch2/catch.hpp>

namespace routes_test {

using namespace sallyport::sandbox;

TEST_CASE("another spelling of a path is not a path of the sandbox") {
    for (char const* const target :
         {"", "/", "/v1", "/v1/organizations", "/v1/organizations/", "/v1/organizations/a/",
          "/v1//a", "/v1/organizations/a/services/b", "/v1/organizations/a/services/b/backups/c",
          "/api/v2/alerts/", "/api/v2/Alerts", "v1/organizations/a", "/api/v2/dashboards/"}) {
        INFO(target);
        CHECK(std::holds_alternative<NoSuchPath>(find_route("GET", target)));
    }
}

TEST_CASE("another method on a known path lists the allowed ones") {
    auto const alerts = find_route("OPTIONS", "/api/v2/alerts");
    REQUIRE(std::holds_alternative<WrongMethod>(alerts));
    CHECK(std::get<WrongMethod>(alerts).allow == "GET, HEAD");
    auto const series = find_route("HEAD", "/api/v2/charts/series");
    REQUIRE(std::holds_alternative<WrongMethod>(series));
    CHECK(std::get<WrongMethod>(series).allow == "POST");
    auto const dashboard = find_route("get", "/api/v2/dashboards/x");
    REQUIRE(std::holds_alternative<WrongMethod>(dashboard));
    CHECK(std::get<WrongMethod>(dashboard).allow == "GET, HEAD, PUT");
}

TEST_CASE("HEAD is the operation of GET") {
    auto const alerts = find_route("HEAD", "/api/v2/alerts");
    REQUIRE(std::holds_alternative<Route>(alerts));
    CHECK(std::get<Route>(alerts).operation == Operation::list_alerts);
}

TEST_CASE("each operation is found with its parameters in the order of the path") {
    struct Case {
        char const* method;
        char const* target;
        Operation operation;
        std::array<std::string_view, 3> parameters;
    };
    for (Case const& c : std::initializer_list<Case>{
             {"GET",
              "/v1/organizations/o/services/s/datapipes/p",
              Operation::get_pipe,
              {"o", "s", "p"}},
             {"PUT",
              "/v1/organizations/o/services/s/datapipes/p/settings",
              Operation::update_pipe_settings,
              {"o", "s", "p"}},
             {"POST", "/v1/organizations/o/services", Operation::create_service, {"o", "", ""}},
             {"PATCH", "/v1/organizations/o", Operation::update_organization, {"o", "", ""}},
             {"POST",
              "/v1/organizations/o/services/s/serviceQueryEndpoint",
              Operation::upsert_query_endpoint,
              {"o", "s", ""}},
             {"GET",
              "/v1/organizations/o/services/s/backups",
              Operation::list_backups,
              {"o", "s", ""}},
             {"GET", "/api/v2/dashboards/d?x=/y", Operation::get_dashboard, {"d", "", ""}},
             {"PUT", "/api/v2/dashboards/d", Operation::update_dashboard, {"d", "", ""}},
             {"GET", "/api/v2/alerts", Operation::list_alerts, {"", "", ""}},
             {"POST", "/api/v2/charts/series", Operation::chart_series, {"", "", ""}}}) {
        INFO(c.target);
        auto const found = find_route(c.method, c.target);
        REQUIRE(std::holds_alternative<Route>(found));
        CHECK(std::get<Route>(found).operation == c.operation);
        CHECK(std::get<Route>(found).parameters == c.parameters);
    }
}

} // namespace routes_test
