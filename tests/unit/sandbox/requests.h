// A database with example data and requests to it, for the tests of the sandbox's services.
#pragma once

#include "deploy/sandbox/schema.h"
#include "deploy/sandbox/seed.h"
#include "deploy/sandbox/service.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>

#include <set>
#include <string>

namespace sallyport::sandbox {

/// The example data with few points, and no required credentials.
struct Sandbox {
    Database database;
    Credentials credentials{Required::no};

    explicit Sandbox(seed::Seed const& seed = {.events = 70}, DatabaseLimits const& limits = {})
        : database{std::nullopt, limits} {
        Transaction transaction{database};
        create_tables(database);
        seed::plant(database, seed);
        transaction.commit();
    }

    Reply ask(std::string const& method, std::string const& target, std::string const& body = {}) {
        return respond(database, credentials, Request{method, target, {}, body});
    }
};

inline boost::json::value body_of(Reply const& reply) {
    return boost::json::parse(reply.body);
}

using Names = std::set<std::string>;

inline Names names_of(boost::json::value const& object) {
    Names names;
    for (auto const& member : object.as_object())
        names.emplace(member.key());
    return names;
}

/// The result of a management operation, in its envelope (management 2.1).
inline boost::json::value result_of(Reply const& reply) {
    INFO(reply.body);
    REQUIRE(reply.status == 200);
    auto const body = body_of(reply);
    REQUIRE(names_of(body) == Names{"status", "requestId", "result"});
    REQUIRE(body.at("status") == 200);
    return body.at("result");
}

/// The data of an observability operation (observability 1).
inline boost::json::value data_of(Reply const& reply) {
    INFO(reply.body);
    REQUIRE(reply.status == 200);
    auto const body = body_of(reply);
    REQUIRE(names_of(body) == Names{"data"});
    return body.at("data");
}

inline std::string organization_path() {
    return "/v1/organizations/" + std::string{seed::organization_id};
}
inline std::string service_path() {
    return organization_path() + "/services/" + std::string{seed::service_id};
}
inline std::string pipe_path(std::string_view pipe = seed::object_storage_pipe_id) {
    return service_path() + "/datapipes/" + std::string{pipe};
}
inline std::string dashboard_path(std::string_view dashboard = seed::dashboard_id) {
    return "/api/v2/dashboards/" + std::string{dashboard};
}

} // namespace sallyport::sandbox
