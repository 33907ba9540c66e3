// Numbers as decimal digits.
#include "gateway/text/digits.h"

#include <catch2/catch.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace digits_test {

using namespace sallyport::text;

namespace {

std::string written(std::uint64_t value) {
    std::array<char, most_digits> memory{};
    return {memory.data(), put_digits(memory.data(), value)};
}

} // namespace

TEST_CASE("a number is written in decimal, with any number of digits") {
    for (std::uint64_t value = 0; value < 12'000; ++value)
        REQUIRE(written(value) == std::to_string(value));
    for (std::uint64_t power = 1; power < UINT64_MAX / 10; power *= 10)
        for (std::uint64_t const value : {power - 1, power, power + 1, 9 * power + power / 2})
            CHECK(written(value) == std::to_string(value));
    for (std::uint64_t value = 1; value < 1'100'000; value += 997)
        REQUIRE(written(value) == std::to_string(value));
    CHECK(written(UINT64_MAX) == "18446744073709551615");
}

} // namespace digits_test
