// Tables of refused documents: refused/*.txt.
//
// A case is some lines of a document, then `-> ` and each message that is expected, without the
// file's name. Cases are set apart by empty lines; lines that begin with `#` are comments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::config::test {

struct Case {
    std::string text;
    std::string problems; // a line each
};

// `file`: what each message begins with, such as `c.yaml:`.
std::vector<Case> read_cases(std::string const& name, std::string_view file);

} // namespace sallyport::config::test
