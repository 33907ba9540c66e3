// The key by which the use of shared resources is counted per caller.
#pragma once

#include <cstdint>
#include <string_view>

namespace sallyport::pipeline {

/// A number for a caller: its credential's, otherwise its address's. Constant while the process
/// runs, across reloads, and derived with a random key, so that a client cannot choose an address
/// with the number of another caller.
using CallerKey = std::uint64_t;

/// By the name of a credential.
[[nodiscard]] CallerKey caller_of_credential(std::string_view name);
/// By what a client has given for its key id, known or not.
[[nodiscard]] CallerKey caller_of_key_id(std::string_view key_id);
/// All IPv6 addresses of a 64-bit network are one caller (RFC 4291, 2.5.4: a host has all of
/// them).
[[nodiscard]] CallerKey caller_of_address(std::string_view address);

} // namespace sallyport::pipeline
