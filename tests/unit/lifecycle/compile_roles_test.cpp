// What an authenticator names in its settings of an API: files, and roles of the file of
// credentials for callers that have no entry there.
#include "gateway/lifecycle/compile.h"
#include "gateway/lifecycle/offline.h"

#include "tests/support/temporary_folder.h"
#include "tests/support/text.h"
#include "tests/support/token_signer.h"
#include "tests/unit/support/tables.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace compile_roles_test {

using namespace sallyport;
using namespace sallyport::lifecycle;
using sallyport::test::replaced;
using sallyport::test::TokenSigner;

namespace {

constexpr std::string_view contract_of_orgs = R"(
openapi: 3.1.0
info: { title: Orgs, version: "1" }
paths:
  /v1/orgs/{org}:
    parameters: [ { name: org, in: path, required: true, schema: { type: string } } ]
    get:
      operationId: getOrg
      responses: { "200": { description: a } }
    put:
      operationId: putOrg
      requestBody:
        content:
          application/json:
            schema: { type: object, x-when: [ { labels: { plan: free }, schema: {} } ] }
      responses: { "200": { description: a } }
)";

constexpr std::string_view usual_roles =
    "roles:\n"
    "  reader: { allow: { operations: [orgs/getOrg] } }\n"
    "  owner: { allow: { operations: [\"orgs/*\"], org: [main, \"${label:org}\"] } }\n";

struct Loading {
    Loading() {
        folder.write("orgs.yaml", contract_of_orgs);
        folder.write("keys.json", sallyport::test::key_set({signer().jwk()}));
    }

    static TokenSigner const& signer() {
        static TokenSigner const one{"ES256"};
        return one;
    }

    std::string write(std::string const& jwt, std::string_view roles = usual_roles) {
        folder.write("credentials.yaml", roles);
        return folder
            .write("sallyport.yaml", R"(
listeners: [ { name: public, address: "127.0.0.1:0", tls: off } ]
credentials: { file: credentials.yaml }
upstreams: { up: { endpoints: ["http://127.0.0.1:1"] } }
apis:
  plain: { paths: [/p/], upstream: up, authenticate: [anonymous] }
  orgs: { contract: orgs.yaml, upstream: up, authenticate: [jwt], jwt: { issuer: i, audience: a,
    keys: { file: keys.json }, )" + jwt + " } }\n")
            .string();
    }
    Compiled load(std::string const& jwt, std::string_view roles = usual_roles) {
        return lifecycle::load(
            write(jwt, roles), sallyport::test::tables(),
            {.ticket_keys = std::make_shared<net::TicketKeys>(), .generation = 1});
    }
    // Without the folder; a line each.
    std::string problems(std::string const& jwt, std::string_view roles = usual_roles) {
        std::string text;
        auto const path = (folder / "").string();
        for (auto const& problem : load(jwt, roles).problems)
            text += config::yaml::describe(problem) + '\n';
        for (auto at = text.find(path); at != std::string::npos; at = text.find(path))
            text.erase(at, path.size());
        return text;
    }

    sallyport::test::TemporaryFolder folder;
};

constexpr auto usual = "algorithms: [ES256], labels: { org: org_id, plan: plan }, "
                       "roles: { always: [reader], claim: groups, mapping: { o: [owner] } }";

} // namespace

TEST_CASE("roles that settings name are compiled for their API, with the values of their rules") {
    Loading loading;
    auto const compiled = loading.load(usual);
    for (auto const& problem : compiled.problems)
        UNSCOPED_INFO(config::yaml::describe(problem));
    REQUIRE(compiled.snapshot);
    CHECK(compiled.problems.empty());
    auto const& apis = compiled.snapshot->apis.all();
    CHECK(apis[0]->roles == nullptr);
    REQUIRE(apis[1]->roles != nullptr);
    REQUIRE(apis[1]->roles->size() == 2);
    auto const& owner = apis[1]->roles->at("owner");
    CHECK((*owner.permissions)[1].rules.size() == 1);
    REQUIRE(owner.values.size() == 1);
    CHECK(owner.values[0].fixed->size() == 1);
    CHECK(owner.values[0].labels == std::vector<std::string>{"org"});
    CHECK((*apis[1]->roles->at("reader").permissions)[1].allowed.has(0));
}

TEST_CASE("a reload watches the files that settings name, those with secrets as such") {
    Loading loading;
    auto const has = [](auto const& files, std::string_view name) {
        return std::any_of(files.begin(), files.end(),
                           [name](config::File const& file) { return file.path.ends_with(name); });
    };
    auto const compiled = loading.load(usual);
    CHECK(has(compiled.named_files, "keys.json"));
    CHECK_FALSE(has(compiled.secret_files, "keys.json"));
    CHECK(std::any_of(compiled.files.begin(), compiled.files.end(),
                      [](std::string const& file) { return file.ends_with("keys.json"); }));
    auto const with_secret = loading.load(replaced(usual, "[ES256]", "[ES256, HS256]"));
    CHECK(has(with_secret.secret_files, "keys.json"));
}

TEST_CASE("roles and labels that there are not are reported where they are named") {
    Loading loading;
    CHECK(
        loading.problems(replaced(usual, "[owner]", "[owners]"))
        == "credentials.yaml:3:3: warning: roles.owner: no credential has this role; remove it\n"
           "sallyport.yaml:8:68: warning: apis.orgs.jwt.labels.org: no rule of the contract asks "
           "for the label \"org\"; write plan\n"
           "sallyport.yaml:8:147: apis.orgs.jwt.roles.mapping.o[0]: no role is called \"owners\"; "
           "did you mean \"owner\"?\n");
    CHECK(
        loading.problems(replaced(usual, "org: org_id, ", ""))
            .find("apis.orgs.jwt.roles.mapping.o[0]: the role \"owner\" needs a label for \"org\": "
                  "tokens have no label \"org\"; write it under `labels`, with the claim that "
                  "has its value\n")
        != std::string::npos);
    CHECK(loading.problems(replaced(usual, "plan: plan", "plam: plan"))
              .find("no rule of the contract asks for the label \"plam\"; did you mean "
                    "\"plan\"?")
          != std::string::npos);
    CHECK(loading
              .problems(usual, "roles:\n  reader: { allow: { operations: [orgs/nothing] } }\n"
                               "  owner: { allow: all }\n")
              .find("roles.reader")
          != std::string::npos);
}

TEST_CASE("a file of keys that cannot be used is reported at its key, and prevents the load") {
    Loading loading;
    auto const problem_of = [&](std::string_view keys) {
        loading.folder.write("keys.json", keys);
        auto const text = loading.problems(usual);
        CHECK(loading.load(usual).snapshot == nullptr);
        CHECK(text.find("hunter2") == std::string::npos);
        return text.substr(0, text.find(';'));
    };
    CHECK(problem_of("{}").find("apis.orgs.jwt.keys.file: ") != std::string::npos);
    CHECK(problem_of(R"({"keys":[{"kty":"oct","k":"hunter2"}]})")
              .ends_with("has no key that can be used"));
    CHECK(problem_of(R"({"kty":"EC","crv":"P-256","x":"hunter2","y":"hunter2"})")
              .ends_with("its key 1 is no valid key of its type"));
    CHECK(problem_of(Loading::signer().private_pem()).find("holds a private key")
          != std::string::npos);
}

TEST_CASE("offline the file of keys is not opened, and roles are checked") {
    Loading loading;
    auto const offline = check_offline(
        loading.write(replaced(replaced(usual, "[owner]", "[owners]"), "org: org_id", "org: o")),
        sallyport::test::tables());
    std::string text;
    for (auto const& problem : offline.problems)
        text += config::yaml::describe(problem) + '\n';
    CHECK(text.find("no role is called \"owners\"") != std::string::npos);
    CHECK(std::any_of(offline.not_checked.begin(), offline.not_checked.end(), [](auto const& one) {
        return one.what.find("keys.json") != std::string::npos;
    }));
}

} // namespace compile_roles_test
