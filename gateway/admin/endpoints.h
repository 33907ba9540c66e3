// The endpoints of the active configuration, each with its state and its numbers.
#pragma once

#include "gateway/admin/facts.h"
#include "gateway/admin/totals.h"

#include <string_view>
#include <vector>

namespace sallyport::admin {

struct ConfiguredEndpoint {
    std::string_view upstream;
    std::string_view endpoint; // as configured
    upstream::EndpointReport const* report;
    EndpointTotals numbers;
};

/// The endpoints of one upstream of the snapshot, in their order; one that is named twice is listed
/// once. The views point into `facts`.
[[nodiscard]] std::vector<ConfiguredEndpoint> endpoints_of(Facts const& facts, Totals const& totals,
                                                           std::size_t upstream);

} // namespace sallyport::admin
