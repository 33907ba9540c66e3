// One request of a client and its response over HTTP/2 (RFC 9113, 5 and 8).
#pragma once

#include "gateway/http/body_pace.h"
#include "gateway/http/transport.h"
#include "gateway/http2/error_code.h"
#include "gateway/http2/head_block.h"
#include "gateway/http2/received_body.h"
#include "gateway/http2/scheduler.h"
#include "gateway/http2/window.h"
#include "gateway/net/budget.h"
#include "gateway/net/buffers.h"
#include "gateway/net/deadlines.h"
#include "gateway/net/event.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::http2 {

class Http2;

/// Owned by its connection; used by the coroutine that serves it, which ends with
/// Http2::release(). The body may be read by one coroutine while another sends the response.
/// After the client has reset the stream, or its connection has ended, every wait ends with an
/// error, and the coroutine walks out through its own steps.
class Http2Stream final : public http::Transport, private SendTurn {
public:
    Http2Stream(Http2& connection, std::uint32_t id, net::Reservation body, net::Reservation part);

    [[nodiscard]] std::uint32_t id() const noexcept { return stream(); }

    /// Has ended when asked.
    net::Task<http::HeadRead> read_head(http::RequestHead& head) override;
    [[nodiscard]] http::Refused refused() const noexcept override { return refused_; }
    net::Task<http::BodyPart> read_body(std::uint64_t limit, http::Gather gather) override;
    [[nodiscard]] std::string_view trailers() const noexcept override { return trailers_; }
    void stop_reading_body() noexcept override;
    net::Task<net::Error> send_continue() override;
    /// The head is in the connection's output when it returns; waits while too much is unsent
    /// there.
    net::Task<net::Error> send_head(http::OutgoingHead const& head, std::string_view first,
                                    http::Ends ends) override;
    /// Waits until all of it is in the connection's output. `timed_out`: that took the client
    /// longer than body_idle, whatever updates of windows it sent meanwhile.
    net::Task<net::Error> send_body(std::string_view bytes, http::Ends ends) override;
    /// HEADERS with END_STREAM (RFC 9113, 8.1).
    net::Task<net::Error> send_trailers(std::string_view lines) override;
    /// A stream ends with its response: nothing has to be announced.
    void close_after_response() noexcept override {}
    /// RFC 9113, 8.1: a response that leaves a body unread is followed by RST_STREAM(NO_ERROR);
    /// one to a malformed request by RST_STREAM(PROTOCOL_ERROR). For a second what comes of it
    /// is thrown away first.
    net::Task<http::KeepAlive> finish_exchange() override;
    void abort() noexcept override;
    net::PeerState watch_client(net::PeerWatcher& watcher) override;
    void unwatch_client() noexcept override { watcher_ = nullptr; }
    [[nodiscard]] http::ClientLoss client_loss() const noexcept override;
    [[nodiscard]] http::Protocol protocol() const noexcept override {
        return http::Protocol::http_2;
    }
    [[nodiscard]] std::size_t part_size() const noexcept override;
    [[nodiscard]] bool head_sent() const noexcept override { return head_sent_; }
    [[nodiscard]] bool body_complete() const noexcept override;
    [[nodiscard]] std::uint64_t bytes_in() const noexcept override { return bytes_in_; }
    [[nodiscard]] std::uint64_t bytes_out() const noexcept override { return bytes_out_; }

private:
    friend class Http2;

    /// How the stream ended before its two ends, if it did.
    enum class Broken : std::uint8_t {
        no,
        by_client,     // RST_STREAM of the client
        by_us,         // RST_STREAM of its coroutine: what still comes is thrown away
        for_fault,     // RST_STREAM, since the client exceeds a window: its coroutine may wait
        by_connection, // which has ended
    };

    // --- called by the connection

    /// The bytes of a DATA frame. False: they are not kept.
    bool take_data(std::string_view bytes);
    /// Keeps them, if the head has announced some.
    void keep_trailers(HeadBlock const& block);
    /// DATA or trailers had END_STREAM.
    void end_request() noexcept;
    void refuse_rest(http::Refused rule) noexcept;
    void break_off(Broken how) noexcept;
    /// Whether DATA goes to a reader, who may be busy with what came before.
    [[nodiscard]] bool is_read() const noexcept {
        return has_reader_ && !stopped_reading_ && !throws_away_ && !discards();
    }
    /// Whether DATA is thrown away.
    [[nodiscard]] bool discards() const noexcept {
        return broken_ != Broken::no || body_refused_ != nullptr || over_budget_;
    }
    /// Whether its client may send what is thrown away behind an early response.
    [[nodiscard]] bool may_go_on() const noexcept { return throws_away_ && broken_ == Broken::no; }
    [[nodiscard]] bool was_reset() const noexcept {
        return broken_ == Broken::by_us || broken_ == Broken::for_fault;
    }
    [[nodiscard]] bool is_closed() const noexcept {
        return broken_ != Broken::no || (request_ended_ && response_ended_);
    }

    // --- the request

    [[nodiscard]] std::optional<http::BodyPart> take_part(std::uint64_t limit, http::Gather gather);
    net::Task<http::BodyPart> read_part(std::uint64_t limit, http::Gather gather);
    [[nodiscard]] bool waits_for_rest(http::Gather gather) const noexcept;
    [[nodiscard]] http::Refused judge_length() const noexcept;
    void give_back_part() noexcept;
    /// Behind an early response, of bytes that were thrown away.
    void let_go_on(std::uint64_t bytes) noexcept;
    void open_window() noexcept;
    void widen_window(std::int64_t size) noexcept;
    void forget_window() noexcept;
    void read_deadline_expired();

    [[nodiscard]] bool awaits_rest() const noexcept;
    net::Task<http::KeepAlive> discard_rest();
    void end_stream() noexcept;

    // --- the response

    [[nodiscard]] net::Error send_error() const noexcept;
    net::Task<net::Error> wait_for_room();
    net::Task<net::Error> send_switch(http::OutgoingHead head);
    void put_head(http::OutgoingHead const& head, http::Ends ends);
    /// `encode` writes `most` bytes at most, and returns how many.
    template <class Encode>
    void put_block(std::size_t most, http::Ends ends, Encode const& encode);
    net::Task<net::Error> send_part(std::string_view bytes, http::Ends ends);
    void find_urgency(http::OutgoingHead const& head) noexcept;
    void write_deadline_expired();

    Http2& connection_;

    net::Buffer head_; // what `stored_` refers to
    StoredHead stored_;
    http::Refused refused_ = nullptr;
    std::optional<std::uint64_t> declared_; // Content-Length
    http::ExpectContinue expects_continue_ = http::ExpectContinue::no;

    ReceivedBody body_;
    ReceiveWindow receive_;
    http::BodyPace pace_;
    net::Event arrived_; // DATA, the end of the request or of the stream
    net::Deadline read_deadline_;
    net::Clock::time_point begun_;   // the turn of its head
    std::uint64_t received_ = 0;     // bytes of the body
    std::int64_t of_connection_ = 0; // what the window of the connection is wider for it
    http::Refused body_refused_ = nullptr;
    std::string trailers_;

    net::Event taken_; // what is to be sent is in the output, or never will be
    net::Deadline write_deadline_;
    net::Reservation part_; // while a part waits for its window
    SendWindow send_;
    std::string_view unsent_;
    ErrorCode abort_code_ = ErrorCode::internal_error;

    net::PeerWatcher* watcher_ = nullptr;
    std::uint64_t bytes_in_ = 0;
    std::uint64_t bytes_out_ = 0;
    Broken broken_ = Broken::no;
    bool ended_with_head_ = false;
    bool request_ended_ = false;  // END_STREAM has come
    bool response_ended_ = false; // END_STREAM is in the output
    bool window_is_open_ = false; // its body is read
    bool has_reader_ = false;
    bool over_budget_ = false;
    bool stopped_reading_ = false;
    bool is_connect_ = false;   // with a protocol (RFC 8441)
    bool has_switched_ = false; // to another protocol (RFC 8441): bytes without an end
    static constexpr std::uint64_t most_behind_response = std::uint64_t{16} << 20;
    bool throws_away_ = false; // what still comes: the response is complete
    std::uint64_t left_behind_response_ = most_behind_response; // of that, in bytes
    bool head_sent_ = false;
    bool is_sending_ = false; // `unsent_`, or the end of the response
    bool sends_end_ = false;
    bool waits_for_room_ = false;
    bool updated_ = false; // PRIORITY_UPDATE has said what counts
};

} // namespace sallyport::http2
