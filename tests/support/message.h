// A small strict reader of HTTP/1.1 messages, independent of the product: it accepts only canonical
// messages.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::test {

struct Field {
    std::string name;
    std::string value;
};

/// Fields in the order of the wire; names are compared case-insensitively.
class Fields : public std::vector<Field> {
public:
    using std::vector<Field>::vector;
    [[nodiscard]] std::optional<std::string> find(std::string_view name) const; // the first
    [[nodiscard]] std::size_t count(std::string_view name) const;
    /// The value of a field that occurs exactly once; throws BadMessage otherwise.
    [[nodiscard]] std::string one(std::string_view name) const;
    /// Names in lower case, sorted: for comparing the whole set.
    [[nodiscard]] std::vector<std::string> names() const;
};

bool equal_ignoring_case(std::string_view left, std::string_view right);

enum class Framing : std::uint8_t { none, length, chunked, until_close };

struct Response {
    int status = 0;
    std::string reason;
    Fields fields;
    std::string head; // status line to the empty line, as received
    std::string body; // decoded
    Framing framing = Framing::none;
    Fields trailers;
};

struct Request {
    std::string method;
    std::string target;
    Fields fields;
    std::string head;
    std::string body; // decoded
    std::string raw;  // every byte, framing of the body included
    Framing framing = Framing::none;
    Fields trailers;
    std::size_t connection = 0; // of the upstream that recorded it, counted from 0
};

/// The bytes are not a strict HTTP/1.1 message.
class BadMessage : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

template <class Message>
struct Parsed {
    Message message;
    std::size_t size = 0; // bytes of the input that belong to it
};

enum class MoreToCome : bool { no, yes };

/// Empty while bytes are missing; throws BadMessage for an invalid message, an early end included.
/// The method is that of the request: a response to HEAD has no body (RFC 9112, 6.3).
std::optional<Parsed<Response>> parse_response(std::string_view bytes, std::string_view method,
                                               MoreToCome more);
/// Only the head; its framing describes the body.
std::optional<Parsed<Request>> parse_request_head(std::string_view bytes);
std::optional<Parsed<Request>> parse_request(std::string_view bytes);
/// Whether a head announces a trailer of that name (RFC 9110, 6.6.2).
bool announces(Fields const& fields, std::string_view name);

} // namespace sallyport::test
