// Functions shared by the resources, and insertion of whole resources with given ids.
#pragma once

#include "deploy/sandbox/database.h"

#include <boost/json/object.hpp>

#include <cstdint>
#include <string_view>

namespace sallyport::sandbox {

/// Whether the organization has this service; both ids in lower case.
[[nodiscard]] bool has_service(Database& database, std::string_view organization,
                               std::string_view service);

/// Each takes the object that the API returns (management 2.2 to 2.7, observability 2.1 to 2.4) and
/// throws if a member that the tables need is missing.
void insert_organization(Database& database, boost::json::object organization);
void insert_service(Database& database, std::string_view organization, boost::json::object service);
void insert_pipe(Database& database, std::string_view service, boost::json::object pipe);
void insert_query_endpoint(Database& database, std::string_view service,
                           boost::json::object const& endpoint);
void insert_backup(Database& database, std::string_view service, boost::json::object backup);
void insert_dashboard(Database& database, boost::json::object const& dashboard);
void insert_alert(Database& database, boost::json::object alert);

/// The data of charts. Empty text is a field that the point does not have.
struct Point {
    std::int64_t source = 0; // number of the source
    std::int64_t time = 0;   // milliseconds since 1970
    std::int64_t number = 0; // distinguishes points of one source and time
    double value = 0;        // of an event: its duration in milliseconds
    std::string_view service;
    std::string_view level;
    std::string_view host;
    std::int64_t status = 0; // 0: none
    std::string_view name;
    std::string_view message;
};

void insert_source(Database& database, std::int64_t number, std::string_view id,
                   std::string_view name);
void insert_point(Database& database, Point const& point);

} // namespace sallyport::sandbox
