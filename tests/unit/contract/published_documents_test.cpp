// What published documents have, and load with: forms of others that mean something here.
#include "tests/unit/contract/form_support.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace published_documents_test {

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

TEST_CASE("what has no parser is a warning of a response and of a request, and marks each") {
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
    auto const sent = Contract::load_text(of("requestBody: " + std::string{xml}), "api.yaml");
    REQUIRE(sent.contract);
    REQUIRE(sent.problems.size() == 1);
    CHECK(sallyport::config::yaml::describe(sent.problems.front())
          == "api.yaml:3:80: warning: paths[\"/a\"].post.requestBody.content[\"text/xml\"].schema: "
             "unchecked: bodies of \"text/xml\" are not parsed: their size and media type alone are "
             "checked");
    CHECK(sent.contract->unchecked().size() == 1);
    CHECK(sent.contract->find_operation("o")->unchecked_in_requests.size() == 1);
    CHECK_FALSE(sent.contract->find_operation("o")->request_body->find("text/xml")->schema);
}

TEST_CASE("a document whose unchecked places are all allowed has no last line of refusal") {
    std::string const xml = "openapi: 3.0.3\ninfo: {title: T}\npaths: {/a: {post: {operationId: o, "
                            "requestBody: {content: {text/xml: {schema: {type: object}}}}}}}\n";
    auto const passed = Contract::load_text(xml, "api.yaml");
    CHECK(passed.contract);
    CHECK(passed.problems.size() == 1);
    std::string const both = xml + "components: {parameters: {P: {name: p, in: query, schema: {patern: x}}}}\n";
    auto const refused = Contract::load_text(both, "api.yaml");
    CHECK_FALSE(refused.contract);
    CHECK(refused.problems.size() == 3);
    CHECK(warnings(refused, "with this place unchecked") == 1);
}

TEST_CASE("what a range of media types has as JSON is validated, and the rest passes as bytes") {
    for (std::string const range : {"'*/*'", "application/*"}) {
        CAPTURE(range);
        BodyChecker checker{range, "{schema: {type: object, required: [n]}}"};
        auto const& body = *checker.contract().find_operation("send")->request_body;
        for (std::string const json : {"application/json", "application/merge-patch+json"}) {
            REQUIRE(body.find(json) != nullptr);
            CHECK(body.find(json)->schema);
            CHECK(body.find(json)->syntax == BodySyntax::json);
        }
        REQUIRE(body.find("application/xml") != nullptr);
        CHECK_FALSE(body.find("application/xml")->schema);
        CHECK(checker.verdict("{}") == "/n is required");
        CHECK(checker.contract().unchecked().size() == 1);
    }
    // Files pass whatever their type is, and so does what has no rules.
    for (std::string const schema :
         {"{type: string, format: binary, maxLength: 9}", "{}", "{type: string}"}) {
        CAPTURE(schema);
        auto const contract = load_document(document_with("'*/*'", "{schema: " + schema + "}"));
        auto const& body = *contract->find_operation("send")->request_body;
        REQUIRE(body.media_types.size() == 1);
        CHECK_FALSE(body.find("application/json")->schema);
    }
}

TEST_CASE("text/json is JSON, and media types are in any letter case, with a charset of UTF-8") {
    BodyChecker json{"text/json", "{schema: {type: object, required: [n]}}"};
    CHECK(json.verdict("{}") == "/n is required");
    BodyChecker large{"Application/JSON", "{schema: {type: object, required: [n]}}"};
    CHECK(large.type().name == "application/json");
    BodyChecker text{"'text/plain; charset=UTF-8'", "{schema: {type: string, maxLength: 2}}"};
    CHECK(text.type().name == "text/plain");
    CHECK(text.verdict("abc") == "the body must have at most 2 characters");
    auto const xml =
        load_document(document_with("application/xml; charset=latin1", "{schema: {type: object}}"));
    CHECK(xml->find_operation("send")->request_body->media_types.front().name
          == "application/xml");
    REQUIRE(xml->unchecked().size() == 1);
    CHECK(xml->unchecked().front().what
          == "has a parameter by which readers do not tell bodies apart");
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

} // namespace published_documents_test
