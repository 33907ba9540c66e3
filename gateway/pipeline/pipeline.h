// The checks that a request must pass, in order, for one API, and the permit at their
// end.
#pragma once

#include "config/authenticator_set.h"
#include "gateway/pipeline/exchange.h"
#include "gateway/pipeline/permit.h"
#include "gateway/pipeline/plugin.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sallyport::pipeline {

/// How far admit() goes: until the body is needed, or to the permit.
enum class Until : std::uint8_t { body, end };

/// The result of a part of the checks.
class [[nodiscard]] Admission {
public:
    enum class Kind : std::uint8_t { needs_body, permitted, denied, missing };

    [[nodiscard]] Kind kind() const { return kind_; }
    [[nodiscard]] bool needs_body() const { return kind_ == Kind::needs_body; }
    [[nodiscard]] bool is_missing() const { return kind_ == Kind::missing; }
    std::optional<Permit>& permit() { return permit_; }
    std::unique_ptr<Denial> take_denial() && { return std::move(denial_); }

private:
    friend class Pipeline;
    explicit Admission(Kind kind) : kind_{kind} {}

    Kind kind_;
    std::optional<Permit> permit_;
    std::unique_ptr<Denial> denial_;
    Plugin* plugin_ = nullptr; // that must fetch a fact first
};

/// What a request that was permitted would come to now.
struct JudgedAgain {
    Reason reason = Reason::none; // why it would be refused
    /// When its caller's credential ends; none: that is as before.
    std::optional<std::chrono::system_clock::time_point> expires = {};
    /// When it has to be judged once more: something ends then on which the result rests.
    std::chrono::system_clock::time_point until = std::chrono::system_clock::time_point::max();
};

/// When what a caller was let in with has to be looked at once more, besides the end of its
/// credential: its certificate, and what the issuer has said of its token.
[[nodiscard]] std::chrono::system_clock::time_point known_until(Request const& request,
                                                                Decision const& decision) noexcept;

/// One per API, worker and snapshot: holds the instances of the API's plugins.
class Pipeline {
public:
    /// `rows`: the registry, in order.
    Pipeline(Api const& api, std::span<PluginRow const> rows);

    /// Continues the checks where the last call for this exchange stopped. Never suspends.
    Admission admit(Exchange& exchange, Until until);

    /// Awaits the plugin whose fact was missing, then continues.
    net::Task<Admission> learn(Exchange& exchange, Admission missing, Until until);

    /// Judges the handshake of an open WebSocket again, by its credential, its permissions, its
    /// parameters and what may open one. What has to be verified, or its issuer to be asked about,
    /// is awaited; if that cannot be done now, the handshake counts as before for a while, as long
    /// as there is a valid entry with the name of `entry`: its caller so far, if that is one of the
    /// file of credentials, else null. No failure is counted. What is referred to outlives the
    /// task, and so does this.
    [[nodiscard]] net::Task<JudgedAgain> judge_again(Request const& request, Identity const* entry,
                                                     Services& services) const;

    [[nodiscard]] bool has_authenticator() const { return !authenticators_.empty(); }

private:
    using Plugins = std::vector<std::unique_ptr<Plugin>>;
    using Rows = std::span<PluginRow const>;
    using Order = std::vector<Plugin*>; // in which authenticators are asked
    /// Why an exchange does not pass, or not yet. Null: it passes.
    using Stop = std::unique_ptr<Admission>;

    void make_authenticators(Rows rows);
    [[nodiscard]] Order order_of(config::AuthenticatorSets const& sets, Rows rows) const;
    [[nodiscard]] Order const& order_for(Request const& request) const;
    void make_challenges(Rows rows);
    Plugins& plugins_of(Phase phase);
    [[nodiscard]] bool has_checks(Step step) const;
    /// To the next step that has plugins or a check.
    void advance(Exchange& exchange) const;
    Stop authenticate(Exchange& exchange);
    [[nodiscard]] net::Task<Reason> authenticate_again(Request const& request, Decision& decision,
                                                       Services& services) const;
    [[nodiscard]] Reason authorize_again(Request const& request, Decision& decision,
                                         Services& services) const;
    Stop check_with(Exchange& exchange, Plugins const& plugins);
    [[nodiscard]] Stop refuse_unless(Exchange const& exchange,
                                     std::unique_ptr<Denial> denial) const {
        return denial ? deny(exchange, std::move(denial)) : nullptr;
    }
    inline Stop take_step(Exchange& exchange);
    Stop apply(Exchange& exchange, Verdict verdict, Plugin& plugin);
    [[nodiscard]] static Stop stop(Admission::Kind kind);
    /// With the challenges of the request's operation, if it lacks valid credentials; beyond the
    /// budget of its client the request is refused as one too many.
    [[nodiscard]] Stop deny(Exchange const& exchange, std::unique_ptr<Denial> denial) const;

    Api const& api_;
    Plugins authenticators_;
    Order order_; // of those of the API
    /// Of the operations that have their own, by what authenticators_for() gives.
    std::unordered_map<config::AuthenticatorSets const*, Order> own_orders_;
    Plugins authorizers_;
    Plugins limiters_;
    Plugins validators_;
    Plugins transformers_;
    config::AuthenticatorSets authenticator_sets_; // of authenticators_, one by one
    /// WWW-Authenticate of each authenticator that has one (RFC 9110, 11.6.1).
    std::vector<std::pair<std::string_view, ResponseField>> challenges_;
    std::array<Step, static_cast<std::size_t>(Step::permit)> after_{}; // the next step of each step
};

} // namespace sallyport::pipeline
