// The guarantees of the database: restarts lose nothing, files of other programs are not changed,
// limits are respected.
#include "deploy/sandbox/database.h"

#include "deploy/sandbox/resources.h"
#include "deploy/sandbox/sandbox.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/sandbox/requests.h"

#include <boost/json/serialize.hpp>

#include <fstream>
#include <optional>
#include <sys/stat.h>

namespace database_test {

using namespace sallyport::sandbox;
namespace json = boost::json;

namespace {

// The ten operations' view of the whole state, in one text.
std::string state_of(Database& database, std::string const& service) {
    Credentials const any_credentials{Required::no};
    std::string state;
    for (std::string const& target :
         {pipe_path(), pipe_path(seed::kafka_pipe_id), service_path() + "/backups",
          organization_path() + "/services/" + service + "/backups", dashboard_path(),
          std::string{"/api/v2/alerts"}}) {
        auto const body = body_of(respond(database, any_credentials, {"GET", target, {}, ""}));
        state += json::serialize(body.as_object().contains("data") ? body.at("data")
                                                                   : body.at("result"));
    }
    auto const organization =
        body_of(respond(database, any_credentials, {"PATCH", organization_path(), {}, "{}"}));
    return state + json::serialize(organization.at("result"));
}

json::value change(Database& database, std::string const& method, std::string const& target,
                   std::string const& body) {
    Reply const reply = respond(database, Credentials{Required::no}, {method, target, {}, body});
    INFO(reply.body);
    REQUIRE(reply.status == 200);
    return body_of(reply);
}

// Changes everything that can be changed; returns the id of the created service.
std::string change_everything(Database& database) {
    change(database, "PUT", pipe_path() + "/settings",
           R"({"db_max_threads":3,"object_storage_concurrency":null})");
    change(database, "PATCH", organization_path(),
           R"({"name":"Renamed","privateEndpoints":{"add":[{"id":"a"}]}})");
    change(database, "POST", service_path() + "/serviceQueryEndpoint", R"({"roles":["r"]})");
    change(database, "PUT", dashboard_path(),
           R"({"name":"D","tiles":[{"name":"t"},{"id":"65f2a1b3c4d5e6f708192a40"}]})");
    auto const created =
        change(database, "POST", organization_path() + "/services", R"({"name":"New"})");
    return std::string{created.at("result").at("service").at("id").as_string()};
}

std::string points_of(Database& database) {
    Rows rows = database.query("SELECT group_concat(time || ' ' || value || ' ' || "
                               "ifnull(service || level || host || status || message, name)) "
                               "FROM points");
    REQUIRE(rows.next());
    return std::string{rows.text(0)};
}

} // namespace

TEST_CASE("a file that is not a database of the sandbox is refused and not changed") {
    sallyport::test::TemporaryFolder const folder;
    std::string const path = (folder / "data").string();
    std::string const text = "this is a letter to somebody, and it is longer than it has to be";
    std::ofstream{path} << text;
    CHECK_THROWS_WITH(open_sandbox(path, {}), path + ": file is not a database");
    std::string read;
    std::getline(std::ifstream{path}, read);
    CHECK(read == text);

    CHECK_THROWS_WITH(open_sandbox((folder / "no/folder").string(), {}),
                      Catch::Contains("no/folder"));
}

TEST_CASE("a database of another program, or with the tables of another version, is refused") {
    sallyport::test::TemporaryFolder const folder;
    std::string const path = (folder / "data").string();
    Database{path}.run_script("CREATE TABLE organizations (id)");
    CHECK_THROWS_WITH(open_sandbox(path, {}), path + ": it is a database of another program");

    std::string const other = (folder / "other").string();
    open_sandbox(other, {})->run_script("PRAGMA user_version = 99");
    CHECK_THROWS_WITH(open_sandbox(other, {}),
                      other + ": it has the tables of another version; begin with a new file");
}

TEST_CASE("one file cannot be used by two programs") {
    sallyport::test::TemporaryFolder const folder;
    std::string const path = (folder / "data").string();
    auto first = open_sandbox(path, {});
    CHECK_THROWS_WITH(open_sandbox(path, {}), path + ": another program uses it");
    first.reset();
    CHECK_NOTHROW(open_sandbox(path, {}));
}

TEST_CASE("another seed than that of the file is refused; the same one, or none, is not") {
    sallyport::test::TemporaryFolder const folder;
    std::string const path = (folder / "data").string();
    auto database = open_sandbox(path, 7);
    auto const points = points_of(*database);
    database.reset();
    CHECK_THROWS_WITH(open_sandbox(path, 8),
                      path + ": its example data is of seed 7; another seed needs a new file");
    CHECK(points_of(*open_sandbox(path, 7)) == points);
    CHECK(points_of(*open_sandbox(path, {})) == points);
}

TEST_CASE("a seed decides the points, and the same seed repeats them") {
    Sandbox one{{.number = 1}};
    Sandbox again{{.number = 1}};
    Sandbox two{{.number = 2}};
    CHECK(points_of(one.database) == points_of(again.database));
    CHECK(points_of(one.database) != points_of(two.database));
    CHECK(state_of(one.database, std::string{seed::service_id})
          == state_of(two.database, std::string{seed::service_id}));
}

TEST_CASE("a restart loses nothing, whether the program ended or was killed") {
    sallyport::test::TemporaryFolder const folder;
    std::string const path = (folder / "data").string();
    auto database = open_sandbox(path, {});
    std::string const service = change_everything(*database);
    std::string const state = state_of(*database, service);
    CHECK(state.find("Renamed") != std::string::npos);

    // The files of a running program are what a killed one leaves.
    std::string const killed = (folder / "killed").string();
    for (char const* const part : {"", "-wal"})
        std::filesystem::copy_file(path + part, killed + part);
    auto const points = points_of(*database);
    database.reset();
    for (std::string const& file : {path, killed}) {
        INFO(file);
        auto reopened = open_sandbox(file, {});
        CHECK(state_of(*reopened, service) == state);
        CHECK(points_of(*reopened) == points);
        auto const endpoint =
            change(*reopened, "POST", service_path() + "/serviceQueryEndpoint", "{}");
        CHECK(endpoint.at("result").at("id") == "qe-4d5e6f70");
    }
}

TEST_CASE("the file is readable only by its owner") {
    sallyport::test::TemporaryFolder const folder;
    std::string const path = (folder / "data").string();
    auto const database = open_sandbox(path, {});
    for (char const* const part : {"", "-wal"}) {
        struct stat status {};
        REQUIRE(::stat((path + part).c_str(), &status) == 0);
        CHECK((status.st_mode & 0777U) == 0600U);
    }
}

TEST_CASE("uncommitted changes are not applied") {
    Sandbox sandbox{{.events = 0}};
    auto const count = [&] {
        Rows rows = sandbox.database.query("SELECT count(*) FROM dashboards");
        REQUIRE(rows.next());
        return rows.integer(0);
    };
    {
        Transaction const transaction{sandbox.database};
        sandbox.database.run("INSERT INTO dashboards (id, name, tags) VALUES ('x', 'x', '[]')");
        CHECK(count() == 2);
    }
    CHECK(count() == 1);
}

TEST_CASE("a query that takes too long ends, and the next one has all its time") {
    Sandbox sandbox{{.events = 0}, {.statement_steps = 100'000}};
    auto const count_to = [&](std::int64_t limit) {
        Rows rows = sandbox.database.query(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
            " SELECT max(i) FROM n",
            {limit});
        return rows.next() ? rows.integer(0) : 0;
    };
    CHECK_THROWS_AS(count_to(1'000'000'000), TooMuchWork);
    for (int i = 0; i < 5; ++i)
        CHECK(count_to(2'000) == 2'000);
}

TEST_CASE("a request that takes too long gets a response") {
    Sandbox slow{{.events = 0}, {.statement_steps = 20'000}};
    Transaction transaction{slow.database};
    for (int i = 0; i < 5'000; ++i) {
        Point point;
        point.source = 1;
        point.number = i;
        insert_point(slow.database, point);
    }
    transaction.commit();
    std::string const body = R"({"series":[{"sourceId":")" + std::string{seed::events_id}
                             + R"(","aggFn":"p99"}],"startTime":0,"endTime":1})";
    auto const reply = slow.ask("POST", "/api/v2/charts/series", body);
    CHECK(reply.status == 503);
    CHECK(body_of(reply).at("message") == "the sandbox would take too long for this");
    (void)data_of(slow.ask("GET", dashboard_path()));
}

TEST_CASE("a statement needs as many values as it has placeholders, and text is bound unchanged") {
    Database database;
    database.run("CREATE TABLE t (a TEXT, b REAL, c INTEGER) STRICT");
    std::string const text{"a\0b'\"; --\xc3\xa9", 11};
    database.run("INSERT INTO t VALUES (?, ?, ?)", {text, 1.5, std::int64_t{1} << 62});
    database.run("INSERT INTO t VALUES (?, ?, ?)", {"", nullptr, -1});
    CHECK_THROWS_AS(database.run("INSERT INTO t VALUES (?, ?, ?)", {1}), DatabaseError);
    CHECK_THROWS_AS(database.run("SELECT 1"), DatabaseError);
    CHECK_THROWS_AS(database.run("no statement"), DatabaseError);
    Rows rows = database.query("SELECT a, b, c FROM t ORDER BY c DESC");
    REQUIRE(rows.next());
    CHECK(rows.text(0) == text);
    CHECK(rows.real(1) == 1.5);
    CHECK(rows.integer(2) == std::int64_t{1} << 62);
    REQUIRE(rows.next());
    CHECK(rows.text(0).empty());
    CHECK(rows.text(1).empty());
    CHECK_FALSE(rows.next());
}

TEST_CASE("one of 1,000 dashboards is found and changed by its index") {
    Sandbox sandbox{{.events = 0}};
    {
        Transaction transaction{sandbox.database};
        for (int i = 0; i < 1'000; ++i) {
            json::object dashboard =
                json::parse(R"({"name":"D","tags":[],"tiles":[{"id":"a"},{"id":"b"},{"id":"c"}]})")
                    .as_object();
            dashboard["id"] = "d" + std::to_string(i);
            insert_dashboard(sandbox.database, dashboard);
        }
        transaction.commit();
    }
    auto const work = [&](std::string const& method, std::string const& id,
                          std::string const& body) {
        sandbox.database.reset_work();
        (void)data_of(sandbox.ask(method, dashboard_path(id), body));
        return sandbox.database.work();
    };
    auto const read = work("GET", "d999", "");
    CHECK(read.steps < 500);
    CHECK(read.full_scan_steps == 0);
    auto const changed = work("PUT", "d500", R"({"tiles":[{"id":"a"},{"id":"d"}]})");
    CHECK(changed.steps < 2'000);
    CHECK(changed.full_scan_steps == 0);
}

TEST_CASE("every search of a table uses an index") {
    Sandbox sandbox{{.events = 0}};
    for (char const* const sql :
         {"SELECT 1 FROM services WHERE id = ? AND organization_id = ?",
          "SELECT name, value FROM pipe_settings WHERE pipe_id = ?",
          "SELECT id, started_at, document FROM backups WHERE service_id = ?"
          " ORDER BY started_at DESC",
          "SELECT id, document FROM tiles WHERE dashboard_id = ?",
          "SELECT 1 FROM alerts WHERE dashboard_id = ? AND tile_id = ?",
          "SELECT number FROM sources WHERE id = ?",
          "SELECT 1 FROM points WHERE source = ? AND time >= ? AND time < ?"}) {
        INFO(sql);
        std::string const explain = std::string{"EXPLAIN QUERY PLAN "} + sql;
        std::vector<Value> values;
        for (char const c : std::string_view{sql}) {
            if (c == '?') values.emplace_back(1);
        }
        Rows rows = sandbox.database.query(explain, values);
        while (rows.next()) {
            INFO(rows.text(3));
            CHECK(rows.text(3).starts_with("SEARCH"));
        }
    }
}

} // namespace database_test
