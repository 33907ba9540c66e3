// Reads documents/*.yaml, the statements of an API's document about every property, into rows, one
// per property and place.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sallyport::contract::test {

enum class Side { request, response };

/// One property at one place of one body, and all statements of the document about it.
struct MemberRow {
    std::string operation;
    Side side = Side::request;
    std::string pointer; // of the property in the body; elements of arrays have index 0
    std::string rule;    // the schema of the property: the prefix of its rule pointers
    std::string source;  // "management 2.3", of the property's own rules

    std::vector<std::string> types; // of JSON; empty: none in the document, or an enum
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
    bool has_conditions = false; // the property has an x-when
    bool is_element = false;     // an element of an array, not a property of an object
    std::string object_rule;     // the schema of the object around it
    std::string object_source;   // and its section
    /// The rules of the envelope for its only property, in addition to those of the property
    /// itself.
    std::vector<std::string> envelope_types;
    /// What the body must also contain to be valid: JSON text by pointer.
    std::vector<std::pair<std::string, std::string>> around;

    [[nodiscard]] std::string name() const { return pointer.substr(pointer.rfind('/') + 1); }
    [[nodiscard]] bool allows(std::string const& type) const;
};

struct Document {
    std::string name;     // "management"
    std::string contract; // the file, relative to the root of the project
    std::vector<std::string> sections;
    std::vector<std::string> secrets;
    std::vector<MemberRow> rows;

    [[nodiscard]] bool has_section(std::string const& source) const; // "management 2.3"
};

/// Both documents; a file with unexpected content fails the test.
[[nodiscard]] std::vector<Document> const& documents();

} // namespace sallyport::contract::test
