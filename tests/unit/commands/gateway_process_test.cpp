// Which process is a gateway: this one, and one that is not.
#include "gateway/commands/gateway_process.h"

#include <catch2/catch.hpp>

#include <unistd.h>

namespace gateway_process_test {

using namespace sallyport::commands;

TEST_CASE("a process is a gateway if it runs this very program") {
    CHECK(is_gateway(::getpid()));
    CHECK_FALSE(is_gateway(0)); // does not exist
}

TEST_CASE("a process without `run` has no configuration") {
    CHECK_FALSE(configuration_of(::getpid()).has_value());
    CHECK_FALSE(configuration_of(0).has_value());
}

} // namespace gateway_process_test
