// Reads the case files: blocks of a keyword with an argument and indented lines below it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::test {

struct Block {
    std::string keyword;
    std::string argument;
    std::vector<std::string> lines; // without their indentation
    std::string place;              // file:line, for messages
};

/// `# ...` at the start of a line is a comment, and empty lines separate. A line `| TEXT` or `
/// TEXT` belongs to the keyword above it. Throws std::runtime_error for anything else.
std::vector<Block> read_blocks(std::filesystem::path const& file);

/// Every .cases file of a folder of cases, in order; throws if there is none.
std::vector<std::filesystem::path> case_files(std::string_view folder);

/// Whether a case is to be run: SALLYPORT_HOSTILE_ONLY, if set, is a part of its name.
bool is_chosen(std::string_view name);

using Names = std::map<std::string, std::string, std::less<>>;

/// Replaces `{name}` by its value (which is not expanded again), `{repeat N TEXT}` by TEXT N times,
/// and `\r \n \t \s \\ \{ \}` and `\xHH` by their bytes (`\s` is a space). Throws for an unknown
/// name or escape.
std::string expand(std::string_view text, Names const& names);

/// The bytes of lines: each ends in CR LF, unless its last character is a backslash.
std::string bytes_of(std::vector<std::string> const& lines, Names const& names);

} // namespace sallyport::test
