// Finding the API of a request: by host, then by the longest prefix, then by the contracts.
#include "gateway/pipeline/api.h"
#include "gateway/pipeline/request_id.h"

#include <catch2/catch.hpp>

#include <set>

namespace api_test {

using namespace sallyport::pipeline;

namespace {

std::unique_ptr<Api const> api(std::string name, std::vector<std::string> prefixes,
                               std::vector<std::string> hosts = {}) {
    auto made = std::make_unique<Api>();
    made->name = std::move(name);
    made->prefixes = std::move(prefixes);
    made->hosts = std::move(hosts);
    return made;
}

std::string found(ApiTable const& table, std::string_view host, std::string_view path) {
    auto const* const hit = table.find(host, path);
    return hit == nullptr ? "none" : hit->name;
}

} // namespace

TEST_CASE("a path without an owner has no API") {
    std::vector<std::unique_ptr<Api const>> apis;
    apis.push_back(api("files", {"/blob/", "/upload"}));
    ApiTable const table{std::move(apis)};
    CHECK(found(table, "any", "/") == "none");
    CHECK(found(table, "any", "/blob") == "none");
    CHECK(found(table, "any", "/uploads") == "none");
    CHECK(found(table, "any", "/upload/x") == "none");
    CHECK(found(table, "any", "/Blob/x") == "none");
}

TEST_CASE("the longest prefix wins, whatever the order of the configuration") {
    std::vector<std::unique_ptr<Api const>> apis;
    apis.push_back(api("short", {"/a/"}));
    apis.push_back(api("long", {"/a/b/"}));
    ApiTable const table{std::move(apis)};
    CHECK(found(table, "any", "/a/x") == "short");
    CHECK(found(table, "any", "/a/b/x") == "long");
    CHECK(found(table, "any", "/a/b") == "short");
}

TEST_CASE("an API with hosts is found only there, and before one that takes any host") {
    std::vector<std::unique_ptr<Api const>> apis;
    apis.push_back(api("any", {"/v1/"}));
    apis.push_back(api("one", {"/v1/"}, {"one.example"}));
    ApiTable const table{std::move(apis)};
    CHECK(found(table, "two.example", "/v1/x") == "any");
    CHECK(found(table, "one.example", "/v1/x") == "one");
}

namespace {

std::shared_ptr<sallyport::contract::Contract const>
contract_of(std::vector<std::string> const& paths) {
    std::string text = "openapi: 3.1.0\ninfo: { title: T, version: '1' }\npaths:\n";
    for (auto const& path : paths)
        text += "  " + path + ": { get: { operationId: o" + std::to_string(text.size()) + " } }\n";
    return sallyport::contract::Contract::load_text(text, "contract.yaml").contract;
}

// Two teams' contracts and a pass-through, all below /v1/.
std::vector<std::unique_ptr<Api>> neighbours() {
    std::vector<std::unique_ptr<Api>> apis;
    for (std::string const name : {"items", "users", "blobs"}) {
        auto& made = *apis.emplace_back(std::make_unique<Api>());
        made.name = name;
        made.prefixes = {name == "blobs" ? "/v1/blobs/" : "/v1/"};
    }
    apis[0]->contract = contract_of({"/v1/items", "/v1/items/me"});
    apis[1]->contract = contract_of({"/v1/users", "/v1/items/me/users"});
    for (auto& one : apis) {
        for (auto& other : apis) {
            if (one != other) one->beside.push_back(other.get());
        }
    }
    return apis;
}

ApiTable table_of(std::vector<std::unique_ptr<Api>> apis) {
    std::vector<std::unique_ptr<Api const>> made;
    for (auto& one : apis)
        made.push_back(std::move(one));
    return ApiTable{std::move(made)};
}

} // namespace

TEST_CASE("of APIs beside each other the one whose contract has the path is found") {
    auto const table = table_of(neighbours());
    CHECK(found(table, "any", "/v1/items") == "items");
    CHECK(found(table, "any", "/v1/items/me") == "items");
    CHECK(found(table, "any", "/v1/users") == "users");
    CHECK(found(table, "any", "/v1/items/me/users") == "users");
    CHECK(found(table, "any", "/v1/blobs/items") == "blobs");
    CHECK(found(table, "any", "/v2/items") == "none");
}

TEST_CASE("a path that none of several APIs has belongs to the first of them") {
    auto const table = table_of(neighbours());
    CHECK(found(table, "any", "/v1/other") == "items");
    CHECK(found(table, "any", "/v1/USERS") == "items");
    CHECK(found(table, "any", "/v1/users/") == "items");
}

TEST_CASE("an API beside another is found only on its hosts") {
    auto apis = neighbours();
    apis[1]->hosts = {"users.example"};
    auto const table = table_of(std::move(apis));
    CHECK(found(table, "users.example", "/v1/users") == "users");
    CHECK(found(table, "users.example", "/v1/items") == "items");
    CHECK(found(table, "other.example", "/v1/users") == "items");
}

TEST_CASE("an API with a shorter prefix is found only on its hosts, too") {
    auto apis = neighbours();
    apis[0]->prefixes = {"/v1/items/"};
    apis[1]->hosts = {"users.example"};
    auto const table = table_of(std::move(apis));
    CHECK(found(table, "users.example", "/v1/items/me/users") == "users");
    CHECK(found(table, "other.example", "/v1/items/me/users") == "items");
}

TEST_CASE("a slash at the end makes no difference to an API beside another, where it says so") {
    auto apis = neighbours();
    apis[1]->trailing_slash = TrailingSlash::same;
    auto const table = table_of(std::move(apis));
    CHECK(found(table, "any", "/v1/users/") == "users");
    CHECK(found(table, "any", "/v1/items/") == "items");
}

TEST_CASE("a path resembles those of the contracts beside an API too, if they are enforced") {
    auto apis = neighbours();
    CHECK(apis[0]->resembles_an_enforced_path("/v1/Items"));
    CHECK(apis[0]->resembles_an_enforced_path("/v1/USERS"));
    CHECK_FALSE(apis[0]->resembles_an_enforced_path("/v1/blobs/x"));
    using sallyport::contract::Level;
    using sallyport::contract::LevelTable;
    apis[1]->levels =
        LevelTable::compile(*apis[1]->contract, {Level::report, Level::off, Level::off}, {}).table;
    CHECK(apis[0]->resembles_an_enforced_path("/v1/Items"));
    CHECK_FALSE(apis[0]->resembles_an_enforced_path("/v1/USERS"));
}

TEST_CASE("lists of hosts overlap where one is empty or a name stands in both") {
    CHECK(hosts_overlap({}, {"a"}));
    CHECK(hosts_overlap({"a", "b"}, {"b"}));
    CHECK_FALSE(hosts_overlap({"a"}, {"b"}));
}

TEST_CASE("identifiers are random UUIDs of version 4, and no two are the same") {
    RequestIds ids;
    std::set<std::string> seen;
    for (int i = 0; i < 1000; ++i) {
        auto const id = ids.next();
        auto const text = id.text();
        REQUIRE(text.size() == 36);
        CHECK(text[8] == '-');
        CHECK(text[14] == '4');
        CHECK(std::string_view{"89ab"}.find(text[19]) != std::string_view::npos);
        CHECK(text.find_first_not_of("0123456789abcdef-") == std::string_view::npos);
        seen.emplace(text);
    }
    CHECK(seen.size() == 1000);
}

} // namespace api_test
