// The static table of HPACK (RFC 7541, appendix A).
#pragma once

#include "gateway/http2/field_rules.h"

#include <cstddef>
#include <string_view>

namespace sallyport::http2 {

inline constexpr std::size_t static_table_size = 61;

/// A field of a table: judged, with its line.
struct TableField {
    JudgedField field;
    char const* line = nullptr;
};

/// `index`: from 1 to static_table_size.
[[nodiscard]] TableField const& static_field(std::size_t index) noexcept;

/// The first index with this name, in small letters; 0 if there is none. For encoding.
[[nodiscard]] std::size_t static_index_of(std::string_view name) noexcept;

} // namespace sallyport::http2
