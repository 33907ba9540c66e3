// HTTP/2 towards a client: what is sent, all of a turn in one write.
#include "gateway/http2/http2.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <utility>

namespace sallyport::http2 {

namespace {

// RFC 9113, 6.8: at its acknowledgement all streams have come that the client has begun before it
// read of the drain.
constexpr std::string_view drain_ping = "draining";

constexpr std::size_t most_control_frame = goaway_frame_size;

} // namespace

void Http2::put_control(char const* bytes, std::size_t size) noexcept {
    try {
        std::memcpy(out_.room(size), bytes, size);
    } catch (std::exception const&) {
        return stream_.abort(); // no memory: the connection cannot go on
    }
    out_.add_control(size);
    dirty_.notify();
}

void Http2::put_reset(std::uint32_t stream, ErrorCode code) noexcept {
    std::array<char, reset_frame_size> frame;
    http2::put_reset(frame.data(), stream, code);
    put_control(frame.data(), frame.size());
}

void Http2::put_updates(Http2Stream* stream) noexcept {
    if (end_.kind != ConnectionEnd::Kind::none) return;
    std::array<char, window_update_frame_size> frame;
    auto const put = [&](std::uint32_t id, std::uint32_t increment) {
        if (increment == 0) return;
        put_window_update(frame.data(), id, increment);
        put_control(frame.data(), frame.size());
    };
    put(0, receive_.take_increment());
    if (stream == nullptr || stream->request_ended_) return;
    if (stream->discards() && !stream->may_go_on()) return;
    put(stream->id(), stream->receive_.take_increment());
}

// RFC 9113, 5.1: a WINDOW_UPDATE of a stream that has ended is ignored. After an early response
// curl 7.88 may wait for another frame once it has sent the end of its body.
void Http2::wake_client(std::uint32_t stream) noexcept {
    if (end_.kind != ConnectionEnd::Kind::none) return;
    std::array<char, window_update_frame_size> frame;
    put_window_update(frame.data(), stream, 1);
    put_control(frame.data(), frame.size());
}

// The first frame of what a stream has to send, as far as the windows reach.
std::size_t Http2::put_frame(Http2Stream& stream, std::string_view bytes, http::Ends ends) {
    auto const size = std::min<std::size_t>(
        {bytes.size(), most_frame_payload, stream.send_.left(), send_.left()});
    bool const is_last = ends == http::Ends::yes && size == bytes.size();
    auto* const to = out_.room(frame_head_size + size);
    put_data(to, stream.id(), bytes.substr(0, size), is_last ? http::Ends::yes : http::Ends::no);
    out_.add(frame_head_size + size);
    stream.send_.take(static_cast<std::uint32_t>(size));
    send_.take(static_cast<std::uint32_t>(size));
    stream.bytes_out_ += frame_head_size + size;
    if (is_last) stream.response_ended_ = true;
    patience_.note_data_sent();
    return size;
}

// If no other stream waits, a part is written to the output at once, and its coroutine need not
// wait.
bool Http2::put_body_now(Http2Stream& stream, std::string_view bytes, http::Ends ends) {
    if (!scheduler_.is_empty() || !has_room()) return false;
    if (bytes.size() > std::min(stream.send_.left(), send_.left())) return false;
    do {
        bytes.remove_prefix(put_frame(stream, bytes, ends));
    } while (!bytes.empty());
    dirty_.notify();
    return true;
}

void Http2::want_to_send(Http2Stream& stream) noexcept {
    if (!stream.is_sending_ || stream.broken_ != Http2Stream::Broken::no) return;
    if (stream.send_.left() == 0 && !stream.unsent_.empty()) return;
    scheduler_.add(stream);
    dirty_.notify();
}

// Whose part was taken gives the next one in the loop's next turn: until then none goes that would
// have to wait for it.
void Http2::put_bodies() {
    SendTurn const* coming = nullptr;
    while (has_room() && !scheduler_.is_empty()) {
        auto& stream = static_cast<Http2Stream&>(*scheduler_.first());
        if (send_.left() == 0 && !stream.unsent_.empty()) return;
        gives_way_ = coming != nullptr && goes_before(*coming, stream);
        if (gives_way_) return;
        auto const ends = stream.sends_end_ ? http::Ends::yes : http::Ends::no;
        stream.unsent_.remove_prefix(put_frame(stream, stream.unsent_, ends));
        scheduler_.has_sent(stream);
        if (stream.unsent_.empty()) {
            scheduler_.remove(stream);
            stream.is_sending_ = false;
            stream.taken_.notify();
            if (!stream.sends_end_ && coming == nullptr) coming = &stream;
        } else if (stream.send_.left() == 0) {
            scheduler_.remove(stream); // until its window is wider
        }
    }
}

void Http2::put_announcements() {
    auto* const begin = out_.room(ping_frame_size + 2 * most_control_frame);
    auto* end = begin;
    if (std::exchange(announcement_due_, false)) {
        end = put_goaway(end, most_stream_id, ErrorCode::no_error);
        end = put_ping(end, drain_ping, Ping::request);
    }
    if (std::exchange(goaway_due_, false)) end = put_goaway(end, accepted_, end_.code);
    out_.add(static_cast<std::size_t>(end - begin));
}

net::Task<> Http2::write_turns(Http2* self) {
    self->is_writing_ = true;
    try {
        for (;;) {
            if (self->announcement_due_ || self->goaway_due_) self->put_announcements();
            self->put_bodies();
            if (self->out_.is_empty()) {
                if (self->end_.kind != ConnectionEnd::Kind::none) break;
                co_await self->dirty_.wait();
                continue;
            }
            std::size_t size = 0;
            self->writing_ = self->out_.take(size);
            std::string_view const piece = self->writing_.view(size);
            auto writing = self->stream_.write({&piece, 1});
            bool const waits = !writing.has_ended();
            if (waits) self->write_deadline_.arm_after(self->limits_.body_idle);
            auto const error = co_await std::move(writing);
            if (waits) self->write_deadline_.disarm();
            self->writing_.release();
            if (error) {
                self->stream_.abort();
                break;
            }
            self->wake_after_write();
            if (std::exchange(self->gives_way_, false)) co_await self->dirty_.next_turn();
        }
    } catch (std::exception const&) {
        self->stream_.abort(); // no memory
    }
    self->end_writing();
}

void Http2::wake_after_write() noexcept {
    if (std::exchange(waits_for_room_, false)) turn_.notify();
    if (streams_wait_for_room_ == 0) return;
    streams_wait_for_room_ = 0;
    for (auto const& stream : streams_)
        if (std::exchange(stream->waits_for_room_, false)) stream->taken_.notify();
}

void Http2::take_ping_ack(FrameStep const& step) {
    if (drain_ == Drain::announced && step.bytes == drain_ping) return go_away_finally();
    spend(Annoyance::unknown_frame);
}

} // namespace sallyport::http2
