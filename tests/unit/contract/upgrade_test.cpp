// x-upgrade, x-stream and x-trailers: which operations open a WebSocket, whose responses are
// streams, and whose trailers pass.
#include "gateway/contract/contract.h"

#include "tests/unit/contract/folder.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace upgrade_test {

using namespace sallyport::contract;
using sallyport::contract::test::Folder;
namespace yaml = sallyport::config::yaml;

namespace {

Loaded load(std::string const& operation, std::string const& method = "get") {
    return Contract::load_text("openapi: 3.1.0\ninfo: {title: T}\npaths:\n  /a:\n    " + method
                                   + ":\n      operationId: o\n      " + operation + "\n",
                               "api.yaml");
}

std::vector<std::string> problems_of(Loaded const& loaded) {
    std::vector<std::string> texts;
    for (auto const& problem : loaded.problems)
        texts.push_back(yaml::describe(problem));
    return texts;
}

// The only problem.
std::string problem_of(std::string const& operation, std::string const& method = "get") {
    auto const texts = problems_of(load(operation, method));
    REQUIRE(texts.size() == 1);
    return texts.front();
}

std::vector<std::string> origins_of(std::string const& value) {
    auto const loaded = load("x-upgrade: " + value);
    INFO(value);
    REQUIRE(loaded.contract);
    auto const& upgrade = loaded.contract->operations().front().upgrade;
    REQUIRE(upgrade);
    return upgrade->origins;
}

Streams streams_of(std::string const& operation) {
    auto const loaded = load(operation);
    REQUIRE(loaded.contract);
    return loaded.contract->operations().front().streams;
}

} // namespace

TEST_CASE("x-upgrade marks an operation, with the origins of pages that may use it") {
    CHECK(origins_of("websocket").empty());
    CHECK(origins_of("{ protocol: websocket }").empty());
    CHECK(origins_of("{ protocol: websocket, origins: ['https://app.example.com', "
                     "'http://[::1]:8080'] }")
          == std::vector<std::string>{"https://app.example.com", "http://[::1]:8080"});
    CHECK_FALSE(load("summary: it").contract->operations().front().upgrade);
}

TEST_CASE("x-upgrade is for a GET without a body, and for websocket") {
    CHECK(problem_of("x-upgrade: websocket", "post")
          == "api.yaml:7:18: paths[\"/a\"].post.x-upgrade: has no effect on POST; a WebSocket is "
             "opened with GET");
    CHECK(problem_of("x-upgrade: websocket\n      requestBody: {content: {application/json: {}}}")
          == "api.yaml:7:18: paths[\"/a\"].get.x-upgrade: does not go with a requestBody: a "
             "WebSocket is opened without a body");
    std::string const hint =
        "; write websocket, or {protocol: websocket, origins: [https://app.example.com]}";
    CHECK(problem_of("x-upgrade: h2c")
          == "api.yaml:7:18: paths[\"/a\"].get.x-upgrade: must be websocket: no other protocol is "
             "known"
                 + hint);
    CHECK(problem_of("x-upgrade: { protocol: WebSocket }")
          == "api.yaml:7:30: paths[\"/a\"].get.x-upgrade.protocol: must be websocket: no other "
             "protocol is known"
                 + hint);
    CHECK(problem_of("x-upgrade: { origins: ['https://a.example'] }")
          == "api.yaml:7:18: paths[\"/a\"].get.x-upgrade: has no protocol" + hint);
    CHECK(problem_of("x-upgrade: { protocol: websocket, origin: ['https://a.example'] }")
          == "api.yaml:7:41: paths[\"/a\"].get.x-upgrade.origin: \"origin\" of x-upgrade is "
             "unknown; did you mean \"origins\"?");
    CHECK(problem_of("x-upgrade: [websocket]").find("must be websocket") != std::string::npos);
}

TEST_CASE("origins are written as browsers send them, and none is *") {
    auto const problem_with = [](std::string const& origins) {
        return problem_of("x-upgrade: { protocol: websocket, origins: " + origins + " }");
    };
    std::string const at = "api.yaml:7:51: paths[\"/a\"].get.x-upgrade.origins[0]: ";
    std::string const hint = "; write it as browsers send it, as in https://app.example.com";
    CHECK(problem_with("['*']")
          == at
                 + "would let every web page use the credentials that browsers keep; write the "
                   "origins of your own pages");
    CHECK(problem_with("[app.example.com]") == at + "is not an origin" + hint);
    CHECK(problem_with("['null']") == at + "is not an origin" + hint);
    CHECK(problem_with("['https://App.example.com']") == at + "is not an origin" + hint);
    CHECK(problem_with("['https://*.example.com']") == at + "is not an origin" + hint);
    CHECK(problem_with("['https://a.example/']")
          == at + "has a path, which an origin never has" + hint);
    CHECK(problem_with("['https://a.example:0']") == at + "has no valid port" + hint);
    CHECK(problem_with("['https://a.example:443']")
          == at + "has the port of its scheme, which browsers do not send" + hint);
    CHECK(problem_with("[7]") == at + "is not an origin" + hint);
    std::string const list = "must be a list of 1 to 256 origins; without origins no web page may "
                             "open a WebSocket";
    CHECK(problem_with("[]").find(list) != std::string::npos);
    CHECK(problem_with("all").find(list) != std::string::npos);
    std::string many = "['https://a0.example'";
    for (int i = 1; i < 257; ++i)
        many += ", 'https://a" + std::to_string(i) + ".example'";
    CHECK(problem_with(many + "]").find(list) != std::string::npos);
}

TEST_CASE("a response 101 without x-upgrade is a warning") {
    CHECK(
        problem_of("responses: { '101': { description: Switching }, '200': {} }")
        == "api.yaml:7:27: warning: paths[\"/a\"].get.responses.101: never passes: Upgrade is not "
           "passed on; x-upgrade: websocket marks an operation that opens a WebSocket");
    CHECK(problems_of(load("responses: { default: {}, 1XX: {} }")).empty());
    CHECK(problems_of(load("x-upgrade: websocket\n      responses: { '101': {} }")).empty());
}

TEST_CASE("responses are streams if x-stream says so, or if they are of text/event-stream") {
    std::string const events =
        "responses: { '200': { content: { application/json: {}, Text/Event-Stream: {} } } }";
    CHECK(streams_of("summary: it") == Streams::none);
    CHECK(streams_of("responses: { '200': { content: { application/json: {} } } }")
          == Streams::none);
    CHECK(streams_of(events) == Streams::event_streams);
    CHECK(streams_of("responses: { default: { content: { text/event-stream: {} } } }")
          == Streams::event_streams);
    CHECK(streams_of("responses: { '200': { content: { 'text/*': {} } } }") == Streams::none);
    CHECK(streams_of("x-stream: events") == Streams::all);
    CHECK(streams_of("x-stream: events\n      " + events) == Streams::all);
    CHECK(streams_of("x-stream: none\n      " + events) == Streams::none);
}

TEST_CASE("trailers pass if x-trailers says so") {
    auto const forwards = [](std::string const& operation) {
        auto const loaded = load(operation);
        REQUIRE(loaded.contract);
        return loaded.contract->operations().front().forwards_trailers;
    };
    CHECK_FALSE(forwards("summary: it"));
    CHECK(forwards("x-trailers: forward"));
    CHECK_FALSE(forwards("x-trailers: drop"));
}

TEST_CASE("an overlay marks operations of a document that has no marks") {
    Folder const folder;
    folder.write("marks.yaml",
                 "overlay: 1.1.0\ninfo: {title: O, version: '1'}\nactions:\n"
                 "  - target: \"$.paths['/a'].get\"\n"
                 "    update: {x-upgrade: {protocol: websocket, origins: ['https://a.example']}}\n"
                 "  - target: \"$.paths['/a'].get\"\n"
                 "    update: {x-stream: events, x-trailers: forward}\n");
    LoadOptions options;
    options.overlays = {folder.file("marks.yaml")};
    auto const loaded = Contract::load_text("openapi: 3.1.0\ninfo: {title: T}\n"
                                            "paths: {/a: {get: {operationId: o}}}\n",
                                            "api.yaml", options);
    REQUIRE(loaded.contract);
    auto const& operation = loaded.contract->operations().front();
    CHECK(operation.streams == Streams::all);
    CHECK(operation.forwards_trailers);
    REQUIRE(operation.upgrade);
    CHECK(operation.upgrade->origins == std::vector<std::string>{"https://a.example"});
}

} // namespace upgrade_test
