// Which fields a configuration may change, and how lines are taken out of a head.
#pragma once

#include "gateway/http/forward_fields.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sallyport::http {

enum class FieldOf : std::uint8_t { request, response };
enum class FieldChange : std::uint8_t { write, remove };

/// Why a configuration must not change the field of this name, in any letter case: a literal, to
/// follow "cannot be changed: ". Empty: it may. Framing, fields for one connection (RFC 9110,
/// 7.6.1), credentials, identities, and what the gateway writes or decides itself.
[[nodiscard]] std::string_view reason_against(FieldOf of, FieldChange change,
                                              std::string_view name) noexcept;

/// Sets `to` to the lines of `from` whose names are none of `names`, also not in a spelling that
/// servers take for the same variable (RFC 3875, 4.1.18).
void remove_lines(LineRuns const& from, std::span<std::string const> names, LineRuns& to) noexcept;

} // namespace sallyport::http
