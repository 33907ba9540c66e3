// The comparison of transcripts: a test that takes anything for expected would test nothing.
#include "tests/documentation/transcript.h"

#include "tests/documentation/markdown.h"

#include <catch2/catch.hpp>

namespace transcript_test {

using namespace sallyport::documentation;

TEST_CASE("what was not promised is not expected") {
    CHECK_FALSE(is_expected("right\n", "wrong\n"));
    CHECK_FALSE(is_expected("right\nmore\n", "right\n"));
    CHECK_FALSE(is_expected("HTTP/1.1 200 OK\n", "HTTP/1.1 400 ...\n"));
    CHECK_FALSE(is_expected("a c\n", "a ... b ... c\n"));
    CHECK_FALSE(is_expected("a b\n", "a ... c\n"));
    CHECK_FALSE(is_expected("ab\n", "ab...b\n"));
}

TEST_CASE("dots stand for anything between what was promised") {
    CHECK(is_expected("right\n", "right\n"));
    CHECK(is_expected("right  \r\n\n", "right\n"));
    CHECK(is_expected("HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody\n", "HTTP/1.1 200 OK\n...\nbody\n"));
    CHECK(is_expected("{\"a\":1,\"b\":2}\n", "{...\"b\":2}\n"));
    CHECK(is_expected("first\nsecond\nthird\n", "first\n...\n"));
}

TEST_CASE("a transcript is commands, each with what it prints") {
    auto const steps = read_transcript("$ one \\\n    --more\nprinted\nprinted too\n$ two\n");
    REQUIRE(steps.size() == 2);
    CHECK(steps[0].command == "one \\\n    --more");
    CHECK(steps[0].expected == "printed\nprinted too\n");
    CHECK(steps[1].command == "two");
    CHECK(steps[1].expected.empty());
}

TEST_CASE("blocks, links and rows of a page are found") {
    auto const page =
        read_page("# Head & line\n\nSee [this](a.md#b).\n\n    indented\n\n    more\n\n"
                  "```yaml file.yaml\na: 1\n```\n| `a|b` | c |\n");
    REQUIRE(page.blocks.size() == 2);
    CHECK(page.blocks[0].language.empty());
    CHECK(page.blocks[0].text == "indented\nmore\n");
    CHECK(page.blocks[1].language == "yaml");
    CHECK(page.blocks[1].argument == "file.yaml");
    CHECK(page.blocks[1].text == "a: 1\n");
    CHECK(page.blocks[1].line == 10);
    REQUIRE(page.links.size() == 1);
    CHECK(page.links[0].target == "a.md#b");
    REQUIRE(page.rows.size() == 1);
    CHECK(page.rows[0].cells == std::vector<std::string>{"`a|b`", "c"});
    CHECK(anchor_of(page.headings.at(0)) == "head--line");
    CHECK(code_words("`one` and `two`") == std::vector<std::string>{"one", "two"});
}

} // namespace transcript_test
