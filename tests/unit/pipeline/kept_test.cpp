// What plugins keep on a worker: found again, and dropped once nothing holds it and there is much.
#include "gateway/pipeline/kept.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace kept_test {

using sallyport::pipeline::Kept;

namespace {

struct Cache {
    explicit Cache(int its_value = 0) : value{its_value} {}
    int value;
};
struct OtherCache {};

} // namespace

TEST_CASE("what is kept is found by its name and type, and made once") {
    Kept kept;
    auto const first = kept.get<Cache>("a", 1);
    CHECK(kept.get<Cache>("a", 2) == first);
    CHECK(first->value == 1);
    CHECK(kept.get<Cache>("b", 2)->value == 2);
    CHECK(kept.get<OtherCache>("a") != nullptr);
    CHECK(kept.size() == 3);
}

TEST_CASE("of much that nothing holds the least recently used is dropped") {
    Kept kept;
    for (std::size_t i = 0; i < Kept::most_unused; ++i)
        static_cast<void>(kept.get<Cache>(std::to_string(i), static_cast<int>(i)));
    static_cast<void>(kept.get<Cache>("0"));
    static_cast<void>(kept.get<Cache>("new", 100));
    CHECK(kept.size() == Kept::most_unused);
    CHECK(kept.get<Cache>("0")->value == 0);
    CHECK(kept.get<Cache>("new")->value == 100);
    CHECK(kept.get<Cache>("1", 101)->value == 101);
}

TEST_CASE("what something holds is never dropped") {
    Kept kept;
    std::vector<std::shared_ptr<Cache>> held;
    for (int i = 0; i < 50; ++i)
        held.push_back(kept.get<Cache>(std::to_string(i), i));
    for (int i = 0; i < 50; ++i)
        static_cast<void>(kept.get<Cache>("unused " + std::to_string(i), i));
    for (int i = 0; i < 50; ++i)
        CHECK(kept.get<Cache>(std::to_string(i)) == held[static_cast<std::size_t>(i)]);
    CHECK(kept.size() == 50 + Kept::most_unused);
}

} // namespace kept_test
