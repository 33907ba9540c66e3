// Sends an admitted request to its upstream and its answer back to the client.
#pragma once

#include "gateway/net/executor.h"
#include "gateway/pipeline/permit.h"
#include "gateway/pipeline/pipeline.h"
#include "gateway/upstream/pool.h"
#include "gateway/upstream/settings.h"

#include <memory>
#include <string_view>

namespace sallyport::upstream {

/// Sees the body of an answer while it passes, to log or to check a bounded copy. Owned by the
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
    pipeline::Pipeline& pipeline; // whose plugins look at the answer
    ResponseTap* tap = nullptr;
};

/// Forwards what the permit holds, and nothing else. Null: an answer was sent, or the connection
/// was ended because its client is gone or the answer could not be completed; exchange.outcome says
/// which. A denial: nothing was sent to the client yet, so that it can be told.
///
/// Retries as RFC 9110, 9.2.2 allows and no further: once, on a new connection, only what is safe
/// to repeat, and only where a kept connection ended before a byte of an answer.
net::Task<std::unique_ptr<pipeline::Denial>> forward(pipeline::Permit permit, Route route);

} // namespace sallyport::upstream
