// Sends a case with the machine's curl.
#pragma once

#include "tests/clients/library.h"

#include <cstdint>

namespace sallyport::test {

/// One process, one connection. Throws std::runtime_error with curl's output if it fails. HTTP/2
/// is used where the server speaks it too.
ClientResponse ask_curl(Order const& order, std::uint16_t port, ClientVersion version);

} // namespace sallyport::test
