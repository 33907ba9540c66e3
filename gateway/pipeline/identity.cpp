// The values that a restriction of a caller allows.
#include "gateway/pipeline/identity.h"

#include "gateway/text/ascii.h"
#include "gateway/text/hexadecimal.h"

#include <algorithm>
#include <utility>

namespace sallyport::pipeline {

namespace {

// Eight-four-four-four-twelve hexadecimal digits, any version.
bool is_uuid(std::string_view text) {
    if (text.size() != 36) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        bool const is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (is_dash ? text[i] != '-' : text::hex_value(text[i]) < 0) return false;
    }
    return true;
}

} // namespace

AllowedValue::AllowedValue(std::string value)
    : value_{std::move(value)}, is_uuid_{is_uuid(value_)} {
    if (is_uuid_) std::transform(value_.begin(), value_.end(), value_.begin(), text::to_lower);
}

bool AllowedValue::matches(std::string_view decoded) const {
    if (!is_uuid_) return decoded == value_;
    return text::equals_ignoring_case(decoded, value_);
}

} // namespace sallyport::pipeline
