// The verdict on one field of a request: the policy of every version, and what HTTP/2 has in
// addition. It does not depend on other fields, so that a table may keep it.
#pragma once

#include "gateway/http/refusal.h"
#include "gateway/http2/head_block.h"

#include <string_view>

namespace sallyport::http2 {

/// `line`: `name: value` CR LF, of which `name_size` bytes are the name and `value_size` bytes the
/// value; 16 bytes behind it can be read. Both sizes are below 2^16. Sets everything of `field`.
void judge_line(char const* line, std::size_t name_size, std::size_t value_size,
                JudgedField& field) noexcept;

/// The same for a line with the name of `field`, which was not refused: only the value is judged,
/// and `field` becomes that of the line.
void judge_value(char const* line, std::size_t value_size, JudgedField& field) noexcept;

} // namespace sallyport::http2
