// Names of a query that some readers take for a declared parameter, and others for none.
#pragma once

#include "gateway/contract/contract.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract {

/// A declared parameter that an upstream may see in `query` (raw, behind the `?`) where we see
/// another name, or none: whoever sends one has its value judged by nobody. Null: there is none.
/// Names are taken apart as lenient readers do: at `;` too (HTML 4, B.2.2), cut at a NUL, without
/// white space and other characters that are not seen around them and around their parts, with more
/// brackets behind them, with dots for brackets (ASP.NET, Spring), in any letter case, and with `_`
/// for ` `, `.` and `[` (PHP). `scratch` is memory that is used again.
[[nodiscard]] Parameter const* find_disguised(Operation const& operation, std::string_view query,
                                              std::string& scratch);

/// Adds to `out` (QueryIndex::lookalikes) what shows that a name cannot be taken for the parameter's
/// or one of its members'.
void append_lookalikes(Parameter const& parameter, std::vector<std::uint32_t>& out);

} // namespace sallyport::contract
