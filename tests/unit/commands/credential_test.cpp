// Secrets that are made, hashed and listed: which are refused, what is printed, and what never is.
#include "folder.h"
#include "gateway/commands/credential.h"

#include "config/load.h"
#include "tests/unit/support/tables.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

namespace credential_test {

using namespace sallyport;
using namespace sallyport::commands;
using sallyport::commands::test::Folder;
using sallyport::commands::test::Run;
using sallyport::test::tables;

namespace {

Run create(CreateOptions const& options, std::string const& input = {}) {
    std::istringstream in{input};
    std::ostringstream out;
    std::ostringstream err;
    int const exit_code = run_credential_create(options, tables(), in, out, err);
    return {exit_code, out.str(), err.str()};
}

Run hash(std::string const& input, Format format = Format::text,
         std::string const& kind = "sha256") {
    std::istringstream in{input};
    std::ostringstream out;
    std::ostringstream err;
    int const exit_code = run_credential_hash({kind, format}, in, out, err);
    return {exit_code, out.str(), err.str()};
}

// The text after `word` up to the end of its line.
std::string after(std::string const& text, std::string const& word) {
    std::size_t const at = text.find(word);
    if (at == std::string::npos) return {};
    std::size_t const begin = at + word.size();
    return text.substr(begin, text.find('\n', begin) - begin);
}

constexpr std::string_view abc = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view abc_hash =
    "sha256:71c480df93d6ae2f1efad1447c66c9525e316218cf51fc8d9ed832f2daf18b73";

} // namespace

TEST_CASE("a secret that a fast hash does not protect is not hashed") {
    for (std::string const& text :
         {std::string{}, std::string{"\n"}, std::string{"short"}, std::string(21, 'x'),
          std::string(21, 'x') + "\n", std::string(4097, 'x'), std::string{abc} + "\n\n",
          std::string{abc} + "\t", std::string{abc} + "\nsecond line"}) {
        CAPTURE(text);
        Run const run = hash(text);
        CHECK(run.exit_code == 1);
        CHECK(run.out.empty());
        CHECK_FALSE(run.err.empty());
        CHECK(run.err.find(abc) == std::string::npos);
    }
}

TEST_CASE("a password that a slow hash does not protect, or cuts off, is not hashed") {
    for (std::string const kind : {"argon2id", "bcrypt", "yescrypt", "sha512"}) {
        CAPTURE(kind);
        for (std::string const& text :
             {std::string{}, std::string{"seven.."}, std::string{"eight...\t"},
              std::string{"eight...\xff"}, std::string{"eight...\0", 9}, std::string(4097, 'x')}) {
            Run const run = hash(text, Format::text, kind);
            CHECK(run.exit_code == 1);
            CHECK(run.out.empty());
            CHECK_FALSE(run.err.empty());
        }
        Run const run = hash("eight...\n", Format::text, kind);
        CHECK(run.exit_code == 0);
        CHECK(run.out.starts_with("$"));
        CHECK(run.err.empty());
    }
    CHECK(hash(std::string(72, 'x'), Format::text, "bcrypt").exit_code == 0);
    CHECK(hash(std::string(73, 'x'), Format::text, "bcrypt").err
          == "the secret is longer than 72 bytes\n");
    CHECK(hash(std::string{abc}, Format::text, "md5").exit_code == 2);
}

TEST_CASE("the hash does not include the line end behind the secret") {
    for (char const* const end : {"", "\n", "\r\n"}) {
        Run const run = hash(std::string{abc} + end);
        CHECK(run.exit_code == 0);
        CHECK(run.out == std::string{abc_hash} + '\n');
        CHECK(run.err.empty());
    }
    CHECK(hash(std::string{abc}, Format::json).out
          == "{\"hash\":\"" + std::string{abc_hash} + "\"}\n");
    CHECK(hash(std::string(22, 'x')).exit_code == 0);
    CHECK(hash(std::string(4096, 'x')).exit_code == 0);
}

TEST_CASE("a name that the file of credentials would refuse is refused before a secret is made") {
    for (char const* const name : {"", "a b", "-a", "a\nb", "a: b"}) {
        Run const run = create({name, "basic", {}, Format::text});
        CHECK(run.exit_code == 2);
        CHECK(run.out.empty());
    }
    CHECK(create({std::string(65, 'a'), "basic", {}, Format::text}).exit_code == 2);
}

TEST_CASE("a new secret is long, of letters and digits, and never the same") {
    Run const first = create({"ci", "basic", {"all"}, Format::text});
    Run const second = create({"ci", "basic", {"all"}, Format::text});
    REQUIRE(first.exit_code == 0);
    std::string const secret = after(first.out, "secret: ");
    CHECK(secret.size() == 43);
    CHECK(
        std::all_of(secret.begin(), secret.end(), [](unsigned char c) { return std::isalnum(c); }));
    CHECK(after(first.out, "key id: ").size() == 20);
    CHECK(secret != after(second.out, "secret: "));
    CHECK(after(first.out, "key id: ") != after(second.out, "key id: "));
}

TEST_CASE("the printed entry loads, and its hash is that of the printed secret") {
    for (std::string const kind : {"basic", "bearer"}) {
        Run const run = create({"ci", kind, {"management/*", "files/get"}, Format::text});
        std::string const secret = after(run.out, kind == "basic" ? "secret: " : "token: ");
        std::string const digest = hash(secret).out;
        CHECK(run.out.find(digest.substr(0, digest.size() - 1)) != std::string::npos);

        std::string const entry = "credentials:\n" + run.out.substr(run.out.find("  - name:"));
        auto const read =
            config::read_credentials(config::yaml::load_text(entry, "k.yaml"), {},
                                     {"management", "files"}, tables(), config::system_resolver());
        CHECK(read.problems.empty());
        REQUIRE(read.credentials.size() == 1);
        CHECK(read.credentials[0].name == "ci");
        CHECK(read.credentials[0].allow.operations.size() == 2);
        CHECK(read.credentials[0].identity().authenticator->name == kind);
    }
}

TEST_CASE("an entry without permissions does not load until they are set") {
    Run const run = create({"ci", "basic", {}, Format::text});
    std::string const entry = "credentials:\n" + run.out.substr(run.out.find("  - name:"));
    auto const read = config::read_credentials(config::yaml::load_text(entry, "k.yaml"), {}, {},
                                               tables(), config::system_resolver());
    REQUIRE(read.problems.size() == 1);
    CHECK(read.problems[0].path == "credentials[0].allow");
}

TEST_CASE("a new credential can be printed as JSON") {
    Run const run = create({"ci", "bearer", {}, Format::json});
    CHECK(run.out.rfind(R"({"name":"ci","kind":"bearer","key_id":null,"secret":")", 0) == 0);
    CHECK(run.out.find(R"("hash":"sha256:)") != std::string::npos);
}

TEST_CASE("the list shows callers, permissions and expiry, and no hash") {
    Folder const folder;
    std::string const digest(64, 'a');
    (void)folder.write("k.yaml",
                       "roles: { r: { allow: all } }\n"
                       "credentials:\n"
                       "- { name: old, basic: { key_id: id-1, secrets: [\"sha256:"
                           + digest
                           + "\"] }, allow: all, expires: 2001-01-01T00:00:00Z }\n"
                             "- { name: new, bearer: { tokens: [\"sha256:"
                           + digest
                           + "\"] }, allow: { operations: [f/get, f/*], apis: [f], tags: [f/t], "
                             "methods: [GET], read_only: true, id: [x, \"${label:l}\"] }, "
                             "labels: { l: a }, "
                             "deny: [ { apis: [f], methods: [PUT] }, { id: [y] } ], roles: [r], "
                             "not_before: 2099-01-01T00:00:00Z, "
                             "expires: 2100-01-01T00:00:00Z, disabled: true }\n");
    std::string const config = folder.write(
        "c.yaml",
        "listeners: [{ name: l, address: \"127.0.0.1:0\", tls: off }]\n"
        "credentials: { file: k.yaml }\n"
        "upstreams: { u: { endpoints: [\"http://a\"] } }\n"
        "apis: { f: { paths: [\"/f/\"], upstream: u, authenticate: [basic, bearer] } }\n");
    std::ostringstream out;
    std::ostringstream err;
    REQUIRE(run_credential_list({config, Format::text, false, {}}, tables(), out, err) == 0);
    CHECK(out.str()
          == "old\n  basic, key id id-1\n  may: all\n  EXPIRED 2001-01-01T00:00:00Z\n"
             "new\n  bearer\n  may: f/get f/* f tag:f/t method:GET read_only id=x id=${label:l}\n"
             "  roles: r\n  may not: f method:PUT\n  may not: id=y\n  DISABLED\n"
             "  NOT VALID before 2099-01-01T00:00:00Z\n  expires 2100-01-01T00:00:00Z\n");
    std::ostringstream json;
    REQUIRE(run_credential_list({config, Format::json, false, {}}, tables(), json, err) == 0);
    CHECK(
        json.str()
        == R"({"credentials":[{"name":"old","kind":"basic","kinds":["basic"],"key_id":"id-1","allow":["all"],)"
           R"("deny":[],"roles":[],"not_before":null,)"
           R"("expires":"2001-01-01T00:00:00Z","expired":true,)"
           R"("disabled":false,"last_use":null},{"name":"new","kind":"bearer",)"
           R"("kinds":["bearer"],"key_id":null,"allow":["f/get","f/*","f","tag:f/t","method:GET","read_only",)"
           R"("id=x","id=${label:l}"],"deny":[["f","method:PUT"],["id=y"]],"roles":["r"],)"
           R"("not_before":"2099-01-01T00:00:00Z","expires":"2100-01-01T00:00:00Z",)"
           R"("expired":false,"disabled":true,"last_use":null}]})"
           "\n");
    CHECK(err.str().empty());
}

TEST_CASE("nothing is listed from files with errors") {
    Folder const folder;
    std::string const config = folder.write("c.yaml", "listeners: []\n");
    std::ostringstream out;
    std::ostringstream err;
    CHECK(run_credential_list({config, Format::text, false, {}}, tables(), out, err) == 1);
    CHECK(out.str().empty());
    CHECK(err.str().find("listeners: is empty") != std::string::npos);
    CHECK(run_credential_list({"/nonexistent.yaml", Format::text, false, {}}, tables(), out, err)
          == 1);
}

} // namespace credential_test
