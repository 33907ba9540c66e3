// Observes a response while it is relayed: for the log, and for checks against the contract.
#pragma once

#include "gateway/lifecycle/snapshot.h"
#include "gateway/pipeline/exchange.h"
#include "gateway/serve/contract_check.h"
#include "gateway/serve/response_copy.h"
#include "gateway/upstream/forward.h"

#include <string_view>

namespace sallyport::serve {

/// Which uses there are for the response of an exchange.
struct Interest {
    bool is_logged = false;
    bool is_checked = false;

    [[nodiscard]] bool is_any() const { return is_logged || is_checked; }
};

/// For most exchanges none.
[[nodiscard]] Interest interest_in_response(pipeline::Exchange const& exchange,
                                            lifecycle::Snapshot const& snapshot);

/// Never delays or changes the response to the client.
class ResponseWatch final : public upstream::ResponseTap {
public:
    ResponseWatch(pipeline::Exchange& exchange, lifecycle::Snapshot const& snapshot,
                  Interest interest);

    void see(std::string_view bytes) override;

    /// Call it after the response: stores the loggable parts in the exchange.
    void finish();

private:
    void begin();
    [[nodiscard]] bool may_log() const;
    void log(bool is_whole) const;

    pipeline::Exchange& exchange_;
    lifecycle::Snapshot const& snapshot_;
    Interest interest_;
    bool has_begun_ = false;
    ContractCheck check_;
    ResponseCopy copy_;
};

} // namespace sallyport::serve
