// How a body that is not JSON is read for its schema: the fields of a form, the parts of a
// multipart body, a text.
#pragma once

#include "gateway/contract/contract.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sallyport::contract {

/// minLength or maxLength of a file, in bytes.
struct SizeRule {
    enum class Bound : std::uint8_t { least, most };
    Bound bound = Bound::most;
    std::uint64_t size = 0;
    std::uint32_t rule = 0; // into Program::rules
};

/// What the value of a field is.
enum class FieldContent : std::uint8_t {
    text,  // read as its schema says (Reading)
    json,  // a JSON text: the whole field, or each item of a list
    bytes, // a file, of which only size and media type are checked (OpenAPI 3.1, 4.8.14.4)
};

/// One field of a form: a property of the object that the schema describes. Lists and objects of
/// text are described as a Parameter, as in queries, whose place is `query`.
struct FormField {
    FieldContent content = FieldContent::text;
    Part part; // of a plain value
    /// Whether it may also be a plain value, or an object as JSON, where its parameter is a list or a
    /// plain value: the first that is valid for `part` is taken.
    bool is_several = false;
    bool may_be_plain = false;
    bool may_be_object = false;
    // Of a multipart body:
    std::vector<SizeRule> sizes;            // of bytes
    std::vector<std::string> content_types; // lower case, or ranges; empty: those of the content
    std::optional<std::uint32_t> content_type_rule; // into Program::rules; set if these are
    std::vector<Parameter> headers;                 // of its part (encoding.headers)
};

/// The fields of a form or a multipart body, its parts by position, or how a text is read.
struct FormBody {
    PairParameters fields;          // the declared ones
    std::vector<FormField> details; // one each

    /// Fields whose names match a pattern (patternProperties), and all others.
    struct Undeclared {
        std::uint32_t pattern = 0; // into Program::patterns
        Parameter parameter;       // a value, a list or JSON
        FormField detail;
    };
    std::vector<Undeclared> patterns;
    Undeclared others;
    bool others_are_free = false; // no schema describes them: their values are not read

    // Of a multipart body without names: its first parts; `others` are all that follow.
    std::vector<Undeclared> first;
    bool are_items = false; // the schema is that of each part, not of the array of all

    Reading reading; // of a text
};

} // namespace sallyport::contract
