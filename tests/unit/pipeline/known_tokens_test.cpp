// The cache of tokens that were verified: for whom, how long, and how many.
#include "gateway/pipeline/known_tokens.h"

#include <catch2/catch.hpp>

namespace known_tokens_test {

using namespace sallyport::pipeline;
using std::chrono::seconds;

namespace {

constexpr KnownTokens::TimePoint now{seconds{1'800'000'000}};

std::shared_ptr<Identity const> caller(std::string name) {
    auto made = std::make_shared<Identity>();
    made->name = std::move(name);
    return made;
}

} // namespace

TEST_CASE("a token is known to what has verified it, with the same keys, and to nothing else") {
    KnownTokens tokens;
    CHECK(tokens.find({1, 1}, "Bearer a", now) == nullptr);
    CHECK(tokens.find({0, 0}, "", now) == nullptr);
    auto const alice = caller("alice");
    tokens.remember({1, 1}, "Bearer a", alice, now + seconds{60}, now);
    CHECK(tokens.find({1, 1}, "Bearer a", now) == alice);
    CHECK(tokens.find({1, 1}, "Bearer b", now) == nullptr);
    CHECK(tokens.find({1, 1}, "Bearer ", now) == nullptr);
    CHECK(tokens.find({2, 1}, "Bearer a", now) == nullptr);
    CHECK(tokens.find({1, 2}, "Bearer a", now) == nullptr);
}

TEST_CASE("a token is known until it expires, and not at that moment") {
    KnownTokens tokens;
    tokens.remember({1, 1}, "Bearer a", caller("alice"), now + seconds{60}, now);
    CHECK(tokens.find({1, 1}, "Bearer a", now + seconds{59}) != nullptr);
    CHECK(tokens.find({1, 1}, "Bearer a", now + seconds{60}) == nullptr);
}

TEST_CASE("however many tokens there are, no more are kept than there are places") {
    KnownTokens tokens;
    std::weak_ptr<Identity const> first;
    {
        auto const one = caller("first");
        first = one;
        tokens.remember({1, 1}, "Bearer first", one, now + seconds{1}, now);
    }
    CHECK_FALSE(first.expired());
    auto const many = caller("many");
    constexpr long count = 8 * KnownTokens::places * KnownTokens::groups;
    for (long i = 0; i < count; ++i)
        tokens.remember({1, 1}, "Bearer " + std::to_string(i), many, now + seconds{60}, now);
    // It expires first, so that others have its place.
    CHECK(first.expired());
    CHECK(many.use_count() <= 1 + static_cast<long>(KnownTokens::places * KnownTokens::groups));
    CHECK(many.use_count() > static_cast<long>(KnownTokens::places * KnownTokens::groups) / 2);
}

TEST_CASE("numbers of verifiers are never the same") {
    CHECK(next_verifier_number() != next_verifier_number());
}

} // namespace known_tokens_test
