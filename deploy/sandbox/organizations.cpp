// Organizations and their private endpoints (management 2.5, 4.4).
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

json::array read_endpoints(Database& database, std::string const& organization) {
    json::array endpoints;
    Rows rows = database.query("SELECT id, description FROM private_endpoints"
                               " WHERE organization_id = ? ORDER BY number",
                               {organization});
    while (rows.next()) {
        endpoints.push_back(json::object{{"id", rows.text(0)}, {"description", rows.text(1)}});
    }
    return endpoints;
}

std::optional<json::object> read_organization(Database& database, std::string const& id) {
    Rows rows = database.query(
        "SELECT created_at, name, byoc_config FROM organizations WHERE id = ?", {id});
    if (!rows.next()) return std::nullopt;
    return json::object{{"id", id},
                        {"createdAt", rows.text(0)},
                        {"name", rows.text(1)},
                        {"privateEndpoints", read_endpoints(database, id)},
                        {"byocConfig", array_of(rows.text(2))}};
}

void remove_endpoint(Database& database, std::string const& organization, std::string_view id) {
    database.run("DELETE FROM private_endpoints WHERE organization_id = ? AND id = ?",
                 {organization, id});
}

// An existing one gets the new description and the last place.
void add_endpoint(Database& database, std::string const& organization, std::string_view id,
                  std::string_view description) {
    remove_endpoint(database, organization, id);
    database.run("INSERT INTO private_endpoints (organization_id, id, description)"
                 " VALUES (?, ?, ?)",
                 {organization, id, description});
}

std::optional<std::string_view> text_of(json::object const& object, std::string_view name) {
    json::value const* const found = object.if_contains(name);
    if (found == nullptr || !found->is_string()) return std::nullopt;
    return std::string_view{found->get_string()};
}

// Applies one list of management 4.4, privateEndpoints; returns a problem, if any.
std::optional<std::string> change_endpoints(Database& database, std::string const& organization,
                                            json::object const& change, std::string_view list) {
    json::value const* const entries = change.if_contains(list);
    if (entries == nullptr) return std::nullopt;
    std::string const where = "privateEndpoints." + std::string{list};
    if (!entries->is_array()) return where + " must be an array";
    if (entries->get_array().size() > most_entries) return where + " has too many entries";
    for (json::value const& entry : entries->get_array()) {
        json::object const* const endpoint = entry.if_object();
        auto const id = endpoint == nullptr ? std::nullopt : text_of(*endpoint, "id");
        if (!id) return where + " must hold objects with an id";
        auto const description = text_of(*endpoint, "description");
        if (!description && endpoint->contains("description")) {
            return where + " must hold descriptions that are strings";
        }
        if (list == "remove") {
            remove_endpoint(database, organization, *id);
        } else {
            add_endpoint(database, organization, *id, description.value_or(""));
        }
    }
    return std::nullopt;
}

} // namespace

Reply update_organization(Call const& call) {
    static constexpr std::array<Member, 2> members = {
        {{"name", MemberType::string}, {"privateEndpoints", MemberType::object}}};
    std::string const id = to_lower(call.parameters[0]);
    Transaction transaction{call.database};
    if (!read_organization(call.database, id)) {
        return error_reply(Api::management, 404, "organization not found");
    }
    json::object change;
    if (auto const wrong = copy_members(call.body, members, change)) {
        return error_reply(Api::management, 400, *wrong);
    }
    if (auto const name = text_of(change, "name")) {
        call.database.run("UPDATE organizations SET name = ? WHERE id = ?", {*name, id});
    }
    if (json::value const* const endpoints = change.if_contains("privateEndpoints")) {
        // An entry of both lists exists in the end.
        for (std::string_view const list : {"remove", "add"}) {
            auto const wrong = change_endpoints(call.database, id, endpoints->get_object(), list);
            if (wrong) return error_reply(Api::management, 400, *wrong);
        }
    }
    auto organization = read_organization(call.database, id);
    transaction.commit();
    return management_result(std::move(*organization));
}

void insert_organization(Database& database, json::object organization) {
    std::string const id = take_text(organization, "id");
    database.run("INSERT INTO organizations (id, name, created_at, byoc_config)"
                 " VALUES (?, ?, ?, ?)",
                 {id, take_text(organization, "name"), take_text(organization, "createdAt"),
                  json::serialize(take(organization, "byocConfig"))});
    json::value const endpoints = take(organization, "privateEndpoints");
    for (json::value const& entry : endpoints.as_array()) {
        json::object const& endpoint = entry.as_object();
        add_endpoint(database, id, text_of(endpoint, "id").value(),
                     text_of(endpoint, "description").value());
    }
}

} // namespace sallyport::sandbox
