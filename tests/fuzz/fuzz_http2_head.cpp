// Fuzzes requests of HTTP/2 against their text in HTTP/1: one policy has the same verdict on both,
// but for what only one of them can say.
//
// An input is an octet of choices, and lines that end in LF: "METHOD PATH", the authority, and
// "name: value" for each field.
#include "check.h"

#include "gateway/http/characters.h"
#include "gateway/http/head.h"
#include "gateway/http2/hpack_decoder.h"
#include "gateway/http2/request_head.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace sallyport;
using fuzz::check;
using http::FieldId;

// No input meets them: they differ by the lines in front.
constexpr http::HeadLimits limits{1 << 17, 1 << 16, http::FieldTable::capacity};
constexpr std::size_t most_fields = 200;

constexpr unsigned has_body = 1;
constexpr unsigned has_no_authority = 2;
constexpr unsigned notes_parameters = 4;
constexpr unsigned has_other_scheme = 8;
constexpr unsigned has_pseudo_behind = 16;

struct Field {
    std::string_view name;
    std::string_view value;
};

struct Request {
    unsigned choices = 0;
    std::string_view method;
    std::string_view path;
    std::string_view authority;
    std::vector<Field> fields;

    bool has(unsigned choice) const { return (choices & choice) != 0; }
    bool has_field(std::string_view name) const {
        return std::any_of(fields.begin(), fields.end(),
                           [name](Field const& field) { return field.name == name; });
    }
};

std::string_view take_line(std::string_view& input) {
    auto const line = input.substr(0, input.find('\n'));
    input.remove_prefix(std::min(line.size() + 1, input.size()));
    return line;
}

Request read_input(std::string_view input) {
    Request request;
    request.choices = fuzz::take_byte(input);
    auto const first = take_line(input);
    auto const space = std::min(first.find(' '), first.size());
    request.method = first.substr(0, space);
    request.path = first.substr(std::min(space + 1, first.size()));
    request.authority = take_line(input);
    while (!input.empty() && request.fields.size() < most_fields) {
        auto const line = take_line(input);
        auto const colon = line.find(": ");
        if (colon == line.npos)
            request.fields.push_back({line, {}});
        else
            request.fields.push_back({line.substr(0, colon), line.substr(colon + 2)});
    }
    return request;
}

void put_string(std::string& block, std::string_view text) {
    auto left = text.size();
    if (left < 127) {
        block.push_back(static_cast<char>(left));
    } else {
        block.push_back(127);
        for (left -= 127; left >= 128; left /= 128)
            block.push_back(static_cast<char>(128 + left % 128));
        block.push_back(static_cast<char>(left));
    }
    block.append(text);
}

void put_field(std::string& block, std::string_view name, std::string_view value) {
    block.push_back(0);
    put_string(block, name);
    put_string(block, value);
}

std::string block_of(Request const& request) {
    std::string block;
    put_field(block, ":method", request.method);
    put_field(block, ":scheme", request.has(has_other_scheme) ? "http" : "https");
    if (!request.has(has_no_authority)) put_field(block, ":authority", request.authority);
    put_field(block, ":path", request.path);
    for (auto const& field : request.fields)
        put_field(block, field.name, field.value);
    if (request.has(has_pseudo_behind)) put_field(block, ":path", request.path);
    return block;
}

// The crumbs in one line, where the first of them stands (RFC 9113, 8.2.3), but empty ones.
std::string joined_crumbs(Request const& request) {
    std::string joined = "cookie: ";
    bool is_first = true;
    for (auto const& field : request.fields) {
        if (field.name != "cookie" || field.value.empty()) continue;
        if (!std::exchange(is_first, false)) joined.append("; ");
        joined.append(field.value);
    }
    return joined;
}

std::string text_of(Request const& request) {
    bool const has_authority = !request.has(has_no_authority);
    bool const has_host = request.has_field("host");
    std::string text{request.method};
    text.append(" ");
    // RFC 9112, 3.2: both, if both are there, as an absolute form has it.
    if (has_authority && has_host && request.path.starts_with('/'))
        text.append("https://").append(request.authority);
    text.append(request.path).append(" HTTP/1.1\r\n");
    if (has_authority && !has_host) text.append("host: ").append(request.authority).append("\r\n");
    bool has_crumb = false;
    for (auto const& field : request.fields) {
        if (field.name == "cookie") {
            if (!std::exchange(has_crumb, true)) text.append(joined_crumbs(request)).append("\r\n");
            continue;
        }
        text.append(field.name).append(": ").append(field.value).append("\r\n");
    }
    if (request.has(has_body) && !request.has_field("content-length"))
        text.append("transfer-encoding: chunked\r\n");
    return text.append("\r\n");
}

bool has_capital(std::string_view name) {
    return std::any_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool has_white_space_around(std::string_view value) {
    return http::trim_white_space(value).size() != value.size();
}

// A name that means another field, or none, in a line of HTTP/1.
bool is_ambiguous(Field const& field) {
    return field.name.find(':') != field.name.npos || field.name.empty()
           || !http::is_all_of(http::token_character, field.name);
}

// Rules that HTTP/2 has in addition hold for a reason.
bool is_own_rule(Request const& request, std::string_view rule) {
    auto const any_field = [&request](auto const& is) {
        return std::any_of(request.fields.begin(), request.fields.end(), is);
    };
    auto const is_one_of = [](std::string_view name, auto const& names) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (rule == "capital_in_field_name")
        return any_field([](Field const& field) { return has_capital(field.name); });
    if (rule == "white_space_around_value")
        return has_white_space_around(request.method) || has_white_space_around(request.path)
               || has_white_space_around(request.authority)
               || any_field([](Field const& field) { return has_white_space_around(field.value); });
    if (rule == "connection_specific_field") {
        constexpr std::array<std::string_view, 5> names{
            "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"};
        return any_field([&](Field const& field) { return is_one_of(field.name, names); });
    }
    if (rule == "te_not_trailers") return request.has_field("te");
    if (rule == "scheme_not_https") return request.has(has_other_scheme);
    if (rule == "content_length_is_not_body")
        return !request.has(has_body) && request.has_field("content-length");
    if (rule == "pseudo_field_behind_field")
        return request.has(has_pseudo_behind)
               || any_field([](Field const& field) { return field.name.starts_with(':'); });
    if (rule == "repeated_pseudo_field" || rule == "unknown_pseudo_field")
        return request.has(has_pseudo_behind)
               || any_field([](Field const& field) { return field.name.starts_with(':'); });
    return false;
}

// White space, which splits a request line, or nothing where it needs something.
bool splits_line(std::string_view part) {
    return part.empty() || part.find_first_of(" \t") != part.npos;
}

// The same error, or the first of several: HTTP/1 has method and target in one line, whose
// characters and parts come first.
bool is_same_error(Request const& request, std::string_view rule, std::string_view http1) {
    if (rule == http1) return true;
    if (http1 == "malformed_request_line" || http1 == "unsupported_version")
        return splits_line(request.method) || splits_line(request.path)
               || splits_line(request.authority);
    // In HTTP/1 a target may be an absolute URI too.
    if (rule == "path_not_origin_form") return http1 == "malformed_target";
    bool const is_character = http1 == "control_character" || http1 == "bare_carriage_return";
    if (rule == "method_not_token" || rule == "control_character" || rule == "bare_carriage_return")
        return is_character;
    // In an absolute form it stands in front of the path, as Host behind other fields.
    bool const is_authority = http1 == "malformed_host" || http1 == "target_userinfo"
                              || http1 == "malformed_target_authority";
    return is_authority && !http::parse_authority(request.authority);
}

void check_same_head(http::RequestHead const& ours, http::RequestHead const& text) {
    check(ours.protocol == http::Protocol::http_2, "the protocol is HTTP/2");
    check(ours.method == text.method && ours.method_text == text.method_text, "the same method");
    check(ours.target.path == text.target.path && ours.target.query == text.target.query
              && ours.target.has_semicolon == text.target.has_semicolon,
          "the same target");
    check(ours.host.text == text.host.text && ours.host.host == text.host.host
              && ours.host.port == text.host.port,
          "the same host");
    check(ours.framing.body == text.framing.body
              && ours.framing.expect_continue == text.framing.expect_continue
              && ours.framing.keep_alive == http::KeepAlive::yes,
          "the same framing");
    check(ours.max_forwards == text.max_forwards, "the same Max-Forwards");
    // What only the text has: the Host that :authority stands for, and its framing.
    auto at = text.fields.begin();
    bool const has_host = ours.fields.has(FieldId::host);
    for (auto const field : ours.fields) {
        while (at != text.fields.end() && !has_host && (*at).id == FieldId::host)
            ++at;
        check(at != text.fields.end(), "no more fields");
        auto const other = *at;
        check(field.id == other.id && field.name == other.name && field.value == other.value,
              "the same fields");
        check(std::string_view{field.line}.ends_with("\r\n"), "whole lines");
        ++at;
    }
    while (at != text.fields.end()
           && ((*at).id == FieldId::host || (*at).id == FieldId::transfer_encoding))
        ++at;
    check(at == text.fields.end(), "no fewer fields");
}

// RFC 8441, 4: the GET that HTTP/1 has without `:protocol`, with that as its Upgrade.
void check_extended_connect(Request request, http::RequestHead const& ours,
                            http::HeadLimits const& own_limits) {
    check(request.method == "CONNECT", "only CONNECT has a protocol");
    check(ours.method == http::Method::get && ours.method_text == "GET", "it is a GET");
    check(ours.fields.count(FieldId::upgrade) == 1, "the protocol is its Upgrade");
    check(ours.framing.body.kind == http::BodyFraming::Kind::none, "no body follows");
    request.method = "GET";
    request.choices &= ~has_body;
    std::erase_if(request.fields, [](Field const& field) { return field.name == ":protocol"; });
    fuzz::Copy const text{text_of(request)};
    http::RequestHead head;
    check(http::apply_request_policy(text.view(), own_limits, head) == nullptr,
          "what HTTP/1 refuses is refused");
    check(head.target.path == ours.target.path && head.host.text == ours.host.text,
          "the same target");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    fuzz::Copy const input{fuzz::view_of(data, size)};
    auto const request = read_input(input.view());
    auto own_limits = limits;
    if (request.has(notes_parameters)) own_limits.path.semicolons = http::Spelling::noted;

    fuzz::Copy const block{block_of(request)};
    // Not anew for each input: to fill it with zeros would be most of the time.
    static std::vector<char> memory(http2::HeadBlock::memory_for(limits));
    http2::HeadBlock lines{memory, own_limits};
    http2::HpackDecoder decoder;
    auto const error = decoder.decode(block.view(), lines);
    check(error == http2::HpackError::none, "a block of literals is one");
    std::vector<char> stored_memory(lines.stored_size());
    auto const stored = lines.store(stored_memory.data());
    http::RequestHead ours;
    auto const end = request.has(has_body) ? http2::StreamEnd::open : http2::StreamEnd::ended;
    auto const refused = http2::read_request_head(stored, end, own_limits, ours);

    if (refused == nullptr && request.has_field(":protocol")) {
        check_extended_connect(request, ours, own_limits);
        return 0;
    }

    fuzz::Copy const text{text_of(request)};
    http::RequestHead head;
    auto const text_refused = http::apply_request_policy(text.view(), own_limits, head);

    if (refused == nullptr) {
        check(text_refused == nullptr, "what HTTP/1 refuses is refused");
        check(head.size == text.view().size(), "a field is no end of a head");
        check_same_head(ours, head);
        return 0;
    }
    check(refused->kind != http::RefusalKind::upstream_invalid, "the client is to blame");
    if (is_own_rule(request, refused->rule)) return 0;
    // In an absolute form these end the authority; without a slash behind it there is none.
    bool const is_other_authority =
        request.has_field("host")
        && (!request.path.starts_with('/')
            || request.authority.find_first_of("/?#") != std::string::npos);
    // A form that only HTTP/1 has.
    bool const is_absolute = request.path.find("://") != std::string::npos;
    bool const is_other_text =
        is_other_authority || is_absolute
        || std::any_of(request.fields.begin(), request.fields.end(), is_ambiguous);
    if (is_other_text) return 0;
    check(text_refused != nullptr, "what is refused of both versions is refused in HTTP/1");
    if (is_same_error(request, refused->rule, text_refused->rule)) return 0;
    std::fprintf(stderr, "%.*s, in HTTP/1 %.*s\n", static_cast<int>(refused->rule.size()),
                 refused->rule.data(), static_cast<int>(text_refused->rule.size()),
                 text_refused->rule.data());
    check(false, "the same error");
    return 0;
}
