// One request and its response, from the first byte to the log line: the request, the decision, and
// the outcome.
#pragma once

#include "gateway/http/transport.h"
#include "gateway/net/budget.h"
#include "gateway/net/buffers.h"
#include "gateway/pipeline/body_filter.h"
#include "gateway/pipeline/decision.h"
#include "gateway/pipeline/outcome.h"
#include "gateway/pipeline/request.h"
#include "gateway/pipeline/services.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace sallyport::pipeline {

/// The steps between the head and the permit, in order. The order matters for security.
enum class Step : std::uint8_t {
    authenticate,
    find_operation,
    authorize,
    check_parameters,
    limit,
    declare_body,
    read_body,
    validate,
    transform,
    permit,
};

/// The position of an exchange in its API's pipeline.
struct Progress {
    Step step = Step::authenticate;
    std::size_t plugin = 0; // within the step
};

/// The request's body as far as it was read, with its memory.
struct ReceivedBody {
    /// The first part of a streamed body, if the plan requires it; what the filter passed of it.
    std::optional<http::BodyPart> beginning;
    std::unique_ptr<BodyFilter> filter; // of a streamed body; null: it passes unchecked
    bool coding_removed = false;
    net::Buffer storage;
    net::Reservation reservation;
};

/// Owned by the coroutine that serves it.
struct Exchange {
    http::Transport& transport;
    Services& services;

    Request request;
    Decision decision;
    Progress progress;
    ReceivedBody received;
    http::ResponseHead const* response = nullptr; // the upstream's, while it is relayed
    Outcome outcome;

    Exchange(ClientConnection const& client, http::Transport& its_transport, Services& its_services)
        : transport{its_transport}, services{its_services}, request{client} {}

    /// The caller whose share of connections and memory it uses.
    [[nodiscard]] CallerKey caller() const {
        return decision.caller == nullptr ? request.caller() : decision.caller->key;
    }
};

/// A connection may have a hundred of them.
static_assert(sizeof(Exchange) <= std::size_t{6} * 1024);

} // namespace sallyport::pipeline
