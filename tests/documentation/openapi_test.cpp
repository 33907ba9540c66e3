// The page on OpenAPI: it has a row for each keyword and format that is implemented, and for no
// other.
#include "tests/documentation/project.h"
#include "tests/support/temporary_folder.h"

#include <catch2/catch.hpp>

#include <regex>
#include <set>
#include <string>

namespace openapi_test {

using namespace sallyport::documentation;
using namespace sallyport;

namespace {

// The words of the column in tables whose head begins so, by the cells that are `yes` in another
// column; of all rows where that is 0.
std::set<std::string> words_of(std::string const& head, std::size_t column) {
    std::set<std::string> words;
    bool in_table = false;
    std::size_t last = 0;
    for (auto const& row : document("config/schemas.md").page.rows) {
        if (row.line != last + 1) in_table = row.cells.at(0) == head;
        last = row.line;
        if (!in_table || (column != 0 && row.cells.at(column) != "yes")) continue;
        for (auto const& word : code_words(row.cells[0]))
            words.insert(word);
    }
    return words;
}

std::set<std::string> matches_in(std::string const& file, std::regex const& pattern) {
    auto const source = test::read_file(project_folder() / file);
    std::set<std::string> words;
    for (std::sregex_iterator found{source.begin(), source.end(), pattern}, end; found != end;
         ++found)
        words.insert((*found)[1]);
    return words;
}

} // namespace

TEST_CASE("the page on OpenAPI has every keyword, by the version that has it") {
    auto const table = "gateway/contract/schema/compile_table.cpp";
    auto implemented = matches_in(table, std::regex{R"re(\{"([$\w-]+)", &SchemaCompiler::)re"});
    CHECK(implemented.erase("x-nullable") == 1); // of Swagger 2.0 alone: config/swagger.md
    auto beyond_3_0 = matches_in(table, std::regex{R"re("([$\w-]+)"sv)re"});
    for (auto const* const without_rules : {"$defs", "$vocabulary", "definitions"})
        CHECK(beyond_3_0.erase(without_rules) == 1);
    beyond_3_0.merge(matches_in("gateway/contract/schema/dialect.cpp",
                                std::regex{R"re(std::string_view\{"([$\w-]+)"\})re"}));
    CHECK(implemented.size() > 60);
    CHECK(beyond_3_0.size() > 18);
    CHECK(words_of("keyword", 0) == implemented);

    CHECK(words_of("keyword", 1) == implemented);
    auto in_3_0 = implemented;
    for (auto const& word : beyond_3_0)
        in_3_0.erase(word);
    CHECK(words_of("keyword", 2) == in_3_0);
}

TEST_CASE("the page on OpenAPI has every format that is checked") {
    auto const checked = matches_in("gateway/contract/schema/format.cpp",
                                    std::regex{R"re(FormatName\{"([\w-]+)")re"});
    CHECK(checked.size() > 15);
    CHECK(words_of("format", 0) == checked);
}

} // namespace openapi_test
