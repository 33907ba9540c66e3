// APIs of common hosts: which of them load beside each other, and what `check` warns of.
#include "gateway/lifecycle/compile.h"

#include "tests/unit/support/snapshot.h"

namespace compile_apis_test {

using namespace sallyport;
using namespace sallyport::lifecycle;
using lifecycle::test::Sections;

namespace {

// Of APIs that are written as flow mappings without upstream and `authenticate`: "severity path:
// problem" of each, with line feeds. The contract has /v1/items/{id}.
std::string problems_of(std::initializer_list<std::pair<std::string, std::string>> apis) {
    sallyport::test::TemporaryFolder const folder;
    auto const path = lifecycle::test::write(folder, Sections{});
    auto text = lifecycle::test::configuration_text(Sections{});
    auto const begin = text.find("apis:\n");
    std::string section = "apis:\n";
    for (auto const& [name, keys] : apis)
        section += "  " + name + ": { upstream: up, authenticate: [basic], " + keys + " }\n";
    text.replace(begin, text.find("access_log:") - begin, section);
    folder.write("sallyport.yaml", text);
    std::string found;
    for (auto const& problem :
         load(path, sallyport::test::tables(), lifecycle::test::fresh()).problems) {
        bool const is_error = problem.severity == config::yaml::Severity::error;
        found += std::string{is_error ? "error " : "warning "} + problem.path + ": " + problem.what
                 + "\n";
    }
    return found;
}

std::string const contract = "contract: items.yaml";

} // namespace

TEST_CASE("the same contract loads twice where its mounts, or hosts, keep them apart") {
    CHECK(problems_of({{"a", contract}, {"b", contract}})
          == "error apis.b: a request can be one of this API and of \"a\": /v1/items/{id} and "
             "/v1/items/{id} can match the same path\n");
    CHECK(problems_of({{"a", contract + ", mount: /a"}, {"b", contract + ", mount: /b"}}).empty());
    CHECK(problems_of({{"a", contract + ", mount: /a"}, {"b", contract + ", mount: /A"}})
          == "error apis.b: a request can be one of this API and of \"a\": /a/v1/items/{id} and "
             "/A/v1/items/{id} can match the same path\n");
    CHECK(problems_of({{"a", contract + ", mount: /v1"}, {"b", contract + ", mount: /v1/v1"}})
              .empty());
    CHECK(problems_of({{"a", contract + ", hosts: [a.x]"}, {"b", contract + ", hosts: [\"*.x\"]"}})
              .empty());
    CHECK(problems_of({{"a", contract + ", hosts: [\"*.x\"]"}, {"b", contract}}).empty());
    CHECK_FALSE(problems_of({{"a", contract + ", hosts: [\"*.x\", b]"},
                             {"b", contract + ", hosts: [a.x, b]"}})
                    .empty());
}

TEST_CASE("an API without a contract lies around one only as a fallback") {
    CHECK(problems_of({{"a", contract}, {"b", "paths: [\"/\"]"}})
          == "error apis.b: a request can be one of this API and of \"a\": /v1/items/{id} and / "
             "can match the same path\n");
    CHECK(problems_of({{"a", contract}, {"b", "paths: [\"/\"], fallback: yes"}}).empty());
    CHECK(problems_of({{"b", "paths: [\"/\"], fallback: yes"}})
          == "warning apis.b: is a fallback, and no contract has a host of it\n");
    CHECK(problems_of({{"a", contract}, {"b", "paths: [\"/v1/\", \"/v1/x\"], fallback: yes"}})
          == "warning apis.b: is a fallback that no request can reach: the API \"a\" has all that "
             "begins like its paths\n");
    CHECK(problems_of({{"a", contract + ", hosts: [x]"}, {"b", "paths: [\"/v1/\"], fallback: yes"}})
              .empty());
}

TEST_CASE("of two APIs that take the rest of the same hosts the second one warns") {
    std::string const report = contract + ", requests: report, mount: ";
    CHECK(problems_of({{"a", report + "/a"}, {"b", report + "/b"}}).empty());
    CHECK(problems_of({{"a", contract + ", requests: report"},
                       {"b", "paths: [\"/b/\"], upgrade: [websocket], methods: [GET]"}})
              .empty());
    CHECK(problems_of({{"a", contract + ", requests: report, hosts: [\"*.x\"]"},
                       {"b", contract + ", unknown_operations: forward, hosts: [a.x]"}})
              .empty());
    CHECK(problems_of({{"a", contract + ", requests: report"},
                       {"b", contract + ", unknown_operations: forward"}})
              .find("warning apis.b: takes what no other API has, as \"a\" does, which stands first")
          != std::string::npos);
}

TEST_CASE("paths that pass beside a contract have none of its own below them") {
    CHECK(problems_of({{"a", contract + ", paths: [\"/x/\", \"/v1/x\"]"}}).empty());
    CHECK(problems_of({{"a", contract + ", paths: [\"/x/\", \"/V1/\"]"}})
          == "error apis.a.paths[1]: would let pass unchecked what the contract has: "
             "/v1/items/{id}\n");
    CHECK(problems_of({{"a", contract + ", mount: /m, paths: [\"/v1/\"]"}})
          == "error apis.a.paths[0]: would let pass unchecked what the contract has: "
             "/m/v1/items/{id}\n");
    CHECK(problems_of({{"a", contract + ", requests: report, paths: [\"/\"]"}}).empty());
    CHECK(problems_of({{"a", contract + ", paths: [\"/x/\"]"}, {"b", "paths: [\"/x/y/\"]"}})
              .empty());
}

} // namespace compile_apis_test
