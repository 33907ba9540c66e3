// HTTP/2 towards a client: how a connection begins and ends (RFC 9113).
#include "gateway/http2/http2.h"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

namespace sallyport::http2 {

using Kind = ConnectionEnd::Kind;

Http2::Http2(net::Stream& stream, net::Loop& loop, http::ConnectionLimits const& limits,
             Http2Limits const& own_limits, net::Budget& budget, std::uint64_t owner,
             StreamPlaces* places)
    : stream_{stream}, loop_{loop}, buffers_{loop.buffers()}, limits_{limits}, own_{own_limits},
      budget_{budget}, owner_{owner}, places_{places}, frames_{own_limits.frames},
      patience_{own_limits.patience, net::Clock::now()}, resets_{own_limits.streams
                                                                 + most_before_settings},
      now_{net::Clock::now()}, out_{loop.buffers()}, turn_{loop.waiters()}, dirty_{loop.waiters()},
      ended_{loop.waiters()}, read_deadline_{net::Deadline::calling<&Http2::read_deadline_expired>(
                                  loop.deadlines(), *this)},
      write_deadline_{
          net::Deadline::calling<&Http2::write_deadline_expired>(loop.deadlines(), *this)},
      settings_ack_deadline_{
          net::Deadline::calling<&Http2::settings_ack_expired>(loop.deadlines(), *this)},
      going_away_deadline_{
          net::Deadline::calling<&Http2::going_away_expired>(loop.deadlines(), *this)},
      idle_since_{now_}, head_due_{now_ + limits.head_time} {
    // RFC 9113, 3.4: our preface, which need not wait for the client's.
    std::array<Setting, 5> const settings{
        {{SettingId::max_concurrent_streams, own_.streams},
         {SettingId::max_header_list_size, static_cast<std::uint32_t>(limits.head.head)},
         {SettingId::enable_connect_protocol, 1},
         {SettingId::no_rfc7540_priorities, 1},
         {SettingId::initial_window_size, own_.window}}};
    // The last one only where it is not what holds anyway.
    auto const count = settings.size() - (own_.window == initial_window ? 1 : 0);
    auto* const to = out_.room(frame_head_size + settings.size() * setting_frame_size);
    out_.add(static_cast<std::size_t>(put_settings(to, {settings.data(), count}) - to));
    settings_ack_deadline_.arm_after(own_.settings_ack);
    arm_read_deadline();
}

Http2::~Http2() = default;

void Http2::finish(ConnectionEnd const& end) noexcept {
    if (end_.kind != Kind::none) return;
    end_ = end;
    bool const was_said = drain_ == Drain::final && end.code == ErrorCode::no_error;
    goaway_due_ = goaway_due_ || !was_said;
    read_deadline_.disarm();
    settings_ack_deadline_.disarm();
    going_away_deadline_.disarm();
    for (auto const& stream : streams_)
        stream->break_off(Http2Stream::Broken::by_connection);
    dirty_.notify();
    turn_.notify();
    ended_.notify();
}

void Http2::fail() noexcept {
    finish({Kind::failed, ErrorCode::internal_error, "an exception"});
    if (is_in_turn_) drop_broken();
}

// A reader that still waits has nothing to wait for.
void Http2::end_writing() noexcept {
    is_writing_ = false;
    finish({Kind::closed, ErrorCode::no_error, "the client is gone, or does not read"});
    out_.drop();
    stream_.interrupt();
    ended_.notify();
}

net::Task<> Http2::close(net::LingerLimits limits) {
    finish({Kind::closed, ErrorCode::no_error, {}});
    while (!streams_.empty() || is_writing_)
        co_await ended_.wait();
    // Such a client has read its last response: a drain does not wait until it notices the end.
    bool const was_idle = idle_since_ + own_.going_away <= net::Clock::now();
    if (was_idle && (end_.kind == Kind::drained || end_.kind == Kind::idle))
        limits.time = std::chrono::milliseconds{250};
    if (stream_.is_open()) co_await stream_.shutdown(limits);
}

// --- streams

void Http2::Recent::add(std::uint32_t id) noexcept {
    if (ids_.size() < most_) {
        try {
            return ids_.push_back(id);
        } catch (std::exception const&) { // no memory: it takes the place of another
            if (ids_.empty()) return;
        }
    }
    next_ %= ids_.size();
    ids_[next_++] = id;
}

void Http2::reset(Http2Stream& stream, ErrorCode code, Http2Stream::Broken how) noexcept {
    if (end_.kind == Kind::none) put_reset(stream.id(), code);
    resets_.add(stream.id());
    stream.break_off(how);
}

void Http2::give_back(std::uint64_t bytes) noexcept {
    if (bytes == 0) return;
    receive_.give_back(bytes);
    put_updates(nullptr);
}

void Http2::release(Http2Stream& stream) noexcept {
    stream.abort();
    stream.forget_window();
    give_back(stream.body_.drop() + stream.body_.take_back());
    if (data_stream_ == &stream) data_stream_ = nullptr;
    auto const at = std::find_if(streams_.begin(), streams_.end(),
                                 [&stream](StreamPtr const& one) { return one.get() == &stream; });
    released_.add(stream.id());
    streams_.erase(at);
    if (places_ != nullptr) places_->give_back();
    patience_.note_stream_ended();
    if (!streams_.empty()) return;
    ended_.notify();
    if (end_.kind != Kind::none) return;
    if (drain_ == Drain::final) return finish({Kind::drained, ErrorCode::no_error, {}});
    idle_since_ = net::Clock::now();
    arm_read_deadline();
}

// --- draining

void Http2::stop_after_exchange() noexcept {
    if (drain_ != Drain::no || end_.kind != Kind::none) return;
    drain_ = Drain::announced;
    announcement_due_ = true;
    going_away_deadline_.arm_after(own_.going_away);
    dirty_.notify();
}

// What the client has begun before it read of the end has come by now.
void Http2::go_away_finally() noexcept {
    drain_ = Drain::final;
    going_away_deadline_.disarm();
    goaway_due_ = true;
    dirty_.notify();
    if (streams_.empty()) finish({Kind::drained, ErrorCode::no_error, {}});
}

void Http2::cut_off() noexcept {
    finish({Kind::drained, ErrorCode::no_error, {}});
}

void Http2::going_away_expired() {
    go_away_finally();
}

// --- time limits

// For a frame that has come in part, or for a connection without a stream.
void Http2::arm_read_deadline() noexcept {
    if (end_.kind != Kind::none) return;
    if (head_due_ != net::Clock::time_point{}) {
        read_deadline_.arm_at(head_due_);
    } else if (streams_.empty()) {
        read_deadline_.arm_at(idle_since_ + limits_.idle);
    } else {
        read_deadline_.disarm();
    }
}

void Http2::read_deadline_expired() {
    if (head_due_ != net::Clock::time_point{})
        return finish({Kind::too_slow, ErrorCode::enhance_your_calm, "a frame was too slow"});
    finish({Kind::idle, ErrorCode::no_error, {}});
}

void Http2::settings_ack_expired() {
    finish({Kind::too_slow, ErrorCode::settings_timeout, "SETTINGS were not acknowledged"});
}

void Http2::write_deadline_expired() {
    write_is_late_ = true;
    finish({Kind::too_slow, ErrorCode::no_error, "the client does not read"});
    stream_.abort();
}

} // namespace sallyport::http2
