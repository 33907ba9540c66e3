// Which responses are streams by their contract.
#pragma once

#include "gateway/pipeline/exchange.h"

namespace sallyport::pipeline {

/// Whether the response of the exchange, whose head is there, lasts as long as its upstream has
/// something to send (contract::Streams): it has no total time, and no copy of it is made.
[[nodiscard]] bool is_stream(Exchange const& exchange) noexcept;

} // namespace sallyport::pipeline
