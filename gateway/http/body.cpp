// Reads bodies by their framing, a step at a time, in place.
#include "gateway/http/body.h"

#include "gateway/http/characters.h"
#include "gateway/http/field_lines.h"
#include "gateway/http/rules.h"
#include "gateway/text/hexadecimal.h"

#include <algorithm>

namespace sallyport::http {

using text::hex_value;

BodyStep LengthReader::step(std::string_view bytes) noexcept {
    auto const size = std::min<std::uint64_t>(left_, bytes.size());
    left_ -= size;
    auto const taken = static_cast<std::size_t>(size);
    return {taken, bytes.substr(0, taken), left_ == 0, nullptr};
}

BodyStep ChunkedReader::step(std::string_view bytes) noexcept {
    BodyStep step;
    while (step.consumed < bytes.size() && !refused_ && state_ != State::complete) {
        if (state_ != State::data) {
            auto const size = take_common(bytes.substr(step.consumed));
            step.consumed += size;
            if (size == 0) refused_ = take(bytes[step.consumed++]);
            continue;
        }
        auto const rest = bytes.substr(step.consumed);
        auto const size = std::min<std::uint64_t>(chunk_left_, rest.size());
        step.payload = rest.substr(0, static_cast<std::size_t>(size));
        step.consumed += step.payload.size();
        chunk_left_ -= size;
        if (chunk_left_ == 0) state_ = State::data_carriage_return;
        break;
    }
    step.complete = state_ == State::complete;
    step.refused = refused_;
    return step;
}

// Takes the bytes between the data of two ordinary chunks at once, if they have arrived completely:
// CR LF, a size without an extension, CR LF. Returns their number; 0: something else, or
// incomplete, and must be taken byte by byte.
std::size_t ChunkedReader::take_common(std::string_view bytes) noexcept {
    constexpr std::size_t most_digits = 8;
    if (state_ != State::size_start && state_ != State::data_carriage_return) return 0;
    std::size_t at = 0;
    if (state_ == State::data_carriage_return) {
        if (!bytes.starts_with("\r\n")) return 0;
        at = 2;
    }
    auto const first_digit = at;
    std::uint64_t size = 0;
    while (at < bytes.size() && at < first_digit + most_digits && hex_value(bytes[at]) >= 0)
        size = size * 16 + static_cast<std::uint64_t>(hex_value(bytes[at++]));
    if (at == first_digit || !bytes.substr(at).starts_with("\r\n")) return 0;
    chunk_left_ = size;
    refused_ = end_size_line();
    return at + 2;
}

// Takes any byte that is not data.
Refused ChunkedReader::take(char c) noexcept {
    switch (state_) {
    case State::size_start:
    case State::size:
    case State::size_white_space:
    case State::extension_start:
    case State::extension_name:
    case State::extension_name_space:
    case State::extension_value_start:
    case State::extension_token:
    case State::extension_quoted:
    case State::extension_escaped:
    case State::extension_quoted_end:
    case State::extension_space:
    case State::size_line_feed: return take_size_line(c);
    case State::data_carriage_return:
        // RFC 9112, 7.1: chunk-data CRLF
        if (c != '\r') return rules::chunk_data_end.broken_by(sender_);
        state_ = State::data_line_feed;
        return nullptr;
    case State::data_line_feed:
        if (c != '\n') return rules::chunk_data_end.broken_by(sender_);
        state_ = State::size_start;
        return nullptr;
    case State::trailer_start:
    case State::trailer_name:
    case State::trailer_value:
    case State::trailer_line_feed:
    case State::final_line_feed: return take_trailer(c);
    case State::data:
    case State::complete: break;
    }
    return nullptr;
}

// RFC 9112, 7.1: chunk-size [ chunk-ext ] CRLF
Refused ChunkedReader::take_size_line(char c) noexcept {
    // RFC 9112, 7.1.1: "ought to limit the total length of chunk extensions".
    if (++line_size_ > max_line_size) return rules::chunk_line_too_long.broken_by(sender_);
    switch (state_) {
    case State::size_start:
        digits_ = 0;
        chunk_left_ = 0;
        state_ = State::size;
        // RFC 9112, 7.1: chunk-size = 1*HEXDIG
        if (hex_value(c) < 0) return rules::chunk_size.broken_by(sender_);
        return take_digit(hex_value(c));
    case State::size:
        if (hex_value(c) >= 0) return take_digit(hex_value(c));
        if (c == ' ' || c == '\t')
            state_ = State::size_white_space;
        else if (c == ';')
            state_ = State::extension_start;
        else if (c == '\r')
            state_ = State::size_line_feed;
        else
            return rules::chunk_size.broken_by(sender_); // RFC 9112, 7.1
        return nullptr;
    case State::size_white_space:
        // RFC 9112, 7.1.1: bad white space is allowed only before an extension.
        if (c == ';')
            state_ = State::extension_start;
        else if (c != ' ' && c != '\t')
            return rules::chunk_size.broken_by(sender_);
        return nullptr;
    case State::size_line_feed:
        // RFC 9112, 7.1: a bare CR does not end a line.
        if (c != '\n') return rules::chunk_line_end.broken_by(sender_);
        return end_size_line();
    default: return take_extension(c);
    }
}

Refused ChunkedReader::take_digit(int value) noexcept {
    // RFC 9112, 7.1: "recipients MUST anticipate potentially large hexadecimal numerals".
    if (++digits_ > 16) return rules::chunk_size_too_long.broken_by(sender_);
    chunk_left_ = chunk_left_ * 16 + static_cast<std::uint64_t>(value);
    return nullptr;
}

// RFC 9112, 7.1.1: *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS ( token / quoted-string ) ] ).
// Extensions are ignored, but must be well-formed: readers differ on where a malformed line ends,
// above all within a quoted string.
Refused ChunkedReader::take_extension(char c) noexcept {
    if (++extensions_size_ > max_extensions_size)
        return rules::chunk_extensions_too_large.broken_by(sender_);
    bool const is_space = c == ' ' || c == '\t';
    bool const is_token = is_of(token_character, c);
    switch (state_) {
    case State::extension_start:
        if (is_token) state_ = State::extension_name;
        return is_token || is_space ? nullptr : rules::chunk_extension.broken_by(sender_);
    case State::extension_value_start:
        if (is_token) state_ = State::extension_token;
        if (c == '"') state_ = State::extension_quoted;
        return is_token || is_space || c == '"' ? nullptr
                                                : rules::chunk_extension.broken_by(sender_);
    case State::extension_quoted:
        if (c == '"') state_ = State::extension_quoted_end;
        if (c == '\\') state_ = State::extension_escaped;
        // RFC 9110, 5.6.4: no control character but HTAB; so neither CR nor LF.
        return is_of(value_character, c) ? nullptr : rules::chunk_extension.broken_by(sender_);
    case State::extension_escaped:
        state_ = State::extension_quoted; // the character behind a backslash is literal
        return is_of(value_character, c) ? nullptr : rules::chunk_extension.broken_by(sender_);
    case State::extension_name:
    case State::extension_token:
        if (is_token) return nullptr;
        [[fallthrough]];
    default: return end_extension(c);
    }
}

// After a name or a value, or white space behind one.
Refused ChunkedReader::end_extension(char c) noexcept {
    bool const is_behind_name =
        state_ == State::extension_name || state_ == State::extension_name_space;
    bool const is_behind_space =
        state_ == State::extension_name_space || state_ == State::extension_space;
    if (c == ';')
        state_ = State::extension_start;
    else if (c == '=' && is_behind_name)
        state_ = State::extension_value_start;
    else if (c == ' ' || c == '\t')
        state_ = is_behind_name ? State::extension_name_space : State::extension_space;
    else if (c == '\r' && !is_behind_space) // bad white space is allowed only before a semicolon
        state_ = State::size_line_feed;
    else
        return rules::chunk_extension.broken_by(sender_);
    return nullptr;
}

Refused ChunkedReader::end_size_line() noexcept {
    line_size_ = 0;
    if (chunk_left_ == 0) { // RFC 9112, 7.1: last-chunk = 1*("0")
        state_ = State::trailer_start;
        return nullptr;
    }
    if (chunk_left_ > limit_ - payload_size_) return rules::body_too_large.broken_by(sender_);
    payload_size_ += chunk_left_;
    state_ = State::data;
    return nullptr;
}

// RFC 9112, 7.1.2: trailer fields are checked, counted and never merged into the head, whose checks
// they would bypass.
Refused ChunkedReader::take_trailer(char c) noexcept {
    if (++trailers_size_ > max_trailers_size) return rules::trailers_too_large.broken_by(sender_);
    if (auto const refused = take_trailer_character(c)) return refused;
    if (trailers_ == nullptr) return nullptr;
    if (state_ == State::complete) return judge_trailers();
    // There was room for all of them from the start.
    if (state_ != State::final_line_feed) trailers_->push_back(c);
    return nullptr;
}

Refused ChunkedReader::take_trailer_character(char c) noexcept {
    switch (state_) {
    case State::trailer_start:
        if (c == '\r')
            state_ = State::final_line_feed;
        else if (is_of(token_character, c))
            state_ = State::trailer_name;
        else
            return rules::malformed_trailer.broken_by(sender_); // RFC 9112, 5: field-name = token
        return nullptr;
    case State::trailer_name:
        if (c == ':')
            state_ = State::trailer_value;
        else if (!is_of(token_character, c))
            return rules::malformed_trailer.broken_by(sender_);
        return nullptr;
    case State::trailer_value:
        if (c == '\r') state_ = State::trailer_line_feed;
        // RFC 9110, 5.5: no control characters.
        else if (!is_of(value_character, c))
            return rules::malformed_trailer.broken_by(sender_);
        return nullptr;
    case State::trailer_line_feed:
        if (c != '\n') return rules::chunk_line_end.broken_by(sender_); // RFC 9112, 2.2
        state_ = State::trailer_start;
        return nullptr;
    default:
        // RFC 9112, 7.1: the empty line ends the body.
        if (c != '\n') return rules::chunk_line_end.broken_by(sender_);
        state_ = State::complete;
        return nullptr;
    }
}

// Their characters were checked one by one: what is left is the policy for names of requests.
Refused ChunkedReader::judge_trailers() const noexcept {
    if (sender_ == Sender::upstream) return nullptr;
    Refused refused = nullptr;
    for_each_field_line(*trailers_, [&refused](std::string_view line, std::string_view name) {
        if (refused == nullptr) refused = judge_field(name, value_of_field_line(line));
    });
    return refused;
}

std::unique_ptr<std::string> storage_for_trailers(FieldTable const& head) {
    if (!head.has(FieldId::trailer)) return nullptr;
    auto storage = std::make_unique<std::string>();
    storage->reserve(ChunkedReader::max_trailers_size);
    return storage;
}

ChunkSizeLine::ChunkSizeLine(std::uint64_t size) noexcept : begin_{text_.size() - 2} {
    text_[begin_] = '\r';
    text_[begin_ + 1] = '\n';
    do {
        text_[--begin_] = "0123456789abcdef"[size % 16];
        size /= 16;
    } while (size != 0);
}

} // namespace sallyport::http
