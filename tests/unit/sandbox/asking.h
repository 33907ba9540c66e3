// A planted store and the answers out of it, as the tests of the sandbox's services want them.
#pragma once

#include "deploy/sandbox/seed.h"
#include "deploy/sandbox/service.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <set>
#include <string>

namespace sallyport::sandbox {

struct Sandbox {
    Store store;

    explicit Sandbox(std::size_t capacity = 1'000'000) : store{capacity} { seed::plant(store); }

    Reply ask(std::string const& method, std::string const& target, std::string const& body = {}) {
        return answer(store, Request{method, target, {}, body});
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

inline std::string organization_path() {
    return "/v1/organizations/" + std::string{seed::organization_id};
}
inline std::string service_path() {
    return organization_path() + "/services/" + std::string{seed::service_id};
}
inline std::string pipe_path(std::string_view pipe = seed::object_storage_pipe_id) {
    return service_path() + "/datapipes/" + std::string{pipe};
}
inline std::string dashboard_path() {
    return "/api/v2/dashboards/" + std::string{seed::dashboard_id};
}

} // namespace sallyport::sandbox
