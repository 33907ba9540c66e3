// Sends a case with the curl of the machine.
#pragma once

#include "tests/clients/library.h"

#include <cstdint>

namespace sallyport::test {

// One process, one connection. Throws std::runtime_error with curl's words where it fails.
Answer ask_curl(Order const& order, std::uint16_t port);

} // namespace sallyport::test
