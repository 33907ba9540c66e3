// Splits multipart bodies.
#include "gateway/contract/forms/multipart.h"

#include "gateway/contract/forms/field_parameters.h"
#include "gateway/contract/forms/file_name.h"
#include "gateway/contract/forms/urlencoded.h"
#include "gateway/text/ascii.h"
#include "gateway/text/percent.h"
#include "gateway/text/utf8.h"

#include <algorithm>
#include <cstring>

namespace sallyport::contract {

namespace {

using text::equals_ignoring_case;

constexpr std::string_view line_end = "\r\n";
constexpr auto nowhere = std::string_view::npos;

// As std::string_view::find(), which is slow for long texts with many first characters.
[[nodiscard]] std::size_t find_text(std::string_view text, std::string_view wanted,
                                    std::size_t from) noexcept {
    auto const rest = text.substr(from);
    auto const* const found = memmem(rest.data(), rest.size(), wanted.data(), wanted.size());
    if (found == nullptr) return nowhere;
    return from + static_cast<std::size_t>(static_cast<char const*>(found) - rest.data());
}

[[nodiscard]] std::string_view trim(std::string_view value) noexcept {
    value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
    return value.substr(0, value.find_last_not_of(" \t") + 1);
}

[[nodiscard]] bool begins_with(std::string_view text, std::string_view beginning) noexcept {
    return equals_ignoring_case(text.substr(0, beginning.size()), beginning);
}

// RFC 2183, 2: .NET writes a token without quotes. Not all readers know a tab for white space, and
// some take `'` for quotes, or `%` for an escape.
[[nodiscard]] bool is_read_alike(FieldParameter const& one) noexcept {
    bool const is_plain = one.is_quoted || one.value.find_first_of("'%*") == nowhere;
    return is_plain && !one.is_behind_tab;
}

// RFC 7578, 4.2: `form-data; name="..."`, of a file also `filename="..."`. False: it is another
// one, or readers may find different names in it.
[[nodiscard]] bool read_disposition(std::string_view value, MultipartPart& part) {
    auto const end = std::min(value.find_first_of("; \t"), value.size());
    if (!equals_ignoring_case(value.substr(0, end), "form-data")) return false;
    FieldParameters parameters{value.substr(end)};
    FieldParameter one;
    std::optional<std::string_view> name;
    std::optional<std::string_view> extended;
    auto next = parameters.next(one);
    for (; next == FieldParameters::Next::parameter; next = parameters.next(one)) {
        bool const is_extended = equals_ignoring_case(one.name, "filename*");
        auto* const taken = equals_ignoring_case(one.name, "name")       ? &name
                            : equals_ignoring_case(one.name, "filename") ? &part.file_name
                            : is_extended                                ? &extended
                                                                         : nullptr;
        // RFC 8187, 3.2: an extended value has no quotes.
        bool const is_known = is_extended ? !one.is_quoted && !one.is_behind_tab
                                          : is_read_alike(one);
        if (taken == nullptr || *taken || !is_known) return false;
        *taken = one.value;
    }
    if (next == FieldParameters::Next::fault || !name) return false;
    part.name = *name;
    // RFC 7578, 4.2: `filename*` must not be used. Alone it makes a part a file for some readers.
    return !extended || (part.file_name && is_same_file_name(*extended, *part.file_name));
}

// Fields by which some readers decode a part, though RFC 7578, 4.8 says that they must be ignored.
[[nodiscard]] bool is_of_coding(std::string_view name) noexcept {
    return equals_ignoring_case(name, "content-encoding")
           || equals_ignoring_case(name, "transfer-encoding");
}

} // namespace

Multipart::Multipart(std::string_view body, std::string_view boundary, PartNames names)
    : body_{body}, delimiter_{"--"}, names_{names} {
    delimiter_ += boundary;
}

bool Multipart::fail(Malformed reason) noexcept {
    reason_ = reason;
    return false;
}

// RFC 2046, 5.1.1: the delimiter, at the beginning of a line, and the end of its line. White space
// behind it is "transport padding", which no client of HTTP needs and some readers do not know.
Multipart::Line Multipart::take_boundary() {
    if (body_.substr(at_, delimiter_.size()) != delimiter_) {
        (void)fail(Malformed::boundary);
        return Line::fault;
    }
    at_ += delimiter_.size();
    auto const behind = body_.substr(at_, 2);
    if (behind == line_end) {
        at_ += 2;
        return Line::next_part;
    }
    if (behind == "--") {
        auto epilogue = body_.substr(at_ + 2);
        // Some clients end it with several lines.
        while (epilogue.starts_with(line_end))
            epilogue.remove_prefix(line_end.size());
        if (epilogue.empty()) return Line::end;
        at_ += 2;
        (void)fail(Malformed::bytes_outside_parts);
        return Line::fault;
    }
    (void)fail(Malformed::boundary);
    return Line::fault;
}

Multipart::Next Multipart::next(MultipartPart& part) {
    if (!has_begun_) {
        has_begun_ = true;
        // RFC 2046, 5.1.1: the first delimiter may have a CR LF before it.
        if (body_.substr(0, 2) == line_end) at_ = 2;
        if (body_.substr(at_, delimiter_.size()) != delimiter_) {
            bool const is_later = find_text(body_, delimiter_, 0) != nowhere;
            (void)fail(is_later ? Malformed::bytes_outside_parts : Malformed::boundary);
            return Next::fault;
        }
    }
    switch (take_boundary()) {
    case Line::end: return Next::end;
    case Line::fault: return Next::fault;
    case Line::next_part: break;
    }
    if (++parts_ > max_form_fields) {
        (void)fail(Malformed::too_many_fields);
        return Next::fault;
    }
    return read_head(part) && find_end(part) && check_length(part) ? Next::part : Next::fault;
}

bool Multipart::take_field(MultipartPart& part, std::string_view line) {
    auto const colon = line.find(':');
    if (colon == nowhere || colon == 0 || part.count == max_part_fields)
        return fail(Malformed::part_head);
    auto const name = line.substr(0, colon);
    auto const value = trim(line.substr(colon + 1));
    bool const is_good = std::all_of(name.begin(), name.end(), text::is_token_character)
                         && std::none_of(value.begin(), value.end(),
                                         [](char c) { return text::is_control(c) && c != '\t'; })
                         && text::is_utf8(value);
    auto const known = part.fields();
    bool const is_repeated = std::any_of(known.begin(), known.end(), [name](auto const& other) {
        return equals_ignoring_case(other.first, name);
    });
    if (!is_good || is_repeated) return fail(Malformed::part_head);
    part.storage[part.count++] = {name, value};
    return true;
}

bool Multipart::read_head(MultipartPart& part) {
    part = {};
    part.offset = at_;
    auto const room = body_.substr(at_, max_part_head);
    std::size_t begin = 0;
    for (;;) {
        auto const end = find_text(room, line_end, begin);
        if (end == nowhere) {
            bool const is_cut = room.size() == max_part_head;
            return fail(is_cut ? Malformed::part_head_too_large : Malformed::part_head);
        }
        auto const line = room.substr(begin, end - begin);
        begin = end + line_end.size();
        if (line.empty()) break;
        // A bare CR or LF, and a folded line, which begins with white space, are no field.
        if (!take_field(part, line)) return false;
    }
    if (!check_known_fields(part)) return false;
    at_ += begin;
    return true;
}

bool Multipart::check_known_fields(MultipartPart& part) {
    bool has_disposition = names_ == PartNames::ignored;
    for (auto const& [name, value] : part.fields()) {
        if (equals_ignoring_case(name, "content-disposition")) {
            if (names_ == PartNames::ignored) continue;
            has_disposition = true;
            if (!read_disposition(value, part)) return fail(Malformed::part_disposition);
        } else if (equals_ignoring_case(name, "content-type")) {
            // RFC 7578, 4.3: several files of one field are parts with the same name.
            if (begins_with(value, "multipart/")) return fail(Malformed::nested_multipart);
            if (value.empty()) return fail(Malformed::part_head);
            part.content_type = value;
        } else if (equals_ignoring_case(name, "content-transfer-encoding")) {
            // RFC 7578, 4.7: deprecated; these leave the bytes as they are (RFC 2045, 6.2).
            bool const is_identity = equals_ignoring_case(value, "binary")
                                     || equals_ignoring_case(value, "8bit")
                                     || equals_ignoring_case(value, "7bit");
            if (!is_identity) return fail(Malformed::transfer_encoding);
        } else if (is_of_coding(name)) {
            return fail(Malformed::part_field);
        }
    }
    return has_disposition || fail(Malformed::part_disposition);
}

bool Multipart::find_end(MultipartPart& part) {
    // RFC 2046, 5.1.1: the delimiter "MUST NOT appear inside any of the encapsulated parts". One
    // that is not behind CR LF is a delimiter for lenient readers.
    auto const end = find_text(body_, delimiter_, at_);
    if (end == nowhere) {
        at_ = body_.size();
        return fail(Malformed::no_last_boundary);
    }
    // An empty part: the line end of its head is not that of the delimiter.
    bool const is_line =
        end >= at_ + line_end.size() && body_.substr(end - line_end.size(), 2) == line_end;
    auto const begin = at_;
    at_ = end;
    if (!is_line) return fail(Malformed::boundary);
    part.body = body_.substr(begin, end - line_end.size() - begin);
    return true;
}

// OkHttp, Guzzle, Faraday and Spring send the length of a part: as long as it is that, readers that
// count and those that search for the boundary find the same.
bool Multipart::check_length(MultipartPart const& part) {
    for (auto const& [name, value] : part.fields()) {
        if (!equals_ignoring_case(name, "content-length")) continue;
        if (value != std::to_string(part.body.size())) return fail(Malformed::part_field);
    }
    return true;
}

Malformed decode_part_name(std::string_view raw, std::string& out) {
    out.clear();
    for (std::size_t at = 0; at < raw.size(); ++at) {
        int const byte = text::escaped_byte(raw, at);
        if (byte == '"' || byte == '\r' || byte == '\n') {
            out += static_cast<char>(byte);
            at += 2;
        } else {
            out += raw[at];
        }
    }
    return text::is_utf8(out) ? Malformed::none : Malformed::field_coding;
}

} // namespace sallyport::contract
