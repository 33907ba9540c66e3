// What pages point to is there, and what is there has a page.
#include "tests/documentation/project.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace links_test {

using namespace sallyport::documentation;
namespace fs = std::filesystem;

namespace {

// A page whose table of files waits for its folder to settle.
bool is_unsettled(std::string const& path) {
    return path.rfind("gateway/contract/", 0) == 0;
}

// A row of a folder's table names files of that folder: `forward`, `resolve.h`, `refused/*.txt`,
// `units.h`, `.cpp`.
bool names_file(fs::path const& folder, std::string const& word) {
    // Tables of the whole project name files from its folder.
    if (fs::exists(folder / word) || fs::exists(project_folder() / word)) return true;
    for (auto const* extension : {".h", ".cpp", ".list", ".yaml"}) {
        if (fs::exists(folder / (word + extension))) return true;
    }
    return false;
}

// `task.{h,cpp}` is two names, `check.*` and `sections*.cpp` as many as there are.
std::vector<std::string> expanded(fs::path const& folder, std::string const& word) {
    auto const open = word.find('{');
    if (open != std::string::npos) {
        std::vector<std::string> names;
        auto const close = word.find('}', open);
        std::string const stem = word.substr(0, open);
        for (auto begin = open + 1; begin < close;) {
            auto const end = std::min(word.find(',', begin), close);
            names.push_back(stem + word.substr(begin, end - begin));
            begin = end + 1;
        }
        return names;
    }
    auto const star = word.find('*');
    if (star == std::string::npos) return {word};
    std::vector<std::string> names;
    auto const parent = (folder / word).parent_path();
    if (!fs::is_directory(parent)) return {};
    auto const pattern = fs::path{word}.filename().string();
    auto const before = pattern.substr(0, pattern.find('*'));
    auto const after = pattern.substr(pattern.find('*') + 1);
    for (auto const& entry : fs::directory_iterator{parent}) {
        auto const name = entry.path().filename().string();
        if (name.size() >= before.size() + after.size() && name.rfind(before, 0) == 0
            && name.compare(name.size() - after.size(), after.size(), after) == 0) {
            names.push_back((fs::path{word}.parent_path() / name).generic_string());
        }
    }
    return names;
}

// Tables of files begin with a cell `file`. Their rows, down to the head of the next table.
std::vector<Row> file_rows(Page const& page) {
    std::vector<Row> rows;
    bool in_table = false;
    std::size_t last = 0;
    for (auto const& row : page.rows) {
        if (row.line != last + 1)
            in_table = row.cells.at(0) == "file" || row.cells.at(0) == "folder";
        last = row.line;
        bool const is_rule = row.cells.at(0).find_first_not_of("-: ") == std::string::npos;
        bool const is_head = row.cells.at(0) == "file" || row.cells.at(0) == "folder";
        if (in_table && !is_rule && !is_head) rows.push_back(row);
    }
    return rows;
}

// The files that a page's tables of files name, from its folder.
std::set<std::string> named_files(Document const& page, std::vector<std::string>& unknown) {
    auto const folder = project_folder() / fs::path{page.path}.parent_path();
    std::set<std::string> named;
    if (is_unsettled(page.path)) return named;
    for (auto const& row : file_rows(page.page)) {
        for (auto const& word : code_words(row.cells[0])) {
            if (word[0] == '.') continue; // `units.h`, `.cpp`: the one before it
            auto const names = expanded(folder, word);
            if (names.empty()) unknown.push_back(place(page, row.line) + " " + word);
            for (auto const& name : names) {
                if (!names_file(folder, name))
                    unknown.push_back(place(page, row.line) + " " + name);
                auto path = fs::path{name};
                named.insert(path.has_filename() ? path.replace_extension().generic_string()
                                                 : path.parent_path().generic_string());
            }
        }
    }
    return named;
}

// As the build has found them: SALLYPORT_INSTALLED_PAGES of the environment names the list.
std::vector<std::string> installed_pages() {
    char const* const list = std::getenv("SALLYPORT_INSTALLED_PAGES");
    REQUIRE(list != nullptr);
    std::istringstream words{sallyport::test::read_file(list)};
    return {std::istream_iterator<std::string>{words}, {}};
}

} // namespace

TEST_CASE("every link leads to a file, and to a heading where it names one") {
    std::size_t seen = 0;
    for (auto const& page : documents()) {
        for (auto const& link : page.page.links) {
            INFO(place(page, link.line) << " " << link.target);
            if (link.target.rfind("https://", 0) == 0) continue;
            ++seen;
            auto const hash = link.target.find('#');
            auto const folder = fs::path{page.path}.parent_path();
            auto const file = hash == 0 ? fs::path{page.path}
                                        : (folder / link.target.substr(0, hash)).lexically_normal();
            REQUIRE(fs::exists(project_folder() / file));
            if (hash == std::string::npos) continue;
            bool has_heading = false;
            for (auto const& heading : document(file.generic_string()).page.headings)
                has_heading = has_heading || anchor_of(heading) == link.target.substr(hash + 1);
            CHECK(has_heading);
        }
    }
    CHECK(seen > 10);
}

TEST_CASE(
    "every folder with sources has a page, its own or that of a folder above which names it") {
    std::set<std::string> folders;
    for (auto const& file : project_files()) {
        if (is_source(file)) folders.insert(file.parent_path().generic_string());
    }
    CHECK(folders.size() > 20);
    for (auto const& folder : folders) {
        INFO(folder);
        if (folder.empty() || is_unsettled(folder)) continue;
        if (fs::exists(project_folder() / folder / "README.md")) continue;
        // The nearest page above says the folder's name, or that of a folder between.
        auto above = fs::path{folder}.parent_path();
        while (!above.empty() && !fs::exists(project_folder() / above / "README.md"))
            above = above.parent_path();
        auto const below =
            above.empty() ? folder : fs::path{folder}.lexically_relative(above).generic_string();
        auto const name = below.substr(0, below.find('/')) + "/";
        bool const is_described =
            document((above / "README.md").generic_string()).text.find(name) != std::string::npos;
        CHECK(is_described);
    }
}

TEST_CASE("the tables of files name files that there are") {
    std::vector<std::string> unknown;
    std::size_t named = 0;
    for (auto const& page : documents())
        named += named_files(page, unknown).size();
    CHECK(unknown == std::vector<std::string>{});
    CHECK(named > 150);
}

TEST_CASE("a table of files leaves out no source of its folder") {
    std::vector<std::string> left_out;
    std::vector<std::string> unknown;
    for (auto const& page : documents()) {
        auto const named = named_files(page, unknown);
        if (named.empty()) continue;
        auto const folder = fs::path{page.path}.parent_path();
        for (auto const& file : project_files()) {
            if (file.parent_path() != folder || !is_source(file)) continue;
            auto const stem = fs::path{file}.replace_extension().filename().string();
            if (named.count(stem) == 0) left_out.push_back(file.generic_string());
        }
    }
    CHECK(left_out == std::vector<std::string>{});
}

TEST_CASE("every page for operators and authors of contracts is installed") {
    auto const pages = installed_pages();
    std::vector<std::string> missing;
    for (auto const& page : documents()) {
        // How the package is made, and the sandbox, which is another one.
        bool const is_of_others = page.path.rfind("deploy/package/", 0) == 0
                                  || page.path.rfind("deploy/sandbox/", 0) == 0;
        bool const is_wanted = page.path.find('/') == std::string::npos
                               || page.path.rfind("config/", 0) == 0
                               || page.path.rfind("deploy/", 0) == 0;
        if (is_wanted && !is_of_others
            && std::find(pages.begin(), pages.end(), page.path) == pages.end())
            missing.push_back(page.path);
    }
    CHECK(missing == std::vector<std::string>{});
    CHECK(pages.size() > 30);
}

TEST_CASE("pages that are installed lead to each other alone") {
    auto const pages = installed_pages();
    std::size_t kept = 0;
    for (auto const& page : pages) {
        std::vector<std::string> command{(project_folder() / "deploy/package/page").string(), page};
        command.insert(command.end(), pages.begin(), pages.end());
        auto const made = sallyport::test::run({command});
        CAPTURE(page, made.error);
        REQUIRE(made.exit_code == 0);
        CHECK(made.output.size() > sallyport::test::read_file(project_folder() / page).size() / 2);
        static std::regex const link{R"(\]\(([^)#]*)(#[^)]*)?\))"};
        for (std::sregex_iterator found{made.output.begin(), made.output.end(), link}, end;
             found != end; ++found) {
            auto const target = (*found)[1].str();
            if (target.empty() || target.rfind("https://", 0) == 0) continue;
            CAPTURE(target);
            auto const path = (fs::path{page}.parent_path() / target).lexically_normal();
            CHECK(std::find(pages.begin(), pages.end(), path.generic_string()) != pages.end());
            ++kept;
        }
    }
    CHECK(kept > 5);
}

} // namespace links_test
