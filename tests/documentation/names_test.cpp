// Words of the program that pages list: reasons, steps of the path, plugins, options of the
// scripts.
#include "gateway/observe/access_line.h"
#include "gateway/pipeline/reason.h"
#include "gateway/respond/reason_table.h"
#include "tests/documentation/project.h"
#include "tests/support/json.h"
#include "tests/support/temporary_folder.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

namespace names_test {

using namespace sallyport::documentation;
using namespace sallyport;
namespace fs = std::filesystem;

namespace {

// The rows of the tables whose head begins with this word, heads and rules left out.
std::vector<Row> rows_of(Document const& page, std::string const& head) {
    std::vector<Row> rows;
    bool in_table = false;
    std::size_t last = 0;
    for (auto const& row : page.page.rows) {
        bool const begins = row.line != last + 1;
        last = row.line;
        if (begins) in_table = row.cells.at(0) == head;
        bool const is_rule = row.cells.at(0).rfind("---", 0) == 0;
        if (in_table && !begins && !is_rule) rows.push_back(row);
    }
    return rows;
}

std::set<std::string> all_reasons() {
    std::set<std::string> words;
    for (auto const word : pipeline::reason_words) {
        if (!word.empty()) words.emplace(word);
    }
    return words;
}

// "400", or "log only" for those that no response can carry.
std::string status_text(std::string const& word) {
    auto const& words = pipeline::reason_words;
    auto const index = std::find(words.begin(), words.end(), word) - words.begin();
    auto const status = respond::status_of(static_cast<pipeline::Reason>(index));
    return status == 0 ? "log only" : std::to_string(status);
}

// The text of a file, or of all files of a folder and those below it.
std::string sources_at(fs::path const& path) {
    if (!fs::is_directory(path)) return test::read_file(path);
    std::string all;
    for (auto const& entry : fs::recursive_directory_iterator{path}) {
        if (entry.path().extension() == ".cpp") all += test::read_file(entry.path());
    }
    return all;
}

// Whether the function is defined there: at the beginning of a line, or behind its type.
// `Plugin::check` stands for that of each plugin.
bool defines(std::string const& sources, std::string const& function) {
    auto name = function;
    std::string before = R"((^|[ \*&]))";
    if (function.rfind("Plugin::", 0) == 0) {
        name = function.substr(std::string{"Plugin::"}.size());
        before = R"([ :])";
    }
    return std::regex_search(sources, std::regex{before + name + R"(\()",
                                                 std::regex::ECMAScript | std::regex::multiline});
}

} // namespace

TEST_CASE("every metric has its row in its page, and no other has") {
    auto const source = sources_at(project_folder() / "gateway/admin");
    std::regex const name{R"re("((sallyport|process)_[a-z0-9_]+)")re"};
    std::set<std::string> metrics;
    for (std::sregex_iterator found{source.begin(), source.end(), name}, end; found != end; ++found)
        metrics.insert((*found)[1].str());
    CHECK(metrics.size() > 40);
    std::set<std::string> documented;
    for (auto const& row : rows_of(document("deploy/watching.md"), "metric")) {
        for (auto const& word : code_words(row.cells.at(0))) {
            INFO(word);
            CHECK(documented.insert(word).second);
        }
    }
    CHECK(documented == metrics);
}

TEST_CASE(
    "every reason has its row in its page, with the status of its response, and no other has") {
    std::set<std::string> documented;
    for (auto const& row : rows_of(document("deploy/access-log.md"), "reason")) {
        REQUIRE(row.cells.size() >= 4);
        auto const words = code_words(row.cells[0]);
        REQUIRE(words.size() == 1);
        INFO(words[0]);
        REQUIRE(all_reasons().count(words[0]) == 1);
        CHECK(documented.insert(words[0]).second);
        CHECK(row.cells[1] == status_text(words[0]));
        CHECK(row.cells[2].size() > 10);
        CHECK(row.cells[3].size() > 10);
    }
    CHECK(documented == all_reasons());
}

TEST_CASE("the page of the access log has every field, in its order") {
    std::vector<std::string> documented;
    for (auto const& row : rows_of(document("deploy/access-log.md"), "field")) {
        for (auto const& word : code_words(row.cells.at(0)))
            documented.push_back(word);
    }
    observe::LineBuffer buffer;
    auto const line = observe::format_access_line({}, buffer);
    CHECK(documented == test::Json::parse(line.substr(0, line.find('\n'))).names());
}

TEST_CASE("the pages of the path and of the plugins name reasons that there are") {
    std::size_t seen = 0;
    for (auto const& [path, head] :
         {std::pair{"gateway/README.md", "step"}, std::pair{"plugins/README.md", "plugin"}}) {
        for (auto const& row : rows_of(document(path), head)) {
            for (auto const& word : code_words(row.cells.at(3))) {
                INFO(place(document(path), row.line) << " " << word);
                CHECK(all_reasons().count(word) == 1);
                ++seen;
            }
        }
    }
    CHECK(seen > 20);
}

TEST_CASE("each step of the path is where its table says") {
    auto const& page = document("gateway/README.md");
    auto const rows = rows_of(page, "step");
    CHECK(rows.size() > 12);
    for (auto const& row : rows) {
        std::string sources;
        for (auto const& file : code_words(row.cells.at(1))) {
            auto const root =
                file.rfind("plugins/", 0) == 0 ? project_folder() : project_folder() / "gateway";
            INFO(place(page, row.line) << " " << file);
            CHECK(fs::exists(root / file));
            sources += sources_at(root / file);
        }
        auto const functions = code_words(row.cells.at(2));
        CHECK_FALSE(functions.empty());
        for (auto const& function : functions) {
            INFO(place(page, row.line) << " " << function);
            CHECK(defines(sources, function));
        }
    }
}

TEST_CASE(
    "each line of the framing policy is checked where its table says, by a test that exists") {
    auto const& page = document("gateway/http/README.md");
    auto const rows = rows_of(page, "line of the policy");
    CHECK(rows.size() > 30);
    // Names of tests that stand on several lines of source are put together.
    auto const tests = std::regex_replace(sources_at(project_folder() / "tests/unit/http"),
                                          std::regex{R"("\s*\n\s*")"}, "");
    for (auto const& row : rows) {
        INFO(place(page, row.line));
        std::string file = "framing.cpp";
        std::vector<std::string> functions;
        for (auto const& word : code_words(row.cells.at(2))) {
            if (fs::path{word}.extension() == ".cpp") {
                file = word;
            } else {
                functions.push_back(word);
            }
        }
        CHECK_FALSE(functions.empty());
        auto sources = sources_at(project_folder() / "gateway/http" / file);
        if (file == "framing.cpp")
            sources += sources_at(project_folder() / "gateway/http/framing_checks.h");
        for (auto const& function : functions) {
            INFO(file << " " << function);
            CHECK(
                (defines(sources, function) || sources.find(function + "::") != std::string::npos));
        }
        std::regex const dots{R"( ?(\.\.\.)?(;|$))"};
        auto const& cell = row.cells.at(3);
        for (std::sregex_token_iterator name{cell.begin(), cell.end(), dots, -1}, end; name != end;
             ++name) {
            auto const text = name->str().substr(
                std::min(name->str().find_first_not_of(' '), name->str().size()));
            INFO(text);
            if (!text.empty()) CHECK(tests.find("TEST_CASE(\"" + text) != std::string::npos);
        }
    }
}

TEST_CASE("keys of the configuration that pages name are in the reference") {
    std::set<std::string> keys;
    std::set<std::string> sections;
    auto rows = rows_of(document("config/README.md"), "key");
    for (auto const* const page :
         {"config/apis.md", "config/failures.md", "config/identity.md", "config/permissions.md"}) {
        auto const more = rows_of(document(page), "key");
        rows.insert(rows.end(), more.begin(), more.end());
    }
    for (auto const& row : rows) {
        auto const key =
            std::regex_replace(code_words(row.cells.at(0)).at(0), std::regex{R"(\[\])"}, "");
        // `limits.head` is also found as `head`, `upstreams.NAME.timeouts.connect` as
        // `timeouts.connect`.
        for (std::size_t at = 0; at != std::string::npos; at = key.find('.', at + 1))
            keys.insert(key.substr(at == 0 ? 0 : at + 1));
        for (auto end = key.find('.'); end != std::string::npos; end = key.find('.', end + 1)) {
            auto const section = key.substr(0, end);
            sections.insert(section.substr(section.rfind('.') + 1));
        }
    }
    static std::regex const dotted{R"(([a-z_]+)\.[a-zA-Z_]+(\.[a-zA-Z_]+)*)"};
    static std::set<std::string> const extensions{".cpp",  ".h",      ".yaml",    ".md",
                                                  ".list", ".socket", ".service", ".log"};
    std::size_t seen = 0;
    for (auto const& page : documents()) {
        for (auto const& word : code_words(page.page.prose)) {
            std::smatch found;
            if (!std::regex_match(word, found, dotted) || sections.count(found[1]) == 0) continue;
            if (extensions.count(fs::path{word}.extension().string()) == 1) continue;
            INFO(page.path << " " << word);
            CHECK(keys.count(word) == 1);
            ++seen;
        }
    }
    CHECK(seen > 60);
}

TEST_CASE("names of the code that pages give are in the code") {
    std::string code;
    for (auto const& file : project_files()) {
        if (file.extension() == ".cpp" || file.extension() == ".h")
            code += test::read_file(project_folder() / file);
    }
    code += test::read_file(project_folder() / "deploy/monitoring/alerts.yml");
    static std::regex const word{R"(\w+)"};
    std::set<std::string> names;
    for (std::sregex_iterator found{code.begin(), code.end(), word}, end; found != end; ++found)
        names.insert(found->str());
    // `Server::adopt`, `admit()`, `TlsStream`.
    static std::regex const name{R"((?:\w+::)*(\w+)(\(\))?)"};
    static std::regex const type{R"([A-Z][a-z]+[A-Z]\w*)"};
    // Of systemd.
    static std::set<std::string> const foreign{"LimitNOFILE", "NotifyAccess", "getaddrinfo"};
    std::size_t seen = 0;
    for (auto const& page : documents()) {
        for (auto const& text : code_words(page.page.prose)) {
            std::smatch found;
            if (!std::regex_match(text, found, name)) continue;
            bool const is_code = text.find("::") != std::string::npos || found[2].matched
                                 || std::regex_match(text, type);
            if (!is_code || foreign.count(text) == 1) continue;
            INFO(page.path << " " << text);
            CHECK(names.count(found[1]) == 1);
            ++seen;
        }
    }
    CHECK(seen > 30);
}

TEST_CASE("each fuzz target has its row") {
    auto const build = test::read_file(project_folder() / "tests/fuzz/CMakeLists.txt");
    static std::regex const call{R"(sallyport_fuzz_target\((\w+))"};
    std::set<std::string> built;
    for (std::sregex_iterator found{build.begin(), build.end(), call}, end; found != end; ++found)
        built.insert((*found)[1]);
    std::set<std::string> documented;
    for (auto const& row : rows_of(document("tests/fuzz/README.md"), "target")) {
        for (auto const& word : code_words(row.cells.at(0)))
            documented.insert(word);
    }
    CHECK(built.size() > 8);
    CHECK(documented == built);
}

TEST_CASE("each plugin of the registry has its row, in the same order") {
    auto const registry = test::read_file(project_folder() / "plugins" / "registry.cpp");
    static std::regex const entry{R"re(\{.*Phase::(\w+), make_(\w+)[^}]*\})re"};
    std::vector<std::string> registered;
    for (std::sregex_iterator found{registry.begin(), registry.end(), entry}, end; found != end;
         ++found)
        registered.push_back((*found)[2].str() + " " + (*found)[1].str());
    std::vector<std::string> documented;
    for (auto const& row : rows_of(document("plugins/README.md"), "plugin"))
        documented.push_back(code_words(row.cells.at(0)).at(0) + " " + row.cells.at(1));
    CHECK(registered.size() > 3);
    CHECK(documented == registered);
}

TEST_CASE("the options that pages give to scripts are in the scripts' help") {
    static std::regex const call{R"(((?:tests|deploy|tests/mutation)/[a-z-]+)((?: +[\w./-]+)*))"};
    static std::regex const option{R"( (--[a-z-]+))"};
    std::size_t seen = 0;
    for (auto const& page : documents()) {
        for (std::sregex_iterator found{page.text.begin(), page.text.end(), call}, end;
             found != end; ++found) {
            auto const script = project_folder() / (*found)[1].str();
            if (!fs::is_regular_file(script)) continue;
            auto const text = test::read_file(script);
            auto const words = (*found)[2].str();
            for (std::sregex_iterator word{words.begin(), words.end(), option}; word != end;
                 ++word) {
                INFO(page.path << ": " << found->str());
                std::regex const whole{(*word)[1].str() + "(?![a-z-])"};
                CHECK(std::regex_search(text, whole));
                ++seen;
            }
        }
    }
    CHECK(seen > 4);
}

} // namespace names_test
