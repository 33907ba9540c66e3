// A rule of a contract that a body or a parameter breaks.
#pragma once

#include "gateway/contract/client_text.h"
#include "gateway/contract/level.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract {

/// Where the value came from: of a request its body or a parameter, or the response.
enum class ValuePlace : std::uint8_t { body, path, query, header, response };

[[nodiscard]] constexpr std::string_view name_of(ValuePlace place) noexcept {
    switch (place) {
    case ValuePlace::body: return "body";
    case ValuePlace::path: return "path";
    case ValuePlace::query: return "query";
    case ValuePlace::header: return "header";
    case ValuePlace::response: break;
    }
    return "response";
}

/// One broken rule at one place. Never holds the offending value. A member name that the contract
/// does not declare is `*` in all but the two ClientTexts. Views point into the contract, which
/// outlives every exchange of its snapshot.
struct Violation {
    ValuePlace in = ValuePlace::body;
    std::string_view name;         // of the parameter; empty: of a body, which has none
    std::string pointer;           // JSON Pointer into the value, RFC 6901; empty: the whole of it
    std::string_view rule;         // the keyword: "maximum"; "false" where nothing may stand
    std::string expected;          // what the rule asks for, as JSON text; may be empty
    std::string phrase;            // what is wrong at the place: "must be at most 64"
    std::string_view missing;      // the declared member that is not there, of which the phrase is
    std::string_view rule_pointer; // keyword location from the body schema, `$ref` steps included
    std::string_view source;       // the nearest `x-source`: "management 2.3"; may be empty
    std::string_view file;         // where the rule stands; empty: nowhere
    unsigned line = 0;             // in it, from 1
    Level level = Level::enforce;

    /// Of enforced ones alone: what is only reported is told to no client.
    ClientText pointer_as_sent;         // with names in the place of `*`; empty: `pointer` has none
    std::vector<ClientText> undeclared; // the names that may not be there: of the `*` at the end
    std::size_t undeclared_left = 0;    // how many there are beyond those
};

/// RFC 6901, 3: adds one step, `~` and `/` escaped.
void append_step(std::string& pointer, std::string_view name);

/// A name of the client's own, cut behind 64 characters.
inline constexpr std::size_t longest_client_name = 64;
[[nodiscard]] std::string cut_name(std::string_view name);

/// As how many violations its sender is told of it: one for each name that nobody declared.
[[nodiscard]] inline std::size_t count_told(Violation const& violation) noexcept {
    return violation.undeclared.empty() ? 1 : violation.undeclared.size();
}

/// Of the one with the number `which` of those, from 0: the pointer, and one line for people
/// ("/db_max_threads must be at most 64", "limit must be at most 100"), in which controls of the
/// client's names are escaped (`\u000a`).
void append_pointer(std::string& out, Violation const& violation, std::size_t which, ToItsSender);
void append_message(std::string& out, Violation const& violation, std::size_t which, ToItsSender);

} // namespace sallyport::contract
