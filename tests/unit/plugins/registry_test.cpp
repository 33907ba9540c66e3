// The registry: each name once, and a challenge of every authenticator that asks for a field.
#include "plugins/registry.h"

#include <catch2/catch.hpp>

#include <set>
#include <string>

using namespace sallyport::pipeline;
using sallyport::plugins::registry;

TEST_CASE("each plugin has a name of its own") {
    std::set<std::string_view> names;
    for (auto const& row : registry()) {
        CHECK_FALSE(row.name.empty());
        CHECK(names.insert(row.name).second);
        CHECK(row.make != nullptr);
    }
}

TEST_CASE("authenticators challenge, but for the one that asks for nothing") {
    std::string challenging;
    for (auto const& row : registry()) {
        if (row.challenge == nullptr) continue;
        CHECK(row.phase == Phase::authenticate);
        CHECK(row.challenge("realm").find("realm=\"realm\"") != std::string::npos);
        challenging += std::string{row.name} + " ";
    }
    CHECK(challenging == "basic bearer ");
}
