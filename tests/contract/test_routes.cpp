// The ten operations: paths and methods, path parameters, bodies, timeouts, retries, secrets.
#include "gateway/contract/path_clash.h"
#include "tests/contract/shipped.h"
#include "tests/unit/contract/sent_text.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace test_routes {

using namespace sallyport::contract;
using namespace sallyport::contract::test;
using namespace std::chrono_literals;

namespace {

constexpr auto organization = "/v1/organizations/5f0c1f3e-2d52-4c93-9d3a-0123456789ab";
constexpr auto uuid = "0F4C1F3E-2d52-0c93-fd3a-0123456789AB";

std::string service() {
    return std::string{organization} + "/services/" + uuid;
}

struct OperationRow {
    char const* document;
    char const* id;
    char const* method;
    std::string path;
    char const* allow;
    bool has_body;
};

std::vector<OperationRow> operation_rows() {
    auto const pipe = service() + "/datapipes/" + uuid;
    return {
        {"management", "getPipe", "GET", pipe, "GET, HEAD", false},
        {"management", "updatePipeSettings", "PUT", pipe + "/settings", "PUT", true},
        {"management", "createService", "POST", std::string{organization} + "/services", "POST",
         true},
        {"management", "updateOrganization", "PATCH", organization, "PATCH", true},
        {"management", "upsertServiceQueryEndpoint", "POST", service() + "/serviceQueryEndpoint",
         "POST", true},
        {"management", "listServiceBackups", "GET", service() + "/backups", "GET, HEAD", false},
        {"observability", "getDashboard", "GET", "/api/v2/dashboards/64f0", "GET, HEAD, PUT",
         false},
        {"observability", "updateDashboard", "PUT", "/api/v2/dashboards/64f0", "GET, HEAD, PUT",
         true},
        {"observability", "listAlerts", "GET", "/api/v2/alerts", "GET, HEAD", false},
        {"observability", "chartSeries", "POST", "/api/v2/charts/series", "POST", true},
    };
}

// Checks the path parameters of a request that the contract routes to an operation.
ParameterReport check_parameters(std::string const& document, std::string const& method,
                                 std::string const& path) {
    static Validator validator;
    auto const& contract = shipped(document);
    auto const match = contract.route(path);
    INFO(path);
    REQUIRE(match);
    auto const* const operation = contract.find_operation(match, method);
    REQUIRE(operation != nullptr);
    return validator.check_path(*operation, match, Conditions{}, LevelTable{});
}

} // namespace

TEST_CASE("the contracts load without a problem or a warning") {
    CHECK_FALSE(shipped("management").operations().empty());
    CHECK_FALSE(shipped("observability").operations().empty());
}

TEST_CASE("another spelling of a path does not match the contract") {
    auto const& management = shipped("management");
    for (auto const& path : {
             std::string{organization} + "/",
             std::string{organization} + "/services/",
             std::string{organization} + "//services",
             std::string{organization} + "/Services",
             std::string{organization} + "/service%73",
             "/V1/organizations/" + std::string{uuid},
             std::string{"/v1/organizations/"},
             std::string{"/v1/organizations"},
             std::string{"/v1/"},
             "/v2/organizations/" + std::string{uuid},
             service(),
             service() + "/serviceQueryEndpoint/",
             service() + "/servicequeryendpoint",
             service() + "/backups/" + uuid,
             service() + "/datapipes",
             service() + "/datapipes/",
             service() + "/datapipes//settings",
             service() + "/datapipes/" + uuid + "/setting",
             service() + "/clickpipes/" + uuid,
             service() + "/datapipes/" + uuid + "/settings/x",
         }) {
        INFO(path);
        CHECK_FALSE(management.route(path));
    }
    auto const& observability = shipped("observability");
    for (auto const* path : {"/api/v2/dashboards", "/api/v2/dashboards/", "/api/v2/dashboards/a/b",
                             "/api/v2/alerts/", "/api/v2/alerts/a", "/api/v2/charts",
                             "/api/v2/charts/series/", "/api/v1/alerts", "/API/v2/alerts"}) {
        INFO(path);
        CHECK_FALSE(observability.route(path));
    }
}

TEST_CASE("another method on a path does not match an operation") {
    for (auto const& row : operation_rows()) {
        auto const& contract = shipped(row.document);
        auto const match = contract.route(row.path);
        REQUIRE(match);
        for (auto const* method : {"OPTIONS", "DELETE", "get", "head", "TRACE"}) {
            INFO(method << " " << row.path);
            CHECK(contract.find_operation(match, method) == nullptr);
        }
        CHECK(match.item->allow == row.allow);
        // RFC 9110, 9.3.2: HEAD follows the rules of GET.
        CHECK(contract.find_operation(match, "HEAD") == contract.find_operation(match, "GET"));
    }
}

TEST_CASE("each operation is found at its method and path, and there is no other") {
    auto const rows = operation_rows();
    for (auto const& row : rows) {
        INFO(row.id);
        auto const& contract = shipped(row.document);
        auto const* const operation = contract.find_operation(contract.route(row.path), row.method);
        REQUIRE(operation != nullptr);
        CHECK(operation->id == row.id);
        CHECK(operation->query_parameters.empty());
    }
    CHECK(shipped("management").operations().size() == 6);
    CHECK(shipped("observability").operations().size() == 4);
    CHECK_FALSE(find_clash({shipped("management")}, {shipped("observability")}).has_value());
}

TEST_CASE("an operation requires a JSON body, or takes none") {
    for (auto const& row : operation_rows()) {
        INFO(row.id);
        auto const& operation = find(row.id).operation;
        REQUIRE(operation.request_body.has_value() == row.has_body);
        if (!row.has_body) continue;
        CHECK(operation.request_body->required);
        CHECK_FALSE(operation.request_body->limit.has_value());
        REQUIRE(operation.request_body->media_types.size() == 1);
        CHECK(operation.request_body->media_types.front().name == "application/json");
        CHECK(operation.request_body->media_types.front().schema.has_value());
    }
}

TEST_CASE("only responses with status 200 have a schema") {
    for (auto const& row : operation_rows()) {
        INFO(row.id);
        auto const& operation = find(row.id).operation;
        CHECK(operation.response_schema(200) != nullptr);
        for (unsigned const status : {201U, 204U, 400U, 404U, 500U}) {
            CHECK(operation.response_schema(status) == nullptr);
        }
    }
}

TEST_CASE("a path parameter of the management API that is not a uuid is reported by name") {
    for (auto const& row : operation_rows()) {
        if (std::string{row.document} != "management") continue;
        auto const& names = find(row.id).operation.parameter_names;
        REQUIRE_FALSE(names.empty());
        for (std::size_t index = 0; index < names.size(); ++index) {
            for (auto const* bad : {"1", "0f4c1f3e2d524c939d3a0123456789ab", "%20",
                                    "0f4c1f3e-2d52-4c93-9d3a-0123456789ag",
                                    "0f4c1f3e-2d52-4c93-9d3a-0123456789abc"}) {
                // The n-th parameter is after the n-th collection: organizations, services,
                // datapipes.
                auto path = row.path;
                std::size_t at = 0;
                for (std::size_t skip = 0; skip <= index; ++skip)
                    at = path.find('/', path.find("s/", at)) + 1;
                path.replace(at, std::min(path.find('/', at), path.size()) - at, bad);
                INFO(path);
                auto const report = check_parameters(row.document, row.method, path);
                CHECK(report.outcome == Outcome::violated);
                CHECK(report.violations.front().name == names[index]);
                CHECK(report.violations.front().rule == "format");
                CHECK(report.violations.front().source == "management 4");
                CHECK(message_of(report.violations.front()) == names[index] + " must be a uuid");
            }
        }
    }
}

TEST_CASE("uuids of any version and letter case are valid parameters, escaped or not") {
    for (auto const& row : operation_rows()) {
        CHECK(check_parameters(row.document, row.method, row.path).outcome == Outcome::valid);
    }
    auto const* const escaped = "/v1/organizations/%35f0c1f3e-2d52-4c93-9d3a-0123456789a%62";
    CHECK(check_parameters("management", "PATCH", escaped).outcome == Outcome::valid);
}

TEST_CASE(
    "the parameters of the management API have the document's names, in the order of the path") {
    using Names = std::vector<std::string>;
    CHECK(find("updateOrganization").operation.parameter_names == Names{"organizationId"});
    CHECK(find("createService").operation.parameter_names == Names{"organizationId"});
    CHECK(find("listServiceBackups").operation.parameter_names
          == Names{"organizationId", "serviceId"});
    CHECK(find("upsertServiceQueryEndpoint").operation.parameter_names
          == Names{"organizationId", "serviceId"});
    CHECK(find("getPipe").operation.parameter_names
          == Names{"organizationId", "serviceId", "dataPipeId"});
    CHECK(find("updatePipeSettings").operation.parameter_names
          == Names{"organizationId", "serviceId", "dataPipeId"});
    CHECK(find("getDashboard").operation.parameter_names == Names{"id"});
}

TEST_CASE("the identifier of a dashboard is any string") {
    for (auto const* id : {"64f0", "a-b_c.d~e", "%C3%A9", "0"}) {
        auto const path = std::string{"/api/v2/dashboards/"} + id;
        CHECK(check_parameters("observability", "PUT", path).outcome == Outcome::valid);
    }
}

TEST_CASE("only the update of pipe settings may be repeated") {
    for (auto const& row : operation_rows()) {
        INFO(row.id);
        CHECK(find(row.id).operation.retry_safe == (std::string{row.id} == "updatePipeSettings"));
    }
}

TEST_CASE("only create operations may take 290 seconds to the first byte") {
    for (auto const& row : operation_rows()) {
        INFO(row.id);
        auto const& timeouts = find(row.id).operation.timeouts;
        CHECK(timeouts.first_byte.has_value() == (std::string{row.id} == "createService"));
        CHECK(timeouts.first_byte.value_or(290s) == 290s);
        CHECK_FALSE(timeouts.connect.has_value());
        CHECK_FALSE(timeouts.idle.has_value());
        CHECK_FALSE(timeouts.total.has_value());
    }
}

TEST_CASE("the contracts own the prefixes of their versions") {
    CHECK(shipped("management").owned_prefixes() == std::vector<std::string>{"/v1/"});
    CHECK(shipped("observability").owned_prefixes() == std::vector<std::string>{"/api/v2/"});
}

TEST_CASE("the properties with secrets are marked") {
    for (auto const& document : documents()) {
        CHECK(shipped(document.name).secret_members() == document.secrets);
    }
}

TEST_CASE("the contracts use two labels, and no others") {
    CHECK(shipped("management").label_names()
          == std::vector<std::string>{"organization_tier", "paid"});
    CHECK(shipped("observability").label_names().empty());
}

} // namespace test_routes
