// The contracts as the files that they are: schemas found by operation and by rule pointer, without
// the engine.
#pragma once

#include "config/yaml.h"
#include "tests/contract/document.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract::test {

/// What a keyword does. A word that is in neither list fails the test that meets it.
[[nodiscard]] bool is_asserting(std::string_view keyword);  // it can refuse a value by itself
[[nodiscard]] bool is_applicator(std::string_view keyword); // it holds schemas
[[nodiscard]] bool is_annotation(std::string_view keyword);

/// The file of a document's contract; it lives as long as the process.
[[nodiscard]] config::yaml::Node const& contract_file(Document const& document);

/// The schema of the JSON body of the request, or of the answer with status 200; null where there is
/// none. One that is nothing but a `$ref` is the schema referred to.
[[nodiscard]] config::yaml::Node const* body_schema(config::yaml::Node const& root,
                                                    std::string const& operation, Side side);

/// Follows a rule pointer such as `/properties/result/$ref/properties/id`; null where it leads
/// nowhere.
[[nodiscard]] config::yaml::Node const* follow(config::yaml::Node const& root,
                                               config::yaml::Node const& schema,
                                               std::string_view rule_pointer);

/// `place` says where in the file, `source` is the nearest x-source around, empty where there is
/// none.
using VisitSchema = std::function<void(config::yaml::Node const& schema, std::string const& place,
                                       std::string const& source)>;
/// Every schema of the file once, wherever it stands; `$ref`s are not followed.
void visit_schemas(config::yaml::Node const& root, VisitSchema const& visit);

/// The members that a body's schemas declare: pointers into the body, elements of arrays at 0,
/// `$ref`s followed.
[[nodiscard]] std::vector<std::string> declared_members(config::yaml::Node const& root,
                                                        config::yaml::Node const& schema);

/// The names of the rules that can refuse a body: `/properties/name/maxLength`, through `$ref`s.
/// What stands below `if` and `not` only asks.
[[nodiscard]] std::vector<std::string> rule_pointers(config::yaml::Node const& root,
                                                     config::yaml::Node const& schema);

} // namespace sallyport::contract::test
