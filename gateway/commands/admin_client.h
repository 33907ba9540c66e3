// A client of the admin listener of a running gateway.
#pragma once

#include "config/addresses.h"

#include <iosfwd>
#include <optional>
#include <string>

namespace sallyport::config {
class Tables;
}

namespace sallyport::commands {

struct AdminPlace {
    std::string address = "127.0.0.1:9901"; // IP:PORT
    std::string config;                     // or: the configuration that has it
};

/// The address to connect to; empty after writing the reason to `err`.
[[nodiscard]] std::optional<config::Address>
find_admin(AdminPlace const& place, config::Tables const& tables, std::ostream& err);

/// Replaces "any address", to which nothing can connect, by this machine's own.
[[nodiscard]] config::Address connectable(config::Address address);

struct AdminResponse {
    std::string page;
    std::string problem; // why there is no page; empty: there is one
};

/// One GET; fails after 5 s.
[[nodiscard]] AdminResponse get_admin_page(config::Address const& address, char const* path);

} // namespace sallyport::commands
