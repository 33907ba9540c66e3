// The endpoints of the active configuration, each with its state and its numbers.
#include "gateway/admin/endpoints.h"

#include <algorithm>

namespace sallyport::admin {

namespace {

EndpointTotals numbers_of(Totals const& totals, std::string_view upstream,
                          std::string_view endpoint) {
    auto const found = totals.upstreams.find(upstream);
    if (found == totals.upstreams.end()) return {};
    auto const& endpoints = found->second.endpoints;
    auto const numbers = endpoints.find(endpoint);
    return numbers == endpoints.end() ? EndpointTotals{} : numbers->second;
}

} // namespace

std::vector<ConfiguredEndpoint> endpoints_of(Facts const& facts, Totals const& totals,
                                             std::size_t upstream) {
    std::vector<ConfiguredEndpoint> made;
    auto const& config = facts.snapshot->config.upstreams[upstream];
    for (std::size_t i = 0; i < config.endpoints.size(); ++i) {
        std::string_view const text = config.endpoints[i].text;
        auto const is_same = [text](ConfiguredEndpoint const& other) {
            return other.endpoint == text;
        };
        if (std::any_of(made.begin(), made.end(), is_same)) continue;
        made.push_back({config.name, text, &facts.endpoints[upstream][i],
                        numbers_of(totals, config.name, text)});
    }
    return made;
}

} // namespace sallyport::admin
