// `check`: its exit codes and its output in both forms.
#include "folder.h"
#include "gateway/commands/check.h"
#include "tests/unit/support/tables.h"

#include <catch2/catch.hpp>
#include <sstream>

namespace check_test {

using namespace sallyport::commands;
using sallyport::commands::test::Folder;
using sallyport::commands::test::Run;

namespace {

Run check(std::string const& config, Format format = Format::text) {
    std::ostringstream out;
    std::ostringstream err;
    int const exit_code = run_check({config, format}, sallyport::test::tables(), out, err);
    return {exit_code, out.str(), err.str()};
}

std::string configuration(std::string_view more) {
    return "listeners: [{ name: l, address: \"127.0.0.1:0\", tls: off }]\n"
           "upstreams: { u: { endpoints: [\"http://127.0.0.1:9\"] } }\n"
           + std::string{more};
}

} // namespace

TEST_CASE("a configuration that would not serve is refused with its problems") {
    Folder const folder;
    std::string const config =
        folder.write("c.yaml", configuration("apis: { a: { contract: missing.yaml, upstream: u, "
                                             "authenticate: [anonymous] } }\n"));
    Run const run = check(config);
    CHECK(run.exit_code == 1);
    CHECK(run.out.find("missing.yaml") != std::string::npos);
    CHECK(run.out.find(": OK") == std::string::npos);
    Run const json = check(config, Format::json);
    CHECK(json.exit_code == 1);
    CHECK(json.out.rfind(R"({"ok":false,"problems":[{"severity":"error",)", 0) == 0);
    CHECK(check("/nonexistent.yaml").exit_code == 1);
}

TEST_CASE("if a key of a certificate's configuration is missing, the other one is still checked") {
    Folder const folder;
    for (auto const& [key, missing] :
         {std::pair{"certificate", "private_key"}, std::pair{"private_key", "certificate"}}) {
        Run const run = check(folder.write(
            "c.yaml", "listeners: [{ name: l, address: \"127.0.0.1:0\", tls: { certificates: [{ "
                          + std::string{key}
                          + ": /no/file.pem }] } }]\n"
                            "upstreams: { u: { endpoints: [\"http://127.0.0.1:9\"] } }\n"
                            "apis: { a: { paths: [\"/a/\"], upstream: u, authenticate: "
                            "[anonymous] } }\n"));
        INFO(run.out);
        CHECK(run.exit_code == 1);
        std::string const at = "listeners[0].tls.certificates[0].";
        CHECK(run.out.find(at + missing + ": is missing") != std::string::npos);
        CHECK(run.out.find(at + key + ": /no/file.pem: cannot be read") != std::string::npos);
    }
}

TEST_CASE("a missing folder of schemas is reported, and not its missing content") {
    Folder const folder;
    static_cast<void>(folder.write("contract.yaml", R"(
openapi: 3.1.0
info: { title: T }
paths: { /a: { get: { operationId: o, parameters: [
  { name: q, in: query, schema: { $ref: other.json, typ: string } } ] } } }
)"));
    for (std::string const none : {"nowhere", "contract.yaml"}) {
        CAPTURE(none);
        Run const run =
            check(folder.write("c.yaml", configuration("apis:\n  a:\n    contract: contract.yaml\n"
                                                       "    schemas: "
                                                       + none
                                                       + "\n    upstream: u\n    authenticate: "
                                                         "[anonymous]\n")));
        CHECK(run.exit_code == 1);
        CHECK(run.out.find("c.yaml:6:14: apis.a.schemas: no such folder; write the path of a "
                           "folder\n")
              != std::string::npos);
        CHECK(run.out.find("other.json") == std::string::npos);
        CHECK(run.out.find("schema.typ: ") != std::string::npos);
    }
}

TEST_CASE("unknown rules, operations and labels are reported") {
    Folder const folder;
    static_cast<void>(folder.write("contract.yaml", R"(
openapi: 3.1.0
info: { title: T }
paths:
  /v1/things:
    put:
      operationId: change
      requestBody:
        content:
          application/json:
            schema:
              properties: { size: { type: integer, maximum: 5 } }
              x-when: [{ labels: { tier: BASIC }, schema: { required: [size] } }]
)"));
    static_cast<void>(folder.write("credentials.yaml", R"(credentials:
  - name: one
    bearer: { tokens: ["sha256:)" + std::string(64, 'a') + R"("] }
    labels: { teir: BASIC, tier: BASIC }
    allow: all
)"));
    auto const with_rules = [&folder](std::string_view rules) {
        return folder.write("c.yaml", configuration("credentials: { file: credentials.yaml }\n"
                                                    "apis:\n  a:\n    contract: contract.yaml\n"
                                                    "    upstream: u\n    authenticate: [bearer]\n"
                                                    "    rules:\n"
                                                    + std::string{rules}));
    };
    std::string const label =
        "credentials.yaml:4:21: warning: credentials[0].labels.teir: no rule of a contract asks "
        "for the label \"teir\"; did you mean \"tier\"?\n";

    Run const wrong = check(
        with_rules("      - { operation: chnge, level: report }\n"
                   "      - { operation: change, rule: /properties/size/maximun, level: report }\n"
                   "      - { operation: change, rule: /required, level: report }\n"));
    INFO(wrong.out);
    CHECK(wrong.exit_code == 1);
    for (std::string const& line :
         {std::string{"c.yaml:10:9: apis.a.rules[0]: the contract has no operation \"chnge\"; did "
                      "you mean \"change\"?\n"},
          std::string{"c.yaml:11:9: apis.a.rules[1]: the operation change has no rule "
                      "\"/properties/size/maximun\"; did you mean \"/properties/size/maximum\"?\n"},
          std::string{"c.yaml:12:9: apis.a.rules[2]: the operation change has no rule "
                      "\"/required\"; copy rule_pointer of a violation\n"},
          label}) {
        INFO(line);
        CHECK(wrong.out.find(line) != std::string::npos);
    }

    Run const right = check(with_rules(
        "      - { operation: change, rule: /x-when/0/schema/required, level: report }\n"));
    INFO(right.out);
    CHECK(right.exit_code == 0);
    CHECK(right.out.find(label) != std::string::npos);
}

TEST_CASE("a field that never reaches the upstream cannot be declared") {
    Folder const folder;
    auto const declaring = [&folder](std::string const& fields, std::string const& more) {
        static_cast<void>(folder.write("contract.yaml", "openapi: 3.1.0\ninfo: { title: T }\n"
                                                        "paths:\n  /a:\n    get:\n"
                                                        "      operationId: o\n"
                                                        "      parameters:\n"
                                                            + fields));
        return check(folder.write("c.yaml", configuration("apis: { a: { contract: contract.yaml, "
                                                          "upstream: u, authenticate: [anonymous]"
                                                          + more + " } }\n")));
    };
    std::string const schema = ", in: header, schema: { type: string } }\n";
    Run const wrong = declaring(
        "        - { name: X-Mode" + schema + "        - { name: x-request-id" + schema
            + "        - { name: X-Forwarded-For" + schema + "        - { name: Cookie" + schema,
        "");
    INFO(wrong.out);
    CHECK(wrong.exit_code == 1);
    for (std::string const line :
         {"contract.yaml:9:11: paths[\"/a\"].get.parameters[1]: the field \"x-request-id\" of a "
          "request never reaches the upstream: the gateway writes it, or drops it; remove the "
          "parameter; where others own the document, by an overlay\n",
          "contract.yaml:10:11: paths[\"/a\"].get.parameters[2]: the field \"X-Forwarded-For\" of "
          "a request never reaches the upstream",
          "contract.yaml:11:11: paths[\"/a\"].get.parameters[3]: the API \"a\" does not forward "
          "cookies; remove the parameter, or write forward_cookies: true for the API\n"}) {
        INFO(line);
        CHECK(wrong.out.find(line) != std::string::npos);
    }
    CHECK(wrong.out.find("X-Mode") == std::string::npos);
    Run const right =
        declaring("        - { name: X-User-Id" + schema + "        - { name: Cookie" + schema,
                  ", forward_cookies: true");
    INFO(right.out);
    CHECK(right.exit_code == 0);
}

TEST_CASE("a cookie that is dropped is an error if it is required, and else a warning") {
    Folder const folder;
    auto const declaring = [&folder](std::string const& parameter, std::string const& more) {
        static_cast<void>(
            folder.write("contract.yaml", "openapi: 3.1.0\ninfo: { title: T }\npaths:\n  /a:\n"
                                          "    get:\n      operationId: a\n      parameters:\n"
                                          "        - { name: sid, in: cookie"
                                              + parameter + ", schema: { type: string } }\n"));
        return check(folder.write("c.yaml", configuration("apis: { a: { contract: contract.yaml, "
                                                          "upstream: u, authenticate: [anonymous]"
                                                          + more + " } }\n")));
    };
    std::string const place = "contract.yaml:8:11: ";
    Run const required = declaring(", required: true", "");
    INFO(required.out);
    CHECK(required.exit_code == 1);
    CHECK(required.out.find(place
                            + "paths[\"/a\"].get.parameters[0]: the API \"a\" does not forward "
                              "cookies, and this one is required; write forward_cookies: true for "
                              "the API, or remove the parameter\n")
          != std::string::npos);
    Run const optional = declaring("", "");
    INFO(optional.out);
    CHECK(optional.exit_code == 0);
    CHECK(optional.out.find(place
                            + "warning: paths[\"/a\"].get.parameters[0]: is not checked: the API "
                              "\"a\" does not forward cookies")
          != std::string::npos);
    Run const forwarded = declaring(", required: true", ", forward_cookies: true");
    INFO(forwarded.out);
    CHECK(forwarded.exit_code == 0);
    CHECK(forwarded.out.find("cookies") == std::string::npos);
}

TEST_CASE("unknown operations are forwarded only for authenticated callers") {
    Folder const folder;
    static_cast<void>(folder.write("contract.yaml",
                                   "openapi: 3.1.0\ninfo: { title: T }\n"
                                   "paths: { /a: { get: { operationId: o } } }\n"));
    Run const run =
        check(folder.write("c.yaml", configuration("apis: { a: { contract: contract.yaml, "
                                                   "upstream: u, authenticate: [anonymous], "
                                                   "unknown_operations: forward } }\n")));
    CHECK(run.exit_code == 1);
    INFO(run.out);
    CHECK(run.out.find("apis.a: unknown_operations: forward is for callers with credentials, and "
                       "this API has none; write authenticate: [basic], [jwt], "
                       "[bearer], [introspection], [api_key] or [client_certificate], or "
                       "unknown_operations: refuse\n")
          != std::string::npos);
}

TEST_CASE("an API without a contract differs from a contract's paths in more than letter case") {
    Folder const folder;
    static_cast<void>(folder.write("contract.yaml",
                                   "openapi: 3.1.0\ninfo: { title: T }\n"
                                   "paths: { /v1/a: { get: { operationId: o } } }\n"));
    auto const beside = [&folder](std::string const& paths) {
        return check(folder.write(
            "c.yaml", configuration("apis:\n  a: { contract: contract.yaml, upstream: u, "
                                    "authenticate: [anonymous] }\n  b: { paths: ["
                                    + paths + "], upstream: u, authenticate: [anonymous] }\n")));
    };
    Run const wrong = beside("\"/V1/A/\"");
    INFO(wrong.out);
    CHECK(wrong.exit_code == 1);
    CHECK(
        wrong.out.find("a request can be one of this API and of \"a\": /v1/a and /V1/A/ can match "
                       "the same path; give them different hosts")
        != std::string::npos);
    CHECK(beside("\"/v10/\"").exit_code == 0);
    CHECK(beside("\"/v1/files/\"").exit_code == 0);
}

TEST_CASE("a configuration that can be served is valid") {
    Folder const folder;
    std::string const config =
        folder.write("c.yaml", configuration("apis: { a: { paths: [\"/a/\"], upstream: u, "
                                             "authenticate: [anonymous] } }\n"));
    CHECK(check(config).exit_code == 0);
    CHECK(check(config).out == config + ": OK (1 listener, 1 upstream, 1 API)\n");
    CHECK(check(config, Format::json).out == "{\"ok\":true,\"problems\":[]}\n");
}

} // namespace check_test
