// `sallyport check`: every problem of a configuration, its credentials, contracts, certificates and
// keys.
#pragma once

#include "gateway/commands/output.h"

#include <cstdint>
#include <iosfwd>
#include <string>

namespace sallyport::config {
class Tables;
}

namespace sallyport::commands {

enum class CheckWith : std::uint8_t {
    machine, // everything that the configuration names, where the gateway is to run
    nothing, // --offline: the configuration and its contracts alone
};

struct CheckOptions {
    std::string config; // path
    Format format = Format::text;
    CheckWith with = CheckWith::machine;
};

// 0: it would serve, as far as it was looked at. 1: it would not; `out` has the list. Opens what
// the configuration names, and serves nothing.
[[nodiscard]] int run_check(CheckOptions const& options, config::Tables const& tables,
                            std::ostream& out);

} // namespace sallyport::commands
