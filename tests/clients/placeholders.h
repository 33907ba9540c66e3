// Words in `{{}}` of the corpus: who calls, where to, and bytes that a text file cannot hold.
#pragma once

#include <string>
#include <string_view>

namespace sallyport::test {

struct PlaceholderValues {
    std::string host;
    std::string length; // of the body as it is sent; empty where a body is being composed
};

// The text with every word replaced; throws std::runtime_error on one that means nothing.
std::string replace_placeholders(std::string_view text, PlaceholderValues const& values);

} // namespace sallyport::test
