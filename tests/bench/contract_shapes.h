// Schemas, and texts of a megabyte that make them do as much as they can: what checking costs
// beside the parse of the same text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::bench {

struct Shape {
    std::string name;
    std::string schema;
    std::string text;
};

[[nodiscard]] std::vector<std::string> shape_names();
[[nodiscard]] Shape make_shape(std::string_view name); // throws std::out_of_range: there is none

} // namespace sallyport::bench
