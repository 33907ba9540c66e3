// What tests of `check` look for in its output.
#pragma once

#include "tests/end_to_end/prepared.h"
#include "tests/support/text.h"

#include <catch2/catch.hpp>

#include <regex>
#include <string>

namespace sallyport::test {

/// Of a problem: `file:line:column: path: what; what to write`.
inline bool has_problem(Finished const& finished, std::string const& file, std::string const& path,
                        std::string const& words) {
    auto const text = finished.output + finished.error;
    std::regex const line{"(^|\n)[^\n]*" + file + ":[0-9]+:[0-9]+: " + path + ": [^\n]*" + words};
    return std::regex_search(text, line);
}

/// The path of a contract of the examples.
inline std::string contract(std::string const& name) {
    return contracts_folder() + "/" + name + ".yaml";
}

} // namespace sallyport::test
