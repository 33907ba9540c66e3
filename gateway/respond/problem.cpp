// Builds the problem body and the field lines of a refusal.
#include "gateway/respond/problem.h"

#include "gateway/http/date.h"
#include "gateway/http/scan.h"
#include "gateway/observe/json_text.h"
#include "gateway/respond/reason_table.h"

#include <algorithm>
#include <array>
#include <memory>

namespace sallyport::respond {

namespace {

using observe::JsonText;
using pipeline::AnswerField;
using pipeline::Denial;
using pipeline::Reason;

// The longest text of a member, in bytes as written.
constexpr std::size_t longest_text = 2048;
constexpr std::size_t most_violations = 32;

// Bytes of all lines of an answer, as most are.
constexpr std::size_t usual_lines = 400;

bool is_enforced(contract::Violation const& violation) {
    return violation.level == contract::Level::enforce;
}

// A reason that no client is told cannot be answered with: whoever tries has a bug.
Reason public_reason(Denial const& denial) {
    return status_of(denial.reason) == 0 ? Reason::internal_error : denial.reason;
}

std::string_view public_detail(Denial const& denial) {
    auto const reason = public_reason(denial);
    if (reason != denial.reason) return row_of(reason).detail;
    if (!denial.public_detail.empty()) return denial.public_detail;
    auto const first =
        std::find_if(denial.violations.begin(), denial.violations.end(), is_enforced);
    if (first != denial.violations.end() && !first->message.empty()) return first->message;
    return row_of(reason).detail;
}

// A text at its longest: every byte escaped, with the name of its member, quotes and the mark of a
// cut.
std::size_t room_for(std::string_view text) {
    return std::min(6 * text.size(), longest_text) + 40;
}

std::size_t room_for(contract::Violation const& violation) {
    return room_for(violation.pointer) + room_for(violation.rule) + room_for(violation.expected)
           + room_for(violation.rule_pointer) + room_for(violation.source);
}

std::size_t room_for(Denial const& denial, std::string_view detail, std::string_view request_id) {
    constexpr std::size_t room_for_constants = 512;
    auto room = room_for_constants + 4 * room_for(detail) + room_for(request_id);
    for (auto const& violation : denial.violations)
        room += room_for(violation);
    return room;
}

void put_violation(JsonText& out, contract::Violation const& violation) {
    out.raw("{\"pointer\":");
    out.string(violation.pointer, longest_text);
    out.raw(",\"rule\":");
    out.string(violation.rule, longest_text);
    // JSON text of the contract's own; one that is too long is left out, not cut.
    if (!violation.expected.empty() && violation.expected.size() <= longest_text) {
        out.raw(",\"expected\":");
        out.raw(violation.expected);
    }
    out.raw(",\"rule_pointer\":");
    out.string(violation.rule_pointer, longest_text);
    if (!violation.source.empty()) {
        out.raw(",\"source\":");
        out.string(violation.source, longest_text);
    }
    out.raw("}");
}

// Those for which the request was refused; reported ones are for the log.
void put_violations(JsonText& out, std::vector<contract::Violation> const& violations) {
    std::string_view separator = ",\"violations\":[";
    std::size_t count = 0;
    for (auto const& violation : violations) {
        if (!is_enforced(violation) || count == most_violations) continue;
        out.raw(separator);
        put_violation(out, violation);
        separator = ",";
        ++count;
    }
    if (count != 0) out.raw("]");
}

void put_line(std::string& lines, std::string_view name, std::string_view value) {
    lines += name;
    lines += ": ";
    lines += value;
    lines += "\r\n";
}

// RFC 9110, 5.5. What is not a field value would be a field of its own, or the end of the head: it
// is not written.
bool is_field_value(std::string_view value) {
    // Nearly all of them are printable ASCII.
    if (http::printable_prefix(value) == value.size()) return true;
    return std::all_of(value.begin(), value.end(), [](char character) {
        auto const byte = static_cast<unsigned char>(character);
        return byte == '\t' || (byte >= 0x20 && byte != 0x7F);
    });
}

bool is_retry_after(AnswerField const& field) {
    return field.name == "Retry-After";
}

std::string challenge(std::string_view scheme, std::string_view realm,
                      std::string_view parameters) {
    std::string value{scheme};
    value += " realm=\"";
    for (auto const character : realm) {
        // RFC 9110, 5.6.4: quoted-pair.
        if (character == '"' || character == '\\') value += '\\';
        value += character;
    }
    value += '"';
    value += parameters;
    return value;
}

} // namespace

std::string problem_body(Denial const& denial, std::string_view request_id) {
    auto const reason = public_reason(denial);
    auto const& row = row_of(reason);
    auto const detail = public_detail(denial);
    std::string error{code_of(row.status)};
    error += ": ";
    error += detail;

    auto const room = room_for(denial, detail, request_id);
    // Far more than most need: not to be cleared first.
    auto const memory = std::make_unique_for_overwrite<char[]>(room);
    JsonText out{memory.get(), memory.get() + room};
    out.raw("{\"type\":\"urn:sallyport:problem:");
    out.raw(word(reason));
    out.raw("\",\"title\":");
    out.string(row.title, longest_text);
    out.raw(",\"status\":");
    out.number(row.status);
    out.raw(",\"detail\":");
    out.string(detail, longest_text);
    out.raw(",\"requestId\":");
    out.string(request_id, longest_text);
    out.raw(",\"error\":");
    out.string(error, longest_text);
    out.raw(",\"message\":");
    out.string(detail, longest_text);
    out.raw(",\"reason\":\"");
    out.raw(word(reason));
    out.raw("\"");
    if (reason == denial.reason) put_violations(out, denial.violations);
    out.raw("}");
    return std::string{out.text()};
}

Answer make_answer(Denial const& denial, std::string_view request_id, Content content,
                   std::chrono::system_clock::time_point now) {
    Answer answer;
    answer.body = problem_body(denial, request_id);
    answer.content_length = answer.body.size();
    if (content == Content::omit) answer.body.clear();

    auto const reason = public_reason(denial);
    answer.status = status_of(reason);
    answer.lines.reserve(usual_lines);
    put_line(answer.lines, "Date", http::Date{now}); // RFC 9110, 6.6.1
    put_line(answer.lines, "Content-Type", "application/problem+json");
    put_line(answer.lines, "Cache-Control", "no-store");
    if (is_field_value(request_id)) put_line(answer.lines, "X-Request-Id", request_id);
    for (auto const& field : denial.fields) {
        if (is_field_value(field.value)) put_line(answer.lines, field.name, field.value);
    }
    auto const has_retry_after =
        std::any_of(denial.fields.begin(), denial.fields.end(), is_retry_after);
    if (reason == Reason::overloaded && !has_retry_after) {
        put_line(answer.lines, "Retry-After", "1");
    }
    return answer;
}

AnswerField basic_challenge(std::string_view realm) {
    return {"WWW-Authenticate", challenge("Basic", realm, ", charset=\"UTF-8\"")};
}

AnswerField bearer_challenge(std::string_view realm) {
    return {"WWW-Authenticate", challenge("Bearer", realm, "")};
}

} // namespace sallyport::respond
