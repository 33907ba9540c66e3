// The real gateway in front of the real sandbox: credentials are replaced, the ten operations have
// their effects, and every response satisfies its contract.
#include "tests/support/gateway.h"
#include "tests/support/operations.h"
#include "tests/support/raw_client.h"
#include "tests/support/sandbox.h"

#include <catch2/catch.hpp>

namespace behind_the_gateway_test {

using namespace sallyport::test;

namespace {

std::string const organization_path = "/v1/organizations/" + std::string{sandbox::organization_id};
std::string const service_path =
    organization_path + "/services/" + std::string{sandbox::service_id};
std::string const pipe_path = service_path + "/datapipes/" + std::string{sandbox::pipe_id};
std::string const dashboard_path = "/api/v2/dashboards/" + std::string{sandbox::dashboard_id};

std::string credential(std::string_view kind) {
    std::string const basic = "credential: { basic: { key_id: " + std::string{sandbox::key_id}
                              + ", secret: " + std::string{sandbox::key_secret} + " } }";
    std::string const bearer =
        "credential: { bearer: { token: " + std::string{sandbox::token} + " } }";
    return kind == "basic" ? basic : bearer;
}

enum class Swap { yes, no };

Configuration configuration_of(Sandbox const& upstream, Swap swap) {
    auto configuration = standard_configuration(upstream.endpoint(), upstream.endpoint());
    if (swap == Swap::yes) {
        configuration.upstreams =
            upstream_yaml("management", upstream.endpoint(), credential("basic"))
            + upstream_yaml("observability", upstream.endpoint(), credential("bearer"));
    }
    configuration.apis = api_yaml("management", "responses: report")
                         + api_yaml("observability", "responses: report");
    return configuration;
}

struct Both {
    Sandbox upstream;
    Gateway gateway;

    explicit Both(Swap swap = Swap::yes) : gateway{configuration_of(upstream, swap)} {}

    Response send(std::string_view method, std::string const& target,
                  std::string_view body = {}) const {
        Outgoing request{method, target};
        request.authorization(target.starts_with("/v1/") ? basic(administrator)
                                                         : bearer(observer_token));
        if (!body.empty()) request.body(body);
        return fetch(gateway.port(), request.text());
    }

    // The response's `result` or `data`; its line in the log has no violation.
    Json ask(std::string_view method, std::string const& target, std::string_view body = {}) const {
        auto const response = send(method, target, body);
        INFO(method << " " << target << ": " << response.body);
        REQUIRE(response.status == 200);
        auto const line = gateway.wait_for_log_of(response.fields.one("X-Request-Id"));
        CHECK(line["violations"].is_null());
        auto const json = Json::parse(response.body);
        return target.starts_with("/v1/") ? json["result"] : json["data"];
    }
};

std::string chart(std::string const& members) {
    return R"({"series":[{"sourceId":")" + std::string{sandbox::events_id} + R"(",)" + members
           + R"(}],"startTime":1709251200000,"endTime":1709856000000,"granularity":"1d"})";
}

std::string field_of(Json const& request, std::string_view name) {
    for (Json const& field : request["fields"].items) {
        if (field[0].string == name) return field[1].string;
    }
    return {};
}

} // namespace

TEST_CASE("a caller's own credential is refused by the sandbox unless it is replaced") {
    Both both{Swap::no};
    CHECK(both.send("GET", pipe_path).status == 401);
    CHECK(both.send("GET", "/api/v2/alerts").status == 401);
    auto const line = both.gateway.wait_for_log_lines(2).front();
    CHECK(line.text("upstream_status") == "401");
}

TEST_CASE("the sandbox gets its own credentials, and none of a caller's") {
    Both both;
    CHECK(both.send("GET", pipe_path).status == 200);
    CHECK(both.send("GET", "/api/v2/alerts").status == 200);
    auto const record = both.upstream.record();
    REQUIRE(record.size() == 2);
    CHECK(field_of(record[0], "Authorization") == basic(Key{sandbox::key_id, sandbox::key_secret}));
    CHECK(field_of(record[1], "Authorization") == bearer(sandbox::token));
}

TEST_CASE("each of the ten operations has its effect, and responses satisfy the contract") {
    Both const both;
    CHECK(both.ask("GET", pipe_path)["settings"].text("db_max_threads") == "8");
    both.ask("PUT", pipe_path + "/settings",
             R"({"db_max_threads":12,"db_max_insert_threads":null})");
    auto const settings = both.ask("GET", pipe_path)["settings"];
    CHECK(settings.text("db_max_threads") == "12");
    CHECK(settings["db_max_insert_threads"].is_null());

    auto const created =
        both.ask("POST", organization_path + "/services", R"({"name":"New","provider":"aws"})");
    CHECK(created.text("password").size() == 24);
    auto const backups =
        organization_path + "/services/" + created["service"].text("id") + "/backups";
    CHECK(both.ask("GET", backups).items.empty());
    CHECK(both.ask("GET", service_path + "/backups").items.size() == 2);

    auto const changed = both.ask("PATCH", organization_path,
                                  R"({"privateEndpoints":{"add":[{"id":"a","description":"b"}]}})");
    CHECK(changed["privateEndpoints"].items.size() == 2);
    auto const endpoint = service_path + "/serviceQueryEndpoint";
    auto const id = both.ask("POST", endpoint, R"({"roles":["sql_console_admin"]})").text("id");
    CHECK(both.ask("POST", endpoint, R"({"openApiKeys":["k"]})").text("id") == id);

    CHECK(both.ask("GET", "/api/v2/alerts").items.size() == 2);
    auto const updated = both.ask("PUT", dashboard_path, R"({"tiles":[{"name":"new"}]})");
    auto const tile = updated["tiles"][0].text("id");
    CHECK(tile.size() == 24);
    CHECK(both.ask("GET", dashboard_path)["tiles"][0].text("id") == tile);
    CHECK(both.ask("GET", "/api/v2/alerts").items.empty());

    auto const rows = both.ask("POST", "/api/v2/charts/series",
                               chart(R"("aggFn":"count","where":"","groupBy":[])"));
    REQUIRE(rows.items.size() == 7);
    for (Json const& row : rows.items)
        CHECK(row.text("series_0.data") == "1440");
}

TEST_CASE("errors of the sandbox reach the caller in the formats of their services") {
    Both const both;
    auto const unknown =
        both.send("GET", "/v1/organizations/" + std::string{organization_id} + "/services/"
                             + std::string{service_id} + "/backups");
    CHECK(unknown.status == 404);
    CHECK(Json::parse(unknown.body).text("error") == "NOT_FOUND: service not found");
    auto const no_dashboard = both.send("GET", "/api/v2/dashboards/nobody");
    CHECK(no_dashboard.status == 404);
    CHECK(no_dashboard.body == R"({"message":"Dashboard not found"})");
    auto const no_source =
        both.send("POST", "/api/v2/charts/series",
                  R"({"series":[{"sourceId":"x","aggFn":"count"}],"startTime":0,"endTime":1})");
    CHECK(no_source.status == 404);
    CHECK(no_source.body == R"({"error":"Source not found"})");
}

} // namespace behind_the_gateway_test
