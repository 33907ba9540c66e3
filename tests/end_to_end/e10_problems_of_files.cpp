// `check`: its messages for the files that a configuration names, each at the key that names it.
#include "tests/end_to_end/problems.h"

#include <catch2/catch.hpp>

#include <sstream>

#include <sys/stat.h>
#include <unistd.h>

namespace e10_problems_of_files {

using namespace sallyport::test;

namespace {

// Of a text.
std::vector<std::string> lines_of(std::string const& text) {
    std::vector<std::string> lines;
    std::istringstream stream{text};
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

} // namespace

TEST_CASE("files that a configuration names are opened and compared with each other") {
    Prepared prepared;
    auto const& made = certificates();
    struct Row {
        std::string name;
        std::function<void()> break_it;
        std::string words;
    };
    auto const original = prepared.configuration;
    auto const listener_of = [&](std::filesystem::path const& certificate,
                                 std::filesystem::path const& key) {
        prepared.configuration.listeners = tls_listener({{certificate, key}});
    };
    for (auto const& row : std::vector<Row>{
             {"no certificate", [&] { listener_of("/no/such.pem", made.server.private_key); },
              "/no/such.pem"},
             {"no key", [&] { listener_of(made.server.certificate, "/no/such.key"); },
              "/no/such.key"},
             {"a key of another certificate",
              [&] { listener_of(made.server.certificate, made.second.private_key); },
              "does not belong to the certificate"},
             {"no PEM",
              [&] {
                  listener_of(prepared.folder.write("text.pem", "text"), made.server.private_key);
              },
              "text.pem"},
             {"a key in place of a certificate",
              [&] { listener_of(made.server.private_key, made.server.private_key); }, "server.key"},
             {"no contract",
              [&] {
                  prepared.configuration.apis =
                      replaced(original.apis, "management.yaml", "nothing.yaml");
              },
              "nothing.yaml"},
             {"an invalid contract",
              [&] {
                  auto const path = prepared.folder.write("bad.yaml", "openapi: 3.1.0\npaths: 7\n");
                  prepared.configuration.apis =
                      replaced(original.apis, contract("management"), path.string());
              },
              "bad.yaml:"},
             {"a contract with an unsupported keyword",
              [&] {
                  auto const text =
                      replaced(read_file(contract("management")), "idleScaling: { type: boolean }",
                               "idleScaling: { type: boolean, unevaluatedSomething: 1 }");
                  auto const path = prepared.folder.write("keyword.yaml", text);
                  prepared.configuration.apis =
                      replaced(original.apis, contract("management"), path.string());
              },
              "unevaluatedSomething"},
             {"an unknown upstream",
              [&] {
                  prepared.configuration.apis =
                      replaced(original.apis, "upstream: management", "upstream: managment");
              },
              "managment"},
             {"an upstream authority that is not there",
              [&] {
                  prepared.configuration.upstreams =
                      upstream_yaml("management", "https://127.0.0.1:9", "tls: { ca: /no/ca.pem }")
                      + upstream_yaml("observability", "http://127.0.0.1:9");
              },
              "/no/ca.pem"},
             {"an environment variable that is not set",
              [&] {
                  prepared.configuration.upstreams =
                      replaced(original.upstreams, " }\n",
                               ", credential: { bearer: { token: "
                               "\"${env:SALLYPORT_NO_SUCH_VARIABLE}\" } } }\n");
              },
              "SALLYPORT_NO_SUCH_VARIABLE"},
             {"two APIs that own the same paths",
              [&] {
                  prepared.configuration.apis +=
                      replaced(api_yaml("management"), "  management:", "  again:");
              },
              "again"},
             {"a pass-through within a contract's paths",
              [&] {
                  prepared.configuration.apis +=
                      "  hole: { paths: [\"/v1/organizations/\"], upstream: "
                      "management, authenticate: [basic] }\n";
              },
              "hole"},
             {"a rule that no contract has",
              [&] {
                  prepared.configuration.apis =
                      api_yaml("management", "rules: [ { operation: createService, rule: "
                                             "\"/properties/nothing/type\", level: off } ]")
                      + api_yaml("observability");
              },
              "/properties/nothing/type"},
             {"a log in a folder that is not there",
              [&] { prepared.configuration.access_log = "  output: /no/such/folder/access.log\n"; },
              ""},
         }) {
        CAPTURE(row.name);
        prepared.configuration = original;
        row.break_it();
        prepared.write();
        for (auto const& finished : {prepared.check(), prepared.start()}) {
            CAPTURE(finished.output, finished.error);
            if (row.words.empty() && finished.exit_code == 0) continue; // only `run` opens the log
            CHECK(finished.exit_code == 1);
            CHECK((finished.output + finished.error).find(row.words) != std::string::npos);
        }
    }
}

TEST_CASE(
    "problems of all files are reported together, without those that only follow from others") {
    Prepared prepared;
    auto const& made = certificates();
    prepared.configuration.limits = "  head: many\n";
    prepared.configuration.listeners =
        tls_listener({{made.server.private_key, made.server.certificate}});
    prepared.configuration.upstreams =
        upstream_yaml("management", "https://127.0.0.1:9", "tls: { ca: /no/ca.pem }")
        + upstream_yaml("observability", "http://127.0.0.1:9", "conections: { max: 1 }");
    auto const management = prepared.folder.write(
        "management.yaml", replaced(read_file(contract("management")), "operationId: createService",
                                    "operationId: [create service]"));
    prepared.configuration.apis =
        replaced(api_yaml("management", "rules: [ { operation: createService, level: off } ]"),
                 contract("management"), management.string())
        // The rule has no operation or pointer: no second problem is reported for it.
        + api_yaml("observability", "rules: [ { level: report } ]");
    prepared.configuration.access_log = "  output: /no/such/folder/access.log\n";
    prepared.write();
    prepared.folder.write("credentials.yaml",
                          replaced(standard_credentials(), "sha256:", "sha1:")
                              + "  - name: late\n    bearer: { tokens: [\"sha256:"
                              + std::string(64, 'a')
                              + "\"] }\n    allow: { operations: [management/createService, "
                                "observability/drawDashboard] }\n");
    auto const finished = prepared.check();
    CAPTURE(finished.output);
    CHECK(finished.exit_code == 1);
    CHECK(has_problem(finished, "sallyport.yaml", "limits.head", "is not a size"));
    CHECK(has_problem(finished, "sallyport.yaml",
                      R"(listeners\[0\].tls.certificates\[0\].certificate)", "exchange the two"));
    CHECK(has_problem(finished, "sallyport.yaml", "upstreams.management.tls.ca", "/no/ca.pem"));
    CHECK(has_problem(finished, "sallyport.yaml", "upstreams.observability.conections", "unknown"));
    CHECK(has_problem(finished, "sallyport.yaml", R"(apis.observability.rules\[0\])",
                      "names no operation"));
    CHECK(has_problem(finished, "sallyport.yaml", "access_log.output", "there is no folder"));
    CHECK(has_problem(finished, "management.yaml", ".*operationId", "must be a name"));
    CHECK(has_problem(finished, "credentials.yaml", R"(credentials\[0\].basic.secrets\[0\])",
                      "not a hash"));
    CHECK(has_problem(finished, "credentials.yaml",
                      R"(credentials\[[0-9]+\].allow.operations\[1\])", "has no operation"));
    // For a contract that does not load, no operation is reported as missing and no parameter as
    // unknown.
    CHECK(lines_of(finished.output).size() == 9);
}

TEST_CASE("a missing file is reported at the key that names it") {
    Prepared prepared;
    prepared.configuration.listeners =
        tls_listener({{"/no/certificate.pem", "/no/same.pem"}, {"/no/same.pem", "/no/key.pem"}});
    prepared.configuration.upstreams =
        upstream_yaml("management", "https://127.0.0.1:9",
                      "tls: { ca: /no/ca.pem }, credential: { bearer: { token: "
                      "\"${file:/no/secret}\" } }")
        + upstream_yaml("observability", "http://127.0.0.1:9");
    prepared.configuration.apis =
        "  management: { contract: /no/contract.yaml, schemas: /no/schemas, "
        "overlays: [/no/o.yaml], upstream: management, authenticate: [basic] }\n";
    prepared.configuration.access_log = "  output: /no/log/access.log\n";
    auto const text = prepared.configuration.text();
    prepared.write(replaced(text, "file: credentials.yaml", "file: /no/credentials.yaml"));
    auto const finished = prepared.check();
    CAPTURE(finished.output);
    CHECK(finished.exit_code == 1);
    for (auto const& [key, file] : std::vector<std::pair<std::string, std::string>>{
             {R"(listeners\[0\].tls.certificates\[0\].certificate)", "/no/certificate.pem"},
             {R"(listeners\[0\].tls.certificates\[0\].private_key)", "/no/same.pem"},
             {R"(listeners\[0\].tls.certificates\[1\].certificate)", "/no/same.pem"},
             {R"(listeners\[0\].tls.certificates\[1\].private_key)", "/no/key.pem"},
             {"credentials.file", "/no/credentials.yaml"},
             {"upstreams.management.tls.ca", "/no/ca.pem"},
             {"upstreams.management.credential.bearer.token", "/no/secret"},
             {"apis.management.contract", "/no/contract.yaml"},
             {"apis.management.schemas", "no such folder"},
             {R"(apis.management.overlays\[0\])", "/no/o.yaml"},
             {"access_log.output", "/no/log"}}) {
        CAPTURE(key);
        CHECK(has_problem(finished, "sallyport.yaml", key, file));
    }
    CHECK(lines_of(finished.output).size() == 11);
}

TEST_CASE("a key that its group must not read, or that is not readable, is reported") {
    if (::geteuid() == 0) {
        WARN("skipped: root can read every file");
        return;
    }
    Prepared prepared;
    auto const key =
        prepared.folder.write("locked.key", read_file(certificates().server.private_key));
    ::chmod(key.c_str(), 0);
    prepared.configuration.listeners = tls_listener({{certificates().server.certificate, key}});
    prepared.write();
    auto const finished = prepared.check();
    CHECK(finished.exit_code == 1);
    CHECK((finished.output + finished.error).find("locked.key") != std::string::npos);
}

} // namespace e10_problems_of_files
