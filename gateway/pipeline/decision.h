// The decisions about a request, and what was found on the way.
#pragma once

#include "gateway/contract/contract.h"
#include "gateway/contract/report.h"
#include "gateway/pipeline/api.h"
#include "gateway/pipeline/auth_failure.h"
#include "gateway/pipeline/body_plan.h"
#include "gateway/pipeline/identity.h"
#include "gateway/websocket/handshake.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace sallyport::pipeline {

/// Who gave a caller its credential.
enum class Issuer : std::uint8_t {
    gateway, // it is of the file of credentials
    other,   // another party, which the upstream may know too
};

/// The caller's credentials as they were checked; forwarded in canonical form if the upstream's
/// settings say so (upstream/request_head.cpp).
struct Authorization {
    std::string_view scheme; // "Basic" or "Bearer", a literal
    std::string_view proof;  // what follows the scheme: a view into the head
    Issuer issuer = Issuer::gateway;
    /// Where it was instead of the Authorization field: a field or a pair of the query by this
    /// name; empty: nowhere. They are names of the configuration.
    std::string_view field = {};
    std::string_view parameter = {};
};

/// Violations of the contract and other findings, for the log and the metrics.
struct Findings {
    std::vector<contract::Violation> violations; // enforced and reported ones, of the response too
    std::vector<contract::NotKept> not_kept;     // how many more were found
    bool body_validated = false;                 // the following members were set
    std::size_t unknown_members = 0;
    std::vector<std::string_view> deprecated_members; // names of the contract
};

/// Filled in the order of the steps; a plugin reads the results of the steps before it, and writes
/// its own.
struct Decision {
    Api const* api = nullptr;
    Identity const* caller = nullptr; // null if no authenticator ran
    /// Keeps a caller that is no entry of the snapshot: that of a token. Null: it is one.
    std::shared_ptr<Identity const> own_caller;
    /// Why there is no caller, and the credential that was meant, if it is known: for the
    /// operator's log. It grants nothing.
    AuthFailure auth_failure = AuthFailure::none;
    Credential const* meant = nullptr;
    /// Where what refuses the caller stands in its file: a rule, or a key of its API's settings, or
    /// of the contract. Line 0: it is the entry of the credential that was meant, or nothing.
    config::yaml::Mark refused_by;
    /// Of several that must all prove the caller, the authenticator that has not. Empty: there are
    /// not several.
    std::string_view failed_member;
    /// Of the password that was tried, whether or not there is such a key id; 0: none was.
    CallerKey tried_id = 0;
    /// Its key id is blocked, and it is verified all the same: FailedAuthentication.
    bool has_own_attempt = false;
    /// Of the secret of its credential; null: there was none.
    LastUse* last_use = nullptr;
    /// What it presents was right before: it is no guess, and no keys are fetched for it before
    /// their time, since it is judged by those that an issuer has now.
    bool is_judged_again = false;
    Authorization authorization;
    contract::RouteMatch route;
    /// Null if the API has no contract, or the contract has no such operation.
    contract::Operation const* operation = nullptr;
    BodyPlan body;
    /// What the handshake of a WebSocket offers; null: the request opens none.
    std::unique_ptr<websocket::Offer const> websocket;
    Findings findings;

    Decision() = default;
    Decision(Decision const&) = delete;
    Decision& operator=(Decision const&) = delete;

    /// Whether fields behind the bodies of requests and responses are passed on (x-trailers).
    [[nodiscard]] bool forwards_trailers() const noexcept {
        return operation != nullptr && operation->forwards_trailers;
    }
    /// What the configuration says of the operation; null: nothing.
    [[nodiscard]] OperationSettings const* settings() const { return api->settings_of(operation); }
    /// The index of its upstream in the snapshot.
    [[nodiscard]] std::size_t upstream() const {
        auto const* const own = settings();
        return own == nullptr ? api->upstream : own->upstream.value_or(api->upstream);
    }
    /// The operation's own time, by the configuration or else by its contract; none: that of its
    /// upstream applies.
    [[nodiscard]] std::optional<std::chrono::milliseconds>
    time_of(std::optional<std::chrono::milliseconds> contract::Timeouts::*which) const {
        if (operation == nullptr) return std::nullopt;
        auto const* const own = settings();
        return own != nullptr && own->timeouts.*which ? own->timeouts.*which
                                                      : operation->timeouts.*which;
    }
    /// Whether its requests may be sent twice, by the configuration or else by its contract; none:
    /// their method decides.
    [[nodiscard]] std::optional<config::Retry> retry() const {
        if (operation == nullptr) return std::nullopt;
        auto const* const own = settings();
        if (own != nullptr && own->retry) return own->retry;
        return operation->retry_safe ? std::optional{config::Retry::safe} : std::nullopt;
    }
    /// How its upstream reads lists, by the configuration of the operation, else by its contract,
    /// else by that of the API.
    [[nodiscard]] contract::Lists lists() const {
        auto const* const own = settings();
        if (own != nullptr && own->lists) return *own->lists;
        return operation->lists.value_or(api->lists);
    }
    /// The rules of the API's contract that apply to this caller.
    [[nodiscard]] contract::Conditions const& conditions() const;
    /// The level for checks of this operation that are not rules of a schema.
    [[nodiscard]] contract::Level level() const {
        return api->levels.of_requests(operation->index);
    }
};

} // namespace sallyport::pipeline
