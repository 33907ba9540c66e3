// Content codings: parses which one a body has, and decodes it within limits of size and ratio.
#pragma once

#include "gateway/http/head.h"
#include "gateway/http/refusal.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace sallyport::http {

enum class ContentCoding : std::uint8_t { identity, gzip, deflate };

/// The value of `Accept-Encoding` in the 415 response to an unsupported coding (RFC 9110,
/// 15.5.16).
inline constexpr std::string_view accepted_codings = "gzip, deflate";

/// RFC 9110, 8.4: at most one supported coding, over all lines of the field.
Refused parse_content_coding(FieldTable const& fields, ContentCoding& coding) noexcept;

struct DecodeLimits {
    std::uint64_t size;                    // the most bytes of output
    std::uint64_t ratio = 100;             // bytes of output per byte of input, beyond the
                                           // allowance
    std::uint64_t allowance = 64UL * 1024; // bytes of output allowed whatever the ratio
};

/// Decodes one gzip member (RFC 1952) or one zlib stream (RFC 1950); nothing may follow it. Memory:
/// zlib's inflate state (about 40 KiB). Any thread, but one at a time.
class ContentDecoder {
public:
    /// `coding` is gzip or deflate.
    ContentDecoder(ContentCoding coding, DecodeLimits const& limits);
    ~ContentDecoder();
    ContentDecoder(ContentDecoder&&) noexcept;
    ContentDecoder& operator=(ContentDecoder&&) noexcept;

    struct Step {
        std::size_t consumed = 0; // bytes of the input that were used
        std::size_t produced = 0; // bytes written to the output
        Refused refused = nullptr;
    };
    /// Decodes some of `input` into `output`. Call again with the rest of the input and a new
    /// output while input is left or the output was filled completely.
    Step step(std::string_view input, std::span<char> output) noexcept;

    /// Call it after the last byte of the body: null if the coded stream was complete.
    [[nodiscard]] Refused finish() const noexcept;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace sallyport::http
