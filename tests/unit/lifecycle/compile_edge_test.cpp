// What an API changes of heads: what is refused when it is loaded, and what is prepared.
#include "gateway/lifecycle/compile.h"

#include "tests/unit/support/snapshot.h"

namespace compile_edge_test {

using namespace sallyport;
using namespace sallyport::lifecycle;
using lifecycle::test::Sections;

namespace {

Compiled compile_with(std::string const& keys) {
    sallyport::test::TemporaryFolder const folder;
    Sections sections;
    sections.items = ", " + keys;
    return load(lifecycle::test::write(folder, sections), sallyport::test::tables(),
                lifecycle::test::fresh());
}

// "path: problem" of each, with line feeds.
std::string problems_of(std::string const& keys) {
    std::string text;
    for (auto const& problem : compile_with(keys).problems)
        text += problem.path + ": " + problem.what + "\n";
    return text;
}

pipeline::EdgeRules const* edge_of(Compiled const& compiled) {
    REQUIRE(compiled.snapshot);
    return compiled.snapshot->apis.all().front()->edge.get();
}

} // namespace

TEST_CASE("fields that a configuration must not change are refused with the reason") {
    CHECK(problems_of("headers: { request: { set: { Host: a, X-User: \"${credential}\" }, "
                      "add: { X_Request_Id: b }, remove: [Authorization] } }")
          == "apis.items.headers.request.set.Host: the field \"Host\" cannot be changed: the "
             "upstream's `host` decides\n"
             "apis.items.headers.request.set.X-User: the field \"X-User\" cannot be changed: it "
             "asserts an identity\n"
             "apis.items.headers.request.add.X_Request_Id: the field \"X_Request_Id\" cannot be "
             "changed: servers may take it for another field (RFC 3875)\n"
             "apis.items.headers.request.remove[0]: the field \"Authorization\" cannot be changed: "
             "the credential of the upstream decides\n");
    CHECK(problems_of("headers: { response: { set: { Content-Length: \"1\" }, "
                      "remove: [Content-Type] } }")
          == "apis.items.headers.response.set.Content-Length: the field \"Content-Length\" cannot "
             "be changed: the gateway writes the framing\n"
             "apis.items.headers.response.remove[0]: the field \"Content-Type\" cannot be changed: "
             "it describes the body, which was checked as what it says\n");
}

TEST_CASE("a field that the contract declares arrives as it was checked") {
    sallyport::test::TemporaryFolder const folder;
    Sections sections;
    sections.items =
        ", headers: { request: { set: { X_Mode: a } }, response: { set: { X-Mode: a } } }";
    auto const path = lifecycle::test::write(folder, sections);
    std::string contract{lifecycle::test::contract_text};
    std::string const parameters = "parameters: [ { name: limit,";
    contract.replace(contract.find(parameters), parameters.size(),
                     "parameters: [ { name: X-Mode, in: header, schema: {} }, { name: limit,");
    folder.write("items.yaml", contract);
    auto const compiled = load(path, sallyport::test::tables(), lifecycle::test::fresh());
    REQUIRE(compiled.problems.size() == 1);
    CHECK(compiled.problems[0].path == "apis.items.headers.request.set.X_Mode");
    CHECK(compiled.problems[0].what
          == "the field \"X_Mode\" cannot be changed: the contract declares it as a parameter");
}

TEST_CASE("an API that changes nothing has no rules") {
    CHECK(edge_of(compile_with("security_headers: off")) == nullptr);
    CHECK(edge_of(compile_with("headers: { request: {}, response: { remove: [] } }")) == nullptr);
}

TEST_CASE("what an API says of a field itself counts more than security_headers") {
    auto const compiled =
        compile_with("security_headers: on, headers: { response: { set: { x-frame-options: "
                     "SAMEORIGIN }, remove: [Strict-Transport-Security] } }");
    auto const* const edge = edge_of(compiled);
    REQUIRE(edge != nullptr);
    CHECK(edge->tls_response.is_empty());
    auto const dropped = edge->response.dropped();
    CHECK(std::vector<std::string>{dropped.begin(), dropped.end()}
          == std::vector<std::string>{"x-frame-options", "Strict-Transport-Security",
                                      "X-Content-Type-Options", "Referrer-Policy"});
}

TEST_CASE("what an API strips is the beginning of all its paths") {
    std::string const other =
        "apis.items.strip_prefix: the API has \"/v1/items/{id}\", which does not begin with it\n";
    CHECK(problems_of("strip_prefix: /v1/item") == other);
    CHECK(problems_of("strip_prefix: /V1") == other);
    CHECK(problems_of("strip_prefix: /v1/items/a") == other);
    CHECK(problems_of("strip_prefix: /v1").empty());
    auto const all = compile_with("strip_prefix: /v1/items");
    REQUIRE(edge_of(all) != nullptr);
    CHECK(edge_of(all)->path.change("/v1/items/a") == "/a");
    // What no contract has is forwarded too: all below /v1/.
    CHECK(problems_of("strip_prefix: /v1/items, unknown_operations: forward")
          == "apis.items.strip_prefix: the API has \"/v1/\", which does not begin with it\n");
    auto const more = compile_with("strip_prefix: /v1, unknown_operations: forward");
    REQUIRE(edge_of(more) != nullptr);
    CHECK(edge_of(more)->path.change("/v1") == "/");
    CHECK(edge_of(more)->path.change("/v1/other") == "/other");
}

TEST_CASE(
    "the path for the upstream begins with that of the endpoint, then with the API's prefix") {
    Sections sections;
    sections.endpoint = "http://upstream.example:80/base/";
    sections.items = ", strip_prefix: /v1, upstream_prefix: /v2";
    sallyport::test::TemporaryFolder const folder;
    auto const snapshot = lifecycle::test::load(folder, sections);
    auto const& apis = snapshot->apis.all();
    REQUIRE(apis.size() == 2);
    REQUIRE(apis[0]->edge != nullptr);
    CHECK(apis[0]->edge->path.change("/v1/items/a") == "/base/v2/items/a");
    // The other API has the same upstream.
    REQUIRE(apis[1]->edge != nullptr);
    CHECK(apis[1]->edge->path.change("/files/a") == "/base/files/a");
    CHECK(apis[1]->edge->request.is_empty());
}

TEST_CASE("what cors writes is written by nothing else, and its methods are those of the API") {
    std::string const cors = "cors: { origins: [\"https://a.example\"], methods: [GET, PURGE] }, ";
    CHECK(problems_of(cors
                      + "headers: { response: { set: { access-control-allow-origin: a, X-A: b }, "
                        "add: { Access-Control-Max-Age: \"1\" }, remove: "
                        "[Access_Control_Allow_Methods, Vary] } }")
          == "apis.items.cors.methods: no request of the API can have the method PURGE\n"
             "apis.items.headers.response.set.access-control-allow-origin: the field "
             "\"access-control-allow-origin\" cannot be changed: `cors` of the API writes it\n"
             "apis.items.headers.response.add.Access-Control-Max-Age: the field "
             "\"Access-Control-Max-Age\" cannot be changed: `cors` of the API writes it\n"
             "apis.items.headers.response.remove[0]: the field \"Access_Control_Allow_Methods\" "
             "cannot be changed: `cors` of the API writes it\n");
    // Without cors they are like any other.
    CHECK(
        problems_of("headers: { response: { set: { Access-Control-Allow-Origin: a } } }").empty());
    CHECK(problems_of(cors + "unknown_operations: forward").empty());
    CHECK(problems_of(cors + "requests: report").empty());
    auto const compiled = compile_with("cors: { origins: [\"*\"], methods: [HEAD, GET] }");
    REQUIRE(edge_of(compiled) != nullptr);
    CHECK(edge_of(compiled)->cors != nullptr);
}

} // namespace compile_edge_test
