// Contracts that a request could both be of, and what lies beside a contract.
#include "gateway/contract/path_clash.h"
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

namespace path_clash_test {

using namespace sallyport::contract;
using namespace sallyport::contract::test;

namespace {

// A contract with these paths; names within braces are its parameters.
std::shared_ptr<Contract const> contract_of(std::vector<std::string> const& paths) {
    std::string text = "openapi: 3.1.0\ninfo: { title: T, version: '1' }\npaths:\n";
    int number = 0;
    for (auto const& path : paths) {
        text += "  \"" + path + "\":\n    get:\n      operationId: o" + std::to_string(number++)
                + "\n      parameters:\n";
        for (std::size_t at = path.find('{'); at != std::string::npos; at = path.find('{', at + 1)) {
            auto const name = path.substr(at + 1, path.find('}', at) - at - 1);
            text += "        - { name: " + name + ", in: path, required: true, schema: {} }\n";
        }
        if (text.ends_with("parameters:\n")) text.replace(text.rfind("parameters:"), 11, "tags: []");
    }
    return load_document(text);
}

std::string clash_of(std::vector<std::string> const& left, std::vector<std::string> const& right) {
    auto const clash = find_clash({*contract_of(left)}, {*contract_of(right)});
    return clash ? clash->left + " " + clash->right : "none";
}

std::string path_under(std::vector<std::string> const& paths, std::string_view prefix) {
    return find_path_under({*contract_of(paths)}, prefix).value_or("none");
}

} // namespace

TEST_CASE("two contracts that can match one path are found") {
    CHECK(clash_of({"/v1/a/{x}", "/v1/b"}, {"/v2/a", "/v1/{y}/me"}) == "/v1/a/{x} /v1/{y}/me");
    CHECK(clash_of({"/v1/a/me"}, {"/v1/a/{id}"}) == "/v1/a/me /v1/a/{id}");
    CHECK(clash_of({"/v1/a/{x}", "/v1/b"}, {"/v2/a", "/v1/c", "/v1/a"}) == "none");
    CHECK(clash_of({"/v1/a/{x}/b"}, {"/v1/a/{x}", "/v1/a/{x}/c", "/v1/a/{x}/b/c"}) == "none");
}

TEST_CASE("paths that only a strict upstream distinguishes clash") {
    CHECK(clash_of({"/v1/items"}, {"/v1/ITEMS"}) == "/v1/items /v1/ITEMS");
    CHECK(clash_of({"/v1/items/"}, {"/v1/items"}) == "/v1/items/ /v1/items");
    CHECK(clash_of({"/v1/items."}, {"/v1/items"}) == "/v1/items. /v1/items");
    CHECK(clash_of({"/v1/Items/{x}/"}, {"/v1/{y}/me"}) == "/v1/Items/{x}/ /v1/{y}/me");
}

TEST_CASE("segments with literals and parameters clash with what they may be read as") {
    CHECK(clash_of({"/v1/{id}:cancel"}, {"/v1/{x}"}) == "/v1/{id}:cancel /v1/{x}");
    CHECK(clash_of({"/v1/{id}.json"}, {"/v1/items.JSON"}) == "/v1/{id}.json /v1/items.JSON");
    CHECK(clash_of({"/v1/{a}-{b}"}, {"/v1/v{x}"}) == "/v1/{a}-{b} /v1/v{x}");
    CHECK(clash_of({"/v1/{id}.json"}, {"/v1/items", "/v1/{x}.xml"}) == "none");
    CHECK(clash_of({"/v1/v{id}"}, {"/v1/w{x}"}) == "none");
    CHECK(path_under({"/v1/{id}.json"}, "/v1/a.json/") == "/v1/{id}.json");
    CHECK(path_under({"/v1/{id}.json"}, "/v1/a.xml/") == "none");
}

TEST_CASE("a path of a contract below a prefix is found") {
    std::vector<std::string> const paths{"/v1/items", "/v1/items/{id}/files/{file}"};
    CHECK(path_under(paths, "/") == "/v1/items");
    CHECK(path_under(paths, "/v1/") == "/v1/items");
    CHECK(path_under(paths, "/v1/items/") == "/v1/items");
    CHECK(path_under(paths, "/V1/ITEMS/7/") == "/v1/items/{id}/files/{file}");
    CHECK(path_under(paths, "/v1/items/7/files/") == "/v1/items/{id}/files/{file}");
    CHECK(path_under(paths, "/v1/items/7/files/8/9/") == "none");
    CHECK(path_under(paths, "/v1/items/7/blobs/") == "none");
    CHECK(path_under(paths, "/v1/blobs/") == "none");
    CHECK(path_under(paths, "/v10/") == "none");
}

TEST_CASE("a path of a contract that is another's single path is found") {
    std::vector<std::string> const paths{"/v1/items", "/v1/items/{id}/files"};
    CHECK(path_under(paths, "/v1/Items") == "/v1/items");
    CHECK(path_under(paths, "/v1/items/7/files") == "/v1/items/{id}/files");
    CHECK(path_under(paths, "/v1") == "none");
    CHECK(path_under(paths, "/v1/items/7") == "none");
    CHECK(path_under({"/{tenant}"}, "/health") == "/{tenant}");
}

} // namespace path_clash_test
