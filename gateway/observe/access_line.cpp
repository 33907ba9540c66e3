// Formats one line of the access log by copying; every text is bounded and escaped.
#include "gateway/observe/access_line.h"

#include "gateway/observe/json_text.h"

#include <algorithm>
#include <cstring>

namespace sallyport::observe {

namespace {

// Between its quotes or brackets, with the mark and the comma.
constexpr std::size_t room_for(std::size_t limit) {
    return limit + cut_mark.size() + 3;
}

constexpr std::size_t room_for_user_agent =
    room_for(line_limits::user_agent * longest_written_character);
constexpr std::size_t room_for_words =
    15 * room_for(line_limits::word) + room_for(line_limits::host) + room_for(line_limits::rule)
    + room_for_user_agent;
constexpr std::size_t room_for_violation =
    80 + 2 * room_for(line_limits::pointer) + room_for(line_limits::word);
constexpr std::size_t room_for_names = (line_limits::names + 1) * room_for(line_limits::name);
// Names of the members, numbers, the time, brackets.
constexpr std::size_t room_for_the_rest = 2048;

// The longest line without its two bodies.
constexpr std::size_t longest_head =
    room_for_the_rest + room_for_words + room_for(line_limits::method) + room_for(line_limits::path)
    + 2 * room_for_names + (line_limits::violations + 1) * room_for_violation;

void put_two_digits(char* at, unsigned value) {
    at[0] = static_cast<char>('0' + value / 10 % 10);
    at[1] = static_cast<char>('0' + value % 10);
}

// "2026-01-31T23:59:59.", RFC 3339, 5.6, in UTC.
void format_second(std::chrono::sys_seconds second, std::array<char, 20>& text) {
    auto const day = std::chrono::floor<std::chrono::days>(second);
    std::chrono::year_month_day const date{day};
    std::chrono::hh_mm_ss const time{second - day};
    constexpr std::string_view pattern = "0000-00-00T00:00:00.";
    std::copy(pattern.begin(), pattern.end(), text.begin());
    auto const year = static_cast<unsigned>(static_cast<int>(date.year()));
    put_two_digits(text.data(), year / 100);
    put_two_digits(text.data() + 2, year);
    put_two_digits(text.data() + 5, static_cast<unsigned>(date.month()));
    put_two_digits(text.data() + 8, static_cast<unsigned>(date.day()));
    put_two_digits(text.data() + 11, static_cast<unsigned>(time.hours().count()));
    put_two_digits(text.data() + 14, static_cast<unsigned>(time.minutes().count()));
    put_two_digits(text.data() + 17, static_cast<unsigned>(time.seconds().count()));
}

std::array<char, 3> three_digits(unsigned value) {
    std::array<char, 3> text{};
    text[0] = static_cast<char>('0' + value / 100);
    put_two_digits(text.data() + 1, value);
    return text;
}

template <std::size_t Size>
std::string_view text_of(std::array<char, Size> const& text) {
    return {text.data(), Size};
}

void put_tls(JsonText& out, LoggedTls const& tls) {
    out.raw("{\"version\":");
    out.string(tls.version, line_limits::word);
    out.raw(",\"cipher\":");
    out.string_or_null(tls.cipher, line_limits::word);
    out.raw(tls.resumed ? ",\"resumed\":true" : ",\"resumed\":false");
    out.raw(",\"group\":");
    out.string_or_null(tls.group, line_limits::word);
    out.raw("}");
}

void put_names(JsonText& out, std::span<std::string_view const> names) {
    if (names.empty()) return out.raw("null");
    char const* separator = "[";
    for (auto const name : names.first(std::min(names.size(), line_limits::names))) {
        out.raw(separator);
        out.string(name, line_limits::name);
        separator = ",";
    }
    if (names.size() > line_limits::names) {
        out.raw(",");
        out.string(cut_mark, cut_mark.size());
    }
    out.raw("]");
}

void put_violation(JsonText& out, LoggedViolation const& violation) {
    out.raw("{\"pointer\":");
    out.string(violation.pointer, line_limits::pointer);
    out.raw(",\"rule\":");
    out.string(violation.rule, line_limits::word);
    out.raw(",\"rule_pointer\":");
    out.string(violation.rule_pointer, line_limits::pointer);
    out.raw(violation.level == ViolationLevel::enforce ? ",\"level\":\"enforce\"}"
                                                       : ",\"level\":\"report\"}");
}

// Enforced if one of them is: a search for enforced violations must find the line.
std::optional<ViolationLevel> level_of_left_out(AccessRecord const& record) {
    auto level = record.more_violations;
    auto const& violations = record.violations;
    for (std::size_t i = line_limits::violations; i < violations.size(); ++i)
        if (!level || violations[i].level == ViolationLevel::enforce) level = violations[i].level;
    return level;
}

void put_violations(JsonText& out, AccessRecord const& record) {
    auto const& violations = record.violations;
    auto const left_out = level_of_left_out(record);
    if (violations.empty() && !left_out) return out.raw("null");
    char const* separator = "[";
    for (auto const& violation :
         violations.first(std::min(violations.size(), line_limits::violations))) {
        out.raw(separator);
        put_violation(out, violation);
        separator = ",";
    }
    if (left_out) {
        out.raw(separator);
        put_violation(out, {cut_mark, cut_mark, cut_mark, *left_out});
    }
    out.raw("]");
}

std::string_view loggable_body(std::string_view body) {
    return body.empty() || body.size() > line_limits::body ? "null" : body;
}

void put_operation(JsonText& out, std::string_view method, std::string_view api,
                   std::string_view operation, bool unchecked) {
    out.raw(",\"method\":");
    out.string_or_null(method, line_limits::method);
    out.raw(",\"api\":");
    out.string_or_null(api, line_limits::word);
    out.raw(",\"operation\":");
    out.string_or_null(operation, line_limits::word);
    out.raw(unchecked ? ",\"unchecked\":true" : ",\"unchecked\":null");
}

// The request, and its caller.
void put_request(JsonText& out, AccessRecord const& record) {
    if (record.operation_part.empty()) {
        put_operation(out, record.method, record.api, record.operation, record.unchecked);
    } else {
        out.raw(record.operation_part);
    }
    out.raw(",\"path\":");
    out.string_or_null(record.path, line_limits::path);
    if (record.query.empty()) {
        out.raw(",\"query\":null,\"credential\":");
    } else {
        out.raw(",\"query\":");
        put_names(out, record.query);
        out.raw(",\"credential\":");
    }
    out.string_or_null(record.credential, line_limits::word);
}

// The result of the request.
void put_outcome(JsonText& out, AccessRecord const& record) {
    if (record.reason.empty() && record.violations.empty() && !record.more_violations) {
        out.raw(",\"status\":", record.status, ",\"reason\":null,\"violations\":null");
    } else {
        out.raw(",\"status\":", record.status, ",\"reason\":");
        out.string_or_null(record.reason, line_limits::word);
        out.raw(",\"violations\":");
        put_violations(out, record);
    }
    out.raw(",\"unknown_members\":", NumberOrNull{record.unknown_members},
            ",\"deprecated_members\":");
    put_names(out, record.deprecated_members);
    out.raw(",\"bytes_in\":", record.bytes_in, ",\"bytes_out\":", record.bytes_out);
}

void put_upstream(JsonText& out, AccessRecord const& record) {
    out.raw(",\"upstream\":");
    out.string_or_null(record.upstream, line_limits::word);
    NumberOrNull const status{record.upstream_status == 0 ? -1 : record.upstream_status};
    out.raw(",\"upstream_status\":", status, ",\"upstream_request_id\":");
    out.string_or_null(record.upstream_request_id, line_limits::word);
}

void put_durations(JsonText& out, AccessRecord const& record) {
    out.raw(",\"duration_us\":", NumberOrNull{record.duration_us},
            ",\"auth_us\":", NumberOrNull{record.auth_us},
            ",\"validate_us\":", NumberOrNull{record.validate_us},
            ",\"upstream_connect_us\":", NumberOrNull{record.upstream_connect_us},
            ",\"upstream_first_byte_us\":", NumberOrNull{record.upstream_first_byte_us},
            ",\"upstream_total_us\":", NumberOrNull{record.upstream_total_us});
}

void put_trace(JsonText& out, AccessRecord const& record) {
    if (record.client_request_id.empty() && record.trace_id.empty() && record.peer.empty())
        return out.raw(",\"client_request_id\":null,\"trace_id\":null,\"peer\":null");
    out.raw(",\"client_request_id\":");
    out.string_or_null(record.client_request_id, line_limits::word);
    out.raw(",\"trace_id\":");
    out.string_or_null(record.trace_id, line_limits::word);
    out.raw(",\"peer\":");
    out.string_or_null(record.peer, line_limits::word);
}

void put_auth_failure(JsonText& out, AccessRecord const& record) {
    if (record.auth_failure.empty())
        return out.raw(",\"auth_failure\":null,\"auth_rule\":null}\n");
    out.raw(",\"auth_failure\":");
    out.string(record.auth_failure, line_limits::word);
    out.raw(",\"auth_rule\":");
    out.string_or_null(record.auth_rule, line_limits::rule);
    out.raw("}\n");
}

// Enough for the part of a line between its numbers.
constexpr std::size_t room_for_part =
    64 + room_for(line_limits::method) + 2 * room_for(line_limits::word);

// The longest line in which every list is only its mark, and the bodies are null.
constexpr std::size_t longest_short_line = room_for_the_rest + room_for_words
                                           + room_for(line_limits::method)
                                           + room_for(line_limits::path);
static_assert(longest_short_line <= short_line);

// A list of which every element is omitted.
constexpr std::array<std::string_view, 1> only_mark{cut_mark};

// Compares words that may overlap.
template <class Word>
[[gnu::always_inline]] inline bool is_same_by(std::string_view one, std::string_view other) {
    auto const differs = [&](std::size_t at) {
        Word a;
        Word b;
        std::memcpy(&a, one.data() + at, sizeof a);
        std::memcpy(&b, other.data() + at, sizeof b);
        return a != b;
    };
    for (std::size_t at = 0; at + sizeof(Word) < one.size(); at += sizeof(Word))
        if (differs(at)) return false;
    return !differs(one.size() - sizeof(Word));
}

// For short texts: a call of memcmp costs more than these comparisons.
[[gnu::always_inline]] inline bool is_same(std::string_view one, std::string_view other) {
    auto const size = one.size();
    if (size != other.size()) return false;
    if (size >= sizeof(std::uint64_t) && size <= 4 * sizeof(std::uint64_t))
        return is_same_by<std::uint64_t>(one, other);
    bool const is_short = size >= sizeof(std::uint32_t) && size < sizeof(std::uint64_t);
    return is_short ? is_same_by<std::uint32_t>(one, other) : one == other;
}

constexpr std::size_t room_for_connection = 112 + 4 * room_for(line_limits::word);
constexpr std::size_t room_for_caller = 64 + room_for(line_limits::word)
                                        + room_for(line_limits::host) + room_for_user_agent;

} // namespace

LineBuffer::LineBuffer()
    : memory_{std::make_unique_for_overwrite<char[]>(longest_head)}, size_{longest_head} {
    format_second(second_, second_text_);
}

std::string prepare_operation_part(std::string_view method, std::string_view api,
                                   std::string_view operation, bool unchecked) {
    std::array<char, room_for_part> memory;
    JsonText out{memory.data(), memory.data() + memory.size()};
    put_operation(out, method, api, operation, unchecked);
    return std::string{out.text()};
}

std::string_view LineBuffer::connection_text(AccessRecord const& record) {
    auto const& tls = record.tls;
    if (is_same(tls.version, tls_version_) && is_same(tls.cipher, tls_cipher_)
        && is_same(record.protocol, protocol_) && tls.resumed == tls_resumed_
        && is_same(tls.group, tls_group_) && !connection_text_.empty()) {
        return connection_text_;
    }
    std::array<char, room_for_connection> memory;
    JsonText out{memory.data(), memory.data() + memory.size()};
    out.raw(",\"tls\":");
    if (tls.version.empty()) out.raw("null");
    else put_tls(out, tls);
    out.raw(",\"protocol\":");
    out.string_or_null(record.protocol, line_limits::word);
    connection_text_ = out.text();
    tls_version_ = tls.version;
    tls_cipher_ = tls.cipher;
    tls_resumed_ = tls.resumed;
    tls_group_ = tls.group;
    protocol_ = record.protocol;
    return connection_text_;
}

std::string_view LineBuffer::caller_text(AccessRecord const& record) {
    if (is_same(record.user_agent, user_agent_) && is_same(record.host, host_)
        && is_same(record.listener, listener_) && !caller_text_.empty()) {
        return caller_text_;
    }
    std::array<char, room_for_caller> memory;
    JsonText out{memory.data(), memory.data() + memory.size()};
    out.raw(",\"listener\":");
    out.string_or_null(record.listener, line_limits::word);
    out.raw(",\"host\":");
    out.string_or_null(record.host, line_limits::host);
    out.raw(",\"user_agent\":");
    out.characters_or_null(record.user_agent, line_limits::user_agent);
    caller_text_ = out.text();
    listener_ = record.listener;
    host_ = record.host;
    user_agent_ = record.user_agent;
    return caller_text_;
}

std::string_view format_access_line(AccessRecord const& record, LineBuffer& buffer) {
    auto const request_body = loggable_body(record.request_body);
    auto const response_body = loggable_body(record.response_body);
    auto const needed = longest_head + request_body.size() + response_body.size();
    if (needed > buffer.size_) {
        buffer.memory_ = std::make_unique_for_overwrite<char[]>(needed);
        buffer.size_ = needed;
    }
    auto const second = std::chrono::floor<std::chrono::seconds>(record.time);
    if (second != buffer.second_) {
        format_second(second, buffer.second_text_);
        buffer.second_ = second;
    }

    JsonText out{buffer.memory_.get(), buffer.memory_.get() + buffer.size_};
    auto const fraction = std::chrono::floor<std::chrono::milliseconds>(record.time - second);
    auto const milliseconds = three_digits(static_cast<unsigned>(fraction.count()));
    out.raw("{\"time\":\"", text_of(buffer.second_text_), text_of(milliseconds),
            "Z\",\"worker\":", record.worker, ",\"seq\":", record.seq, ",\"request_id\":");
    out.string_or_null(record.request_id, line_limits::word);
    out.raw(",\"client\":");
    out.string_or_null(record.client, line_limits::word);
    out.raw(buffer.connection_text(record));
    put_request(out, record);
    put_outcome(out, record);
    put_upstream(out, record);
    put_durations(out, record);
    out.raw(",\"retries\":", record.retries, ",\"generation\":", record.generation,
            ",\"request_body\":", request_body, ",\"response_body\":", response_body,
            buffer.caller_text(record));
    put_trace(out, record);
    put_auth_failure(out, record);
    return out.text();
}

std::string_view format_short_access_line(AccessRecord const& record, LineBuffer& buffer) {
    auto shorter = record;
    for (auto const& violation : record.violations)
        if (shorter.more_violations != ViolationLevel::enforce)
            shorter.more_violations = violation.level;
    shorter.violations = {};
    if (!record.query.empty()) shorter.query = only_mark;
    if (!record.deprecated_members.empty()) shorter.deprecated_members = only_mark;
    shorter.request_body = shorter.response_body = {};
    return format_access_line(shorter, buffer);
}

} // namespace sallyport::observe
