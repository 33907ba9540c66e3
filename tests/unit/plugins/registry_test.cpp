// The registry: each name once, keys in the configuration and challenges.
#include "plugins/registry.h"

#include "config/authenticator.h"

#include <catch2/catch.hpp>

#include <set>
#include <string>

namespace registry_test {

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

TEST_CASE(
    "authenticators have a name in the configuration, that of their row, and no other has one") {
    std::size_t count = 0;
    for (auto const& row : registry()) {
        INFO(row.name);
        bool const authenticates = row.phase == Phase::authenticate;
        REQUIRE((row.settings != nullptr) == authenticates);
        if (!authenticates) continue;
        CHECK(row.settings().name == row.name);
        CHECK(sallyport::plugins::authenticators().at(count++) == &row.settings());
    }
    CHECK(sallyport::plugins::authenticators().size() == count);
}

TEST_CASE("authenticators have a challenge, but for the one that needs no credentials") {
    std::string challenging;
    for (auto const& row : registry()) {
        if (row.challenge == nullptr) continue;
        CHECK(row.phase == Phase::authenticate);
        CHECK(row.challenge("realm").find("realm=\"realm\"") != std::string::npos);
        challenging += std::string{row.name} + " ";
    }
    CHECK(challenging == "basic jwt bearer introspection api_key client_certificate ");
}

} // namespace registry_test
