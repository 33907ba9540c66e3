// Holds a response against the contract of its operation, and tells what is wrong with it.
#pragma once

#include "gateway/contract/contract.h"
#include "gateway/contract/violation.h"
#include "gateway/lifecycle/snapshot.h"
#include "gateway/pipeline/exchange.h"

#include <string_view>

namespace sallyport::serve {

/// Nothing that it finds changes what the client gets: it goes to the log and to the metrics.
class ContractCheck {
public:
    ContractCheck(pipeline::Exchange& exchange, lifecycle::Snapshot const& snapshot)
        : exchange_{exchange}, snapshot_{snapshot} {}

    /// What the head decides: its views end with the forwarding.
    void begin();
    /// Whether the body has to be asked about.
    [[nodiscard]] bool needs_body() const { return schema_ != nullptr; }

    enum class Passed : bool { nothing, bytes };
    /// `missing`: why there is no whole body; none: there is.
    void finish(Passed passed, pipeline::ResponseCheck missing, std::string_view body);

private:
    pipeline::ResponseCheck find_schema();
    [[nodiscard]] bool is_asked(contract::BodySchema const& schema) const;
    void check(std::string_view body);
    void find_secrets(contract::UndeclaredSearch& secrets, contract::Violation const& secret);
    [[nodiscard]] std::optional<contract::Violation> broken(contract::ResponseRule rule) const;
    void tell(contract::Violation violation);
    void count(contract::NotKept not_kept);

    pipeline::Exchange& exchange_;
    lifecycle::Snapshot const& snapshot_;
    pipeline::ResponseCheck result_ = pipeline::ResponseCheck::none;
    contract::Response const* response_ = nullptr; // that the contract declares
    contract::BodySchema const* schema_ = nullptr; // of the body; null: nothing is asked of it
    bool has_type_ = false;
};

} // namespace sallyport::serve
