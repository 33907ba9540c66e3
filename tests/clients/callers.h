// The callers, and the resources of the sandbox: the names that the corpus uses.
#pragma once

#include "tests/support/configuration.h"

#include <string_view>

namespace sallyport::test {

/// The initial data of the sandbox (deploy/sandbox/README.md).
inline constexpr std::string_view sandbox_organization = "5f0c1a52-7c1e-4d3a-9b60-2f4a6c8e0b11";
inline constexpr std::string_view sandbox_service = "8b9d2c4e-1f3a-4b5c-8d7e-6f1029384756";
inline constexpr std::string_view sandbox_pipe = "c3d4e5f6-0a1b-4c2d-8e3f-405162738495";
inline constexpr std::string_view sandbox_dashboard = "65f2a1b3c4d5e6f708192a3b";
inline constexpr std::string_view sandbox_source = "65f2a1b3c4d5e6f708192e80"; // of events

/// By the names of `standard_credentials`; both throw std::runtime_error for another.
Key const& key_of(std::string_view caller);
std::string_view token_of(std::string_view caller);

/// Every secret that a caller can send, to be searched in recorded requests.
std::vector<std::string> secrets_of_callers();

} // namespace sallyport::test
