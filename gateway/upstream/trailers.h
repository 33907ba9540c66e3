// Which trailers of an exchange are passed on, where its operation says so (`x-trailers`).
#pragma once

#include "gateway/http/trailers.h"
#include "gateway/pipeline/exchange.h"
#include "gateway/upstream/settings.h"

namespace sallyport::upstream {

/// Those that the upstream gets: none whose field the API or the upstream takes out of a head, that
/// proves who calls, or that the contract declares as a parameter, which was checked in the head.
/// Empty if the request cannot have any, or if its body was read and they are not there.
[[nodiscard]] http::TrailerNames request_trailers(pipeline::Exchange const& exchange,
                                                  Settings const& settings);

/// Those that the client gets, of the response whose head is there: none that the API takes out of
/// a head. Empty if the response cannot have any, or the client's version has no place for them.
[[nodiscard]] http::TrailerNames response_trailers(pipeline::Exchange const& exchange);

/// RFC 9110, 10.1.4: whether the client says that it reads them.
[[nodiscard]] bool accepts_trailers(http::RequestHead const& head) noexcept;

} // namespace sallyport::upstream
