// Query names that some parsers take for a declared parameter, and others do not.
#pragma once

#include "gateway/contract/contract.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract {

/// Finds a pair in `query` (raw, after the `?`) that an upstream may take for a declared parameter,
/// but that is not validated as one. Returns that parameter; null: there is none. Names are
/// compared as lenient parsers read them: separated by `;` too (HTML 4, B.2.2), cut at a NUL,
/// without white space and other invisible characters at the ends of the name and its parts, with
/// additional brackets after it, with dots for brackets (ASP.NET, Spring), in any letter case, and
/// with `_` for ` `, `.` and `[` (PHP). `scratch` is memory that is reused.
[[nodiscard]] Parameter const* find_disguised(PairParameters const& pairs, std::string_view query,
                                              std::string& scratch);

/// The same for one decoded name.
[[nodiscard]] bool is_disguised(PairParameters const& pairs, std::string_view name);

/// Whether some parsers read two names of properties, decoded, as one.
[[nodiscard]] bool is_read_alike(std::string_view name, std::string_view declared) noexcept;

/// Adds numbers to `out` (QueryIndex::lookalikes): a name without any of them cannot be taken for
/// the parameter or one of its properties.
void append_lookalikes(Parameter const& parameter, std::vector<std::uint32_t>& out);

} // namespace sallyport::contract
