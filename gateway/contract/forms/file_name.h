// `filename*` beside `filename` in the head of a part.
#pragma once

#include <string_view>

namespace sallyport::contract {

/// Whether `filename*` (RFC 8187, 3.2: `UTF-8''a%20b.txt`) is the same name as `filename`, which
/// some clients write as one encoded word (RFC 2047, 2). RFC 7578, 4.2 does not allow the former;
/// .NET and Spring write it nevertheless, and readers that know it take it.
[[nodiscard]] bool is_same_file_name(std::string_view extended, std::string_view plain);

} // namespace sallyport::contract
