// What published documents have, and load with: forms of others that mean something here.
#include "tests/unit/contract/form_support.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace sallyport::contract;
using namespace sallyport::contract::test;

namespace {

std::string served_at(std::string_view servers) {
    return "openapi: 3.0.3\ninfo: {title: T}\nservers: " + std::string{servers}
           + "\npaths: {/a: {get: {operationId: getA}}}\n";
}

// How many warnings have this text.
std::size_t warnings(Loaded const& loaded, std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(loaded.problems.begin(), loaded.problems.end(), [text](auto const& problem) {
            return sallyport::config::yaml::describe(problem).find(text) != std::string::npos;
        }));
}

} // namespace

TEST_CASE("of a server only the path needs a value") {
    for (auto const* const servers :
         {"[{url: //h/v2}]", "[{url: 'https://{region}.h/v2'}]", "[{url: '//{h}:{port}/v2/'}]",
          "[{url: '{scheme}://h/v2'}]", "[{url: '/{v}', variables: {v: {default: v2}}}]",
          "[{url: '{all}', variables: {all: {default: 'https://h/v2'}}}]"}) {
        CAPTURE(servers);
        auto const contract = load_document(served_at(servers));
        CHECK(contract->route("/v2/a"));
        CHECK_FALSE(contract->route("/a"));
    }
    CHECK(load_document(served_at("[{url: //h}]"))->route("/a"));
    CHECK_FALSE(problems_of(served_at("[{url: 'https://h/{v}'}]")).empty());
}

TEST_CASE("a body without any media type is of every type") {
    auto const loaded = Contract::load_text(
        "openapi: 3.0.3\ninfo: {title: T}\npaths: {/a: {post: {operationId: o, requestBody: "
        "{content: {}}}}}\n",
        "api.yaml");
    REQUIRE(loaded.contract);
    CHECK(warnings(loaded, "has no media type: bodies of every type pass unread") == 1);
    auto const& body = loaded.contract->find_operation("o")->request_body;
    REQUIRE(body);
    REQUIRE(body->find("image/png") != nullptr);
    CHECK_FALSE(body->find("image/png")->schema);
}

TEST_CASE("what cannot be checked of a response is a warning, and of a request an error") {
    auto const of = [](std::string_view part) {
        return "openapi: 3.0.3\ninfo: {title: T}\npaths: {/a: {post: {operationId: o, "
               + std::string{part} + "}}}\n";
    };
    constexpr std::string_view xml = "{content: {text/xml: {schema: {type: object}}}}";
    auto const loaded =
        Contract::load_text(of("responses: {'200': " + std::string{xml} + "}"), "api.yaml");
    REQUIRE(loaded.contract);
    CHECK(warnings(loaded, R"(rules for bodies of "text/xml" are not checked in responses)") == 1);
    CHECK(loaded.contract->unchecked().size() == 1);
    auto const& operation = *loaded.contract->find_operation("o");
    CHECK(operation.unchecked_in_responses.size() == 1);
    CHECK(operation.unchecked_in_requests.empty());
    CHECK_FALSE(problems_of(of("requestBody: " + std::string{xml})).empty());
}

TEST_CASE("timeouts of others have no effect") {
    auto const loaded = Contract::load_text(
        "openapi: 3.0.3\ninfo: {title: T}\npaths: {/a: {get: {operationId: o, x-timeouts: "
        "{connect: 180000, read: 5000}}}}\n",
        "api.yaml");
    REQUIRE(loaded.contract);
    CHECK(warnings(loaded, "is not the gateway's own") == 1);
    CHECK_FALSE(loaded.contract->find_operation("o")->timeouts.connect);
}

TEST_CASE("exploded cookies are not implemented, and load unchecked") {
    std::string const document =
        "openapi: 3.0.3\ninfo: {title: T}\npaths: {/a: {get: {operationId: o, parameters: [{name: "
        "c, in: cookie, schema: {type: array, items: {type: integer}}}]}}}\n";
    CHECK(problems_of(document).size() == 1);
    auto const loaded = Contract::load_text(document, "api.yaml", {{}, {}, Unsupported::unchecked});
    REQUIRE(loaded.contract);
    CHECK(loaded.contract->find_operation("o")->cookie_parameters.empty());
    CHECK(loaded.contract->unchecked().size() == 1);
}
