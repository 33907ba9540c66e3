// Reads what a document says of the credentials that its operations take.
#pragma once

#include "config/yaml.h"
#include "gateway/contract/security.h"

#include <string>

namespace sallyport::contract {

/// `security` of an operation at `path`, or else that of the document whose root this is (OpenAPI
/// 3.1, 4.8.10). Reports nothing: a contract loads whatever it says, because it enforces none of
/// it.
[[nodiscard]] Security read_security(config::yaml::Node const& root,
                                     config::yaml::Node const& operation, std::string const& path);

} // namespace sallyport::contract
