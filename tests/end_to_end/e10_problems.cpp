// `check`: its messages for an invalid configuration, contract or credentials, each with its place.
#include "tests/end_to_end/problems.h"

#include "tests/support/encodings.h"

#include <catch2/catch.hpp>

namespace e10_problems {

using namespace sallyport::test;

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
