// A header field that the gateway itself adds.
#pragma once

#include <string_view>

namespace sallyport::http {

/// Name and value are valid in a head without escaping; the code that makes one ensures it.
struct AddedField {
    std::string_view name;
    std::string_view value;
};

} // namespace sallyport::http
