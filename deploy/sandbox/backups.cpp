// The backups of a service (management 2.7, 4.6).
#include "deploy/sandbox/identity.h"
#include "deploy/sandbox/members.h"
#include "deploy/sandbox/operations.h"
#include "deploy/sandbox/reply.h"
#include "deploy/sandbox/resources.h"

#include <boost/json/serialize.hpp>

namespace sallyport::sandbox {

namespace json = boost::json;

Reply list_backups(Call const& call) {
    std::string const service = to_lower(call.parameters[1]);
    if (!has_service(call.database, to_lower(call.parameters[0]), service)) {
        return error_reply(Api::management, 404, "service not found");
    }
    // Newest first; times of one format and zone compare as text.
    Rows rows = call.database.query("SELECT id, started_at, document FROM backups"
                                    " WHERE service_id = ? ORDER BY started_at DESC, id",
                                    {service});
    json::array result;
    while (rows.next()) {
        json::object backup{
            {"id", rows.text(0)}, {"serviceId", service}, {"startedAt", rows.text(1)}};
        for (auto const& [name, value] : object_of(rows.text(2)))
            backup[name] = value;
        result.push_back(std::move(backup));
    }
    return management_result(std::move(result));
}

void insert_backup(Database& database, std::string_view service, json::object backup) {
    std::string const id = take_text(backup, "id");
    std::string const started_at = take_text(backup, "startedAt");
    database.run("INSERT INTO backups (id, service_id, started_at, document) VALUES (?, ?, ?, ?)",
                 {id, service, started_at, json::serialize(backup)});
}

} // namespace sallyport::sandbox
