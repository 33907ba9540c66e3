// Finds the end of heads, and joins the policy and the parser to one verdict.
#include "gateway/http/head.h"

#include "gateway/http/characters.h"
#include "gateway/http/rules.h"
#include "gateway/http/second_opinion.h"

namespace sallyport::http {

FieldLine FieldTable::operator[](std::size_t i) const noexcept {
    auto const& entry = entries_[i];
    char const* const line = bytes_ + entry.line;
    return {entry.id,
            {line, entry.name_size},
            {line + entry.value, entry.value_size},
            {line, entry.line_size}};
}

std::size_t FieldTable::count(FieldId id) const noexcept {
    if (!has(id)) return 0;
    if (!is_repeated(id)) return 1;
    std::size_t count = 0;
    for (std::size_t i = 0; i < count_; ++i)
        count += entries_[i].id == id ? 1U : 0U;
    return count;
}

std::optional<std::string_view> FieldTable::find(FieldId id) const noexcept {
    if (!has(id)) return {};
    for (std::size_t i = 0; i < count_; ++i)
        if (entries_[i].id == id) return (*this)[i].value;
    return {};
}

std::optional<std::string_view> FieldTable::find(std::string_view name) const noexcept {
    for (auto const field : *this)
        if (equals_ignoring_case(field.name, name)) return field.value;
    return {};
}

void FieldTable::reset(char const* bytes) noexcept {
    bytes_ = bytes;
    present_ = 0;
    repeated_ = 0;
    count_ = 0;
}

void FieldTable::append(FieldLine const& field) noexcept {
    auto const line = field.line.data();
    // A value that is all white space is an empty view behind it: still within the line.
    entries_[count_++] = {static_cast<std::uint32_t>(line - bytes_),
                          static_cast<std::uint32_t>(field.line.size()),
                          static_cast<std::uint16_t>(field.name.size()),
                          static_cast<std::uint16_t>(field.value.data() - line),
                          static_cast<std::uint16_t>(field.value.size()),
                          field.id};
    repeated_ |= present_ & mask(field.id);
    present_ |= mask(field.id);
}

void RequestHead::reset(char const* bytes) noexcept {
    method = Method::unknown;
    method_text = {};
    raw_target = {};
    target = {};
    host = {};
    version_minor = 1;
    framing = {};
    second_opinion = SecondOpinion::needed;
    size = 0;
    fields.reset(bytes);
}

void ResponseHead::reset(char const* bytes) noexcept {
    status = 0;
    reason = {};
    version_minor = 1;
    framing = {};
    second_opinion = SecondOpinion::needed;
    size = 0;
    fields.reset(bytes);
}

std::size_t find_end_of_head(std::string_view bytes, std::size_t from) noexcept {
    // An end may have begun in the three bytes before.
    std::size_t at = from > 3 ? from - 3 : 0;
    while (true) {
        at = bytes.find('\n', at);
        if (at == std::string_view::npos) return no_end;
        // RFC 9112, 2.2: a bare LF ends no line of ours.
        if (at == 0 || bytes[at - 1] != '\r') return at + 1;
        if (bytes.substr(at + 1, 2) == "\r\n") return at + 3;
        ++at;
    }
}

Refused parse_request_head(std::string_view bytes, HeadLimits const& limits, RequestHead& head) {
    if (auto const refused = apply_request_policy(bytes, limits, head)) return refused;
    if (head.second_opinion == SecondOpinion::needless) return nullptr;
    // RFC 9112, 2.2: "recipients that differ" is what smuggling lives on: both readers must agree.
    if (!beast_agrees(bytes, head)) return rules::second_opinion.broken_by(Sender::client);
    return nullptr;
}

Refused parse_response_head(std::string_view bytes, HeadLimits const& limits, AnswerTo request,
                            ResponseHead& head) {
    if (auto const refused = apply_response_policy(bytes, limits, request, head)) return refused;
    if (head.second_opinion == SecondOpinion::needless) return nullptr;
    if (!beast_agrees(bytes, head)) return rules::second_opinion.broken_by(Sender::upstream);
    return nullptr;
}

} // namespace sallyport::http
