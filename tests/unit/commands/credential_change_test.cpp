// Changes of the file of credentials by commands: what is changed, and that nothing else is.
#include "folder.h"
#include "gateway/commands/credential.h"
#include "gateway/commands/credentials_text.h"
#include "gateway/commands/replace_file.h"

#include "tests/unit/support/tables.h"

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace credential_change_test {

using namespace sallyport;
using namespace sallyport::commands;
using sallyport::commands::test::config_text;
using sallyport::commands::test::Folder;
using sallyport::commands::test::one;
using sallyport::commands::test::read;
using sallyport::commands::test::Run;
using sallyport::commands::test::two;
using sallyport::test::tables;

namespace {

// A configuration with a file of credentials.
struct Files {
    explicit Files(std::string_view text, std::string_view more = {})
        : credentials{folder.write("k.yaml", text)}, config{folder.write(
                                                         "c.yaml",
                                                         config_text("basic, bearer", more))} {}

    Folder folder;
    std::string credentials;
    std::string config;
};

template <class Command, class Options>
Run run(Command const& command, Options const& options) {
    std::ostringstream out;
    std::ostringstream err;
    int const exit_code = command(options, tables(), out, err);
    return {exit_code, out.str(), err.str()};
}

int rotate(RotateOptions const& options, config::Tables const& with, std::ostream& out,
           std::ostream& err) {
    std::istringstream in;
    return run_credential_rotate(options, with, in, out, err);
}

Run create(CreateOptions const& options, std::string const& input = {}) {
    std::istringstream in{input};
    std::ostringstream out;
    std::ostringstream err;
    int const exit_code = run_credential_create(options, tables(), in, out, err);
    return {exit_code, out.str(), err.str()};
}

// The text between two others.
std::string between(std::string const& text, std::string const& before, std::string const& after) {
    auto const begin = text.find(before);
    if (begin == std::string::npos) return {};
    auto const from = begin + before.size();
    return text.substr(from, text.find(after, from) - from);
}

std::string const written = "# The callers.\n"
                            "credentials:\n"
                            "  # The pipeline \xC3\xA9.\n"
                            "  - name: ci # the first\n"
                            "    basic: { key_id: \"k\", secrets: [\""
                            + one
                            + "\"] } # one\n"
                              "    allow: all\n"
                              "  - { name: web, labels: { team: \"\xC3\xA9\" }, "
                              "bearer: { tokens: ['"
                            + two
                            + "'] }, allow: all }\n"
                              "# The end.\n";

} // namespace

TEST_CASE("a credential is revoked at its place, and its comments stay") {
    Files const files{written};
    auto const first = run(run_credential_revoke, RevokeOptions{files.config, "ci"});
    CHECK(first.exit_code == 0);
    CHECK(first.err.empty());
    CHECK(first.out
          == "ci is disabled: " + files.credentials
                 + ":4. A running gateway goes by it within a second.\n");
    auto expected = written;
    expected.replace(expected.find("name: ci"), 0, "disabled: true\n    ");
    CHECK(read(files.credentials) == expected);
    auto const second =
        run(run_credential_revoke, RevokeOptions{files.config, "web", Format::json});
    CHECK(second.out
          == R"({"name":"web","changed":true,"file":")" + files.credentials
                 + "\",\"line\":8,\"reload_problem\":null}\n");
    expected.replace(expected.find(" name: web"), 0, " \"disabled\": true,");
    CHECK(read(files.credentials) == expected);
    auto const again = run(run_credential_revoke, RevokeOptions{files.config, "ci"});
    CHECK(again.exit_code == 0);
    CHECK(again.out == "ci is disabled already: " + files.credentials + ":4\n");
    CHECK(read(files.credentials) == expected);
}

TEST_CASE("a credential that is explicitly enabled is revoked") {
    Files const files{"credentials:\n- name: ci\n  disabled: false # never\n  bearer:\n"
                      "    tokens:\n    - "
                          + one + "\n  allow: all\n",
                      "reload: on_signal\n"};
    auto const done = run(run_credential_revoke, RevokeOptions{files.config, "ci"});
    CHECK(done.out.find("after `sallyport reload`") != std::string::npos);
    CHECK(read(files.credentials).find("disabled: true # never\n") != std::string::npos);
}

TEST_CASE("a credential without an entry is not revoked, and another one is suggested") {
    Files const files{written};
    auto const done = run(run_credential_revoke, RevokeOptions{files.config, "wep"});
    CHECK(done.exit_code == 1);
    CHECK(done.out.empty());
    CHECK(done.err == "no credential is called \"wep\"; did you mean \"web\"?\n");
    CHECK(read(files.credentials) == written);
}

TEST_CASE("a rotation is written: both secrets, then the new one alone") {
    for (std::string const name : {"ci", "web"}) {
        Files const files{written};
        auto const begun =
            run(rotate, RotateOptions{files.config, name, Format::json, true, false});
        REQUIRE(begun.exit_code == 0);
        auto const hashes = between(begun.out, "\"hashes\":[\"", "\"]");
        auto const fresh = hashes.substr(hashes.size() - one.size());
        auto const old = name == "ci" ? '"' + one + '"' : '\'' + two + '\'';
        auto expected = written;
        expected.replace(expected.find(old) + old.size(), 0, ", \"" + fresh + '"');
        CHECK(read(files.credentials) == expected);
        CHECK(run(rotate, RotateOptions{files.config, name, Format::text, true, false}).exit_code
              == 1);
        auto const finished =
            run(rotate, RotateOptions{files.config, name, Format::json, false, true});
        REQUIRE(finished.exit_code == 0);
        CHECK(between(finished.out, "\"removed\":\"", "\"") == (name == "ci" ? one : two));
        expected.replace(expected.find(old), old.size() + 2, "");
        CHECK(read(files.credentials) == expected);
        auto const again =
            run(rotate, RotateOptions{files.config, name, Format::text, false, true});
        CHECK(again.exit_code == 1);
        CHECK(again.err == "the credential has one secret: no rotation is under way\n");
    }
}

TEST_CASE("a rotation is written into a list with an item a line") {
    Files const files{"credentials:\n- name: ci\n  bearer:\n    tokens:\n    - " + one
                      + " # May\n  allow: all\n"};
    auto const begun = run(rotate, RotateOptions{files.config, "ci", Format::text, true, false});
    REQUIRE(begun.exit_code == 0);
    CHECK(begun.out.find("token: ") == 0);
    auto const text = read(files.credentials);
    CHECK(text.find("    - " + one + " # May\n    - \"sha256:") != std::string::npos);
    CHECK(text.ends_with("\"\n  allow: all\n"));
    auto const finished = run(rotate, RotateOptions{files.config, "ci", Format::text, false, true});
    REQUIRE(finished.exit_code == 0);
    CHECK(finished.out.find("The older token of ci is wrong from now on: ") == 0);
    CHECK(read(files.credentials).find("    tokens:\n    - \"sha256:") != std::string::npos);
}

TEST_CASE("a new entry stands behind the last one, in front of comments and other keys") {
    Files const files{written};
    auto const made = create({"new", "basic", {"all"}, Format::text, files.config, true});
    REQUIRE(made.exit_code == 0);
    CHECK(made.out.find("Written to " + files.credentials + ":8. ") != std::string::npos);
    auto const text = read(files.credentials);
    auto const end = written.find("# The end.");
    CHECK(text.starts_with(written.substr(0, end) + "  - name: new\n    basic: { key_id: \""));
    CHECK(text.ends_with("\"] }\n    allow: all\n# The end.\n"));
    auto const wide = create({"wide", "bearer", {"f/*"}, Format::json, files.config, true});
    REQUIRE(wide.exit_code == 0);
    CHECK(read(files.credentials).find("    allow: { operations: [\"f/*\"] }\n# The end.\n")
          != std::string::npos);
}

TEST_CASE("a new entry is written into a list in brackets, and behind a last line without an end") {
    Files const brackets{"{ \"credentials\": [ { \"name\": \"ci\", \"bearer\": { \"tokens\": [\""
                         + one + "\"] }, \"allow\": \"all\" } ] }"};
    REQUIRE(create({"new", "basic", {"f/*"}, Format::text, brackets.config, true}).exit_code == 0);
    auto const text = read(brackets.credentials);
    CHECK(text.starts_with(R"({ "credentials": [ { "name": "new", "basic": { "key_id": ")"));
    CHECK(text.find("\"allow\": { \"operations\": [\"f/*\"] } },\n{ \"name\": \"ci\"")
          != std::string::npos);
    Files const unended{written.substr(0, written.find("\n# The end."))};
    REQUIRE(create({"new", "basic", {"all"}, Format::text, unended.config, true}).exit_code == 0);
    CHECK(read(unended.credentials).find("allow: all }\n  - name: new\n") != std::string::npos);
}

TEST_CASE("a new entry has the roles that were said, and reads only what is allowed") {
    for (std::string const& text :
         {"roles: { reader: { allow: all } }\n" + written,
          R"({ "roles": { "reader": { "allow": "all" } }, "credentials": [ { "name": "ci", )"
          R"("bearer": { "tokens": [")" + one + R"("] }, "allow": "all" } ] })"}) {
        Files const files{text};
        CreateOptions options{"new", "basic", {}, Format::text, files.config, true};
        options.roles = {"reader"};
        auto const with_role = create(options);
        CAPTURE(with_role.err);
        CHECK(with_role.exit_code == 0);
        options.name = "some";
        options.allow = {"f/*"};
        options.is_read_only = true;
        CHECK(create(options).exit_code == 0);
        options.name = "every";
        options.roles.clear();
        options.allow = {"all"};
        CHECK(create(options).exit_code == 0);
        auto changed = read(files.credentials);
        std::erase(changed, '"');
        CHECK(changed.find("roles: [reader]") != std::string::npos);
        CHECK(changed.find("{ operations: [f/*], read_only: true }") != std::string::npos);
        CHECK(changed.find("allow: { read_only: true }") != std::string::npos);
        options.name = "lost";
        options.roles = {"no-such"};
        CHECK(create(options).exit_code == 1);
        // Without --write, names that are in use.
        options.name = "every";
        options.writes = false;
        auto const twice = create(options);
        CHECK(twice.exit_code == 1);
        CHECK(twice.out.empty());
        CHECK(twice.err.find(": there is a credential \"every\" already\n") != std::string::npos);
    }
    CreateOptions options{"new", "basic", {}, Format::text};
    options.is_read_only = true;
    options.roles = {"reader"};
    CHECK(create(options).exit_code == 2); // it would allow what the role does not
    options.is_read_only = false;
    CHECK(create(options).out.find("\n    roles: [\"reader\"]\n") != std::string::npos);
    options.writes = true;
    CHECK(create(options).err == "--write: name the configuration, with -c FILE\n");
}

TEST_CASE("an entry that would not load is not written, and no secret is shown") {
    Files const files{written};
    auto const known = create({"ci", "basic", {"all"}, Format::text, files.config, true});
    CHECK(known.exit_code == 1);
    CHECK(known.out.empty());
    CHECK(known.err.find("the name \"ci\" is given twice") != std::string::npos);
    auto const lost = create({"new", "basic", {"g/*"}, Format::text, files.config, true});
    CHECK(lost.exit_code == 1);
    CHECK(lost.out.empty());
    CHECK(lost.err.find("no API is called \"g\"") != std::string::npos);
    auto const open = create({"new", "basic", {}, Format::text, files.config, true});
    CHECK(open.exit_code == 2);
    CHECK(open.err == "--write: say with --allow or --role what the credential may do\n");
    CHECK(read(files.credentials) == written);
}

TEST_CASE("a secret from standard input is hashed, and not printed") {
    std::string const secret = "abcdefghijklmnopqrstuvwxyz";
    CreateOptions options{"ci", "bearer", {"all"}, Format::text};
    options.reads_secret = true;
    auto const made = create(options, secret + "\n");
    CHECK(made.exit_code == 0);
    CHECK(made.out.find("71c480df93d6ae2f1efad1447c66c9525e316218cf51fc8d9ed832f2daf18b73")
          != std::string::npos);
    CHECK(made.out.find(secret) == std::string::npos);
    options.format = Format::json;
    CHECK(create(options, secret).out.find("\"secret\":null") != std::string::npos);
    auto const weak = create(options, "short");
    CHECK(weak.exit_code == 1);
    CHECK(weak.out.empty());
}

TEST_CASE("a text that cannot be changed safely is left as it is") {
    // The digest is written with an escape, so that it cannot be found as it is.
    auto const escaped = "credentials:\n- name: ci\n  bearer: { tokens: [\"\\x73" + one.substr(1)
                         + "\"] }\n  allow: all\n";
    CredentialsText text{"k.yaml", escaped};
    CHECK(text.add_digest("ci", {"bearer", "tokens"}, two)
          == "its text is written in a way that is not changed here; change it by hand");
    CHECK(text.text() == escaped);
    CHECK(text.add_digest("other", {"bearer", "tokens"}, two) == "its entry has not one hash");
    CHECK(text.remove_first_digest("ci", {"bearer", "tokens"}) == "its entry has not two hashes");
    CHECK(text.disable("other") == "it has no entry of this name");
    CHECK(text.line_of("ci") == 2);
    CHECK(text.line_of("other") == 0);
    // What looks like a comment behind the last entry is a part of its label.
    auto const label = "credentials:\n- name: ci\n  bearer: { tokens: [\"" + one
                       + "\"] }\n  allow: all\n  labels:\n    note: |\n      text\n      # more\n";
    CredentialsText with_label{"k.yaml", label};
    CHECK(with_label.add({"new", {"basic", "secrets"}, "key_id", "k", two, {"all"}})
          == "its text is written in a way that is not changed here; change it by hand");
    CHECK(with_label.text() == label);
    CredentialsText text_of_list{"k.yaml", "credentials: none\n"};
    CHECK(text_of_list.add({"new", {"basic", "secrets"}, "key_id", "k", one, {"all"}})
          == "it has no list of credentials");
}

TEST_CASE("a file is replaced with its mode, and a link to it stays") {
    Folder const folder;
    auto const path = folder.write("real", "before");
    auto const link = path + "-link";
    std::filesystem::create_symlink(path, link);
    REQUIRE(::chmod(path.c_str(), 0640) == 0);
    CHECK(replace_file(link, "before", "after").empty());
    CHECK(read(path) == "after");
    CHECK(std::filesystem::is_symlink(link));
    struct stat found {};
    REQUIRE(::stat(path.c_str(), &found) == 0);
    CHECK((found.st_mode & 07777U) == 0640);
    CHECK(std::distance(
              std::filesystem::directory_iterator{std::filesystem::path{path}.parent_path()}, {})
          == 2);
}

TEST_CASE("a file that is changed by somebody else meanwhile is not replaced") {
    Folder const folder;
    auto const path = folder.write("real", "theirs");
    CHECK(replace_file(path, "before", "after") == "it was changed meanwhile; try again");
    int const other = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(::flock(other, LOCK_EX) == 0);
    CHECK(replace_file(path, "theirs", "after") == "another command is changing it");
    ::close(other);
    CHECK(replace_file(path + "-none", "", "after").starts_with("it cannot be found: "));
    CHECK(read(path) == "theirs");
}

TEST_CASE("a file that is made replaces nothing, and follows no link") {
    Folder const folder;
    auto const path = folder.write("real", "theirs");
    auto const link = path + "-link";
    std::filesystem::create_symlink(path + "-nowhere", link);
    for (auto const& there : {path, link})
        CHECK(create_file(there, "mine") == "something of this name was made meanwhile; try again");
    CHECK(read(path) == "theirs");
    CHECK_FALSE(std::filesystem::exists(link));
    CHECK(std::filesystem::is_symlink(link));
    CHECK(create_file(path + "-new", "mine").empty());
    CHECK(read(path + "-new") == "mine");
    struct stat made {};
    REQUIRE(::stat((path + "-new").c_str(), &made) == 0);
    CHECK((made.st_mode & 07777U) == 0600);
    CHECK(made.st_nlink == 1);
    CHECK(create_file(path + "-none/file", "mine").starts_with("no file can be made beside it: "));
    // Nothing else is left behind.
    CHECK(std::distance(
              std::filesystem::directory_iterator{std::filesystem::path{path}.parent_path()}, {})
          == 3);
}

} // namespace credential_change_test
