// Finding the API of a request: by host, then by the longest owned prefix.
#include "gateway/pipeline/api.h"
#include "gateway/pipeline/request_id.h"

#include <catch2/catch.hpp>

#include <set>

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
