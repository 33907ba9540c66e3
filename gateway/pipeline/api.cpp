// Finds the API of a request by its host and the longest owned path prefix.
#include "gateway/pipeline/api.h"

#include <algorithm>
#include <utility>

namespace sallyport::pipeline {

bool Api::takes(std::string_view authenticator) const noexcept {
    return std::find(authenticate.begin(), authenticate.end(), authenticator) != authenticate.end();
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

Api const* ApiTable::find(std::string_view host, std::string_view path) const {
    for (Route const& route : routes_) {
        if (!is_under(path, route.prefix)) continue;
        auto const& hosts = route.api->hosts;
        if (hosts.empty() || std::find(hosts.begin(), hosts.end(), host) != hosts.end()) {
            return route.api;
        }
    }
    return nullptr;
}

} // namespace sallyport::pipeline
