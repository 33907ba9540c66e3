// Changes of texts that tests give to the gateway.
#pragma once

#include <catch2/catch.hpp>

#include <string>
#include <string_view>

namespace sallyport::test {

/// With another text in the first place that has `from`; there must be one.
inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
    auto const at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

} // namespace sallyport::test
