// One request and its answer, from the first byte read to the log line: what every step looks at.
#pragma once

#include "gateway/contract/contract.h"
#include "gateway/contract/validator.h"
#include "gateway/http/head.h"
#include "gateway/http/transport.h"
#include "gateway/net/budget.h"
#include "gateway/net/buffers.h"
#include "gateway/pipeline/api.h"
#include "gateway/pipeline/body_plan.h"
#include "gateway/pipeline/client.h"
#include "gateway/pipeline/reason.h"
#include "gateway/pipeline/request_id.h"
#include "gateway/pipeline/response_check.h"
#include "gateway/pipeline/services.h"

#include <boost/system/error_code.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::pipeline {

using Clock = std::chrono::steady_clock;

/// The steps between the head and the permit, in their order. Order is security.
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

/// Where an exchange stands in its API's pipeline.
struct Progress {
    Step step = Step::authenticate;
    std::size_t plugin = 0; // of the step
};

/// The caller's proof, as it was checked; forwarded in canonical spelling unless the upstream has
/// its own.
struct Authorization {
    std::string_view scheme; // "Basic" or "Bearer", a literal
    std::string_view proof;  // what follows the scheme: a view into the head
};

/// Microseconds are measured where a step begins and ends; a step that did not run stays unset.
struct Timings {
    static constexpr std::int64_t unset = -1;

    Clock::time_point started;
    std::int64_t authenticate = unset;
    std::int64_t validate = unset;
    std::int64_t upstream_connect = unset;
    std::int64_t upstream_first_byte = unset;
    std::int64_t upstream_total = unset;
};

/// What the upstream did, for the log.
struct UpstreamFacts {
    std::string_view endpoint; // as configured; empty: none was asked
    unsigned status = 0;       // 0: no answer
    std::string request_id;    // the upstream's own
    unsigned retries = 0;
};

/// What became of the exchange, for the log: `status` is what was sent, 0 where nothing was.
struct Outcome {
    bool is_silent = false; // nothing was asked: no line
    unsigned status = 0;
    Reason reason = Reason::none;
    std::string_view note; // a literal: what exactly went wrong, for the control-plane log
    boost::system::error_code error;             // of the system or of TLS, where that says more
    Credential const* expired = nullptr;         // whose secret was right; it lets nobody in
    std::vector<contract::Violation> violations; // enforced and reported ones
    std::size_t response_violations = 0;         // of them, the last ones: of the answer
    std::vector<contract::NotKept> not_kept;     // how many more there were
    std::size_t response_not_kept = 0;           // of those entries, the last ones: of the answer
    ResponseCheck response_check = ResponseCheck::none;
    bool body_validated = false; // what follows was counted
    std::size_t unknown_members = 0;
    std::vector<std::string_view> deprecated_members; // names of the contract
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
};

/// Owned by the coroutine that serves it. Members are filled in the order of the steps.
struct Exchange {
    ClientConnection const& client;
    http::Transport& transport;
    Services& services;

    RequestId request_id;
    http::RequestHead
        head; // views into the transport's buffer, which stays until the exchange ends
    std::array<char, http::max_host_size> host_storage;
    std::string_view host; // lower case, without port

    Api const* api = nullptr;
    Credential const* credential = nullptr; // null where nobody was asked
    Authorization authorization;
    contract::RouteMatch route;
    // Null where the API has no contract, and of what the contract does not have.
    contract::Operation const* operation = nullptr;

    Progress progress;
    BodyPlan plan;
    // Of a streamed body, where the plan needs it.
    std::optional<http::BodyPart> body_beginning;
    std::string_view body; // the validated bytes, for a buffered one; they are what is forwarded
    bool coding_removed = false;
    net::Buffer body_storage;
    net::Reservation body_reservation;

    http::ResponseHead const* response = nullptr; // the upstream's, while it is relayed

    Timings timings;
    UpstreamFacts upstream;
    Outcome outcome;
    std::uint64_t generation = 0;
    std::string response_body_log; // redacted already

    Exchange(ClientConnection const& its_client, http::Transport& its_transport,
             Services& its_services)
        : client{its_client}, transport{its_transport}, services{its_services} {}

    /// Whose share of connections and memory it uses.
    CallerKey caller() const;

    /// Which rules of the API's contract bind this caller.
    contract::Conditions const& conditions() const;
    /// How strictly what is no rule of a schema is taken of this operation.
    contract::Level level() const { return api->levels.of_requests(operation->index); }
};

// A hundred of them may stand on one connection.
static_assert(sizeof(Exchange) <= std::size_t{6} * 1024);

inline std::int64_t microseconds_between(Clock::time_point started, Clock::time_point ended) {
    return std::chrono::duration_cast<std::chrono::microseconds>(ended - started).count();
}

inline std::int64_t microseconds_since(Clock::time_point started) {
    return microseconds_between(started, Clock::now());
}

} // namespace sallyport::pipeline
