// Finds the frames in the bytes that a client sends, and checks what can be known of each by itself
// (RFC 9113, 4 and 6).
#pragma once

#include "gateway/http2/error_code.h"
#include "gateway/http2/frame.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::http2 {

struct FrameLimits {
    /// Bytes of the payloads of HEADERS and its CONTINUATION frames together.
    std::size_t head_block = std::size_t{16} * 1024;
    unsigned continuations = 4;
};

/// The result of FrameReader::step().
struct FrameStep {
    enum class Event : std::uint8_t {
        none,            // nothing to do: more bytes are needed, unless some were consumed
        failed,          // an error of the connection: `error`, `rule`
        data,            // the next piece of a DATA frame
        head,            // a whole header block
        head_part,       // a part of one, which is kept until it is whole
        priority,        // RFC 7540's; its content is ignored
        reset,           // RST_STREAM: `value` is its error code
        settings,        // `bytes`: its entries
        settings_ack,    //
        ping,            // `bytes`: its eight
        ping_ack,        // `bytes`: its eight
        goaway,          // `value` is its error code
        window_update,   // `value` is its increment, never 0
        priority_update, // of `stream`; `bytes`: the value of the field
        unknown,         // the beginning of a frame of an unknown type, which is skipped
    };

    Event event = Event::none;
    std::size_t consumed = 0;
    std::uint32_t stream = 0; // 0: of the connection
    std::uint32_t value = 0;
    std::string_view bytes; // valid until the next step

    // Of `data`.
    bool begins = false; // the first piece: `value` is what the frame takes of the windows
    bool ends = false;   // the last piece
    // Of `data` if it ends, and of `head`.
    bool end_stream = false;
    // Of `head` and `head_part`: CONTINUATION behind frames that had room for it.
    bool is_needless = false;

    // Of `failed`.
    ErrorCode error = ErrorCode::no_error;
    std::string_view rule; // a constant: what was wrong, for the log
};

/// One connection. DATA passes piece by piece as it comes; all other frames are waited for, so the
/// caller keeps up to frame_head_size + most_frame_payload bytes that were not consumed.
class FrameReader {
public:
    explicit FrameReader(FrameLimits const& limits = {}) : limits_{limits} {}

    /// Takes one step through `bytes`, which begin with those that were not consumed before. Not to
    /// be called again after `failed`.
    FrameStep step(std::string_view bytes);

    /// Whether the preface and the first SETTINGS have come.
    [[nodiscard]] bool has_begun() const noexcept { return has_settings_; }
    /// Whether a header block has begun and not ended.
    [[nodiscard]] bool is_within_head() const noexcept { return head_stream_ != 0; }
    /// Whether `bytes`, which step() would take, begin with HEADERS.
    [[nodiscard]] bool is_at_headers(std::string_view bytes) const noexcept;
    /// Whether the next byte belongs to a DATA frame.
    [[nodiscard]] bool is_within_data() const noexcept { return is_within_data_; }

private:
    FrameStep take_preface(std::string_view bytes);
    FrameStep begin_frame(std::string_view bytes);
    FrameStep skip(std::string_view bytes) noexcept;
    FrameStep begin_data(FrameHead const& head, std::string_view bytes) noexcept;
    FrameStep take_data(std::string_view bytes) noexcept;
    FrameStep take_frame(FrameHead const& head, std::string_view payload);
    FrameStep take_headers(FrameHead const& head, std::string_view payload);
    FrameStep take_continuation(FrameHead const& head, std::string_view payload);
    FrameStep end_head(std::string_view block) noexcept;
    [[nodiscard]] FrameStep judge(FrameHead const& head) const noexcept;
    [[nodiscard]] FrameStep judge_order(FrameHead const& head) const noexcept;
    [[nodiscard]] FrameStep judge_size(FrameHead const& head) const noexcept;
    [[nodiscard]] FrameStep judge_stream(FrameHead const& head) const noexcept;

    FrameLimits limits_;
    std::size_t preface_seen_ = 0;
    bool has_settings_ = false;

    // A frame of an unknown type.
    std::uint32_t to_skip_ = 0;

    // A DATA frame.
    std::uint32_t data_stream_ = 0;
    std::uint32_t data_left_ = 0;
    std::uint32_t padding_left_ = 0;
    bool is_within_data_ = false;
    bool needs_pad_length_ = false;
    bool data_ends_stream_ = false;

    // A header block.
    std::uint32_t head_stream_ = 0; // 0: none
    std::size_t head_payload_ = 0;  // of the frames that have come
    unsigned continuations_ = 0;
    bool head_ends_stream_ = false;
    std::string block_; // empty if one frame contains all of it
};

} // namespace sallyport::http2
