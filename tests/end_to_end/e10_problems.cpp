// `check`: its messages for an invalid configuration, contract or credentials, each with its place.
#include "tests/end_to_end/prepared.h"

#include "tests/support/encodings.h"

#include <catch2/catch.hpp>

#include <regex>
#include <sstream>

#include <sys/stat.h>
#include <unistd.h>

namespace e10_problems {

using namespace sallyport::test;

namespace {

// Of a problem: `file:line:column: path: what; what to write`.
bool has_problem(Finished const& finished, std::string const& file, std::string const& path,
                 std::string const& words) {
    auto const text = finished.output + finished.error;
    std::regex const line{"(^|\n)[^\n]*" + file + ":[0-9]+:[0-9]+: " + path + ": [^\n]*" + words};
    return std::regex_search(text, line);
}

std::string replaced(std::string text, std::string const& what, std::string const& with) {
    auto const at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), with);
}

std::string contract(std::string const& name) {
    return contracts_folder() + "/" + name + ".yaml";
}

} // namespace

TEST_CASE("the configuration is named with -c or alone, and check reads it from standard input") {
    Prepared const prepared;
    auto const expected = prepared.check();
    REQUIRE(expected.exit_code == 0);
    auto const alone = run_gateway({"check", "sallyport.yaml"}, {}, prepared.folder.path());
    CHECK(alone.output == expected.output);
    auto const listed =
        run_gateway({"credential", "list", "sallyport.yaml"}, {}, prepared.folder.path());
    CHECK(listed.exit_code == 0);
    auto const read =
        run_gateway({"check", "-c", "-"}, prepared.configuration.text(), prepared.folder.path());
    CAPTURE(read.output, read.error);
    CHECK(read.exit_code == 0);
    auto const wrong = run_gateway({"check", "-"}, prepared.configuration.text() + "wrong: 1\n",
                                   prepared.folder.path());
    CHECK(wrong.exit_code == 1);
    CHECK(has_problem(wrong, "standard input", "wrong", "unknown key"));
    CHECK(run_gateway({"run", "-c", "-"}, prepared.configuration.text(), prepared.folder.path())
              .exit_code
          == 2);
}

TEST_CASE("a missing configuration, or one that is not a file, is reported in one line") {
    TemporaryFolder const folder;
    for (auto const* command : {"check", "run"}) {
        for (auto const* name : {"missing.yaml", "."}) {
            auto const finished = run_gateway({command, "-c", name}, {}, folder.path());
            CAPTURE(command, name, finished.output, finished.error);
            CHECK(finished.exit_code == 1);
            CHECK((finished.output + finished.error).find(name) != std::string::npos);
        }
    }
}

TEST_CASE("a valid configuration passes") {
    Prepared const prepared;
    auto const finished = prepared.check();
    CAPTURE(finished.output, finished.error);
    CHECK(finished.exit_code == 0);
}

TEST_CASE("all problems are reported at once, each with its place and a hint") {
    Prepared prepared;
    prepared.configuration.limits =
        "  head: many\n  no_such_limit: 1\n  json_depth: 64\n  json_depth: 65\n";
    prepared.configuration.workers = "0";
    prepared.configuration.rest = "listener: []\n";
    prepared.write();
    auto const finished = prepared.check();
    CAPTURE(finished.output, finished.error);
    CHECK(finished.exit_code == 1);
    CHECK(has_problem(finished, "sallyport.yaml", "limits.head", ""));
    CHECK(has_problem(finished, "sallyport.yaml", "limits.no_such_limit", ""));
    CHECK(has_problem(finished, "sallyport.yaml", "limits.json_depth", ""));
    CHECK(has_problem(finished, "sallyport.yaml", "workers", ""));
    CHECK(has_problem(finished, "sallyport.yaml", "listener", "listeners")); // did you mean
    auto const started = prepared.start();
    CHECK(started.exit_code == 1);
    CHECK(has_problem(started, "sallyport.yaml", "workers", ""));
}

TEST_CASE("an exception from redaction must not be a secret's own name") {
    Prepared prepared;
    prepared.configuration.rest +=
        "redact: { members: [pin], except: [pageToken, Pin, api_key, encryptionKey] }\n";
    prepared.write();
    auto const finished = prepared.check();
    CHECK(finished.exit_code == 1);
    CHECK_FALSE(has_problem(finished, "sallyport.yaml", "redact.except.0.", ""));
    for (std::string const place : {"1", "2", "3"})
        CHECK(has_problem(finished, "sallyport.yaml", "redact.except." + place + ".",
                          "is itself the name of a secret"));
}

TEST_CASE("unsupported features are reported as such") {
    Prepared prepared;
    auto const base = prepared.configuration;
    for (auto const& [words, change] :
         std::vector<std::pair<std::string, std::function<void(Configuration&)>>>{
             {"enforce", with_management("responses: enforce")}}) {
        CAPTURE(words);
        prepared.configuration = base;
        change(prepared.configuration);
        prepared.write();
        auto const finished = prepared.check();
        CAPTURE(finished.output, finished.error);
        CHECK(finished.exit_code == 1);
        CHECK((finished.output + finished.error).find("not built yet") != std::string::npos);
    }
}

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

// The lines of a text, without those of the summary.
std::vector<std::string> lines_of(std::string const& text) {
    std::vector<std::string> lines;
    std::istringstream stream{text};
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
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

TEST_CASE("invalid credentials are reported with their place, and no secret is printed") {
    Prepared const prepared;
    auto const check_with = [&](std::string const& credentials) {
        prepared.folder.write("credentials.yaml", credentials);
        return prepared.check();
    };
    auto const entry = [](std::string const& rest) {
        return "credentials:\n  - name: one\n    " + rest + "\n";
    };
    auto const hash = "\"sha256:" + sha256_hex("0123456789012345678901") + "\"";
    struct Row {
        std::string text;
        std::string words;
    };
    for (auto const& row : std::vector<Row>{
             {entry("basic: { key_id: a, secrets: [plain-c4nary-secret-0123456789] }\n    allow: "
                    "all"),
              "sha256"},
             {entry("basic: { key_id: a, secrets: [\"sha256:c4nary\"] }\n    allow: all"), "64"},
             {entry("basic: { key_id: a, secrets: [" + hash + "] }"), "allow"},
             {entry("basic: { key_id: \"a:b\", secrets: [" + hash + "] }\n    allow: all"), ":"},
             {entry("basic: { key_id: a, secrets: [" + hash
                    + "] }\n    allow: { operations: [managment/*] }"),
              "managment"},
             {entry("basic: { key_id: a, secrets: [" + hash
                    + "] }\n    allow: { operations: [management/getPipes] }"),
              "getPipe"},
             {entry("basic: { key_id: a, secrets: [\"$2b$10$abcdefghijklmnopqrstuv\"] }\n    "
                    "allow: all"),
              "begins like a hash of bcrypt"},
             {entry("allow: all"), ""},
             {standard_credentials() + "  - name: administrator\n    basic: { key_id: x, secrets: ["
                  + hash + "] }\n    allow: all\n",
              "administrator"},
             {standard_credentials()
                  + "  - name: x\n    basic: { key_id: key-administrator, secrets: [" + hash
                  + "] }\n    allow: all\n",
              "has this key id too"},
             {entry("basic: { key_id: a, secrets: [" + hash
                    + "] }\n    allow: all\n    expires: tomorrow"),
              "expires"},
         }) {
        auto const finished = check_with(row.text);
        CAPTURE(row.text, finished.output, finished.error);
        CHECK(finished.exit_code == 1);
        CHECK(has_problem(finished, "credentials.yaml", "[^ ]*", ""));
        CHECK((finished.output + finished.error).find(row.words) != std::string::npos);
        CHECK((finished.output + finished.error).find("c4nary") == std::string::npos);
    }
}

TEST_CASE("a warning has that word once, and no secret, if the gateway does not start") {
    TemporaryFolder const folder;
    auto const started_with = [&folder](std::string const& secret) {
        folder.write("sallyport.yaml",
                     "listeners: [{ name: l, address: \"127.0.0.1:0\", tls: off }]\nupstreams:\n"
                     "  u:\n    endpoints: [\"http://127.0.0.1:9\"]\n    credential: { bearer: { "
                     "token: \""
                         + secret
                         + "\" } }\napis: { a: { paths: [\"/a/\"], upstream: u, authenticate: "
                           "[anonymous], nope: 1 } }\n");
        return run_gateway({"run", "-c", "sallyport.yaml"}, {}, folder.path());
    };
    auto const plain = started_with("c4nary");
    INFO(plain.error);
    CHECK(plain.exit_code == 1);
    CHECK(plain.error.find("sallyport.yaml:5:36: warning: upstreams.u.credential.bearer.token: a "
                           "secret stands in the configuration")
          == 0);
    CHECK(plain.error.find("\nerror: sallyport.yaml:6:70: apis.a.nope: ") != std::string::npos);
    CHECK(plain.error.find("c4nary") == std::string::npos);
    for (std::string const secret : {"${c4nary}", "c4nary${x}tail", "c4nary${"}) {
        auto const broken = started_with(secret);
        INFO(broken.error);
        CHECK(broken.exit_code == 1);
        CHECK(broken.error.find("error: sallyport.yaml:5:36: upstreams.u.credential.bearer.token: ")
              != std::string::npos);
        CHECK(broken.error.find("c4nary") == std::string::npos);
    }
}

TEST_CASE("a port that is in use is reported and nothing is served") {
    Prepared prepared;
    auto const taken = listen_tcp();
    prepared.configuration.listeners = replaced(prepared.configuration.listeners, "127.0.0.1:0",
                                                "127.0.0.1:" + std::to_string(taken.port));
    prepared.write();
    auto const finished = prepared.start();
    CAPTURE(finished.output, finished.error);
    CHECK(finished.exit_code == 1);
    CHECK(finished.error.find("127.0.0.1:" + std::to_string(taken.port)) != std::string::npos);
}

TEST_CASE("a NUL byte is reported as such at any position, and never printed") {
    Prepared prepared;
    std::string const nul(1, '\0');
    auto const write_contract = [&](std::string const& with) {
        return prepared.folder.write("nul.yaml", replaced(read_file(contract("management")),
                                                          "operationId: createService",
                                                          "operationId: " + with));
    };
    for (auto const& [file, key, change] :
         std::vector<std::tuple<std::string, std::string, std::function<void()>>>{
             {"sallyport.yaml:[0-9]+:[0-9]+", "", [&] { prepared.configuration.rest += nul; }},
             {"sallyport.yaml:[0-9]+:[0-9]+", "upstreams.management.credential.bearer.token: ",
              [&] {
                  prepared.folder.write("secret", "a" + nul + "b");
                  prepared.configuration.upstreams =
                      replaced(prepared.configuration.upstreams, " }\n",
                               ", credential: { bearer: { token: \"${file:secret}\" } } }\n");
              }},
             {"credentials.yaml:[0-9]+:[0-9]+", "",
              [&] { prepared.folder.write("credentials.yaml", standard_credentials() + nul); }},
             {"credentials.yaml:[0-9]+:[0-9]+", R"(credentials\[0\].name: )",
              [&] {
                  prepared.folder.write("credentials.yaml",
                                        replaced(standard_credentials(), "name: administrator",
                                                 R"(name: "admini\0strator")"));
              }},
             {"sallyport.yaml:[0-9]+:[0-9]+", R"(listeners\[0\].tls.certificates\[0\].certificate)",
              [&] {
                  auto const& server = certificates().server;
                  auto const path =
                      prepared.folder.write("nul.pem", read_file(server.certificate) + nul);
                  prepared.configuration.listeners = tls_listener({{path, server.private_key}});
              }},
             {"nul.yaml:[0-9]+:[0-9]+", "", [&] {
                  prepared.configuration.apis =
                      replaced(prepared.configuration.apis, contract("management"),
                               write_contract("createService" + nul).string());
              }}}) {
        CAPTURE(file, key);
        Prepared const original;
        prepared.configuration = original.configuration;
        prepared.folder.write("credentials.yaml", standard_credentials());
        change();
        prepared.write();
        auto const finished = prepared.check();
        CAPTURE(finished.output);
        CHECK(finished.exit_code == 1);
        std::regex const line{"(^|\n)[^\n]*" + file + ": " + key + "[^\n]*U\\+0000"};
        CHECK(std::regex_search(finished.output, line));
        CHECK(finished.output.find('\0') == std::string::npos);
    }
    prepared.folder.write("schema.json", R"({"properties": {"a\u0000b": {"type": "string"}}})");
    auto const judged = run_gateway({"validate", "--schema", "schema.json"}, R"({"a\u0000b": 1})",
                                    prepared.folder.path());
    CAPTURE(judged.output);
    CHECK(judged.exit_code == 1);
    CHECK(judged.output.find(R"(/a\x00b)") != std::string::npos);
    CHECK(judged.output.find('\0') == std::string::npos);
    auto const hashed = run_gateway({"credential", "hash"}, std::string(30, 'a') + nul);
    CHECK(hashed.exit_code == 1);
    CHECK(hashed.error.find("U+0000 (NUL)") != std::string::npos);
}

TEST_CASE("problems can be printed as JSON") {
    Prepared prepared;
    prepared.configuration.workers = "0";
    prepared.write();
    auto const finished = run_gateway({"check", "-c", "sallyport.yaml", "--format", "json"}, {},
                                      prepared.folder.path());
    CHECK(finished.exit_code == 1);
    auto const json = Json::parse(finished.output);
    CHECK(finished.output.find("workers") != std::string::npos);
    CHECK((json.kind == Json::Kind::object || json.kind == Json::Kind::array));
}

} // namespace e10_problems
