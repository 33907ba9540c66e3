// Commands that write the file of credentials, where the configuration or the file has errors: what
// is written nevertheless, and that it is said that a running gateway does not go by it.
#include "folder.h"
#include "gateway/commands/credential.h"

#include "tests/unit/support/tables.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace credential_reload_test {

using namespace sallyport;
using namespace sallyport::commands;
using sallyport::commands::test::Folder;
using sallyport::commands::test::one;
using sallyport::commands::test::Run;
using sallyport::commands::test::two;
using sallyport::test::tables;

namespace {

std::string entry(std::string const& name, std::string const& digest, std::string const& rest) {
    return "- name: " + name + "\n  bearer: { tokens: [\"" + digest + "\"] }\n  " + rest + "\n";
}

// A configuration with a contract of one operation, and what its file of credentials has.
struct Files {
    explicit Files(std::string const& credentials, std::string const& more = {},
                   std::string const& credential_keys = {})
        : path{folder.write("k.yaml", credentials)} {
        (void)folder.write("m.yaml", "openapi: 3.1.0\ninfo: { title: m, version: '1' }\npaths:\n"
                                     "  /a: { get: { operationId: read, responses: { '200': { "
                                     "description: fine } } } }\n");
        config = folder.write("c.yaml",
                              "listeners: [{ name: l, address: \"127.0.0.1:0\", tls: off }]\n"
                              "credentials: { file: k.yaml"
                                  + credential_keys
                                  + " }\nupstreams: { u: { endpoints: [\"http://a\"] } }\n"
                                    "apis:\n  m: { contract: m.yaml, upstream: u, authenticate: "
                                    "[basic, bearer] }\n"
                                  + more);
    }

    [[nodiscard]] std::string text() const {
        std::ifstream file{path, std::ios::binary};
        return {std::istreambuf_iterator<char>{file}, {}};
    }

    [[nodiscard]] Run create(std::string const& allow, Format format = Format::text) const {
        return run([&](auto& in, auto& out, auto& err) {
            CreateOptions const options{"new", "bearer", {allow}, format, config, true};
            return run_credential_create(options, tables(), in, out, err);
        });
    }
    [[nodiscard]] Run rotate(RotateOptions options, std::string const& input = {}) const {
        options.config = config;
        return run(
            [&](auto& in, auto& out, auto& err) {
                return run_credential_rotate(options, tables(), in, out, err);
            },
            input);
    }
    [[nodiscard]] Run revoke(std::string const& name, Format format = Format::text) const {
        return run([&](auto&, auto& out, auto& err) {
            return run_credential_revoke({config, name, format}, tables(), out, err);
        });
    }

    Folder folder;
    std::string path;
    std::string config;

private:
    template <class Command>
    static Run run(Command const& command, std::string const& input = {}) {
        std::istringstream in{input};
        std::ostringstream out;
        std::ostringstream err;
        int const exit_code = command(in, out, err);
        return {exit_code, out.str(), err.str()};
    }
};

bool has(std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos;
}

std::string const vain = "The file is written, but its configuration does not load, and a running "
                         "gateway does not go by it before this is mended: ";

} // namespace

TEST_CASE("an entry that names an operation which the contract does not have is not written") {
    auto const before = "credentials:\n" + entry("ci", one, "allow: all");
    Files const files{before};
    auto const refused = files.create("m/nosuch");
    CHECK(refused.exit_code == 1);
    CHECK(refused.out.empty());
    CHECK(has(refused.err, "the contract of \"m\" has no operation \"nosuch\""));
    CHECK(has(refused.err, files.path + " was not changed\n"));
    CHECK(files.text() == before);
    auto const made = files.create("m/read");
    CHECK(made.exit_code == 0);
    CHECK(made.err.empty());
    CHECK(has(made.out, ". A running gateway goes by it within a second.\n"));
    CHECK(has(files.text(), "allow: { operations: [\"m/read\"] }"));
}

TEST_CASE(
    "with a wrong operation elsewhere entries are changed, and it is said that it is in vain") {
    auto const wrong = entry("bad", two, "allow: { operations: [m/nosuch] }");
    Files const files{"credentials:\n" + wrong + entry("ci", one, "allow: all")};
    // The same mistake once more is a new one.
    CHECK(files.create("m/nosuch").exit_code == 1);
    auto const made = files.create("m/read", Format::json);
    CHECK(made.exit_code == 3);
    CHECK(has(made.out, "\"reload_problem\":\"" + files.path + ":4:"));
    auto const begun = files.rotate({.name = "ci", .writes = true});
    CHECK(begun.exit_code == 3);
    CHECK(has(begun.out, vain + files.path + ":4:"));
    auto const finished = files.rotate({.name = "ci", .finishes = true});
    CHECK(finished.exit_code == 3);
    CHECK(has(finished.out, vain));
    CHECK_FALSE(has(files.text(), one));
    auto const revoked = files.revoke("ci");
    CHECK(revoked.exit_code == 3);
    CHECK(revoked.out.starts_with("ci is disabled: " + files.path));
    CHECK(has(revoked.out, vain));
    CHECK(has(revoked.out, "nosuch"));
    CHECK(has(files.text(), "disabled: true\n  name: ci"));
    // Also the entry that has the mistake; and nothing is written twice.
    CHECK(files.revoke("bad", Format::json).exit_code == 3);
    auto const again = files.revoke("bad", Format::json);
    CHECK(again.exit_code == 3);
    CHECK(has(again.out, R"({"name":"bad","changed":false,)"));
}

TEST_CASE(
    "an entry is revoked although the configuration has errors, or another entry, or itself") {
    auto const good = "credentials:\n" + entry("ci", one, "allow: all");
    SECTION("the configuration") {
        Files const files{good, "nonsense: 1\n"};
        auto const done = files.revoke("ci");
        CHECK(done.exit_code == 3);
        CHECK(has(done.out, vain + files.config));
        CHECK(has(files.text(), "disabled: true"));
        auto const made = files.create("all");
        CHECK(made.exit_code == 1);
        CHECK(has(made.err, "nonsense"));
    }
    SECTION("another entry") {
        Files const files{good + entry("other", two, "alow: all")};
        CHECK(files.revoke("ci").exit_code == 3);
        CHECK(files.rotate({.name = "ci", .writes = true}).exit_code == 3);
        CHECK(has(files.text(), "disabled: true"));
        auto const made = files.create("all");
        CHECK(made.exit_code == 1);
        CHECK(made.out.empty());
        CHECK(has(made.err, "alow"));
    }
    SECTION("a key that another entry has twice") {
        Files const files{good + entry("other", two, "allow: all\n  allow: all")};
        CHECK(files.revoke("ci").exit_code == 3);
        CHECK(has(files.text(), "disabled: true"));
    }
    SECTION("itself") {
        Files const files{"credentials:\n- name: ci\n  allow: all\n"};
        CHECK(files.revoke("ci").exit_code == 3);
        CHECK(has(files.text(), "disabled: true"));
        auto const rotated = files.rotate({.name = "ci", .writes = true});
        CHECK(rotated.exit_code == 1);
        CHECK(has(rotated.err, "the entry of \"ci\" has errors"));
    }
    SECTION("but not in a text that is no YAML") {
        Files const files{good + "  x: [\n"};
        auto const done = files.revoke("ci");
        CHECK(done.exit_code == 1);
        CHECK(done.out.empty());
        CHECK(has(done.err, files.path));
    }
}

TEST_CASE("what stays in force of the running gateway prevents no change, and is not reported") {
    auto const good = "credentials:\n" + entry("ci", one, "allow: all");
    SECTION("a list of denied secrets") {
        Files const files{good, {}, ", denied: denied.txt"};
        (void)files.folder.write("denied.txt", "junk\n");
        CHECK(files.revoke("ci").exit_code == 0);
    }
    SECTION("a token of an upstream") {
        Files const files{good};
        std::ifstream before{files.config};
        std::string text{std::istreambuf_iterator<char>{before}, {}};
        text.replace(text.find(" } }\napis"), 3, ", credential: { token_file: gone.txt } }");
        (void)files.folder.write("c.yaml", text);
        auto const done = files.revoke("ci");
        CAPTURE(done.out, done.err);
        CHECK(done.exit_code == 0);
    }
}

TEST_CASE("the second secret of a rotation may come from standard input") {
    std::string const secret = "abcdefghijklmnopqrstuvwxyz";
    std::string const hash = "71c480df93d6ae2f1efad1447c66c9525e316218cf51fc8d9ed832f2daf18b73";
    Files const files{"credentials:\n" + entry("ci", one, "allow: all")
                      + entry("other", "sha256:" + hash, "allow: all")};
    RotateOptions options{.name = "ci", .writes = true, .reads_secret = true};
    CHECK(files.rotate(options, "short").exit_code == 1);
    // No two entries may have a token.
    auto const taken = files.rotate(options, secret + "\n");
    CHECK(taken.exit_code == 1);
    CHECK(has(taken.err, "has this token too"));
    auto const before = files.text();
    options.name = "other";
    CHECK(files.rotate(options, secret).exit_code == 1);
    CHECK(files.text() == before);
    auto const done = files.rotate(options, secret + "more");
    CHECK(done.exit_code == 0);
    CHECK_FALSE(has(done.out, secret));
    CHECK(done.out.starts_with("Both are right now: "));
    CHECK_FALSE(files.text() == before);
    options.writes = false;
    options.name = "ci";
    options.format = Format::json;
    CHECK(has(files.rotate(options, secret + "x").out, "\"secret\":null"));
}

TEST_CASE("a file that has only roles gets its first credential") {
    Files const files{"roles:\n  reader: { allow: all }\ncredentials:\n"
                      + entry("ci", one, "roles: [reader]")};
    (void)files.folder.write("k.yaml", "htpasswd: { allow: all }\n");
    (void)files.folder.write("users", "ann:{SHA}VBPuJHI7uixaa6LQGWx4s+5GKNE=\n");
    std::ifstream before{files.config};
    std::string text{std::istreambuf_iterator<char>{before}, {}};
    text.replace(text.find("k.yaml"), 6, "k.yaml, htpasswd: users");
    (void)files.folder.write("c.yaml", text);
    auto const made = files.create("m/read");
    CAPTURE(made.out, made.err);
    CHECK(made.exit_code == 0);
    CHECK(has(files.text(), "htpasswd: { allow: all }\ncredentials:\n  - name: new\n"));
}

} // namespace credential_reload_test
