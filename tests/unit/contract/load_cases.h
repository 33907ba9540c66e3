// What the tests of documents that do not load, or load with a warning, have in common.
#pragma once

#include <string>

namespace sallyport::contract::test {

/// A document, and the one line that it has to bring about.
struct LoadCase {
    std::string text;
    std::string problem;
};

/// A document with one operation, of which `operation` is written from column 7 of line 8 on.
[[nodiscard]] inline std::string with_operation(std::string const& operation) {
    return "openapi: 3.1.0\ninfo: {title: T}\npaths:\n  /a/{id}:\n    parameters: [{name: id, "
           "in: path, required: true, schema: {}}]\n    post:\n      "
           + operation + "\n";
}

} // namespace sallyport::contract::test
