// Dashboards and their tiles (observability 2.1 to 2.3, 4.1, 4.2).
#include "deploy/sandbox/identity.h"
#include "deploy/sandbox/members.h"
#include "deploy/sandbox/operations.h"
#include "deploy/sandbox/reply.h"
#include "deploy/sandbox/resources.h"

#include <boost/json/serialize.hpp>

#include <array>
#include <set>

namespace sallyport::sandbox {
namespace {

namespace json = boost::json;

Reply not_found() {
    return error_reply(Api::observability, 404, "Dashboard not found");
}

json::array read_tiles(Database& database, std::string_view dashboard) {
    json::array tiles;
    Rows rows = database.query(
        "SELECT id, document FROM tiles WHERE dashboard_id = ? ORDER BY position", {dashboard});
    while (rows.next()) {
        json::object tile{{"id", rows.text(0)}};
        for (auto const& [name, value] : object_of(rows.text(1)))
            tile[name] = value;
        tiles.push_back(std::move(tile));
    }
    return tiles;
}

std::optional<json::object> read_dashboard(Database& database, std::string_view id) {
    Rows rows = database.query("SELECT name, tags FROM dashboards WHERE id = ?", {id});
    if (!rows.next()) return std::nullopt;
    return json::object{{"id", id},
                        {"name", rows.text(0)},
                        {"tiles", read_tiles(database, id)},
                        {"tags", array_of(rows.text(1))}};
}

// Observability 4.2: a tile keeps the id that was sent, or gets a new one. Returns a problem, if
// any.
std::optional<std::string> assign_tile_ids(json::array& tiles) {
    if (tiles.size() > most_entries) return "tiles has too many entries";
    std::set<std::string, std::less<>> seen;
    for (json::value& entry : tiles) {
        json::object* const tile = entry.if_object();
        if (tile == nullptr) return "tiles must hold objects";
        json::value const* const id = tile->if_contains("id");
        if (id == nullptr) {
            tile->emplace("id", make_object_id());
        } else if (!id->is_string()) {
            return "the id of a tile must be a string";
        } else if (!seen.emplace(id->get_string()).second) {
            return "two tiles have the same id";
        }
    }
    return std::nullopt;
}

// The list is the dashboard's whole list afterwards. A tile that is sent again is changed in place,
// so that its alerts stay; one that is not sent is deleted with them.
void replace_tiles(Database& database, std::string_view dashboard, json::array const& tiles) {
    // Removes the positions: sent tiles get new ones, and tiles without one are deleted at the end.
    database.run("UPDATE tiles SET position = -1 WHERE dashboard_id = ?", {dashboard});
    std::int64_t position = 0;
    for (json::value const& entry : tiles) {
        json::object tile = entry.as_object();
        std::string const id = take_text(tile, "id");
        database.run("INSERT INTO tiles (dashboard_id, id, position, document) VALUES (?, ?, ?, ?)"
                     " ON CONFLICT (dashboard_id, id) DO UPDATE SET position = excluded.position,"
                     " document = excluded.document",
                     {dashboard, id, position++, json::serialize(tile)});
    }
    database.run("DELETE FROM tiles WHERE dashboard_id = ? AND position = -1", {dashboard});
}

} // namespace

Reply get_dashboard(Call const& call) {
    auto dashboard = read_dashboard(call.database, call.parameters[0]);
    if (!dashboard) return not_found();
    return observability_data(std::move(*dashboard));
}

Reply update_dashboard(Call const& call) {
    static constexpr std::array<Member, 3> members = {
        {{"name", MemberType::string}, {"tiles", MemberType::array}, {"tags", MemberType::array}}};
    std::string_view const id = call.parameters[0];
    Transaction transaction{call.database};
    auto dashboard = read_dashboard(call.database, id);
    if (!dashboard) return not_found();
    if (auto const wrong = copy_members(call.body, members, *dashboard)) {
        return error_reply(Api::observability, 400, *wrong);
    }
    json::array& tiles = dashboard->at("tiles").as_array();
    if (auto const wrong = assign_tile_ids(tiles)) {
        return error_reply(Api::observability, 400, *wrong);
    }
    call.database.run("UPDATE dashboards SET name = ?, tags = ? WHERE id = ?",
                      {std::string_view{dashboard->at("name").as_string()},
                       json::serialize(dashboard->at("tags")), id});
    if (call.body.contains("tiles")) replace_tiles(call.database, id, tiles);
    dashboard = read_dashboard(call.database, id);
    transaction.commit();
    return observability_data(std::move(*dashboard));
}

void insert_dashboard(Database& database, json::object const& dashboard) {
    std::string_view const id = dashboard.at("id").as_string();
    database.run("INSERT INTO dashboards (id, name, tags) VALUES (?, ?, ?)",
                 {id, std::string_view{dashboard.at("name").as_string()},
                  json::serialize(dashboard.at("tags"))});
    replace_tiles(database, id, dashboard.at("tiles").as_array());
}

} // namespace sallyport::sandbox
