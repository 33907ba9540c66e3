// The checks that the framing policy shares between the versions of HTTP: for framing.cpp and
// framing_http2.cpp alone. What each of them calls once is always inlined, as functions of one file
// are that are called once.
#pragma once

#include "gateway/http/characters.h"
#include "gateway/http/field_name.h"
#include "gateway/http/framing.h"
#include "gateway/http/head.h"
#include "gateway/http/rules.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace sallyport::http::detail {

// RFC 9110, 5.5: "containing CR, LF, or NUL are invalid and dangerous": every control character but
// HTAB is refused, wherever in the head it stands.
inline Refused check_characters(std::string_view line, Sender sender) noexcept {
    for (char const c : line) {
        // RFC 9112, 2.2: a bare CR is invalid.
        if (c == '\r') return rules::bare_carriage_return.broken_by(sender);
        if (!is_of(value_character, c)) return rules::control_character.broken_by(sender);
    }
    return nullptr;
}

// The end of the token at the beginning of `line`.
inline std::size_t end_of_token(std::string_view line) noexcept {
    std::size_t at = 0;
    while (at < line.size() && is_of(token_character, line[at]))
        ++at;
    return at;
}

// Of a token with others than letters, digits and hyphens. RFC 3875, 4.1.18: a variable
// HTTP_X_REQUEST_ID can come from either spelling.
inline Refused check_odd_token(std::string_view name, Sender sender) noexcept {
    if (sender == Sender::client && shadows_known_field(name))
        return rules::shadowing_field_name.broken_by(sender);
    return nullptr;
}

// RFC 9110, 8.6: Content-Length = 1*DIGIT, within range, and here given once.
inline Refused take_content_length(FieldTable const& fields, Sender sender,
                                   std::uint64_t& length) noexcept {
    // RFC 9112, 6.3, rule 5: a list of equal values may be accepted, but is not.
    if (fields.is_repeated(FieldId::content_length))
        return rules::repeated_content_length.broken_by(sender);
    constexpr std::uint64_t limit = std::numeric_limits<std::int64_t>::max();
    auto const digits = *fields.find(FieldId::content_length);
    if (digits.empty()) return rules::malformed_content_length.broken_by(sender); // RFC 9110, 8.6
    length = 0;
    for (char const c : digits) {
        // RFC 9110, 8.6: no sign, no comma, no white space.
        if (!is_digit(c)) return rules::malformed_content_length.broken_by(sender);
        auto const digit = static_cast<std::uint64_t>(c - '0');
        // RFC 9110, 8.6: "anticipate potentially large decimal numerals".
        if (length > (limit - digit) / 10) return rules::malformed_content_length.broken_by(sender);
        length = length * 10 + digit;
    }
    return nullptr;
}

inline Refused check_transfer_encoding(FieldTable const& fields, Sender sender,
                                       Protocol protocol) noexcept {
    // RFC 9112, 6.1 and 6.3, rule 3: both lengths, in any order, are an attempt at smuggling.
    if (fields.has(FieldId::content_length))
        return rules::transfer_encoding_and_content_length.broken_by(sender);
    // RFC 9112, 6.1: "chunked" applied once.
    if (fields.is_repeated(FieldId::transfer_encoding))
        return rules::repeated_transfer_encoding.broken_by(sender);
    // RFC 9112, 6.1 and 7: codings other than chunked are not supported.
    if (!equals_ignoring_case(*fields.find(FieldId::transfer_encoding), "chunked"))
        return rules::transfer_encoding_not_chunked.broken_by(sender);
    // RFC 9112, 6.1: in HTTP/1.0 "the framing is faulty".
    if (protocol == Protocol::http_1_0)
        return rules::transfer_encoding_in_http_1_0.broken_by(sender);
    return nullptr;
}

// RFC 9112, 6.3: the framing by the two fields; `absent` if neither is present.
inline Refused take_body_framing(FieldTable const& fields, Sender sender, Protocol protocol,
                                 BodyFraming& body) noexcept {
    if (fields.has(FieldId::transfer_encoding)) {
        body.kind = BodyFraming::Kind::chunked;
        return check_transfer_encoding(fields, sender, protocol);
    }
    if (!fields.has(FieldId::content_length)) return nullptr;
    auto const refused = take_content_length(fields, sender, body.length);
    body.kind = body.length == 0 ? BodyFraming::Kind::none : BodyFraming::Kind::length;
    return refused;
}

[[gnu::always_inline]] inline Refused check_host(RequestHead& head) noexcept {
    // RFC 9112, 3.2: 400 for a request without Host (here of HTTP/1.0 too), ...
    auto const host = head.fields.find(FieldId::host);
    if (!host) return rules::missing_host.broken_by(Sender::client);
    // ... with more than one line of it, ...
    if (head.fields.is_repeated(FieldId::host))
        return rules::repeated_host.broken_by(Sender::client);
    // ... or with an invalid value. RFC 9110, 4.2.1: nor is an empty host valid.
    auto const authority = parse_authority(*host);
    if (!authority) return rules::malformed_host.broken_by(Sender::client);
    head.host = *authority;
    // RFC 9112, 3.2: Host must equal the authority of the target.
    if (head.target.authority && !is_same_authority(*head.target.authority, head.host))
        return rules::target_is_not_host.broken_by(Sender::client);
    return nullptr;
}

// RFC 9110, 10.1.1: 417 for an unsupported expectation.
[[gnu::always_inline]] inline Refused take_expectation(RequestHead& head) noexcept {
    head.framing.expect_continue = ExpectContinue::no;
    if (!head.fields.has(FieldId::expect)) return nullptr;
    bool const is_continue =
        !head.fields.is_repeated(FieldId::expect)
        && equals_ignoring_case(*head.fields.find(FieldId::expect), "100-continue");
    if (!is_continue) return rules::unknown_expectation.broken_by(Sender::client);
    // RFC 9110, 10.1.1: ignored in HTTP/1.0, and without a body.
    if (head.protocol != Protocol::http_1_0 && head.framing.body.kind != BodyFraming::Kind::none)
        head.framing.expect_continue = ExpectContinue::yes;
    return nullptr;
}

// RFC 9110, 7.6.2: a larger number is replaced by the largest supported one.
inline constexpr unsigned most_forwards = 10'000;

// RFC 9110, 7.6.2: Max-Forwards = 1*DIGIT, for TRACE (which is not forwarded) and OPTIONS; ignored
// for other methods.
[[gnu::always_inline]] inline Refused take_max_forwards(RequestHead& head) noexcept {
    if (!head.fields.has(FieldId::max_forwards) || head.method != Method::options) return nullptr;
    if (head.fields.is_repeated(FieldId::max_forwards))
        return rules::malformed_max_forwards.broken_by(Sender::client);
    auto const digits = *head.fields.find(FieldId::max_forwards);
    if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit))
        return rules::malformed_max_forwards.broken_by(Sender::client);
    unsigned forwards = 0;
    for (char const c : digits)
        forwards = std::min(forwards * 10 + static_cast<unsigned>(c - '0'), most_forwards);
    head.max_forwards = forwards;
    return nullptr;
}

// The end of both lists: what does not depend on the version.
[[gnu::always_inline]] inline Refused check_content(RequestHead& head) noexcept {
    // RFC 9110, 5.3 and 8.3: one value; readers differ on which of two they use.
    if (head.fields.is_repeated(FieldId::content_type))
        return rules::repeated_content_type.broken_by(Sender::client);
    if (auto const refused = take_max_forwards(head)) return refused;
    return take_expectation(head);
}

// The beginning of both: the method, and the target, which is left to parse_target().
[[gnu::always_inline]] inline Refused
check_method_and_target(RequestHead& head, PathSpellings spellings) noexcept {
    // RFC 9110, 9.3.6: a tunnel would bypass every check. TRACE is a method like others, which no
    // API has.
    if (head.method_text == "CONNECT") return rules::connect_method.broken_by(Sender::client);
    return parse_target(head.raw_target, head.target, spellings);
}

} // namespace sallyport::http::detail
