// The six operations of the management API: errors in its format, then responses with every
// documented member.
#include "tests/unit/sandbox/requests.h"

#include <catch2/catch.hpp>

namespace management_test {

using namespace sallyport::sandbox;

namespace {

std::string const unknown_id = "00000000-0000-4000-8000-000000000000";

Names const settings_names = {"streaming_max_insert_wait_ms",
                              "object_storage_concurrency",
                              "object_storage_polling_interval_ms",
                              "object_storage_max_insert_bytes",
                              "object_storage_max_file_count",
                              "db_max_threads",
                              "db_max_insert_threads",
                              "db_min_insert_block_size_bytes",
                              "db_max_download_threads",
                              "db_parallel_distributed_insert_select",
                              "object_storage_use_cluster_function",
                              "db_parallel_view_processing"};

Names const service_names = {"id",
                             "name",
                             "dbVersion",
                             "endpoints",
                             "minTotalMemoryGb",
                             "maxTotalMemoryGb",
                             "minReplicaMemoryGb",
                             "maxReplicaMemoryGb",
                             "numReplicas",
                             "idleScaling",
                             "idleTimeoutMinutes",
                             "ipAccessList",
                             "createdAt",
                             "encryptionKey",
                             "encryptionAssumedRoleIdentifier",
                             "iamRole",
                             "privateEndpointIds",
                             "availablePrivateEndpointIds",
                             "dataWarehouseId",
                             "isPrimary",
                             "isReadonly",
                             "byocId",
                             "hasTransparentDataEncryption",
                             "transparentDataEncryptionKeyId",
                             "encryptionRoleId"};

void check_error(Reply const& reply, unsigned status, std::string const& error) {
    auto const body = body_of(reply);
    CHECK(reply.status == status);
    CHECK(names_of(body) == Names{"status", "error", "requestId"});
    CHECK(body.at("status") == status);
    CHECK(body.at("error") == boost::json::string{error});
}

} // namespace

TEST_CASE("resources of other organizations are not found") {
    Sandbox sandbox;
    std::string const other_service =
        "/v1/organizations/" + unknown_id + "/services/" + std::string{seed::service_id};
    check_error(sandbox.ask("GET", other_service + "/backups"), 404,
                "NOT_FOUND: service not found");
    check_error(sandbox.ask("GET", other_service + "/datapipes/"
                                       + std::string{seed::object_storage_pipe_id}),
                404, "NOT_FOUND: pipe not found");
    check_error(sandbox.ask("PUT", pipe_path(unknown_id) + "/settings", "{}"), 404,
                "NOT_FOUND: pipe not found");
    check_error(sandbox.ask("PATCH", "/v1/organizations/" + unknown_id, "{}"), 404,
                "NOT_FOUND: organization not found");
    check_error(sandbox.ask("POST", "/v1/organizations/" + unknown_id + "/services", "{}"), 404,
                "NOT_FOUND: organization not found");
}

TEST_CASE("a body that is not an object or has a member of another type is refused") {
    Sandbox sandbox;
    std::string const services = organization_path() + "/services";
    for (char const* const body : {"", "{", "{}x", "\xff"}) {
        check_error(sandbox.ask("POST", services, body), 400, "BAD_REQUEST: the body is not JSON");
    }
    check_error(sandbox.ask("POST", services, "[]"), 400,
                "BAD_REQUEST: the body must be an object");
    check_error(sandbox.ask("POST", services, R"({"x":[{"y":-1e400}]})"), 400,
                "BAD_REQUEST: the body holds a number that is too large");
    check_error(sandbox.ask("POST", services, R"({"numReplicas":"3"})"), 400,
                "BAD_REQUEST: numReplicas must be a number");
    check_error(sandbox.ask("POST", services, R"({"tier":null})"), 400,
                "BAD_REQUEST: tier must be a string");
    check_error(sandbox.ask("PUT", pipe_path() + "/settings", R"({"db_max_threads":1.5})"), 400,
                "BAD_REQUEST: db_max_threads must be an integer");
    check_error(sandbox.ask("PATCH", organization_path(), R"({"privateEndpoints":{"add":[{}]}})"),
                400, "BAD_REQUEST: privateEndpoints.add must hold objects with an id");
    check_error(sandbox.ask("PATCH", organization_path(),
                            R"({"privateEndpoints":{"remove":[{"id":"a","description":1}]}})"),
                400,
                "BAD_REQUEST: privateEndpoints.remove must hold descriptions that are strings");
    std::string many = R"({"privateEndpoints":{"add":[{"id":"a"})";
    for (int i = 0; i < 1000; ++i)
        many += R"(,{"id":"a"})";
    check_error(sandbox.ask("PATCH", organization_path(), many + "]}}"), 400,
                "BAD_REQUEST: privateEndpoints.add has too many entries");
}

TEST_CASE("a refused change changes nothing") {
    Sandbox sandbox;
    auto const before = result_of(sandbox.ask("GET", pipe_path()));
    (void)sandbox.ask("PUT", pipe_path() + "/settings",
                      R"({"db_max_threads":1,"db_parallel_view_processing":1})");
    CHECK(result_of(sandbox.ask("GET", pipe_path())) == before);

    // The name and the first endpoint are valid; nothing of it is applied.
    auto const organization = result_of(sandbox.ask("PATCH", organization_path(), "{}"));
    check_error(sandbox.ask("PATCH", organization_path(),
                            R"({"name":"x","privateEndpoints":{"add":[{"id":"a"},{}]}})"),
                400, "BAD_REQUEST: privateEndpoints.add must hold objects with an id");
    CHECK(result_of(sandbox.ask("PATCH", organization_path(), "{}")) == organization);
}

TEST_CASE("a full database is reported and keeps its data") {
    Sandbox sandbox{{.events = 0}, {.size = 300'000}};
    std::string const body = R"({"name":")" + std::string(300'000, 'a') + "\"}";
    check_error(sandbox.ask("PATCH", organization_path(), body), 503,
                "STORAGE_FULL: the sandbox keeps no more");
    auto const organization = result_of(sandbox.ask("PATCH", organization_path(), "{}"));
    CHECK(organization.at("name") == "Harbour Analytics");
}

TEST_CASE("get pipe returns a whole pipe, found case-insensitively") {
    Sandbox sandbox;
    auto const pipe = result_of(sandbox.ask("GET", pipe_path()));
    CHECK(names_of(pipe)
          == Names{"id", "serviceId", "name", "state", "scaling", "source", "destination",
                   "fieldMappings", "settings", "createdAt", "updatedAt"});
    CHECK(names_of(pipe.at("source").at("objectStorage"))
          == Names{"url", "delimiter", "compression", "isContinuous", "queueUrl", "iamRole",
                   "connectionString", "path", "azureContainerName"});
    CHECK(names_of(pipe.at("settings")) == settings_names);
    std::string upper{seed::object_storage_pipe_id};
    upper[0] = 'C';
    CHECK(result_of(sandbox.ask("GET", pipe_path(upper))) == pipe);
}

TEST_CASE("each of the four pipes has a source of its own") {
    Sandbox sandbox;
    auto const source = [&](std::string_view id) {
        return names_of(result_of(sandbox.ask("GET", pipe_path(id))).at("source"));
    };
    CHECK(source(seed::object_storage_pipe_id) == Names{"objectStorage"});
    CHECK(source(seed::kafka_pipe_id) == Names{"kafka"});
    CHECK(source(seed::kinesis_pipe_id) == Names{"kinesis"});
    CHECK(source(seed::postgres_pipe_id) == Names{"postgres"});
}

TEST_CASE("a setting that was updated reads back, null resets it, and the others stay") {
    Sandbox sandbox;
    auto const settings = result_of(sandbox.ask("PUT", pipe_path() + "/settings",
                                                R"({"db_max_threads":64,"unknown":1,
                                                    "db_max_download_threads":5e0,
                                                    "db_parallel_view_processing":null})"));
    CHECK(names_of(settings) == settings_names);
    CHECK(settings.at("db_max_threads") == 64);
    CHECK(settings.at("db_max_download_threads").is_int64());
    CHECK(settings.at("db_max_download_threads") == 5);
    CHECK(settings.at("db_parallel_view_processing").is_null());
    CHECK(settings.at("db_max_insert_threads") == 2);
    auto const pipe = result_of(sandbox.ask("GET", pipe_path()));
    CHECK(pipe.at("settings") == settings);
    CHECK(pipe.at("updatedAt") != pipe.at("createdAt"));
    // The settings of another pipe are its own.
    auto const other = result_of(sandbox.ask("GET", pipe_path(seed::kafka_pipe_id)));
    CHECK(other.at("settings").at("db_max_threads") == 8);

    auto const reset =
        result_of(sandbox.ask("PUT", pipe_path() + "/settings", R"({"db_max_threads":null})"));
    CHECK(reset.at("db_max_threads").is_null());
    auto const again =
        result_of(sandbox.ask("PUT", pipe_path() + "/settings", R"({"db_max_threads":0})"));
    CHECK(again.at("db_max_threads") == 0);
}

TEST_CASE("create service returns the service and a new password") {
    Sandbox sandbox;
    std::string const services = organization_path() + "/services";
    auto const first = result_of(
        sandbox.ask("POST", services, R"({"name":"New one","numReplicas":2,"byocId":"b"})"));
    CHECK(names_of(first) == Names{"service", "password"});
    CHECK(names_of(first.at("service")) == service_names);
    CHECK(first.at("service").at("name") == "New one");
    CHECK(first.at("service").at("numReplicas") == 2);
    CHECK(first.at("service").at("isPrimary") == true);
    CHECK(first.at("password").as_string().size() == 24);

    auto const second =
        result_of(sandbox.ask("POST", services, R"({"dataWarehouseId":"w","isReadonly":true})"));
    CHECK(second.at("service").at("isPrimary") == false);
    CHECK(second.at("password") != first.at("password"));

    // It exists, and belongs only to its organization.
    std::string const id{first.at("service").at("id").as_string()};
    CHECK(result_of(sandbox.ask("GET", services + "/" + id + "/backups")).as_array().empty());
    check_error(
        sandbox.ask("GET", "/v1/organizations/" + unknown_id + "/services/" + id + "/backups"), 404,
        "NOT_FOUND: service not found");
}

TEST_CASE("the password of a new service is not stored, and the request is") {
    Sandbox sandbox;
    auto const created = result_of(sandbox.ask("POST", organization_path() + "/services",
                                               R"({"name":"New one","provider":"aws"})"));
    std::string const password{created.at("password").as_string()};
    std::string const id{created.at("service").at("id").as_string()};
    Rows rows = sandbox.database.query("SELECT document, kept FROM services WHERE id = ?", {id});
    REQUIRE(rows.next());
    CHECK(rows.text(0).find(R"("name":"New one")") != std::string_view::npos);
    CHECK(rows.text(1) == R"({"provider":"aws"})");
    CHECK(rows.text(0).find(password) == std::string_view::npos);
}

TEST_CASE("update organization renames it, and adds and removes private endpoints") {
    Sandbox sandbox;
    auto const organization = result_of(sandbox.ask("PATCH", organization_path(), R"({
        "name": "Renamed", "privateEndpoints": {
            "add": [{"id": "a", "description": "one"}, {"id": "b"}],
            "remove": [{"id": "vpce-0a1b2c3d4e5f60718"}, {"id": "nobody"}]}})"));
    CHECK(names_of(organization)
          == Names{"id", "createdAt", "name", "privateEndpoints", "byocConfig"});
    CHECK(organization.at("name") == "Renamed");
    CHECK(organization.at("privateEndpoints")
          == boost::json::parse(R"([{"id":"a","description":"one"},{"id":"b","description":""}])"));
    CHECK(result_of(sandbox.ask("PATCH", organization_path(), "{}")) == organization);

    // One that is added again has the new description and the last place.
    auto const again = result_of(sandbox.ask("PATCH", organization_path(), R"({
        "privateEndpoints": {"add": [{"id": "a", "description": "two"}]}})"));
    CHECK(again.at("name") == "Renamed");
    CHECK(again.at("privateEndpoints")
          == boost::json::parse(R"([{"id":"b","description":""},{"id":"a","description":"two"}])"));
    // One in both lists exists.
    auto const both = result_of(sandbox.ask("PATCH", organization_path(), R"({
        "privateEndpoints": {"add": [{"id": "a"}], "remove": [{"id": "a"}, {"id": "b"}]}})"));
    CHECK(both.at("privateEndpoints") == boost::json::parse(R"([{"id":"a","description":""}])"));
}

TEST_CASE("upsert creates the query endpoint of a service that has none") {
    Sandbox sandbox;
    auto const created =
        result_of(sandbox.ask("POST", organization_path() + "/services", R"({"name":"N"})"));
    std::string const path = organization_path() + "/services/"
                             + std::string{created.at("service").at("id").as_string()}
                             + "/serviceQueryEndpoint";
    auto const first =
        result_of(sandbox.ask("POST", path, R"({"openApiKeys":["k"],"allowedOrigins":"a,b"})"));
    CHECK(names_of(first) == Names{"id", "openApiKeys", "roles", "allowedOrigins"});
    CHECK(first.at("openApiKeys") == boost::json::parse(R"(["k"])"));
    CHECK(first.at("allowedOrigins") == "a,b");
    auto const second = result_of(sandbox.ask("POST", path, "{}"));
    CHECK(second.at("id") == first.at("id"));
    CHECK(second.at("openApiKeys").as_array().empty());
    check_error(
        sandbox.ask("POST",
                    organization_path() + "/services/" + unknown_id + "/serviceQueryEndpoint",
                    "{}"),
        404, "NOT_FOUND: service not found");
}

TEST_CASE("upsert replaces a query endpoint and keeps its id") {
    Sandbox sandbox;
    std::string const path = service_path() + "/serviceQueryEndpoint";
    auto const endpoint =
        result_of(sandbox.ask("POST", path, R"({"roles":["sql_console_admin"]})"));
    CHECK(endpoint == boost::json::parse(R"({"id":"qe-4d5e6f70","openApiKeys":[],
                                             "roles":["sql_console_admin"],"allowedOrigins":""})"));
}

TEST_CASE("backups are complete, newest first") {
    Sandbox sandbox;
    auto const backups = result_of(sandbox.ask("GET", service_path() + "/backups")).as_array();
    REQUIRE(backups.size() == 2);
    CHECK(names_of(backups[0])
          == Names{"id", "serviceId", "startedAt", "finishedAt", "sizeInBytes", "durationInSeconds",
                   "backupName", "bucket"});
    CHECK(backups[0].at("startedAt").as_string() > backups[1].at("startedAt").as_string());
    CHECK(backups[0].at("serviceId") == boost::json::string{seed::service_id});
}

} // namespace management_test
