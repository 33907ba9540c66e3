// The file of credentials: each refusal with its exact message, then what is read.
#include "cases.h"
#include "support.h"

#include <catch2/catch.hpp>

namespace credentials_test {

using namespace sallyport::config;
using namespace sallyport::config::test;

namespace {

std::string const hash_a = "sha256:" + std::string(64, 'a');
std::string const hash_b = "sha256:" + std::string(64, 'b');

std::string basic(std::string_view content) {
    return "credentials:\n- name: one\n  allow: all\n  basic: " + std::string{content} + "\n";
}

} // namespace

TEST_CASE("invalid credentials are refused with the exact thing to write") {
    auto const cases = read_cases("credentials.txt", "k.yaml:");
    CHECK(cases.size() > 30);
    for (auto const& [text, problems] : cases) {
        CAPTURE(text);
        CHECK(described(read_keys(text).problems) == problems);
    }
    CHECK(described(read_keys("").problems)
          == "k.yaml:1:1: warning: the file is empty; see config/examples for what to write\n");
}

TEST_CASE("a boolean may be written as yes or no, and in quotes, and in no other way") {
    auto const read = [](std::string const& disabled) {
        return read_keys("credentials:\n- name: x\n  bearer: { tokens: [\"" + hash_a
                         + "\"] }\n  allow: all\n  disabled: " + disabled + "\n");
    };
    for (auto const* const text : {"true", "yes", "\"true\"", "'yes'", "True"}) {
        CAPTURE(text);
        CHECK(described(read(text).problems).empty());
        CHECK(read(text).credentials.at(0).disabled);
    }
    for (auto const* const text : {"false", "no", "\"false\"", "'no'"}) {
        CAPTURE(text);
        CHECK(described(read(text).problems).empty());
        CHECK_FALSE(read(text).credentials.at(0).disabled);
    }
    for (auto const* const text :
         {"on", "off", "1", "0", "\"\"", "y", "\"true \"", "~", "[true]"}) {
        CAPTURE(text);
        CHECK_FALSE(described(read(text).problems).empty());
    }
}

TEST_CASE("what is empty allows nothing, and leaves no caller that could be found") {
    auto const allowed = [](std::string const& allow) {
        auto const out = read_keys("credentials:\n- name: x\n  bearer: { tokens: [\"" + hash_a
                                   + "\"] }\n  allow: " + allow + "\n");
        CHECK_FALSE(yaml::has_errors(out.problems));
        return out.credentials.at(0).allow.extent;
    };
    CHECK(allowed("{ operations: [management/a] }") == Allowed::listed);
    CHECK(allowed("{ operations: [], tags: [management/a] }") == Allowed::listed);
    CHECK(allowed("{ read_only: true }") == Allowed::listed);
    for (auto const* const nothing :
         {"{}", "{ operations: [] }", "{ apis: [], tags: [] }", "{ methods: [] }",
          "{ operations: [management/a], methods: [] }", "{ id: [] }", "{ apis: }",
          "{ apis: [management], id: [] }"}) {
        CAPTURE(nothing);
        CHECK(allowed(nothing) == Allowed::nothing);
    }
    auto const without = read_keys("credentials:\n- name: x\n  allow: all\n"
                                   "  basic: { key_id: a, secrets: [] }\n");
    CHECK_FALSE(yaml::has_errors(without.problems));
    CHECK(without.credentials.at(0).usable_identities().empty());
}

TEST_CASE("hashes of passwords are read beside a key id") {
    std::string const bcrypt = "$2b$10$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e";
    std::string const argon2id =
        "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";
    auto const out =
        read_keys(basic("{ key_id: a, secrets: ['" + bcrypt + "', \"" + argon2id + "\"] }"));
    CHECK(described(out.problems).empty());
    REQUIRE(out.credentials.size() == 1);
    auto const& hashes = out.credentials[0].identity().secrets;
    REQUIRE(hashes.size() == 2);
    CHECK(hashes[0].text() == bcrypt);
    CHECK(hashes[1].text() == argon2id);
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

TEST_CASE("credentials of a configuration whose APIs could not be read may name any API") {
    auto const document =
        yaml::load_text("credentials:\n"
                        "- name: a\n"
                        "  bearer: { tokens: [\"sha256:"
                            + std::string(64, 'a')
                            + "\"] }\n"
                              "  allow: { operations: [management/getService], apis: [files] }\n",
                        "credentials.yaml");
    CHECK(read_credentials(document, "", {}, tables(), system_resolver()).problems.empty());
    CHECK(
        read_credentials(document, "", {"management"}, tables(), system_resolver()).problems.size()
        == 1);
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

TEST_CASE("roles and rules of credentials are read, with labels as values") {
    auto const out = read_keys("roles:\n"
                               "  owner:\n"
                               "    allow: { tags: [files/A b], id: \"${label:org}\" }\n"
                               "    deny: [ { methods: [DELETE] } ]\n"
                               "credentials:\n"
                               "- name: one\n"
                               "  bearer: { tokens: [\""
                                   + hash_a
                                   + "\"] }\n"
                                     "  labels: { org: a }\n"
                                     "  allow: { read_only: true, id: [\"${env:ID}\", "
                                     "\"${label:org}\", \"$${label:org}\"] }\n"
                                     "  deny: [ { apis: [files] }, { id: [b] } ]\n"
                                     "  roles: [owner]\n",
                               World{{{"ID", "${label:org}"}}, {}});
    REQUIRE(described(out.problems).empty());
    auto const& one = out.credentials.at(0);
    CHECK(one.allow.read_only);
    CHECK(one.allow.origin.path.text() == "credentials[0].allow");
    // What a reference stands for is a text.
    CHECK(one.allow.parameters.at(0).values
          == std::vector<std::string>{"${label:org}", "${label:org}"});
    CHECK(one.allow.parameters.at(0).labels == std::vector<std::string>{"org"});
    REQUIRE(one.deny.size() == 2);
    CHECK(one.deny[1].origin.path.text() == "credentials[0].deny[1]");
    CHECK(one.deny[1].parameters.at(0).values == std::vector<std::string>{"b"});
    auto const& role = *one.roles.at(0).role;
    CHECK(role.name == "owner");
    CHECK(role.allow.tags.at(0).tag == "A b");
    CHECK(role.allow.parameters.at(0).labels == std::vector<std::string>{"org"});
    CHECK(role.deny.at(0).methods == std::vector<std::string>{"DELETE"});
}

TEST_CASE("a credential without `allow` is allowed nothing of its own") {
    auto const out = read_keys("roles: { r: { allow: all } }\ncredentials:\n- name: one\n"
                               "  bearer: { tokens: [\""
                               + hash_a + "\"] }\n  roles: [r]\n");
    REQUIRE(described(out.problems).empty());
    CHECK(out.credentials.at(0).allow.extent == Allowed::nothing);
}

TEST_CASE("a credential that could never be valid is refused") {
    auto const with = [](std::string const& times) {
        return described(read_keys("credentials:\n"
                                   "- name: x\n"
                                   "  bearer: { tokens: [\""
                                   + hash_a + "\"] }\n  allow: all\n" + times)
                             .problems);
    };
    CHECK(with("  not_before: 2027-06-30T00:00:00Z\n  expires: 2027-06-30T00:00:01Z\n").empty());
    CHECK(with("  not_before: 2027-06-30T00:00:00Z\n  expires: 2027-06-30T00:00:00Z\n")
          == "k.yaml:5:15: credentials[0].not_before: is not before `expires`: the "
             "credential would never be valid; write an earlier one\n");
    CHECK(with("  not_before: tomorrow\n")
          == "k.yaml:5:15: credentials[0].not_before: \"tomorrow\" is not a point in "
             "time; write it as RFC 3339 has it: 2027-06-30T00:00:00Z\n");
    CHECK(with("  disabled: yes please\n")
          == "k.yaml:5:13: credentials[0].disabled: \"yes please\" is neither true nor false; "
             "write true or false\n");
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
              "    not_before: 2026-06-30T00:00:00+02:00\n"
              "    expires: 2027-06-30T00:00:00Z\n"
              "    disabled: true\n"
              "  - name: grafana\n"
              "    bearer: { tokens: [\""
            + hash_a + "\"] }\n    allow: all\n",
        World{{{"KEY", "9fK2"}}, {}});
    REQUIRE(described(out.problems).empty());
    REQUIRE(out.credentials.size() == 2);

    auto const& first = out.credentials[0];
    CHECK(first.name == "terraform-ci");
    auto const& identity = first.identity();
    CHECK(identity.authenticator->name == "basic");
    CHECK(identity.keys == std::vector<std::string>{"9fK2"});
    CHECK(identity.key_id == "9fK2");
    REQUIRE(identity.secrets.size() == 2);
    CHECK(identity.secrets[0].sha256()->at(0) == 0x00);
    CHECK(identity.secrets[0].sha256()->at(1) == 0xff);
    CHECK(identity.secrets[0].sha256()->at(2) == 0x11);
    CHECK(identity.secrets[1].sha256()->at(31) == 0xbb);
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
    CHECK(first.allow.operations[1].origin.path.text() == "credentials[0].allow.operations[1]");
    CHECK(first.allow.apis.at(0).api == "files");
    CHECK(first.allow.parameters.at(0).name == "organizationId");
    CHECK(first.allow.parameters.at(0).values.at(0) == "5f0c");
    using namespace std::chrono;
    CHECK(first.not_before == sys_days{year{2026} / 6 / 29} + hours{22});
    CHECK(first.disabled);
    REQUIRE(first.expires.has_value());
    CHECK(*first.expires == std::chrono::sys_days{std::chrono::year{2027} / 6 / 30});

    auto const& second = out.credentials[1];
    CHECK(second.identity().authenticator->name == "bearer");
    CHECK(second.identity().keys == std::vector<std::string>{std::string(32, '\xaa')});
    CHECK(second.identity().secrets.size() == 1);
    CHECK(second.identity().key_id.empty());
    CHECK(second.allow.extent == Allowed::all);
    CHECK_FALSE(second.not_before.has_value());
    CHECK_FALSE(second.expires.has_value());
    CHECK_FALSE(second.disabled);
    CHECK(second.labels.empty());
}

} // namespace credentials_test
