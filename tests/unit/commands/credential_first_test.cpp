// The first entry of a file of credentials: of one that is empty, or is not there yet.
#include "folder.h"
#include "gateway/commands/credential.h"
#include "gateway/commands/credentials_text.h"

#include "tests/unit/support/tables.h"

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace credential_first_test {

using namespace sallyport;
using namespace sallyport::commands;
using sallyport::commands::test::config_text;
using sallyport::commands::test::Folder;
using sallyport::commands::test::one;
using sallyport::commands::test::read;
using sallyport::commands::test::Run;
using sallyport::test::tables;

namespace {

// A configuration whose file of credentials, k.yaml, is for a test to make.
struct Files {
    explicit Files(std::string_view more = {})
        : config{folder.write("c.yaml", config_text("bearer", more))},
          credentials{config.substr(0, config.rfind('/') + 1) + "k.yaml"} {}

    [[nodiscard]] Run create(std::string name = "ci", std::string allow = "all") const {
        std::istringstream in;
        std::ostringstream out;
        std::ostringstream err;
        CreateOptions options;
        options.name = std::move(name);
        options.kind = "bearer";
        options.allow = {std::move(allow)};
        options.config = config;
        options.writes = true;
        int const exit_code = run_credential_create(options, tables(), in, out, err);
        return {exit_code, out.str(), err.str()};
    }

    Folder folder;
    std::string config;
    std::string credentials;
};

std::string with_first(std::string const& text) {
    CredentialsText changed{"k.yaml", text};
    CHECK(changed.awaits_first_entry());
    auto const problem = changed.add({"ci", {"bearer", "tokens"}, {}, {}, one, {"all"}});
    return problem.empty() ? changed.text() : problem;
}

std::string const entry =
    "  - name: ci\n    bearer: { tokens: [\"" + one + "\"] }\n    allow: all\n";
std::string const in_json =
    R"({ "name": "ci", "bearer": { "tokens": [")" + one + R"("] }, "allow": "all" })";

} // namespace

TEST_CASE("the first entry is put where a file has room for it, and all comments stay") {
    auto const list = "credentials:\n" + entry;
    CHECK(with_first("") == list);
    CHECK(with_first("# The callers.\n") == "# The callers.\n" + list);
    CHECK(with_first("# The callers.") == "# The callers.\n" + list);
    CHECK(with_first("---\n# The callers.\n") == "---\n# The callers.\n" + list);
    CHECK(with_first("credentials: []\n") == list);
    CHECK(with_first("credentials: []") == list);
    CHECK(with_first("credentials: [ ] # none yet\n# The end.\n")
          == "credentials: # none yet\n" + entry + "# The end.\n");
    CHECK(with_first("credentials:\n") == list);
    CHECK(with_first("credentials: # none yet\n") == "credentials: # none yet\n" + entry);
    CHECK(with_first("roles: { r: { allow: all } }\ncredentials: []\n")
          == "roles: { r: { allow: all } }\n" + list);
    CHECK(with_first("credentials: []\nroles: { r: { allow: all } }\n")
          == list + "roles: { r: { allow: all } }\n");
    CHECK(with_first("credentials: [\n  # none yet\n]\n")
          == "credentials: [ " + in_json + " \n  # none yet\n]\n");
    CHECK(with_first("{}\n") == R"({ "credentials": [ )" + in_json + " ] }\n");
    CHECK(with_first("{\"credentials\": []}\n") == "{\"credentials\": [ " + in_json + " ]}\n");
    CHECK(
        with_first("# The callers.\r\ncredentials: []\r\n").find("credentials:\r\n  - name: ci\r\n")
        != std::string::npos);
    // Whoever has written this means something.
    CHECK(with_first("credentials: ~\n")
          == "its text is written in a way that is not changed here; change it by hand");
}

TEST_CASE("a file with an entry, or with something else, does not wait for its first one") {
    for (std::string const& text :
         {"credentials:\n" + entry, std::string{"roles: { r: { allow: all } }\n"},
          std::string{"credentials: none\n"}, std::string{"credentials: {}\n"}, std::string{"[]\n"},
          std::string{"credentials: [\n"}})
        CHECK_FALSE(CredentialsText{"k.yaml", text}.awaits_first_entry());
}

TEST_CASE("the first entry is written into a file that does not load without it") {
    for (std::string const text : {"", "# The callers.\n", "credentials: []\n", "credentials:\n"}) {
        CAPTURE(text);
        Files const files;
        (void)files.folder.write("k.yaml", text);
        REQUIRE(::chmod(files.credentials.c_str(), 0640) == 0);
        auto const first = files.create();
        CAPTURE(first.err);
        CHECK(first.exit_code == 0);
        CHECK(first.err.empty());
        CHECK(first.out.find("Written to " + files.credentials + ':') != std::string::npos);
        CHECK(first.out.find("is new") == std::string::npos);
        struct stat found {};
        REQUIRE(::stat(files.credentials.c_str(), &found) == 0);
        CHECK((found.st_mode & 07777U) == 0640);
        CHECK(files.create("second").exit_code == 0);
        CHECK(read(files.credentials).find("- name: second\n") != std::string::npos);
    }
}

TEST_CASE("a file that is not there is made for its first entry, readable for its user alone") {
    Files const files;
    auto const first = files.create();
    CAPTURE(first.err);
    CHECK(first.exit_code == 0);
    CHECK(first.out.find("Written to " + files.credentials
                         + ":2. The file is new, with mode 0600: a gateway of another user cannot "
                           "read it. A running gateway goes by it within a second.\n")
          != std::string::npos);
    struct stat found {};
    REQUIRE(::stat(files.credentials.c_str(), &found) == 0);
    CHECK((found.st_mode & 07777U) == 0600);
    CHECK(files.create("second").out.find("is new") == std::string::npos);
}

TEST_CASE("no file is made through a link to nowhere, nor for an entry with a problem") {
    Files const linked;
    std::filesystem::create_symlink("elsewhere.yaml", linked.credentials);
    auto const through = linked.create();
    CHECK(through.exit_code == 1);
    CHECK(through.out.empty());
    CHECK(through.err
          == linked.credentials
                 + ": is a link to a file that is not there; make that file, or remove the link\n");
    CHECK(std::filesystem::is_symlink(linked.credentials));
    CHECK_FALSE(std::filesystem::exists(linked.credentials));

    Files const files;
    auto const wrong = files.create("ci", "g/*");
    CHECK(wrong.exit_code == 1);
    CHECK(wrong.out.empty());
    CHECK(wrong.err.find("no API is called \"g\"") != std::string::npos);
    CHECK(wrong.err.ends_with(files.credentials + " was not made\n"));
    CHECK_FALSE(std::filesystem::exists(files.credentials));
}

TEST_CASE("errors of a file without entries prevent the first one too") {
    Files const files;
    std::string const text = "roles: { r: { allow: nothing } }\ncredentials: []\n";
    (void)files.folder.write("k.yaml", text);
    auto const first = files.create();
    CHECK(first.exit_code == 1);
    CHECK(first.err.ends_with(files.credentials + " was not changed\n"));
    CHECK(read(files.credentials) == text);
}

} // namespace credential_first_test
