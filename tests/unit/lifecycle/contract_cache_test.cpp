// A contract is loaded again if any of its files has changed, and only then.
#include "gateway/lifecycle/contract_cache.h"

#include "tests/support/temporary_folder.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <string>

namespace contract_cache_test {

using namespace sallyport;
using lifecycle::ContractCache;
using sallyport::test::TemporaryFolder;

namespace {

constexpr std::string_view document = "openapi: 3.1.0\ninfo: { title: T }\nwebhooks: {}\npaths:\n"
                                      "  /a: { get: { operationId: getA } }\n";
constexpr std::string_view overlay = "overlay: 1.0.0\ninfo: { title: O, version: '1' }\n"
                                     "actions: [ { target: $.info, update: { title: Other } } ]\n";

struct Cache {
    Cache() {
        folder.write("api.yaml", document);
        folder.write("ours.overlay.yaml", overlay);
        std::filesystem::create_directory(folder / "schemas");
        folder.write("schemas/pet.yaml", "$id: https://example.test/pet\ntype: object\n");
        options.overlays = {(folder / "ours.overlay.yaml").string()};
        options.schema_folders = {(folder / "schemas").string()};
    }

    // Whether the contract was found.
    bool finds(std::string_view text = document) {
        auto const before = cache.loads();
        auto const loaded = cache.load(text, (folder / "api.yaml").string(), options);
        REQUIRE(loaded.contract);
        bool const is_same = loaded.contract == last.contract;
        CHECK(is_same == (cache.loads() == before));
        last = loaded;
        return is_same;
    }

    TemporaryFolder folder;
    contract::LoadOptions options;
    ContractCache cache;
    contract::Loaded last;
};

} // namespace

TEST_CASE("a contract whose files have not changed is not loaded again") {
    Cache cache;
    CHECK_FALSE(cache.finds());
    CHECK(cache.last.contract->title() == "Other");
    CHECK(cache.finds());
    // Warnings are reported each time.
    CHECK_FALSE(cache.last.problems.empty());
    // The time of a file is not its content.
    cache.folder.write("ours.overlay.yaml", overlay);
    CHECK(cache.finds());
}

TEST_CASE("a contract is loaded again after a change of any of its files") {
    Cache cache;
    CHECK_FALSE(cache.finds());
    CHECK_FALSE(cache.finds(std::string{document} + "# a comment\n"));
    cache.cache.clear();
    CHECK_FALSE(cache.finds());
    SECTION("its overlay") {
        cache.folder.write("ours.overlay.yaml", std::string{overlay} + "# a comment\n");
    }
    SECTION("a schema") {
        cache.folder.write("schemas/pet.yaml", "type: string\n");
    }
    SECTION("another schema") {
        cache.folder.write("schemas/cat.yaml", "type: string\n");
    }
    SECTION("the name of a schema") {
        std::filesystem::rename(cache.folder / "schemas/pet.yaml",
                                cache.folder / "schemas/cat.yaml");
    }
    SECTION("a schema is removed") {
        std::filesystem::remove(cache.folder / "schemas/pet.yaml");
    }
    CHECK_FALSE(cache.finds());
    CHECK(cache.finds());
}

TEST_CASE("a contract with other options is another one") {
    Cache cache;
    CHECK_FALSE(cache.finds());
    cache.options.overlays.clear();
    CHECK_FALSE(cache.finds());
    CHECK(cache.last.contract->title() == "T");
}

TEST_CASE("what no configuration uses any more is forgotten") {
    Cache cache;
    CHECK_FALSE(cache.finds());
    cache.cache.forget_unused();
    CHECK(cache.finds());
    cache.cache.forget_unused();
    cache.cache.forget_unused();
    CHECK_FALSE(cache.finds());
    cache.cache.clear();
    CHECK_FALSE(cache.finds());
}

} // namespace contract_cache_test
