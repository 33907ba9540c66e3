// Derives the needs of a case from its bytes.
#include "tests/clients/needs.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace sallyport::test {
namespace {

// Characters that no URL parser changes, escapes or resolves.
bool is_plain_target(std::string_view target) {
    if (target.find("//") != std::string_view::npos || target.find("/.") != std::string_view::npos)
        return false;
    return target.front() == '/' && std::all_of(target.begin(), target.end(), [](char c) {
               constexpr std::string_view others = "/-_.?&=";
               return std::isalnum(static_cast<unsigned char>(c)) != 0
                      || others.find(c) != std::string_view::npos;
           });
}

bool is_of_six(std::string_view method) {
    constexpr std::array<std::string_view, 6> methods{"GET", "HEAD",  "POST",
                                                      "PUT", "PATCH", "DELETE"};
    return std::find(methods.begin(), methods.end(), method) != methods.end();
}

// RFC 9110, 7.6.1: fields of the connection itself.
bool speaks_of_connection(Field const& field) {
    if (equal_ignoring_case(field.name, "Connection"))
        return !equal_ignoring_case(field.value, "keep-alive");
    constexpr std::array<std::string_view, 6> names{
        "Keep-Alive", "Proxy-Connection", "TE", "Trailer", "Upgrade", "HTTP2-Settings"};
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
        return equal_ignoring_case(field.name, name);
    });
}

bool has_repeated_field(Fields const& fields) {
    auto const names = fields.names();
    return std::adjacent_find(names.begin(), names.end()) != names.end();
}

} // namespace

std::vector<std::string> const& all_needs() {
    static std::vector<std::string> const words{
        "absolute_form",  "asterisk_form",  "bytes",       "chunks",         "connection",
        "content_of_get", "early_response", "empty_value", "expect",         "fetch_metadata",
        "idle_length",    "large_head",     "obs_text",    "options",        "own_host",
        "own_method",     "repeated_field", "target",      "untyped_content"};
    return words;
}

std::set<std::string> needs_of(Case const& one, std::string_view host) {
    auto const request = one.request();
    // A body that differs from what the case's own keys make of its content was written by hand.
    bool const is_ordinary = request && request->fields.count("Host") == 1
                             && (request->framing == Framing::chunked) == (one.chunk != 0);
    if (!is_ordinary) return {"bytes"};
    std::set<std::string> needs;
    auto const need_if = [&](bool condition, char const* word) {
        if (condition) needs.insert(word);
    };
    auto const& fields = request->fields;
    bool const is_read = request->method == "GET" || request->method == "HEAD";
    need_if(request->method == "OPTIONS", "options");
    need_if(request->method != "OPTIONS" && !is_of_six(request->method), "own_method");
    need_if(!is_plain_target(request->target), "target");
    need_if(request->target == "*", "asterisk_form");
    need_if(request->target.starts_with("https://"), "absolute_form");
    need_if(fields.one("Host") != host, "own_host");
    need_if(has_repeated_field(fields), "repeated_field");
    need_if(is_read && !one.body.empty(), "content_of_get");
    need_if(is_read && one.body.empty() && request->framing != Framing::none, "idle_length");
    need_if(fields.find("Sec-Fetch-Mode").value_or("cors") != "cors", "fetch_metadata");
    need_if(fields.count("Expect") != 0, "expect");
    need_if(one.chunk != 0, "chunks");
    need_if(!one.body.empty() && fields.count("Content-Type") == 0, "untyped_content");
    need_if(!one.expected.passes() && one.bytes().size() > 60'000, "early_response");
    need_if(one.head.size() > 16'384, "large_head");
    for (auto const& field : fields) {
        need_if(speaks_of_connection(field), "connection");
        need_if(field.value.empty(), "empty_value");
        need_if(std::any_of(field.value.begin(), field.value.end(), [](char c) { return c < 0; }),
                "obs_text");
    }
    return needs;
}

} // namespace sallyport::test
