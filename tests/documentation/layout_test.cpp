// The form of pages: lines that fit on a screen, and pages that are read in one go.
#include "tests/documentation/project.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace layout_test {

using namespace sallyport::documentation;

namespace {

constexpr std::size_t most_characters = 120;
constexpr std::size_t most_lines = 300;

// Tables that a program writes.
std::set<std::string> const written_by_a_program{"tests/mutation/TABLE.md"};

// Code points of UTF-8: every byte but those that continue one.
std::size_t characters_of(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
}

// A row of a table cannot be broken; nor can a line of code, which is none of the prose.
bool is_row(std::string_view line) {
    auto const first = line.find_first_not_of(' ');
    return first != std::string_view::npos && line[first] == '|';
}

std::vector<std::string> problems_of(Document const& document) {
    std::vector<std::string> problems;
    for (auto const& [number, text] : document.page.lines) {
        if (!is_row(text) && characters_of(text) > most_characters)
            problems.push_back(place(document, number) + " is too wide");
    }
    if (lines_of(document.text).size() > most_lines)
        problems.push_back(document.path + " is too long");
    return problems;
}

Document made_of(std::string const& text) {
    return {"page.md", text, read_page(text)};
}

using Problems = std::vector<std::string>;

} // namespace

TEST_CASE("pages are at most 120 characters wide and 300 lines long") {
    std::vector<std::string> problems;
    for (auto const& page : documents()) {
        if (written_by_a_program.count(page.path) == 1) continue;
        auto const found = problems_of(page);
        problems.insert(problems.end(), found.begin(), found.end());
    }
    CHECK(problems == Problems{});
    for (auto const& path : written_by_a_program)
        CHECK_FALSE(problems_of(document(path)).empty());
}

TEST_CASE("a line that is too wide and a page that is too long are found") {
    std::string const fits(most_characters, 'a');
    std::string const wide = fits + "a";
    CHECK(problems_of(made_of(fits + "\n")) == Problems{});
    CHECK(problems_of(made_of("# Head\n\n" + wide + "\n")) == Problems{"page.md:3 is too wide"});
    CHECK(problems_of(made_of("- " + fits + "\n")) == Problems{"page.md:1 is too wide"});
    // Characters, not bytes.
    std::string umlauts;
    for (std::size_t i = 0; i < most_characters; ++i)
        umlauts += "\xc3\xbc";
    CHECK(problems_of(made_of(umlauts + "\n")) == Problems{});
    CHECK(problems_of(made_of(umlauts + "a\n")) == Problems{"page.md:1 is too wide"});
    // What cannot be broken.
    CHECK(problems_of(made_of("| " + wide + " |\n  | " + wide + " |\n")) == Problems{});
    CHECK(problems_of(made_of("```\n" + wide + "\n```\n\n    " + wide + "\n")) == Problems{});

    std::string page;
    for (std::size_t i = 0; i < most_lines; ++i)
        page += "a\n";
    CHECK(problems_of(made_of(page)) == Problems{});
    CHECK(problems_of(made_of(page + "a\n")) == Problems{"page.md is too long"});
}

} // namespace layout_test
