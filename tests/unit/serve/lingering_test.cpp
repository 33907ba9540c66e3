// How long connections are read after their last responses.
#include "gateway/serve/lingering.h"

#include <catch2/catch.hpp>

#include <list>

namespace lingering_test {

using namespace sallyport::serve;
using namespace std::chrono_literals;

TEST_CASE("of an address with many lingering connections more end at once") {
    LingeringConnections all;
    std::list<LingeringConnections::One> of_one;
    for (std::size_t i = 0; i < LingeringConnections::most; ++i) {
        auto const limits = of_one.emplace_back(all, 1).limits();
        REQUIRE(limits.time == 5s);
        REQUIRE(limits.bytes >= 256UL << 20);
    }
    auto const beyond = of_one.emplace_back(all, 1).limits();
    CHECK(beyond.time == 1s);
    CHECK(beyond.bytes == 1UL << 20);
    LingeringConnections::One const of_another{all, 2};
    CHECK(of_another.limits().time == 5s);
    of_one.pop_front();
    of_one.pop_front();
    CHECK(of_one.emplace_back(all, 1).limits().time == 5s);
}

} // namespace lingering_test
