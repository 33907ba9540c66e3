// Sends an admitted request to its upstream and the response back to the client.
#include "gateway/upstream/forward.h"

#include "gateway/http/changed_fields.h"
#include "gateway/http/date.h"
#include "gateway/http/forward_fields.h"
#include "gateway/http/status.h"
#include "gateway/pipeline/stream.h"
#include "gateway/upstream/request_head.h"
#include "gateway/upstream/retry.h"
#include "gateway/upstream/trailers.h"
#include "gateway/upstream/tunnel.h"
#include "gateway/upstream/upload.h"
#include "gateway/websocket/fields.h"
#include "gateway/websocket/handshake.h"
#include "gateway/websocket/key.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace sallyport::upstream {

namespace {

using http::Ends;
using net::Clock;
using net::Error;
using pipeline::BodyHandling;
using pipeline::Denial;
using pipeline::Exchange;
using pipeline::Failure;
using pipeline::Reason;
using pipeline::Side;

// One exchange with an upstream. Lives in the frame of forward(); handles all events that may end
// it early (a disconnected client, a deadline, a failed upload).
class Forwarding final : public net::PeerWatcher, public UploadObserver {
public:
    Forwarding(pipeline::Permit permit, Route route)
        : permit_{std::move(permit)}, exchange_{permit_.exchange()}, route_{route},
          started_{Clock::now()}, now_{started_}, total_end_{started_ + total_time()},
          deadline_{net::Deadline::calling<&Forwarding::on_deadline>(
              exchange_.services.loop.deadlines(), *this)} {
        client_gone_ = exchange_.transport.watch_client(*this) == net::PeerState::gone;
    }
    ~Forwarding() {
        exchange_.transport.unwatch_client();
        exchange_.response = nullptr;
        auto& total = exchange_.outcome.timings.upstream_total;
        if (total == pipeline::Timings::unset) total = pipeline::microseconds_since(started_);
    }

    void peer_gone() override {
        client_gone_ = true;
        end_upstream();
    }
    void upload_waits() override;
    void upload_goes_on() override;
    void upload_ended() override;
    void upload_failed() override { end_upstream(); }

private:
    friend net::Task<Forwarded> upstream::forward(pipeline::Permit permit, Route route);

    // The first of each pair is a plain function for the case that nothing has to be awaited; the
    // second waits.
    using Failed = std::unique_ptr<Failure>; // null: no failure
    using Step = net::Task<Failed>;
    Step learn_credential();
    Step connect(Freshness freshness);
    Step finish_connect(net::Task<Acquired> acquiring);
    Failed take_connection(Acquired acquired);
    void send_request();
    void begin_response();
    Failed read_response_head(Error waited);
    Failed use_response_head();
    Failed make_key();
    Failed judge_switch();
    [[nodiscard]] Failed judge_no_switch() const;
    [[nodiscard]] bool opens_websocket() const noexcept {
        return exchange_.decision.websocket != nullptr;
    }
    [[nodiscard]] bool is_http2() const noexcept {
        return exchange_.request.head.protocol == http::Protocol::http_2;
    }
    [[nodiscard]] bool has_switched() const noexcept {
        return response_.status == http::switching_protocols;
    }
    net::Task<Error> send_response_head(std::string_view first, Ends ends);
    net::Task<> relay_websocket();
    Failed take_first_part();
    net::Task<> relay();
    net::Task<> finish_relay(net::Task<Error> sending);
    [[nodiscard]] bool returns_trailers() const noexcept {
        return trailers_ != nullptr && !trailers_->response.is_empty();
    }
    net::Task<> end_with_trailers();
    net::Task<> relay_body();
    std::chrono::milliseconds begin_stream();
    void break_off(Error error);
    void end_relay();
    net::Task<> end_upload();
    net::Task<> stop_upload();

    static Failed failure(Reason reason, Error error, std::string_view what) {
        return std::make_unique<Failure>(Failure{Side::upstream, reason, error, what});
    }
    Failed broken(Error error, std::string_view what) const {
        return failure(late_ ? Reason::upstream_timeout : Reason::upstream_failed, error, what);
    }
    Repeatable repetition() const;
    Freshness freshness() const;
    bool retries(Failure const& failure) const;
    Forwarded give_up(Failure const& failure);
    Forwarded end(Reason reason, std::string_view note, Error error = {});
    void client_failed(Error error);
    void end_upstream() noexcept;
    void on_deadline() {
        late_ = true;
        end_upstream();
    }
    void arm(std::chrono::milliseconds time) {
        deadline_.arm_at(std::min(now_ + time, total_end_));
    }

    using OfOperation = std::optional<std::chrono::milliseconds> contract::Timeouts::*;
    using OfUpstream = std::chrono::milliseconds Timeouts::*;
    // The operation's own time, else its upstream's.
    std::chrono::milliseconds time_of(OfOperation own, OfUpstream usual) const {
        return exchange_.decision.time_of(own).value_or(route_.settings.timeouts.*usual);
    }
    std::chrono::milliseconds first_byte_time() const {
        return time_of(&contract::Timeouts::first_byte, &Timeouts::first_byte);
    }
    std::chrono::milliseconds idle_time() const {
        return time_of(&contract::Timeouts::idle, &Timeouts::idle);
    }
    std::chrono::milliseconds total_time() const {
        return time_of(&contract::Timeouts::total, &Timeouts::total);
    }

    pipeline::Permit permit_;
    Exchange& exchange_;
    Route route_;
    Clock::time_point started_;
    Clock::time_point now_; // read again after each wait
    Clock::time_point total_end_;
    net::Deadline deadline_;
    std::shared_ptr<config::Secret const> credential_; // of Settings::renewed; null: has none
    std::optional<Acquisition> acquisition_;           // while it waits
    Lease lease_;
    std::optional<Upload> upload_;
    http::ResponseHead response_;
    http::BodyPart first_part_; // of the response: arrived with its head
    // Those that are passed on.
    struct Trailers {
        http::TrailerNames request;
        http::TrailerNames response;
    };
    std::unique_ptr<Trailers> trailers_; // null: the operation passes none on
    Forwarded result_;
    bool client_gone_ = false;
    bool late_ = false;
    bool was_answered_ = false; // a byte of a response arrived, on any connection
    bool is_retry_ = false;
    bool was_sent_ = false;                 // a part of the request, on any connection
    bool has_head_ = false;                 // that of the final response
    std::optional<websocket::Key> own_key_; // of a handshake in HTTP/2
    websocket::ReservedBits reserved_bits_; // of its frames, where it has opened a WebSocket
};

// The upstream has refused a token before its time: later requests have another one, unless it was
// asked for only just now.
net::Task<> renew_later(std::shared_ptr<RenewedSecret> secret, net::Loop& loop) {
    auto renewing = secret->renew(loop, std::chrono::milliseconds{0});
    co_await std::move(renewing);
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
    bool const needs_fresh = is_retry_ || opens_websocket();
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

} // namespace

// A single coroutine with the object in its frame: another would cost every request a frame.
net::Task<Forwarded> forward(pipeline::Permit permit, Route route) {
    Forwarding self{std::move(permit), route};
    if (self.client_gone_) co_return self.give_up(Failure{});
    if (self.opens_websocket()) [[unlikely]]
        if (auto const failed = self.make_key()) co_return self.give_up(*failed);
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
        self.now_ = Clock::now();
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

namespace {

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
    if (own_key_) [[unlikely]]
        parts.websocket_key = own_key_->text();
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
        return failure(Reason::upstream_invalid, {}, read.rule);
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
    return has_switched() ? judge_switch() : judge_no_switch();
}

// A handshake in HTTP/2 has no key, and needs one in HTTP/1.1.
Forwarding::Failed Forwarding::make_key() {
    if (!exchange_.decision.websocket->key.empty()) return nullptr;
    own_key_ = websocket::make_key();
    if (own_key_) return nullptr;
    return failure(Reason::internal_error, {}, "there are no random bytes");
}

// RFC 8441, 5: in HTTP/2 every success would open the WebSocket.
Forwarding::Failed Forwarding::judge_no_switch() const {
    bool const is_success = response_.status >= 200 && response_.status <= 299;
    if (!opens_websocket() || !is_http2() || !is_success) return nullptr;
    return failure(Reason::upstream_invalid, {}, "success without a WebSocket");
}

Forwarding::Failed Forwarding::judge_switch() {
    if (upload_ && !upload_->is_done())
        return failure(Reason::upstream_invalid, {}, "a 101 before the whole request");
    auto const& offer = *exchange_.decision.websocket;
    auto const accept = websocket::accept_of(own_key_ ? own_key_->text() : offer.key);
    websocket::Selection selection;
    auto const* const refused =
        websocket::judge_switch(response_, accept ? accept->text() : "", offer, selection);
    if (refused != nullptr) return failure(Reason::upstream_invalid, {}, refused->rule);
    reserved_bits_ = selection.reserved;
    return nullptr;
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
    result_.denial = std::make_unique<Denial>(pipeline::denial_of(failure));
    // RFC 9110, 10.2.3: invites a repetition, so only if the request was not sent, or is
    // repeatable.
    if (failure.reason == Reason::upstream_failed
        && (!was_sent_ || repetition() == Repeatable::yes))
        result_.denial->fields.push_back({"Retry-After", "1"});
    return std::move(result_);
}

void Forwarding::client_failed(Error error) {
    exchange_.transport.abort();
    result_.reason = error == net::asio::error::timed_out ? Reason::response_too_slow
                     // HTTP/2: no memory for a part that waits for its window.
                     : error == net::asio::error::no_buffer_space ? Reason::overloaded
                                                                  : Reason::client_closed;
}

// The part that arrived with the head. The client has received nothing yet: an error here can
// still be reported.
Forwarding::Failed Forwarding::take_first_part() {
    lease_.exchange().take_part(first_part_);
    if (first_part_.refused == nullptr) return nullptr;
    return failure(Reason::upstream_invalid, {}, first_part_.refused->rule);
}

// RFC 8441, 5: HTTP/2 has no key that it would belong to.
void remove_accept(http::LineRuns& kept) {
    http::LineRuns const all = kept;
    http::remove_lines(all, std::array{std::string{websocket::accept_field}}, kept);
}

net::Task<Error> Forwarding::send_response_head(std::string_view first, Ends ends) {
    http::LineRuns kept;
    http::fields_to_return(response_, kept);
    if (has_switched() && is_http2()) [[unlikely]]
        remove_accept(kept);
    std::string changes; // read until the head is sent
    if (auto const* const edge = exchange_.decision.api->edge.get(); edge != nullptr) [[unlikely]]
        pipeline::change_response(*edge, exchange_, kept, changes);
    std::string announced; // likewise
    if (returns_trailers()) [[unlikely]] {
        announced = "Trailer: " + trailers_->response.text() + "\r\n";
        kept.add(announced);
    }
    std::array<http::AddedField, 2> added{{{"X-Request-Id", exchange_.request.id.text()}, {}}};
    std::size_t count = 1;
    // RFC 9110, 6.6.1: a response without a date gets the time of its arrival.
    std::optional<http::Date> date;
    if (!response_.fields.has(http::FieldId::date))
        added[count++] = {"Date", date.emplace(std::chrono::system_clock::now())};
    http::OutgoingHead const outgoing{.status = response_.status,
                                      .reason = response_.reason,
                                      .kept = {kept.begin(), kept.size()},
                                      .added = {added.data(), count},
                                      .length = response_.framing.declared_length,
                                      .has_body = response_.framing.body.kind
                                                  != http::BodyFraming::Kind::none,
                                      .lasts = ends == Ends::no && pipeline::is_stream(exchange_)};
    // RFC 8441, 5.
    result_.status = has_switched() && is_http2() ? 200 : response_.status;
    return exchange_.transport.send_head(outgoing, first, ends);
}

net::Task<> Forwarding::relay() {
    bool const leaves_body = exchange_.decision.body.handling == BodyHandling::streamed && upload_
                             && !upload_->is_done();
    // A client that wanted a WebSocket may have sent frames already, which are no request.
    if (leaves_body || opens_websocket()) exchange_.transport.close_after_response();

    if (route_.tap != nullptr) route_.tap->see(first_part_.bytes);
    auto const ends = first_part_.complete && !returns_trailers() ? Ends::yes : Ends::no;
    auto sending = send_response_head(first_part_.bytes, ends);
    if (!sending.has_ended() || ends == Ends::no) return finish_relay(std::move(sending));
    auto const error = std::move(sending).take();
    if (error) {
        client_failed(error);
    } else {
        end_relay();
    }
    return net::Task<>::ended();
}

// From its 101 on. The connection is never used again.
net::Task<> Forwarding::relay_websocket() {
    exchange_.transport.unwatch_client();
    if (client_gone_) {
        end(Reason::client_closed, {});
        co_return;
    }
    auto sending = send_response_head({}, Ends::no);
    if (auto const error = co_await std::move(sending)) co_return client_failed(error);
    exchange_.response = nullptr; // its memory is freed
    TunnelLimits const limits{.reserved = reserved_bits_,
                              .idle = exchange_.decision.time_of(&contract::Timeouts::idle)
                                          .value_or(exchange_.decision.api->websocket_idle()),
                              .expires = exchange_.decision.caller == nullptr
                                             ? std::chrono::system_clock::time_point::max()
                                             : exchange_.decision.caller->expires};
    Tunnel tunnel{exchange_, lease_.exchange(), route_.tunnels, limits};
    auto running = tunnel.run();
    auto const ended = co_await std::move(running);
    result_.reason = ended.reason;
    result_.note = ended.note;
    result_.error = ended.error;
    if (ended.reason == Reason::client_closed) co_return;
    auto ending = exchange_.transport.send_body({}, Ends::yes);
    co_await std::move(ending);
}

net::Task<> Forwarding::finish_relay(net::Task<Error> sending) {
    if (auto const error = co_await std::move(sending)) {
        client_failed(error);
        co_return;
    }
    if (!first_part_.complete) co_await relay_body();
    if (returns_trailers() && result_.reason == Reason::none) [[unlikely]]
        co_await end_with_trailers();
    end_relay();
}

net::Task<> Forwarding::end_with_trailers() {
    auto const lines = trailers_->response.select(lease_.exchange().trailers());
    auto sending = exchange_.transport.send_trailers(lines);
    if (auto const error = co_await std::move(sending)) client_failed(error);
}

// The connection is given back only if nothing of this exchange is left on it.
void Forwarding::end_relay() {
    deadline_.disarm();
    now_ = Clock::now();
    exchange_.outcome.timings.upstream_total = pipeline::microseconds_between(started_, now_);
    if (result_.reason == Reason::none && lease_.exchange().is_reusable()) lease_.give_back(now_);
}

// Until the body is complete or has failed: result_ has the reason.
net::Task<> Forwarding::relay_body() {
    auto& exchange = lease_.exchange();
    auto const idle = pipeline::is_stream(exchange_) ? begin_stream() : idle_time();
    for (bool complete = false; !complete;) {
        http::BodyPart part;
        if (!exchange.take_part(part)) {
            now_ = Clock::now();
            arm(idle);
            auto reading = exchange.read_more(exchange_.transport.part_size());
            auto const error = co_await std::move(reading);
            if (error) co_return break_off(error);
            deadline_.disarm(); // the transport limits slow clients
            continue;
        }
        if (part.refused != nullptr) {
            exchange_.transport.abort();
            result_.reason = Reason::upstream_incomplete;
            result_.note = part.refused->rule;
            co_return;
        }
        complete = part.complete;
        if (route_.tap != nullptr) route_.tap->see(part.bytes);
        auto const ends = complete && !returns_trailers() ? Ends::yes : Ends::no;
        if (auto const error = co_await exchange_.transport.send_body(part.bytes, ends))
            co_return client_failed(error);
    }
}

// The times of the upstream are for responses that it makes at once. Those of the operation are
// meant for its streams. Returns the longest silence.
std::chrono::milliseconds Forwarding::begin_stream() {
    auto const& decision = exchange_.decision;
    if (!decision.time_of(&contract::Timeouts::total)) total_end_ = Clock::time_point::max();
    return decision.time_of(&contract::Timeouts::idle).value_or(contract::stream_idle);
}

// The rest of the body will not arrive.
void Forwarding::break_off(Error error) {
    exchange_.transport.abort();
    result_.reason = client_gone_ ? Reason::client_closed : Reason::upstream_incomplete;
    result_.note = client_gone_ ? "the client closed the connection during the response"
                   : late_      ? "the upstream was too slow"
                                : "the upstream broke off";
    // If we ended it the error is only that of the interruption.
    if (!late_ && !client_gone_) result_.error = error;
}

net::Task<> Forwarding::end_upload() {
    return !upload_ || upload_->is_done() ? net::Task<>::ended() : stop_upload();
}

net::Task<> Forwarding::stop_upload() {
    // The rest of it is not read any more.
    end_upstream();
    co_await upload_->stop();
}

} // namespace

} // namespace sallyport::upstream
