// What follows from wrong credentials: their source is refused for a while beyond its budget.
#pragma once

#include "gateway/pipeline/denial.h"
#include "gateway/pipeline/failure_budget.h"
#include "gateway/text/networks.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace sallyport::pipeline {

struct Decision;
struct Request;

/// A block that has just begun, for the control log.
struct BeganBlock {
    std::string address;    // of the client, without port
    std::string credential; // the one whose passwords are blocked; empty: the address is
    std::chrono::milliseconds length{};
    std::uint32_t blocks = 0; // in a row, this one included
};

/// The budgets of the whole process: they outlive snapshots. Any thread. Nothing is asked of it for
/// a request with credentials that are right.
class FailedAuthentication {
public:
    /// Called on the thread of the request: it must not wait.
    using OnBlock = std::function<void(BeganBlock const&)>;
    explicit FailedAuthentication(OnBlock on_block) : on_block_{std::move(on_block)} {}

    /// `except`: clients at these addresses are never blocked.
    void configure(FailureLimits const& by_address, FailureLimits const& by_id,
                   std::vector<text::Network> except);

    /// For a request that was not authenticated: counts it if its credentials were a guess, that is
    /// an unknown key id or token, one that its issuer calls inactive, or a wrong secret. Not null:
    /// its client, or the key id, is beyond its budget, and it gets this denial. Credentials that
    /// are right never come here: no flood can shut out a caller that shares the address.
    [[nodiscard]] std::unique_ptr<Denial> count(Request const& request, Decision const& decision);

    /// Before a password is verified against a slow hash, a signature of a token is verified, or an
    /// issuer is asked about a token: not null if the client, or the key id (Decision::tried_id),
    /// is beyond its budget, so that this is not done. Credentials that are remembered never come
    /// here. Where the key id is, an address without failures has an attempt of its own in each
    /// window: wrong passwords of others do not keep its owner out.
    [[nodiscard]] std::unique_ptr<Denial> refuse_unverified(Request const& request,
                                                            Decision& decision);

    [[nodiscard]] std::uint64_t blocks_by_address() const noexcept { return by_address_.blocks(); }
    [[nodiscard]] std::uint64_t blocks_by_id() const noexcept { return by_id_.blocks(); }

private:
    [[nodiscard]] bool is_excepted(std::string const& address) const;

    OnBlock on_block_;
    FailureBudget by_address_;
    FailureBudget by_id_;
    mutable std::mutex mutex_; // of the following member
    std::shared_ptr<std::vector<text::Network> const> except_;
};

} // namespace sallyport::pipeline
