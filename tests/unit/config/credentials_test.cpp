// The file of credentials: each refusal with its exact message, then what is read.
#include "support.h"

#include <catch2/catch.hpp>

using namespace sallyport::config;
using namespace sallyport::config::test;

namespace {

std::string const hash_a = "sha256:" + std::string(64, 'a');
std::string const hash_b = "sha256:" + std::string(64, 'b');
std::string const hash_c = "sha256:" + std::string(64, 'c');

// One credential whose identity and permissions are good, and `more`.
std::string credential(std::string_view more) {
    return "credentials:\n- name: one\n  bearer: { tokens: [\"" + hash_a + "\"] }\n"
           + std::string{more};
}

std::string basic(std::string_view content) {
    return "credentials:\n- name: one\n  allow: all\n  basic: " + std::string{content} + "\n";
}

constexpr std::string_view how_to_hash =
    "write \"sha256:...\" as `sallyport credential hash` prints it\n";

} // namespace

TEST_CASE("credentials that are not right are refused with the exact thing to write") {
    struct Case {
        std::string text;
        std::string problems;
    };
    std::string const hint{how_to_hash};
    Case const cases[] = {
        {"", "k.yaml:1:1: the file is empty; see config/examples for what to write\n"},
        {"[]", "k.yaml:1:1: must be a mapping, not a list; write some of credentials\n"},
        {"{}", "k.yaml:1:1: credentials: is missing; write credentials: [{ name: NAME, basic: { "
               "... }, allow: all }]\n"},
        {"credentials: []", "k.yaml:1:14: credentials: is empty; write at least one\n"},
        {"credentials: { a: b }",
         "k.yaml:1:14: credentials: must be a list, not a mapping; put it in brackets: [...]\n"},
        {"credentials:\n- name: one\n  allow: all\n",
         "k.yaml:2:3: credentials[0]: neither basic nor bearer; write one of them\n"},
        {credential("  basic: { key_id: a, secrets: [\"" + hash_b + "\"] }\n  allow: all\n"),
         "k.yaml:2:3: credentials[0]: both basic and bearer; write one of them\n"},
        {credential(""), "k.yaml:2:3: credentials[0].allow: is missing; write allow: all, or "
                         "allow: { operations: [...] }\n"},
        {credential("  alow: all\n"),
         "k.yaml:2:3: credentials[0].allow: is missing; write allow: all, or allow: { operations: "
         "[...] }\n"
         "k.yaml:4:3: credentials[0].alow: unknown key; did you mean \"allow\"?\n"},
        {credential("  allow: everything\n"),
         "k.yaml:4:10: credentials[0].allow: must be all or a mapping; write allow: all, or allow: "
         "{ operations: [...] }\n"},
        {credential("  allow: {}\n"), "k.yaml:4:10: credentials[0].allow: is empty: it would allow "
                                      "nothing; write allow: all, or "
                                      "allow: { operations: [...] }\n"},
        {credential("  allow: { operations: [] }\n"),
         "k.yaml:4:24: credentials[0].allow.operations: is empty; write at least one\n"},
        {credential("  allow: { organizationId: [] }\n"),
         "k.yaml:4:28: credentials[0].allow.organizationId: is empty; write at least one\n"},
        {credential("  allow: { organizationId: x }\n"),
         "k.yaml:4:28: credentials[0].allow.organizationId: must be a list of the values that are "
         "allowed, not a string; write organizationId: [...]\n"},
        {credential("  allow: { operation: [x] }\n"),
         "k.yaml:4:23: warning: credentials[0].allow.operation: taken for a parameter of the "
         "contract; did you mean \"operations\"?\n"},
        {credential("  allow: { operations: [getPipe] }\n"),
         "k.yaml:4:25: credentials[0].allow.operations[0]: \"getPipe\" is not an operation; write "
         "API/operationId, or API/* for all of them\n"},
        {credential("  allow: { operations: [managment/getPipe] }\n"),
         "k.yaml:4:25: credentials[0].allow.operations[0]: no API is called \"managment\"; did you "
         "mean \"management\"?\n"},
        {credential("  allow: { operations: [\"management/get*\"] }\n"),
         "k.yaml:4:25: credentials[0].allow.operations[0]: '*' stands for all operations of an "
         "API, "
         "not for a part of a name; write API/* or whole operationIds\n"},
        {credential("  allow: { apis: [file] }\n"),
         "k.yaml:4:19: credentials[0].allow.apis[0]: no API is called \"file\"; did you mean "
         "\"files\"?\n"},
        {credential("  allow: all\n  expires: 2027-06-30\n"),
         "k.yaml:5:12: credentials[0].expires: \"2027-06-30\" is not a point in time; write it as "
         "RFC 3339 has it: 2027-06-30T00:00:00Z\n"},
        {credential("  allow: all\n  labels: { tier: [a, b] }\n"),
         "k.yaml:5:19: credentials[0].labels.tier: must be a text, a number, true or false, not a "
         "list; write one value\n"},
        {credential("  allow: all\n- name: one\n  bearer: { tokens: [\"" + hash_b
                    + "\"] }\n  allow: all\n"),
         "k.yaml:5:9: credentials[1].name: the name \"one\" is given twice; choose another\n"},
        {credential("  allow: all\n- name: two\n  bearer: { tokens: [\"" + hash_a
                    + "\"] }\n  allow: all\n"),
         "k.yaml:6:21: credentials[1].bearer.tokens: the credential \"one\" has this token too; "
         "make another token\n"},
        {basic("{ key_id: \"a:b\", secrets: [\"" + hash_a + "\"] }"),
         "k.yaml:4:20: credentials[0].basic.key_id: holds a colon, which ends a key id (RFC 7617); "
         "choose one without\n"},
        {basic("{ key_id: \"a\\nb\", secrets: [\"" + hash_a + "\"] }"),
         "k.yaml:4:20: credentials[0].basic.key_id: holds a control character; remove it\n"},
        {basic("{ key_id: \"\", secrets: [\"" + hash_a + "\"] }"),
         "k.yaml:4:20: credentials[0].basic.key_id: is empty; write a text\n"},
        {basic("{ key_id: 12, secrets: [\"" + hash_a + "\"] }"),
         "k.yaml:4:20: credentials[0].basic.key_id: must be a string, not an integer; put it in "
         "quotes\n"},
        {basic("{ key_id: a }"), "k.yaml:4:10: credentials[0].basic.secrets: is missing; write "
                                 "secrets: [\"sha256:...\"]\n"},
        {basic("{ key_id: a, secret: x, secrets: [\"" + hash_a + "\"] }"),
         "k.yaml:4:23: credentials[0].basic.secret: unknown key; did you mean \"secrets\"?\n"},
        {basic("{ key_id: a, secrets: [] }"),
         "k.yaml:4:32: credentials[0].basic.secrets: is empty; write at least one\n"},
        {basic("{ key_id: a, secrets: [\"hunter2-hunter2\"] }"),
         "k.yaml:4:33: credentials[0].basic.secrets[0]: not a hash: a secret never stands here "
         "itself; "
             + hint},
        {basic("{ key_id: a, secrets: [\"sha256:" + std::string(64, 'A') + "\"] }"),
         "k.yaml:4:33: credentials[0].basic.secrets[0]: sha256: must be followed by 64 lower-case "
         "hexadecimal digits; "
             + hint},
        {basic("{ key_id: a, secrets: [\"sha256:" + std::string(63, 'a') + "\"] }"),
         "k.yaml:4:33: credentials[0].basic.secrets[0]: sha256: must be followed by 64 lower-case "
         "hexadecimal digits; "
             + hint},
        {basic("{ key_id: a, secrets: [\"" + hash_a + "\", \"" + hash_a + "\"] }"),
         "k.yaml:4:108: credentials[0].basic.secrets[1]: the same hash is given twice; remove "
         "one\n"},
        {basic("{ key_id: a, secrets: [\"" + hash_a + "\", \"" + hash_b + "\", \"" + hash_c
               + "\"] }"),
         "k.yaml:4:32: credentials[0].basic.secrets: more than two at a time; keep the one in use, "
         "and one that replaces it\n"},
    };
    for (auto const& [text, problems] : cases) {
        CAPTURE(text);
        CHECK(described(read_keys(text).problems) == problems);
    }
}

TEST_CASE("slow password hashes say that they are not built yet") {
    for (std::string_view const hash :
         {"$argon2id$v=19$x", "$2b$12$x", "$2y$12$x", "$y$j9T$x", "$6$x"}) {
        auto const out = read_keys(basic("{ key_id: a, secrets: ['" + std::string{hash} + "'] }"));
        REQUIRE(out.problems.size() == 1);
        CHECK(out.problems[0].what == "slow password hashes are not built yet");
    }
}

TEST_CASE("no message repeats what stands in the place of a hash") {
    for (std::string_view const secret : {"hunter2", "sha256:hunter2", "sha1:hunter2", "$6$hunter2",
                                          "hunter2\\n", "${env:HUNTER2}"}) {
        auto const out =
            read_keys(basic("{ key_id: a, secrets: [\"" + std::string{secret} + "\"] }"),
                      World{{{"HUNTER2", "hunter2"}}, {}});
        std::string const text = described(out.problems);
        CAPTURE(text);
        CHECK(out.problems.size() == 1);
        CHECK(text.find("hunter2") == std::string::npos);
    }
}

TEST_CASE("a key id that two credentials have is refused") {
    auto const out = read_keys("credentials:\n"
                               "- { name: a, allow: all, basic: { key_id: k, secrets: [\""
                               + hash_a
                               + "\"] } }\n"
                                 "- { name: b, allow: all, basic: { key_id: k, secrets: [\""
                               + hash_b + "\"] } }\n");
    CHECK(described(out.problems)
          == "k.yaml:3:43: credentials[1].basic.key_id: the key id \"k\" is that of the credential "
             "\"a\" too; "
             "choose another, or merge them: two secrets may stand in one\n");
}

TEST_CASE("all problems of a file of credentials are reported at once, by place") {
    auto const out = read_keys("credentials:\n"
                               "- basic: { key_id: \"a:b\", secrets: [plain] }\n"
                               "- name: x\n"
                               "  expires: never\n"
                               "credential: []\n");
    CHECK(out.problems.size() == 8);
    CHECK(out.has_errors());
    for (std::size_t i = 1; i < out.problems.size(); ++i) {
        CHECK(out.problems[i - 1].where.line <= out.problems[i].where.line);
    }
}

TEST_CASE("credentials are read with digests, labels, permissions and expiry") {
    auto const out = read_keys(
        "credentials:\n"
        "  - name: terraform-ci\n"
        "    basic: { key_id: \"${env:KEY}\", secrets: [\"sha256:00ff"
            + std::string(60, '1') + "\", \"" + hash_b
            + "\"] }\n"
              "    labels: { organization_tier: ENTERPRISE, paid: true, seats: 5, rate: 1.5, text: "
              "'5' }\n"
              "    allow: { operations: [\"management/*\", management/getPipe], apis: [files], "
              "organizationId: [\"5f0c\"] }\n"
              "    expires: 2027-06-30T00:00:00Z\n"
              "  - name: grafana\n"
              "    bearer: { tokens: [\""
            + hash_a + "\"] }\n    allow: all\n",
        World{{{"KEY", "9fK2"}}, {}});
    REQUIRE(described(out.problems).empty());
    REQUIRE(out.credentials.size() == 2);

    auto const& first = out.credentials[0];
    CHECK(first.name == "terraform-ci");
    auto const& identity = std::get<BasicIdentity>(first.identity);
    CHECK(identity.key_id == "9fK2");
    REQUIRE(identity.secrets.size() == 2);
    CHECK(identity.secrets[0][0] == 0x00);
    CHECK(identity.secrets[0][1] == 0xff);
    CHECK(identity.secrets[0][2] == 0x11);
    CHECK(identity.secrets[1][31] == 0xbb);
    REQUIRE(first.labels.size() == 5);
    CHECK(first.labels[0].name == "organization_tier");
    CHECK(std::get<std::string>(first.labels[0].value) == "ENTERPRISE");
    CHECK(std::get<bool>(first.labels[1].value));
    CHECK(std::get<std::int64_t>(first.labels[2].value) == 5);
    CHECK(std::get<double>(first.labels[3].value) == 1.5);
    CHECK(std::get<std::string>(first.labels[4].value) == "5");
    CHECK(first.allow.extent == Allowed::listed);
    REQUIRE(first.allow.operations.size() == 2);
    CHECK(first.allow.operations[0].api == "management");
    CHECK(first.allow.operations[0].operation.empty());
    CHECK(first.allow.operations[1].operation == "getPipe");
    CHECK(first.allow.operations[1].origin.path == "credentials[0].allow.operations[1]");
    CHECK(first.allow.apis.at(0).api == "files");
    CHECK(first.allow.parameters.at(0).name == "organizationId");
    CHECK(first.allow.parameters.at(0).values.at(0) == "5f0c");
    REQUIRE(first.expires.has_value());
    CHECK(*first.expires == std::chrono::sys_days{std::chrono::year{2027} / 6 / 30});

    auto const& second = out.credentials[1];
    CHECK(std::get<BearerIdentity>(second.identity).tokens.size() == 1);
    CHECK(second.allow.extent == Allowed::all);
    CHECK_FALSE(second.expires.has_value());
    CHECK(second.labels.empty());
}
