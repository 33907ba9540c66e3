// Opens the data of a sandbox: existing data, or new tables with the example data.
#pragma once

#include "deploy/sandbox/database.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace sallyport::sandbox {

/// Without a path the data is in memory. A given seed must be the one of existing data. Throws
/// DatabaseError with the path and the reason.
std::unique_ptr<Database> open_sandbox(std::optional<std::string> const& path,
                                       std::optional<std::uint32_t> seed);

} // namespace sallyport::sandbox
