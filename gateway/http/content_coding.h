// Content codings: which one a body has, and a decoder that is bounded in size and ratio.
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

/// What to write into `Accept-Encoding` of the 415 that answers an unsupported coding
/// (RFC 9110, 15.5.16).
inline constexpr std::string_view accepted_codings = "gzip, deflate";

/// RFC 9110, 8.4: at most one coding that we know, over all lines of the field.
Refused parse_content_coding(FieldTable const& fields, ContentCoding& coding) noexcept;

struct DecodeLimits {
    std::uint64_t size;                    // bytes that may come out
    std::uint64_t ratio = 100;             // bytes out for each byte in, beyond the allowance
    std::uint64_t allowance = 64UL * 1024; // bytes that may come out whatever the ratio
};

/// Takes one gzip member (RFC 1952) or one zlib stream (RFC 1950) apart; nothing may follow it.
/// Memory: what zlib needs for inflating (about 40 KiB). Any thread; not two at a time.
class ContentDecoder {
public:
    /// `coding` is gzip or deflate.
    ContentDecoder(ContentCoding coding, DecodeLimits const& limits);
    ~ContentDecoder();
    ContentDecoder(ContentDecoder&&) noexcept;
    ContentDecoder& operator=(ContentDecoder&&) noexcept;

    struct Step {
        std::size_t consumed = 0; // bytes of the input that are done with
        std::size_t produced = 0; // bytes written to the output
        Refused refused = nullptr;
    };
    /// Decodes some of `input` into `output`. Call again with the rest of the input and more room
    /// for as long as input is left or the output was filled to its end.
    Step step(std::string_view input, std::span<char> output) noexcept;

    /// After the last byte of the body: whether the coded stream was whole.
    [[nodiscard]] Refused finish() const noexcept;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace sallyport::http
