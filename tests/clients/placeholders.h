// Words in `{{}}` of the corpus: callers, addresses, and bytes that a text file cannot contain.
#pragma once

#include <string>
#include <string_view>

namespace sallyport::test {

struct PlaceholderValues {
    std::string host;
    std::string length; // of the body as sent; empty while a body is being composed
};

/// The text with every word replaced; throws std::runtime_error for an unknown one.
std::string replace_placeholders(std::string_view text, PlaceholderValues const& values);

} // namespace sallyport::test
