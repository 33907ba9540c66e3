// The identifier of an exchange: in the response, in the log, and towards the upstream.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sallyport::pipeline {

/// A random UUID (RFC 9562, 5.4), as text.
class RequestId {
public:
    [[nodiscard]] std::string_view text() const { return {text_.data(), text_.size()}; }

private:
    friend class RequestIds;
    std::array<char, 36> text_{};
};

/// Makes identifiers that cannot be guessed; takes random bytes for many of them from OpenSSL at
/// once. One per worker.
class RequestIds {
public:
    /// A new identifier. Throws std::runtime_error if OpenSSL has no random bytes.
    RequestId next();

private:
    std::array<std::uint8_t, 4096> random_{};
    std::size_t used_ = 4096;
};

} // namespace sallyport::pipeline
