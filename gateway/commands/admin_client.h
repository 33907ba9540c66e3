// Asks the admin listener of a running gateway.
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
    std::string config;                     // or: the configuration that names it
};

// Where it is, as an address that can be connected to; nothing, and `err` says why.
[[nodiscard]] std::optional<config::Address>
find_admin(AdminPlace const& place, config::Tables const& tables, std::ostream& err);

// Nobody connects to "any address": this machine's own instead.
[[nodiscard]] config::Address connectable(config::Address address);

struct AdminResponse {
    std::string page;
    std::string problem; // why there is no page; empty: there is
};

// One GET, within 5 s.
[[nodiscard]] AdminResponse ask_admin(config::Address const& address, char const* path);

} // namespace sallyport::commands
