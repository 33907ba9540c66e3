// The texts of the ten operations.
#include "tests/support/operations.h"

#include "tests/support/configuration.h"
#include "tests/support/encodings.h"

#include <algorithm>
#include <stdexcept>

namespace sallyport::test {

Outgoing::Outgoing(std::string_view method, std::string_view target)
    : method_(method), target_(target), fields_{{"Host", "localhost"}} {}

Outgoing& Outgoing::add(std::string_view name, std::string_view value) {
    fields_.push_back({std::string{name}, std::string{value}});
    return *this;
}

Outgoing& Outgoing::set(std::string_view name, std::string_view value) {
    return without(name).add(name, value);
}

Outgoing& Outgoing::without(std::string_view name) {
    fields_.erase(
        std::remove_if(fields_.begin(), fields_.end(),
                       [&](Field const& field) { return equal_ignoring_case(field.name, name); }),
        fields_.end());
    return *this;
}

Outgoing& Outgoing::target(std::string_view target) {
    target_ = target;
    return *this;
}

Outgoing& Outgoing::method(std::string_view method) {
    method_ = method;
    return *this;
}

Outgoing& Outgoing::body(std::string_view body, std::string_view media_type) {
    without("Transfer-Encoding").set("Content-Length", std::to_string(body.size()));
    set("Content-Type", media_type);
    return bytes(body);
}

Outgoing& Outgoing::chunked_body(std::string_view body, std::size_t chunk) {
    without("Content-Length").set("Transfer-Encoding", "chunked");
    set("Content-Type", "application/json");
    return bytes(chunked(body, chunk));
}

Outgoing& Outgoing::bytes(std::string_view bytes) {
    body_ = bytes;
    return *this;
}

std::string Outgoing::head() const {
    auto text = method_ + " " + target_ + " HTTP/1.1\r\n";
    for (auto const& field : fields_)
        text += field.name + ": " + field.value + "\r\n";
    return text + "\r\n";
}

std::vector<Operation> const& all_operations() {
    static std::string const organization = "/v1/organizations/" + std::string{organization_id};
    static std::string const service = organization + "/services/" + std::string{service_id};
    static std::string const pipe = service + "/datapipes/" + std::string{pipe_id};
    static std::vector<Operation> const operations{
        {"management", "getPipe", "GET", pipe, ""},
        {"management", "updatePipeSettings", "PUT", pipe + "/settings",
         R"({"streaming_max_insert_wait_ms": 5000, "db_max_threads":64, "db_parallel_view_processing":null})"},
        {"management", "createService", "POST", organization + "/services",
         R"({"name":"Größe 1","provider":"aws","region":"eu-central-1","minReplicaMemoryGb":8,)"
         R"("maxReplicaMemoryGb":120,"numReplicas":3,"idleScaling":true,"idleTimeoutMinutes":5,)"
         R"("ipAccessList":[{"source":"192.0.2.0/24","description":"office"}]})"},
        {"management", "updateOrganization", "PATCH", organization,
         R"({"name":"Acme, Inc.","privateEndpoints":{"add":[{"id":"vpce-1","description":"one"}],"remove":[]}})"},
        {"management", "upsertServiceQueryEndpoint", "POST", service + "/serviceQueryEndpoint",
         R"({"roles":["sql_console_read_only"],"openApiKeys":["k1"],"allowedOrigins":"https://example.com"})"},
        {"management", "listServiceBackups", "GET", service + "/backups", ""},
        {"observability", "getDashboard", "GET", "/api/v2/dashboards/d-17", ""},
        {"observability", "updateDashboard", "PUT", "/api/v2/dashboards/d-17",
         R"({"name":"CPU","tiles":[{"name":"t","x":0,"y":0,"w":6,"h":3,"asRatio":false,)"
         R"("series":[{"type":"time","dataSource":"events","aggFn":"avg","where":"","groupBy":[]}]}],"tags":["a"]})"},
        {"observability", "listAlerts", "GET", "/api/v2/alerts", ""},
        {"observability", "chartSeries", "POST", "/api/v2/charts/series",
         R"({"series":[{"sourceId":"s","aggFn":"count","where":"","groupBy":[]}],)"
         R"("startTime":1700000000000,"endTime":1700003600000,"granularity":"5m"})"},
    };
    return operations;
}

Operation const& operation(std::string_view id) {
    for (auto const& candidate : all_operations())
        if (candidate.id == id) return candidate;
    throw std::runtime_error("no operation " + std::string{id});
}

Outgoing request_for(std::string_view operation_id) {
    return request_for(operation(operation_id));
}

Outgoing request_for(Operation const& operation) {
    Outgoing request{operation.method, operation.target};
    request.authorization(operation.api == "management" ? basic(administrator)
                                                        : bearer(observer_token));
    if (!operation.body.empty()) request.body(operation.body);
    return request;
}

} // namespace sallyport::test
