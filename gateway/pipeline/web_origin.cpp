// Comparing the origin of a web page with those that an API allows.
#include "gateway/pipeline/web_origin.h"

#include "gateway/text/ascii.h"

#include <algorithm>

namespace sallyport::pipeline {

namespace {

// What stands before the part of an origin's host that differs: labels of a host, the last one
// without its dot. A client that is no browser may send anything, which is returned to it.
bool is_labels(std::string_view text) noexcept {
    bool const has_plain_characters = std::all_of(text.begin(), text.end(), [](char c) {
        return text::is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
    });
    return !text.empty() && has_plain_characters && text.front() != '.' && text.back() != '.'
           && text.find("..") == std::string_view::npos;
}

// RFC 6454, 7: compared byte for byte, as browsers write it. Only whole labels of a host differ:
// `end` begins with a dot.
bool is_origin(config::AllowedOrigin const& allowed, std::string_view origin) noexcept {
    if (allowed.end.empty()) return allowed.text == origin;
    auto const around = allowed.begin.size() + allowed.end.size();
    return origin.size() > around && origin.starts_with(allowed.begin)
           && origin.ends_with(allowed.end)
           && is_labels(origin.substr(allowed.begin.size(), origin.size() - around));
}

} // namespace

bool is_one_of(std::vector<config::AllowedOrigin> const& allowed,
               std::string_view origin) noexcept {
    return std::any_of(allowed.begin(), allowed.end(), [origin](config::AllowedOrigin const& one) {
        return is_origin(one, origin);
    });
}

} // namespace sallyport::pipeline
