// Converts errors of the layers below into denials.
#include "gateway/pipeline/denial.h"

#include <utility>

namespace sallyport::pipeline {

namespace {

Denial make_denial(Reason reason, std::string_view detail, std::string_view note) {
    return Denial{reason, std::string{detail}, {}, {}, note};
}

Reason reason_of(http::RefusalKind kind) {
    switch (kind) {
    case http::RefusalKind::bad_request: return Reason::bad_request;
    case http::RefusalKind::head_too_large: return Reason::head_too_large;
    case http::RefusalKind::expectation_failed: return Reason::expectation_failed;
    case http::RefusalKind::unsupported_media_type: return Reason::unsupported_media_type;
    case http::RefusalKind::body_too_large: return Reason::body_too_large;
    case http::RefusalKind::malformed_body: return Reason::malformed_body;
    case http::RefusalKind::upstream_invalid: return Reason::upstream_invalid;
    }
    return Reason::bad_request;
}

} // namespace

Denial rate_limited(std::string public_detail, std::uint64_t limit,
                    std::chrono::milliseconds wait) {
    auto const seconds = std::to_string(std::chrono::ceil<std::chrono::seconds>(wait).count());
    Denial denial{Reason::rate_limited, std::move(public_detail), {}, {}, {}};
    denial.fields = {{"Retry-After", seconds},
                     {"RateLimit-Limit", std::to_string(limit)},
                     {"RateLimit-Remaining", "0"},
                     {"RateLimit-Reset", seconds},
                     {"X-RateLimit-Reset", seconds}};
    return denial;
}

Denial denial_of(Failure const& failure) {
    return make_denial(failure.reason, {}, failure.what);
}

Denial denial_of(http::Refusal const& refusal) {
    return make_denial(reason_of(refusal.kind), refusal.detail, refusal.rule);
}

std::unique_ptr<Denial> denial_of(http::BodyPart const& part) {
    if (part.refused != nullptr) return std::make_unique<Denial>(denial_of(*part.refused));
    // HTTP/2: bytes that came before they were read.
    if (part.error == boost::asio::error::no_buffer_space)
        return std::make_unique<Denial>(Denial{Reason::overloaded,
                                               {},
                                               {},
                                               {{"Retry-After", "1"}},
                                               "limits.buffered_bodies is used up"});
    if (part.error != boost::asio::error::timed_out) return nullptr;
    return std::make_unique<Denial>(make_denial(Reason::timeout, {}, "the body was too slow"));
}

} // namespace sallyport::pipeline
