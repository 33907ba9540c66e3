// Finds the frames in the bytes that a client sends, and checks what can be known of each by itself
// (RFC 9113, 4 and 6).
#include "gateway/http2/frame_reader.h"

#include <algorithm>

namespace sallyport::http2 {

namespace {

using Event = FrameStep::Event;

constexpr std::size_t priority_size = 5; // RFC 9113, 6.3
constexpr std::size_t setting_size = 6;  // RFC 9113, 6.5.1
constexpr std::size_t ping_size = 8;     // RFC 9113, 6.7
constexpr std::size_t goaway_size = 8;   // RFC 9113, 6.8: without debug data
constexpr std::size_t word_size = 4;

FrameStep failed(ErrorCode error, std::string_view rule) noexcept {
    FrameStep step;
    step.event = Event::failed;
    step.error = error;
    step.rule = rule;
    return step;
}

FrameStep protocol_error(std::string_view rule) noexcept {
    return failed(ErrorCode::protocol_error, rule);
}

FrameStep size_error(std::string_view rule) noexcept {
    return failed(ErrorCode::frame_size_error, rule);
}

FrameStep calm_down(std::string_view rule) noexcept {
    return failed(ErrorCode::enhance_your_calm, rule);
}

FrameStep event_of(Event event, std::uint32_t stream, std::string_view bytes,
                   std::uint32_t value = 0) noexcept {
    FrameStep step;
    step.event = event;
    step.stream = stream;
    step.bytes = bytes;
    step.value = value;
    return step;
}

bool is_known(FrameType type) noexcept {
    return type <= FrameType::continuation || type == FrameType::priority_update;
}

// RFC 7540, 5.3.1: the stream that another one depends on. RFC 9113 says nothing of it any more; no
// honest client does it.
bool depends_on_itself(FrameHead const& head, std::string_view priority) noexcept {
    return (get_32(priority.data()) & most_stream_id) == head.stream;
}

} // namespace

FrameStep FrameReader::step(std::string_view bytes) {
    // The memory of a head that came in pieces is not kept for the next one.
    if (!block_.empty() && !is_within_head()) std::string{}.swap(block_);
    if (preface_seen_ < client_preface.size()) return take_preface(bytes);
    if (is_within_data_) return take_data(bytes);
    if (to_skip_ != 0) return skip(bytes);
    return begin_frame(bytes);
}

bool FrameReader::is_at_headers(std::string_view bytes) const noexcept {
    bool const is_at_frame = has_settings_ && !is_within_data_ && to_skip_ == 0;
    if (!is_at_frame || bytes.size() < frame_head_size) return false;
    return get_frame_head(bytes.data()).type == FrameType::headers;
}

// RFC 9113, 3.4.
FrameStep FrameReader::take_preface(std::string_view bytes) {
    auto const expected = client_preface.substr(preface_seen_);
    auto const size = std::min(bytes.size(), expected.size());
    if (bytes.substr(0, size) != expected.substr(0, size))
        return protocol_error("the preface is invalid");
    preface_seen_ += size;
    FrameStep step;
    step.consumed = size;
    return step;
}

FrameStep FrameReader::skip(std::string_view bytes) noexcept {
    auto const size = std::min<std::size_t>(bytes.size(), to_skip_);
    to_skip_ -= static_cast<std::uint32_t>(size);
    FrameStep step;
    step.consumed = size;
    return step;
}

FrameStep FrameReader::begin_frame(std::string_view bytes) {
    if (bytes.size() < frame_head_size) return {};
    auto const head = get_frame_head(bytes.data());
    // Before its payload has come: what is too large is never waited for.
    auto verdict = judge(head);
    if (verdict.event == Event::failed) return verdict;
    if (head.type == FrameType::data) return begin_data(head, bytes);
    if (!is_known(head.type)) {
        to_skip_ = head.length;
        auto step = event_of(Event::unknown, head.stream, {});
        step.consumed = frame_head_size;
        return step;
    }
    if (bytes.size() - frame_head_size < head.length) return {};
    auto step = take_frame(head, bytes.substr(frame_head_size, head.length));
    step.consumed = frame_head_size + head.length;
    return step;
}

FrameStep FrameReader::judge(FrameHead const& head) const noexcept {
    if (auto step = judge_order(head); step.event == Event::failed) return step;
    if (auto step = judge_size(head); step.event == Event::failed) return step;
    return judge_stream(head);
}

FrameStep FrameReader::judge_order(FrameHead const& head) const noexcept {
    // RFC 9113, 3.4: the first frame is SETTINGS.
    if (!has_settings_ && (head.type != FrameType::settings || head.has(flags::ack)))
        return protocol_error("the first frame is not SETTINGS");
    // RFC 9113, 6.10: nothing stands within a header block.
    bool const is_continuation = head.type == FrameType::continuation;
    if (is_within_head() && (!is_continuation || head.stream != head_stream_))
        return protocol_error("a frame stands within a header block");
    if (!is_within_head() && is_continuation)
        return protocol_error("CONTINUATION without a header block");
    // RFC 9113, 8.4: a client cannot push.
    if (head.type == FrameType::push_promise) return protocol_error("PUSH_PROMISE of a client");
    return {};
}

// RFC 9113, 4.2. All of them are errors of the connection: no honest client makes one.
FrameStep FrameReader::judge_size(FrameHead const& head) const noexcept {
    if (head.length > most_frame_payload) return size_error("a frame is too large");
    auto const least =
        std::size_t{head.has(flags::padded)} + (head.has(flags::priority) ? priority_size : 0);
    switch (head.type) {
    case FrameType::data:
        if (head.has(flags::padded) && head.length == 0) return size_error("DATA is too short");
        break;
    case FrameType::headers:
        if (head.length < least) return size_error("HEADERS is too short");
        if (head.length > limits_.head_block) return calm_down("a header block is too large");
        break;
    case FrameType::continuation:
        if (continuations_ >= limits_.continuations)
            return calm_down("too many CONTINUATION frames");
        if (head_payload_ + head.length > limits_.head_block)
            return calm_down("a header block is too large");
        break;
    case FrameType::priority:
        if (head.length != priority_size) return size_error("PRIORITY has another size");
        break;
    case FrameType::rst_stream:
        if (head.length != word_size) return size_error("RST_STREAM has another size");
        break;
    case FrameType::settings:
        if (head.has(flags::ack) ? head.length != 0 : head.length % setting_size != 0)
            return size_error("SETTINGS has another size");
        break;
    case FrameType::ping:
        if (head.length != ping_size) return size_error("PING has another size");
        break;
    case FrameType::goaway:
        if (head.length < goaway_size) return size_error("GOAWAY is too short");
        break;
    case FrameType::window_update:
        if (head.length != word_size) return size_error("WINDOW_UPDATE has another size");
        break;
    case FrameType::priority_update:
        if (head.length < word_size) return size_error("PRIORITY_UPDATE is too short");
        break;
    case FrameType::push_promise: break;
    }
    return {};
}

FrameStep FrameReader::judge_stream(FrameHead const& head) const noexcept {
    switch (head.type) {
    case FrameType::data:
    case FrameType::headers:
    case FrameType::priority:
    case FrameType::rst_stream:
    case FrameType::continuation:
        if (head.stream == 0) return protocol_error("a frame of a stream has none");
        // RFC 9113, 5.1.1: those of clients are odd; we begin none.
        if (head.stream % 2 == 0) return protocol_error("a client uses a stream of the server");
        break;
    case FrameType::settings:
    case FrameType::ping:
    case FrameType::goaway:
    case FrameType::priority_update:
        if (head.stream != 0) return protocol_error("a frame of the connection has a stream");
        break;
    case FrameType::window_update:
        if (head.stream % 2 == 0 && head.stream != 0)
            return protocol_error("a client uses a stream of the server");
        break;
    case FrameType::push_promise: break;
    }
    return {};
}

FrameStep FrameReader::begin_data(FrameHead const& head, std::string_view bytes) noexcept {
    is_within_data_ = true;
    data_stream_ = head.stream;
    data_left_ = head.length;
    padding_left_ = 0;
    needs_pad_length_ = head.has(flags::padded);
    data_ends_stream_ = head.has(flags::end_stream);
    auto step = take_data(bytes.substr(frame_head_size));
    step.consumed += frame_head_size;
    if (step.event == Event::failed) return step;
    step.event = Event::data;
    step.stream = data_stream_;
    step.begins = true;
    step.value = head.length;
    return step;
}

FrameStep FrameReader::take_data(std::string_view bytes) noexcept {
    FrameStep step;
    if (needs_pad_length_) {
        if (bytes.empty()) return step;
        padding_left_ = static_cast<unsigned char>(bytes.front());
        needs_pad_length_ = false;
        // RFC 9113, 6.1: the field itself counts.
        if (padding_left_ >= data_left_) return protocol_error("DATA is padded beyond its end");
        data_left_ -= 1 + padding_left_;
        bytes.remove_prefix(1);
        step.consumed = 1;
    }
    auto const size = std::min<std::size_t>(bytes.size(), data_left_);
    step.bytes = bytes.substr(0, size);
    data_left_ -= static_cast<std::uint32_t>(size);
    auto const padding = std::min<std::size_t>(bytes.size() - size, padding_left_);
    padding_left_ -= static_cast<std::uint32_t>(padding);
    step.consumed += size + padding;
    step.ends = data_left_ == 0 && padding_left_ == 0;
    if (step.ends) {
        is_within_data_ = false;
        step.end_stream = data_ends_stream_;
    }
    if (size == 0 && !step.ends) return step;
    step.event = Event::data;
    step.stream = data_stream_;
    return step;
}

FrameStep FrameReader::take_frame(FrameHead const& head, std::string_view payload) {
    bool const is_ack = head.has(flags::ack);
    switch (head.type) {
    case FrameType::headers: return take_headers(head, payload);
    case FrameType::continuation: return take_continuation(head, payload);
    case FrameType::priority:
        if (depends_on_itself(head, payload)) return protocol_error("a stream depends on itself");
        return event_of(Event::priority, head.stream, {});
    case FrameType::rst_stream:
        return event_of(Event::reset, head.stream, {}, get_32(payload.data()));
    case FrameType::settings:
        has_settings_ = true;
        return event_of(is_ack ? Event::settings_ack : Event::settings, 0, payload);
    case FrameType::ping: return event_of(is_ack ? Event::ping_ack : Event::ping, 0, payload);
    case FrameType::goaway:
        return event_of(Event::goaway, 0, {}, get_32(payload.data() + word_size));
    case FrameType::window_update: {
        auto const increment = get_32(payload.data()) & most_stream_id;
        // RFC 9113, 6.9: of a stream too it may be an error of the connection.
        if (increment == 0) return protocol_error("WINDOW_UPDATE of 0");
        return event_of(Event::window_update, head.stream, {}, increment);
    }
    case FrameType::priority_update: {
        auto const stream = get_32(payload.data()) & most_stream_id;
        // RFC 9218, 7.1: of 0, and of a stream of ours, which is idle.
        if (stream % 2 == 0) return protocol_error("PRIORITY_UPDATE of no stream of the client");
        return event_of(Event::priority_update, stream, payload.substr(word_size));
    }
    case FrameType::data:
    case FrameType::push_promise: break;
    }
    return {};
}

// RFC 9113, 6.2.
FrameStep FrameReader::take_headers(FrameHead const& head, std::string_view payload) {
    auto fragment = payload;
    std::size_t padding = 0;
    if (head.has(flags::padded)) {
        padding = static_cast<unsigned char>(fragment.front());
        fragment.remove_prefix(1);
    }
    if (head.has(flags::priority)) {
        if (depends_on_itself(head, fragment)) return protocol_error("a stream depends on itself");
        fragment.remove_prefix(priority_size);
    }
    if (padding > fragment.size()) return protocol_error("HEADERS is padded beyond its end");
    fragment.remove_suffix(padding);

    head_stream_ = head.stream;
    head_payload_ = payload.size();
    continuations_ = 0;
    head_ends_stream_ = head.has(flags::end_stream);
    block_.clear();
    if (head.has(flags::end_headers)) return end_head(fragment);
    block_ = fragment;
    return event_of(Event::head_part, head.stream, {});
}

// RFC 9113, 6.10.
FrameStep FrameReader::take_continuation(FrameHead const& head, std::string_view payload) {
    ++continuations_;
    bool const had_room = head_payload_ < continuations_ * most_frame_payload;
    head_payload_ += payload.size();
    block_ += payload;
    auto step = head.has(flags::end_headers) ? end_head(block_)
                                             : event_of(Event::head_part, head.stream, {});
    step.is_needless = had_room;
    return step;
}

FrameStep FrameReader::end_head(std::string_view block) noexcept {
    auto step = event_of(Event::head, head_stream_, block);
    step.end_stream = head_ends_stream_;
    head_stream_ = 0;
    head_payload_ = 0;
    return step;
}

} // namespace sallyport::http2
