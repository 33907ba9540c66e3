// Sends an admitted request to its upstream and the response back to the client.
#pragma once

#include "gateway/net/executor.h"
#include "gateway/pipeline/permit.h"
#include "gateway/pipeline/pipeline.h"
#include "gateway/upstream/pool.h"
#include "gateway/upstream/settings.h"
#include "gateway/upstream/tunnels.h"

#include <boost/system/error_code.hpp>

#include <memory>
#include <string_view>

namespace sallyport::upstream {

/// Receives the body of a response while it is relayed, to log or to check a bounded copy. Owned by
/// the exchange.
class ResponseTap {
public:
    virtual ~ResponseTap() = default;
    /// The next relayed bytes of the body, valid during the call.
    virtual void see(std::string_view bytes) = 0;
};

/// The arguments of forwarding besides the permit. All of it outlives the exchange.
struct Route {
    Pool& pool;
    Settings const& settings;
    Tunnels& tunnels;
    ResponseTap* tap = nullptr;
};

/// The result of forwarding.
struct Forwarded {
    /// Set if nothing was sent to the client yet, so that it can get a refusal. Null: a response
    /// was sent, or the connection was closed, because the client disconnected or the response
    /// could not be completed.
    std::unique_ptr<pipeline::Denial> denial;
    unsigned status = 0;                              // of the response that was sent; 0: none was
                                                      // sent
    pipeline::Reason reason = pipeline::Reason::none; // why it is not complete
    std::string_view note;                            // a literal for the control log
    boost::system::error_code error;                  // if it adds information
};

/// Forwards only what the permit holds. Writes the upstream's part of the exchange
/// (`response`, `upstream`, `timings`); the caller writes its outcome. Retries:
/// upstream/retry.h.
[[nodiscard]] net::Task<Forwarded> forward(pipeline::Permit permit, Route route);

} // namespace sallyport::upstream
