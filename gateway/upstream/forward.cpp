// Sends an admitted request to its upstream and the response back to the client.
#include "gateway/upstream/forward.h"

#include "gateway/http/rules.h"
#include "gateway/upstream/forwarding.h"
#include "gateway/upstream/request_head.h"
#include "gateway/upstream/trailers.h"

#include <utility>

namespace sallyport::upstream {

namespace {

using pipeline::BodyHandling;
using pipeline::Reason;

// A limit of the configuration has a reason of its own, so that each line of the log says which.
Reason reason_of(std::string_view rule) {
    if (rule == http::rules::head_too_large.upstream.rule
        || rule == http::rules::line_too_long.upstream.rule)
        return Reason::upstream_head_too_large;
    return rule == http::rules::too_many_fields.upstream.rule ? Reason::upstream_too_many_fields
                                                              : Reason::upstream_invalid;
}

// The upstream has refused a token before its time: later requests have another one, unless it was
// asked for only just now.
net::Task<> renew_later(std::shared_ptr<RenewedSecret> secret, net::Loop& loop) {
    auto renewing = secret->renew(loop, std::chrono::milliseconds{0});
    co_await std::move(renewing);
}

} // namespace

Forwarding::Forwarding(pipeline::Permit permit, Route route)
    : permit_{std::move(permit)}, exchange_{permit_.exchange()}, route_{route},
      started_{Clock::now()}, now_{started_}, total_end_{started_ + total_time()},
      deadline_{net::Deadline::calling<&Forwarding::on_deadline>(
          exchange_.services.loop.deadlines(), *this)} {
    client_gone_ = exchange_.transport.watch_client(*this) == net::PeerState::gone;
    if (exchange_.decision.websocket != nullptr) [[unlikely]]
        websocket_.emplace(exchange_);
}

Forwarding::~Forwarding() {
    exchange_.transport.unwatch_client();
    exchange_.response = nullptr;
    auto& total = exchange_.outcome.timings.upstream_total;
    if (total == pipeline::Timings::unset) total = pipeline::microseconds_since(started_);
}

void Forwarding::end_upstream() noexcept {
    if (acquisition_) acquisition_->interrupt();
    if (lease_) lease_.exchange().abort();
}

Repeatable Forwarding::repetition() const {
    auto const retry = exchange_.decision.retry();
    return judge_repetition(
        {.method = exchange_.request.head.method,
         .is_query = exchange_.request.head.method_text == http::query_method,
         .is_marked_safe = retry == config::Retry::safe,
         .is_marked_unsafe = retry == config::Retry::never,
         .is_body_streamed = exchange_.decision.body.handling == BodyHandling::streamed});
}

// What is read as a WebSocket's frames must not be left over from an exchange before it.
Freshness Forwarding::freshness() const {
    bool const needs_fresh = is_retry_ || websocket_;
    return needs_fresh ? Freshness::fresh : first_freshness(repetition());
}

bool Forwarding::retries(Failure const& failure) const {
    return lease_
           && should_retry({.repeatable = repetition(),
                            .is_first = !is_retry_,
                            .was_kept = lease_.is_reused(),
                            .was_broken = failure.reason == Reason::upstream_failed,
                            .has_response = was_answered_,
                            .is_wanted = !client_gone_ && !late_});
}

// A single coroutine with the object in its frame: another would cost every request a frame.
net::Task<Forwarded> forward(pipeline::Permit permit, Route route) {
    Forwarding self{std::move(permit), route};
    if (self.client_gone_) co_return self.give_up(pipeline::Failure{});
    if (self.websocket_ && !self.websocket_->make_key()) [[unlikely]]
        co_return self.give_up(pipeline::Failure{pipeline::Side::gateway,
                                                 pipeline::Reason::internal_error,
                                                 {},
                                                 "there are no random bytes"});
    if (self.route_.settings.renewed != nullptr) [[unlikely]] {
        auto const failed = co_await self.learn_credential();
        if (failed) co_return self.give_up(*failed);
    }
    for (;;) {
        auto failed = co_await self.connect(self.freshness());
        if (!failed) {
            // This request was sent before.
            if (self.is_retry_) ++self.exchange_.outcome.upstream.retries;
            self.send_request();
            self.begin_response();
        }
        while (!failed && !self.has_head_) {
            auto const waited = co_await self.lease_.exchange().wait_for_response();
            failed = self.read_response_head(waited);
        }
        if (!failed && !self.has_switched()) failed = self.take_first_part();
        if (!failed) break;
        bool const retries = self.retries(*failed);
        co_await self.end_upload();
        if (!retries) co_return self.give_up(*failed);
        self.upload_.reset();
        self.is_retry_ = true;
        self.now_ = net::Clock::now();
        self.lease_ = Lease{};
    }
    if (self.has_switched()) [[unlikely]] {
        co_await self.relay_websocket();
        co_return std::move(self.result_);
    }
    co_await self.relay();
    co_await self.end_upload();
    co_return std::move(self.result_);
}

// A credential that is not there, because its issuer gave none yet or none any more, is asked for
// once more.
Forwarding::Step Forwarding::learn_credential() {
    auto& renewed = *route_.settings.renewed;
    credential_ = renewed.get();
    if (credential_ == nullptr) {
        auto renewing = renewed.renew(exchange_.services.loop,
                                      time_of(&contract::Timeouts::connect, &Timeouts::connect));
        co_await std::move(renewing);
        now_ = Clock::now();
        credential_ = renewed.get();
    }
    if (credential_ != nullptr && !client_gone_) co_return nullptr;
    co_return failure(Reason::upstream_failed, {}, "its issuer gives no token for it");
}

Forwarding::Step Forwarding::connect(Freshness freshness) {
    acquisition_.emplace(freshness, exchange_.caller(), now_);
    if (auto const own = exchange_.decision.time_of(&contract::Timeouts::connect))
        acquisition_->limit_connect(*own);
    auto acquiring = route_.pool.acquire(*acquisition_);
    if (!acquiring.has_ended()) return finish_connect(std::move(acquiring));
    return Step::ended(take_connection(std::move(acquiring).take()));
}

Forwarding::Step Forwarding::finish_connect(net::Task<Acquired> acquiring) {
    auto const started = now_;
    deadline_.arm_at(total_end_);
    auto acquired = co_await std::move(acquiring);
    deadline_.disarm();
    now_ = Clock::now();
    auto failed = take_connection(std::move(acquired));
    if (!failed && !lease_.is_reused())
        exchange_.outcome.timings.upstream_connect = pipeline::microseconds_between(started, now_);
    co_return failed;
}

Forwarding::Failed Forwarding::take_connection(Acquired acquired) {
    auto const tried = acquisition_->tried();
    acquisition_.reset();
    if (!acquired) {
        // If several failed, the last one, which caused the reported error.
        exchange_.outcome.upstream.endpoint = tried;
        auto failed = std::make_unique<Failure>(acquired.error());
        if (late_) failed->reason = Reason::upstream_timeout;
        return failed;
    }
    lease_ = std::move(*acquired);
    exchange_.outcome.upstream.endpoint = lease_.endpoint();
    return nullptr;
}

void Forwarding::send_request() {
    was_sent_ = true;
    HeadParts parts{.host = lease_.host(), .renewed = credential_.get()};
    if (websocket_) [[unlikely]]
        parts.websocket_key = websocket_->own_key();
    auto body = permit_.body();
    if (exchange_.decision.forwards_trailers()) [[unlikely]] {
        if (trailers_ == nullptr) trailers_ = std::make_unique<Trailers>();
        trailers_->request = request_trailers(exchange_, route_.settings);
        if (!trailers_->request.is_empty()) {
            parts.trailers = &trailers_->request;
            body = {};
        }
    }
    auto writing = send_request_head(lease_.exchange(), exchange_, route_.settings, parts, body);
    bool const is_streamed = exchange_.decision.body.handling == BodyHandling::streamed;
    // An upstream that responds before it has read the whole request may close its side: its
    // response counts, and if there is none, reading returns the reason.
    if (writing.has_ended() && !is_streamed && parts.trailers == nullptr) return;
    // For the same reason a write that blocks continues while the response is awaited.
    upload_.emplace(exchange_, lease_.exchange(), *this);
    if (parts.trailers != nullptr) [[unlikely]]
        upload_->forward_trailers(*parts.trailers, permit_.body());
    upload_->start(std::move(writing));
}

void Forwarding::begin_response() {
    has_head_ = false;
    if (!upload_ || upload_->is_done()) arm(first_byte_time());
}

void Forwarding::upload_waits() {
    if (has_head_) return; // the time limit of the response's body applies
    now_ = Clock::now();
    arm(idle_time());
}

// The transport limits how slow the client may be.
void Forwarding::upload_goes_on() {
    if (!has_head_) deadline_.arm_at(total_end_);
}

// Starts the time limit for the upstream's response.
void Forwarding::upload_ended() {
    if (has_head_) return;
    now_ = Clock::now();
    arm(first_byte_time());
}

// Reads the part of the head that has arrived.
Forwarding::Failed Forwarding::read_response_head(Error waited) {
    constexpr std::string_view reading = "read the response head";
    if (waited) return broken(waited, reading);
    auto& exchange = lease_.exchange();
    auto const read = exchange.read_head(response_);
    if (!was_answered_ && exchange.has_response()) {
        was_answered_ = true;
        now_ = Clock::now();
        exchange_.outcome.timings.upstream_first_byte =
            pipeline::microseconds_between(started_, now_);
    }
    switch (read.state) {
    case http::ResponseRead::State::incomplete: return nullptr;
    case http::ResponseRead::State::refused:
        return failure(reason_of(read.rule), {}, read.rule);
    case http::ResponseRead::State::failed: return broken(read.error, reading);
    case http::ResponseRead::State::complete: break;
    }
    return use_response_head();
}

Forwarding::Failed Forwarding::use_response_head() {
    has_head_ = true;
    deadline_.disarm();
    exchange_.response = &response_;
    exchange_.outcome.upstream.status = response_.status;
    if (response_.status == 401 && credential_ != nullptr) [[unlikely]]
        net::start(exchange_.services.loop.context(),
                   renew_later(route_.settings.renewed, exchange_.services.loop));
    if (trailers_ != nullptr) [[unlikely]]
        trailers_->response = response_trailers(exchange_);
    if (auto const id = response_.fields.find(http::FieldId::request_id))
        exchange_.outcome.upstream.request_id = *id;
    return websocket_ ? judge_websocket() : nullptr;
}

Forwarding::Failed Forwarding::judge_websocket() {
    if (has_switched() && upload_ && !upload_->is_done())
        return failure(Reason::upstream_invalid, {}, "a 101 before the whole request");
    auto const broken_rule = websocket_->judge(response_);
    if (broken_rule.empty()) return nullptr;
    return failure(Reason::upstream_invalid, {}, broken_rule);
}

// Without a denial: no response is possible, or no client is left.
Forwarded Forwarding::end(Reason reason, std::string_view note, Error error) {
    exchange_.transport.abort();
    result_.reason = reason;
    result_.note = note;
    result_.error = error;
    return std::move(result_);
}

Forwarded Forwarding::give_up(Failure const& failure) {
    deadline_.disarm();
    lease_ = Lease{};
    if (client_gone_) return end(Reason::client_closed, {});
    // An error in the client's own body is the better explanation of the failed upload.
    if (upload_ && upload_->denial()) {
        result_.denial = upload_->take_denial();
        return std::move(result_);
    }
    if (upload_ && upload_->client_failed()) return end(Reason::client_closed, {});
    // After a deadline the error is only that of the interrupted wait.
    if (!late_) result_.error = failure.error;
    result_.denial = std::make_unique<pipeline::Denial>(pipeline::denial_of(failure));
    // RFC 9110, 10.2.3: invites a repetition, so only if the request was not sent, or is
    // repeatable.
    if (failure.reason == Reason::upstream_failed
        && (!was_sent_ || repetition() == Repeatable::yes))
        result_.denial->fields.push_back({"Retry-After", "1"});
    return std::move(result_);
}

// The part that arrived with the head. The client has received nothing yet: an error here can
// still be reported.
Forwarding::Failed Forwarding::take_first_part() {
    lease_.exchange().take_part(first_part_);
    if (first_part_.refused == nullptr) return nullptr;
    return failure(Reason::upstream_invalid, {}, first_part_.refused->rule);
}

net::Task<> Forwarding::end_upload() {
    return !upload_ || upload_->is_done() ? net::Task<>::ended() : stop_upload();
}

net::Task<> Forwarding::stop_upload() {
    // The rest of it is not read any more.
    end_upstream();
    co_await upload_->stop();
}

} // namespace sallyport::upstream
