// A rule of a contract that a body or a parameter breaks.
#pragma once

#include "gateway/contract/level.h"

#include <string>
#include <string_view>

namespace sallyport::contract {

// One broken rule at one place. Never holds the offending value, nor a member name that the
// contract does not declare
// (`*` stands for it). Views point into the contract, which outlives every exchange of its
// snapshot.
struct Violation {
    std::string pointer;           // JSON Pointer into the body, RFC 6901; empty: the whole of it
    std::string_view rule;         // the keyword: "maximum"; "false" where nothing may stand
    std::string expected;          // what the rule asks for, as JSON text; may be empty
    std::string_view rule_pointer; // keyword location from the body schema, `$ref` steps included
    std::string_view source;       // the nearest `x-source`: "management 2.3"; may be empty
    std::string_view file;         // where the rule stands; empty: nowhere
    unsigned line = 0;             // in it, from 1
    Level level = Level::enforce;
    std::string message; // one line for people: "/db_max_threads must be at most 64"
};

} // namespace sallyport::contract
