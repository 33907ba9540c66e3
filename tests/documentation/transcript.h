// A session at a terminal as a page shows it: commands behind `$ `, then what they print.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::documentation {

struct Step {
    std::string command;  // lines that end in a backslash are joined by the shell
    std::string expected; // what it prints, with the line feed at its end; empty: not said
};

std::vector<Step> read_transcript(std::string_view text);

/// Whether `printed` is what was expected, where `...` stands for anything, line feeds included.
/// White space at the end of lines does not count.
bool is_expected(std::string_view printed, std::string_view expected);

} // namespace sallyport::documentation
