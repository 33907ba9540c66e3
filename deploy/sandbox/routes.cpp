// The ten paths as a table, matched segment by segment.
#include "deploy/sandbox/routes.h"

#include <optional>

namespace sallyport::sandbox {
namespace {

struct Row {
    Operation operation;
    std::string_view method;
    std::string_view path;
};

constexpr std::array<Row, 10> rows = {{
    {Operation::get_pipe, "GET", // management 4.1
     "/v1/organizations/{}/services/{}/datapipes/{}"},
    {Operation::update_pipe_settings, "PUT", // management 4.2
     "/v1/organizations/{}/services/{}/datapipes/{}/settings"},
    {Operation::create_service, "POST", "/v1/organizations/{}/services"}, // management 4.3
    {Operation::update_organization, "PATCH", "/v1/organizations/{}"},    // management 4.4
    {Operation::upsert_query_endpoint, "POST",                            // management 4.5
     "/v1/organizations/{}/services/{}/serviceQueryEndpoint"},
    {Operation::list_backups, "GET", // management 4.6
     "/v1/organizations/{}/services/{}/backups"},
    {Operation::get_dashboard, "GET", "/api/v2/dashboards/{}"},    // observability 4.1
    {Operation::update_dashboard, "PUT", "/api/v2/dashboards/{}"}, // observability 4.2
    {Operation::list_alerts, "GET", "/api/v2/alerts"},             // observability 4.3
    {Operation::chart_series, "POST", "/api/v2/charts/series"},    // observability 4.4
}};

// The text up to the next '/', consumed together with it.
std::string_view take_segment(std::string_view& path) {
    std::size_t const slash = path.find('/');
    std::string_view const segment = path.substr(0, slash);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    return segment;
}

std::optional<Route> match(Row const& row, std::string_view path) {
    // A trailing slash leaves no segment to compare: it is another path.
    if (path.empty() || path.front() != '/' || path.back() == '/') return std::nullopt;
    Route route{row.operation, {}};
    std::size_t next = 0;
    std::string_view pattern = row.path;
    while (!pattern.empty() && !path.empty()) {
        std::string_view const wanted = take_segment(pattern);
        std::string_view const given = take_segment(path);
        if (wanted == "{}") {
            if (given.empty()) return std::nullopt;
            route.parameters.at(next++) = given;
        } else if (wanted != given) {
            return std::nullopt;
        }
    }
    if (!pattern.empty() || !path.empty()) return std::nullopt;
    return route;
}

} // namespace

std::variant<Route, WrongMethod, NoSuchPath> find_route(std::string_view method,
                                                        std::string_view target) {
    std::string_view const path = target.substr(0, target.find('?'));
    WrongMethod wrong;
    for (Row const& row : rows) {
        std::optional<Route> const route = match(row, path);
        if (!route) continue;
        // RFC 9110, 9.3.2: HEAD is GET without the content, which the server omits.
        bool const is_head_of_it = method == "HEAD" && row.method == "GET";
        if (row.method == method || is_head_of_it) return *route;
        if (!wrong.allow.empty()) wrong.allow += ", ";
        wrong.allow += row.method;
        if (row.method == "GET") wrong.allow += ", HEAD";
    }
    if (!wrong.allow.empty()) return wrong;
    return NoSuchPath{};
}

Api api_of(std::string_view target) {
    return target.starts_with("/v1/") ? Api::management : Api::observability;
}

} // namespace sallyport::sandbox
