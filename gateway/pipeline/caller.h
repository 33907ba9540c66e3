// Whose share of what all callers use something is.
#pragma once

#include <cstdint>
#include <string_view>

namespace sallyport::pipeline {

/// A number for a caller: its credential's, else its address's. The same for as long as the process
/// lasts, whatever is reloaded, and of a random key: nobody outside can choose an address that has
/// the number of another caller.
using CallerKey = std::uint64_t;

[[nodiscard]] CallerKey caller_of_credential(std::string_view name);
/// IPv6 addresses are one caller by their network of 64 bits (RFC 4291, 2.5.4: a host has all of
/// the addresses there).
[[nodiscard]] CallerKey caller_of_address(std::string_view address);

} // namespace sallyport::pipeline
