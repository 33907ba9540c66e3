// The fields of points, by the names that charts use for them.
#pragma once

#include <string_view>

namespace sallyport::sandbox {

enum class FieldType { text, number };

struct PointField {
    std::string_view name;   // as in `field`, `where` and `groupBy`
    std::string_view column; // of the table points
    FieldType type;
};

/// Null if points have no such field. The row lives as long as the program.
PointField const* find_point_field(std::string_view name);

} // namespace sallyport::sandbox
