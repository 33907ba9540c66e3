// `sallyport access`: who may call an operation, and what a credential may call.
#include "folder.h"
#include "gateway/commands/access.h"

#include "tests/support/json.h"
#include "tests/unit/support/tables.h"

#include <catch2/catch.hpp>

#include <sstream>

namespace access_test {

using namespace sallyport;
using namespace sallyport::commands;
using sallyport::commands::test::Folder;
using sallyport::commands::test::Run;
using sallyport::test::Json;
using sallyport::test::tables;

namespace {

constexpr std::string_view contract = R"(
openapi: 3.1.0
info: { title: Things, version: "1" }
paths:
  /v1/things:
    get: { operationId: listThings, responses: { "200": { description: a } } }
    post: { operationId: addThing, responses: { "200": { description: a } } }
  /v1/orgs/{org}/keys:
    parameters: [ { name: org, in: path, required: true, schema: { type: string } } ]
    get: { operationId: listKeys, responses: { "200": { description: a } } }
    delete: { operationId: dropKeys, responses: { "200": { description: a } } }
  /v1/login:
    post: { operationId: login, responses: { "200": { description: a } } }
)";

constexpr std::string_view configuration = R"(
listeners: [ { name: public, address: "127.0.0.1:0", tls: off } ]
credentials: { file: credentials.yaml }
upstreams: { up: { endpoints: ["http://127.0.0.1:1"] } }
apis:
  things:
    contract: things.yaml
    upstream: up
    authenticate: [basic]
    unknown_operations: forward
    rules: [ { operation: login, authenticate: [anonymous] } ]
  files: { paths: ["/files/"], methods: [GET, HEAD, PUT], upstream: up, authenticate: [basic] }
)";

// `H` is a hash.
constexpr std::string_view credentials = R"(roles:
  keeper:
    allow: { org: [a, "${label:org}"] }
    deny: [ { methods: [DELETE] } ]
credentials:
- name: admin
  basic: { key_id: a, secrets: [H] }
  allow: all
- name: keeper
  basic: { key_id: b, secrets: [H] }
  labels: { org: mine }
  allow: { operations: [things/listThings], apis: [files] }
  deny: [ { apis: [files], methods: [PUT] }, { org: [b] } ]
  roles: [keeper]
- name: old
  bearer: { tokens: [H] }
  allow: { operations: [things/addThing] }
  expires: 2020-01-01T00:00:00Z
)";

std::string with_hashes(std::string_view text) {
    std::string out;
    char digit = '0';
    for (char const c : text) {
        if (c != 'H' || !out.ends_with('[')) {
            out += c;
            continue;
        }
        out += "\"sha256:" + std::string(64, digit++) + '"';
    }
    return out;
}

Run access(AccessOptions options, std::string_view file = credentials,
           std::string_view text = configuration) {
    Folder const folder;
    (void)folder.write("things.yaml", contract);
    auto const written = folder.write("credentials.yaml", with_hashes(file));
    options.config = folder.write("sallyport.yaml", text);
    std::ostringstream out;
    std::ostringstream err;
    Run run{run_access(options, tables(), out, err), {}, {}};
    auto const path = written.substr(0, written.rfind('/') + 1);
    auto const without_folder = [&path](std::string shown) {
        for (auto at = shown.find(path); at != std::string::npos; at = shown.find(path))
            shown.erase(at, path.size());
        return shown;
    };
    run.out = without_folder(out.str());
    run.err = without_folder(err.str());
    return run;
}

// With tokens for the API `things`. `more`: another role, which a value of the claim gives.
Run of_operation_with_tokens(std::string operation, Format format, std::string_view more = {},
                             std::string const& name = {}) {
    constexpr std::string_view basic = "authenticate: [basic]\n";
    std::string const jwt =
        "authenticate: [basic, jwt]\n"
        "    jwt: { issuer: i, audience: a, keys: { file: k.json }, algorithms: [ES256],\n"
        "      labels: { org: org },\n"
        "      roles: { always: [reader], claim: g, mapping: { k: [keeper], g: [guest"
        + (name.empty() ? "" : ", " + name) + "] } } }\n";
    std::string text{configuration};
    text.replace(text.find(basic), basic.size(), jwt);
    std::string file{credentials};
    file.insert(
        file.find("credentials:"),
        "  reader: { allow: { operations: [things/listThings] } }\n"
        "  guest: { allow: { apis: [things], read_only: true },\n"
        "    deny: [ { operations: [things/listKeys], org: [b] }, { methods: [DELETE] } ] }\n"
            + std::string{more});
    return access(
        {.config = {}, .operation = std::move(operation), .credential = {}, .format = format}, file,
        text);
}

// What is printed of tokens.
std::string tokens_of(std::string const& printed) {
    auto const begin = printed.find("  tokens with");
    return begin == std::string::npos ? std::string{} : printed.substr(begin);
}

Run of_operation(std::string operation, Format format = Format::text) {
    return access(
        {.config = {}, .operation = std::move(operation), .credential = {}, .format = format});
}

Run of_credential(std::string credential, Format format = Format::text) {
    return access(
        {.config = {}, .operation = {}, .credential = std::move(credential), .format = format});
}

} // namespace

TEST_CASE("names that there are not are refused with what was probably meant") {
    CHECK(of_operation("things/addThings").err
          == "the contract of \"things\" has no operation \"addThings\"; did you mean "
             "\"addThing\"?\n");
    CHECK(of_operation("thing/addThing").err
          == "no API is called \"thing\"; did you mean \"things\"?\n");
    CHECK(of_operation("addThing").err
          == "\"addThing\" is not an operation; write API/operationId\n");
    CHECK(of_operation("files/x").err
          == "the API \"files\" has no contract, so it has no operations; ask with "
             "--credential\n");
    CHECK(of_credential("admim").err
          == "no credential is called \"admim\"; did you mean \"admin\"?\n");
    for (auto const& run : {of_operation("things/x"), of_operation("x"), of_credential("x")}) {
        CHECK(run.exit_code == 1);
        CHECK(run.out.empty());
    }
}

TEST_CASE("a configuration with errors has no answer") {
    auto const run = access({.config = {}, .operation = "things/addThing", .credential = {}},
                            "credentials:\n- name: a\n  bearer: { tokens: [H] }\n"
                            "  allow: { operations: [things/nothing] }\n");
    CHECK(run.exit_code == 1);
    CHECK(run.out.empty());
    CHECK(run.err.find("has no operation \"nothing\"") != std::string::npos);
}

TEST_CASE("who may call an operation is printed with the line of each rule, and its values") {
    CHECK(of_operation("things/listKeys").out
          == "things/listKeys  GET /v1/orgs/{org}/keys\n"
             "  admin\n"
             "    allowed by credentials.yaml:8:10\n"
             "  keeper\n"
             "    denied by credentials.yaml:13:46 where org is \"b\"\n"
             "    allowed by credentials.yaml:3:12 (role keeper) where org is \"a\" or \"mine\"\n");
    // Not the credential of another kind.
    CHECK(of_operation("things/addThing").out
          == "things/addThing  POST /v1/things\n"
             "  admin\n"
             "    allowed by credentials.yaml:8:10\n");
    CHECK(of_operation("things/login").out
          == "things/login  POST /v1/login\n  every client, without credentials\n");
}

TEST_CASE("what a credential may call is printed by API, with what is denied") {
    auto const run = of_credential("keeper");
    CHECK(run.exit_code == 0);
    CHECK(run.out
          == "keeper (basic)\n"
             "  things\n"
             "    listThings  GET    /v1/things\n"
             "      allowed by credentials.yaml:12:10\n"
             "    listKeys    GET    /v1/orgs/{org}/keys\n"
             "      denied by credentials.yaml:13:46 where org is \"b\"\n"
             "      allowed by credentials.yaml:3:12 (role keeper) where org is \"a\" or \"mine\"\n"
             "    dropKeys    DELETE /v1/orgs/{org}/keys  (denied)\n"
             "      denied by credentials.yaml:13:46 where org is \"b\"\n"
             "      allowed by credentials.yaml:3:12 (role keeper) where org is \"a\" or \"mine\"\n"
             "      denied by credentials.yaml:4:13 (role keeper)\n"
             "    login       POST   /v1/login  (every client)\n"
             "  files\n"
             "    /files/: GET, HEAD\n"
             "      allowed by credentials.yaml:12:10\n"
             "      denied by credentials.yaml:13:11\n"
             "      denied by credentials.yaml:4:13 (role keeper)\n");
    CHECK(of_credential("old").out
          == "old (bearer, expired)\n"
             "  things\n"
             "    addThing  POST   /v1/things  (takes other credentials)\n"
             "      allowed by credentials.yaml:17:10\n"
             "    login     POST   /v1/login  (every client)\n");
    CHECK(of_credential("admin").out.find("    what the contract does not have: any method\n")
          != std::string::npos);
}

TEST_CASE("both are printed as JSON") {
    auto const operation = Json::parse(of_operation("things/listKeys", Format::json).out);
    CHECK(operation.text("api") == "things");
    CHECK(operation.text("operation") == "listKeys");
    REQUIRE(operation["credentials"].items.size() == 2);
    auto const& keeper = operation["credentials"].items[1];
    CHECK(keeper.text("name") == "keeper");
    CHECK(keeper.text("access") == "restricted");
    auto const& rule = keeper["rules"].items.at(1);
    CHECK(rule.text("effect") == "allow");
    CHECK(rule.text("role") == "keeper");
    CHECK(rule["line"].number == 3);
    CHECK(rule["parameters"]["org"].items.size() == 2);

    auto const credential = Json::parse(of_credential("keeper", Format::json).out);
    CHECK(credential.text("kind") == "basic");
    REQUIRE(credential["apis"].items.size() == 2);
    auto const& things = credential["apis"].items[0];
    CHECK(things["operations"].items.size() == 4);
    CHECK(things["operations"].items.at(2).text("access") == "denied");
    CHECK(things["operations"].items.at(3).text("access") == "everyone");
    CHECK(credential["apis"].items[1]["without_operation"]["methods"].items.size() == 2);
}

TEST_CASE(
    "roles of tokens are printed like credentials: with the line of each rule, and its values") {
    // The reader has no rule about it; the keeper's label is the token's.
    CHECK(
        tokens_of(of_operation_with_tokens("things/listKeys", Format::text).out)
        == "  tokens with the role keeper\n"
           "    allowed by credentials.yaml:3:12 (role keeper) where org is \"a\" or ${label:org}\n"
           "  tokens with the role guest\n"
           "    allowed by credentials.yaml:6:19 (role guest)\n"
           "    denied by credentials.yaml:7:13 (role guest) where org is \"b\"\n");
    CHECK(tokens_of(of_operation_with_tokens("things/listThings", Format::text).out)
          == "  tokens with the role reader\n"
             "    allowed by credentials.yaml:5:20 (role reader)\n"
             "  tokens with the role guest\n"
             "    allowed by credentials.yaml:6:19 (role guest)\n");
    // `read_only`.
    CHECK(tokens_of(of_operation_with_tokens("things/addThing", Format::text).out).empty());
    // An API without tokens has no such roles.
    CHECK(of_operation("things/listThings", Format::json).out.find("token_roles")
          == std::string::npos);
}

TEST_CASE("a role that denies what others allow is printed, because a token has several") {
    auto const run = of_operation_with_tokens(
        "things/listThings", Format::text,
        "  muted: { allow: { apis: [files] }, deny: [ { methods: [GET] } ] }\n", "muted");
    CHECK(tokens_of(run.out).ends_with("  but not with the role muted\n"
                                       "    denied by credentials.yaml:8:46 (role muted)\n"));
    // Where no role allows, there is nothing to deny.
    CHECK(tokens_of(of_operation_with_tokens("things/dropKeys", Format::text).out).empty());
}

TEST_CASE("roles of tokens are printed as JSON with their rules") {
    auto const keys = Json::parse(of_operation_with_tokens("things/listKeys", Format::json).out);
    REQUIRE(keys["token_roles"].items.size() == 2);
    auto const& keeper = keys["token_roles"].items[0];
    CHECK(keeper.text("name") == "keeper");
    CHECK(keeper.text("access") == "restricted");
    REQUIRE(keeper["rules"].items.size() == 1);
    auto const& rule = keeper["rules"].items[0];
    CHECK(rule.text("effect") == "allow");
    CHECK(rule["line"].number == 3);
    REQUIRE(rule["parameters"]["org"].items.size() == 2);
    CHECK(rule["parameters"]["org"].items[0].string == "a");
    CHECK(rule["parameters"]["org"].items[1].string == "${label:org}");
    CHECK(keys["token_roles"].items[1]["rules"].items.size() == 2);
    CHECK(keys["denied_token_roles"].items.empty());

    auto const drop = Json::parse(of_operation_with_tokens("things/dropKeys", Format::json).out);
    CHECK(drop["token_roles"].items.empty());
    REQUIRE(drop["denied_token_roles"].items.size() == 2);
    CHECK(drop["denied_token_roles"].items[0].text("name") == "keeper");
    CHECK(drop["denied_token_roles"].items[0]["rules"].items.size() == 2);
}

} // namespace access_test
