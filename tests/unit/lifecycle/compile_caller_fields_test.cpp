// The fields in which upstreams learn who calls: what is refused, and what each upstream has.
#include "gateway/lifecycle/compile.h"

#include "tests/unit/support/snapshot.h"

namespace compile_caller_fields_test {

using namespace sallyport;
using namespace sallyport::lifecycle;
using lifecycle::test::Sections;

namespace {

// Of an API `items` with a contract, `files` without credentials, both at the upstream `up`; of an
// upstream `second` without APIs.
Compiled compile_with(std::string const& upstream, std::string const& items,
                      std::string const& parameter = "limit") {
    sallyport::test::TemporaryFolder const folder;
    Sections sections;
    sections.upstream = upstream.empty() ? "" : ", " + upstream;
    sections.upstream += R"( }, second: { endpoints: ["http://other.example"])";
    sections.items = items.empty() ? "" : ", " + items;
    auto const path = lifecycle::test::write(folder, sections);
    std::string contract{lifecycle::test::contract_text};
    std::string const declared = "name: limit, in: query, schema: { type: integer, maximum: 10 }";
    if (parameter != "limit")
        contract.replace(contract.find(declared), declared.size(),
                         "name: " + parameter + ", in: header, schema: {}");
    folder.write("items.yaml", contract);
    return load(path, sallyport::test::tables(), lifecycle::test::fresh());
}

std::string problems_of(Compiled const& compiled) {
    std::string text;
    for (auto const& problem : compiled.problems)
        text += problem.path + ": " + problem.what + "\n";
    return text;
}

using Names = std::vector<std::string>;

Names names_at(Compiled const& compiled, std::size_t upstream) {
    REQUIRE(compiled.snapshot);
    auto const& fields = compiled.snapshot->upstreams[upstream].settings.caller_fields;
    return fields == nullptr ? Names{} : fields->names;
}

std::string const cannot = "the upstream cannot be told of the caller in the field ";

} // namespace

TEST_CASE("fields of the framing, of one connection and of the gateway tell nothing of callers") {
    std::vector<std::pair<std::string, std::string>> const refused{
        {"Content-Length", "the gateway writes the framing"},
        {"transfer-encoding", "the gateway writes the framing"},
        {"Connection", "it is for one connection only"},
        {"TE", "it is for one connection only"},
        {"Upgrade", "it is for one connection only"},
        {"HOST", "the upstream's `host` decides"},
        {"Authorization", "the credential of the upstream decides"},
        {"Proxy-Authorization", "it is for proxies only"},
        {"Cookie", "`forward_cookies` decides"},
        {"X-Forwarded-User", "only the gateway says where a request came from"},
        {"X-Request-Id", "the gateway writes it"},
        {"Via", "the gateway writes it"},
        {"X_Remote_User", "servers may take it for another field (RFC 3875)"},
    };
    for (auto const& [name, reason] : refused) {
        CHECK(problems_of(compile_with("identity: { header: " + name + " }", ""))
              == "upstreams.up.identity.header: " + cannot + "\"" + name + "\": " + reason + "\n");
        CHECK(problems_of(compile_with("", "identity: { labels: { " + name + ": org } }"))
              == "apis.items.identity.labels." + name + ": " + cannot + "\"" + name
                     + "\": " + reason + "\n");
    }
}

TEST_CASE("one field has one meaning") {
    CHECK(problems_of(compile_with("identity: { header: X-Who, labels: { x_who: org } }", ""))
          == "upstreams.up.identity.labels.x_who: " + cannot
                 + "\"x_who\": the field is named twice, or servers take two of them for one\n");
    // Whichever of the APIs with this upstream it is.
    CHECK(problems_of(compile_with("identity: { header: X-Who }",
                                   "headers: { request: { add: { X.Who: a } } }"))
          == "upstreams.up.identity.header: " + cannot
                 + "\"X-Who\": `headers` of the API \"items\" writes it\n");
    CHECK(problems_of(compile_with("identity: { header: X-Who }",
                                   "headers: { request: { set: { x-who: a } } }"))
          == "upstreams.up.identity.header: " + cannot
                 + "\"X-Who\": `headers` of the API \"items\" writes it\n");
    CHECK(problems_of(compile_with("identity: { header: X-Who }", "", "x_who"))
          == "upstreams.up.identity.header: " + cannot
                 + "\"X-Who\": the contract of the API \"items\" declares it as a parameter\n");
    CHECK(problems_of(compile_with("", "identity: { header: X-Who }", "X-Who"))
          == "apis.items.identity.header: " + cannot
                 + "\"X-Who\": the contract of the API \"items\" declares it as a parameter\n");
}

TEST_CASE("fields that are made for identities can be used") {
    CHECK(names_at(compile_with("identity: { header: X-Remote-User }", ""), 0)
          == Names{"X-Remote-User"});
}

TEST_CASE("an upstream knows the fields of all APIs that send requests there, and no others") {
    CHECK(names_at(compile_with("", ""), 0).empty());
    auto const of_upstream =
        compile_with("identity: { header: X-Caller, labels: { X-Org: org } }", "");
    CHECK(names_at(of_upstream, 0) == Names{"X-Caller", "X-Org"});
    CHECK(names_at(of_upstream, 1).empty());
    CHECK(of_upstream.snapshot->apis.all()[0]->caller_fields == nullptr);

    auto const of_api = compile_with("identity: { header: X-Caller }",
                                     "identity: { header: x-caller, labels: { X-Tier: tier } }");
    CHECK(names_at(of_api, 0) == Names{"X-Caller", "X-Tier"});
    CHECK(names_at(of_api, 1).empty());
    CHECK(of_api.snapshot->apis.all()[0]->caller_fields != nullptr);
    CHECK(of_api.snapshot->apis.all()[1]->caller_fields == nullptr);

    // Also those of single operations.
    auto const of_rule = compile_with(
        "", "identity: { header: X-Caller }, rules: [{ operation: getItem, upstream: second }]");
    CHECK(names_at(of_rule, 0) == Names{"X-Caller"});
    CHECK(names_at(of_rule, 1) == Names{"X-Caller"});
}

TEST_CASE("fields of callers are removed at each upstream of the same server") {
    auto const again = [](std::string const& endpoint) {
        return "identity: { header: X-Caller } }, again: { endpoints: [\"" + endpoint + "\"]";
    };
    auto const same = compile_with(again("http://Upstream.Example:80/v2"), "");
    CHECK(names_at(same, 0) == Names{"X-Caller"});
    CHECK(names_at(same, 1) == Names{"X-Caller"});
    CHECK(names_at(same, 2).empty());
    CHECK(names_at(compile_with(again("http://upstream.example:81"), ""), 1).empty());
    CHECK(names_at(compile_with(again("http://upstream.example."), ""), 1) == Names{"X-Caller"});
    // Also what an API tells.
    auto const of_api =
        compile_with("timeouts: {} }, again: { endpoints: [\"http://upstream.example:80\"]",
                     "identity: { labels: { X-Tier: tier } }, rules: [{ operation: getItem, "
                     "upstream: second }]");
    CHECK(names_at(of_api, 1) == Names{"X-Tier"});
}

TEST_CASE("a host in another spelling is the same server, and this machine has several names") {
    auto const at = [](std::string const& one, std::string const& other) {
        auto const compiled =
            compile_with("timeouts: {} }, told: { endpoints: [\"http://" + one
                             + ":8000\"], identity: { header: X-Caller } }, again: { endpoints: "
                               "[\"http://"
                             + other + ":8000\"]",
                         "");
        REQUIRE(compiled.snapshot);
        for (auto const& upstream : compiled.snapshot->upstreams)
            if (upstream.settings.name == "again")
                return upstream.settings.caller_fields != nullptr;
        return false;
    };
    for (auto const* const name :
         {"localhost", "LOCALHOST.", "127.0.0.1", "127.1.2.3", "[::1]", "[0:0:0:0:0:0:0:1]",
          "[::ffff:127.0.0.1]", "app.localhost", "0.0.0.0"}) {
        CAPTURE(name);
        CHECK(at("localhost", name));
        CHECK(at(name, "127.0.0.1"));
        CHECK_FALSE(at(name, "192.0.2.1"));
    }
    CHECK(at("[2001:db8::1]", "[2001:DB8:0:0::1]"));
    CHECK(at("192.0.2.1", "[::ffff:192.0.2.1]"));
    CHECK_FALSE(at("localhost", "localhost.example"));
}

TEST_CASE("the credential that an upstream gets follows the configuration") {
    using upstream::ClientCredential;
    auto const choice = [](std::string const& credential) {
        auto const compiled =
            compile_with(credential.empty() ? credential : "credential: " + credential, "");
        REQUIRE(compiled.snapshot);
        auto const& settings = compiled.snapshot->upstreams[0].settings;
        CHECK_FALSE(settings.has_own_credential());
        return settings.client_credential;
    };
    CHECK(choice("") == ClientCredential::unless_issued_here);
    CHECK(choice("none") == ClientCredential::drop);
    CHECK(choice("pass") == ClientCredential::pass);
    CHECK(choice("pass_issued") == ClientCredential::pass);
}

TEST_CASE("a token file has to be there, with a token, before a configuration is used") {
    sallyport::test::TemporaryFolder const folder;
    Sections sections;
    sections.upstream = ", credential: { token_file: token }";
    auto const path = lifecycle::test::write(folder, sections);
    CarriedOver carried_over = lifecycle::test::fresh();
    auto const load_it = [&] {
        auto compiled = load(path, sallyport::test::tables(), carried_over);
        REQUIRE(compiled.problems.empty());
        compiled.problems = compiled.obstacles;
        return compiled;
    };
    auto const file = (folder.path() / "token").string();
    CHECK(problems_of(load_it())
          == "upstreams.up.credential.token_file: " + file + ": No such file or directory\n");
    folder.write("token", "not a token\n");
    CHECK(problems_of(load_it())
          == "upstreams.up.credential.token_file: " + file + ": is no bearer token (RFC 6750)\n");
    folder.write("token", "a.token\n");
    auto const compiled = load_it();
    REQUIRE(compiled.snapshot);
    auto const& settings = compiled.snapshot->upstreams[0].settings;
    REQUIRE(settings.renewed);
    CHECK(settings.renewed->get()->reveal() == "Bearer a.token");
    CHECK(settings.has_own_credential());
    // The one that runs has a token of this file; and none of another one.
    carried_over.running = compiled.snapshot;
    std::filesystem::remove(file);
    auto const without = load_it();
    CHECK(problems_of(without).ends_with(": No such file or directory\n"));
    REQUIRE(without.snapshot);
    CHECK(without.snapshot->upstreams[0].settings.renewed == settings.renewed);
    sections.upstream = ", credential: { token_file: other }";
    folder.write("sallyport.yaml", lifecycle::test::configuration_text(sections));
    auto const other = load_it();
    REQUIRE(other.snapshot);
    CHECK(other.snapshot->upstreams[0].settings.renewed == nullptr);
}

TEST_CASE("the field of an assertion is one of those, and its keys are those of their source") {
    std::string const same = "issuer: a, audience: b";
    auto const compiled =
        compile_with("identity: { header: X-Caller, assertion: { " + same + ", lifetime: 30s } }",
                     "identity: { assertion: { " + same + ", lifetime: 90s, header: X-Who } }");
    CHECK(names_at(compiled, 0) == Names{"X-Caller", "X-Sallyport-Assertion", "X-Who"});
    // One source, the gateway's own, with the longer time.
    auto const& snapshot = *compiled.snapshot;
    REQUIRE(snapshot.keys_of_assertions.size() == 1);
    auto const& keys = snapshot.keys_of_assertions[0];
    CHECK(keys.key == nullptr);
    CHECK(keys.settings.lifetime == std::chrono::seconds{90});
    CHECK(keys.settings.rotate_every == std::chrono::hours{24});
    auto const& of_upstream = snapshot.upstreams[0].settings.caller_fields->usual.assertion;
    auto const& of_api = snapshot.apis.all()[0]->caller_fields->assertion;
    REQUIRE((of_upstream && of_api));
    CHECK(of_upstream->keys == keys.keys);
    CHECK(of_api->keys == keys.keys);
    CHECK(of_upstream->lifetime == std::chrono::seconds{30});
    // Nothing is published before the configuration is adopted.
    CHECK(keys.keys->newest() == nullptr);

    CHECK(problems_of(compile_with(
              "identity: { header: X-Who, assertion: { " + same + ", header: x-who } }", ""))
          == "upstreams.up.identity.assertion.header: " + cannot
                 + "\"x-who\": the field is named twice, or servers take two of them for one\n");
    CHECK(problems_of(compile_with("identity: { assertion: { " + same + ", header: Host } }", ""))
          == "upstreams.up.identity.assertion.header: " + cannot
                 + "\"Host\": the upstream's `host` decides\n");
    // The file of a key that is none.
    auto const text =
        problems_of(compile_with("identity: { assertion: { " + same + ", key: items.yaml } }", ""));
    CHECK(text.starts_with("upstreams.up.identity.assertion.key: "));
    CHECK(text.ends_with("items.yaml: holds no private key in PEM\n"));
}

} // namespace compile_caller_fields_test
