// Rows of a request and the rule that it violates, or its framing.
#pragma once

#include "heads.h"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::http::test {

struct Case {
    std::string_view what;
    std::string bytes;
    std::string_view expected;
};

inline void check(std::vector<Case> const& cases) {
    for (auto const& c : cases) {
        INFO(c.what);
        CHECK(judge_request(c.bytes) == c.expected);
    }
}

/// A request with the given field lines.
inline std::string with_fields(std::string_view fields,
                               std::string_view line = "POST /a HTTP/1.1") {
    return std::string{line} + "\r\nHost: a.example\r\n" + std::string{fields} + "\r\n";
}

inline std::string with_host(std::string_view host_lines) {
    return "GET / HTTP/1.1\r\n" + std::string{host_lines} + "\r\n";
}

inline std::string with_line(std::string_view line) {
    return std::string{line} + "\r\nHost: a.example\r\n\r\n";
}

} // namespace sallyport::http::test
