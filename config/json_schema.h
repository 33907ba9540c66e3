// The JSON Schema (2020-12) of the configuration and of the file of credentials, made from the
// tables that read them.
//
// It refuses no file that is read. What it cannot express (files that are not there, names that must be
// known, what must differ) is left to `sallyport check`.
#pragma once

#include "config/json_value.h"
#include "config/shape.h"

#include <string_view>

namespace sallyport::config {

/// Keys and words that are not built are left out.
[[nodiscard]] std::string json_schema(SectionInfo const& root, std::string_view title,
                                      Layout layout = Layout::indented);

} // namespace sallyport::config
