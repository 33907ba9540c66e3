// An authenticator that no file of the product names, from its keys in the configuration to its
// verdicts: what a new authenticator needs is its folder and its row.
#include "tests/unit/plugins/badge/badge.h"

#include "config/json_schema.h"
#include "gateway/commands/credential.h"
#include "gateway/lifecycle/compile.h"
#include "gateway/pipeline/pipeline.h"
#include "plugins/registry.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/config/schema_judge.h"
#include "tests/unit/config/support.h"
#include "tests/unit/pipeline/double.h"

#include <catch2/catch.hpp>

#include <sstream>

namespace badge_test {

using namespace sallyport;
using namespace sallyport::plugins;
using config::test::described;
using plugins::test::badge_name;
using plugins::test::badge_settings;
using plugins::test::make_badge;

namespace {

/// The authenticators of the product, and the one of the test.
config::Tables const& tables_with_badge() {
    static config::Tables const tables{[] {
        auto all = authenticators();
        all.push_back(&badge_settings());
        return all;
    }()};
    return tables;
}

std::string api(std::string_view keys) {
    return "apis: { a: { paths: [\"/a/\"], upstream: up, " + std::string{keys}
           + " } }\ncredentials: { file: k.yaml }\n";
}

std::string problems_of_api(std::string_view keys) {
    return described(config::test::read(api(keys), {}, tables_with_badge()).problems);
}

std::string entry(std::string_view name, std::string_view identity) {
    return "- { name: " + std::string{name} + ", allow: all, " + std::string{identity} + " }\n";
}

std::string problems_of_entries(std::string_view entries) {
    auto const text = "credentials:\n" + std::string{entries};
    return described(config::test::read_keys(text, {}, tables_with_badge()).problems);
}

/// A loaded configuration of one API and two credentials.
class Loaded {
public:
    Loaded() {
        folder_.write("k.yaml", "credentials:\n"
                                    + entry("guard", "badge: { numbers: [\"17\", "
                                                     "\"18\"], clearance: 3 }")
                                    + entry("visitor", "badge: { numbers: [\"19\"] }"));
        config =
            folder_
                .write("c.yaml",
                       config::test::whole(api("authenticate: [badge], badge: { field: x-badge, "
                                               "clearance: 2 }")))
                .string();
        auto compiled =
            lifecycle::load(config, tables_with_badge(),
                            {.ticket_keys = std::make_shared<net::TicketKeys>(), .generation = 1});
        INFO(described(compiled.problems));
        REQUIRE(compiled.snapshot);
        snapshot_ = std::move(compiled.snapshot);
    }

    /// The verdict on a request with this field, and the caller.
    std::string verdict_of(std::string_view field) const {
        pipeline::test::Fixture fixture{"GET /a/ HTTP/1.1\r\nHost: h\r\n" + std::string{field}
                                        + "\r\n"};
        auto const& api = *snapshot_->apis.all().front();
        fixture.exchange.decision.api = &api;
        auto const plugin = make_badge(api);
        auto const kind = fixture.ask(*plugin).kind();
        if (kind == pipeline::Verdict::Kind::abstain) return "abstains";
        if (kind == pipeline::Verdict::Kind::deny) return "denied";
        return fixture.exchange.decision.caller->name;
    }

    std::string config; // path

private:
    sallyport::test::TemporaryFolder folder_;
    std::shared_ptr<lifecycle::Snapshot const> snapshot_;
};

} // namespace

TEST_CASE("settings of an authenticator are refused with their place and what to write") {
    CHECK(problems_of_api("authenticate: [badge], badge: { fields: x }")
          == "c.yaml:1:74: apis.a.badge.field: is missing; write field: x-badge\n"
             "c.yaml:1:76: apis.a.badge.fields: unknown key; did you mean \"field\"?\n");
    CHECK(problems_of_api("authenticate: [], badge: { field: x }").find("no effect")
          == std::string::npos);
    CHECK(problems_of_api("authenticate: [badge]")
          == "c.yaml:1:12: apis.a.badge: is missing: `authenticate` names it; write badge: { ... "
             "}\n");
    CHECK(problems_of_api("authenticate: [basic], badge: { field: x }")
          == "c.yaml:1:67: apis.a.badge: has no effect: `authenticate` does not name it; add badge "
             "to `authenticate`, or remove it\n");
    CHECK(problems_of_api("authenticate: [badge], basic: { realm: x }")
              .find("apis.a.basic: unknown key")
          != std::string::npos);
    CHECK(problems_of_api("authenticate: []")
              .find("write basic, jwt, bearer, introspection, api_key, client_certificate or "
                    "badge, or [anonymous] "
                    "where every client may call")
          != std::string::npos);
    CHECK(problems_of_api("authenticate: [badge, anonymous], badge: { field: x }")
              .find("anonymous accepts every client")
          != std::string::npos);
}

TEST_CASE("an identity of an authenticator is refused with its place and what to write") {
    CHECK(problems_of_entries(entry("one", "badge: { numbers: [\"1\"], colour: red }"))
          == "k.yaml:2:53: credentials[0].badge: unknown key; write one of numbers or clearance\n");
    CHECK(problems_of_entries(entry("one", "badge: { clearence: 1, numbers: [\"1\"] }"))
          == "k.yaml:2:37: credentials[0].badge: unknown key; did you mean \"clearance\"?\n");
    CHECK(problems_of_entries("- { name: one, allow: all }\n")
          == "k.yaml:2:3: credentials[0]: none of basic, bearer, api_key, client_certificate or "
             "badge; "
             "write one of them\n");
    auto const hash = "[\"sha256:" + std::string(64, 'a') + "\"] }";
    CHECK(
        problems_of_entries(entry("one", "badge: { numbers: [\"1\"] }, bearer: { tokens: " + hash))
            .empty()); // a badge has no secret
    CHECK(problems_of_entries(entry("one", "badge: { numbers: [\"1\"] }, bearer: { tokens: " + hash
                                               + ", basic: { key_id: a, secrets: " + hash))
          == "k.yaml:2:3: credentials[0]: both basic and bearer; write one of them\n");
    // A key of one authenticator is no key of another.
    CHECK(problems_of_entries(entry("one", "badge: { numbers: [\"1\", \"2\"] }")
                              + entry("two", "basic: { key_id: \"1\", secrets: " + hash)
                              + entry("three", "badge: { numbers: [\"3\", \"2\"] }"))
          == "k.yaml:4:48: credentials[2].badge.numbers: the credential \"one\" has this number "
             "too; a badge has one owner\n");
}

TEST_CASE("problems below an authenticator's section repeat no name that the tables do not have") {
    CHECK(problems_of_api("authenticate: [badge], badge: { field: x, hunter2: { hunter2: 1 } }")
              .find("hunter2")
          == std::string::npos);
    CHECK(problems_of_entries(entry("one", "badge: { hunter2: [\"1\"] }")).find("hunter2")
          == std::string::npos);
}

TEST_CASE("an API needs the file of credentials if its authenticator has identities there") {
    auto const problems = [](std::string_view authenticate) {
        return described(config::test::read("apis: { a: { paths: [\"/a/\"], upstream: up, "
                                                + std::string{authenticate} + " } }\n",
                                            {}, tables_with_badge())
                             .problems);
    };
    CHECK(problems("authenticate: [badge], badge: { field: x }")
              .find("credentials: is missing, and the API \"a\" authenticates")
          != std::string::npos);
    CHECK(problems("authenticate: [anonymous]").empty());
}

TEST_CASE("the schemas have the sections of an authenticator, and its name") {
    config::test::SchemaJudge of_config{tables_with_badge().config().info()};
    config::test::SchemaJudge of_credentials{tables_with_badge().credentials().info()};
    auto const accepts_api = [&](std::string_view keys) {
        return of_config.accepts(config::yaml::load_text(config::test::whole(api(keys)), "c.yaml"));
    };
    CHECK(accepts_api("authenticate: [badge], badge: { field: x, clearance: 3 }"));
    CHECK_FALSE(accepts_api("authenticate: [badge], badge: { clearance: 3 }"));
    CHECK_FALSE(accepts_api("authenticate: [badge], badge: { field: x, colour: red }"));
    CHECK_FALSE(accepts_api("authenticate: [badges]"));
    auto const accepts_entry = [&](std::string_view identity) {
        return of_credentials.accepts(
            config::yaml::load_text("credentials:\n" + entry("one", identity), "k.yaml"));
    };
    CHECK(accepts_entry("badge: { numbers: [\"1\"] }"));
    CHECK_FALSE(accepts_entry("badge: { numbers: [] }"));
    CHECK_FALSE(accepts_entry("badge: { numbers: [\"1\"], colour: red }"));
    CHECK_FALSE(accepts_entry("labels: {}"));
    auto const text = config::json_schema(tables_with_badge().credentials().info(), "t");
    CHECK(text.find(
              "a key id and its secret; instead, or beside it where only one of both has secrets, "
              "bearer, api_key, client_certificate or badge")
          != std::string::npos);
}

TEST_CASE("an authenticator gets its own values back, of the API and of the credential") {
    Loaded const loaded;
    CHECK(loaded.verdict_of("X-Badge: 17\r\n") == "guard");
    CHECK(loaded.verdict_of("X-Badge: 18\r\n") == "guard");
    CHECK(loaded.verdict_of("X-Badge: 19\r\n") == "denied"); // its clearance is too low
    CHECK(loaded.verdict_of("X-Badge: 20\r\n") == "denied");
    CHECK(loaded.verdict_of("") == "abstains");
}

TEST_CASE("an identity without generated secrets is listed, and is not rotated") {
    Loaded const loaded;
    std::istringstream in;
    std::ostringstream out;
    std::ostringstream err;
    CHECK(commands::run_credential_list({loaded.config, commands::Format::text, false, {}},
                                        tables_with_badge(), out, err)
          == 0);
    CHECK(out.str()
          == "guard\n  badge, number 17\n  may: all\nvisitor\n  badge, number 19\n  may: "
             "all\n");
    CHECK(commands::run_credential_rotate({loaded.config, "guard", commands::Format::text},
                                          tables_with_badge(), in, out, err)
          == 1);
    CHECK(err.str() == "a credential of badge has no generated secret\n");
    CHECK(commands::kinds_of_credentials(tables_with_badge().authenticators()).size() == 3);
    commands::CreateOptions options;
    options.name = "new";
    options.kind = badge_name;
    CHECK(commands::run_credential_create(options, tables_with_badge(), in, out, err) == 2);
}

} // namespace badge_test
