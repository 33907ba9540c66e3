// Streams of requests made from others at random, the same for the same seed.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace sallyport::test {

/// One of `seeds` with up to four changes: bytes, words of the protocol, lines, and other seeds at
/// the end.
std::string mutate(std::vector<std::string> const& seeds, std::mt19937_64& random);

} // namespace sallyport::test
