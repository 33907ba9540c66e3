// htpasswd files: which lines are users, what is refused, and which credentials they become.
#include "config/htpasswd.h"
#include "config/load.h"
#include "support.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace htpasswd_test {

using namespace sallyport;
using namespace sallyport::config;
using namespace sallyport::config::test;

namespace {

std::string const bcrypt = "$2y$10$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e";
std::string const sha1 = "{SHA}VBPuJHI7uixaa6LQGWx4s+5GKNE=";

std::string problems_of(std::string_view text) {
    return described(read_htpasswd(text, "users").problems);
}

/// Files of a folder of their own.
struct Folder {
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "htpasswd.XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path = name;
    }
    ~Folder() { std::filesystem::remove_all(path); }
    Folder(Folder const&) = delete;
    Folder& operator=(Folder const&) = delete;

    [[nodiscard]] File write(std::string const& name, std::string_view content) const {
        std::ofstream{path / name} << content;
        return {(path / name).string(), {{}, "credentials." + name}};
    }
    std::filesystem::path path;
};

ReadCredentials load(std::string_view credentials, std::string_view users,
                     WithHtpasswd with = WithHtpasswd::read) {
    Folder const folder;
    Config config;
    config.credentials.file = folder.write("file", credentials);
    if (!users.empty()) config.credentials.htpasswd = folder.write("htpasswd", users);
    auto out = load_credentials(config, tables(), system_resolver(), with);
    // The folder has another name each time.
    for (auto& problem : out.problems) {
        auto const file = problem.where.file_name();
        auto const name = file.substr(std::min(file.size(), file.find_last_of('/') + 1));
        problem.where.file = yaml::intern_file_name(name);
        if (auto const at = problem.hint.find("/tmp"); at != std::string::npos)
            problem.hint.resize(at);
    }
    return out;
}

std::string const others =
    "credentials:\n- name: one\n  allow: all\n  basic: { key_id: key, secrets: "
    "[\"sha256:"
    + std::string(64, 'a') + "\"] }\n";

} // namespace

TEST_CASE("a line of an htpasswd file that is no user is refused at its place, without its text") {
    struct Case {
        std::string text;
        std::string problem;
    };
    for (auto const& [text, problem] : {
             Case{"hunter2", "users:1:1: has no colon; write NAME:HASH, as htpasswd(1) does\n"},
             Case{":" + bcrypt, "users:1:1: has no name in front of the colon; write NAME:HASH\n"},
             Case{"ann:hunter2",
                  "users:1:5: no hash that is known: a plain password, or one of crypt(3) that "
                  "counts eight characters; write it with htpasswd -B (bcrypt), or `sallyport "
                  "credential hash --kind argon2id`\n"},
             Case{"ann:", "users:1:5: no hash that is known: a plain password, or one of crypt(3) "
                          "that counts eight characters; write it with htpasswd -B (bcrypt), or "
                          "`sallyport credential hash --kind argon2id`\n"},
             Case{"\n# ann:x\nann:$2y$16$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e",
                  "users:3:5: a hash of bcrypt with a cost that is not 4 to 15; `sallyport "
                  "credential hash --kind bcrypt` makes one that is taken\n"},
             Case{"ann:" + bcrypt + "\nbob:" + bcrypt + "\nann:" + sha1,
                  "users:3:1: the user of line 1 is given twice; remove one of the lines\n"},
             Case{"a\x01n:" + bcrypt,
                  "users:1:1: the name is not text in UTF-8 without control characters; write it "
                  "anew\n"},
             Case{"a\xffn:" + bcrypt,
                  "users:1:1: the name is not text in UTF-8 without control characters; write it "
                  "anew\n"},
             Case{std::string(257, 'a') + ":" + bcrypt,
                  "users:1:1: the name is longer than 256 bytes; choose a shorter one\n"},
             Case{"ann:" + std::string(3'000, 'a'),
                  "users:1:1: the line is too long; write NAME:HASH, as htpasswd(1) does\n"},
             Case{"", "users:1:1: warning: has no user; write one with htpasswd(1), if that is not "
                      "meant\n"},
             Case{"# no users\n\n", "users:2:1: warning: has no user; write one with htpasswd(1), "
                                  "if that is not meant\n"},
         }) {
        CHECK(problems_of(text) == problem);
    }
    std::string many;
    for (int i = 0; i < 50; ++i)
        many += "hunter2\n";
    auto const read = read_htpasswd(many, "users");
    CHECK(read.problems.size() == 20);
    CHECK(read.problems.back().what.find("further problems") != std::string::npos);
}

TEST_CASE("more users than the limit are refused") {
    std::string text;
    for (std::size_t i = 0; i <= most_htpasswd_users; ++i)
        text += std::to_string(i) + ":" + sha1 + "\n";
    auto const read = read_htpasswd(text, "users");
    CHECK(read.users.size() == most_htpasswd_users);
    CHECK(described(read.problems) == "users:100001:1: more than 100000 users; remove some\n");
}

TEST_CASE("users are read in their order, with comments, ends of lines and nginx' third field") {
    auto const read =
        read_htpasswd("# staff\n\n  \nann:" + bcrypt + "\r\nj\xc3\xbcrgen@example.com:" + sha1
                          + ":accounting\nbob:sha256:" + std::string(64, 'b'),
                      "users");
    CHECK(described(read.problems)
          == "users:6:5: no hash that is known: a plain password, or one of crypt(3) that counts "
             "eight characters; write it with htpasswd -B (bcrypt), or `sallyport credential hash "
             "--kind argon2id`\n");
    REQUIRE(read.users.size() == 2);
    CHECK(read.users[0].name == "ann");
    CHECK(read.users[0].hash.text() == bcrypt);
    CHECK(read.users[0].mark.line == 4);
    CHECK(read.users[1].name == "j\xc3\xbcrgen@example.com");
    CHECK(read.users[1].hash.kind() == secrets::Kind::sha1);
}

TEST_CASE("a byte-order mark in front of the users is no part of the first name") {
    auto const read = read_htpasswd("\xEF\xBB\xBF"
                                    "ann:"
                                        + bcrypt + "\n",
                                    "users");
    CHECK(read.problems.empty());
    REQUIRE(read.users.size() == 1);
    CHECK(read.users[0].name == "ann");
    CHECK(problems_of("\xEF\xBB\xBF# nobody\n")
          == "users:1:1: warning: has no user; write one with htpasswd(1), if that is not "
             "meant\n");
}

TEST_CASE("both files have to speak of htpasswd users, and no two callers have a name") {
    CHECK(described(load(others, "ann:" + bcrypt).problems)
          == "credentials.htpasswd: the file of credentials does not say what its users may "
             "do; write htpasswd: { allow: ... } into \n");
    CHECK(described(load("htpasswd: { allow: all }\n" + others, "").problems)
          == "file:1:11: htpasswd: has no effect: the configuration names no htpasswd file; write "
             "credentials: { htpasswd: FILE } there, or remove it here\n");
    CHECK(
        described(load("htpasswd: { allow: all }\n" + others, "one:" + bcrypt).problems)
        == "htpasswd:1:1: the file of credentials has \"one\" too; rename or remove one of them\n");
    CHECK(
        described(load("htpasswd: { allow: all }\n" + others, "\nkey:" + bcrypt).problems)
        == "htpasswd:2:1: the file of credentials has \"key\" too; rename or remove one of them\n");
}

TEST_CASE("users of an htpasswd file may do what the file of credentials says of all of them") {
    auto const out = load("roles: { readers: { allow: all } }\n"
                          "htpasswd: { roles: [readers], deny: [{ methods: [DELETE] }], labels: { "
                          "from: htpasswd } }\n"
                              + others,
                          "ann:" + bcrypt + "\nbob:" + sha1);
    CHECK(described(out.problems).empty());
    REQUIRE(out.credentials.size() == 3);
    auto const& ann = out.credentials[1];
    CHECK(ann.name == "ann");
    CHECK(ann.identity().authenticator->name == "basic");
    CHECK(ann.identity().keys == std::vector<std::string>{"ann"});
    CHECK(ann.identity().key_id == "ann");
    CHECK(ann.identity().secrets.at(0).text() == bcrypt);
    CHECK(ann.roles.at(0).role->name == "readers");
    CHECK(ann.deny.size() == 1);
    CHECK(ann.labels.at(0).name == "from");
    CHECK(ann.origin.mark.line == 1);
    CHECK(out.credentials[2].name == "bob");
    CHECK(out.credentials[2].origin.mark.line == 2);

    auto const alone = load("htpasswd: { allow: all }\n", "ann:" + bcrypt);
    CHECK(described(alone.problems).empty());
    CHECK(alone.credentials.size() == 1);
    // Where the machine's files are not looked at.
    auto const offline = load("htpasswd: { allow: all }\n", "ann:hunter2", WithHtpasswd::not_there);
    CHECK(described(offline.problems).empty());
    CHECK(offline.credentials.empty());
}

} // namespace htpasswd_test
