// Configurations in several files: how they are joined, what is refused, and where problems are.
#include "config/include.h"
#include "config/json_value.h"
#include "schema_judge.h"
#include "support.h"
#include "tests/support/temporary_folder.h"

#include <catch2/catch.hpp>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>

namespace include_test {

using namespace sallyport::config;
using namespace sallyport::config::test;
namespace fs = std::filesystem;

namespace {

using Files = std::map<std::string, std::string>;

// A configuration `c.yaml` in a folder with other files.
class Folder {
public:
    explicit Folder(Files const& files) {
        for (auto const& [name, text] : files)
            folder_.write(name, text);
    }

    [[nodiscard]] ReadConfig load(World const& world = {}) const {
        return load_config(folder_ / "c.yaml", tables(), world.resolver());
    }
    [[nodiscard]] fs::path path_of(std::string_view name) const { return folder_ / name; }

    // Without the folder's own path.
    [[nodiscard]] std::string shown(std::string text) const {
        std::string const before = folder_.path().string() + '/';
        for (auto at = text.find(before); at != std::string::npos; at = text.find(before, at))
            text.erase(at, before.size());
        return text;
    }
    [[nodiscard]] std::string problems(World const& world = {}) const {
        return shown(described(load(world).problems));
    }
    [[nodiscard]] std::string included(ReadConfig const& read) const {
        std::string out;
        for (File const& file : read.included_files)
            out += shown(file.path) + ' ' + file.origin.path + '\n';
        return out;
    }

private:
    sallyport::test::TemporaryFolder folder_;
};

template <class Named>
std::string names_of(std::vector<Named> const& list) {
    std::string out;
    for (auto const& one : list)
        out += one.name + ' ';
    return out;
}

std::string listener(std::string const& name) {
    return "- { name: " + name + ", address: \"127.0.0.1:0\", tls: off }\n";
}

std::string upstream(std::string const& name) {
    return "  " + name + ": { endpoints: [\"http://a:1\"] }\n";
}

std::string api(std::string const& name, std::string const& upstream_name = "up") {
    return "  " + name + ": { paths: [\"/" + name + "/\"], upstream: " + upstream_name
           + ", authenticate: [anonymous] }\n";
}

std::string const base = whole("include: [apis/*.yaml]\n");

} // namespace

TEST_CASE("lists and names of all files are joined in their order, other sections are taken over") {
    Folder const folder{{{"c.yaml", "include: [b.yaml, apis/*.yaml]\n"
                                    "listeners:\n"
                                        + listener("first") + "upstreams:\n" + upstream("up")
                                        + "apis:\n" + api("main")},
                         {"b.yaml", "limits: { fields: 90 }\nlisteners:\n" + listener("second")
                                        + listener("third")},
                         {"apis/2.yaml", "apis:\n" + api("two", "other") + "drain: 5s\n"},
                         {"apis/10.yaml", "apis:\n" + api("ten") + api("eleven") + "upstreams:\n"
                                              + upstream("other")},
                         {"apis/.hidden.yaml", "wrong: 1\n"},
                         {"apis/note.txt", "wrong: 1\n"},
                         {"apis/deep/more.yaml", "wrong: 1\n"}}};
    auto const read = folder.load();
    CHECK(described(read.problems).empty());
    CHECK(names_of(read.config.listeners) == "first second third ");
    CHECK(names_of(read.config.upstreams) == "up other ");
    // By name in the folder, not by number.
    CHECK(names_of(read.config.apis) == "main ten eleven two ");
    CHECK(read.config.apis[3].upstream == 1);
    CHECK(read.config.limits.fields == 90);
    CHECK(read.config.drain == std::chrono::seconds{5});
    CHECK(folder.included(read)
          == "b.yaml include[0]\napis/. include[1]\napis/10.yaml include[1]\n"
             "apis/2.yaml include[1]\n");
    auto const& origin = read.config.listeners[2].origin;
    CHECK(folder.shown(std::string{origin.mark.file_name()}) == "b.yaml");
    CHECK(origin.mark.line == 4);
    CHECK(origin.path == "listeners[2]");
}

TEST_CASE("a file may have all that the configuration lacks") {
    auto const all = yaml::load_text(whole(""), "all");
    Folder const folder{
        {{"c.yaml", "include: [all.json]\n"}, {"all.json", print(json_of(all.root()))}}};
    CHECK(folder.problems().empty());
    CHECK(names_of(folder.load().config.apis) == "files ");
}

TEST_CASE("what no file has is missing, at the configuration itself") {
    Folder const folder{
        {{"c.yaml", "# one\ninclude: [a.yaml]\n"}, {"a.yaml", "apis:\n" + api("a")}}};
    CHECK(
        folder.problems()
        == "c.yaml:2:1: listeners: is missing; write listeners: [{ name: public, address: "
           "0.0.0.0:8443, tls: ... }]\n"
           "c.yaml:2:1: upstreams: is missing; write upstreams: { NAME: { endpoints: [...] } }\n");
}

TEST_CASE("paths and references to files begin at the folder of the file that has them") {
    World world;
    Folder const folder{
        {{"c.yaml", base + "credentials: { file: keys.yaml }\naccess_log: { output: ./a.log }\n"},
         {"apis/a.yaml", "upstreams:\n  own: { endpoints: [\"https://a\"], tls: { ca: ca.pem }, "
                         "credential: { bearer: { token: \"${file:token}\" } } }\n"
                         "apis:\n  a: { contract: ../a.yaml, upstream: own, "
                         "authenticate: [anonymous] }\n"}}};
    world.files[folder.path_of("apis/token").string()] = "abc";
    auto const read = folder.load(world);
    CHECK(folder.shown(described(read.problems)).empty());
    CHECK(folder.shown(read.config.credentials.file->path) == "keys.yaml");
    CHECK(folder.shown(std::get<File>(read.config.access_log.output).path) == "a.log");
    CHECK(folder.shown(read.config.upstreams[1].tls.ca->path) == "apis/ca.pem");
    CHECK(folder.shown(read.config.apis[1].contract->path) == "a.yaml");
    REQUIRE(read.secret_files.size() == 1);
    CHECK(folder.shown(read.secret_files[0].path) == "apis/token");
}

TEST_CASE("problems of included files are reported where they are") {
    struct Row {
        Files files;
        std::string problems;
    };
    std::string const twice_hint = "; keep one of them\n";
    std::vector<Row> const rows{
        {{{"c.yaml", base}, {"apis/a.yaml", "limits:\n  head: big\nlimitz: {}\n"}},
         "apis/a.yaml:2:9: limits.head: \"big\" is not a size; write digits and B, KiB, MiB or "
         "GiB, from 1KiB to 1MiB\n"
         "apis/a.yaml:3:1: limitz: unknown key; did you mean \"limits\"?\n"},
        {{{"c.yaml", base + "drain: 5s\n"}, {"apis/a.yaml", "\ndrain: 6s\n"}},
         "apis/a.yaml:2:1: drain: given twice, first in c.yaml:5" + twice_hint},
        {{{"c.yaml", base}, {"apis/a.yaml", "log: {}\n"}, {"apis/b.yaml", "{ log: {} }\n"}},
         "apis/b.yaml:1:3: log: given twice, first in apis/a.yaml:1" + twice_hint},
        {{{"c.yaml", base},
          {"apis/a.yaml", "apis:\n" + api("a")},
          {"apis/b.yaml", "apis:\n" + api("b") + api("a")}},
         "apis/b.yaml:3:3: apis.a: given twice, first in apis/a.yaml:2" + twice_hint},
        {{{"c.yaml", base}, {"apis/a.yaml", "upstreams:\n" + upstream("up")}},
         "apis/a.yaml:2:3: upstreams.up: given twice, first in c.yaml:3" + twice_hint},
        {{{"c.yaml", base}, {"apis/a.yaml", "listeners:\n" + listener("public")}},
         "apis/a.yaml:2:11: listeners[1].name: the name \"public\" is given twice; choose "
         "another\n"},
        {{{"c.yaml", base}, {"apis/a.yaml", "listeners: {}\nupstreams: []\napis:\n"}},
         "apis/a.yaml:1:12: listeners: must be a list, not a mapping; put it in brackets: [...]\n"
         "apis/a.yaml:2:12: upstreams: must be a mapping, not a list; write NAME: { ... }\n"
         "apis/a.yaml:3:1: apis: must be a mapping, not null; write NAME: { ... }\n"},
        {{{"c.yaml", base}, {"apis/a.yaml", "listeners: []\napis: {}\n"}},
         "apis/a.yaml:1:12: listeners: is empty; write at least one\n"
         "apis/a.yaml:2:7: apis: is empty; write at least one\n"},
        {{{"c.yaml", base}, {"apis/a.yaml", "include: [b.yaml]\n"}},
         "apis/a.yaml:1:1: include: an included file includes no others; write it in c.yaml\n"},
        {{{"c.yaml", base}, {"apis/a.yaml", "drain: 5s\ndrain: 6s\n"}},
         "apis/a.yaml:2:1: drain: the key is given twice, first on line 1; keep one of them\n"},
    };
    for (auto const& [files, problems] : rows) {
        CAPTURE(problems);
        CHECK(Folder{files}.problems() == problems);
    }
}

TEST_CASE("a file that cannot be read or parsed is the only problem") {
    struct Row {
        std::string include;
        std::string text; // of a.yaml
        std::string problems;
    };
    std::string const hint = "; write the path of a file that the gateway may read\n";
    std::string const sections = "; write sections of the configuration, such as apis: { ... }\n";
    for (auto const& [include, text, problems] : std::vector<Row>{
             {"a.yaml", "", "a.yaml:1:1: the file is empty" + sections},
             {"a.yaml", "# nothing\n", "a.yaml:1:1: the file is empty" + sections},
             {"a.yaml", "[]", "a.yaml:1:1: must be a mapping, not a list" + sections},
             {"a.yaml", "apis", "a.yaml:1:1: must be a mapping, not a string" + sections},
             {"a.yaml", "apis: [\n", "a.yaml:2:1: apis[0]: '[' without its ']'; close it\n"},
             {"b.yaml", "{}",
              "c.yaml:1:11: include[0]: \"b.yaml\" cannot be read: No such file or directory"
                  + hint},
             {"folder", "{}",
              "c.yaml:1:11: include[0]: \"folder\" cannot be read: it is a folder" + hint},
             {"fol*", "{}",
              "c.yaml:1:11: include[0]: \"folder\" cannot be read: it is a folder" + hint},
             {"pipe", "{}",
              "c.yaml:1:11: include[0]: \"pipe\" cannot be read: it is not a file" + hint},
             {"none/*.yaml", "{}",
              "c.yaml:1:11: include[0]: the folder \"none\" cannot be read: No such file or "
              "directory; write the path of a folder that the gateway may read\n"},
         }) {
        CAPTURE(include, text);
        // There is much else that would be wrong.
        Folder const folder{{{"c.yaml", "include: [" + include + "]\nadmin: {}\nwrong: 1\n"},
                             {"a.yaml", text},
                             {"folder/x.yaml", "{}"}}};
        REQUIRE(::mkfifo(folder.path_of("pipe").c_str(), 0600) == 0);
        auto const read = folder.load();
        CHECK(folder.shown(described(read.problems)) == problems);
        CHECK(read.has_errors());
        CHECK(read.included_files.size() >= 1);
        CHECK(read.config.listeners.empty());
        CHECK(read.config.admin.has_value());
    }
}

TEST_CASE("a device is not included") {
    Folder const folder{{{"c.yaml", "include: [/dev/null]\n"}}};
    CHECK(folder.problems()
          == "c.yaml:1:11: include[0]: \"/dev/null\" cannot be read: it is not a file; write the "
             "path of a file that the gateway may read\n");
}

TEST_CASE("no message repeats a secret of an included file that has no key") {
    std::string const secret = "S3cretOfAnUpstream";
    Files files{{"c.yaml", base},
                {"apis/a.yaml", "upstreams:\n  own: { endpoints: [\"https://a\"], credential: { "
                                "basic: { key_id: k, "
                                    + secret + ": } } }\n"}};
    for (bool const is_complete : {true, false}) {
        CAPTURE(is_complete);
        // Of the document alone: the key is given twice.
        files["apis/b.yaml"] = is_complete ? "{}" : "apis: {\n";
        files["apis/c.yaml"] = "upstreams:\n  other: { endpoints: [\"https://a\"], credential: { "
                               "basic: { key_id: k, "
                               + secret + ": 1, " + secret + ": 2 } } }\n";
        auto const problems = Folder{files}.problems();
        CHECK(problems.find("apis/c.yaml:2:") != std::string::npos);
        CHECK(problems.find(secret) == std::string::npos);
    }
}

TEST_CASE("a file is part of the configuration once") {
    Folder const folder{{{"c.yaml", whole("include: [b.yaml, \"*.yaml\", ./b.yaml, c.yaml]\n")},
                         {"b.yaml", "drain: 5s\n"},
                         {"a.yaml", "{}\n"}}};
    std::string const once = " is already part of the configuration; remove it here\n";
    CHECK(folder.problems()
          == "c.yaml:1:29: include[2]: \"b.yaml\"" + once + "c.yaml:1:39: include[3]: \"c.yaml\""
                 + once);
    // By another name, too.
    fs::create_symlink("b.yaml", folder.path_of("d.yaml"));
    auto const read = folder.load();
    CHECK(folder.included(read) == "b.yaml include[0]\n. include[1]\na.yaml include[1]\n");
}

TEST_CASE("a pattern that no file matches is a warning") {
    Folder const folder{
        {{"c.yaml", whole("include: [apis/*.yml, \"c.*\"]\n")}, {"apis/a.yaml", "?"}}};
    auto const read = folder.load();
    CHECK_FALSE(read.has_errors());
    CHECK(
        folder.shown(described(read.problems))
        == "c.yaml:1:11: warning: include[0]: there is no file \"apis/*.yml\"; add one, or remove "
           "the pattern\n"
           "c.yaml:1:23: warning: include[1]: there is no other file \"c.*\"; add one, or remove "
           "the pattern\n");
    CHECK(folder.included(read) == "apis/. include[0]\n. include[1]\n");
}

TEST_CASE("patterns are those of a shell, without escapes") {
    Folder const folder{{{"c.yaml", whole("include: [\"a?.yaml\", \"[x-z]*\", \"\\\\*\"]\n")},
                         {"a1.yaml", "{}"},
                         {"a12.yaml", "?"},
                         {"y", "{}"},
                         {"w", "?"},
                         {"\\b", "{}"}}};
    auto const read = folder.load();
    CHECK(folder.shown(described(read.problems)).empty());
    CHECK(folder.included(read)
          == ". include[0]\na1.yaml include[0]\n. include[1]\ny include[1]\n. include[2]\n\\b "
             "include[2]\n");
}

TEST_CASE("an include that is no list of paths hides what may follow from it") {
    Folder const folder{
        {{"c.yaml", "include: [\"${env:A}.yaml\", a.yaml]\nwrong: 1\n"}, {"a.yaml", "apis: [\n"}}};
    CHECK(
        folder.problems()
        == "a.yaml:2:1: apis[0]: '[' without its ']'; close it\n"
           "c.yaml:1:11: include[0]: the value of \"${env:A}.yaml\" has a '$', and references are "
           "not read here; write the path itself\n");
}

TEST_CASE("at most 1,000 files are included, and 32 MiB of them") {
    Files files{{"c.yaml", base}};
    for (int i = 0; i < 1'000; ++i)
        files["apis/" + std::to_string(i) + ".yaml"] = "{}";
    Folder const folder{files};
    CHECK(folder.problems().empty());
    std::ofstream{folder.path_of("apis/more.yaml")} << "{}";
    CHECK(folder.problems()
          == "c.yaml:1:11: include[0]: more than 1000 files are included; join some of them\n");

    std::string const half = "# " + std::string(yaml::max_file_size / 2 - 5, 'x') + "\n{}";
    REQUIRE(half.size() == yaml::max_file_size / 2);
    Folder const large{{{"c.yaml", base}, {"apis/a.yaml", half}, {"apis/b.yaml", half}}};
    CHECK(large.problems().empty());
    std::ofstream{large.path_of("apis/c.yaml")} << "{}";
    CHECK(large.problems()
          == "c.yaml:1:11: include[0]: the included files are larger than 33554432 bytes together; "
             "include less\n");
}

TEST_CASE("the schema of included files takes their sections, and no `include`") {
    auto const info = included_info(tables().config().info());
    SchemaJudge judge{info};
    CHECK(judge.accepts(std::string{"{}"}));
    CHECK(judge.accepts(std::string{R"({"limits":{"fields":90}})"}));
    CHECK(judge.accepts(yaml::load_text(whole(""), "w")));
    CHECK_FALSE(judge.accepts(std::string{R"({"include":["a"]})"}));
    CHECK_FALSE(judge.accepts(std::string{R"({"apis":{}})"}));
    CHECK_FALSE(judge.accepts(std::string{R"({"limits":{"fields":0}})"}));
    CHECK_FALSE(judge.accepts(std::string{"[]"}));
    SchemaJudge main{tables().config().info()};
    CHECK(main.accepts(std::string{R"({"include":["a.yaml"]})"}));
    CHECK_FALSE(main.accepts(std::string{"{}"}));
}

} // namespace include_test
