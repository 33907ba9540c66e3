// Reads requests and responses byte for byte, refusing every leniency that RFC 9112 tolerates.
#include "tests/support/message.h"

#include <algorithm>
#include <charconv>

namespace sallyport::test {
namespace {

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_token(std::string_view text) {
    constexpr std::string_view others = "!#$%&'*+-.^_`|~";
    return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
        return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9')
               || others.find(c) != std::string_view::npos;
    });
}

std::string quote(std::string_view bytes) {
    return "\"" + std::string{bytes.substr(0, 200)} + "\"";
}

std::size_t number(std::string_view digits, int base) {
    std::size_t value = 0;
    auto const [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (error != std::errc{} || end != digits.data() + digits.size() || digits.empty())
        throw BadMessage("not a number: " + quote(digits));
    return value;
}

// Takes one line from the front, without its CRLF; empty if the line is not complete.
std::optional<std::string_view> take_line(std::string_view& rest) {
    auto const end = rest.find('\n');
    if (end == std::string_view::npos) return {};
    auto line = rest.substr(0, end);
    if (line.empty() || line.back() != '\r')
        throw BadMessage("a line ends in LF alone: " + quote(line));
    line.remove_suffix(1);
    rest.remove_prefix(end + 1);
    if (std::any_of(line.begin(), line.end(), [](char c) {
            return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
        }))
        throw BadMessage("a control character in " + quote(line));
    return line;
}

Field parse_field(std::string_view line) {
    auto const colon = line.find(':');
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon)))
        throw BadMessage("not a field line: " + quote(line));
    auto value = line.substr(colon + 1);
    auto const is_blank = [](char c) { return c == ' ' || c == '\t'; };
    while (!value.empty() && is_blank(value.front()))
        value.remove_prefix(1);
    while (!value.empty() && is_blank(value.back()))
        value.remove_suffix(1);
    return {std::string{line.substr(0, colon)}, std::string{value}};
}

// Field lines up to the empty one; false while it has not arrived.
bool take_fields(std::string_view& rest, Fields& fields) {
    for (;;) {
        auto const line = take_line(rest);
        if (!line) return false;
        if (line->empty()) return true;
        fields.push_back(parse_field(*line));
    }
}

// RFC 9112, 6.3 without its leniencies: one length, declared once.
Framing framing_of(Fields const& fields, Framing otherwise) {
    auto const codings = fields.count("Transfer-Encoding");
    auto const lengths = fields.count("Content-Length");
    if (codings + lengths > 1) throw BadMessage("more than one length");
    if (codings == 1) {
        if (!equal_ignoring_case(fields.one("Transfer-Encoding"), "chunked"))
            throw BadMessage("a transfer coding other than chunked");
        return Framing::chunked;
    }
    return lengths == 1 ? Framing::length : otherwise;
}

// Decodes chunks from the front of `rest`; false while the last has not arrived.
bool take_chunks(std::string_view& rest, std::string& body, Fields& trailers) {
    for (;;) {
        auto const line = take_line(rest);
        if (!line) return false;
        auto const size = number(line->substr(0, line->find(';')), 16);
        if (size == 0) return take_fields(rest, trailers);
        if (rest.size() < size + 2) return false;
        body.append(rest.substr(0, size));
        if (rest.substr(size, 2) != "\r\n") throw BadMessage("a chunk does not end in CRLF");
        rest.remove_prefix(size + 2);
    }
}

bool take_body(std::string_view& rest, Framing framing, Fields const& fields, std::string& body,
               Fields& trailers) {
    if (framing == Framing::none) return true;
    if (framing == Framing::chunked) return take_chunks(rest, body, trailers);
    auto const size = number(fields.one("Content-Length"), 10);
    if (rest.size() < size) return false;
    body = rest.substr(0, size);
    rest.remove_prefix(size);
    return true;
}

} // namespace

bool equal_ignoring_case(std::string_view left, std::string_view right) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [](char a, char b) { return lower(a) == lower(b); });
}

std::optional<std::string> Fields::find(std::string_view name) const {
    for (auto const& field : *this)
        if (equal_ignoring_case(field.name, name)) return field.value;
    return {};
}

std::size_t Fields::count(std::string_view name) const {
    return static_cast<std::size_t>(std::count_if(
        begin(), end(), [&](Field const& field) { return equal_ignoring_case(field.name, name); }));
}

std::string Fields::one(std::string_view name) const {
    if (count(name) != 1)
        throw BadMessage("expected the field " + std::string{name} + " once, found it "
                         + std::to_string(count(name)) + " times");
    return *find(name);
}

std::vector<std::string> Fields::names() const {
    std::vector<std::string> names;
    for (auto const& field : *this) {
        names.push_back(field.name);
        std::transform(names.back().begin(), names.back().end(), names.back().begin(), lower);
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::optional<Parsed<Response>> parse_response(std::string_view bytes, std::string_view method,
                                               MoreToCome more) {
    auto rest = bytes;
    Response response;
    auto const missing = [&]() -> std::optional<Parsed<Response>> {
        if (more == MoreToCome::no)
            throw BadMessage("the connection ended inside a response: " + quote(bytes));
        return {};
    };
    auto const line = take_line(rest);
    if (!line) return missing();
    // RFC 9112, 4: HTTP-version SP status-code SP [ reason-phrase ].
    if (line->size() < 13 || line->substr(0, 9) != "HTTP/1.1 " || (*line)[12] != ' ')
        throw BadMessage("not a status line: " + quote(*line));
    response.status = static_cast<int>(number(line->substr(9, 3), 10));
    response.reason = line->substr(13);
    if (!take_fields(rest, response.fields)) return missing();
    response.head = bytes.substr(0, bytes.size() - rest.size());
    auto const has_no_body = method == "HEAD" || response.status / 100 == 1
                             || response.status == 204 || response.status == 304;
    response.framing = framing_of(response.fields, Framing::until_close);
    if (has_no_body) response.framing = Framing::none;
    if (response.framing == Framing::until_close) {
        if (more == MoreToCome::yes) return {};
        response.body = rest;
        rest = {};
    } else if (!take_body(rest, response.framing, response.fields, response.body,
                          response.trailers)) {
        return missing();
    }
    return Parsed<Response>{std::move(response), bytes.size() - rest.size()};
}

std::optional<Parsed<Request>> parse_request_head(std::string_view bytes) {
    auto rest = bytes;
    Request request;
    auto const line = take_line(rest);
    if (!line) return {};
    auto const first = line->find(' ');
    auto const second = line->rfind(' ');
    if (first == std::string_view::npos || first == second || line->substr(second) != " HTTP/1.1"
        || !is_token(line->substr(0, first)))
        throw BadMessage("not a request line: " + quote(*line));
    request.method = line->substr(0, first);
    request.target = line->substr(first + 1, second - first - 1);
    if (request.target.empty() || request.target.find(' ') != std::string::npos)
        throw BadMessage("not a request line: " + quote(*line));
    if (!take_fields(rest, request.fields)) return {};
    request.framing = framing_of(request.fields, Framing::none);
    auto const size = bytes.size() - rest.size();
    request.head = bytes.substr(0, size);
    request.raw = request.head;
    return Parsed<Request>{std::move(request), size};
}

std::optional<Parsed<Request>> parse_request(std::string_view bytes) {
    auto parsed = parse_request_head(bytes);
    if (!parsed) return {};
    auto rest = bytes.substr(parsed->size);
    auto& request = parsed->message;
    if (!take_body(rest, request.framing, request.fields, request.body, request.trailers))
        return {};
    parsed->size = bytes.size() - rest.size();
    request.raw = bytes.substr(0, parsed->size);
    return parsed;
}

bool announces(Fields const& fields, std::string_view name) {
    auto const all = fields.find("Trailer");
    for (std::string_view rest = all ? std::string_view{*all} : ""; !rest.empty();) {
        auto const comma = std::min(rest.find(", "), rest.size());
        if (equal_ignoring_case(rest.substr(0, comma), name)) return true;
        rest.remove_prefix(std::min(comma + 2, rest.size()));
    }
    return false;
}

} // namespace sallyport::test
