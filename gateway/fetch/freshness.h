// How long a response may be kept (RFC 9111).
#pragma once

#include "gateway/http/head.h"

#include <chrono>
#include <optional>

namespace sallyport::fetch {

/// `max-age` of Cache-Control, less the Age (RFC 9111, 4.2, 5.1, 5.2.2.1); 0 for `no-store` and
/// `no-cache`. Nothing if neither is there or the number is malformed. Of several the shortest.
[[nodiscard]] std::optional<std::chrono::seconds> freshness_of(http::FieldTable const& fields);

} // namespace sallyport::fetch
