// Fuzzes the sandbox: a request made from the input, and the input as the `where` of a chart. No
// response is an internal failure, each has the format of its service, and SQLite accepts every
// compiled filter as one condition.
#include "check.h"

#include "deploy/sandbox/filter.h"
#include "deploy/sandbox/schema.h"
#include "deploy/sandbox/seed.h"
#include "deploy/sandbox/service.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <memory>
#include <string>

namespace {

using namespace sallyport::sandbox;
using sallyport::fuzz::check;
using sallyport::fuzz::take_byte;
using sallyport::fuzz::view_of;
namespace json = boost::json;

constexpr std::int64_t most_steps = 2'000'000;
constexpr std::int64_t most_bytes = 4 * 1024 * 1024;

std::string const service = "/v1/organizations/" + std::string{seed::organization_id} + "/services/"
                            + std::string{seed::service_id};
std::string const dashboard = "/api/v2/dashboards/" + std::string{seed::dashboard_id};

struct Target {
    std::string method;
    std::string path;
};

// Operations that change or compute something, with the body of the input; and a path of the input.
std::array<Target, 6> const targets = {{
    {"PUT", service + "/datapipes/" + std::string{seed::kafka_pipe_id} + "/settings"},
    {"POST", "/v1/organizations/" + std::string{seed::organization_id} + "/services"},
    {"PATCH", "/v1/organizations/" + std::string{seed::organization_id}},
    {"POST", service + "/serviceQueryEndpoint"},
    {"PUT", dashboard},
    {"POST", "/api/v2/charts/series"},
}};

std::unique_ptr<Database> make_database() {
    auto database =
        std::make_unique<Database>(std::nullopt, DatabaseLimits{most_bytes, most_steps});
    Transaction transaction{*database};
    create_tables(*database);
    seed::plant(*database, seed::Seed{.events = 100});
    transaction.commit();
    return database;
}

Reply ask(Database& database, Request const& request) {
    static Credentials const any_credentials{Required::no};
    Reply reply = respond(database, any_credentials, request);
    switch (reply.status) {
    case 200:
    case 400:
    case 404:
    case 405:
    case 503: break;
    default: check(false, "the status is one that the sandbox sends");
    }
    json::error_code error;
    json::value const body = json::parse(reply.body, error);
    check(!error && body.is_object(), "a response is a JSON object");
    bool const is_management = request.target.starts_with("/v1/");
    json::object const& object = body.get_object();
    if (is_management) {
        check(object.contains("requestId"), "management has a requestId in each response");
        check(object.contains(reply.status == 200 ? "result" : "error"), "management's shape");
    } else {
        check(reply.status == 200 ? object.contains("data")
                                  : object.contains("message") != object.contains("error"),
              "the observability API's shape");
    }
    return reply;
}

// The response to a change equals the stored state afterwards.
void check_dashboard(Database& database, Reply const& changed) {
    if (changed.status != 200) return;
    check(ask(database, {"GET", dashboard, {}, ""}).body == changed.body,
          "a dashboard reads back as it was returned");
}

void try_filter(Database& database, std::string_view expression) {
    auto const compiled = compile_filter(expression);
    auto const* const condition = std::get_if<Sql>(&compiled);
    if (condition == nullptr) return;
    auto const count = [&](std::string const& where, std::vector<Value> const& values) {
        Rows rows = database.query("SELECT count(*) FROM points WHERE " + where, values);
        check(rows.next(), "a count has a row");
        return rows.integer(0);
    };
    auto const some = count(condition->text, condition->values);
    auto const others = count("NOT (" + condition->text + ")", condition->values);
    check(some + others == count("1", {}), "a condition and its opposite share out all points");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    static std::unique_ptr<Database> database;
    static int uses = 0;
    // Data stored by one input must not affect the responses to all later ones.
    if (!database || ++uses % 1000 == 0) database = make_database();
    std::string_view input = view_of(data, size);
    std::size_t const choice = take_byte(input) % (targets.size() + 2);
    if (choice < targets.size()) {
        Target const& target = targets[choice];
        Reply const reply = ask(*database, {target.method, target.path, {}, std::string{input}});
        if (target.path == dashboard) check_dashboard(*database, reply);
    } else if (choice == targets.size()) {
        (void)ask(*database, {"GET", std::string{input}, {}, ""});
    } else {
        try_filter(*database, input);
    }
    return 0;
}
