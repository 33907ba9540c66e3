// Events of text/event-stream (HTML Living Standard, 9.2) as the objects that OpenAPI describes.
#pragma once

#include "gateway/contract/report.h"

#include <string>
#include <string_view>

namespace sallyport::contract {

/// Writes the fields of one event to `json` as an object: `data`, `event` and `id`, which are
/// strings, and `retry`, an integer (OpenAPI 3.2, 4.14.4). `lines`: up to and with the blank line
/// behind it. `json` is empty if there is none of these fields: comments, fields of other names.
///
/// What readers take for different events is refused: a line that ends with a CR alone, a field
/// twice that is not `data`, a NUL, a byte-order mark, names that differ from one of the four in
/// letter case or white space alone.
[[nodiscard]] Malformed read_event(std::string_view lines, std::string& json);

} // namespace sallyport::contract
