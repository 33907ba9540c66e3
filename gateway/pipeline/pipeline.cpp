// The checks that a request must pass, in order, for one API, and the permit at their
// end.
#include "gateway/pipeline/pipeline.h"

#include "config/authenticator.h"
#include "gateway/pipeline/all_of.h"
#include "gateway/pipeline/client_certificate.h"
#include "gateway/pipeline/open_websocket.h"
#include "gateway/pipeline/steps.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace sallyport::pipeline {

namespace {

using WallClock = std::chrono::system_clock;

// Of an open WebSocket that cannot be judged: until it is tried once more.
constexpr std::chrono::seconds time_of_doubt{5};

bool contains(config::AuthenticatorSets const& sets, config::AuthenticatorSet const& set) {
    return std::find(sets.begin(), sets.end(), set) != sets.end();
}

std::string_view scheme_of(PluginRow const& row) {
    return row.settings == nullptr ? row.name : row.settings().scheme_name();
}

// Of the authenticator with this name.
std::string_view scheme_of(std::span<PluginRow const> rows, std::string_view name) {
    auto const found = std::find_if(rows.begin(), rows.end(),
                                    [name](PluginRow const& row) { return row.name == name; });
    return found == rows.end() ? name : scheme_of(*found);
}

// Where it looks for a secret; empty: in the Authorization field, or nowhere.
config::SecretPlace secret_place_of(PluginRow const& row, Api const& api) {
    bool const has_place = row.settings != nullptr && row.settings().api
                           && row.settings().api->secret_place != nullptr;
    if (!has_place) return {};
    auto const own = std::find_if(api.settings.begin(), api.settings.end(),
                                  [&row](auto const& of) { return of.first == row.name; });
    return row.settings().api->secret_place(own == api.settings.end() ? nullptr : &own->second);
}

// RFC 9110, 11.2; the names as OpenAPI 3.1, 4.8.27 has them. Neither has a quote in it.
std::string parameters_of(config::SecretPlace const& place) {
    if (!place.field.empty()) return ", in=\"header\", name=\"" + place.field + '"';
    if (!place.parameter.empty()) return ", in=\"query\", name=\"" + place.parameter + '"';
    return {};
}

// One for all APIs that lie beside each other, so that it does not tell which of them has a path:
// the name of the first of them.
std::string const& realm_of(Api const& api) {
    std::vector<Api const*> all{&api};
    for (std::size_t i = 0; i < all.size(); ++i)
        for (auto const* const other : all[i]->beside)
            if (std::find(all.begin(), all.end(), other) == all.end()) all.push_back(other);
    auto const first = std::min_element(
        all.begin(), all.end(), [](auto one, auto other) { return one->index < other->index; });
    return (*first)->name;
}

// Where the credential of a challenge belongs, in words.
std::string place_of(std::string_view challenge) {
    constexpr std::string_view in_head = ", in=\"header\", name=\"";
    constexpr std::string_view in_query = ", in=\"query\", name=\"";
    using Marked = std::pair<std::string_view, std::string_view>;
    for (auto const& [mark, words] : {Marked{in_head, "in the field "},
                                      Marked{in_query, "in the query parameter "}}) {
        auto const at = challenge.find(mark);
        if (at == std::string_view::npos) continue;
        auto const name = challenge.substr(at + mark.size());
        return std::string{words}.append(name.substr(0, name.find('"')));
    }
    auto const scheme = challenge.substr(0, challenge.find(' '));
    if (scheme == "ClientCertificate") return "by a client certificate";
    return "in Authorization (" + std::string{scheme} + ')';
}

using Challenges = std::vector<std::pair<std::string_view, ResponseField>>;

// With the challenges of the authenticators of a request, and where what they ask for belongs.
void challenge(config::AuthenticatorSets const& sets, Challenges const& challenges,
               Decision const& decision, Denial& denial) {
    denial.fields.clear();
    std::string places;
    for (auto const& set : sets) {
        std::string of_set;
        for (auto const& [authenticator, field] : challenges) {
            if (!set.has(authenticator)) continue;
            of_set += (of_set.empty() ? "" : " and ") + place_of(field.value);
            // Two authenticators of one scheme have the same challenge.
            auto const is_it = [&own = field](auto const& one) { return one.value == own.value; };
            if (std::none_of(denial.fields.begin(), denial.fields.end(), is_it))
                denial.fields.push_back(field);
        }
        if (!of_set.empty() && places.find(of_set) == std::string::npos)
            places += (places.empty() ? ": " : ", or ") + of_set;
    }
    denial.public_detail += places;
    // RFC 6750, 3.1: of a token that is its issuer's, so that its client asks for another one.
    if (decision.auth_failure != AuthFailure::expired || decision.meant != nullptr) return;
    for (auto& field : denial.fields)
        if (field.value.starts_with("Bearer "))
            field.value += R"(, error="invalid_token", error_description="The token has expired")";
}

// Whether an entry of the file of credentials has this name, and is valid now.
bool has_valid(CredentialTable const& credentials, std::string_view name) {
    auto const now = WallClock::now();
    auto const& all = credentials.all();
    return std::any_of(all.begin(), all.end(), [&](auto const& one) {
        return one->identity.name == name && one->failure_at(now) == AuthFailure::none;
    });
}

bool has_upgrade(Exchange const& exchange) noexcept {
    return exchange.request.head.fields.has(http::FieldId::upgrade);
}

} // namespace

// For plugins that never return `missing`; one that returns it without overriding this has a
// bug.
net::Task<Verdict> Plugin::learn(Request const&, Decision&, Services&) {
    throw std::logic_error{"a plugin that misses something must know how to learn it"};
}

Pipeline::Pipeline(Api const& api, Rows rows) : api_{api} {
    make_authenticators(rows);
    for (PluginRow const& row : rows) {
        if (row.phase == Phase::authenticate) continue;
        if (auto plugin = row.make(api)) plugins_of(row.phase).push_back(std::move(plugin));
    }
    make_challenges(rows);
    auto next = Step::permit;
    for (auto step = after_.size(); step-- > 0;) {
        after_[step] = next;
        if (has_checks(static_cast<Step>(step))) next = static_cast<Step>(step);
    }
}

// Each once, whichever operations take it.
void Pipeline::make_authenticators(Rows rows) {
    for (auto const& set : api_.authenticator_sets()) {
        auto const row = std::find_if(rows.begin(), rows.end(), [&set](PluginRow const& one) {
            return one.phase == Phase::authenticate && one.name == set.names().front();
        });
        if (set.is_one() && row == rows.end()) continue;
        auto plugin = set.is_one() ? row->make(api_) : make_all_of(set, api_, rows);
        if (!plugin) continue;
        authenticators_.push_back(std::move(plugin));
        authenticator_sets_.push_back(set);
    }
    order_ = order_of(api_.authenticate, rows);
    for (auto const& operation : api_.operations)
        if (!operation.authenticate.empty())
            own_orders_.emplace(&operation.authenticate, order_of(operation.authenticate, rows));
}

// In the order of the list. Those of one scheme stay together, at the place of the first of them
// and in the order of their rows: what one of them does not know it leaves to the next.
Pipeline::Order Pipeline::order_of(config::AuthenticatorSets const& sets, Rows rows) const {
    Order order;
    auto const add = [&](config::AuthenticatorSet const& set) {
        auto const at = std::find(authenticator_sets_.begin(), authenticator_sets_.end(), set);
        if (at == authenticator_sets_.end()) return;
        auto* const plugin = authenticators_[std::size_t(at - authenticator_sets_.begin())].get();
        if (std::find(order.begin(), order.end(), plugin) == order.end()) order.push_back(plugin);
    };
    for (auto const& set : sets) {
        if (!set.is_one()) {
            add(set);
            continue;
        }
        auto const scheme = scheme_of(rows, set.names().front());
        for (PluginRow const& row : rows) {
            if (scheme_of(row) != scheme) continue;
            config::AuthenticatorSet const alone{std::string{row.name}};
            if (contains(sets, alone)) add(alone);
        }
    }
    return order;
}

Pipeline::Order const& Pipeline::order_for(Request const& request) const {
    if (!api_.authenticates_by_operation) return order_;
    auto const found = own_orders_.find(&authenticators_for(api_, request));
    return found == own_orders_.end() ? order_ : found->second;
}

// In the order in which the API names its authenticators.
void Pipeline::make_challenges(Rows rows) {
    for (auto const& set : api_.authenticator_sets()) {
        for (std::string const& name : set.names()) {
            for (PluginRow const& row : rows) {
                if (row.name != name || row.challenge == nullptr) continue;
                auto value = row.challenge(realm_of(api_));
                value += parameters_of(secret_place_of(row, api_));
                challenges_.push_back({row.name, {"WWW-Authenticate", std::move(value)}});
            }
        }
    }
}

Pipeline::Plugins& Pipeline::plugins_of(Phase phase) {
    switch (phase) {
    case Phase::authenticate: return authenticators_;
    case Phase::authorize: return authorizers_;
    case Phase::limit: return limiters_;
    case Phase::validate: return validators_;
    case Phase::transform: break;
    }
    return transformers_;
}

bool Pipeline::has_checks(Step step) const {
    switch (step) {
    case Step::authorize: return !authorizers_.empty();
    case Step::check_parameters: return api_.contract != nullptr;
    case Step::limit: return !limiters_.empty();
    case Step::transform: return !transformers_.empty();
    default: return true;
    }
}

void Pipeline::advance(Exchange& exchange) const {
    auto& progress = exchange.progress;
    progress = {after_[static_cast<std::size_t>(progress.step)], 0};
}

Pipeline::Stop Pipeline::stop(Admission::Kind kind) {
    return Stop{new Admission{kind}};
}

Pipeline::Stop Pipeline::deny(Exchange const& exchange, std::unique_ptr<Denial> denial) const {
    auto* const failed = exchange.services.failed_authentication;
    if (denial->reason == Reason::unauthenticated && failed != nullptr) {
        if (auto refused = failed->count(exchange.request, exchange.decision))
            denial = std::move(refused);
    }
    if (denial->reason == Reason::unauthenticated)
        challenge(authenticators_for(api_, exchange.request), challenges_, exchange.decision,
                  *denial);
    auto admission = stop(Admission::Kind::denied);
    admission->denial_ = std::move(denial);
    return admission;
}

Pipeline::Stop Pipeline::apply(Exchange& exchange, Verdict verdict, Plugin& plugin) {
    switch (verdict.kind()) {
    case Verdict::Kind::pass: return nullptr;
    case Verdict::Kind::deny: return deny(exchange, std::move(verdict).take_denial());
    case Verdict::Kind::missing: {
        auto admission = stop(Admission::Kind::missing);
        admission->plugin_ = &plugin;
        return admission;
    }
    case Verdict::Kind::abstain: break;
    }
    // Only authenticators may abstain, and authenticate() handles that itself.
    return deny(exchange,
                std::make_unique<Denial>(Denial{Reason::internal_error,
                                                "The gateway could not decide about this request",
                                                {},
                                                {},
                                                "a plugin abstained that may not"}));
}

Pipeline::Stop Pipeline::authenticate(Exchange& exchange) {
    auto const& order = order_for(exchange.request);
    // The member of several for which there were no credentials.
    std::string_view missing_member;
    for (; exchange.progress.plugin < order.size(); ++exchange.progress.plugin) {
        Plugin& plugin = *order[exchange.progress.plugin];
        auto verdict = plugin.check(exchange.request, exchange.decision, exchange.services);
        if (verdict.kind() == Verdict::Kind::pass) return nullptr;
        if (verdict.kind() != Verdict::Kind::abstain)
            return apply(exchange, std::move(verdict), plugin);
        if (auto const member = std::exchange(exchange.decision.failed_member, {}); !member.empty())
            missing_member = member;
    }
    // No authenticator was responsible: no credentials, or of a scheme that this API does not
    // accept.
    exchange.decision.failed_member = missing_member;
    if (exchange.decision.auth_failure == AuthFailure::none)
        exchange.decision.auth_failure = AuthFailure::no_credentials;
    return deny(exchange, std::make_unique<Denial>(unauthenticated()));
}

Pipeline::Stop Pipeline::check_with(Exchange& exchange, Plugins const& plugins) {
    for (; exchange.progress.plugin < plugins.size(); ++exchange.progress.plugin) {
        Plugin& plugin = *plugins[exchange.progress.plugin];
        auto verdict = plugin.check(exchange.request, exchange.decision, exchange.services);
        if (verdict.kind() == Verdict::Kind::pass) continue;
        if (auto admission = apply(exchange, std::move(verdict), plugin)) return admission;
    }
    return nullptr;
}

// Seven times for each request: a call of it would save and restore more than most steps do.
[[gnu::always_inline]] inline Pipeline::Stop Pipeline::take_step(Exchange& exchange) {
    switch (exchange.progress.step) {
    // Before everything else, so that unauthenticated clients learn nothing about the API.
    case Step::authenticate: {
        auto const started = Clock::now();
        if (api_.websocket != nullptr && has_upgrade(exchange)) [[unlikely]]
            if (auto stopped =
                    refuse_unless(exchange, take_subprotocol_token(api_, exchange.request)))
                return stopped;
        auto admission = authenticate(exchange);
        exchange.outcome.timings.add_authentication(microseconds_since(started));
        return admission;
    }
    case Step::find_operation:
        return refuse_unless(exchange, find_operation(exchange.request, exchange.decision));
    case Step::authorize: return check_with(exchange, authorizers_);
    // Only callers with permission learn the rules of a parameter.
    case Step::check_parameters:
        return refuse_unless(
            exchange, judge_parameters(exchange.request, exchange.decision, exchange.services));
    case Step::limit: return check_with(exchange, limiters_);
    // What the head declares about the body is checked before the client is told to send it.
    case Step::declare_body:
        if (has_upgrade(exchange)) [[unlikely]]
            if (auto stopped =
                    refuse_unless(exchange, judge_websocket(exchange.request, exchange.decision)))
                return stopped;
        return refuse_unless(exchange, plan_body(exchange.request, exchange.decision));
    case Step::read_body: return nullptr;
    case Step::validate: {
        if (exchange.decision.body.handling != BodyHandling::buffered) return nullptr;
        auto const started = Clock::now();
        auto admission = check_with(exchange, validators_);
        exchange.outcome.timings.validate = microseconds_since(started);
        return admission;
    }
    case Step::transform: return check_with(exchange, transformers_);
    case Step::permit: break;
    }
    return nullptr;
}

Admission Pipeline::admit(Exchange& exchange, Until until) {
    while (exchange.progress.step != Step::permit) {
        bool const reads_body = exchange.decision.body.handling != BodyHandling::none;
        if (exchange.progress.step == Step::read_body && until == Until::body && reads_body) {
            return Admission{Admission::Kind::needs_body};
        }
        if (auto admission = take_step(exchange)) return std::move(*admission);
        advance(exchange);
    }
    Admission admission{Admission::Kind::permitted};
    admission.permit_.emplace(Permit{exchange, exchange.request.body});
    return admission;
}

// `none`: its caller is known.
net::Task<Reason> Pipeline::authenticate_again(Request const& request, Decision& decision,
                                               Services& services) const {
    for (auto* const plugin : order_for(request)) {
        auto verdict = plugin->check(request, decision, services);
        if (verdict.kind() == Verdict::Kind::missing) {
            auto learning = plugin->learn(request, decision, services);
            verdict = co_await std::move(learning);
        }
        if (verdict.kind() == Verdict::Kind::abstain) continue;
        if (verdict.kind() == Verdict::Kind::pass) co_return Reason::none;
        auto const denial = std::move(verdict).take_denial();
        co_return denial->reason;
    }
    co_return Reason::unauthenticated;
}

// By what its caller may do, and what may open a WebSocket.
Reason Pipeline::authorize_again(Request const& request, Decision& decision,
                                 Services& services) const {
    if (auto const denial = find_operation(request, decision)) return denial->reason;
    for (auto const& plugin : authorizers_) {
        auto verdict = plugin->check(request, decision, services);
        if (verdict.kind() == Verdict::Kind::deny) return std::move(verdict).take_denial()->reason;
    }
    if (!opens_websockets(decision)) return Reason::unknown_operation;
    if (auto const denial = judge_parameters(request, decision, services)) return denial->reason;
    if (auto const denial = judge_websocket(request, decision)) return denial->reason;
    return Reason::none;
}

net::Task<JudgedAgain> Pipeline::judge_again(Request const& request, Identity const* entry,
                                             Services& services) const {
    Decision decision;
    decision.api = &api_;
    decision.is_judged_again = true;
    auto authenticating = authenticate_again(request, decision, services);
    auto refused = co_await std::move(authenticating);
    // Others say that it cannot be judged for now.
    if (refused != Reason::none && refused != Reason::unauthenticated) {
        if (entry == nullptr || has_valid(*api_.credentials, entry->name))
            co_return JudgedAgain{Reason::none, {}, WallClock::now() + time_of_doubt};
        refused = Reason::unauthenticated;
    }
    if (refused == Reason::none) refused = authorize_again(request, decision, services);
    if (refused != Reason::none) co_return JudgedAgain{refused};
    auto const expires =
        decision.caller == nullptr ? WallClock::time_point::max() : decision.caller->expires;
    co_return JudgedAgain{Reason::none, expires, known_until(request, decision)};
}

std::chrono::system_clock::time_point known_until(Request const& request,
                                                  Decision const& decision) noexcept {
    auto until = WallClock::time_point::max();
    if (decision.caller != nullptr) until = decision.caller->known_until;
    auto const* const certificate = request.client.certificate.get();
    if (certificate != nullptr && certificate->facts != nullptr)
        until = std::min(until, certificate->valid_until);
    return until;
}

net::Task<Admission> Pipeline::learn(Exchange& exchange, Admission missing, Until until) {
    Plugin& plugin = *missing.plugin_;
    bool const authenticates = exchange.progress.step == Step::authenticate;
    auto const started = Clock::now();
    auto verdict = co_await plugin.learn(exchange.request, exchange.decision, exchange.services);
    if (authenticates) exchange.outcome.timings.add_authentication(microseconds_since(started));
    if (verdict.kind() == Verdict::Kind::missing) {
        throw std::logic_error{"what a plugin learned must decide"};
    }
    if (authenticates && verdict.kind() == Verdict::Kind::abstain) {
        ++exchange.progress.plugin; // the next authenticator
        co_return admit(exchange, until);
    }
    if (auto admission = apply(exchange, std::move(verdict), plugin))
        co_return std::move(*admission);
    // One authenticator is enough; of the other plugins all must pass.
    if (authenticates) {
        advance(exchange);
    } else {
        ++exchange.progress.plugin;
    }
    co_return admit(exchange, until);
}

} // namespace sallyport::pipeline
