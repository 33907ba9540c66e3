// The head that an upstream receives: built from parsed parts, with one framing of ours.
#pragma once

#include "gateway/net/buffers.h"
#include "gateway/pipeline/exchange.h"
#include "gateway/upstream/settings.h"

#include <cstddef>
#include <string_view>

namespace sallyport::upstream {

struct WrittenHead {
    net::Buffer buffer;
    std::size_t size = 0;

    std::string_view view() const { return buffer.view(size); }
};

/// `host`: what the Host field says. Wiped with OPENSSL_cleanse by whoever is done with it: it may
/// hold the upstream's own credential.
WrittenHead write_request_head(pipeline::Exchange& exchange, Settings const& settings,
                               std::string_view host);

} // namespace sallyport::upstream
