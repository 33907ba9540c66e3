// Finds the end of heads, and combines the policy and the parser.
#include "gateway/http/head.h"

#include "gateway/http/characters.h"
#include "gateway/http/rules.h"
#include "gateway/http/scan.h"
#include "gateway/http/second_opinion.h"

namespace sallyport::http {

std::size_t FieldTable::count(FieldId id) const noexcept {
    if (!has(id)) return 0;
    if (!is_repeated(id)) return 1;
    std::size_t count = 0;
    for (std::size_t i = 0; i < count_; ++i)
        count += entries_[i].id == id ? 1U : 0U;
    return count;
}

std::optional<std::string_view> FieldTable::find(std::string_view name) const noexcept {
    for (auto const field : *this)
        if (equals_ignoring_case(field.name, name)) return field.value;
    return {};
}

FoundLines find_lines(FieldTable const& fields, std::string_view lower_case) noexcept {
    FoundLines found;
    for (auto const field : fields) {
        if (!is_field_name(field.name, lower_case)) continue;
        if (found.count++ == 0) found.value = field.value;
    }
    return found;
}

void FieldTable::reset(char const* bytes) noexcept {
    bytes_ = bytes;
    present_ = 0;
    repeated_ = 0;
    count_ = 0;
}

void RequestHead::reset(char const* bytes) noexcept {
    method = Method::unknown;
    method_text = {};
    raw_target = {};
    target = {};
    host = {};
    protocol = Protocol::http_1_1;
    framing = {};
    max_forwards.reset();
    second_opinion = SecondOpinion::needed;
    size = 0;
    fields.reset(bytes);
}

void ResponseHead::reset(char const* bytes) noexcept {
    status = 0;
    reason = {};
    protocol = Protocol::http_1_1;
    framing = {};
    second_opinion = SecondOpinion::needed;
    size = 0;
    fields.reset(bytes);
}

std::size_t find_end_of_head(std::string_view bytes, std::size_t from) noexcept {
    // The end may have begun in the three bytes before.
    std::size_t const begin = from > 3 ? from - 3 : 0;
    std::size_t end = no_end;
    auto const is_end = [&](std::size_t offset) {
        auto const at = begin + offset;
        // RFC 9112, 2.2: a bare LF does not end a line.
        if (at == 0 || bytes[at - 1] != '\r') {
            end = at + 1;
        } else if (bytes.size() - at > 2 && bytes[at + 1] == '\r' && bytes[at + 2] == '\n') {
            end = at + 3;
        }
        return end != no_end;
    };
    static_cast<void>(any_line_feed({bytes.data() + begin, bytes.size() - begin}, is_end));
    return end;
}

Refused parse_request_head(std::string_view bytes, HeadLimits const& limits, RequestHead& head) {
    if (auto const refused = apply_request_policy(bytes, limits, head)) return refused;
    if (head.second_opinion == SecondOpinion::needless) return nullptr;
    // RFC 9112, 2.2: smuggling exploits recipients that differ: both readers must agree.
    if (!beast_agrees(bytes, head)) return rules::second_opinion.broken_by(Sender::client);
    return nullptr;
}

Refused parse_response_head(std::string_view bytes, HeadLimits const& limits, ResponseTo request,
                            ResponseHead& head) {
    if (auto const refused = apply_response_policy(bytes, limits, request, head)) return refused;
    if (head.second_opinion == SecondOpinion::needless) return nullptr;
    if (!beast_agrees(bytes, head)) return rules::second_opinion.broken_by(Sender::upstream);
    return nullptr;
}

} // namespace sallyport::http
