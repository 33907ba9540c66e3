// HTTP/2 towards a client: what its frames mean (RFC 9113, 5, 6 and 8).
#include "gateway/http2/http2.h"
#include "gateway/http2/request_head.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace sallyport::http2 {

namespace {

using Event = FrameStep::Event;
using Kind = ConnectionEnd::Kind;

constexpr std::size_t most_read = std::size_t{64} * 1024; // in one turn
constexpr std::size_t little = std::size_t{4} * 1024;     // of a frame that has come in part
constexpr std::uint32_t small_data = 128;

constexpr net::Clock::time_point never{};

// The windows of a client's streams count in the budget under a number of their own, beside its
// bodies: a request has both, and only a single reservation may exceed a share.
constexpr std::uint64_t of_windows = 0x9E37'79B9'7F4A'7C15;

} // namespace

net::Wait Http2::wait_for_frames() {
    if (end_.kind != Kind::none) return net::Wait::ended(net::asio::error::operation_aborted);
    if (out_.control_size() >= own_.control_unsent) {
        waits_for_room_ = true;
        return {turn_, *this};
    }
    if (has_more_) return {turn_, *this, net::Wait::Until::next_turn};
    return stream_.wait_readable();
}

net::Error Http2::end_wait() noexcept {
    waits_for_room_ = false;
    return {};
}

net::Result<std::span<Http2Stream* const>> Http2::take_turn() {
    begun_.clear();
    is_in_turn_ = true;
    now_ = net::Clock::now();
    if (end_.kind == Kind::none && !has_more_) read_error_ = read_available();
    parse();
    head_memory_.release();
    keep_rest();
    if (read_error_ && !has_more_) finish({Kind::closed, ErrorCode::no_error, {}});
    drop_broken();
    is_in_turn_ = false;
    if (end_.kind != Kind::none) {
        input_ = {};
        return net::Error{net::asio::error::operation_aborted};
    }
    arm_read_deadline();
    return std::span<Http2Stream* const>{begun_};
}

// Its error is that of the connection, once what came before it was read.
net::Error Http2::read_available() {
    if (input_.buffer.capacity() < most_read) {
        auto buffer = buffers_.take(most_read);
        auto const rest = input_.bytes();
        if (!rest.empty()) std::memcpy(buffer.data(), rest.data(), rest.size());
        input_.end = rest.size();
        input_.begin = 0;
        input_.buffer = std::move(buffer);
    }
    do {
        auto const read =
            stream_.try_read({input_.buffer.data() + input_.end, most_read - input_.end});
        if (!read)
            return read.error() == net::asio::error::would_block ? net::Error{} : read.error();
        input_.end += *read;
    } while (input_.end < most_read && stream_.has_pending());
    return {};
}

// Whether the next frame has to wait for the next turn. Bodies of streams that begin in this one do
// not: requests would have to wait for them.
bool Http2::is_full() const noexcept {
    if (out_.control_size() >= own_.control_unsent) return !input_.is_empty();
    return begun_.size() >= own_.begun_per_turn && frames_.is_at_headers(input_.bytes());
}

void Http2::parse() {
    has_more_ = false;
    while (end_.kind == Kind::none) {
        if (is_full()) {
            has_more_ = true;
            return;
        }
        auto const step = frames_.step(input_.bytes());
        if (step.event == Event::failed) return violated(step.error, step.rule);
        input_.begin += step.consumed;
        if (step.event != Event::none) {
            take(step);
            if (!frames_.is_within_head()) head_due_ = never;
        } else if (step.consumed == 0) {
            return;
        }
    }
}

// What has come of a frame in part is kept in little memory, and its time begins.
void Http2::keep_rest() {
    auto const rest = input_.bytes();
    bool const is_waiting = !rest.empty() || frames_.is_within_head() || !frames_.has_begun();
    if (is_waiting && !has_more_ && head_due_ == never) head_due_ = now_ + limits_.head_time;
    if (rest.empty()) {
        input_ = {};
    } else if (rest.size() <= little && input_.buffer.capacity() > little) {
        auto buffer = buffers_.take(rest.size());
        std::memcpy(buffer.data(), rest.data(), rest.size());
        input_ = {std::move(buffer), 0, rest.size()};
    } else if (input_.begin != 0) {
        std::memmove(input_.buffer.data(), rest.data(), rest.size());
        input_.begin = 0;
        input_.end = rest.size();
    }
}

// Streams that end with their connection in the turn in which they began never get a coroutine. A
// request that its client has reset by then does, which logs it.
void Http2::drop_broken() {
    if (end_.kind == Kind::none) return;
    auto const is_broken = [this](Http2Stream* stream) {
        if (stream->broken_ == Http2Stream::Broken::no) return false;
        release(*stream);
        return true;
    };
    begun_.erase(std::remove_if(begun_.begin(), begun_.end(), is_broken), begun_.end());
}

void Http2::take(FrameStep const& step) {
    switch (step.event) {
    case Event::data: return take_data(step);
    case Event::head: return take_head(step);
    case Event::head_part:
        head_bytes_ += step.consumed;
        if (step.is_needless) spend(Annoyance::continuation);
        return;
    case Event::reset: return take_reset(step);
    case Event::settings: return take_settings(step);
    case Event::settings_ack:
        if (!settings_ack_deadline_.is_armed()) spend(Annoyance::unknown_frame);
        return settings_ack_deadline_.disarm();
    case Event::ping: {
        if (!spend(Annoyance::ping)) return;
        std::array<char, ping_frame_size> frame;
        put_ping(frame.data(), step.bytes, Ping::ack);
        return put_control(frame.data(), frame.size());
    }
    case Event::ping_ack: return take_ping_ack(step);
    case Event::window_update: return take_window_update(step);
    case Event::priority_update: return take_priority_update(step);
    case Event::priority: spend(Annoyance::priority); return;
    case Event::goaway: // RFC 9113, 6.8: what has begun goes on
    case Event::unknown: spend(Annoyance::unknown_frame); return;
    case Event::none:
    case Event::failed: return;
    }
}

bool Http2::spend(Annoyance what) {
    if (patience_.spend(what, now_) == Patient::yes) return true;
    violated(ErrorCode::enhance_your_calm, name_of(what));
    return false;
}

void Http2::violated(ErrorCode code, std::string_view note) {
    bool const is_flood = code == ErrorCode::enhance_your_calm;
    finish({is_flood ? Kind::flooded : Kind::protocol_failed, code, note});
}

// RFC 9113, 5.1: what was on its way when we reset a stream; 6.8: of a stream beyond our last
// GOAWAY, whose client knows that it was not served.
bool Http2::is_ignored(std::uint32_t id) const noexcept {
    return resets_.has(id) || (drain_ == Drain::final && id > accepted_);
}

Http2Stream* Http2::find(std::uint32_t id) const noexcept {
    auto const at = std::lower_bound(
        streams_.begin(), streams_.end(), id,
        [](StreamPtr const& stream, std::uint32_t wanted) { return stream->id() < wanted; });
    return at != streams_.end() && (*at)->id() == id ? at->get() : nullptr;
}

// --- DATA (RFC 9113, 6.1)

void Http2::take_data(FrameStep const& step) {
    if (step.begins) {
        begin_data(step);
        if (end_.kind != Kind::none) return;
    }
    data_payload_ += static_cast<std::uint32_t>(step.bytes.size());
    bool const is_kept =
        data_stream_ != nullptr && !data_stream_->discards() && data_stream_->take_data(step.bytes);
    if (!is_kept) {
        give_back(step.bytes.size());
        if (data_stream_ != nullptr) data_stream_->let_go_on(step.bytes.size());
    }
    if (step.ends) end_data(step);
}

void Http2::begin_data(FrameStep const& step) {
    data_size_ = step.value;
    data_payload_ = 0;
    data_stream_ = nullptr;
    // RFC 9113, 6.9: it counts whatever becomes of it.
    if (receive_.take(step.value) == WindowChange::overflow)
        return violated(ErrorCode::flow_control_error, "DATA exceeds the connection's window");
    auto* const stream = find(step.stream);
    if (stream == nullptr) {
        if (step.stream > highest_)
            return violated(ErrorCode::protocol_error, "DATA on an idle stream");
        if (!is_ignored(step.stream)) violated(ErrorCode::stream_closed, "DATA on a closed stream");
        return;
    }
    // RFC 9113, 5.1: no honest client does it, so it ends the connection.
    if (stream->request_ended_ || stream->broken_ == Http2Stream::Broken::by_client)
        return violated(ErrorCode::stream_closed, "DATA behind the end of a stream");
    if (stream->was_reset()) return;
    if (stream->receive_.take(step.value) == WindowChange::overflow)
        return violated(ErrorCode::flow_control_error, "DATA exceeds the stream's window");
    stream->bytes_in_ += frame_head_size + step.value;
    data_stream_ = stream;
}

void Http2::end_data(FrameStep const& step) {
    auto const padding = data_size_ - data_payload_;
    give_back(padding);
    if (data_stream_ != nullptr) {
        data_stream_->receive_.give_back(padding);
        if (step.end_stream && !data_stream_->discards()) {
            data_stream_->end_request();
        } else if (step.end_stream) {
            data_stream_->request_ended_ = true;
            data_stream_->arrived_.notify();
        }
        put_updates(data_stream_);
    }
    if (step.end_stream || data_payload_ >= small_data) return;
    // A body that is read may come line by line, as in chunks of HTTP/1: its reader and the window
    // set its pace, other connections have their turn after 64 KiB.
    if (data_payload_ != 0 && data_stream_ != nullptr && data_stream_->is_read()) return;
    spend(data_payload_ == 0 ? Annoyance::empty_data : Annoyance::small_data);
}

// --- HEADERS (RFC 9113, 6.2)

void Http2::take_head(FrameStep const& step) {
    head_bytes_ += step.consumed;
    auto const bytes = std::exchange(head_bytes_, 0);
    if (step.is_needless && !spend(Annoyance::continuation)) return;
    if (!head_memory_) head_memory_ = buffers_.take(HeadBlock::memory_for(limits_.head));
    HeadBlock block{head_memory_.span(), limits_.head};
    // RFC 9113, 4.3: also of a stream that is refused: the table has to stay that of the client.
    auto const error = decoder_.decode(step.bytes, block);
    if (error == HpackError::too_much_text)
        return violated(ErrorCode::enhance_your_calm, name_of(error));
    if (error != HpackError::none) return violated(ErrorCode::compression_error, name_of(error));
    if (auto* const stream = find(step.stream)) {
        stream->bytes_in_ += bytes;
        return take_trailers(*stream, block, step);
    }
    if (step.stream <= highest_) {
        if (is_ignored(step.stream)) {
            spend(Annoyance::stray_frame);
            return;
        }
        // RFC 9113, 5.1.1: an id that was left out is not used later.
        return released_.has(step.stream)
                   ? violated(ErrorCode::stream_closed, "HEADERS on a closed stream")
                   : violated(ErrorCode::protocol_error, "the ids of streams do not increase");
    }
    highest_ = step.stream;
    if (drain_ == Drain::final) return;
    if (streams_.size() >= own_.streams) return refuse_beyond_limit(step.stream);
    // Others have the places: this client could not know.
    if (places_ != nullptr && !places_->take()) return refuse_stream(step.stream);
    begin_stream(block, step);
    streams_.back()->bytes_in_ = bytes;
}

void Http2::take_trailers(Http2Stream& stream, HeadBlock const& block, FrameStep const& step) {
    if (stream.request_ended_ || stream.broken_ == Http2Stream::Broken::by_client)
        return violated(ErrorCode::stream_closed, "HEADERS behind the end of a stream");
    // RFC 9113, 8.1.
    if (!step.end_stream)
        return violated(ErrorCode::protocol_error, "trailers do not end their stream");
    if (stream.discards()) {
        stream.request_ended_ = true;
        stream.arrived_.notify();
        spend(Annoyance::stray_frame);
        return;
    }
    auto const* const refused = check_trailers(block);
    if (refused == nullptr) stream.keep_trailers(block);
    stream.end_request();
    if (refused != nullptr) stream.refuse_rest(refused);
}

void Http2::begin_stream(HeadBlock const& block, FrameStep const& step) {
    auto const owner = owner_ ^ of_windows;
    auto stream = std::make_unique<Http2Stream>(
        *this, step.stream, net::Reservation{budget_, owner}, net::Reservation{budget_, owner});
    stream->head_ = buffers_.take(block.stored_size());
    stream->stored_ = block.store(stream->head_.data());
    stream->ended_with_head_ = stream->request_ended_ = step.end_stream;
    stream->begun_ = now_;
    for (auto const& early : early_) {
        if (early.stream != step.stream) continue;
        scheduler_.change(*stream, early.urgency);
        stream->updated_ = true;
    }
    begun_.push_back(stream.get());
    streams_.push_back(std::move(stream));
    accepted_ = step.stream;
}

void Http2::refuse_beyond_limit(std::uint32_t id) {
    if (places_ != nullptr) places_->note_beyond_streams();
    if (spend(Annoyance::refused_stream)) refuse_stream(id);
}

void Http2::refuse_stream(std::uint32_t id) noexcept {
    put_reset(id, ErrorCode::refused_stream);
    resets_.add(id);
}

// --- other frames

// A flood of resets sends each right behind its head; a client whose time is over has waited first.
bool Http2::has_waited(Http2Stream const& stream) const noexcept {
    constexpr std::chrono::milliseconds least{50};
    return now_ - stream.begun_ >= least;
}

// RFC 9113, 6.4.
void Http2::take_reset(FrameStep const& step) {
    auto* const stream = find(step.stream);
    if (stream == nullptr) {
        if (step.stream > highest_)
            return violated(ErrorCode::protocol_error, "RST_STREAM of an idle stream");
        spend(Annoyance::stray_frame);
        return;
    }
    if (stream->broken_ != Http2Stream::Broken::no) {
        spend(Annoyance::stray_frame);
        return;
    }
    auto const what = stream->response_ended_                     ? Annoyance::stray_frame
                      : stream->head_sent_ || has_waited(*stream) ? Annoyance::late_reset
                                                                  : Annoyance::reset;
    stream->break_off(Http2Stream::Broken::by_client);
    spend(what);
}

// RFC 9113, 6.5.
void Http2::take_settings(FrameStep const& step) {
    if (!spend(Annoyance::settings)) return;
    auto const before = peer_.initial_window_size;
    auto const error = apply_settings(step.bytes, peer_);
    if (error != ErrorCode::no_error) return violated(error, "SETTINGS");
    if (peer_.smallest_table_size < initial_table_size) size_update_due_ = true;
    for (auto const& stream : streams_) {
        auto const changed = stream->send_.change_initial(before, peer_.initial_window_size);
        if (changed == WindowChange::overflow)
            return violated(ErrorCode::flow_control_error, "SETTINGS exceed a window");
        want_to_send(*stream);
    }
    std::array<char, frame_head_size> frame;
    put_settings_ack(frame.data());
    put_control(frame.data(), frame.size());
}

// RFC 9113, 6.9.
void Http2::take_window_update(FrameStep const& step) {
    if (!spend(Annoyance::window_update)) return;
    if (step.stream == 0) {
        if (send_.widen(step.value) == WindowChange::overflow)
            violated(ErrorCode::flow_control_error, "WINDOW_UPDATE exceeds a window");
        return dirty_.notify();
    }
    auto* const stream = find(step.stream);
    if (stream == nullptr) {
        if (step.stream > highest_)
            violated(ErrorCode::protocol_error, "WINDOW_UPDATE on an idle stream");
        return;
    }
    if (stream->is_closed()) return;
    if (stream->send_.widen(step.value) == WindowChange::overflow) {
        // RFC 9113, 6.9.1: of the stream alone. It has its place until its coroutine has ended.
        reset(*stream, ErrorCode::flow_control_error, Http2Stream::Broken::for_fault);
        spend(Annoyance::fault);
        return;
    }
    want_to_send(*stream);
}

// RFC 9218, 7.1.
void Http2::take_priority_update(FrameStep const& step) {
    if (!spend(Annoyance::priority)) return;
    auto const urgency = parse_urgency(step.bytes);
    if (auto* const stream = find(step.stream)) {
        scheduler_.change(*stream, urgency);
        stream->updated_ = true;
    } else if (step.stream > highest_) {
        early_[next_early_] = {step.stream, urgency};
        next_early_ = (next_early_ + 1) % early_.size();
    }
}

} // namespace sallyport::http2
