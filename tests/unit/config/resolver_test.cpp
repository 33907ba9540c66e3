// References to the environment and to files, in texts and in typed values.
#include "support.h"

#include <catch2/catch.hpp>
#include <cstdlib>

namespace resolver_test {

using namespace sallyport::config;
using namespace sallyport::config::test;

namespace {

World const world{{{"NAME", "value"},
                   {"EMPTY", ""},
                   {"NESTED", "${env:NAME}"},
                   {"COUNT", "4"},
                   {"TIME", "7s"},
                   {"WORD", "stderr"},
                   {"SECRET", "s3cr3t"},
                   {"BAD", "s3cr3t!"}},
                  {{"/run/secret", "from file\n"},
                   {"/run/crlf", "from file\r\n"},
                   {"/run/two", "a\n\n"},
                   {"etc/near", "near"}}};

Expanded expanded(std::string_view text) {
    return expand(text, "etc", world.resolver());
}

} // namespace

TEST_CASE("what is no reference, or leads nowhere, is refused") {
    struct Case {
        std::string_view text;
        std::string_view problem;
    };
    Case const cases[] = {
        {"${env:MISSING}", "the environment variable MISSING is not set"},
        {"${file:/run/missing}",
         "the file \"/run/missing\" cannot be read: No such file or directory"},
        {"${NAME}", "what stands between \'${\' and \'}\' is no reference"},
        {"${env:}", "what stands between \'${\' and \'}\' is no reference"},
        {"${env:A B}", "what stands between \'${\' and \'}\' is no reference"},
        {"${file:}", "what stands between \'${\' and \'}\' is no reference"},
        {"${}", "what stands between \'${\' and \'}\' is no reference"},
        {"a${env:NAME", "'${' without its '}'"},
    };
    for (auto const& [text, problem] : cases) {
        CAPTURE(text);
        CHECK(expanded(text).problem == problem);
    }
}

TEST_CASE("references are replaced wherever they stand in a text") {
    CHECK(expanded("${env:NAME}").text == "value");
    CHECK(expanded("a${env:NAME}b${env:EMPTY}c").text == "avaluebc");
    CHECK(expanded("${file:/run/secret}").text == "from file");
    CHECK(expanded("${file:/run/crlf}").text == "from file");
    CHECK(expanded("${file:/run/two}").text == "a\n"); // one line feed ends a file
    CHECK(expanded("${file:near}").text == "near");    // relative to the configuration
    CHECK(expanded("$NAME $$ {x}").text == "$NAME $$ {x}");
    CHECK(expanded("$${env:NAME}").text == "${env:NAME}");
    CHECK(expanded("${env:NESTED}").text == "${env:NAME}"); // not expanded again
    CHECK_FALSE(expanded("plain").was_changed);
    CHECK(expanded("${env:EMPTY}").was_changed);
}

TEST_CASE("references work in values of every type") {
    auto const out =
        read("workers: ${env:COUNT}\n"
             "drain: ${env:TIME}\n"
             "access_log: { output: \"${env:WORD}\", bodies: { requests: \"al${env:L}\" } }\n"
             "limits: { fields: \"${env:COUNT}0\" }\n",
             World{{{"COUNT", "4"}, {"TIME", "7s"}, {"WORD", "stderr"}, {"L", "l"}}, {}});
    CHECK(described(out.problems).empty());
    CHECK(out.config.workers == 4U);
    CHECK(out.config.drain == std::chrono::seconds{7});
    CHECK(std::holds_alternative<StandardError>(out.config.access_log.output));
    CHECK(out.config.access_log.bodies.requests == BodyLogging::all);
    CHECK(out.config.limits.fields == 40);
}

TEST_CASE("no message shows what a reference stands for") {
    auto const out =
        read("workers: ${env:SECRET}\n"
             "drain: ${env:SECRET}\n"
             "limits: { head: \"${env:SECRET}\" }\n"
             "access_log: { output: \"${env:SECRET}\", bodies: { requests: \"${env:SECRET}\" } }\n"
             "listeners: [{ name: \"${env:BAD}\", address: \"${env:SECRET}\", tls: off }]\n"
             "upstreams:\n"
             "  up:\n"
             "    endpoints: [\"${env:SECRET}\", \"http://x:${env:BAD}@y\"]\n"
             "    host: \"${env:BAD}\"\n"
             "    credential: { bearer: { token: \"${env:BAD}\" } }\n",
             world);
    std::string const text = described(out.problems);
    CAPTURE(text);
    CHECK(out.problems.size() == 11);
    CHECK(text.find("s3cr3t") == std::string::npos);
    CHECK(text.find("c.yaml:1:10: workers: the value of \"${env:SECRET}\" is not an integer; "
                    "write a number from 1 to 256\n")
          != std::string::npos);
}

TEST_CASE("relative paths begin at the folder of the configuration") {
    CHECK(resolve_path("a/b", "etc") == "etc/a/b");
    CHECK(resolve_path("/a/b", "etc") == "/a/b");
    CHECK(resolve_path("../b", "/etc/x") == "/etc/b");
    CHECK(resolve_path("b", "") == "b");
    CHECK(folder_of("x.yaml") == "");
    CHECK(folder_of("/etc/x.yaml") == "/etc");
}

TEST_CASE("the system's resolver reads the environment and bounded files") {
    Resolver const system = system_resolver();
    ::setenv("SALLYPORT_TEST_VARIABLE", "here", 1);
    CHECK(system.environment("SALLYPORT_TEST_VARIABLE") == "here");
    ::unsetenv("SALLYPORT_TEST_VARIABLE");
    CHECK_FALSE(system.environment("SALLYPORT_TEST_VARIABLE").has_value());
    CHECK(system.file("/nonexistent").problem == "No such file or directory");
    CHECK(system.file("/dev/zero").problem == "it is larger than 65536 bytes");
}

TEST_CASE("offline references are left open, and only their form is checked") {
    Resolver const offline = offline_resolver();
    auto const whole = [&](std::string_view text) { return expand(text, "etc", offline); };
    CHECK(whole("a${env:NAME}b${file:/run/secret}").left_open
          == "${env:NAME}, ${file:/run/secret}");
    CHECK(whole("a${env:NAME}").problem.empty());
    CHECK(whole("$${env:NAME}").left_open.empty());
    CHECK(whole("${NAME}").problem == "what stands between '${' and '}' is no reference");
    CHECK(whole("a${env:NAME").problem == "'${' without its '}'");
}

TEST_CASE("what is left open is listed with its place, and is no problem of another value") {
    // Each of them is refused where the value is the default instead, or none.
    auto const document = yaml::load_text(
        whole("admin: { address: \"${env:ADMIN}\", allow_remote: \"${env:REMOTE}\" }\n"
              "limits: { body: 512MiB, buffered_bodies: \"${env:MEMORY}\" }\n"
              "listeners:\n"
              "  - { name: \"${env:A}\", address: \"${env:B}\", tls: off }\n"
              "  - { name: \"${env:A}\", address: \"127.0.0.1:9901\", tls: off }\n"
              "upstreams:\n"
              "  up:\n"
              "    endpoints: [\"http://a\", \"${env:ENDPOINT}\"]\n"
              "    tls: { ca: ca.pem }\n"
              "    credential: { basic: { key_id: \"${env:ID}\", secret: \"s3cr3t${file:x}\" } }\n"
              "apis:\n"
              "  a: { paths: [\"/f/\"], upstream: up, authenticate: [anonymous], hosts: "
              "[\"${env:H}\"] }\n"
              "  b: { paths: [\"/f/\"], upstream: \"${env:U}\", authenticate: [anonymous], hosts: "
              "[b] }\n"
              "  c:\n"
              "    contract: \"${env:C}\"\n"
              "    upstream: up\n"
              "    authenticate: [anonymous]\n"
              "    rules:\n"
              "      - { operation: \"${env:O}\", level: off }\n"
              "      - { operation: \"${env:P}\", level: off }\n"),
        "c.yaml");
    auto const out = read_config(document, {}, tables(), offline_resolver());
    CHECK(described(out.problems).empty());
    std::string left_open;
    for (auto const& one : out.left_open)
        left_open += one.origin.path + ' ' + one.references + '\n';
    CAPTURE(left_open);
    CHECK(left_open.find("upstreams.up.credential.basic.secret ${file:x}\n") != std::string::npos);
    CHECK(left_open.find("s3cr3t") == std::string::npos);
    CHECK(left_open.find("apis.c.contract ${env:C}\n") != std::string::npos);
    CHECK(out.left_open.size() == 14);
    CHECK(out.config.apis[2].rules.empty());
}

TEST_CASE("a remote address is refused offline unless its permission is left open") {
    auto const problems_of = [](std::string_view admin) {
        auto const document = yaml::load_text(whole(admin), "c.yaml");
        return described(read_config(document, {}, tables(), offline_resolver()).problems);
    };
    CHECK(problems_of("admin: { address: \"192.0.2.1:9901\" }\n").find("is not a loopback address")
          != std::string::npos);
    CHECK(problems_of("admin: { address: \"192.0.2.1:9901\", allow_remote: \"${env:REMOTE}\" }\n")
              .empty());
}

TEST_CASE("files that secrets are read from are listed, and those of other values are not") {
    auto const out = read("upstreams:\n  up:\n    endpoints: [\"http://a\"]\n"
                          "    host: \"${file:/run/host}\"\n"
                          "    credential: { bearer: { token: \"${file:/run/token}\" } }\n",
                          World{{}, {{"/run/token", "abc\n"}, {"/run/host", "h\n"}}});
    CHECK(described(out.problems).empty());
    REQUIRE(out.secret_files.size() == 1);
    CHECK(out.secret_files[0].path == "/run/token");
    CHECK(out.secret_files[0].origin.path == "upstreams.up.credential.bearer.token");
}

namespace {

// "text|<variable>|text": the parts of a value.
std::string parts_of(std::string_view text) {
    auto const value = expand_value(text, "etc", world.resolver());
    if (!value.problem.empty()) return "problem: " + value.problem;
    std::string out;
    for (ValuePart const& part : value.parts) {
        if (&part != value.parts.data()) out += '|';
        bool const is_text = part.variable == Variable::none;
        out += is_text ? part.text
                       : '<' + std::to_string(static_cast<int>(part.variable)) + part.text + '>';
    }
    return out;
}

} // namespace

TEST_CASE("variables of requests stand beside references, and neither is taken for the other") {
    CHECK(parts_of("plain") == "plain");
    CHECK(parts_of("") == "");
    CHECK(parts_of("${request_id}") == "<1>");
    CHECK(parts_of("a${credential}b${client}") == "a|<2>|b|<3>");
    CHECK(parts_of("${operation}${label:tier.x}") == "<4>|<5tier.x>");
    CHECK(parts_of("${env:NAME}-${client}-${file:near}") == "value-|<3>|-near");
    // Not expanded again: what a reference stands for is a text.
    CHECK(parts_of("${env:NESTED}") == "${env:NAME}");
    CHECK(parts_of("$${client}") == "${client}");
    CHECK(parts_of("${client}$${client}") == "<3>|${client}");
    CHECK(parts_of("$$${client}") == "$${client}");
    CHECK(parts_of("${label:}").starts_with("problem: "));
    CHECK(parts_of("${Client}").starts_with("problem: "));
    CHECK(parts_of("${file:/run/missing${client}").starts_with("problem: the file"));
    CHECK(parts_of("${client").starts_with("problem: '${' without"));
}

} // namespace resolver_test
