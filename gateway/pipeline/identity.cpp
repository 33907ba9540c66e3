// Which values a restriction of a caller lets through.
#include "gateway/pipeline/identity.h"

#include "gateway/http/characters.h"

#include <algorithm>
#include <utility>

namespace sallyport::pipeline {

namespace {

/// Eight-four-four-four-twelve hexadecimal digits, any version.
bool is_uuid(std::string_view text) {
    if (text.size() != 36) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        bool const is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        char const c = http::to_lower(text[i]);
        bool const is_digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
        if (is_dash ? c != '-' : !is_digit) return false;
    }
    return true;
}

} // namespace

AllowedValue::AllowedValue(std::string value)
    : value_{std::move(value)}, is_uuid_{is_uuid(value_)} {
    if (is_uuid_) std::transform(value_.begin(), value_.end(), value_.begin(), http::to_lower);
}

bool AllowedValue::matches(std::string_view decoded) const {
    if (!is_uuid_) return decoded == value_;
    return std::equal(decoded.begin(), decoded.end(), value_.begin(), value_.end(),
                      [](char sent, char allowed) { return http::to_lower(sent) == allowed; });
}

} // namespace sallyport::pipeline
