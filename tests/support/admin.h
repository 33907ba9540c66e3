// Requests to a gateway's admin listener, and the numbers on its page of metrics.
#pragma once

#include "tests/support/gateway.h"
#include "tests/support/raw_client.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace sallyport::test {

/// The section of a configuration that opens the listener, on any port.
inline constexpr std::string_view admin_section = "admin: { address: 127.0.0.1:0 }\n";

/// One request on a connection of its own.
Response request_admin(std::uint16_t port, std::string_view path, std::string_view method = "GET");
Response request_admin(Gateway const& gateway, std::string_view path);

/// A page of /metrics: a number for each series, by its full name.
class Metrics {
public:
    /// Throws if a series is repeated.
    explicit Metrics(std::string const& page);

    /// -1 if it is missing: no series of the gateway is ever below zero.
    double operator[](std::string const& series) const;
    /// The sum of all series of a metric.
    [[nodiscard]] double sum(std::string const& name) const;
    [[nodiscard]] std::map<std::string, double> const& all() const { return numbers_; }

private:
    std::map<std::string, double> numbers_;
};

Metrics metrics_of(Gateway const& gateway);

} // namespace sallyport::test
