// Splits a request at its lines, as little as its form in HTTP/2 needs.
#include "tests/hostile/http2_form.h"

#include "tests/support/http2_frames.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace sallyport::test {
namespace {

constexpr std::string_view line_end = "\r\n";
constexpr std::string_view white_space = " \t";
constexpr std::size_t most_digits = 16; // of the size of a chunk, a limit of the gateway

// A reason to leave the request out; empty if there is none.
using LeftOut = std::string_view;

std::string_view without_white_space(std::string_view text) {
    auto const first = text.find_first_not_of(white_space);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(white_space) - first + 1);
}

std::string_view take_line(std::string_view& bytes) {
    auto const end = std::min(bytes.find(line_end), bytes.size());
    auto const line = bytes.substr(0, end);
    bytes.remove_prefix(std::min(end + line_end.size(), bytes.size()));
    return line;
}

// `lines` ends with its last line.
LeftOut read_fields(std::string_view lines, Fields& fields) {
    while (!lines.empty()) {
        auto const line = take_line(lines);
        if (line.empty() || white_space.find(line.front()) != white_space.npos)
            return left_out::folded;
        auto const colon = line.find(':');
        if (colon == line.npos) return left_out::no_colon;
        fields.push_back({std::string{line.substr(0, colon)},
                          std::string{without_white_space(line.substr(colon + 1))}});
    }
    return {};
}

struct RequestLine {
    std::string_view method;
    std::string_view target;
};

LeftOut read_request_line(std::string_view line, RequestLine& read) {
    auto const first = line.find(' ');
    auto const last = line.rfind(' ');
    if (first == line.npos || first == last || first == 0 || first + 1 == last)
        return left_out::request_line;
    read = {line.substr(0, first), line.substr(first + 1, last - first - 1)};
    if (read.target.find(' ') != read.target.npos) return left_out::request_line;
    return line.substr(last + 1) == "HTTP/1.1" ? LeftOut{} : left_out::version;
}

// The authority of an absolute target (RFC 9112, 3.2.2), which is taken off the target.
std::optional<std::string> take_authority(std::string& target) {
    for (std::string_view const scheme : {"http://", "https://"}) {
        if (!equal_ignoring_case(target.substr(0, scheme.size()), scheme)) continue;
        auto const end = std::min(target.find_first_of("/?#", scheme.size()), target.size());
        auto authority = target.substr(scheme.size(), end - scheme.size());
        target.erase(0, end);
        return authority;
    }
    return std::nullopt;
}

// RFC 9113, 8.3.1; for CONNECT 8.5. The path is in front: what is read before a wrong field is in
// the log, as the target is in HTTP/1, whatever is wrong with the line.
void set_head(RequestLine const& line, Fields const& fields, Http2Form& form) {
    std::string target{line.target};
    bool const is_connect = line.method == "CONNECT";
    auto authority = is_connect ? std::optional{target} : take_authority(target);
    if (authority && !target.starts_with('/')) {
        form.has_path = false;
        target.insert(0, "/");
    }
    bool const is_from_host = !authority && fields.count("Host") == 1;
    if (is_from_host) authority = fields.one("Host");
    auto& head = form.head;
    if (!is_connect) head = {{":path", target}, {":scheme", "https"}};
    head.push_back({":method", std::string{line.method}});
    if (authority) head.push_back({":authority", *authority});
    for (auto const& field : http2::lowered(fields))
        if (!is_from_host || field.name != "host") head.push_back(field);
}

std::optional<std::size_t> parse_number(std::string_view digits, int base) {
    std::size_t value = 0;
    auto const* const end = digits.data() + digits.size();
    auto const [at, error] = std::from_chars(digits.data(), end, value, base);
    if (digits.empty() || at != end || error != std::errc{}) return std::nullopt;
    return value;
}

// RFC 9112, 7.1. A line before a chunk with anything but a size has no form, an extension neither.
LeftOut read_chunks(std::string_view& rest, Http2Form& form) {
    for (;;) {
        if (rest.find(line_end) == rest.npos) return left_out::incomplete;
        auto const line = take_line(rest);
        auto const size = parse_number(line, 16);
        if (!size || line.size() > most_digits) return left_out::chunks;
        if (*size == 0) break;
        if (rest.size() < line_end.size() || *size > rest.size() - line_end.size())
            return left_out::incomplete;
        if (rest.substr(*size, line_end.size()) != line_end) return left_out::chunks;
        form.body += rest.substr(0, *size);
        rest.remove_prefix(*size + line_end.size());
    }
    if (rest.starts_with(line_end)) {
        rest.remove_prefix(line_end.size());
        return {};
    }
    auto const end = rest.find("\r\n\r\n");
    if (end == rest.npos) return left_out::incomplete;
    auto const reason = read_fields(rest.substr(0, end), form.trailers);
    form.trailers = http2::lowered(form.trailers);
    rest.remove_prefix(end + 4);
    return reason;
}

bool is_chunked(Fields const& fields) {
    return fields.count("Content-Length") == 0 && fields.count("Transfer-Encoding") == 1
           && equal_ignoring_case(fields.one("Transfer-Encoding"), "chunked");
}

// The body behind the head; what is left of `rest` behind it.
LeftOut split_body(Fields& fields, std::string_view& rest, std::string_view next, Http2Form& form) {
    if (is_chunked(fields)) {
        std::erase_if(fields, [](Field const& field) {
            return equal_ignoring_case(field.name, "Transfer-Encoding");
        });
        return read_chunks(rest, form);
    }
    bool const is_framed =
        fields.count("Content-Length") != 0 || fields.count("Transfer-Encoding") != 0;
    if (!is_framed) return {};
    auto size = rest.size() - (rest.ends_with(next) ? next.size() : 0);
    if (fields.count("Content-Length") == 1 && fields.count("Transfer-Encoding") == 0)
        if (auto const said = parse_number(fields.one("Content-Length"), 10)) {
            // Of a length that is not all there, nothing behind it belongs to it.
            form.has_end = *said <= rest.size();
            if (form.has_end) size = *said;
        }
    form.body = rest.substr(0, size);
    rest.remove_prefix(size);
    return {};
}

} // namespace

Http2Reading read_as_http2(std::string_view bytes, std::string_view next) {
    if (bytes.starts_with(line_end)) return {std::nullopt, left_out::line_before};
    auto const end = bytes.find("\r\n\r\n");
    if (end == bytes.npos) return {std::nullopt, left_out::incomplete};
    auto lines = bytes.substr(0, end);
    auto rest = bytes.substr(end + 4);
    RequestLine request_line;
    Fields fields;
    Http2Form form;
    if (auto const reason = read_request_line(take_line(lines), request_line); !reason.empty())
        return {std::nullopt, reason};
    if (auto const reason = read_fields(lines, fields); !reason.empty())
        return {std::nullopt, reason};
    if (auto const reason = split_body(fields, rest, next, form); !reason.empty())
        return {std::nullopt, reason};
    set_head(request_line, fields, form);
    // RFC 9112, 3.2: it is refused in HTTP/1.1, and ordinary in HTTP/2.
    if (form.method() != "CONNECT" && form.has(":authority") && fields.count("Host") == 0)
        return {std::nullopt, left_out::no_host};
    // Which ends the connection, without a response (h14_http2_floods).
    if (http2::block_of(form.head).size() > http2::most_payload
        || http2::block_of(form.trailers).size() > http2::most_payload)
        return {std::nullopt, left_out::large};
    return {std::move(form), {}, bytes.size() - rest.size()};
}

} // namespace sallyport::test
