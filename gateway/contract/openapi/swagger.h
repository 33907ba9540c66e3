// Objects of Swagger 2.0 (OpenAPI 2.0) that version 3.0 writes differently, as 3.0 writes them.
// Values keep the marks of the document; schemas are left alone: they have a dialect of their own.
#pragma once

#include "config/yaml.h"

#include <string_view>
#include <vector>

namespace sallyport::contract::swagger {

using config::yaml::Node;

/// The schema that a parameter, or a field of a response, is itself: all but its own keys.
[[nodiscard]] Node schema_in(Node const& object);

/// How the values of a list are written in one text, or in several of one name.
enum class CollectionFormat : std::uint8_t { csv, ssv, tsv, pipes, multi };

/// A parameter of a path, query or field with `schema` and `style`. `format`: of a list in a query,
/// else null.
[[nodiscard]] Node parameter_of(Node const& parameter, CollectionFormat const* format);

/// A field of a response with `schema`.
[[nodiscard]] Node header_of(Node const& header);

/// `{style, explode}` of a list in a query or a form.
[[nodiscard]] Node encoding_of(Node const& parameter, CollectionFormat format);

/// `{schema}`: a media type; without the schema if that is null.
[[nodiscard]] Node media_type_of(Node const& at, Node const* schema);

/// Whether it is `type: file`: bytes, of a response or a field of a form.
[[nodiscard]] bool is_file(Node const& schema);

/// A mapping without an entry, with the mark of a node.
[[nodiscard]] Node nothing_at(Node const& node);

/// The mapping with another entry; one with the same key is replaced. `key` has the mark of
/// `value`.
[[nodiscard]] Node with(Node mapping, std::string_view key, Node value);

} // namespace sallyport::contract::swagger
