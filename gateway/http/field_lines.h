// Whole field lines one behind the other, each ending in CR LF, as heads and trailers have them.
#pragma once

#include "gateway/http/characters.h"

#include <string_view>

namespace sallyport::http {

/// Calls `visit(line, name)` with each line of `lines`, with its CR LF.
template <class Visit>
void for_each_field_line(std::string_view lines, Visit&& visit) {
    while (!lines.empty()) {
        auto const line = lines.substr(0, lines.find('\n') + 1);
        lines.remove_prefix(line.size());
        visit(line, line.substr(0, line.find(':')));
    }
}

/// The value in such a line.
[[nodiscard]] constexpr std::string_view value_of_field_line(std::string_view line) noexcept {
    constexpr std::string_view end = "\r\n";
    auto value = line.substr(line.find(':') + 1);
    value.remove_suffix(end.size());
    return trim_white_space(value);
}

} // namespace sallyport::http
