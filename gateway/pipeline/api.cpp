// Finds the API of a request by its host and path.
#include "gateway/pipeline/api.h"

#include <algorithm>
#include <utility>

namespace sallyport::pipeline {

config::AuthenticatorSets Api::authenticator_sets() const {
    auto out = authenticate;
    for (auto const& operation : operations)
        for (auto const& set : operation.authenticate)
            if (std::find(out.begin(), out.end(), set) == out.end()) out.push_back(set);
    return out;
}

bool Api::resembles_an_enforced_path(std::string_view path) const {
    auto const resembles = [path](Api const& api) {
        return api.contract && api.levels.enforces_any() && api.contract->router().resembles(path);
    };
    return resembles(*this) || std::any_of(beside.begin(), beside.end(), [&](Api const* other) {
               return resembles(*other);
           });
}

bool is_under(std::string_view path, std::string_view prefix) {
    return prefix.ends_with('/') ? path.starts_with(prefix) : path == prefix;
}

bool hosts_overlap(std::vector<std::string> const& left, std::vector<std::string> const& right) {
    if (left.empty() || right.empty()) return true;
    return std::any_of(left.begin(), left.end(), [&](std::string const& host) {
        return std::find(right.begin(), right.end(), host) != right.end();
    });
}

ApiTable::ApiTable(std::vector<std::unique_ptr<Api const>> apis) : apis_{std::move(apis)} {
    for (auto const& api : apis_) {
        for (std::string const& prefix : api->prefixes) {
            routes_.push_back(Route{prefix, api.get()});
        }
    }
    // At equal prefixes an API with hosts precedes one without.
    std::stable_sort(routes_.begin(), routes_.end(), [](Route const& left, Route const& right) {
        if (left.prefix.size() != right.prefix.size()) {
            return left.prefix.size() > right.prefix.size();
        }
        return !left.api->hosts.empty() && right.api->hosts.empty();
    });
}

namespace {

bool takes_host(Api const& api, std::string_view host) {
    auto const& hosts = api.hosts;
    return hosts.empty() || std::find(hosts.begin(), hosts.end(), host) != hosts.end();
}

} // namespace

// A pass-through lies nowhere where a contract could match: it owns all below its prefix.
Api const& ApiTable::find_owner(Routes::const_iterator first, Routes::const_iterator last,
                                std::string_view host, std::string_view path) {
    auto const owner = std::find_if(first, last, [host, path](Route const& route) {
        if (!is_under(path, route.prefix) || !takes_host(*route.api, host)) return false;
        return !route.api->contract || route.api->route(path);
    });
    return owner == last ? *first->api : *owner->api;
}

Api const* ApiTable::find(std::string_view host, std::string_view path) const {
    for (auto route = routes_.begin(); route != routes_.end(); ++route) {
        if (!is_under(path, route->prefix) || !takes_host(*route->api, host)) continue;
        if (route->api->beside.empty()) return route->api;
        return &find_owner(route, routes_.end(), host, path);
    }
    return nullptr;
}

} // namespace sallyport::pipeline
