// Catch2 3 by the header and the names of Catch2 2, so that the tests read alike on Debian 12 and 13. On the include path only where
// Catch2 has no such header itself.
#pragma once

#include <catch2/catch_all.hpp>

#include <string>

namespace Catch {

using Matchers::EndsWith;
using Matchers::StartsWith;

inline auto Contains(std::string const& text) {
    return Matchers::ContainsSubstring(text);
}

} // namespace Catch

using Catch::Approx;
