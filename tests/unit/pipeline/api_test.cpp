// Finding the API of a request: by host, then by the longest prefix, then by the contracts.
#include "gateway/pipeline/api.h"
#include "gateway/pipeline/request_id.h"
#include "gateway/text/host_pattern.h"

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

TEST_CASE("a star takes one label of a host, and no other") {
    using sallyport::text::takes_host;
    CHECK(takes_host("*.example.com", "a.example.com"));
    CHECK(takes_host("a.example.com", "a.example.com"));
    for (std::string_view const host : {"example.com", ".example.com", "a.b.example.com",
                                        "aexample.com", "a.example.com.evil", "*.com", ""}) {
        CAPTURE(host);
        CHECK_FALSE(takes_host("*.example.com", host));
    }
}

TEST_CASE("of two lists of hosts one may name a common host more exactly") {
    using sallyport::text::compare_hosts;
    using sallyport::text::HostOverlap;
    CHECK(compare_hosts({}, {}) == HostOverlap::same);
    CHECK(compare_hosts({"a", "b"}, {"b"}) == HostOverlap::same);
    CHECK(compare_hosts({"*.b"}, {"a.b", "*.b"}) == HostOverlap::same);
    CHECK(compare_hosts({}, {"a"}) == HostOverlap::ordered);
    CHECK(compare_hosts({"a.b"}, {"*.b"}) == HostOverlap::ordered);
    CHECK(compare_hosts({"*.b"}, {"a.b"}) == HostOverlap::ordered);
    CHECK(compare_hosts({"a"}, {"b"}) == HostOverlap::none);
    CHECK(compare_hosts({"*.b"}, {"b", "*.a.b"}) == HostOverlap::none);
}

TEST_CASE("the host that is named most exactly comes first, whatever the prefixes") {
    std::vector<std::unique_ptr<Api const>> apis;
    apis.push_back(api("any", {"/a/b/"}));
    apis.push_back(api("wildcard", {"/a/"}, {"*.example"}));
    apis.push_back(api("exact", {"/"}, {"one.example"}));
    ApiTable const table{std::move(apis)};
    CHECK(found(table, "one.example", "/a/b/c") == "exact");
    CHECK(found(table, "two.example", "/a/b/c") == "wildcard");
    CHECK(found(table, "two.example", "/b") == "none");
    CHECK(found(table, "a.two.example", "/a/b/c") == "any");
    CHECK(table.has_host("other"));
}

namespace {

// An API with a contract, an API with paths, and what one of both has of the rest.
std::vector<std::unique_ptr<Api>> contract_and_plain() {
    std::vector<std::unique_ptr<Api>> apis;
    auto& with_contract = *apis.emplace_back(std::make_unique<Api>());
    with_contract.name = "contract";
    with_contract.contract = contract_of({"/v1/items"});
    with_contract.prefixes = {"/v1/", "/v1"};
    auto& plain = *apis.emplace_back(std::make_unique<Api>());
    plain.name = "plain";
    plain.prefixes = plain.paths = {"/"};
    with_contract.beside = {&plain};
    plain.beside = {&with_contract};
    return apis;
}

} // namespace

TEST_CASE("a fallback has what no contract owns, in any spelling") {
    auto apis = contract_and_plain();
    apis[1]->is_fallback = true;
    auto const table = table_of(std::move(apis));
    CHECK(found(table, "any", "/") == "plain");
    CHECK(found(table, "any", "/v1x") == "plain");
    CHECK(found(table, "any", "/v2/v1/items") == "plain");
    CHECK(found(table, "any", "/v1/items") == "contract");
    CHECK(found(table, "any", "/v1/other") == "contract");
    CHECK(found(table, "any", "/v1") == "contract");
    for (std::string_view const path : {"/V1/items", "/V1", "/%76%31/x", "/v1./x", "/v1%20/x",
                                        "//v1/items", "/v1%2Fitems", "/%2Fv1/x"}) {
        CAPTURE(path);
        CHECK(found(table, "any", path) == "none");
    }
}

TEST_CASE("a contract that only reports keeps no spelling from a fallback") {
    using sallyport::contract::Level;
    using sallyport::contract::LevelTable;
    auto apis = contract_and_plain();
    apis[1]->is_fallback = true;
    apis[0]->levels =
        LevelTable::compile(*apis[0]->contract, {Level::report, Level::off, Level::off}, {}).table;
    auto const table = table_of(std::move(apis));
    CHECK(found(table, "any", "/v1/other") == "contract");
    CHECK(found(table, "any", "/V1/other") == "plain");
}

TEST_CASE("what takes the rest comes after all others, and after fallbacks") {
    auto apis = contract_and_plain();
    apis[0]->rest = {"/"};
    apis[1]->prefixes = apis[1]->paths = {"/files/"};
    auto const table = table_of(std::move(apis));
    CHECK(found(table, "any", "/other") == "contract");
    CHECK(found(table, "any", "/files/x") == "plain");
    CHECK(found(table, "any", "/Files/x") == "contract");
    auto again = contract_and_plain();
    again[0]->rest = {"/"};
    again[1]->is_fallback = true;
    auto const with_fallback = table_of(std::move(again));
    CHECK(found(with_fallback, "any", "/other") == "plain");
    CHECK(found(with_fallback, "any", "/v1/other") == "contract");
}

TEST_CASE("nothing falls past the contract of a host to an API of any host") {
    auto apis = contract_and_plain();
    apis[0]->hosts = {"one.example"};
    auto const table = table_of(std::move(apis));
    CHECK(found(table, "two.example", "/v1/items") == "plain");
    CHECK(found(table, "one.example", "/v1/items") == "contract");
    CHECK(found(table, "one.example", "/v1/other") == "contract");
    CHECK(found(table, "one.example", "/V1/items") == "none");
    CHECK(found(table, "one.example", "/other") == "plain");
}

TEST_CASE("the paths of a contract are behind the mount of its API") {
    Api mounted;
    mounted.mount = "/shop";
    mounted.contract = contract_of({"/items/{id}", "/"});
    auto const match = mounted.route("/shop/items/7");
    REQUIRE(match);
    CHECK(match.parameters[0] == "7");
    CHECK(mounted.route("/shop/"));
    CHECK_FALSE(mounted.route("/shop"));
    CHECK_FALSE(mounted.route("/items/7"));
    CHECK(mounted.resembles_an_enforced_path("/SHOP/Items/7"));
    CHECK(mounted.resembles_an_enforced_path("/%73hop%2Fitems/7"));
    CHECK_FALSE(mounted.resembles_an_enforced_path("/items/7"));
    mounted.trailing_slash = TrailingSlash::same;
    CHECK(mounted.route("/shop"));
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
