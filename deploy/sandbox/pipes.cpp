// Pipes and their settings (management 2.2, 2.3, 4.1, 4.2).
#include "deploy/sandbox/identity.h"
#include "deploy/sandbox/members.h"
#include "deploy/sandbox/operations.h"
#include "deploy/sandbox/reply.h"
#include "deploy/sandbox/resources.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

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

// Organization, service and pipe in lower case: uuids are compared case-insensitively.
struct Ids {
    std::string organization;
    std::string service;
    std::string pipe;
};

Ids ids_of(Call const& call) {
    return {to_lower(call.parameters[0]), to_lower(call.parameters[1]),
            to_lower(call.parameters[2])};
}

Reply not_found() {
    return error_reply(Api::management, 404, "pipe not found");
}

// All twelve, in the order of the document; null if the pipe has no value of its own.
json::object read_settings(Database& database, std::string const& pipe) {
    json::object settings;
    for (Member const& member : settings_members)
        settings[member.name] = nullptr;
    Rows rows = database.query("SELECT name, value FROM pipe_settings WHERE pipe_id = ?", {pipe});
    while (rows.next())
        settings[rows.text(0)] = json::parse(rows.text(1));
    return settings;
}

// Null resets a setting: it has no row then.
void write_settings(Database& database, std::string const& pipe, json::object const& changes) {
    for (auto const& [name, value] : changes) {
        if (value.is_null()) {
            database.run("DELETE FROM pipe_settings WHERE pipe_id = ? AND name = ?",
                         {pipe, std::string_view{name}});
        } else {
            database.run("INSERT INTO pipe_settings (pipe_id, name, value) VALUES (?, ?, ?)"
                         " ON CONFLICT (pipe_id, name) DO UPDATE SET value = excluded.value",
                         {pipe, std::string_view{name}, json::serialize(value)});
        }
    }
}

// The pipe without its settings; empty unless the service belongs to the organization, and the pipe
// to the service.
std::optional<json::object> read_pipe(Database& database, Ids const& ids) {
    Rows rows = database.query("SELECT pipes.document, pipes.updated_at FROM pipes"
                               " JOIN services ON services.id = pipes.service_id"
                               " WHERE pipes.id = ? AND services.id = ?"
                               " AND services.organization_id = ?",
                               {ids.pipe, ids.service, ids.organization});
    if (!rows.next()) return std::nullopt;
    json::object pipe{{"id", ids.pipe}, {"serviceId", ids.service}};
    for (auto const& [name, value] : object_of(rows.text(0)))
        pipe[name] = value;
    pipe["updatedAt"] = rows.text(1);
    return pipe;
}

} // namespace

Reply get_pipe(Call const& call) {
    Ids const ids = ids_of(call);
    auto pipe = read_pipe(call.database, ids);
    if (!pipe) return not_found();
    (*pipe)["settings"] = read_settings(call.database, ids.pipe);
    return management_result(std::move(*pipe));
}

Reply update_pipe_settings(Call const& call) {
    Ids const ids = ids_of(call);
    Transaction transaction{call.database};
    if (!read_pipe(call.database, ids)) return not_found();
    json::object changes;
    if (auto const wrong = copy_members(call.body, settings_members, changes)) {
        return error_reply(Api::management, 400, *wrong);
    }
    write_settings(call.database, ids.pipe, changes);
    call.database.run("UPDATE pipes SET updated_at = ? WHERE id = ?", {present_time(), ids.pipe});
    json::object settings = read_settings(call.database, ids.pipe);
    transaction.commit();
    return management_result(std::move(settings));
}

void insert_pipe(Database& database, std::string_view service, json::object pipe) {
    std::string const id = take_text(pipe, "id");
    std::string const updated_at = take_text(pipe, "updatedAt");
    json::value const settings = take(pipe, "settings");
    database.run("INSERT INTO pipes (id, service_id, updated_at, document) VALUES (?, ?, ?, ?)",
                 {id, service, updated_at, json::serialize(pipe)});
    write_settings(database, id, settings.as_object());
}

} // namespace sallyport::sandbox
