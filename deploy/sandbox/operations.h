// The ten operations, a function each; each resource has a source file of its own.
#pragma once

#include "deploy/sandbox/database.h"
#include "deploy/sandbox/message.h"

#include <boost/json/object.hpp>

#include <array>
#include <string_view>

namespace sallyport::sandbox {

/// The arguments of an operation, valid during the call.
struct Call {
    Database& database;
    std::array<std::string_view, 3> parameters; // in the order of the path, as sent
    boost::json::object const& body;            // empty if the operation has none
};

using Operate = Reply(Call const&);

Operate get_pipe;              // management 4.1, pipes.cpp
Operate update_pipe_settings;  // management 4.2, pipes.cpp
Operate create_service;        // management 4.3, services.cpp
Operate update_organization;   // management 4.4, organizations.cpp
Operate upsert_query_endpoint; // management 4.5, query_endpoints.cpp
Operate list_backups;          // management 4.6, backups.cpp
Operate get_dashboard;         // observability 4.1, dashboards.cpp
Operate update_dashboard;      // observability 4.2, dashboards.cpp
Operate list_alerts;           // observability 4.3, alerts.cpp
Operate chart_series;          // observability 4.4, charts.cpp

} // namespace sallyport::sandbox
