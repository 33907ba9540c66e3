// Checks a response against the contract of its operation, and records violations.
#pragma once

#include "gateway/contract/contract.h"
#include "gateway/contract/violation.h"
#include "gateway/lifecycle/snapshot.h"
#include "gateway/pipeline/exchange.h"

#include <string_view>

namespace sallyport::serve {

/// Its findings do not change the response to the client: they go to the log and to the metrics.
class ContractCheck {
public:
    ContractCheck(pipeline::Exchange& exchange, lifecycle::Snapshot const& snapshot)
        : exchange_{exchange}, snapshot_{snapshot} {}

    /// Evaluates the head, whose views are valid until the forwarding ends.
    void begin();
    /// Whether the body must be checked.
    [[nodiscard]] bool needs_body() const { return schema_ != nullptr; }

    enum class Passed : bool { nothing, bytes };
    /// `missing`: why there is no complete body; none: there is one.
    void finish(Passed passed, pipeline::ResponseCheck missing, std::string_view body);

private:
    pipeline::ResponseCheck find_schema();
    void check_headers();
    void check_header(contract::ResponseHeader const& header, std::string_view value,
                      bool is_repeated);
    void break_header(contract::ResponseHeader const& header, contract::ResponseRule rule,
                      std::string_view keyword, std::string_view phrase);
    void use(contract::MediaType const& type);
    [[nodiscard]] bool is_checked(contract::BodySchema const& schema) const;
    void check(std::string_view body);
    void find_secrets(contract::UndeclaredSearch& secrets, contract::Violation const& secret);
    [[nodiscard]] std::optional<contract::Violation> broken(contract::ResponseRule rule) const;
    void record(contract::Violation violation);
    void count(contract::NotKept not_kept);

    pipeline::Exchange& exchange_;
    lifecycle::Snapshot const& snapshot_;
    pipeline::ResponseCheck result_ = pipeline::ResponseCheck::none;
    contract::Response const* response_ = nullptr; // declared by the contract
    contract::BodySchema const* schema_ = nullptr; // of the body; null: it is not checked
    contract::MediaType const* type_ = nullptr;    // that it belongs to
    bool has_type_ = false;
};

} // namespace sallyport::serve
