// The violation of a contract rule by a body or a parameter.
#pragma once

#include "gateway/contract/client_text.h"
#include "gateway/contract/level.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract {

/// Where the value was sent: in the body or a parameter of a request, or in the response.
enum class ValuePlace : std::uint8_t { body, path, query, header, cookie, response };

/// The names used in logs and messages.
[[nodiscard]] constexpr std::string_view name_of(ValuePlace place) noexcept {
    switch (place) {
    case ValuePlace::body: return "body";
    case ValuePlace::path: return "path";
    case ValuePlace::query: return "query";
    case ValuePlace::header: return "header";
    case ValuePlace::cookie: return "cookie";
    case ValuePlace::response: break;
    }
    return "response";
}

/// One violated rule at one place. Never contains the invalid value. The name of a property that
/// the contract does not declare is `*` in all fields but the two ClientTexts. Views point into the
/// contract, which outlives every exchange of its snapshot.
struct Violation {
    ValuePlace in = ValuePlace::body;
    std::string_view name;    // of the parameter; empty for a body
    std::string pointer;      // JSON Pointer into the value, RFC 6901; empty: the whole value
    std::string_view rule;    // the keyword: "maximum"; "false" where no value is valid
    std::string expected;     // operand of the rule as JSON text; may be empty
    std::string phrase;       // the end of the message: "must be at most 64"
    std::string_view missing; // the required property that is absent, to which the phrase refers
    std::string_view rule_pointer; // keyword location from the body schema, including `$ref` steps
    std::string_view source;       // the nearest `x-source`: "management 2.3"; may be empty
    std::string_view file;         // the file of the rule; empty: none
    unsigned line = 0;             // its line there, from 1
    Level level = Level::enforce;

    /// Only for enforced rules: what is only reported is not sent to clients.
    ClientText pointer_as_sent; // with names in the place of `*`; empty: `pointer` has no `*`
    std::vector<ClientText> undeclared; // names that are not allowed, for the `*` at the end
    std::size_t undeclared_left = 0;    // number of further names
};

/// RFC 6901, 3: appends one step, with `~` and `/` escaped.
void append_step(std::string& pointer, std::string_view name);

/// Maximum length of a client's own name in a message, in characters; cut_name() cuts the rest off.
inline constexpr std::size_t longest_client_name = 64;
/// `name` itself, or its first characters and an ellipsis.
[[nodiscard]] std::string cut_name(std::string_view name);

/// The number of violations that the client receives for it: one for each undeclared name.
[[nodiscard]] inline std::size_t count_for_client(Violation const& violation) noexcept {
    return violation.undeclared.empty() ? 1 : violation.undeclared.size();
}

/// Append the pointer, and the message, of violation number `which` (from 0, below
/// count_for_client):
/// "/db_max_threads must be at most 64", "limit must be at most 100". Control characters in names
/// of the client are escaped (`\u000a`).
void append_pointer(std::string& out, Violation const& violation, std::size_t which, ToItsSender);
void append_message(std::string& out, Violation const& violation, std::size_t which, ToItsSender);

} // namespace sallyport::contract
