// The operation for a method and a target.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace sallyport::sandbox {

enum class Operation {
    get_pipe,
    update_pipe_settings,
    create_service,
    update_organization,
    upsert_query_endpoint,
    list_backups,
    get_dashboard,
    update_dashboard,
    list_alerts,
    chart_series,
};

enum class Api { management, observability };

struct Route {
    Operation operation;
    /// The values of the path parameters in the order of the path; they point into the target.
    std::array<std::string_view, 3> parameters;
};

struct WrongMethod {
    std::string allow; // RFC 9110, 10.2.1
};

struct NoSuchPath {};

/// target: origin-form; its query is ignored.
std::variant<Route, WrongMethod, NoSuchPath> find_route(std::string_view method,
                                                        std::string_view target);

/// The API whose error format the response to this target has.
Api api_of(std::string_view target);

} // namespace sallyport::sandbox
