// Authenticates callers with Bearer tokens that their issuer is asked about.
#include "plugins/introspection/introspection.h"

#include "gateway/fetch/client.h"
#include "gateway/fetch/fetcher.h"
#include "gateway/http/authorization.h"
#include "gateway/http/characters.h"
#include "gateway/jose/same_token.h"
#include "gateway/net/holders.h"
#include "gateway/pipeline/decision.h"
#include "gateway/pipeline/request.h"
#include "gateway/pipeline/services.h"
#include "gateway/pipeline/single_flight.h"
#include "gateway/pipeline/steps.h"
#include "plugins/authenticators.h"
#include "plugins/introspection/answer.h"
#include "plugins/introspection/known_answers.h"
#include "plugins/introspection/settings.h"
#include "plugins/token_binding.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace sallyport::plugins {

namespace {

using pipeline::AuthFailure;
using pipeline::Decision;
using pipeline::Request;
using pipeline::Services;
using pipeline::Verdict;
using WallClock = std::chrono::system_clock;

constexpr std::string_view scheme = "Bearer";

// What an issuer has sent: all who wait for it get the same.
struct Fetched {
    std::shared_ptr<config::Secret const> text; // null: nothing usable
    fetch::Cause failure = fetch::Cause::none;
};

// Of a worker and an issuer: outlives snapshots, so that a reload asks about no token again.
struct Asked {
    explicit Asked(net::Loop& loop) : flights{loop} {}

    KnownAnswers answers;
    pipeline::SingleFlight<Fetched> flights;
    net::Holders holders{{}}; // of questions to the issuer: the addresses of clients
};

// The right to ask the issuer, as long as it is asked. One of no address is not counted.
class Place {
public:
    Place() = default;
    Place(std::shared_ptr<Asked> asked, net::Holder& holder)
        : asked_{std::move(asked)}, holder_{&holder} {}
    Place(Place&& other) noexcept
        : asked_{std::exchange(other.asked_, nullptr)}, holder_{other.holder_} {}
    Place& operator=(Place&&) = delete;
    ~Place();

private:
    std::shared_ptr<Asked> asked_;
    net::Holder* holder_ = nullptr;
};

// A request whose address has its share of places.
struct WaitsForPlace : net::Queued {
    explicit WaitsForPlace(net::Loop& loop)
        : woken{loop.waiters()}, deadline{net::Deadline::calling<&WaitsForPlace::give_up>(
                                     loop.deadlines(), *this)} {}
    void give_up() { woken.notify(); }

    net::Event woken;
    net::Deadline deadline;
    std::optional<Place> place;
};

Place::~Place() {
    if (asked_ == nullptr) return;
    auto& holders = asked_->holders;
    holders.give_back(*holder_);
    auto* const next = static_cast<WaitsForPlace*>(holders.next());
    if (next == nullptr) return;
    next->place.emplace(asked_, holders.serve(*next));
    next->woken.notify();
}

// Nothing: others wait, or there was none in time. As many wait as may be asked for at once; beyond
// that the address with most of them loses one to an address with fewer.
net::Task<std::optional<Place>> find_place(std::shared_ptr<Asked> asked, net::Loop& loop,
                                           pipeline::CallerKey address, std::size_t most,
                                           net::Clock::time_point until) {
    auto& holders = asked->holders;
    holders.set({most, std::max<std::size_t>(most / 4, 1)});
    auto& holder = holders.of(address);
    if (holders.is_entitled(holder)) {
        holders.take(holder);
        co_return Place{asked, holder};
    }
    if (holders.waiting() >= most) {
        auto* const last = static_cast<WaitsForPlace*>(holders.displaced_by(holder));
        if (last == nullptr) co_return std::nullopt;
        last->leave();
        last->give_up();
    }
    WaitsForPlace waiting{loop};
    waiting.join(holders, holder);
    waiting.deadline.arm_at(until);
    co_await waiting.woken.wait();
    co_return std::move(waiting.place);
}

// RFC 7662, 2.1. The body holds the token, and is wiped with the request.
fetch::Request request_for(IntrospectionVerifier const& verifier, std::string_view token) {
    std::string body{"token="};
    body.reserve(body.size() + 3 * token.size() + 32); // it must not move
    fetch::append_form_value(body, token);
    body += "&token_type_hint=access_token";
    fetch::Request request;
    request.target = verifier.target;
    request.method = fetch::Request::Method::post;
    request.authorization = config::Secret{verifier.authorization->reveal()};
    request.content_type = "application/x-www-form-urlencoded";
    request.body = config::Secret{body};
    config::wipe(body);
    return request;
}

net::Task<Fetched> ask(fetch::Fetcher& fetcher, net::Loop& loop, fetch::Request request, Place) {
    auto fetching = fetcher.fetch(loop, std::move(request));
    auto result = co_await std::move(fetching);
    if (auto const* const failure = std::get_if<fetch::Failure>(&result))
        co_return Fetched{nullptr, failure->cause};
    auto& response = std::get<fetch::Response>(result);
    co_return Fetched{std::make_shared<config::Secret const>(std::move(response.body)),
                      fetch::Cause::none};
}

// Makes the fetch of SingleFlight.
struct Ask {
    IntrospectionVerifier const& verifier;
    Services& services;
    std::string_view token;
    Place place;

    net::Task<Fetched> operator()(std::string_view) {
        return ask(*services.fetcher, services.loop, request_for(verifier, token),
                   std::move(place));
    }
};

class Introspection final : public pipeline::Plugin {
public:
    Introspection(IntrospectionVerifier const& verifier, pipeline::Api const& api)
        : verifier_{verifier}, callers_{verifier.mapping, api, introspection_name,
                                        verifier.expected.issuers.empty()
                                            ? std::vector{verifier.issuer}
                                            : verifier.expected.issuers} {}

    Verdict check(Request const& request, Decision& decision, Services& services) override {
        auto const field = request.authorization();
        if (!field) return Verdict::abstain();
        if (request.has_several_authorizations())
            return callers_.refuse(decision, AuthFailure::malformed);
        auto const now = WallClock::now();
        if (auto caller = find_known(*field, services, now))
            return callers_.accept(request, std::move(caller), proof_in(*field, scheme), decision);
        auto const given = field->substr(0, field->find(' '));
        if (!http::equals_ignoring_case(given, scheme)) return Verdict::abstain();
        auto const token = token_of(*field);
        if (token.empty()) return callers_.refuse(decision, AuthFailure::malformed);
        // Its issuer may take it for another token, which has been denied, or counted.
        if (jose::spelling_of(token) == jose::Spelling::other)
            return callers_.refuse(decision, AuthFailure::malformed,
                                   "the token is not written as RFC 7515 has it");
        if (is_denied_token(token, services))
            return callers_.refuse(decision, AuthFailure::denied, "the token is denied");
        auto& answers = asked(services).answers;
        auto const* const known = answers.find(token);
        if (known != nullptr && now < known->until(verifier_.times))
            return conclude(*known, {request, *field, token}, decision, services, now);
        // Clients that send many wrong credentials ask the issuer nothing more for a while.
        if (decision.is_judged_again || answers.was_active(token)) return Verdict::missing();
        auto refused =
            refuse_unverified(request, decision, services, verifier_.mapping.places.section);
        return refused ? std::move(*refused) : Verdict::missing();
    }

    net::Task<Verdict> learn(Request const& request, Decision& decision,
                             Services& services) override {
        auto const field = *request.authorization();
        auto const token = token_of(field);
        Given const given{request, field, token};
        // Held, because the snapshot may end meanwhile with its plugins.
        auto const state = state_;
        std::string key{pipeline::as_text(services.sha256(token))};
        if (services.fetcher == nullptr)
            co_return callers_.cannot_tell(decision, "nothing is fetched");
        auto const until = net::Clock::now() + verifier_.wait;
        std::optional<Place> place{std::in_place};
        // A flood of others leaves as many places for tokens that were active.
        bool const was_active = state->answers.was_active(token);
        bool const needs_none =
            state->flights.has(key)
            || (was_active && state->flights.size() < 2 * verifier_.pending);
        if (!needs_none) {
            // What may be used without the issuer does not wait for it.
            if (was_active && verifier_.times.keep > std::chrono::milliseconds{0})
                co_return without_answer("too many tokens wait for their issuer", *state, given,
                                         decision, services, WallClock::now());
            auto finding = find_place(state, services.loop, request.caller(), verifier_.pending,
                                      until);
            auto found = co_await std::move(finding);
            if (!found)
                co_return without_answer("too many tokens wait for their issuer", *state, given,
                                         decision, services, WallClock::now());
            place.emplace(std::move(*found));
        }
        Ask make{verifier_, services, token, std::move(*place)};
        auto const left = std::chrono::ceil<std::chrono::milliseconds>(until - net::Clock::now());
        auto waiting = state->flights.get(std::move(key), left, make);
        auto const fetched = co_await std::move(waiting);
        auto const now = WallClock::now();
        if (fetched == nullptr || fetched->text == nullptr) {
            auto const cause = fetched == nullptr ? fetch::Cause::timeout : fetched->failure;
            co_return without_answer(to_string(cause), *state, given, decision, services, now);
        }
        co_return judge(*fetched, *state, given, decision, services, now);
    }

private:
    // What came with a request.
    struct Given {
        Request const& request;
        std::string_view field;
        std::string_view token;
    };

    static std::string_view token_of(std::string_view field) {
        auto const parsed = http::parse_authorization(field, {});
        auto const* const bearer = std::get_if<http::BearerToken>(&parsed);
        return bearer == nullptr ? std::string_view{} : bearer->token;
    }

    Asked& asked(Services& services) {
        if (state_ == nullptr)
            state_ = services.kept.get<Asked>(verifier_.fingerprint, services.loop);
        return *state_;
    }

    // The caller, if the very same field was right before, and may still be used unasked.
    [[nodiscard]] std::shared_ptr<pipeline::Identity const>
    find_known(std::string_view field, Services const& services, WallClock::time_point now) const {
        auto const token = proof_in(field, scheme);
        if (token.empty() || services.known_tokens == nullptr) return nullptr;
        return services.known_tokens->find(verifier_.number, field, now);
    }

    // The answer is kept as the issuer has sent it: another API may expect something else of it.
    Verdict judge(Fetched const& fetched, Asked& state, Given const& given, Decision& decision,
                  Services& services, WallClock::time_point now) {
        auto const answer = read_answer(json_, fetched.text->reveal(), verifier_.expected, now);
        if (answer.failure == AuthFailure::unavailable)
            return without_answer(answer.why, state, given, decision, services, now);
        KnownAnswer known;
        known.asked = now;
        if (answer.failure != AuthFailure::inactive) known.text = fetched.text;
        known.is_in_time =
            answer.failure == AuthFailure::none || answer.failure == AuthFailure::claim;
        // RFC 7662, 4: not used beyond `exp`. The leeway is for a token that the issuer still calls
        // active then.
        if (answer.expires) known.expires = *answer.expires;
        state.answers.keep(given.token, known, known.last(verifier_.times), now);
        return conclude(known, given, decision, services, now);
    }

    // By what is known of the token. Its claims are read again, because they are those of another
    // snapshot, or the caller has been displaced.
    Verdict conclude(KnownAnswer const& known, Given const& given, Decision& decision,
                     Services& services, WallClock::time_point now) {
        if (!known.is_active()) return callers_.refuse(decision, AuthFailure::inactive);
        auto const answer = read_answer(json_, known.text->reveal(), verifier_.expected, now);
        if (answer.failure != AuthFailure::none) {
            auto const note = callers_.note_of_issuer(answer.unmet, answer.claims,
                                                      verifier_.expected.issuers, answer.why);
            return deny(decision,
                        {answer.failure, note, verifier_.mapping.places.of(answer.unmet)});
        }
        auto const expires = answer.expires ? *answer.expires + verifier_.expected.leeway
                                            : WallClock::time_point::max();
        auto const until = known.until(verifier_.times);
        auto const made = callers_.make(answer.claims, expires, until);
        if (auto const* const refused = std::get_if<TokenRefusal>(&made))
            return deny(decision, *refused);
        auto const& caller = std::get<std::shared_ptr<pipeline::Identity const>>(made);
        if (proof_in(given.field, scheme) == given.token) {
            if (services.known_tokens == nullptr)
                services.known_tokens = std::make_unique<pipeline::KnownTokens>();
            services.known_tokens->remember(verifier_.number, given.field, caller, until, now);
        }
        return callers_.accept(given.request, caller, given.token, decision);
    }

    // `on_failure: allow_cached`: a token that was active goes on, up to `keep` and its `exp`. The
    // issuer is asked again after a pause, so that not every request waits for it.
    Verdict without_answer(std::string_view why, Asked& state, Given const& given,
                           Decision& decision, Services& services, WallClock::time_point now) {
        auto* const known = state.answers.find(given.token);
        bool const is_usable = known != nullptr && known->is_active()
                               && verifier_.times.keep > std::chrono::milliseconds{0}
                               && now < known->last(verifier_.times);
        if (!is_usable) return callers_.cannot_tell(decision, why);
        known->pause = now + verifier_.times.negative;
        auto const copy = *known;
        return conclude(copy, given, decision, services, now);
    }

    IntrospectionVerifier const& verifier_; // the snapshot's
    TokenCallers callers_;
    jose::StrictJson json_;
    std::shared_ptr<Asked> state_; // null: no token was read yet
};

} // namespace

std::unique_ptr<pipeline::Plugin> make_introspection(pipeline::Api const& api) {
    return std::make_unique<Introspection>(
        *api.settings_of<IntrospectionVerifier>(introspection_name), api);
}

std::string introspection_challenge(std::string_view realm) {
    return challenge(scheme, realm, {});
}

} // namespace sallyport::plugins
