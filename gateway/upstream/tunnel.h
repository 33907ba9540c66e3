// Carries a WebSocket between a client and an upstream that has agreed to it (RFC 6455).
#pragma once

#include "gateway/http/client_exchange.h"
#include "gateway/net/deadlines.h"
#include "gateway/net/event.h"
#include "gateway/net/list_link.h"
#include "gateway/pipeline/exchange.h"
#include "gateway/upstream/tunnels.h"
#include "gateway/websocket/close_frame.h"
#include "gateway/websocket/frame_reader.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sallyport::upstream {

/// How a tunnel has ended. `reason`: `none` after the close frame of either side, else why it has
/// ended without one.
struct TunnelEnd {
    pipeline::Reason reason = pipeline::Reason::none;
    std::string_view note; // a literal for the control log
    net::Error error;      // if it adds information
};

struct TunnelLimits {
    websocket::ReservedBits reserved;              // that the extensions may set
    std::chrono::milliseconds idle;                // the longest silence of both sides together
    std::chrono::system_clock::time_point expires; // of the caller's credential
    std::chrono::system_clock::time_point known_until; // see pipeline::known_until()
};

/// Passes frames in both directions as they come, heads and payloads unchanged, one coroutine a
/// direction. An end that the gateway wants, because of a limit or a drain, is a close frame to
/// each side at a border of frames; their answers are awaited for close_time. A frame that breaks
/// the standard ends its direction so; the other one goes on until the answer, in whose place the
/// same close frame stands: what was said to the valid frames before it arrives.
class Tunnel : private net::ListLink {
public:
    /// For the answer to a close frame, and for the end of the connection behind it.
    static constexpr std::chrono::seconds close_time{5};

    /// `exchange` has sent the head of its response, and `upstream` has read it. All of the
    /// arguments outlive the tunnel.
    Tunnel(pipeline::Exchange& exchange, http::ClientExchange& upstream, Tunnels& tunnels,
           TunnelLimits const& limits);
    ~Tunnel();

    /// Until both directions have ended. Once.
    net::Task<TunnelEnd> run();

private:
    friend class Tunnels;
    using CloseCode = websocket::CloseCode;
    using Reason = pipeline::Reason;

    /// What one side sends to the other.
    struct Direction {
        pipeline::Side sender;
        websocket::FrameReader frames;
        bool is_writing = false;
        bool has_our_close = false; // a close frame of our own ends it

        [[nodiscard]] pipeline::Side receiver() const noexcept {
            return sender == pipeline::Side::client ? pipeline::Side::upstream
                                                    : pipeline::Side::client;
        }
        [[nodiscard]] bool has_ended() const noexcept {
            return frames.has_closed() || !frames.violated().empty();
        }
    };

    static net::Task<> relay_in_background(Tunnel* tunnel);
    static net::Task<> close_in_background(Tunnel* tunnel, Direction* direction);
    static net::Task<> judge_in_background(Tunnel* tunnel);
    net::Task<> relay_from_client();
    net::Task<> relay_from_upstream();
    net::Task<net::Error> read_from_upstream();
    net::Task<> pass(Direction& direction, std::string_view bytes);
    net::Task<net::Error> write(Direction const& direction, std::string_view bytes);
    net::Task<> write_close(Direction& direction);

    bool begin_close(CloseCode code, Reason reason, std::string_view note);
    void close(CloseCode code, Reason reason, std::string_view note);
    void begin_judgement();
    void apply(pipeline::JudgedAgain const& judged);
    void drain() { close(CloseCode::going_away, Reason::draining, "the gateway drains"); }
    void lost(pipeline::Side side, net::Error error);
    void end() noexcept;
    void begin_limits();
    void arm_expiry(std::chrono::system_clock::time_point now);
    void note_traffic();
    void note_close();
    void task_ended() noexcept;
    void on_idle();
    void on_expiry();
    void on_close_limit() { end(); }
    [[nodiscard]] bool wants_close(Direction const& direction) const noexcept {
        return code_ && direction.frames.has_stopped() && !direction.has_our_close
               && !direction.is_writing && !direction.frames.has_passed_close();
    }

    pipeline::Exchange& exchange_;
    http::ClientExchange& upstream_;
    Tunnels& tunnels_;
    TunnelLimits limits_;
    Direction to_upstream_;
    Direction to_client_;
    net::Deadline idle_;
    net::Deadline expiry_;
    net::Deadline close_limit_;
    net::Event task_ended_;
    unsigned tasks_ = 0; // besides that of run()
    TunnelEnd end_;
    std::optional<CloseCode> code_; // of our own close frames
    bool is_over_ = false;          // nothing is read any more
    std::uint64_t judgement_ = 0;   // Tunnels::judgement_ when it was judged
    bool is_being_judged_ = false;
    bool is_judged_once_more_ = false; // what it is judged by may have changed meanwhile
};

} // namespace sallyport::upstream
