// All tables and indexes. Columns are the values that are searched, ordered or changed
// individually; the rest of a resource is stored next to them as the JSON object of the response.
#include "deploy/sandbox/schema.h"

namespace sallyport::sandbox {
namespace {

// "SPsb" in SQLite's header identifies the file; to be incremented with every change of a table.
constexpr std::int64_t application_id = 0x53507362;
constexpr std::int64_t version = 1;
constexpr char const* marks = "PRAGMA application_id = 1397781346; PRAGMA user_version = 1;";

constexpr char const* tables = R"sql(
-- The seed of the example data: one row.
CREATE TABLE example_data (seed INTEGER NOT NULL) STRICT;

-- Management 2.5.
CREATE TABLE organizations (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    created_at TEXT NOT NULL,
    byoc_config TEXT NOT NULL -- array
) STRICT, WITHOUT ROWID;
CREATE TABLE private_endpoints (
    number INTEGER PRIMARY KEY, -- the order in which they were added
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    id TEXT NOT NULL,
    description TEXT NOT NULL,
    UNIQUE (organization_id, id)
) STRICT;

-- Management 2.4.
CREATE TABLE services (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    document TEXT NOT NULL, -- without id
    kept TEXT NOT NULL      -- what was sent at its creation and is never shown
) STRICT, WITHOUT ROWID;

-- Management 2.2 and 2.3.
CREATE TABLE pipes (
    id TEXT PRIMARY KEY,
    service_id TEXT NOT NULL REFERENCES services (id),
    updated_at TEXT NOT NULL,
    document TEXT NOT NULL -- without id, serviceId, settings, updatedAt
) STRICT, WITHOUT ROWID;
CREATE TABLE pipe_settings (
    pipe_id TEXT NOT NULL REFERENCES pipes (id),
    name TEXT NOT NULL,
    value TEXT NOT NULL, -- JSON; a setting without a row is null
    PRIMARY KEY (pipe_id, name)
) STRICT, WITHOUT ROWID;

-- Management 2.6: a service has one or none.
CREATE TABLE query_endpoints (
    service_id TEXT PRIMARY KEY REFERENCES services (id),
    id TEXT NOT NULL,
    open_api_keys TEXT NOT NULL, -- array
    roles TEXT NOT NULL,         -- array
    allowed_origins TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Management 2.7.
CREATE TABLE backups (
    id TEXT PRIMARY KEY,
    service_id TEXT NOT NULL REFERENCES services (id),
    started_at TEXT NOT NULL,
    document TEXT NOT NULL -- without id, serviceId, startedAt
) STRICT, WITHOUT ROWID;
CREATE INDEX backups_by_service ON backups (service_id, started_at DESC);

-- Observability 2.1 and 2.2.
CREATE TABLE dashboards (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    tags TEXT NOT NULL -- array
) STRICT, WITHOUT ROWID;
CREATE TABLE tiles (
    dashboard_id TEXT NOT NULL REFERENCES dashboards (id),
    id TEXT NOT NULL,
    position INTEGER NOT NULL,
    document TEXT NOT NULL, -- without id
    PRIMARY KEY (dashboard_id, id)
) STRICT, WITHOUT ROWID;

-- Observability 2.4: an alert goes with its tile.
CREATE TABLE alerts (
    id TEXT PRIMARY KEY,
    dashboard_id TEXT NOT NULL,
    tile_id TEXT NOT NULL,
    document TEXT NOT NULL, -- without id, dashboard, tileId
    FOREIGN KEY (dashboard_id, tile_id) REFERENCES tiles (dashboard_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX alerts_by_tile ON alerts (dashboard_id, tile_id);

-- Observability 4.4: what charts are computed from.
CREATE TABLE sources (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL
) STRICT;
CREATE TABLE points (
    source INTEGER NOT NULL REFERENCES sources (number),
    time INTEGER NOT NULL, -- milliseconds since 1970
    number INTEGER NOT NULL, -- tells points of one moment apart
    value REAL,            -- of an event how long it took, in milliseconds
    service TEXT,
    level TEXT,
    host TEXT,
    status INTEGER,
    name TEXT, -- of a metric
    message TEXT,
    PRIMARY KEY (source, time, number)
) STRICT, WITHOUT ROWID;
)sql";

std::int64_t number_of(Database& database, char const* sql) {
    Rows rows = database.query(sql);
    return rows.next() ? rows.integer(0) : 0;
}

} // namespace

Contents inspect(Database& database) {
    if (number_of(database, "SELECT count(*) FROM sqlite_schema") == 0) return Contents::empty;
    if (number_of(database, "PRAGMA application_id") != application_id) {
        throw DatabaseError{"it is a database of another program"};
    }
    if (number_of(database, "PRAGMA user_version") != version) {
        throw DatabaseError{"it has the tables of another version; begin with a new file"};
    }
    return Contents::ours;
}

void create_tables(Database& database) {
    database.run_script(tables);
    database.run_script(marks);
}

} // namespace sallyport::sandbox
