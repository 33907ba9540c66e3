// A rule of a contract that a body or a parameter breaks, and how strictly rules are held.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::contract {

/// How a schema keyword is held: refuse, let pass and tell, or do not ask.
enum class Level : std::uint8_t { enforce, report, off };

/// One broken rule. Never holds the offending value, nor a member name that the contract does not
/// declare (`*` stands for it). Views point into the contract, which outlives every exchange of its snapshot.
struct Violation {
    std::string pointer;         // JSON Pointer into the body, RFC 6901
    std::string_view rule;       // the keyword: "maximum"
    std::string expected;        // what the rule asks for, as JSON text; may be empty
    std::string_view rule_pointer; // keyword location from the body schema, `$ref` steps included
    std::string_view source;     // the nearest `x-source`: "management 2.3"
    Level level = Level::enforce;
    std::string message;         // one line for people: "/db_max_threads must be at most 64"
};

} // namespace sallyport::contract
