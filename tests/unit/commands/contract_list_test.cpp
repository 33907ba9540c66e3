// `contract list`: what is printed of a contract.
#include "folder.h"

#include "gateway/commands/contract_list.h"

#include <catch2/catch.hpp>

#include <sstream>

namespace contract_list_test {

using namespace sallyport::commands;
using namespace sallyport::commands::test;

namespace {

constexpr std::string_view document = R"(
openapi: 3.1.0
info: { title: Items, version: "1" }
paths:
  /v1/items/{id}:
    parameters: [ { name: id, in: path, required: true, schema: { type: string, maxLength: 8 } } ]
    get:
      operationId: getItem
      tags: [items, reading]
      parameters: [ { name: limit, in: query, schema: { type: integer, maximum: 10 } } ]
    put:
      operationId: replaceItem
      requestBody:
        content:
          application/json:
            schema:
              type: object
              required: [name]
              properties: { name: { minLength: 2 }, pin: { type: string, writeOnly: true } }
              if: { required: [pin] }
              then: { maxProperties: 5 }
)";

struct Listed {
    int exit_code;
    std::string out;
    std::string err;
};

Listed list(std::string_view text, ListRules rules, Format format = Format::text) {
    Folder const folder;
    auto const file = folder.write("c.yaml", std::string{text});
    std::ostringstream out;
    std::ostringstream err;
    int const exit_code = run_contract_list({{file}, {}, {}, rules, format}, out, err);
    auto shown = out.str();
    for (std::size_t at; (at = shown.find(file)) != std::string::npos;)
        shown.replace(at, file.size(), "c.yaml");
    return {exit_code, shown, err.str()};
}

} // namespace

TEST_CASE("the operations of a contract are listed with their paths and tags") {
    auto const listed = list(document, ListRules::no);
    CHECK(listed.exit_code == 0);
    CHECK(listed.err.empty());
    CHECK(listed.out
          == "c.yaml: Items (2 operations)\n"
             "  getItem      GET     /v1/items/{id}  [items, reading]\n"
             "  replaceItem  PUT     /v1/items/{id}\n"
             "  secret properties: pin\n");
}

TEST_CASE(
    "rules are listed as a configuration names them, and not those that decide about others") {
    auto const out = list(document, ListRules::yes).out;
    CHECK(out.find("\n    /parameters/limit/maximum: must be ") != std::string::npos);
    CHECK(out.find("\n    /required: ") != std::string::npos);
    CHECK(out.find("\n    /properties/name/minLength: ") != std::string::npos);
    CHECK(out.find("/if/") == std::string::npos);
    std::size_t count = 0;
    for (std::size_t at = 0; (at = out.find("/parameters/id/maxLength", at)) != std::string::npos;)
        ++count, ++at;
    CHECK(count == 2); // one an operation
}

TEST_CASE("as JSON a program reads the same") {
    auto const out = list(document, ListRules::yes, Format::json).out;
    CHECK(
        out.starts_with(R"([{"file":"c.yaml","title":"Items","operations":[{"operation":"getItem",)"
                        R"("method":"GET","path":"/v1/items/{id}","tags":["items","reading"],)"
                        R"("parameters":[{"name":"id","in":"path","required":true},)"
                        R"({"name":"limit","in":"query","required":false}],"media_types":[],)"
                        R"("security":null,"stream":null,"upgrade":null,"trailers":"drop",)"
                        R"("unchecked":[],)"
                        R"("unchecked_in_responses":[],"rules":[)"));
    CHECK(out.find(R"("media_types":["application/json"])") != std::string::npos);
    CHECK(out.find(R"({"rule_pointer":"/properties/name/minLength","rule":"minLength",)")
          != std::string::npos);
    CHECK(out.ends_with("\"secret_properties\":[\"pin\"]}]\n"));
    CHECK(list(document, ListRules::no, Format::json).out.find("\"rules\"") == std::string::npos);
}

TEST_CASE("operations with streams, WebSockets and trailers are marked") {
    constexpr std::string_view marked = R"(
openapi: 3.1.0
info: { title: T, version: "1" }
paths:
  /a: { get: { operationId: a, x-stream: events } }
  /b: { get: { operationId: b, responses: { "200": { content: { text/event-stream: {} } } } } }
  /c: { get: { operationId: c, x-upgrade: websocket } }
  /d:
    get:
      operationId: d
      x-upgrade: { protocol: websocket, origins: ["https://a.example", "https://b.example"] }
  /e: { get: { operationId: e, x-stream: events, x-trailers: forward } }
)";
    CHECK(list(marked, ListRules::no).out
          == "c.yaml: T (5 operations)\n"
             "  a  GET     /a  stream\n"
             "  b  GET     /b  stream: text/event-stream\n"
             "  c  GET     /c  upgrade: websocket\n"
             "  d  GET     /d  upgrade: websocket (https://a.example, https://b.example)\n"
             "  e  GET     /e  stream  trailers: forward\n");
    auto const out = list(marked, ListRules::no, Format::json).out;
    CHECK(out.find(R"("stream":"all","upgrade":null)") != std::string::npos);
    CHECK(out.find(R"("stream":"text/event-stream","upgrade":null)") != std::string::npos);
    CHECK(out.find(R"("stream":null,"upgrade":{"protocol":"websocket","origins":[]})")
          != std::string::npos);
    CHECK(out.find(R"("stream":"all","upgrade":null,"trailers":"forward")") != std::string::npos);
    CHECK(out.find(R"("origins":["https://a.example","https://b.example"])") != std::string::npos);
}

TEST_CASE("of a contract that does not load nothing is listed but its problems") {
    auto const listed = list("openapi: 4.0.0\ninfo: {title: T}\npaths: {}\n", ListRules::no);
    CHECK(listed.exit_code == 1);
    CHECK(listed.out.empty());
    CHECK(listed.err.find("openapi") != std::string::npos);
}

TEST_CASE("who may call an operation by the document is listed") {
    std::string const stated = R"(
openapi: 3.1.0
info: { title: T, version: "1" }
security: [ { key: [] }, { token: [] } ]
paths:
  /a: { get: { operationId: a }, put: { operationId: b, security: [] } }
  /b:
    get: { operationId: c, security: [ { key: [] } ] }
    put: { operationId: d, security: [ { token: [write, read] }, { token: [admin] } ] }
components:
  securitySchemes:
    key: { type: apiKey, in: cookie, name: key }
    token: { type: http, scheme: Bearer }
)";
    CHECK(list(stated, ListRules::no).out
          == "c.yaml: T (4 operations)\n"
             "  a  GET     /a  security: bearer; unsupported: key (apiKey)\n"
             "  b  PUT     /a  security: public\n"
             "  c  GET     /b  security: unsupported: key (apiKey)\n"
             "  d  PUT     /b  security: bearer (read, write), bearer (admin)\n");
    auto const out = list(stated, ListRules::no, Format::json).out;
    constexpr std::string_view mixed =
        R"x("security":{"public":false,"takes":["bearer"],)x"
        R"x("alternatives":[{"takes":"bearer","scopes":[]}],"unsupported":["key (apiKey)"]})x";
    CHECK(out.find(mixed) != std::string::npos);
    CHECK(out.find(R"("alternatives":[{"takes":"bearer","scopes":["read","write"]},)")
          != std::string::npos);
    CHECK(out.find(R"("security":{"public":true,"takes":[],"alternatives":[],"unsupported":[]})")
          != std::string::npos);
}

} // namespace contract_list_test
