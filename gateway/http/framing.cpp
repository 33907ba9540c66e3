// The framing policy: each check is one statement with the section that requires it. No code has
// read the bytes before; all code after it may rely on its result.
#include "gateway/http/framing.h"

#include "gateway/http/characters.h"
#include "gateway/http/framing_checks.h"
#include "gateway/http/head.h"
#include "gateway/http/rules.h"
#include "gateway/http/scan.h"
#include "gateway/http/status.h"

#include <algorithm>
#include <cstddef>

namespace sallyport::http {

namespace {

using namespace detail;

// The lines of a head, taken from its front one after the other.
struct Lines {
    std::string_view bytes;
    HeadLimits const& limits;
    Sender sender;
    // RFC 9112, 3 and RFC 9110, 5.4: a limit of ours; a FieldTable counts in 16 bits.
    std::size_t longest_line = std::min<std::size_t>(limits.line, 0xffff);
    std::size_t at = 0;
    SecondOpinion second_opinion = SecondOpinion::needless; // so far

    std::string_view rest() const noexcept { return {bytes.data() + at, bytes.size() - at}; }
};

Refused check_size(Lines const& lines, std::string_view line) noexcept {
    if (line.size() > lines.longest_line) return rules::line_too_long.broken_by(lines.sender);
    if (lines.at > lines.limits.head) return rules::head_too_large.broken_by(lines.sender);
    return nullptr;
}

// A head without an end: already too large, or incomplete.
Refused judge_unfinished_line(Lines const& lines, std::string_view rest) noexcept {
    if (rest.size() > lines.longest_line) return rules::line_too_long.broken_by(lines.sender);
    if (lines.bytes.size() >= lines.limits.head)
        return rules::head_too_large.broken_by(lines.sender);
    return rules::incomplete_head.broken_by(lines.sender);
}

// RFC 9112, 2.2: only CR LF ends a line.
[[gnu::noinline]] Refused take_odd_line(Lines& lines, std::string_view& line) noexcept {
    auto const rest = lines.rest();
    auto const feed = rest.find('\n');
    if (feed == std::string_view::npos) return judge_unfinished_line(lines, rest);
    if (feed == 0 || rest[feed - 1] != '\r') return rules::bare_line_feed.broken_by(lines.sender);
    line = rest.substr(0, feed - 1);
    lines.at += feed + 1;
    lines.second_opinion = SecondOpinion::needed;
    if (auto const refused = check_size(lines, line)) return refused;
    return check_characters(line, lines.sender);
}

// Inlined into the loop over lines: a call would cost a third of it.
[[gnu::always_inline]] inline Refused take_line(Lines& lines, std::string_view& line) noexcept {
    auto const rest = lines.rest();
    // Nearly every line is printable ASCII to its end, which no check on characters refuses.
    auto const printable = rest.starts_with("\r\n") ? 0 : printable_prefix(rest);
    bool const is_ordinary =
        rest.size() - printable >= 2 && rest[printable] == '\r' && rest[printable + 1] == '\n';
    if (!is_ordinary) return take_odd_line(lines, line);
    line = {rest.data(), printable};
    lines.at += printable + 2;
    return check_size(lines, line);
}

// The error of a field line that does not begin with a token and a colon.
Refused judge_name(std::string_view line, Sender sender) noexcept {
    auto const colon = line.find(':');
    if (colon == std::string_view::npos) return rules::field_without_colon.broken_by(sender);
    // RFC 9112, 5: field-name = token, which has at least one character.
    if (colon == 0) return rules::empty_field_name.broken_by(sender);
    // RFC 9112, 5.1: white space before the colon has been used for smuggling: 400.
    if (line[colon - 1] == ' ' || line[colon - 1] == '\t')
        return rules::white_space_before_colon.broken_by(sender);
    return rules::field_name_not_token.broken_by(sender); // RFC 9110, 5.1
}

// RFC 9112, 5: field-line = field-name ":" OWS field-value OWS. Sets `colon`, for a name that is
// not only letters, digits and hyphens.
[[gnu::noinline]] Refused take_odd_name(Lines& lines, std::string_view line,
                                        std::size_t& colon) noexcept {
    lines.second_opinion = SecondOpinion::needed;
    // RFC 9112, 5.2 (and 2.2 behind the start line): no line begins with white space.
    if (line.front() == ' ' || line.front() == '\t') return rules::obs_fold.broken_by(lines.sender);
    colon = end_of_token(line);
    bool const is_plain = colon != 0 && colon != line.size() && line[colon] == ':';
    if (!is_plain) return judge_name(line, lines.sender);
    return check_odd_token(line.substr(0, colon), lines.sender);
}

// RFC 9110, 5.5: without the white space around it, which is nearly always one space.
std::string_view take_value(Lines& lines, std::string_view line, std::size_t colon) noexcept {
    std::string_view const text{line.data() + colon + 1, line.size() - colon - 1};
    if (text.size() > 1 && text[0] == ' ' && text[1] != ' ' && text.back() != ' '
        && lines.second_opinion == SecondOpinion::needless)
        return {text.data() + 1, text.size() - 1};
    lines.second_opinion = SecondOpinion::needed;
    return trim_white_space(text);
}

Refused take_field(Lines& lines, std::string_view line, FieldTable& fields) noexcept {
    // Limited by the head: the end of the line cannot be part of a name.
    auto colon = name_prefix({line.data(), line.size() + 2 + lines.rest().size()});
    bool const is_ordinary = colon != 0 && colon < line.size() && line[colon] == ':';
    if (!is_ordinary)
        if (auto const refused = take_odd_name(lines, line, colon)) return refused;
    // RFC 9110, 5.4: our own limit.
    if (fields.size() >= std::min(lines.limits.fields, FieldTable::capacity))
        return rules::too_many_fields.broken_by(lines.sender);
    std::string_view const name{line.data(), colon};
    std::string_view const with_end{line.data(), line.size() + 2};
    fields.append({identify_field(name), name, take_value(lines, line, colon), with_end});
    return nullptr;
}

Refused take_fields(Lines& lines, FieldTable& fields) noexcept {
    while (true) {
        std::string_view line;
        if (auto const refused = take_line(lines, line)) return refused;
        if (line.empty()) return nullptr; // RFC 9112, 2.1: the empty line ends the head.
        if (auto const refused = take_field(lines, line, fields)) return refused;
    }
}

// RFC 9112, 2.3: HTTP-version is case-sensitive; RFC 9110, 6.2: other major versions are not
// supported.
Refused take_version(std::string_view text, Sender sender, Protocol& protocol) noexcept {
    if (text != "HTTP/1.1" && text != "HTTP/1.0")
        return rules::unsupported_version.broken_by(sender);
    protocol = text.back() == '0' ? Protocol::http_1_0 : Protocol::http_1_1;
    return nullptr;
}

// RFC 9112, 3: request-line = method SP request-target SP HTTP-version, one space each.
Refused take_request_line(Lines const& lines, std::string_view line, RequestHead& head) noexcept {
    auto const token_end = end_of_token(line);
    bool const is_token = token_end != 0 && token_end != line.size() && line[token_end] == ' ';
    auto const method_end = is_token ? token_end : line.find(' ');
    auto const target_end = line.find(' ', std::min(method_end, line.size() - 1) + 1);
    if (target_end == std::string_view::npos)
        return rules::malformed_request_line.broken_by(Sender::client);
    head.raw_target = line.substr(method_end + 1, target_end - method_end - 1);
    auto const version = line.substr(target_end + 1);
    // RFC 9112, 3: lenient readers split at any white space, and would see other parts. A line that
    // is printable to its end, as take_line() has seen, has no tab.
    bool const may_have_tab = lines.second_opinion == SecondOpinion::needed;
    if (version.find(' ') != std::string_view::npos
        || (may_have_tab && line.find('\t') != std::string_view::npos))
        return rules::malformed_request_line.broken_by(Sender::client);
    // RFC 9112, 3.2: no form of a target is empty.
    if (head.raw_target.empty()) return rules::malformed_request_line.broken_by(Sender::client);
    // RFC 9110, 9.1: method = token
    if (!is_token) return rules::method_not_token.broken_by(Sender::client);
    // Set only now: in a wrongly split line it could be anything, even a query.
    head.method_text = line.substr(0, method_end);
    head.method = boost::beast::http::string_to_verb(head.method_text);
    return take_version(version, Sender::client, head.protocol);
}

// RFC 9112, 4: status-line = HTTP-version SP status-code SP [ reason-phrase ]. Without a reason
// servers leave out the last space too, and all clients read that.
Refused take_status_line(std::string_view line, ResponseHead& head) noexcept {
    constexpr std::size_t status_begin = sizeof "HTTP/1.1" - 1 + 1;
    constexpr std::size_t reason_begin = status_begin + 3 + 1;
    auto const upstream = Sender::upstream;
    if (line.size() < reason_begin - 1 || line[status_begin - 1] != ' '
        || (line.size() >= reason_begin && line[reason_begin - 1] != ' '))
        return rules::malformed_status_line.broken_by(upstream);
    auto const digits = line.substr(status_begin, 3);
    if (!std::all_of(digits.begin(), digits.end(), is_digit))
        return rules::malformed_status_line.broken_by(upstream); // RFC 9110, 15: three digits
    head.status = 0;
    for (char const c : digits)
        head.status = head.status * 10 + static_cast<unsigned>(c - '0');
    head.reason = line.substr(std::min(reason_begin, line.size()));
    // RFC 9110, 15: codes outside 100 to 599 are invalid.
    if (head.status < 100 || head.status > 599)
        return rules::status_out_of_range.broken_by(upstream);
    return take_version(line.substr(0, status_begin - 1), upstream, head.protocol);
}

// Our own limit: each field of the head is compared with each element. Empty elements count,
// because they are skipped each time, too.
constexpr std::ptrdiff_t most_connection_elements = 32;

// RFC 9112, 9.3: close takes precedence; HTTP/1.1 is persistent, HTTP/1.0 only on request.
Refused take_connection(FieldTable const& fields, Sender sender, Protocol protocol,
                        KeepAlive& keep_alive) noexcept {
    keep_alive = protocol == Protocol::http_1_1 ? KeepAlive::yes : KeepAlive::no;
    if (!fields.has(FieldId::connection)) return nullptr;
    bool has_close = false;
    std::ptrdiff_t elements = 0;
    for (auto const field : fields) {
        if (field.id != FieldId::connection) continue;
        elements += 1 + std::count(field.value.begin(), field.value.end(), ',');
        if (elements > most_connection_elements)
            return rules::too_many_connection_elements.broken_by(sender);
        bool const is_list = for_each_element(field.value, [&](std::string_view option) {
            if (equals_ignoring_case(option, "close")) has_close = true;
            if (equals_ignoring_case(option, "keep-alive")) keep_alive = KeepAlive::yes;
            return is_all_of(token_character, option);
        });
        // RFC 9110, 7.6.1: connection-option = token; ignoring anything else is unsafe.
        if (!is_list) return rules::malformed_connection.broken_by(sender);
    }
    if (has_close) keep_alive = KeepAlive::no;
    return nullptr;
}

// Fields that influence the framing, besides one Content-Length: they decide where the next message
// begins.
SecondOpinion judge_fields(Lines const& lines, FieldTable const& fields) noexcept {
    if (fields.has(FieldId::transfer_encoding) || fields.has(FieldId::upgrade)
        || fields.has(FieldId::proxy_connection))
        return SecondOpinion::needed;
    auto const connection = fields.find(FieldId::connection);
    bool const is_ordinary = !connection || equals_ignoring_case(*connection, "keep-alive")
                             || equals_ignoring_case(*connection, "close");
    if (!is_ordinary || fields.is_repeated(FieldId::connection)) return SecondOpinion::needed;
    return lines.second_opinion;
}

Refused check_request(RequestHead& head, PathSpellings spellings) noexcept {
    if (auto const refused = check_method_and_target(head, spellings)) return refused;
    if (auto const refused = check_host(head)) return refused;
    auto const& fields = head.fields;
    auto& framing = head.framing;
    auto const protocol = head.protocol;
    if (auto const refused = take_body_framing(fields, Sender::client, protocol, framing.body))
        return refused;
    if (auto const refused = take_connection(fields, Sender::client, protocol, framing.keep_alive))
        return refused;
    return check_content(head);
}

// RFC 9112, 6.3, rules 1, 2 and 8: the framing by the status.
Refused check_response(ResponseHead& head, ResponseTo request) noexcept {
    auto const& fields = head.fields;
    auto& framing = head.framing;
    auto const protocol = head.protocol;
    auto const upstream = Sender::upstream;
    // RFC 9110, 15.2.2: only in response to Upgrade.
    if (head.status == switching_protocols && request != ResponseTo::upgrade)
        return rules::unasked_upgrade.broken_by(upstream);
    if (auto const refused = take_body_framing(fields, upstream, protocol, framing.body))
        return refused;
    if (auto const refused = take_connection(fields, upstream, protocol, framing.keep_alive))
        return refused;
    if (fields.has(FieldId::content_length)) framing.declared_length = framing.body.length;
    bool const says_length = framing.body.kind != BodyFraming::Kind::none;
    // RFC 9110, 8.6 and RFC 9112, 6.1: neither length in a 1xx or 204; a 304 may have both.
    if (says_length && is_always_without_body(head.status) && head.status != 304)
        return rules::length_without_body.broken_by(upstream);
    // RFC 9110, 8.6: a server must not send Content-Length with them, not even 0.
    if (is_always_without_body(head.status) && head.status != 304) framing.declared_length = {};
    // RFC 9112, 6.3, rule 1: no body, whatever the fields are.
    if (request == ResponseTo::head || is_always_without_body(head.status)) {
        framing.body = {};
        return nullptr;
    }
    if (says_length || framing.declared_length) return nullptr;
    // RFC 9112, 6.3, rule 8: the body ends with the connection.
    framing.body.kind = BodyFraming::Kind::until_close;
    framing.keep_alive = KeepAlive::no;
    return nullptr;
}

} // namespace

Refused apply_request_policy(std::string_view bytes, HeadLimits const& limits, RequestHead& head) {
    Lines lines{bytes, limits, Sender::client};
    head.reset(bytes.data());
    std::string_view line;
    if (auto const refused = take_line(lines, line)) return refused;
    // RFC 9112, 2.2: a server should ignore one empty line before a request line.
    if (line.empty()) {
        lines.second_opinion = SecondOpinion::needed;
        if (auto const refused = take_line(lines, line)) return refused;
    }
    if (line.empty()) return rules::empty_lines_before_request.broken_by(Sender::client);
    if (auto const refused = take_request_line(lines, line, head)) return refused;
    if (auto const refused = take_fields(lines, head.fields)) return refused;
    head.size = lines.at;
    head.second_opinion = head.protocol == Protocol::http_1_1 ? judge_fields(lines, head.fields)
                                                              : SecondOpinion::needed;
    return check_request(head, limits.path);
}

Refused apply_response_policy(std::string_view bytes, HeadLimits const& limits, ResponseTo request,
                              ResponseHead& head) {
    Lines lines{bytes, limits, Sender::upstream};
    head.reset(bytes.data());
    std::string_view line;
    if (auto const refused = take_line(lines, line)) return refused;
    if (auto const refused = take_status_line(line, head)) return refused;
    if (auto const refused = take_fields(lines, head.fields)) return refused;
    head.size = lines.at;
    head.second_opinion = head.protocol == Protocol::http_1_1 ? judge_fields(lines, head.fields)
                                                              : SecondOpinion::needed;
    return check_response(head, request);
}

} // namespace sallyport::http
