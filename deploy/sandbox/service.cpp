// The steps of every request: credential, operation, body; then the operation itself.
#include "deploy/sandbox/service.h"

#include "deploy/sandbox/members.h"
#include "deploy/sandbox/operations.h"
#include "deploy/sandbox/reply.h"
#include "deploy/sandbox/routes.h"

namespace sallyport::sandbox {
namespace {

namespace json = boost::json;

enum class HasBody { no, yes };

struct Row {
    Operate* operate;
    HasBody has_body;
};

Row row_of(Operation operation) {
    switch (operation) {
    case Operation::get_pipe: return {get_pipe, HasBody::no};
    case Operation::update_pipe_settings: return {update_pipe_settings, HasBody::yes};
    case Operation::create_service: return {create_service, HasBody::yes};
    case Operation::update_organization: return {update_organization, HasBody::yes};
    case Operation::upsert_query_endpoint: return {upsert_query_endpoint, HasBody::yes};
    case Operation::list_backups: return {list_backups, HasBody::no};
    case Operation::get_dashboard: return {get_dashboard, HasBody::no};
    case Operation::update_dashboard: return {update_dashboard, HasBody::yes};
    case Operation::list_alerts: return {list_alerts, HasBody::no};
    case Operation::chart_series: return {chart_series, HasBody::yes};
    }
    return {get_pipe, HasBody::no};
}

Reply operate(Database& database, Api api, Route const& route, std::string_view body) {
    Row const row = row_of(route.operation);
    json::object object;
    if (row.has_body == HasBody::yes) {
        std::string problem;
        auto parsed = parse_object(body, problem);
        if (!parsed) return error_reply(api, 400, problem);
        object = std::move(*parsed);
    }
    try {
        return row.operate(Call{database, route.parameters, object});
    } catch (StorageFull const&) {
        return error_reply(api, 503, "the sandbox keeps no more");
    } catch (TooMuchWork const&) {
        return error_reply(api, 503, "the sandbox would take too long for this");
    }
}

} // namespace

Reply respond(Database& database, Credentials const& credentials, Request const& request) {
    Api const api = api_of(request.target);
    // Unauthenticated clients learn nothing about the resources.
    if (!credentials.admit(api, request.fields)) return unauthorized_reply(api);
    auto const found = find_route(request.method, request.target);
    if (auto const* const wrong = std::get_if<WrongMethod>(&found)) {
        Reply reply = error_reply(api, 405, "the path does not take this method");
        reply.fields.emplace_back("Allow", wrong->allow);
        return reply;
    }
    auto const* const route = std::get_if<Route>(&found);
    if (route == nullptr) return error_reply(api, 404, "there is nothing here");
    return operate(database, api, *route, request.body);
}

} // namespace sallyport::sandbox
