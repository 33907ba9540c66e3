// Finds the API of a request by its host and path.
#include "gateway/pipeline/api.h"

#include "gateway/http/target.h"
#include "gateway/text/host_pattern.h"

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

bool Api::passes_without_contract(std::string_view path) const {
    return std::any_of(paths.begin(), paths.end(), [path](std::string const& prefix) {
        return is_under(path, prefix);
    });
}

namespace {

// Whether an upstream may take `path` for one of the contract, which the API has: also by reading
// an escaped slash as one.
bool resembles_own_path(Api const& api, std::string_view path) {
    auto const prefix = contract::make_loose_prefix(api.mount);
    auto const resembles = [&](std::string_view spelled) {
        auto const own = contract::behind_prefix(spelled, prefix);
        return own && api.contract->router().resembles(own->empty() ? "/" : *own);
    };
    return resembles(path)
           || (path.find("%2F") != std::string_view::npos
               && resembles(http::with_plain_slashes(path)));
}

} // namespace

bool Api::resembles_an_enforced_path(std::string_view path) const {
    auto const resembles = [path](Api const& api) {
        return api.contract && api.levels.enforces_any() && resembles_own_path(api, path);
    };
    return resembles(*this) || std::any_of(beside.begin(), beside.end(), [&](Api const* other) {
               return resembles(*other);
           });
}

bool is_under(std::string_view path, std::string_view prefix) {
    return prefix.ends_with('/') ? path.starts_with(prefix) : path == prefix;
}

namespace {

// The more exact ones come first.
int order_of_host(std::string_view pattern) {
    if (pattern.empty()) return 2;
    return text::is_wildcard(pattern) ? 1 : 0;
}

bool takes_host(std::string_view pattern, std::string_view host) {
    return pattern.empty() || text::takes_host(pattern, host);
}

} // namespace

void ApiTable::add(Api const& api, std::vector<std::string> const& prefixes, Rank rank) {
    static std::vector<std::string> const any_host{""};
    for (std::string const& host : api.hosts.empty() ? any_host : api.hosts) {
        for (std::string const& prefix : prefixes) {
            Route route{prefix, api.hosts.empty() ? std::string_view{} : host, &api, rank};
            auto const& passed = api.paths;
            route.has_contract =
                api.contract && std::find(passed.begin(), passed.end(), prefix) == passed.end();
            if (route.has_contract) route.guarded = contract::make_loose_prefix(prefix);
            routes_.push_back(std::move(route));
        }
    }
}

ApiTable::ApiTable(std::vector<std::unique_ptr<Api const>> apis) : apis_{std::move(apis)} {
    for (auto const& api : apis_) {
        add(*api, api->prefixes, api->is_fallback ? Rank::fallback : Rank::own);
        add(*api, api->rest, Rank::rest);
    }
    for (Route const& route : routes_) {
        has_several_orders_ = has_several_orders_
                              || order_of_host(route.host) != order_of_host(routes_.front().host);
    }
    std::stable_sort(routes_.begin(), routes_.end(), [](Route const& left, Route const& right) {
        if (left.rank != right.rank) return left.rank < right.rank;
        auto const of_left = order_of_host(left.host);
        auto const of_right = order_of_host(right.host);
        if (of_left != of_right) return of_left < of_right;
        return left.prefix.size() > right.prefix.size();
    });
}

// Whether another API, which comes first, has a contract that is enforced, and owns what an upstream
// may take `path` for. Two contracts may lie beside each other: there only the paths count.
bool ApiTable::is_guarded(Route const& from, std::string_view host, std::string_view path) const {
    return std::any_of(routes_.begin(), routes_.end(), [&](Route const& route) {
        auto const& api = *route.api;
        bool const comes_first =
            from.rank != Rank::own || order_of_host(route.host) < order_of_host(from.host);
        if (!comes_first || route.rank != Rank::own || !route.has_contract || &api == from.api)
            return false;
        bool const is_enforced = api.levels.enforces_any() || !api.forwards_unknown();
        if (!is_enforced || !takes_host(route.host, host)) return false;
        return from.rank == Rank::own && from.has_contract
                   ? resembles_own_path(api, path)
                   : contract::behind_prefix(path, route.guarded).has_value();
    });
}

Api const* ApiTable::find(std::string_view host, std::string_view path) const {
    Api const* owner = nullptr; // of a prefix of the path, which its contract does not have
    for (Route const& route : routes_) {
        if (!is_under(path, route.prefix) || !takes_host(route.host, host)) continue;
        Api const& api = *route.api;
        if (api.beside.empty()) return &api;
        // Nothing falls past a contract into what passes without one.
        bool const is_found = route.has_contract && route.rank == Rank::own
                                  ? bool{api.route(path)}
                                  : owner == nullptr;
        if (is_found) {
            bool const is_first = route.rank == Rank::own && !has_several_orders_;
            return is_first || !is_guarded(route, host, path) ? &api : nullptr;
        }
        if (owner == nullptr) owner = &api;
    }
    return owner;
}

bool ApiTable::has_host(std::string_view host) const {
    return std::any_of(routes_.begin(), routes_.end(),
                       [host](Route const& route) { return takes_host(route.host, host); });
}

} // namespace sallyport::pipeline
