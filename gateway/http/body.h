// Extracts a body from the bytes of a connection: by length, or by chunks.
#pragma once

#include "gateway/http/framing.h"
#include "gateway/http/head.h"
#include "gateway/http/refusal.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace sallyport::http {

/// The result of one step of a reader. `consumed` bytes of the input are done with; `payload`, a
/// view into them, is the next piece of the body (may be empty).
struct BodyStep {
    std::size_t consumed = 0;
    std::string_view payload;
    bool complete = false;     ///< the body ends behind `consumed`
    Refused refused = nullptr; ///< no more can be read; the connection must be closed
};

/// RFC 9112, 7.1, strictly. Pass it the received bytes, take the payload, remove the consumed
/// bytes, repeat until `complete`. One step ends at the end of a chunk's data at the latest: call
/// again while bytes are left. A step that consumes nothing and is not complete needs more bytes.
class ChunkedReader {
public:
    static constexpr std::size_t max_line_size = 4UL * 1024;
    static constexpr std::size_t max_extensions_size = 16UL * 1024; // of all chunks together
    static constexpr std::size_t max_trailers_size = 8UL * 1024;

    /// `limit`: of the payload, in bytes. A chunk that would exceed it is refused at its size
    /// line. Framing errors are `bad_request` from a client and `upstream_invalid` from an
    /// upstream. `trailers`: where the lines of the trailers are appended as they come, each ending
    /// in CR LF; room for max_trailers_size bytes is reserved there. Null: they are dropped. Lines
    /// that are kept and come from a client have to pass the policy for fields, too (judge_field).
    ChunkedReader(std::uint64_t limit, Sender sender, std::string* trailers = nullptr) noexcept
        : limit_{limit}, trailers_{trailers}, sender_{sender} {}

    /// Consumes some of `bytes`; see BodyStep.
    BodyStep step(std::string_view bytes) noexcept;

    /// The payload size that the chunks read so far have announced, in bytes.
    [[nodiscard]] std::uint64_t payload_size() const noexcept { return payload_size_; }

private:
    enum class State : std::uint8_t {
        size_start,
        size,
        size_white_space,
        extension_start, // behind the semicolon
        extension_name,
        extension_name_space,  // behind the name
        extension_value_start, // behind the equals sign
        extension_token,
        extension_quoted,
        extension_escaped,
        extension_quoted_end,
        extension_space, // behind the value
        size_line_feed,
        data,
        data_carriage_return,
        data_line_feed,
        trailer_start,
        trailer_name,
        trailer_value,
        trailer_line_feed,
        final_line_feed,
        complete,
    };

    std::size_t take_common(std::string_view bytes) noexcept;
    Refused take(char c) noexcept;
    Refused take_size_line(char c) noexcept;
    Refused take_digit(int value) noexcept;
    Refused take_extension(char c) noexcept;
    Refused end_extension(char c) noexcept;
    Refused end_size_line() noexcept;
    Refused take_trailer(char c) noexcept;
    Refused take_trailer_character(char c) noexcept;
    [[nodiscard]] Refused judge_trailers() const noexcept;

    std::uint64_t limit_;
    std::string* trailers_;          // null: not kept
    std::uint64_t payload_size_ = 0; // announced by the chunks so far
    std::uint64_t chunk_left_ = 0;
    std::uint32_t line_size_ = 0;
    std::uint32_t extensions_size_ = 0; // of the whole body
    std::uint32_t trailers_size_ = 0;
    std::uint8_t digits_ = 0;
    Sender sender_;
    State state_ = State::size_start;
    Refused refused_ = nullptr;
};

/// RFC 9112, 6.2: a body of declared length.
class LengthReader {
public:
    explicit LengthReader(std::uint64_t length) noexcept : left_{length} {}

    /// Consumes some of `bytes`; complete after `length` bytes.
    BodyStep step(std::string_view bytes) noexcept;

    [[nodiscard]] std::uint64_t left() const noexcept { return left_; }

private:
    std::uint64_t left_;
};

/// Writes the line before a chunk's data: hexadecimal size, CR LF. `chunk_end` follows the data,
/// `last_chunk` the last chunk.
class ChunkSizeLine {
public:
    explicit ChunkSizeLine(std::uint64_t size) noexcept;
    operator std::string_view() const noexcept {
        return {text_.data() + begin_, text_.size() - begin_};
    }

private:
    std::array<char, 18> text_{};
    std::size_t begin_;
};

inline constexpr std::string_view chunk_end = "\r\n";
inline constexpr std::string_view last_chunk = "0\r\n\r\n";

/// The two parts of it, with trailers between them: whole lines.
inline constexpr std::string_view last_chunk_line = "0\r\n";
inline constexpr std::string_view trailers_end = "\r\n";

/// Where a ChunkedReader keeps the trailers of a message that announces them in its head (RFC 9110,
/// 6.6.2); null: it announces none.
[[nodiscard]] std::unique_ptr<std::string> storage_for_trailers(FieldTable const& head);

} // namespace sallyport::http
