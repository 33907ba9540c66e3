// Counts wrong credentials, and refuses clients that send too many.
#include "gateway/pipeline/failed_authentication.h"

#include "gateway/pipeline/decision.h"
#include "gateway/pipeline/request.h"

#include <utility>

namespace sallyport::pipeline {

namespace {

bool is_guess(AuthFailure failure) {
    return failure == AuthFailure::unknown || failure == AuthFailure::wrong_secret
           || failure == AuthFailure::signature;
}

// RFC 9110, 10.2.3: whole seconds, not less than what is left.
std::string retry_after(std::chrono::milliseconds left) {
    return std::to_string(std::chrono::ceil<std::chrono::seconds>(left).count());
}

} // namespace

void FailedAuthentication::configure(FailureLimits const& by_address,
                                     std::vector<text::Network> except) {
    by_address_.configure(by_address);
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
    auto const counted = by_address_.count(request.caller(), FailureBudget::Clock::now());
    if (counted.begins) on_block_({request.address(), counted.blocked_for, counted.blocks});
    if (counted.blocked_for <= std::chrono::milliseconds{0}) return nullptr;
    return std::make_unique<Denial>(
        Denial{Reason::rate_limited,
               "Too many requests with wrong credentials came from this address",
               {},
               {{"Retry-After", retry_after(counted.blocked_for)}},
               {}});
}

} // namespace sallyport::pipeline
