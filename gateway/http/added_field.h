// A field that the gateway writes itself.
#pragma once

#include <string_view>

namespace sallyport::http {

/// Name and value can stand in a head as they are: whoever makes one answers for that.
struct AddedField {
    std::string_view name;
    std::string_view value;
};

} // namespace sallyport::http
