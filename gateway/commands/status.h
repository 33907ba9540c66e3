// `sallyport status`: what the running gateway runs, from its admin listener.
#pragma once

#include "gateway/commands/output.h"

#include <cstdint>
#include <iosfwd>
#include <string>

namespace sallyport::config {
class Tables;
}

namespace sallyport::commands {

enum class Ask : std::uint8_t { status, health };

struct StatusOptions {
    Ask ask = Ask::status;
    std::string address = "127.0.0.1:9901"; // of the admin listener
    std::string config;                     // or: the configuration that names it
    Format format = Format::text;
};

// 0: it is ready, and runs what is on disk; asked for its health: it is alive. 1: it is not, or it
// cannot be asked; `err` says why. 2: the address is none.
[[nodiscard]] int run_status(StatusOptions const& options, config::Tables const& tables,
                             std::ostream& out, std::ostream& err);

// The page of the admin listener as lines for people. Throws where it is not that page.
[[nodiscard]] std::string status_text(std::string_view page);

} // namespace sallyport::commands
