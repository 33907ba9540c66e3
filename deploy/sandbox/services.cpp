// Services: created here, and looked up by everything that belongs to one (management 2.4, 4.3).
#include "deploy/sandbox/identity.h"
#include "deploy/sandbox/members.h"
#include "deploy/sandbox/operations.h"
#include "deploy/sandbox/reply.h"
#include "deploy/sandbox/resources.h"

#include <boost/json/serialize.hpp>

#include <array>

namespace sallyport::sandbox {
namespace {

namespace json = boost::json;

// Management 4.3: properties of a create request that are returned in the service (2.4).
constexpr std::array<Member, 16> shown_members = {{
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

// Management 4.3: properties that the service does not return.
constexpr std::array<Member, 9> kept_members = {{
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

// The values of a service that its request does not set.
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

void insert(Database& database, std::string_view organization, json::object service,
            json::object const& kept) {
    std::string const id = take_text(service, "id");
    database.run("INSERT INTO services (id, organization_id, document, kept) VALUES (?, ?, ?, ?)",
                 {id, organization, json::serialize(service), json::serialize(kept)});
}

bool has_organization(Database& database, std::string const& id) {
    return database.query("SELECT 1 FROM organizations WHERE id = ?", {id}).next();
}

} // namespace

Reply create_service(Call const& call) {
    std::string const organization = to_lower(call.parameters[0]);
    Transaction transaction{call.database};
    if (!has_organization(call.database, organization)) {
        return error_reply(Api::management, 404, "organization not found");
    }
    json::object service = new_service(make_uuid());
    json::object kept;
    if (auto const wrong = copy_members(call.body, shown_members, service)) {
        return error_reply(Api::management, 400, *wrong);
    }
    if (auto const wrong = copy_members(call.body, kept_members, kept)) {
        return error_reply(Api::management, 400, *wrong);
    }
    // The first service of a warehouse is its primary one.
    service["isPrimary"] = !call.body.contains("dataWarehouseId");
    if (service.at("hasTransparentDataEncryption").as_bool()) {
        service["transparentDataEncryptionKeyId"] = make_uuid();
        service["encryptionRoleId"] = "arn:aws:iam::123456789012:role/encryption";
    }
    insert(call.database, organization, service, kept);
    transaction.commit();
    json::object result;
    result["service"] = std::move(service);
    result["password"] = make_password(); // returned once and not stored
    return management_result(std::move(result));
}

bool has_service(Database& database, std::string_view organization, std::string_view service) {
    return database
        .query("SELECT 1 FROM services WHERE id = ? AND organization_id = ?",
               {service, organization})
        .next();
}

void insert_service(Database& database, std::string_view organization, json::object service) {
    insert(database, organization, std::move(service), {});
}

} // namespace sallyport::sandbox
