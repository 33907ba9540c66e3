// The changelog's form, and that its newest version is that of the sources.
#include "tests/documentation/project.h"
#include "tests/support/temporary_folder.h"

#include <catch2/catch.hpp>

#include <array>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace changelog_test {

using namespace sallyport::documentation;
using namespace sallyport;

namespace {

using Version = std::array<int, 3>;
using Problems = std::vector<std::string>;

Version version_of(std::string const& text) {
    Version version{};
    char dot = 0;
    std::istringstream{text} >> version[0] >> dot >> version[1] >> dot >> version[2];
    return version;
}

// What is wrong with a changelog of sources with this version.
Problems problems_of(std::string const& changelog, std::string const& sources) {
    static std::regex const release{R"(## \[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2})"};
    static std::set<std::string> const groups{"### Added",   "### Changed", "### Deprecated",
                                              "### Removed", "### Fixed",   "### Security"};
    Problems problems;
    std::vector<std::string> versions;
    std::size_t sections = 0;
    std::istringstream lines{changelog};
    for (std::string line; std::getline(lines, line);) {
        std::smatch match;
        if (line.rfind("### ", 0) == 0) {
            if (groups.count(line) == 0) problems.push_back("unknown group: " + line);
        } else if (line.rfind("## ", 0) == 0) {
            bool const is_first = ++sections == 1;
            bool const is_release = std::regex_match(line, match, release);
            if (is_first != (line == "## [Unreleased]"))
                problems.push_back("Unreleased is the first section, and no other");
            else if (!is_first && !is_release)
                problems.push_back("no version with a date: " + line);
            if (is_release) versions.push_back(match[1]);
        }
    }
    if (sections == 0) problems.push_back("no section");
    for (std::size_t i = 1; i < versions.size(); ++i) {
        if (version_of(versions[i - 1]) <= version_of(versions[i]))
            problems.push_back("not in front of an older version: " + versions[i - 1]);
    }
    if (!versions.empty() && versions.front() != sources)
        problems.push_back("the newest version is not " + sources + ": " + versions.front());
    return problems;
}

} // namespace

TEST_CASE("the newest version of the changelog is that of the sources") {
    auto const build = test::read_file(project_folder() / "CMakeLists.txt");
    static std::regex const project{R"(project\(sallyport VERSION (\d+\.\d+\.\d+) )"};
    std::smatch match;
    REQUIRE(std::regex_search(build, match, project));
    CHECK(problems_of(document("CHANGELOG.md").text, match[1]) == Problems{});
}

TEST_CASE("a changelog has a form, and each error in one is reported") {
    std::string const open = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- x\n\n";
    std::string const released = "## [0.10.0] - 2026-12-01\n\n## [0.9.0] - 2026-11-30\n";
    CHECK(problems_of(open, "0.1.0") == Problems{});
    CHECK(problems_of(open + released, "0.10.0") == Problems{});
    CHECK(problems_of(open + released, "0.11.0")
          == Problems{"the newest version is not 0.11.0: 0.10.0"});
    CHECK(problems_of(open + "## [0.9.0] - 2026-11-30\n## [0.10.0] - 2026-12-01\n", "0.9.0")
          == Problems{"not in front of an older version: 0.9.0"});
    CHECK(problems_of(open + "## [0.9.0]\n", "0.9.0")
          == Problems{"no version with a date: ## [0.9.0]"});
    CHECK(problems_of(released, "0.10.0")
          == Problems{"Unreleased is the first section, and no other"});
    CHECK(problems_of(open + open, "0.1.0")
          == Problems{"Unreleased is the first section, and no other"});
    CHECK(problems_of(open + "### News\n", "0.1.0") == Problems{"unknown group: ### News"});
    CHECK(problems_of("# Changelog\n", "0.1.0") == Problems{"no section"});
}

} // namespace changelog_test
