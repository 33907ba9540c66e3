// The contract files: schemas found by operation and rule pointer, without the engine.
#pragma once

#include "config/yaml.h"
#include "tests/contract/document.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract::test {

/// The classes of keywords. A keyword in no class fails the test.
[[nodiscard]] bool is_asserting(std::string_view keyword);  // can refuse a value by itself
[[nodiscard]] bool is_applicator(std::string_view keyword); // contains schemas
[[nodiscard]] bool is_annotation(std::string_view keyword);

/// The contract file of a document; its lifetime is that of the process.
[[nodiscard]] config::yaml::Node const& contract_file(Document const& document);

/// The schema of the JSON body of the request, or of the response with status 200; null: there is
/// none. A schema that is only a `$ref` is replaced by its target.
[[nodiscard]] config::yaml::Node const* body_schema(config::yaml::Node const& root,
                                                    std::string const& operation, Side side);

/// Follows a rule pointer such as `/properties/result/$ref/properties/id`; null: it leads nowhere.
[[nodiscard]] config::yaml::Node const* follow(config::yaml::Node const& root,
                                               config::yaml::Node const& schema,
                                               std::string_view rule_pointer);

/// `place` is the position in the file, `source` the nearest x-source around it, or empty.
using VisitSchema = std::function<void(config::yaml::Node const& schema, std::string const& place,
                                       std::string const& source)>;
/// Visits every schema of the file once, wherever it is; `$ref`s are not followed.
void visit_schemas(config::yaml::Node const& root, VisitSchema const& visit);

/// The properties that the schemas of a body declare: pointers into the body, elements of arrays
/// with index 0, `$ref`s followed.
[[nodiscard]] std::vector<std::string> declared_members(config::yaml::Node const& root,
                                                        config::yaml::Node const& schema);

/// The pointers of the rules that can refuse a body: `/properties/name/maxLength`, through `$ref`s.
/// Rules below `if` and `not` are only conditions.
[[nodiscard]] std::vector<std::string> rule_pointers(config::yaml::Node const& root,
                                                     config::yaml::Node const& schema);

} // namespace sallyport::contract::test
