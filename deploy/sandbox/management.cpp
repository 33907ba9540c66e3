// The six operations of the management API: pipes, services, organizations, query endpoints,
// backups.
#include "deploy/sandbox/identity.h"
#include "deploy/sandbox/members.h"
#include "deploy/sandbox/reply.h"
#include "deploy/sandbox/service.h"

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>

namespace sallyport::sandbox {
namespace {

namespace json = boost::json;

// Management 2.3: every member is nullable on input.
constexpr std::array<Member, 12> settings_members = {{
    {"streaming_max_insert_wait_ms", MemberType::integer, Null::kept},
    {"object_storage_concurrency", MemberType::integer, Null::kept},
    {"object_storage_polling_interval_ms", MemberType::integer, Null::kept},
    {"object_storage_max_insert_bytes", MemberType::integer, Null::kept},
    {"object_storage_max_file_count", MemberType::integer, Null::kept},
    {"db_max_threads", MemberType::integer, Null::kept},
    {"db_max_insert_threads", MemberType::integer, Null::kept},
    {"db_min_insert_block_size_bytes", MemberType::integer, Null::kept},
    {"db_max_download_threads", MemberType::integer, Null::kept},
    {"db_parallel_distributed_insert_select", MemberType::integer, Null::kept},
    {"object_storage_use_cluster_function", MemberType::boolean, Null::kept},
    {"db_parallel_view_processing", MemberType::boolean, Null::kept},
}};

// Management 4.3: what a create request says that comes back in the service (2.4).
constexpr std::array<Member, 16> service_members = {{
    {"name", MemberType::string},
    {"ipAccessList", MemberType::array},
    {"minTotalMemoryGb", MemberType::number},
    {"maxTotalMemoryGb", MemberType::number},
    {"minReplicaMemoryGb", MemberType::number},
    {"maxReplicaMemoryGb", MemberType::number},
    {"numReplicas", MemberType::number},
    {"idleScaling", MemberType::boolean},
    {"idleTimeoutMinutes", MemberType::number},
    {"isReadonly", MemberType::boolean},
    {"dataWarehouseId", MemberType::string},
    {"encryptionKey", MemberType::string},
    {"encryptionAssumedRoleIdentifier", MemberType::string},
    {"privateEndpointIds", MemberType::array},
    {"byocId", MemberType::string},
    {"hasTransparentDataEncryption", MemberType::boolean},
}};

// Management 4.3: what the service keeps to itself, with its type.
constexpr std::array<Member, 9> unshown_service_members = {{
    {"provider", MemberType::string},
    {"region", MemberType::string},
    {"tier", MemberType::string},
    {"backupId", MemberType::string},
    {"privatePreviewTermsChecked", MemberType::boolean},
    {"releaseChannel", MemberType::string},
    {"endpoints", MemberType::array},
    {"profile", MemberType::string},
    {"complianceType", MemberType::string},
}};

// Management 4.5.
constexpr std::array<Member, 3> query_endpoint_members = {{
    {"roles", MemberType::array},
    {"openApiKeys", MemberType::array},
    {"allowedOrigins", MemberType::string},
}};

Reply not_found(std::string_view what) {
    return error_reply(Api::management, 404, std::string{what} + " not found");
}

Reply bad_request(std::string_view text) {
    return error_reply(Api::management, 400, text);
}

Reply storage_full() {
    return error_reply(Api::management, 503, "the sandbox keeps no more");
}

// The keys of what a path names, each under the one before it.
struct Keys {
    Key organization;
    Key service;
    Key pipe;
};

Keys keys_of(Route const& route) {
    std::string const organization = to_lower(route.parameters[0]);
    std::string const service = to_lower(route.parameters[1]);
    std::string const pipe = to_lower(route.parameters[2]);
    return Keys{{Kind::organization, {}, organization},
                {Kind::service, organization, service},
                {Kind::pipe, service, pipe}};
}

// A service exists in its own organization only, and a pipe in its own service.
std::optional<json::object> find_pipe(Store const& store, Keys const& keys) {
    if (!store.find(keys.service)) return std::nullopt;
    return store.find(keys.pipe);
}

Reply get_pipe(Store& store, Keys const& keys) {
    auto pipe = find_pipe(store, keys);
    if (!pipe) return not_found("pipe");
    return management_result(std::move(*pipe));
}

Reply update_pipe_settings(Store& store, Keys const& keys, json::object const& body) {
    auto pipe = find_pipe(store, keys);
    if (!pipe) return not_found("pipe");
    // First, for any use of [] may move the members that others refer to.
    (*pipe)["updatedAt"] = present_time();
    json::object& settings = pipe->at("settings").as_object();
    if (auto const wrong = copy_members(body, settings_members, settings))
        return bad_request(*wrong);
    if (store.put(keys.pipe, *pipe) != Stored::yes) return storage_full();
    return management_result(settings);
}

// What a service has where its request says nothing (management 2.4 and 4.3).
json::object new_service(std::string const& id) {
    json::object endpoint{{"protocol", "https"},
                          {"host", id + ".sandbox.test"},
                          {"port", 8443},
                          {"username", "default"}};
    return json::object{{"id", id},
                        {"name", "Unnamed"},
                        {"dbVersion", "24.8"},
                        {"endpoints", json::array{std::move(endpoint)}},
                        {"minTotalMemoryGb", 24},
                        {"maxTotalMemoryGb", 48},
                        {"minReplicaMemoryGb", 8},
                        {"maxReplicaMemoryGb", 16},
                        {"numReplicas", 3},
                        {"idleScaling", true},
                        {"idleTimeoutMinutes", 15},
                        {"ipAccessList", json::array{}},
                        {"createdAt", present_time()},
                        {"encryptionKey", ""},
                        {"encryptionAssumedRoleIdentifier", ""},
                        {"iamRole", "arn:aws:iam::123456789012:role/" + id},
                        {"privateEndpointIds", json::array{}},
                        {"availablePrivateEndpointIds", json::array{}},
                        {"dataWarehouseId", make_uuid()},
                        {"isPrimary", true},
                        {"isReadonly", false},
                        {"byocId", ""},
                        {"hasTransparentDataEncryption", false},
                        {"transparentDataEncryptionKeyId", ""},
                        {"encryptionRoleId", ""}};
}

Reply create_service(Store& store, Keys const& keys, json::object const& body) {
    if (!store.find(keys.organization)) return not_found("organization");
    std::string const id = make_uuid();
    json::object service = new_service(id);
    json::object unshown;
    if (auto const wrong = copy_members(body, service_members, service)) return bad_request(*wrong);
    if (auto const wrong = copy_members(body, unshown_service_members, unshown)) {
        return bad_request(*wrong);
    }
    // The first service of a warehouse is its primary one.
    service["isPrimary"] = !body.contains("dataWarehouseId");
    if (service.at("hasTransparentDataEncryption").as_bool()) {
        service["transparentDataEncryptionKeyId"] = make_uuid();
        service["encryptionRoleId"] = "arn:aws:iam::123456789012:role/encryption";
    }
    Key const key{Kind::service, keys.organization.id, id};
    if (store.put(key, service) != Stored::yes) return storage_full();
    json::object result;
    result["service"] = std::move(service);
    result["password"] = make_password(); // said here once and kept nowhere
    return management_result(std::move(result));
}

// The id of an entry of privateEndpoints, or nothing where it has none.
std::optional<std::string> endpoint_id(json::value const& entry) {
    json::object const* const endpoint = entry.if_object();
    json::value const* const id = endpoint == nullptr ? nullptr : endpoint->if_contains("id");
    if (id == nullptr || !id->is_string()) return std::nullopt;
    return std::string{id->get_string()};
}

void remove_endpoint(json::array& endpoints, std::string const& id) {
    auto const* const found = std::find_if(endpoints.begin(), endpoints.end(),
                                           [&id](auto const& e) { return endpoint_id(e) == id; });
    if (found != endpoints.end()) endpoints.erase(found);
}

// Applies one list of management 4.4, privateEndpoints; answers what is wrong with it, or nothing.
std::optional<std::string> change_endpoints(json::object const& change, std::string_view list,
                                            json::array& endpoints) {
    json::value const* const entries = change.if_contains(list);
    if (entries == nullptr) return std::nullopt;
    std::string const where = "privateEndpoints." + std::string{list};
    if (!entries->is_array()) return where + " must be an array";
    for (json::value const& entry : entries->get_array()) {
        auto const id = endpoint_id(entry);
        if (!id) return where + " must hold objects with an id";
        remove_endpoint(endpoints, *id);
        if (list == "remove") continue;
        json::value const* const description = entry.get_object().if_contains("description");
        json::object& endpoint = endpoints.emplace_back(json::object{}).get_object();
        endpoint["id"] = *id;
        endpoint["description"] = "";
        if (description != nullptr) endpoint["description"] = *description;
    }
    return std::nullopt;
}

Reply update_organization(Store& store, Keys const& keys, json::object const& body) {
    static constexpr std::array<Member, 1> members = {{{"name", MemberType::string}}};
    auto organization = store.find(keys.organization);
    if (!organization) return not_found("organization");
    if (auto const wrong = copy_members(body, members, *organization)) return bad_request(*wrong);
    if (json::value const* const change = body.if_contains("privateEndpoints")) {
        if (!change->is_object()) return bad_request("privateEndpoints must be an object");
        json::array& endpoints = organization->at("privateEndpoints").as_array();
        for (std::string_view const list : {"remove", "add"}) {
            auto const wrong = change_endpoints(change->get_object(), list, endpoints);
            if (wrong) return bad_request(*wrong);
        }
    }
    if (store.put(keys.organization, *organization) != Stored::yes) return storage_full();
    return management_result(std::move(*organization));
}

Reply upsert_query_endpoint(Store& store, Keys const& keys, json::object const& body) {
    if (!store.find(keys.service)) return not_found("service");
    Key const key{Kind::query_endpoint, keys.service.id, keys.service.id};
    json::object endpoint{{"id", make_uuid()},
                          {"openApiKeys", json::array{}},
                          {"roles", json::array{}},
                          {"allowedOrigins", ""}};
    // Create or replace: of an existing endpoint only the id stays.
    if (auto const existing = store.find(key)) endpoint["id"] = existing->at("id");
    if (auto const wrong = copy_members(body, query_endpoint_members, endpoint)) {
        return bad_request(*wrong);
    }
    if (store.put(key, endpoint) != Stored::yes) return storage_full();
    return management_result(std::move(endpoint));
}

Reply list_backups(Store& store, Keys const& keys) {
    if (!store.find(keys.service)) return not_found("service");
    auto backups = store.list(Kind::backup, keys.service.id);
    // Newest first; times of one format and zone compare as text.
    std::sort(backups.begin(), backups.end(), [](json::object const& a, json::object const& b) {
        return a.at("startedAt").as_string() > b.at("startedAt").as_string();
    });
    json::array result;
    for (json::object& backup : backups)
        result.push_back(std::move(backup));
    return management_result(std::move(result));
}

} // namespace

Reply answer_management(Store& store, Route const& route, std::string_view body) {
    Keys const keys = keys_of(route);
    if (route.operation == Operation::get_pipe) return get_pipe(store, keys);
    if (route.operation == Operation::list_backups) return list_backups(store, keys);

    std::string problem;
    auto const object = parse_object(body, problem);
    if (!object) return bad_request(problem);
    switch (route.operation) {
    case Operation::update_pipe_settings: return update_pipe_settings(store, keys, *object);
    case Operation::create_service: return create_service(store, keys, *object);
    case Operation::update_organization: return update_organization(store, keys, *object);
    case Operation::upsert_query_endpoint: return upsert_query_endpoint(store, keys, *object);
    default: return not_found("operation");
    }
}

} // namespace sallyport::sandbox
