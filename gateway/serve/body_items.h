// Validates a body of items (JSON Lines, JSON text sequences, event streams) while it is streamed.
#pragma once

#include "gateway/contract/items.h"
#include "gateway/pipeline/body_filter.h"
#include "gateway/pipeline/exchange.h"
#include "gateway/serve/body_buffer.h"

#include <cstddef>

namespace sallyport::serve {

/// Passes whole valid items alone. It keeps at most the part that has arrived and an incomplete
/// item, within the budget of buffered bodies. Owned by its exchange.
class BodyItems final : public pipeline::BodyFilter {
public:
    /// The plan of the exchange has a media type with items and a schema.
    explicit BodyItems(pipeline::Exchange& exchange);

    [[nodiscard]] Passed take(http::BodyPart const& part) override;

private:
    pipeline::Exchange& exchange_;
    contract::ItemValidator items_;
    BodyBuffer buffer_;
    std::size_t passed_ = 0; // bytes at the beginning of the buffer
};

} // namespace sallyport::serve
