// Reads documents/*.yaml, what an API's document says of every member, and walks it into rows, one
// a member and place.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sallyport::contract::test {

enum class Side { request, response };

/// One member at one place of one body, and all that the document says of it.
struct MemberRow {
    std::string operation;
    Side side = Side::request;
    std::string pointer; // of the member in the body; elements of arrays are asked for at 0
    std::string rule;    // where the member's schema stands: the front of its rule pointers
    std::string source;  // "management 2.3", of the member's own rules

    std::vector<std::string> types; // of JSON; empty: the document says nothing, or it is an enum
    bool is_enum = false;
    std::vector<std::string> values; // of an enum
    std::optional<std::string> constant;
    std::optional<std::string> least;
    std::optional<std::string> most;
    std::optional<std::string> multiple;
    std::optional<std::size_t> longest; // code points
    std::optional<std::string> pattern;
    std::string format; // "uuid", "date-time" or empty
    bool milliseconds = false;
    std::optional<std::size_t> fewest_elements;
    std::optional<std::size_t> most_elements;
    bool required = false;
    bool deprecated = false;
    bool secret = false;
    bool has_conditions = false; // an x-when stands at the member
    bool is_element = false;     // an element of an array, not a member of an object
    std::string object_rule;     // where the schema of the object around it stands
    std::string object_source;   // and its section
    /// What the envelope says of its one member, beside the rules of what stands in it.
    std::vector<std::string> envelope_types;
    /// What else the body must hold for it to pass: JSON text by pointer.
    std::vector<std::pair<std::string, std::string>> around;

    [[nodiscard]] std::string name() const { return pointer.substr(pointer.rfind('/') + 1); }
    [[nodiscard]] bool allows(std::string const& type) const;
};

struct Document {
    std::string name;     // "management"
    std::string contract; // the file, from the root of the project
    std::vector<std::string> sections;
    std::vector<std::string> secrets;
    std::vector<MemberRow> rows;

    [[nodiscard]] bool has_section(std::string const& source) const; // "management 2.3"
};

/// Both documents; a file that does not read as expected fails the test that asks.
[[nodiscard]] std::vector<Document> const& documents();

} // namespace sallyport::contract::test
