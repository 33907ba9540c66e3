// The OpenAPI documents of the two services as they are published: each loads unchanged, and each
// of their operations passes to an upstream that is made from the document.
//
// SALLYPORT_OPENAPI_FOLDER names the folder with them; without it the tests are skipped with a
// message.
#include "tests/end_to_end/stage.h"
#include "tests/support/machine.h"
#include "tests/support/sample_value.h"
#include "tests/support/temporary_folder.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <optional>

namespace e16_published_documents {

using namespace sallyport::test;

namespace {

std::optional<std::string> document_path(std::string_view name) {
    char const* const folder = std::getenv("SALLYPORT_OPENAPI_FOLDER");
    if (folder == nullptr) {
        WARN("skipped: SALLYPORT_OPENAPI_FOLDER does not name the folder of the documents");
        return std::nullopt;
    }
    return std::string{folder} + "/" + std::string{name};
}

Change with_document(std::string const& path) {
    return [path](Configuration& configuration) {
        configuration.apis = "  published: { contract: \"" + path
                             + "\", upstream: management, authenticate: [basic], "
                               "responses: report }\n";
    };
}

Gateway::Options plain_credentials() {
    Gateway::Options options;
    options.credentials = administrator_credentials();
    return options;
}

// The response for the first form of the body that the gateway accepts.
Response call(Stage const& stage, Samples const& samples, SampleOperation const& operation) {
    Response response;
    for (std::size_t choice = 0; choice < 12; ++choice) {
        auto request = Outgoing(operation.method, samples.target(operation))
                           .authorization(basic(administrator));
        std::string const body = samples.request_body(operation, choice);
        if (!body.empty()) request.body(body);
        response = stage.send(request);
        if (response.status < 300 || body.empty()) break;
    }
    return response;
}

void call_all(std::string_view name, std::size_t count) {
    auto const path = document_path(name);
    if (!path) return;
    Json const document = Json::parse(read_file(*path));
    Samples const samples{document};
    auto const operations = samples.operations();
    CHECK(operations.size() == count);

    Stage stage{{}, with_document(*path), plain_credentials()};
    std::size_t passed = 0;
    for (auto const& operation : operations) {
        int const status = samples.status(operation);
        std::string const body = samples.response_body(operation, 0);
        std::string const type = samples.response_type(operation);
        stage.upstream.respond_with([status, body, type](UpstreamExchange& exchange) {
            exchange.send(status == 204 ? "HTTP/1.1 204 No Content\r\n\r\n"
                                        : response_text(body, status, {}, type));
        });
        auto const response = call(stage, samples, operation);
        INFO(operation.id << ": " << operation.method << " " << samples.target(operation) << " "
                          << samples.request_body(operation, 0) << "\n"
                          << response.body);
        CHECK(response.status == status);
        CHECK(response.body == (status == 204 ? "" : body));
        if (response.status == status) ++passed;
    }
    CHECK(passed == count);
    // The upstream's response satisfies the document too: the gateway has checked it.
    for (Json const& line : stage.gateway.wait_for_log_lines(count)) {
        if (line["status"].number >= 300) continue;
        INFO(line.text("operation"));
        CHECK(line["violations"].items.empty());
    }
    stage.finish();
}

// The section `apis:` of the example, with this document and the test's upstream.
std::string apis_of_example(std::string const& document) {
    auto const text =
        read_file(sources() / "config/examples/terraform/sallyport.yaml");
    auto const begin = text.find("apis:\n") + std::string_view{"apis:\n"}.size();
    auto apis = text.substr(begin, text.find("\naccess_log:") - begin);
    auto const replace = [&apis](std::string_view from, std::string const& to) {
        auto const at = apis.find(from);
        REQUIRE(at != std::string::npos);
        apis.replace(at, from.size(), to);
    };
    replace("contract: clickhouse-cloud.json", "contract: \"" + document + "\"");
    replace("upstream: cloud", "upstream: management");
    return apis + "\n";
}

struct ProviderRequest {
    std::string_view method;
    std::string path; // below the organization
    std::string_view body;
    std::string_view rule = {}; // that violates the document
};

// What Terraform's provider sends for a service with its password, backups, scaling, addresses and
// query endpoint, and for a pipe: created, read, changed and removed. Go writes null for unset
// values.
std::vector<ProviderRequest> requests_of_provider() {
    constexpr std::string_view service = "/services/0f4c1f3e-2d52-4c93-8d3a-0123456789ab";
    auto const at = [&service](std::string_view rest) {
        return std::string{service} + std::string{rest};
    };
    std::string const pipe = "/clickpipes/1b4c1f3e-2d52-4c93-8d3a-0123456789ab";
    return {
        {"POST", "/services",
         R"({"isReadonly":false,"name":"My service","provider":"aws","region":"us-east-2",)"
         R"("idleScaling":true,"ipAccessList":[{"source":"0.0.0.0/0","description":"all"}],)"
         R"("minReplicaMemoryGb":8,"maxReplicaMemoryGb":120,"idleTimeoutMinutes":5})"},
        {"POST", "/services",
         R"({"isReadonly":false,"name":"My service","provider":"gcp","region":"europe-west4",)"
         R"("tier":"production","idleScaling":false,"ipAccessList":null,"numReplicas":3})",
         "/properties/ipAccessList/type"},
        {"GET", at(""), ""},
        {"GET", at("/privateEndpointConfig"), ""},
        {"GET", at("/backupConfiguration"), ""},
        {"GET", at("/serviceQueryEndpoint"), ""},
        {"PATCH", at("/password"),
         R"({"newPasswordHash":"n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="})"},
        {"PATCH", at("/backupConfiguration"),
         R"({"backupPeriodInHours":24,"backupRetentionPeriodInHours":24,"backupStartTime":null})",
         "/properties/backupStartTime/type"},
        {"PATCH", at("/backupConfiguration"),
         R"({"backupPeriodInHours":null,"backupRetentionPeriodInHours":48,)"
         R"("backupStartTime":"10:00"})",
         "/properties/backupPeriodInHours/type"},
        {"PATCH", at("/backupConfiguration"),
         R"({"backupPeriodInHours":24,"backupRetentionPeriodInHours":null,)"
         R"("backupStartTime":"10:00"})",
         "/properties/backupRetentionPeriodInHours/type"},
        {"PATCH", at("/replicaScaling"),
         R"({"idleScaling":true,"minReplicaMemoryGb":16,"maxReplicaMemoryGb":120,)"
         R"("numReplicas":3,"idleTimeoutMinutes":10})"},
        {"PATCH", at(""),
         R"({"name":"Renamed","ipAccessList":{"add":[{"source":"192.0.2.1","description":"a"}],)"
         R"("remove":[{"source":"0.0.0.0/0","description":"all"}]}})"},
        {"POST", at("/serviceQueryEndpoint"),
         R"({"roles":["sql_console_admin"],"openApiKeys":null,"allowedOrigins":""})",
         "/properties/openApiKeys/type"},
        {"POST", at("/serviceQueryEndpoint"),
         R"({"roles":null,"openApiKeys":["key"],"allowedOrigins":"*"})", "/properties/roles/type"},
        {"DELETE", at("/serviceQueryEndpoint"), ""},
        {"GET", "/privateEndpointConfig?cloud_provider=aws&region_id=us-east-2", ""},
        {"POST", at("/clickpipes/"),
         R"({"name":"Events","source":{"kafka":{"type":"msk","format":"JSONEachRow",)"
         R"("brokers":"b-1.example.com:9096","topics":"events","authentication":"PLAIN",)"
         R"("credentials":{"username":"reader","password":"hidden"}}},)"
         R"("destination":{"database":"default","table":"events","managedTable":true,)"
         R"("tableDefinition":{"engine":{"type":"MergeTree"},"sortingKey":["id"]},)"
         R"("columns":[{"name":"id","type":"String"}]},"fieldMappings":[]})"
         "\n"},
        {"GET", at(pipe), ""},
        {"PATCH", at(pipe + "/scaling"), "{\"replicas\":2}\n"},
        {"PATCH", at(pipe + "/state"), "{\"command\":\"stop\"}\n"},
        {"PATCH", at(pipe), "{\"name\":\"Renamed\"}\n"},
        {"DELETE", at(pipe), ""},
        {"PATCH", at("/state"), R"({"command":"stop"})"},
        {"DELETE", at(""), ""},
    };
}

Outgoing as_provider(ProviderRequest const& one) {
    Outgoing outgoing{one.method,
                      "/v1/organizations/" + std::string{organization_id} + one.path};
    outgoing.authorization(basic(administrator))
        .add("User-Agent", "terraform-provider-clickhouse/3.5.1 Commit/0123456")
        .add("Accept-Encoding", "gzip");
    if (!one.body.empty()) outgoing.body(one.body, "application/json; charset=utf-8");
    return outgoing;
}

} // namespace

TEST_CASE("every operation of the published management API passes") {
    call_all("clickhouse-cloud.json", 142);
}

TEST_CASE("every operation of the published observability API passes") {
    call_all("hyperdx.json", 38);
}

TEST_CASE("requests of Terraform pass the published document with the rules of the example") {
    auto const path = document_path("clickhouse-cloud.json");
    if (!path) return;
    auto const requests = requests_of_provider();
    SECTION("as the example has it") {
        Stage stage{{},
                    [&path](Configuration& configuration) {
                        configuration.apis = apis_of_example(*path);
                    },
                    plain_credentials()};
        for (auto const& one : requests) {
            INFO(one.method << " " << one.path << " " << one.body);
            auto const response = stage.send(as_provider(one));
            INFO(response.body);
            CHECK(response.status == 200);
            auto const line = stage.log_of(response);
            REQUIRE(line["violations"].items.size() == (one.rule.empty() ? 0 : 1));
            if (!one.rule.empty()) CHECK(line["violations"][0].text("rule_pointer") == one.rule);
        }
        CHECK(stage.upstream.requests().size() == requests.size());
        stage.finish();
    }
    SECTION("the document alone refuses what the rules are for, and no more") {
        Stage stage{{}, with_document(*path), plain_credentials()};
        for (auto const& one : requests) {
            INFO(one.method << " " << one.path << " " << one.body);
            bool const has_slash = one.path.ends_with('/');
            int const refused = has_slash ? 403 : 400;
            CHECK(stage.send(as_provider(one)).status
                  == (has_slash || !one.rule.empty() ? refused : 200));
            // Credentials of a Kafka source match all forms of which they should match one.
            if (!has_slash) continue;
            auto without_slash = one;
            without_slash.path.pop_back();
            CHECK(stage.send(as_provider(without_slash)).status == 400);
        }
        stage.finish();
    }
}

namespace {

// A value that violates a schema, and the place of the violation.
struct Wrong {
    std::string value;
    std::string pointer;
};

class WrongValues {
public:
    explicit WrongValues(Json const& document) : document_{document} {}

    // For a combination with null the other form; null: not a combination.
    static Json const* other_than_null(Json const& schema) {
        for (auto const* keyword : {"oneOf", "anyOf"}) {
            if (!schema.has(keyword) || schema[keyword].items.size() != 2) continue;
            auto const& forms = schema[keyword];
            for (std::size_t i = 0; i < 2; ++i)
                if (forms[i].text("type") == "null") return &forms[1 - i];
        }
        return nullptr;
    }

    // A value of the right type if the schema has one, but invalid otherwise.
    std::optional<Wrong> wrong(Json const& node) const {
        Json const& schema = resolved(node);
        if (auto const* const other = other_than_null(schema)) return wrong(*other);
        if (schema.has("pattern")) return Wrong{"\"!\"", ""};
        if (schema.has("exclusiveMinimum")) return Wrong{"0", ""};
        if (schema.has("properties"))
            for (auto const& [name, property] : schema["properties"].members)
                if (auto const inner = wrong_or_other_type(property))
                    return Wrong{"{" + sallyport::test::quoted(name) + ":" + inner->value + "}",
                                 "/" + name + inner->pointer};
        if (schema.has("additionalProperties")
            && schema["additionalProperties"].kind == Json::Kind::object)
            if (auto const inner = wrong_or_other_type(schema["additionalProperties"]))
                return Wrong{"{\"a\":" + inner->value + "}", "/a" + inner->pointer};
        return std::nullopt;
    }

private:
    Json const& resolved(Json const& node) const {
        auto const reference = node.text("$ref");
        if (reference.empty()) return node;
        Json const* found = &document_;
        for (std::size_t at = 2; at <= reference.size();) {
            auto const end = std::min(reference.find('/', at), reference.size());
            found = &(*found)[reference.substr(at, end - at)];
            at = end + 1;
        }
        return resolved(*found);
    }

    std::optional<Wrong> wrong_or_other_type(Json const& node) const {
        if (auto const inside = wrong(node)) return inside;
        Json const& schema = resolved(node);
        if (!schema.has("type")) return std::nullopt;
        auto const& type = schema["type"];
        auto const& first = type.kind == Json::Kind::array ? type[0].string : type.string;
        return Wrong{first == "string" ? "7" : "\"!\"", ""};
    }

    Json const& document_;
};

struct Combination {
    std::string pointer; // of the document
    Json const* other;
};

void find_combinations(Json const& node, std::string const& pointer,
                       std::vector<Combination>& found) {
    if (auto const* const other = WrongValues::other_than_null(node))
        found.push_back({pointer, other});
    for (auto const& [name, value] : node.members)
        find_combinations(value, pointer + "/" + name, found);
    for (std::size_t i = 0; i < node.items.size(); ++i)
        find_combinations(node.items[i], pointer + "/" + std::to_string(i), found);
}

} // namespace

TEST_CASE("for each published nullable value a wrong one is reported with its place") {
    auto const path = document_path("clickhouse-cloud.json");
    if (!path) return;
    auto options = plain_credentials();
    options.files["schemas/cloud.json"] = read_file(*path);
    Json const document = Json::parse(options.files["schemas/cloud.json"]);
    std::vector<Combination> combinations;
    find_combinations(document["components"]["schemas"], "/components/schemas", combinations);
    CHECK(combinations.size() == 54);

    // An operation for each, whose body it is.
    std::string contract = "openapi: 3.1.0\ninfo: { title: T, version: '1' }\npaths:\n";
    for (std::size_t i = 0; i < combinations.size(); ++i) {
        auto const number = std::to_string(i);
        contract += "  /may-be-null/" + number + ": { post: { operationId: c" + number
                    + ", requestBody: { required: true, content: { application/json: { schema: { "
                      "$ref: 'https://schemas.example.test/cloud.json#"
                    + combinations[i].pointer + "' } } } } } }\n";
    }
    options.files["own.yaml"] = contract;
    Stage stage{{},
                [](Configuration& configuration) {
                    configuration.apis = "  own: { contract: own.yaml, schemas: schemas, upstream: "
                                         "management, authenticate: [basic] }\n";
                },
                options};
    WrongValues const values{document};
    std::size_t reported = 0;
    for (std::size_t i = 0; i < combinations.size(); ++i) {
        auto const wrong = values.wrong(*combinations[i].other);
        // Only a type: there is no place inside.
        if (!wrong) continue;
        auto const response =
            stage.send(Outgoing("POST", "/may-be-null/" + std::to_string(i))
                           .authorization(basic(administrator))
                           .body(wrong->value));
        INFO(combinations[i].pointer << ": " << wrong->value << "\n" << response.body);
        REQUIRE(response.status == 400);
        bool is_reported = false;
        Json const problem = Json::parse(response.body);
        for (auto const& violation : problem["violations"].items) {
            is_reported |= violation.text("pointer") == wrong->pointer;
            CHECK(violation.text("message").find(" forms") == std::string::npos);
        }
        CHECK(is_reported);
        reported += is_reported ? 1 : 0;
    }
    CHECK(reported == 49);
    stage.finish();
}

} // namespace e16_published_documents
