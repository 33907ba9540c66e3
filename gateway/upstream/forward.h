// Sends an admitted request to its upstream and its response back to the client.
#pragma once

#include "gateway/net/executor.h"
#include "gateway/pipeline/permit.h"
#include "gateway/pipeline/pipeline.h"
#include "gateway/upstream/pool.h"
#include "gateway/upstream/settings.h"

#include <boost/system/error_code.hpp>

#include <memory>
#include <string_view>

namespace sallyport::upstream {

/// Sees the body of a response while it passes, to log or to check a bounded copy. Owned by the
/// exchange.
class ResponseTap {
public:
    virtual ~ResponseTap() = default;
    virtual void see(std::string_view bytes) = 0;
};

/// What forwarding needs besides the permit. All of it outlives the exchange.
struct Route {
    Pool& pool;
    Settings const& settings;
    ResponseTap* tap = nullptr;
};

/// What came of forwarding.
struct Forwarded {
    /// Nothing was sent to the client yet, so that it can be told. Null: a response was sent, or
    /// the connection was ended, because its client is gone or the response could not be completed.
    std::unique_ptr<pipeline::Denial> denial;
    unsigned status = 0;                              // of the response that was sent; 0: none was
    pipeline::Reason reason = pipeline::Reason::none; // why it is not complete
    std::string_view note;                            // a literal for the control-plane log
    boost::system::error_code error;                  // where that says more
};

/// Forwards what the permit holds, and nothing else. Writes of the exchange what the upstream said
/// (`response`, `upstream`, `timings`); what becomes of the exchange is its caller's to write.
/// Retries: upstream/retry.h.
[[nodiscard]] net::Task<Forwarded> forward(pipeline::Permit permit, Route route);

} // namespace sallyport::upstream
