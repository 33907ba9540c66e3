// `sallyport status`: the state of the running gateway, from its admin listener.
#pragma once

#include "gateway/commands/output.h"

#include <cstdint>
#include <iosfwd>
#include <string>

namespace sallyport::config {
class Tables;
}

namespace sallyport::commands {

enum class StatusQuery : std::uint8_t { status, health };

struct StatusOptions {
    StatusQuery query = StatusQuery::status;
    std::string address = "127.0.0.1:9901"; // of the admin listener
    std::string config;                     // or: the configuration that has it
    Format format = Format::text;
};

/// 0: it is ready, and the files on disk are active; for its health: it is alive. 1: it is not, or
/// it cannot be reached; `err` has the reason. 2: the address is invalid.
[[nodiscard]] int run_status(StatusOptions const& options, config::Tables const& tables,
                             std::ostream& out, std::ostream& err);

/// The page of the admin listener as lines for people. Throws if the text is not that page.
[[nodiscard]] std::string status_text(std::string_view page);

} // namespace sallyport::commands
