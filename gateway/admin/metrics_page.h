// /metrics: the gateway's metrics in the text format of Prometheus.
#pragma once

#include "gateway/admin/facts.h"

#include <string>

namespace sallyport::admin {

/// Prometheus text exposition format, version 0.0.4. Every series has a closed set of labels: names
/// from the configuration and the contracts, words of closed lists, statuses.
[[nodiscard]] std::string metrics_page(Facts const& facts);

inline constexpr std::string_view metrics_content_type = "text/plain; version=0.0.4; charset=utf-8";

} // namespace sallyport::admin
