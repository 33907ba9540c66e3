// A bounded copy of a response's body, taken while it is relayed.
#pragma once

#include "gateway/http/head.h"
#include "gateway/pipeline/response_check.h"
#include "gateway/pipeline/services.h"
#include "gateway/serve/body_buffer.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sallyport::serve {

/// Its memory belongs to the budget of all buffered bodies, whose last half it leaves to requests.
/// A body that does not fit is discarded at once, and only counted.
class ResponseCopy {
public:
    explicit ResponseCopy(pipeline::Services& services) : services_{services} {}

    /// `limit`: in bytes, as received and decoded.
    void begin(http::ResponseHead const& head, std::size_t limit);
    /// Appends relayed bytes, unless the copy has been discarded.
    void add(std::string_view bytes);
    /// Discards the copy: what is relayed is only counted from now on. finish() returns `why`.
    void give_up(pipeline::ResponseCheck why);
    /// Removes the content coding. `none`: body() is the complete body; otherwise why there is
    /// none.
    pipeline::ResponseCheck finish();

    /// Relayed bytes, as received.
    [[nodiscard]] std::uint64_t seen() const { return seen_; }
    [[nodiscard]] std::string_view body() const { return body_; }
    /// Frees the memory and its reservation.
    void release();

private:
    void decode();

    pipeline::Services& services_;
    pipeline::ResponseCheck missing_ = pipeline::ResponseCheck::none;
    http::ContentCoding coding_ = http::ContentCoding::identity;
    std::size_t limit_ = 0;
    std::uint64_t seen_ = 0;
    std::optional<BodyBuffer> coded_; // or without a coding
    std::optional<BodyBuffer> decoded_;
    std::string_view body_;
};

} // namespace sallyport::serve
