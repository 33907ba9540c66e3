// Finds where the frames of one direction begin and end, in bytes cut anywhere (RFC 6455, 5.2).
#pragma once

#include "gateway/http/refusal.h"
#include "gateway/websocket/frame.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sallyport::websocket {

/// What may be passed on, in this order. No head of a frame is passed on before it is complete and
/// valid: whatever was passed on ends within a payload or between two frames.
struct PassedFrames {
    std::string_view carried; // a head whose begin came earlier; valid until the next call
    std::string_view bytes;   // of those that came now
};

/// What has been passed on.
struct FrameCounts {
    std::uint64_t bytes = 0;    // heads included
    std::uint64_t messages = 0; // complete, of text or bytes
    std::uint64_t pings = 0;
};

/// One direction of one connection. Payloads are neither read nor copied: the cost of a frame is
/// that of its head.
class FrameReader {
public:
    FrameReader(http::Sender sender, ReservedBits reserved) noexcept
        : reserved_{reserved}, mask_{sender == http::Sender::client ? masked : std::uint8_t{0}} {}

    /// Takes all bytes. Nothing is passed on behind a close frame, because nothing there means
    /// anything (RFC 6455, 1.4), nor behind a frame that violates the standard.
    [[nodiscard]] PassedFrames take(std::string_view bytes) noexcept;

    /// Nothing is passed on behind the next border, or behind this one: a close frame of our own
    /// stands there. Frames are still read, for the close frame of their sender.
    void stop_at_border() noexcept {
        stops_ = true;
        has_stopped_ = is_at_border();
    }
    /// No close frame is passed on any more, but for one whose head was: a close frame of our own
    /// stands in its place.
    void stop_at_close() noexcept { stops_at_close_ = true; }
    /// Whether that border, or that close frame, is there.
    [[nodiscard]] bool has_stopped() const noexcept { return has_stopped_; }

    /// Which rule a frame has violated: a constant, for the log. Empty: none. Such a connection is
    /// closed with CloseCode::protocol_error (RFC 6455, 7.4.1).
    [[nodiscard]] std::string_view violated() const noexcept { return violated_; }
    /// Whether what was passed on ends with a frame: a frame of our own may follow.
    [[nodiscard]] bool is_at_border() const noexcept { return payload_left_ == 0; }
    /// Whether a whole close frame has come.
    [[nodiscard]] bool has_closed() const noexcept { return has_closed_; }
    /// Whether it was passed on.
    [[nodiscard]] bool has_passed_close() const noexcept { return has_passed_close_; }
    [[nodiscard]] FrameCounts const& counts() const noexcept { return counts_; }

private:
    struct Head {
        std::size_t size = 0; // 0: more bytes are needed
        std::uint8_t first = 0;
        std::uint64_t length = 0;
    };

    [[nodiscard]] bool is_done() const noexcept { return has_closed_ || !violated_.empty(); }
    PassedFrames take_carried(std::string_view& bytes) noexcept;
    [[nodiscard]] Head read_head(std::string_view bytes) noexcept;
    [[nodiscard]] std::string_view judge(std::uint8_t first, std::uint8_t second) const noexcept;
    void begin(Head const& head) noexcept;
    void end_frame() noexcept;
    std::size_t take_payload(std::size_t available) noexcept;

    ReservedBits reserved_;
    std::uint8_t mask_; // what every frame of this direction has in its second byte

    std::uint64_t payload_left_ = 0;
    std::uint8_t first_ = 0; // of the frame that was begun last
    bool is_within_message_ = false;
    bool has_closed_ = false;
    bool has_passed_close_ = false;
    bool stops_ = false;
    bool stops_at_close_ = false;
    bool has_stopped_ = false;
    std::string_view violated_;

    // The begin of a head that was cut; the second array is the one that `carried` refers to.
    std::array<std::array<char, most_head_size>, 2> cut_heads_{};
    std::size_t cut_size_ = 0;
    unsigned current_ = 0;

    FrameCounts counts_;
};

} // namespace sallyport::websocket
