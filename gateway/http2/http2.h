// HTTP/2 towards a client: one connection with its streams (RFC 9113).
#pragma once

#include "gateway/http/codec.h"
#include "gateway/http2/frame_reader.h"
#include "gateway/http2/frame_writer.h"
#include "gateway/http2/hpack_decoder.h"
#include "gateway/http2/http2_stream.h"
#include "gateway/http2/limits.h"
#include "gateway/http2/output.h"
#include "gateway/http2/settings.h"
#include "gateway/http2/stream_places.h"
#include "gateway/net/budget.h"
#include "gateway/net/loop.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace sallyport::http2 {

/// How a connection ended, for its log line and metrics.
struct ConnectionEnd {
    enum class Kind : std::uint8_t {
        none,            // it has not
        closed,          // by the client, or by its worker
        idle,            // no stream for too long
        drained,         // stop_after_exchange()
        too_slow,        // a head, SETTINGS or its acknowledgement did not come in time
        flooded,         // the patience with the client is used up, or a head exceeds its limits
        protocol_failed, // the client violates the protocol: `code`
        failed,          // no memory, or a bug
    };
    Kind kind = Kind::none;
    ErrorCode code = ErrorCode::no_error; // as GOAWAY said it
    std::string_view note;                // a constant: what was wrong
};

/// Owned by its connection. One coroutine reads: wait_for_frames(), take_turn(), again and again
/// until take_turn() returns an error, then close(). Another one, write_turns(), writes. Each
/// stream of take_turn() is served by a coroutine of its own, which calls release() at its end. It
/// must outlive all of them; nothing destroys a coroutine from outside.
class Http2 final : public http::Codec, private net::Wait::Ending {
public:
    /// `budget`: of bodies; `owner`: whose share of it counts. The limits are copied. `places`: of
    /// all connections together; null: Http2Limits::streams alone counts.
    Http2(net::Stream& stream, net::Loop& loop, http::ConnectionLimits const& limits,
          Http2Limits const& own_limits, net::Budget& budget, std::uint64_t owner,
          StreamPlaces* places = nullptr);
    ~Http2() override;

    /// Copied: it counts for all streams from now on.
    void use(http::ConnectionLimits const& limits) noexcept override { limits_ = limits; }
    /// GOAWAY with the highest id, and PING; at its acknowledgement or after
    /// Http2Limits::going_away GOAWAY with the last stream taken. The connection ends with its last
    /// stream.
    void stop_after_exchange() noexcept override;
    void cut_off() noexcept override;
    /// Waits for the last stream and for what is unsent.
    net::Task<> close(net::LingerLimits limits = {}) override;

    /// The one coroutine that writes: started once, before the first turn. All that a turn of the
    /// loop has produced is one write.
    static net::Task<> write_turns(Http2* self);

    /// Returns when take_turn() has something to do; its error says nothing that take_turn() does
    /// not. Holds no buffer meanwhile, unless a frame has come in part.
    net::Wait wait_for_frames();
    /// Reads what is there, 64 KiB at most, and replies to control frames. Returns the streams
    /// whose heads are complete: each must be served and released. An error: the connection is
    /// over, and every stream was told. Throws std::bad_alloc: call fail() then.
    net::Result<std::span<Http2Stream* const>> take_turn();
    /// The connection is over because of an exception: every stream is told.
    void fail() noexcept;
    /// The stream's coroutine has ended: only now it no longer counts, and is destroyed.
    void release(Http2Stream& stream) noexcept;

    /// Streams that are not released.
    [[nodiscard]] std::size_t streams() const noexcept { return streams_.size(); }
    [[nodiscard]] ConnectionEnd const& end() const noexcept { return end_; }
    [[nodiscard]] Patience const& patience() const noexcept { return patience_; }

private:
    friend class Http2Stream;

    using StreamPtr = std::unique_ptr<Http2Stream>;
    enum class Drain : std::uint8_t { no, announced, final };
    struct Input {
        net::Buffer buffer;
        std::size_t begin = 0;
        std::size_t end = 0;

        [[nodiscard]] std::string_view bytes() const noexcept {
            return {buffer.data() + begin, end - begin};
        }
        [[nodiscard]] bool is_empty() const noexcept { return begin == end; }
    };
    /// The last ids of a kind. Most connections have none: memory grows with them.
    class Recent {
    public:
        explicit Recent(std::size_t most) noexcept : most_{most} {}
        void add(std::uint32_t id) noexcept;
        [[nodiscard]] bool has(std::uint32_t id) const noexcept {
            return std::find(ids_.begin(), ids_.end(), id) != ids_.end();
        }

    private:
        std::size_t most_;
        std::vector<std::uint32_t> ids_;
        std::size_t next_ = 0; // the oldest, once there are `most_`
    };
    /// Ids of streams beyond the limit, before the client has read our SETTINGS.
    static constexpr std::size_t most_before_settings = 128;
    struct EarlyUrgency {
        std::uint32_t stream = 0;
        Urgency urgency;
    };

    // --- reading (http2_read.cpp)

    net::Error end_wait() noexcept override;
    net::Error read_available();
    [[nodiscard]] bool is_full() const noexcept;
    void parse();
    void keep_rest();
    void drop_broken();
    void take(FrameStep const& step);
    void take_data(FrameStep const& step);
    void begin_data(FrameStep const& step);
    void end_data(FrameStep const& step);
    void take_head(FrameStep const& step);
    void take_trailers(Http2Stream& stream, HeadBlock const& block, FrameStep const& step);
    void begin_stream(HeadBlock const& block, FrameStep const& step);
    void refuse_beyond_limit(std::uint32_t id);
    void refuse_stream(std::uint32_t id) noexcept;
    [[nodiscard]] bool has_waited(Http2Stream const& stream) const noexcept;
    void take_reset(FrameStep const& step);
    void take_settings(FrameStep const& step);
    void take_ping_ack(FrameStep const& step);
    void take_window_update(FrameStep const& step);
    void take_priority_update(FrameStep const& step);
    bool spend(Annoyance what);
    void violated(ErrorCode code, std::string_view note);
    [[nodiscard]] bool is_ignored(std::uint32_t id) const noexcept;
    [[nodiscard]] Http2Stream* find(std::uint32_t id) const noexcept;

    // --- writing (http2_write.cpp)

    void put_control(char const* bytes, std::size_t size) noexcept;
    void put_reset(std::uint32_t stream, ErrorCode code) noexcept;
    void put_updates(Http2Stream* stream) noexcept;
    void wake_client(std::uint32_t stream) noexcept;
    [[nodiscard]] bool has_room() const noexcept { return out_.size() < own_.unsent; }
    [[nodiscard]] bool put_body_now(Http2Stream& stream, std::string_view bytes, http::Ends ends);
    std::size_t put_frame(Http2Stream& stream, std::string_view bytes, http::Ends ends);
    void want_to_send(Http2Stream& stream) noexcept;
    void put_bodies();
    void put_announcements();
    void wake_after_write() noexcept;
    void write_deadline_expired();

    // --- how it ends (http2.cpp)

    void finish(ConnectionEnd const& end) noexcept;
    void end_writing() noexcept;
    void reset(Http2Stream& stream, ErrorCode code,
               Http2Stream::Broken how = Http2Stream::Broken::by_us) noexcept;
    void give_back(std::uint64_t bytes) noexcept;
    void go_away_finally() noexcept;
    void arm_read_deadline() noexcept;
    void read_deadline_expired();
    void settings_ack_expired();
    void going_away_expired();

    net::Stream& stream_;
    net::Loop& loop_;
    net::Buffers& buffers_;
    http::ConnectionLimits limits_;
    Http2Limits const own_;
    net::Budget& budget_;
    std::uint64_t owner_;
    StreamPlaces* places_;

    FrameReader frames_;
    HpackDecoder decoder_;
    Scheduler scheduler_;
    Patience patience_;
    PeerSettings peer_;
    SendWindow send_;
    ReceiveWindow receive_;

    std::vector<StreamPtr> streams_; // in the order of ids
    std::vector<Http2Stream*> begun_;
    std::uint32_t highest_ = 0;  // id that the client has used
    std::uint32_t accepted_ = 0; // the last one that was taken
    // Streams that we reset: as many as a client may have open may be on their way.
    Recent resets_;
    Recent released_{128};                // streams that have ended
    std::array<EarlyUrgency, 8> early_{}; // of streams that have not begun
    std::size_t next_early_ = 0;

    Input input_;
    net::Buffer head_memory_;            // during a turn
    std::size_t head_bytes_ = 0;         // of the header block that has begun
    Http2Stream* data_stream_ = nullptr; // of the DATA frame that has begun; null: thrown away
    std::uint32_t data_size_ = 0;        // of that frame
    std::uint32_t data_payload_ = 0;     // of it, without padding, that has come
    net::Clock::time_point now_;         // of the turn

    Output out_;
    net::Buffer writing_;
    net::Event turn_;  // the reader's next turn, or room for replies
    net::Event dirty_; // the writer has something to do
    net::Event ended_; // a stream, or the writer
    net::Deadline read_deadline_;
    net::Deadline write_deadline_;
    net::Deadline settings_ack_deadline_;
    net::Deadline going_away_deadline_;
    net::Clock::time_point idle_since_;
    net::Clock::time_point head_due_{}; // of a frame that has come in part; zero: none has
    net::Error read_error_;             // once it is over, and what came before it is read
    ConnectionEnd end_;
    Drain drain_ = Drain::no;
    bool announcement_due_ = false; // the first GOAWAY of a drain
    bool goaway_due_ = false;
    bool gives_way_ = false;      // the writer, to a more urgent stream
    bool is_writing_ = false;     // the writer's coroutine lives
    bool write_is_late_ = false;  // the client does not read
    bool waits_for_room_ = false; // the reader
    std::size_t streams_wait_for_room_ = 0;
    bool has_more_ = false;   // bytes that a turn has left
    bool is_in_turn_ = false; // take_turn() has not returned: `begun_` was not handed out
    bool size_update_due_ = false;
};

} // namespace sallyport::http2
