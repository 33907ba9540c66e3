// Alerts on the tiles of dashboards (observability 2.4, 4.3).
#include "deploy/sandbox/members.h"
#include "deploy/sandbox/operations.h"
#include "deploy/sandbox/reply.h"
#include "deploy/sandbox/resources.h"

#include <boost/json/serialize.hpp>

namespace sallyport::sandbox {

namespace json = boost::json;

Reply list_alerts(Call const& call) {
    Rows rows =
        call.database.query("SELECT id, dashboard_id, tile_id, document FROM alerts ORDER BY id");
    json::array result;
    while (rows.next()) {
        json::object alert{{"id", rows.text(0)}};
        for (auto const& [name, value] : object_of(rows.text(3)))
            alert[name] = value;
        alert["dashboard"] = rows.text(1);
        alert["tileId"] = rows.text(2);
        result.push_back(std::move(alert));
    }
    return observability_data(std::move(result));
}

void insert_alert(Database& database, json::object alert) {
    std::string const id = take_text(alert, "id");
    std::string const dashboard = take_text(alert, "dashboard");
    std::string const tile = take_text(alert, "tileId");
    database.run("INSERT INTO alerts (id, dashboard_id, tile_id, document) VALUES (?, ?, ?, ?)",
                 {id, dashboard, tile, json::serialize(alert)});
}

} // namespace sallyport::sandbox
