// The bodies and schemas that the contract benchmarks measure.
#include "tests/bench/contract_bodies.h"

#include "config/yaml.h"
#include "gateway/contract/schema/constants.h"

#include <stdexcept>
#include <string_view>

namespace sallyport::bench {

namespace {

namespace yaml = config::yaml;

// A schema without our own words, and with its references resolved, so that others can read it.
void append_plain(std::string& out, yaml::Node const& root, yaml::Node const& node) {
    if (yaml::Node const* const reference = node.find("$ref"); reference != nullptr) {
        constexpr std::string_view prefix = "#/components/schemas/";
        auto const name = reference->text().substr(prefix.size());
        return append_plain(out, root, *root.find("components")->find("schemas")->find(name));
    }
    bool is_first = true;
    auto const separate = [&out, &is_first] {
        if (!is_first) out += ',';
        is_first = false;
    };
    if (node.is_mapping()) {
        out += '{';
        for (auto const& entry : node.entries()) {
            if (entry.key.rfind("x-", 0) == 0) continue;
            separate();
            contract::append_json_string(out, entry.key);
            out += ':';
            append_plain(out, root, entry.value);
        }
        out += '}';
    } else if (node.is_sequence()) {
        out += '[';
        for (auto const& item : node.items()) {
            separate();
            append_plain(out, root, item);
        }
        out += ']';
    } else if (!contract::append_json(out, node)) {
        throw std::runtime_error{"a schema contains a number that JSON does not allow"};
    }
}

[[nodiscard]] std::string schema_of(std::string_view operation) {
    auto const document =
        yaml::load_file(SALLYPORT_SOURCE_FOLDER "/config/contracts/management.yaml");
    for (auto const& path : document.root().find("paths")->entries()) {
        for (auto const& method : path.value.entries()) {
            yaml::Node const* const id = method.value.find("operationId");
            if (id == nullptr || id->text() != operation) continue;
            std::string text;
            append_plain(text, document.root(),
                         *method.value.find("requestBody")
                              ->find("content")
                              ->find("application/json")
                              ->find("schema"));
            return text;
        }
    }
    throw std::runtime_error{"no such operation"};
}

} // namespace

Sample settings_sample() {
    std::string body =
        R"({"streaming_max_insert_wait_ms": 20532, "object_storage_concurrency": 10, )"
        R"("object_storage_polling_interval_ms": 16233, "object_storage_max_insert_bytes": 10485760, )"
        R"("object_storage_max_file_count": 5912, "db_max_threads": null, "db_max_insert_threads": 3, )"
        R"("db_min_insert_block_size_bytes": 0, "db_max_download_threads": 12, )"
        R"("db_parallel_distributed_insert_select": 2, "object_storage_use_cluster_function": true, )"
        R"("db_parallel_view_processing": false})";
    return {"updatePipeSettings", std::move(body), schema_of("updatePipeSettings")};
}

Sample create_sample() {
    std::string body = R"({"name": "svc 1", "provider": "aws", "region": "eu-west-1", )"
                       R"("minReplicaMemoryGb": 16, "maxReplicaMemoryGb": 120, "numReplicas": 3, )"
                       R"("idleScaling": true, "idleTimeoutMinutes": 15, "ipAccessList": [)";
    for (int i = 0; i < 26; ++i) {
        body += (i == 0 ? "" : ", ") + (R"({"source": "10.)" + std::to_string(i) + R"(.17.0/24", )")
                + R"("description": "office number )" + std::to_string(i) + R"("})";
    }
    body +=
        R"(], "privateEndpointIds": ["vpce-0a1b2c3d4e5f60718", "vpce-0a1b2c3d4e5f60719"], )"
        R"("releaseChannel": "default", "endpoints": [{"protocol": "mysql", "enabled": false}], )"
        R"("tags": {)";
    for (int i = 0; i < 12; ++i) {
        body += (i == 0 ? "\"k" : ", \"k") + std::to_string(i) + R"(": "v0.8444218515250)"
                + std::to_string(i) + '"';
    }
    body += R"(}})";
    return {"createService", std::move(body), schema_of("createService")};
}

std::string object_of(std::size_t members) {
    std::string body = "{";
    for (std::size_t i = 0; i < members; ++i) {
        body +=
            (i == 0 ? "\"member_" : ",\"member_") + std::to_string(i) + "\":" + std::to_string(i);
    }
    return body + '}';
}

std::string text_of(std::size_t size) {
    std::string body = R"({"privateEndpointIds": [)";
    while (body.size() + 64 < size)
        body += R"("vpce-0a1b2c3d4e5f60718",)";
    body += R"("last"]})";
    return body;
}

} // namespace sallyport::bench
