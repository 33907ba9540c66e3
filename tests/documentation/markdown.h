// The parts of a Markdown page that a test can hold to something: code blocks, links, tables.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::documentation {

/// ```language argument ... ```, or lines indented by four, which have no language.
struct Block {
    std::size_t line = 0; // of its first line of text
    std::string language;
    std::string argument; // what stands behind the language; not shown to readers
    std::string text;     // with the line feed at its end
};

struct Link {
    std::size_t line = 0;
    std::string target;
};

struct Row {
    std::size_t line = 0;
    std::vector<std::string> cells; // without the white space around them
};

struct Line {
    std::size_t line = 0;
    std::string text;
};

struct Page {
    std::vector<std::string> headings; // without their marks
    std::vector<Block> blocks;
    std::vector<Link> links;
    std::vector<Row> rows;   // of all tables, their heads included
    std::string prose;       // all but the blocks
    std::vector<Line> lines; // of the prose, with their numbers
};

Page read_page(std::string_view text);

/// What stands between backticks, in order.
std::vector<std::string> code_words(std::string_view text);

std::vector<std::string> lines_of(std::string_view text);

/// A heading's anchor, as forges make it: lower case, spaces to hyphens, other signs dropped.
std::string anchor_of(std::string_view heading);

} // namespace sallyport::documentation
