// Refusals of this module: what is decoded here is always a client's.
#pragma once

#include "gateway/http/refusal.h"
#include "gateway/http/rules.h"

namespace sallyport::http2 {

/// The refusal of a client that breaks this rule.
[[nodiscard]] constexpr http::Refused broken(http::Rule const& rule) noexcept {
    return rule.broken_by(http::Sender::client);
}

} // namespace sallyport::http2
