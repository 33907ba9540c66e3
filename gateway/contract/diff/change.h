// What differs between two documents of an API, and for whom it matters.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sallyport::contract {

enum class ChangeClass : std::uint8_t {
    stricter, // a request that passed may be refused
    looser,   // more passes
    neutral,  // the same requests pass
};

/// One difference of an operation.
struct Change {
    std::string operation; // its name: of the new document if it is there
    std::string method;
    std::string path; // the template of the new document if it is there
    std::string
        where;        // JSON Pointer (RFC 6901) into the new document, or the old one if it is gone
    std::string what; // a keyword, or in words: "maximum", "property added"
    std::string before; // as JSON, shortened; empty: it was not there
    std::string after;
    ChangeClass kind = ChangeClass::neutral;
    bool is_undecided = false; // it could not be shown that nothing is refused: stricter
    bool is_of_response = false;
    // The names of the other operations that have the same change, and of those in whose responses
    // alone it is; operations that share a schema share what changes in it.
    std::vector<std::string> others;
    std::vector<std::string> in_responses_of;
};
using Changes = std::vector<Change>;

/// A change at a place; who adds it fills in its operation.
[[nodiscard]] inline Change change_at(std::string where, std::string what, ChangeClass kind,
                                      bool is_undecided = false) {
    Change change;
    change.where = std::move(where);
    change.what = std::move(what);
    change.kind = kind;
    change.is_undecided = is_undecided;
    return change;
}

} // namespace sallyport::contract
