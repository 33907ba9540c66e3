// What credentials may do by `allow`, `deny` and `roles`, and which rules are refused.
#include "gateway/lifecycle/load_permissions.h"

#include "tests/support/encodings.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/support/tables.h"

#include <catch2/catch.hpp>

#include <chrono>

namespace compile_permissions_test {

using namespace sallyport;
using namespace sallyport::lifecycle;

namespace {

constexpr std::string_view contract_text = R"(
openapi: 3.2.0
info: { title: Things, version: "1" }
paths:
  /v1/things:
    get: { operationId: listThings, tags: [Things], responses: { "200": { description: a } } }
    post: { operationId: addThing, tags: [Things], responses: { "200": { description: a } } }
    query: { operationId: queryThings, tags: [Things], responses: { "200": { description: a } } }
    options: { operationId: thingOptions, responses: { "200": { description: a } } }
  /v1/orgs/{org}/keys:
    parameters: [ { name: org, in: path, required: true, schema: { type: string } } ]
    get:
      operationId: listKeys
      tags: [API Keys, Things]
      responses: { "200": { description: a } }
    head: { operationId: countKeys, tags: [API Keys], responses: { "200": { description: a } } }
    delete: { operationId: dropKeys, tags: [API Keys], responses: { "200": { description: a } } }
)";

struct Files {
    Files() {
        folder.write("things.yaml", contract_text);
        folder.write("sallyport.yaml", R"(
listeners: [ { name: public, address: "127.0.0.1:0", tls: off } ]
credentials: { file: credentials.yaml }
upstreams: { up: { endpoints: ["http://127.0.0.1:1"] } }
apis:
  things: { contract: things.yaml, upstream: up, authenticate: [basic] }
  files: { paths: ["/files/"], methods: [GET, HEAD, PUT], upstream: up, authenticate: [basic] }
)");
    }
    // `rest`: of the file after the credentials.
    LoadedPermissions load(std::string const& entry, std::string const& rest = {}) {
        folder.write("credentials.yaml", "credentials:\n- name: tester\n  basic: { key_id: k, "
                                         "secrets: [\"sha256:"
                                             + sallyport::test::sha256_hex("x") + "\"] }\n"
                                             + entry + "\n" + rest + "\n");
        return load_permissions(folder / "sallyport.yaml", sallyport::test::tables());
    }
    // A line each, without the folder.
    std::string problems(std::string const& entry, std::string const& rest = {}) {
        std::string text;
        auto const path = (folder / "").string();
        for (auto const& problem : load(entry, rest).problems) {
            auto line = config::yaml::describe(problem);
            if (line.starts_with(path)) line.erase(0, path.size());
            text += line + '\n';
        }
        return text;
    }
    // The operations of `things` that it may call, with a `?` where values decide; then the methods
    // that it may use at `files`.
    std::string may(std::string const& entry, std::string const& rest = {}) {
        auto const loaded = load(entry, rest);
        for (auto const& problem : loaded.problems)
            UNSCOPED_INFO(config::yaml::describe(problem));
        CHECK_FALSE(config::yaml::has_errors(loaded.problems));
        auto const& identity = loaded.table->all().front()->identity;
        std::string text;
        auto const& of_things = *identity.permissions_at(0);
        for (auto const& operation : loaded.apis[0]->contract->operations()) {
            if (of_things.allowed.has(operation.index)) text += operation.id + ' ';
            if (of_things.tested.has(operation.index)) text += operation.id + "? ";
        }
        for (auto const& method : loaded.apis[1]->methods)
            if (identity.permissions_at(1)->allows_without_operation(method)) text += method + ' ';
        if (!text.empty()) text.pop_back();
        return text;
    }

    sallyport::test::TemporaryFolder folder;
};

constexpr auto all_things =
    "listThings addThing thingOptions queryThings listKeys dropKeys countKeys";

} // namespace

TEST_CASE("lists of a rule are a union") {
    Files files;
    CHECK(files.may("  allow: all") == std::string{all_things} + " GET HEAD PUT");
    CHECK(files.may("  allow: { apis: [things] }") == all_things);
    CHECK(files.may("  allow: { operations: [\"things/*\"] }") == all_things);
    CHECK(files.may("  allow: { operations: [things/addThing], tags: [things/API Keys] }")
          == "addThing listKeys dropKeys countKeys");
    CHECK(files.may("  allow: { operations: [things/addThing], apis: [files] }")
          == "addThing GET HEAD PUT");
}

TEST_CASE("conditions of a rule hold for all that it names") {
    Files files;
    CHECK(files.may("  allow: { methods: [GET] }") == "listThings listKeys countKeys GET HEAD");
    CHECK(files.may("  allow: { methods: [HEAD] }") == "countKeys HEAD");
    CHECK(files.may("  allow: { read_only: true }")
          == "listThings thingOptions queryThings listKeys countKeys GET HEAD");
    CHECK(files.may("  allow: { read_only: true, methods: [GET, DELETE], tags: [things/API Keys] }")
          == "listKeys countKeys");
    // A key NAME that is a parameter of the path.
    CHECK(files.may("  allow: { org: [a] }") == "listKeys? dropKeys? countKeys?");
    CHECK(files.may("  allow: { org: [a], methods: [DELETE, PUT] }") == "dropKeys?");
}

TEST_CASE("each rule of deny denies by itself, and all of its conditions have to hold") {
    Files files;
    auto const denying = [&](std::string const& deny) {
        return files.may("  allow: all\n  deny: " + deny);
    };
    CHECK(denying("[ { operations: [things/addThing] }, { apis: [files] } ]")
          == "listThings thingOptions queryThings listKeys dropKeys countKeys");
    CHECK(denying("[ { tags: [things/API Keys], methods: [DELETE] } ]")
          == "listThings addThing thingOptions queryThings listKeys countKeys GET HEAD PUT");
    CHECK(denying("[ { methods: [GET, PUT] } ]")
          == "addThing thingOptions queryThings dropKeys");
    CHECK(denying("[ { org: [a] } ]")
          == "listThings addThing thingOptions queryThings listKeys? dropKeys? countKeys? "
             "GET HEAD PUT");
    CHECK(denying("[ { apis: [things] } ]") == "GET HEAD PUT");
}

TEST_CASE("requests that no operation has are denied like those that a rule is about") {
    Files files;
    auto const passes = [&](std::string const& rules, std::string_view method) {
        auto const loaded = files.load(rules);
        CHECK_FALSE(config::yaml::has_errors(loaded.problems));
        auto const& identity = loaded.table->all().front()->identity;
        return identity.permissions_at(0)->allows_without_operation(method);
    };
    CHECK(passes("  allow: all", "PURGE"));
    CHECK(passes("  allow: { apis: [things] }", "PURGE"));
    CHECK_FALSE(passes("  allow: { operations: [things/addThing] }", "POST"));
    CHECK_FALSE(passes("  allow: { tags: [things/Things] }", "POST"));
    CHECK_FALSE(passes("  allow: { org: [a] }", "GET"));
    CHECK_FALSE(passes("  allow: { read_only: true }", "POST"));
    CHECK(passes("  allow: { read_only: true }", "GET"));
    // An upstream may read the path as that of dropKeys.
    CHECK_FALSE(passes("  allow: all\n  deny: [ { operations: [things/dropKeys] } ]", "DELETE"));
    CHECK_FALSE(passes("  allow: all\n  deny: [ { operations: [things/dropKeys] } ]", "GET"));
    CHECK_FALSE(passes("  allow: all\n  deny: [ { org: [a] } ]", "GET"));
    CHECK_FALSE(passes("  allow: all\n  deny: [ { methods: [DELETE] } ]", "delete"));
    CHECK(passes("  allow: all\n  deny: [ { methods: [DELETE] } ]", "GET"));
    CHECK(passes("  allow: all\n  deny: [ { apis: [files] } ]", "DELETE"));
}

TEST_CASE("a credential may do what it or a role allows, less what any of them denies") {
    Files files;
    std::string const roles = "roles:\n"
                              "  reader: { allow: { apis: [things], read_only: true } }\n"
                              "  writer: { allow: { operations: [things/addThing] } }\n"
                              "  careful: { deny: [ { tags: [things/API Keys] } ] }\n";
    CHECK(files.may("  roles: [reader]", roles)
          == "listThings thingOptions queryThings listKeys countKeys");
    CHECK(files.may("  roles: [reader, writer]", roles)
          == "listThings addThing thingOptions queryThings listKeys countKeys");
    CHECK(files.may("  allow: { apis: [files] }\n  roles: [writer]", roles)
          == "addThing GET HEAD PUT");
    CHECK(files.may("  allow: { operations: [things/dropKeys] }\n  roles: [careful, reader]", roles)
          == "listThings thingOptions queryThings");
    CHECK(files.may("  deny: [ { operations: [things/addThing] } ]\n  roles: [reader, writer]",
                    roles)
          == "listThings thingOptions queryThings listKeys countKeys");
}

TEST_CASE("values of parameters are those of each credential, with its labels") {
    Files files;
    std::string const roles = "roles: { keys: { allow: { org: [shared, \"${label:org}\"] } } }\n";
    auto const loaded = files.load("  labels: { org: one, n: 5, yes: true }\n"
                                   "  allow: { org: \"${label:n}\" }\n"
                                   "  deny: [ { org: [\"${label:yes}\", \"$${label:org}\"] } ]\n"
                                   "  roles: [keys]\n"
                                   "- name: other\n"
                                   "  basic: { key_id: o, secrets: [\"sha256:"
                                       + sallyport::test::sha256_hex("y")
                                       + "\"] }\n"
                                         "  labels: { org: two }\n"
                                         "  roles: [keys]",
                                   roles);
    for (auto const& problem : loaded.problems)
        UNSCOPED_INFO(config::yaml::describe(problem));
    REQUIRE_FALSE(config::yaml::has_errors(loaded.problems));
    auto const values = [&](std::size_t credential) {
        std::string text;
        for (auto const& list : loaded.table->all()[credential]->identity.values) {
            for (auto const& value : *list)
                text += value.text() + ' ';
            text += '/';
        }
        return text;
    };
    CHECK(values(0) == "5 /${label:org} true /shared one /");
    CHECK(values(1) == "shared two /");
}

TEST_CASE("a label that a rule compares with is not reported as one that no contract asks for") {
    Files files;
    files.folder.write("things.yaml",
                       std::string{contract_text}
                           + "  /v1/tiers:\n    post:\n      operationId: addTier\n"
                             "      requestBody: { content: { application/json: { schema: { x-when: "
                             "[ { labels: { tier: A }, schema: { required: [a] } } ] } } } }\n"
                             "      responses: { \"200\": { description: a } }\n");
    std::string const label = "no rule of a contract asks for the label \"org\"";
    CHECK(files.problems("  labels: { org: a }\n  allow: all").find(label) != std::string::npos);
    CHECK(files.problems("  labels: { org: a }\n  allow: { org: \"${label:org}\" }") == "");
    CHECK(files.problems("  labels: { org: a }\n  roles: [r]",
                         "roles: { r: { allow: { org: \"${label:org}\" } } }")
          == "");
}

TEST_CASE("credentials with the same rules share their permissions") {
    Files files;
    std::string entries = "  allow: { org: [a], methods: [GET] }\n";
    for (auto const* const allow :
         {"{ org: [b], methods: [GET] }", "{ org: [b], methods: [HEAD] }"})
        entries += "- name: of" + std::to_string(entries.size()) + "\n  basic: { key_id: k"
                   + std::to_string(entries.size()) + ", secrets: [\"sha256:"
                   + sallyport::test::sha256_hex("x") + "\"] }\n  allow: " + allow + "\n";
    auto const loaded = files.load(entries);
    auto const& all = loaded.table->all();
    REQUIRE(all.size() == 3);
    CHECK(all[0]->identity.permissions == all[1]->identity.permissions);
    CHECK(all[0]->identity.permissions != all[2]->identity.permissions);
    CHECK(all[0]->identity.values[0]->front().text() == "a");
    CHECK(all[1]->identity.values[0]->front().text() == "b");
    CHECK(all[0]->identity.conditions == all[2]->identity.conditions);
}

TEST_CASE("rules that name what there is not are refused") {
    Files files;
    CHECK(files.problems("  allow: { tags: [things/Api Key] }")
          == "credentials.yaml:4:19: credentials[0].allow.tags[0]: no operation of \"things\" has "
             "the tag \"Api Key\"; did you mean \"API Keys\"?\n");
    CHECK(files.problems("  allow: { tags: [files/a] }")
          == "credentials.yaml:4:19: credentials[0].allow.tags[0]: the API \"files\" has no "
             "contract, so it has no tags; write it under `apis:`\n");
    CHECK(files.problems("  allow: all\n  deny: [ { methods: [DELET] } ]")
          == "credentials.yaml:5:22: credentials[0].deny[0].methods: no operation of any API has "
             "the method \"DELET\"; did you mean \"DELETE\"?\n");
    CHECK(files.problems("  allow: all\n  deny: [ { orgs: [a] } ]")
          == "credentials.yaml:5:13: credentials[0].deny[0].orgs: no contract has a path parameter "
             "\"orgs\"; did you mean \"org\"?\n");
    CHECK(files.problems("  allow: all\n  deny: [ { operations: [things/dropKey] } ]")
          == "credentials.yaml:5:26: credentials[0].deny[0].operations[0]: the contract of "
             "\"things\" has no operation \"dropKey\"; did you mean \"dropKeys\"?\n");
    CHECK(files.problems("  roles: [keys]",
                         "roles: { keys: { allow: { operations: [things/dropKey] } } }")
          == "credentials.yaml:5:40: roles.keys.allow.operations[0]: the contract of \"things\" "
             "has no operation \"dropKey\"; did you mean \"dropKeys\"?\n");
}

TEST_CASE("a rule that never applies is refused if it denies, and reported if it allows") {
    Files files;
    CHECK(files.problems("  allow: all\n  deny: [ { tags: [things/Things], methods: [PUT] } ]")
          == "credentials.yaml:5:11: credentials[0].deny[0]: denies nothing: no operation has all "
             "that it asks for; write what operations have, see `sallyport contract list`\n");
    CHECK(files.problems("  allow: { tags: [things/Things], methods: [PUT] }")
          == "credentials.yaml:4:10: warning: credentials[0].allow: allows nothing: no operation "
             "has all that it asks for; write what operations have, see `sallyport contract "
             "list`\n");
    CHECK(files.problems("  allow: all\n"
                         "  deny: [ { operations: [things/listKeys, things/addThing], org: [a] } ]")
          == "credentials.yaml:5:43: credentials[0].deny[0].operations[1]: \"things/addThing\" is "
             "not denied by this: its path has no parameter \"org\"; write a rule of its own for "
             "it, or remove it\n");
    CHECK(files.problems("  allow: { operations: [things/listKeys, things/addThing], "
                         "read_only: true }")
          == "credentials.yaml:4:42: warning: credentials[0].allow.operations[1]: "
             "\"things/addThing\" is not allowed by this: its method POST is not read-only; remove "
             "it, or allow it in a role of its own\n");
    CHECK(files.problems("  allow: all\n"
                         "  deny: [ { operations: [things/listKeys], methods: [DELETE] } ]")
          == "credentials.yaml:5:26: credentials[0].deny[0].operations[0]: \"things/listKeys\" is "
             "not denied by this: its method GET is not among `methods`; write a rule of its own "
             "for it, or remove it\n");
}

TEST_CASE("problems of a rule are reported for each credential, and of a role once") {
    Files files;
    auto const second = "\n- name: other\n  basic: { key_id: o, secrets: [\"sha256:"
                        + sallyport::test::sha256_hex("y") + "\"] }\n";
    auto const wrong = "  allow: { operations: [things/dropKey] }";
    auto const count = [](std::string const& text, std::string_view word) {
        std::size_t found = 0;
        for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
            ++found;
        return found;
    };
    CHECK(count(files.problems(wrong + second + wrong), "dropKey\";") == 2);
    CHECK(count(files.problems("  roles: [keys]" + second
                                   + "  allow: { apis: [files] }\n  roles: [keys]",
                               "roles:\n  keys:\n  " + std::string{wrong}),
                "dropKey\";")
          == 1);
}

} // namespace compile_permissions_test
