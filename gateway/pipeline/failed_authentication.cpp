// Counts wrong credentials, and refuses clients that send too many.
#include "gateway/pipeline/failed_authentication.h"

#include "gateway/pipeline/decision.h"
#include "gateway/pipeline/request.h"

#include <utility>

namespace sallyport::pipeline {

namespace {

bool is_guess(AuthFailure failure) {
    return failure == AuthFailure::unknown || failure == AuthFailure::wrong_secret
           || failure == AuthFailure::signature || failure == AuthFailure::inactive
           // Who has a credential could try the secret of another one otherwise.
           || failure == AuthFailure::other_caller;
}

// The longer of two blocks.
CountedFailure longer(CountedFailure const& one, CountedFailure const& other) {
    return one.blocked_for >= other.blocked_for ? one : other;
}

std::unique_ptr<Denial> refuse(CountedFailure const& counted) {
    if (counted.blocked_for <= std::chrono::milliseconds{0}) return nullptr;
    return std::make_unique<Denial>(rate_limited("Too many wrong credentials; try again later",
                                                 counted.limit, counted.blocked_for));
}

} // namespace

void FailedAuthentication::configure(FailureLimits const& by_address, FailureLimits const& by_id,
                                     std::vector<text::Network> except) {
    by_address_.configure(by_address);
    by_id_.configure(by_id);
    auto list = std::make_shared<std::vector<text::Network> const>(std::move(except));
    std::lock_guard const lock{mutex_};
    except_ = std::move(list);
}

bool FailedAuthentication::is_excepted(std::string const& address) const {
    std::shared_ptr<std::vector<text::Network> const> except;
    {
        std::lock_guard const lock{mutex_};
        except = except_;
    }
    return except != nullptr && text::is_in(*except, address);
}

std::unique_ptr<Denial> FailedAuthentication::count(Request const& request,
                                                    Decision const& decision) {
    if (!is_guess(decision.auth_failure) || is_excepted(request.address())) return nullptr;
    auto const now = FailureBudget::Clock::now();
    auto counted = by_address_.count(request.caller(), now);
    if (counted.begins) on_block_({request.address(), {}, counted.blocked_for, counted.blocks});
    if (decision.tried_id != 0) {
        auto const of_id = by_id_.count(decision.tried_id, now);
        // Of a key id that nobody has no line is written: it may be a password.
        if (of_id.begins && decision.meant != nullptr)
            on_block_({request.address(), decision.meant->identity.name, of_id.blocked_for,
                       of_id.blocks});
        counted = longer(counted, of_id);
    }
    return refuse(counted);
}

std::unique_ptr<Denial> FailedAuthentication::refuse_unverified(Request const& request,
                                                                Decision& decision) {
    if (decision.has_own_attempt || is_excepted(request.address())) return nullptr;
    auto const now = FailureBudget::Clock::now();
    auto const of_address = by_address_.look_at(request.caller(), now);
    auto const of_id = by_id_.look_at(decision.tried_id, now);
    bool const is_of_id_alone = of_id.blocked_for > std::chrono::milliseconds{0}
                                && of_address.blocked_for <= std::chrono::milliseconds{0};
    if (is_of_id_alone && by_address_.count_first(request.caller(), now)) {
        decision.has_own_attempt = true;
        return nullptr;
    }
    return refuse(longer(of_address, of_id));
}

} // namespace sallyport::pipeline
