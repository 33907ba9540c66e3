// Sends an admitted request to its upstream and its answer back to the client.
#include "gateway/upstream/forward.h"

#include "gateway/http/date.h"
#include "gateway/upstream/request_head.h"
#include "gateway/upstream/response_body.h"
#include "gateway/upstream/upload.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
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
using pipeline::Retry;
using pipeline::Side;

/// One exchange with an upstream. Lives in the frame of run(); everything that may end it early
/// (the client that leaves, a deadline, a failed upload) comes to it.
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
        auto& total = exchange_.timings.upstream_total;
        if (total == pipeline::Timings::unset) total = pipeline::microseconds_since(started_);
    }

    static net::Task<std::unique_ptr<Denial>> run(pipeline::Permit permit, Route route);

    void peer_gone() override {
        client_gone_ = true;
        end_upstream();
    }
    void upload_waits() override;
    void upload_goes_on() override;
    void upload_ended(IsWhole whole) override;
    void upload_failed() override { end_upstream(); }

private:
    // Where nothing has to be waited for they are plain functions; the second of each pair waits.
    using Failed = std::unique_ptr<Failure>; // null: it did not
    using Step = net::Task<Failed>;
    Step connect(Freshness freshness);
    Step finish_connect(net::Task<Acquired> acquiring);
    Failed take_connection(Acquired acquired);
    void send_request();
    void forget_request_head();
    void begin_response();
    Failed read_response_head(Error waited);
    http::Refused parse_head(std::string_view bytes);
    Failed take_response_head(std::string_view bytes);
    Failed use_response_head();
    Failed begin_body();
    std::span<http::AddedField const> added_fields();
    net::Task<> relay();
    net::Task<> finish_relay(net::Task<Error> sending);
    net::Task<bool> relay_body();
    void end_relay(IsWhole whole);
    net::Task<> end_upload();
    net::Task<> stop_upload();

    Failed failure(Reason reason, Error error, std::string_view what) const;
    Failed broken(Error error, std::string_view what) const;
    bool may_repeat() const;
    std::unique_ptr<Denial> give_up(Failure const& failure);
    void client_failed(Error error);
    void end_upstream() noexcept;
    void on_deadline();
    void arm(std::chrono::milliseconds time) {
        deadline_.arm_at(std::min(now_ + time, total_end_));
    }
    std::chrono::milliseconds first_byte_time() const;
    std::chrono::milliseconds idle_time() const;
    std::chrono::milliseconds total_time() const;
    bool is_head() const { return exchange_.head.method == http::Method::head; }

    pipeline::Permit permit_;
    Exchange& exchange_;
    Route route_;
    Clock::time_point started_;
    Clock::time_point now_; // read anew whenever something was waited for
    Clock::time_point total_end_;
    net::Deadline deadline_;
    std::optional<Acquisition> acquisition_; // while it waits
    Lease lease_;
    // What is written while it is written.
    WrittenHead request_head_;
    std::array<std::string_view, 2> request_pieces_;
    std::optional<Upload> upload_;
    net::Buffer input_; // the response: [begin_, end_) is unread
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t seen_ = 0; // of it, in search of the end of a head
    unsigned interim_ = 0; // answers before the one that counts
    std::optional<http::Date> date_; // where the upstream says none
    std::array<http::AddedField, 2> added_;
    http::OutgoingHead outgoing_;
    std::optional<ResponseBody> body_;
    std::string_view first_payload_; // came with the head, in input_
    bool client_gone_ = false;
    bool late_ = false;
    bool answered_ = false; // a byte of an answer came
    bool was_sent_ = false; // something of the request, over any connection
    bool has_head_ = false; // that of the answer that counts
    bool is_sent_ = false;  // the request, to its end
};

std::chrono::milliseconds Forwarding::first_byte_time() const {
    auto const* const operation = exchange_.operation;
    return operation == nullptr
               ? route_.settings.timeouts.first_byte
               : operation->timeouts.first_byte.value_or(route_.settings.timeouts.first_byte);
}

std::chrono::milliseconds Forwarding::idle_time() const {
    auto const* const operation = exchange_.operation;
    return operation == nullptr ? route_.settings.timeouts.idle
                                : operation->timeouts.idle.value_or(route_.settings.timeouts.idle);
}

std::chrono::milliseconds Forwarding::total_time() const {
    auto const* const operation = exchange_.operation;
    return operation == nullptr
               ? route_.settings.timeouts.total
               : operation->timeouts.total.value_or(route_.settings.timeouts.total);
}

void Forwarding::on_deadline() {
    late_ = true;
    end_upstream();
}

void Forwarding::end_upstream() noexcept {
    if (acquisition_) acquisition_->interrupt();
    if (lease_) lease_.stream().abort();
}

Forwarding::Failed Forwarding::failure(Reason reason, Error error, std::string_view what) const {
    return std::make_unique<Failure>(Failure{Side::upstream, reason, error, Retry::no, what});
}

Forwarding::Failed Forwarding::broken(Error error, std::string_view what) const {
    if (late_) return failure(Reason::upstream_timeout, error, what);
    auto result = failure(Reason::upstream_failed, error, what);
    // A kept connection that the upstream closed before it saw the request, as far as anybody can
    // tell.
    if (lease_ && lease_.is_reused() && !answered_) result->retry = Retry::safe;
    return result;
}

/// RFC 9110, 9.2.2, narrower: what reads only, and what the contract marks.
bool Forwarding::may_repeat() const {
    if (exchange_.body_handling == BodyHandling::streamed) return false;
    auto const method = exchange_.head.method;
    return method == http::Method::get || method == http::Method::head
           || (exchange_.operation != nullptr && exchange_.operation->retry_safe);
}

/// One coroutine with the object in its frame: another one around it would cost every request its
/// frame.
net::Task<std::unique_ptr<Denial>> Forwarding::run(pipeline::Permit permit, Route route) {
    Forwarding self{std::move(permit), route};
    auto freshness = self.may_repeat() ? Freshness::any : Freshness::fresh_or_recent;
    if (self.client_gone_) co_return self.give_up(Failure{});
    for (;;) {
        auto failed = co_await self.connect(freshness);
        if (!failed) {
            // What is sent now was sent before.
            if (freshness == Freshness::fresh) ++self.exchange_.upstream.retries;
            self.send_request();
            self.begin_response();
        }
        while (!failed && !self.has_head_) {
            auto const waited = co_await self.lease_.stream().wait_readable();
            failed = self.read_response_head(waited);
        }
        if (!failed) failed = self.begin_body();
        if (!failed) break;
        bool const repeats = failed->retry == Retry::safe && self.may_repeat()
                             && freshness == Freshness::any && !self.client_gone_ && !self.late_;
        co_await self.end_upload();
        if (!repeats) co_return self.give_up(*failed);
        self.upload_.reset();
        freshness = Freshness::fresh;
        self.now_ = Clock::now();
        self.lease_ = Lease{};
    }
    co_await self.relay();
    co_await self.end_upload();
    co_return nullptr;
}

Forwarding::Step Forwarding::connect(Freshness freshness) {
    acquisition_.emplace(freshness, exchange_.caller(), now_);
    if (exchange_.operation != nullptr && exchange_.operation->timeouts.connect)
        acquisition_->limit_connect(*exchange_.operation->timeouts.connect);
    auto acquiring = route_.pool.acquire(*acquisition_);
    if (!acquiring.has_ended()) return finish_connect(std::move(acquiring));
    return Step::ended(take_connection(std::move(acquiring).take()));
}

Forwarding::Step Forwarding::finish_connect(net::Task<Acquired> acquiring) {
    auto const asked = now_;
    deadline_.arm_at(total_end_);
    auto acquired = co_await std::move(acquiring);
    deadline_.disarm();
    now_ = Clock::now();
    auto failed = take_connection(std::move(acquired));
    if (!failed && !lease_.is_reused())
        exchange_.timings.upstream_connect = pipeline::microseconds_between(asked, now_);
    co_return failed;
}

Forwarding::Failed Forwarding::take_connection(Acquired acquired) {
    auto const tried = acquisition_->tried();
    acquisition_.reset();
    if (!acquired) {
        // Of several that failed the last one, whose error it is.
        exchange_.upstream.endpoint = tried;
        auto failed = std::make_unique<Failure>(acquired.error());
        if (late_) failed->reason = Reason::upstream_timeout;
        return failed;
    }
    lease_ = std::move(*acquired);
    exchange_.upstream.endpoint = lease_.endpoint();
    return nullptr;
}

void Forwarding::send_request() {
    is_sent_ = false;
    was_sent_ = true;
    request_head_ = write_request_head(exchange_, route_.settings, lease_.host());
    request_pieces_ = {request_head_.view(), permit_.body()};
    auto writing =
        lease_.stream().write({request_pieces_.data(), permit_.body().empty() ? 1U : 2U});
    bool const is_streamed = exchange_.body_handling == BodyHandling::streamed;
    if (writing.has_ended() && !is_streamed) {
        // An upstream that answers before it has read everything may close its side: its answer
        // counts, and where there is none, reading says why.
        is_sent_ = !std::move(writing).take();
        return forget_request_head();
    }
    // For the same reason what takes time is written while the answer is waited for.
    upload_.emplace(exchange_, lease_.stream(), *this);
    upload_->start(std::move(writing));
}

void Forwarding::forget_request_head() {
    if (route_.settings.authorization)
        OPENSSL_cleanse(request_head_.buffer.data(), request_head_.size);
    request_head_ = {};
}

void Forwarding::begin_response() {
    input_ = exchange_.services.loop.buffers().take(http::HeadLimits{}.head);
    begin_ = end_ = seen_ = 0;
    interim_ = 0;
    has_head_ = false;
    if (!upload_ || upload_->is_done()) arm(first_byte_time());
}

void Forwarding::upload_waits() {
    if (has_head_) return; // the time of the answer's parts is what counts
    now_ = Clock::now();
    arm(idle_time());
}

/// How slow the client may be is the transport's affair.
void Forwarding::upload_goes_on() {
    forget_request_head();
    if (!has_head_) deadline_.arm_at(total_end_);
}

/// From now on it is the upstream's turn.
void Forwarding::upload_ended(IsWhole whole) {
    is_sent_ = whole == IsWhole::yes;
    if (has_head_) return;
    now_ = Clock::now();
    arm(first_byte_time());
}

/// As much of the head as is there.
Forwarding::Failed Forwarding::read_response_head(Error waited) {
    if (waited) return broken(waited, "read the response head");
    while (!has_head_) {
        std::string_view const bytes{input_.data() + begin_, end_ - begin_};
        // Parsing finds the end of a head that is whole and sound; only of others it is looked for.
        bool const is_new = seen_ == 0 && !bytes.empty();
        if (is_new && parse_head(bytes) == nullptr) {
            if (auto failed = use_response_head()) return failed;
            continue;
        }
        auto const size = http::find_end_of_head(bytes, seen_);
        if (size != http::no_end || bytes.size() >= http::HeadLimits{}.head) {
            if (auto failed = take_response_head(bytes.substr(0, size))) return failed;
            continue;
        }
        seen_ = bytes.size();
        if (end_ == input_.capacity()) {
            // Interim answers stand in front: they are done with.
            std::copy(input_.data() + begin_, input_.data() + end_, input_.data());
            end_ -= begin_;
            begin_ = 0;
        }
        auto const read =
            lease_.stream().try_read({input_.data() + end_, input_.capacity() - end_});
        if (!read && read.error() == net::asio::error::would_block) return nullptr;
        if (!read) return broken(read.error(), "read the response head");
        if (!answered_) {
            answered_ = true;
            now_ = Clock::now();
            exchange_.timings.upstream_first_byte = pipeline::microseconds_between(started_, now_);
        }
        end_ += *read;
    }
    return nullptr;
}

http::Refused Forwarding::parse_head(std::string_view bytes) {
    return http::parse_response_head(bytes, {.head = http::HeadLimits{}.head},
                                     is_head() ? http::AnswerTo::head : http::AnswerTo::other,
                                     exchange_.response);
}

/// `bytes`: up to the end of a head, or as many as it may have.
Forwarding::Failed Forwarding::take_response_head(std::string_view bytes) {
    auto const* const refused = parse_head(bytes);
    if (refused == nullptr) return use_response_head();
    exchange_.outcome.note = refused->rule;
    return failure(Reason::upstream_invalid, {}, refused->rule);
}

Forwarding::Failed Forwarding::use_response_head() {
    auto const& response = exchange_.response;
    begin_ += response.size;
    seen_ = 0;
    if (response.status < 200) {
        if (++interim_ <= http::max_interim_responses) return nullptr;
        return failure(Reason::upstream_invalid, {}, "too many interim answers");
    }
    has_head_ = true;
    deadline_.disarm();
    exchange_.upstream.status = response.status;
    if (auto const id = response.fields.find(http::FieldId::request_id))
        exchange_.upstream.request_id = *id;
    return nullptr;
}

std::unique_ptr<Denial> Forwarding::give_up(Failure const& failure) {
    deadline_.disarm();
    lease_ = Lease{};
    if (client_gone_) {
        exchange_.outcome.reason = Reason::client_closed;
        exchange_.transport.abort();
        return nullptr;
    }
    // What was wrong with the client's own body explains the broken upload better.
    if (upload_ && upload_->denial()) return upload_->take_denial();
    if (upload_ && upload_->client_failed()) {
        exchange_.outcome.reason = Reason::client_closed;
        exchange_.transport.abort();
        return nullptr;
    }
    // Of a deadline it says only that what waited was ended.
    if (!late_) exchange_.outcome.error = failure.error;
    auto denial = std::make_unique<Denial>(pipeline::denial_of(failure));
    // RFC 9110, 10.2.3: an invitation, which only what cannot be done twice may have.
    if (failure.reason == Reason::upstream_failed && (!was_sent_ || may_repeat()))
        denial->fields.push_back({"Retry-After", "1"});
    return denial;
}

void Forwarding::client_failed(Error error) {
    exchange_.outcome.reason =
        error == net::asio::error::timed_out ? Reason::response_too_slow : Reason::client_closed;
    exchange_.transport.abort();
}

/// What came with the head. The client has seen nothing yet: what is wrong here can be answered.
Forwarding::Failed Forwarding::begin_body() {
    auto& body = body_.emplace(exchange_.response.framing.body);
    auto const first = body.step({input_.data() + begin_, end_ - begin_});
    begin_ += first.consumed;
    first_payload_ = first.payload;
    if (first.refused == nullptr) return nullptr;
    exchange_.outcome.note = first.refused->rule;
    return failure(Reason::upstream_invalid, {}, first.refused->rule);
}

std::span<http::AddedField const> Forwarding::added_fields() {
    added_[0] = {"X-Request-Id", exchange_.request_id.text()};
    // RFC 9110, 6.6.1: a response without a date gets that of its arrival.
    if (exchange_.response.fields.has(http::FieldId::date)) return {added_.data(), 1};
    date_.emplace(std::chrono::system_clock::now());
    added_[1] = {"Date", *date_};
    return added_;
}

net::Task<> Forwarding::relay() {
    route_.pipeline.on_response(exchange_);
    auto& response = exchange_.response;
    http::LineRuns& lines = exchange_.answer_lines;
    http::fields_to_return(response, lines);

    auto const& body = *body_;
    outgoing_ = {.status = response.status,
                 .reason = response.reason,
                 .kept = {lines.begin(), lines.size()},
                 .added = added_fields(),
                 .length = response.framing.declared_length,
                 .has_body = response.framing.body.kind != http::BodyFraming::Kind::none};
    bool const leaves_body =
        exchange_.body_handling == BodyHandling::streamed && upload_ && !upload_->is_done();
    if (leaves_body) exchange_.transport.close_after_answer();

    exchange_.outcome.status = response.status;
    if (route_.tap != nullptr) route_.tap->see(first_payload_);
    auto const ends = body.is_complete() ? Ends::yes : Ends::no;
    auto sending = exchange_.transport.send_head(outgoing_, first_payload_, ends);
    if (!sending.has_ended() || !body.is_complete()) return finish_relay(std::move(sending));
    auto const error = std::move(sending).take();
    if (error) {
        client_failed(error);
    } else {
        end_relay(IsWhole::yes);
    }
    return net::Task<>::ended();
}

net::Task<> Forwarding::finish_relay(net::Task<Error> sending) {
    if (auto const error = co_await std::move(sending)) {
        client_failed(error);
        co_return;
    }
    bool is_whole = body_->is_complete();
    if (!is_whole) is_whole = co_await relay_body();
    end_relay(is_whole ? IsWhole::yes : IsWhole::no);
}

/// The connection goes back only where nothing of this exchange is left on it.
void Forwarding::end_relay(IsWhole whole) {
    deadline_.disarm();
    now_ = Clock::now();
    exchange_.timings.upstream_total = pipeline::microseconds_between(started_, now_);
    if (whole == IsWhole::yes && is_sent_ && begin_ == end_
        && exchange_.response.framing.keep_alive == http::KeepAlive::yes) {
        lease_.give_back(now_);
    }
}

net::Task<bool> Forwarding::relay_body() {
    auto& body = *body_;
    std::string_view have{input_.data() + begin_, end_ - begin_};
    bool grown = false;
    while (!body.is_complete()) {
        if (have.empty()) {
            if (!grown && body.wants_room()) {
                input_ = exchange_.services.loop.buffers().take(exchange_.transport.part_size());
                grown = true;
            }
            now_ = Clock::now();
            arm(idle_time());
            auto const read = co_await lease_.stream().read_some(input_.span());
            begin_ = end_ = 0;
            if (read) {
                end_ = *read;
                have = input_.view(end_);
            } else if (!body.ends_with(read.error())) {
                exchange_.outcome.reason =
                    client_gone_ ? Reason::client_closed : Reason::upstream_incomplete;
                exchange_.outcome.note = client_gone_ ? "the client left within the answer"
                                         : late_      ? "the upstream was too slow"
                                                      : "the upstream broke off";
                // Of what was ended by us it says only that.
                if (!late_ && !client_gone_) exchange_.outcome.error = read.error();
                exchange_.transport.abort();
                co_return false;
            }
        }
        auto const step = body.step(have);
        have.remove_prefix(step.consumed);
        begin_ += step.consumed;
        if (step.refused != nullptr) {
            exchange_.outcome.reason = Reason::upstream_incomplete;
            exchange_.outcome.note = step.refused->rule;
            exchange_.transport.abort();
            co_return false;
        }
        if (route_.tap != nullptr) route_.tap->see(step.payload);
        deadline_.disarm(); // a slow client is the transport's affair
        auto const ends = body.is_complete() ? Ends::yes : Ends::no;
        if (auto const error = co_await exchange_.transport.send_body(step.payload, ends)) {
            client_failed(error);
            co_return false;
        }
    }
    co_return true;
}

net::Task<> Forwarding::end_upload() {
    return !upload_ || upload_->is_done() ? net::Task<>::ended() : stop_upload();
}

net::Task<> Forwarding::stop_upload() {
    // Nobody reads the rest of it any more.
    end_upstream();
    co_await upload_->stop();
}

} // namespace

net::Task<std::unique_ptr<Denial>> forward(pipeline::Permit permit, Route route) {
    return Forwarding::run(std::move(permit), route);
}

} // namespace sallyport::upstream
