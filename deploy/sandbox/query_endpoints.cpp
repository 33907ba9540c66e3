// The query endpoint of a service, created or replaced (management 2.6, 4.5).
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

// Management 4.5.
constexpr std::array<Member, 3> members = {{
    {"roles", MemberType::array},
    {"openApiKeys", MemberType::array},
    {"allowedOrigins", MemberType::string},
}};

// Only the id of an existing endpoint is kept.
void upsert(Database& database, std::string_view service, json::object const& endpoint) {
    database.run(
        "INSERT INTO query_endpoints (service_id, id, open_api_keys, roles, allowed_origins)"
        " VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (service_id) DO UPDATE SET open_api_keys = excluded.open_api_keys,"
        " roles = excluded.roles, allowed_origins = excluded.allowed_origins",
        {service, std::string_view{endpoint.at("id").as_string()},
         json::serialize(endpoint.at("openApiKeys")), json::serialize(endpoint.at("roles")),
         std::string_view{endpoint.at("allowedOrigins").as_string()}});
}

json::object read(Database& database, std::string const& service) {
    Rows rows = database.query("SELECT id, open_api_keys, roles, allowed_origins"
                               " FROM query_endpoints WHERE service_id = ?",
                               {service});
    if (!rows.next()) throw DatabaseError{"a query endpoint that was just written is not there"};
    return json::object{{"id", rows.text(0)},
                        {"openApiKeys", array_of(rows.text(1))},
                        {"roles", array_of(rows.text(2))},
                        {"allowedOrigins", rows.text(3)}};
}

} // namespace

Reply upsert_query_endpoint(Call const& call) {
    std::string const service = to_lower(call.parameters[1]);
    Transaction transaction{call.database};
    if (!has_service(call.database, to_lower(call.parameters[0]), service)) {
        return error_reply(Api::management, 404, "service not found");
    }
    json::object endpoint{{"id", make_uuid()},
                          {"openApiKeys", json::array{}},
                          {"roles", json::array{}},
                          {"allowedOrigins", ""}};
    if (auto const wrong = copy_members(call.body, members, endpoint)) {
        return error_reply(Api::management, 400, *wrong);
    }
    upsert(call.database, service, endpoint);
    endpoint = read(call.database, service);
    transaction.commit();
    return management_result(std::move(endpoint));
}

void insert_query_endpoint(Database& database, std::string_view service,
                           json::object const& endpoint) {
    upsert(database, service, endpoint);
}

} // namespace sallyport::sandbox
