// A bounded copy of a response's body, taken while it passes.
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

/// Its memory is of the budget of all buffered bodies, of which it leaves the last half to
/// requests: what does not fit is given up at once, and only counted.
class ResponseCopy {
public:
    explicit ResponseCopy(pipeline::Services& services) : services_{services} {}

    /// `limit`: of bytes, as they come and decoded.
    void begin(http::ResponseHead const& head, std::size_t limit);
    void add(std::string_view bytes);
    /// Takes the content coding off. `none`: body() is the whole body; else why there is none.
    pipeline::ResponseCheck finish();

    /// Bytes that passed, as they came.
    [[nodiscard]] std::uint64_t seen() const { return seen_; }
    [[nodiscard]] std::string_view body() const { return body_; }
    void release();

private:
    void give_up(pipeline::ResponseCheck why);
    void decode();

    pipeline::Services& services_;
    pipeline::ResponseCheck missing_ = pipeline::ResponseCheck::none;
    http::ContentCoding coding_ = http::ContentCoding::identity;
    std::size_t limit_ = 0;
    std::uint64_t seen_ = 0;
    std::optional<BodyBuffer> coded_; // or not coded at all
    std::optional<BodyBuffer> decoded_;
    std::string_view body_;
};

} // namespace sallyport::serve
