// `sallyport check`: all problems of a configuration, its credentials, contracts, certificates and
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
    machine, // everything that the configuration names, on the machine that runs the gateway
    nothing, // --offline: only the configuration and its contracts
};

struct CheckOptions {
    std::string config; // path
    Format format = Format::text;
    CheckWith with = CheckWith::machine;
    std::string user{}; // as whom the files are read; empty: the service's, if they are its own
};

/// 0: the gateway would start, as far as it was checked. 1: it would not; `out` has the list. 2: its
/// files cannot be read as that user. Opens the files that the configuration names, and serves
/// nothing.
[[nodiscard]] int run_check(CheckOptions const& options, config::Tables const& tables,
                            std::ostream& out, std::ostream& err);

} // namespace sallyport::commands
