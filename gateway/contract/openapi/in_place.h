// What the schemas of a document say of one value, before they are compiled.
#pragma once

#include "gateway/contract/schema/documents.h"

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace sallyport::contract {

/// Calls `visit` for the schema and each that may apply to the same value: by `$ref`, allOf, anyOf
/// and oneOf. A reference that leads nowhere is skipped: the compiler reports it.
void visit_schemas_in_place(Documents& documents, Target const& schema,
                            std::function<void(Target const&)> const& visit);

/// Whether a value is bytes and not text: `format: binary`, or a contentMediaType that is not text
/// without contentEncoding (OpenAPI 3.1, 4.8.14.2).
[[nodiscard]] bool is_binary(Documents& documents, Target const& schema);

/// The schemas of a property, wherever an object's schema has them.
[[nodiscard]] std::vector<Target> schemas_of_property(Documents& documents, Target const& object,
                                                      std::string_view name);
/// Those in `additionalProperties`, or in `items` of a list.
[[nodiscard]] std::vector<Target> schemas_below(Documents& documents, Target const& schema,
                                                std::string_view keyword);

/// Those of the item at an index of a list: in `prefixItems`, else in `items`.
[[nodiscard]] std::vector<Target> schemas_of_item(Documents& documents, Target const& list,
                                                  std::size_t index);
/// Whether a schema, or one in place with it, has one of these keywords.
[[nodiscard]] bool has_keyword(Documents& documents, Target const& schema,
                               std::initializer_list<std::string_view> keywords);

/// Whether a schema only states that the body is bytes or any string.
[[nodiscard]] bool says_only_bytes(config::yaml::Node const& schema);

} // namespace sallyport::contract
