// JSONPath (RFC 9535): queries that select nodes of a document.
#pragma once

#include "config/yaml.h"
#include "gateway/contract/overlay/jsonpath_query.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract::jsonpath {

inline constexpr std::size_t max_text = 16 * 1024;    // bytes of a query
inline constexpr std::size_t max_nesting = 32;        // filters and parentheses in each other
inline constexpr std::size_t max_matches = 1'000'000; // of one list of nodes
inline constexpr std::size_t max_patterns = 100;      // different ones in one evaluation

/// The result of parsing: a query, or why the text is not one.
struct Parsed {
    std::optional<Query> query;
    std::size_t offset = 0; // of the problem: bytes from the beginning of the text
    std::string error;      // "a quote is never closed"
    std::string hint;       // what to write instead; may be empty
};

/// Parses a query that begins with `$` (RFC 9535, 2.1), with the type checks of functions (2.4.3).
[[nodiscard]] Parsed parse(std::string_view text);

/// The work that may be done, shared by several evaluations. The unit is one node that is looked
/// at; other work is counted by its cost.
struct Work {
    std::uint64_t left = 100'000'000;

    /// False: there is not that much left, and `left` is 0.
    [[nodiscard]] bool take(std::uint64_t amount) noexcept {
        if (amount > left) {
            left = 0;
            return false;
        }
        left -= amount;
        return true;
    }
};

/// The place of a node: indices into items() or entries(), from the root. Stays valid while values
/// are only appended around it.
using Location = std::vector<std::uint32_t>;

struct Match {
    config::yaml::Node const* node = nullptr;
    Location location;
};

/// What a query selects. Duplicates are kept (RFC 9535, 2.1.2); properties of objects are in the
/// order of the document.
struct Selected {
    std::vector<Match> matches;
    bool is_whole = true; // false: the work, or max_matches, did not suffice
    /// A pattern that is no I-Regexp (RFC 9485), so that match() or search() is false; empty: none.
    std::string bad_pattern;
    std::string pattern_error;
};

[[nodiscard]] Selected select(Query const& query, config::yaml::Node const& root, Work& work);

/// RFC 9535, 2.7: `$['paths']['/a'][0]`.
[[nodiscard]] std::string normalized_path(config::yaml::Node const& root, Location const& location);

} // namespace sallyport::contract::jsonpath
