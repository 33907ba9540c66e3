// Two directions of frames, and their common end.
#include "gateway/upstream/tunnel.h"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

namespace sallyport::upstream {

namespace {

using http::Ends;
using http::Sender;
using pipeline::Side;
using WallClock = std::chrono::system_clock;

// Smaller than that of bodies: a tunnel lasts for hours, and messages are short.
constexpr std::size_t part_size = std::size_t{16} * 1024;

// A signature takes 0.1 ms.
constexpr std::size_t judged_in_a_turn = 32;

// Judgements that may wait at once: they must not take all places from callers that come.
constexpr std::size_t most_judged_at_once = 8;

// A tunnel is not judged again before this, however soon what it rests on ends.
constexpr std::chrono::seconds shortest_wait{1};

// No deadline is set further ahead than this; it is set again then.
constexpr std::chrono::hours longest_wait{24};

TunnelEnd end_without(Side lost, net::Error error) {
    using pipeline::Reason;
    if (lost == Side::upstream)
        return {Reason::upstream_incomplete,
                "the upstream ended the WebSocket without a close frame", error};
    if (error == net::asio::error::timed_out)
        return {Reason::response_too_slow,
                "the client did not take what was sent within limits.body_idle",
                {}};
    return {Reason::client_closed, "the client ended the WebSocket without a close frame", error};
}

} // namespace

void Tunnels::add(Tunnel& tunnel) {
    tunnel.link_before(list_);
    gauge_.add();
    tunnel.judgement_ = judgement_;
    // It may have been permitted by a configuration before.
    if (judgement_ != 1) judge_again(tunnel);
    if (is_draining_) tunnel.drain();
}

void Tunnels::remove(Tunnel& tunnel) noexcept {
    tunnel.unlink();
    gauge_.subtract();
}

// None of them ends meanwhile: the tasks that close them go on at the loop's next turn.
void Tunnels::drain() {
    is_draining_ = true;
    for (auto* link = list_.next; link != &list_; link = link->next)
        static_cast<Tunnel*>(link)->drain();
}

void Tunnels::judge_again() {
    ++judgement_;
    judge_those_left();
}

void Tunnels::judge_again(Tunnel& tunnel) {
    tunnel.judgement_ = 0;
    tunnel.unlink();
    tunnel.link_before(*list_.next);
    judge_those_left();
}

void Tunnels::judge_those_left() {
    if (!judge_ || unjudged() == nullptr || std::exchange(is_judging_, true)) return;
    net::start(loop_.context(), judge_in_background(this));
}

void Tunnels::judgement_ended() noexcept {
    --judging_;
    has_room_.notify();
}

Tunnel* Tunnels::unjudged() noexcept {
    if (!list_.is_linked()) return nullptr;
    auto* const first = static_cast<Tunnel*>(list_.next);
    return first->judgement_ == judgement_ ? nullptr : first;
}

// Of the tunnels of one caller the first may have to wait until its password is verified or its
// issuer has answered; that is then known of the others.
net::Task<> Tunnels::judge_in_background(Tunnels* tunnels) {
    net::Event turn{tunnels->loop_.waiters()};
    for (std::size_t count = 1; tunnels->unjudged() != nullptr; ++count) {
        if (count % judged_in_a_turn == 0) co_await turn.last_turn();
        while (tunnels->judging_ >= most_judged_at_once)
            co_await tunnels->has_room_.wait();
        auto* const tunnel = tunnels->unjudged(); // it may have ended meanwhile
        if (tunnel == nullptr) break;
        tunnel->unlink();
        tunnel->link_before(tunnels->list_);
        tunnel->judgement_ = tunnels->judgement_;
        tunnel->begin_judgement();
    }
    tunnels->is_judging_ = false;
}

Tunnel::Tunnel(pipeline::Exchange& exchange, http::ClientExchange& upstream, Tunnels& tunnels,
               TunnelLimits const& limits)
    : exchange_{exchange}, upstream_{upstream}, tunnels_{tunnels}, limits_{limits},
      to_upstream_{Side::client, {Sender::client, limits.reserved}}, to_client_{Side::upstream,
                                                                                {Sender::upstream,
                                                                                 limits.reserved}},
      idle_{net::Deadline::calling<&Tunnel::on_idle>(exchange.services.loop.deadlines(), *this)},
      expiry_{
          net::Deadline::calling<&Tunnel::on_expiry>(exchange.services.loop.deadlines(), *this)},
      close_limit_{net::Deadline::calling<&Tunnel::on_close_limit>(
          exchange.services.loop.deadlines(), *this)},
      task_ended_{exchange.services.loop.waiters()} {
    tunnels_.add(*this);
}

Tunnel::~Tunnel() {
    tunnels_.remove(*this);
}

net::Task<TunnelEnd> Tunnel::run() {
    begin_limits();
    ++tasks_;
    net::start(exchange_.services.loop.context(), relay_in_background(this));
    co_await relay_from_upstream();
    while (tasks_ != 0)
        co_await task_ended_.wait();
    co_return end_;
}

void Tunnel::task_ended() noexcept {
    --tasks_;
    task_ended_.notify();
}

net::Task<> Tunnel::relay_in_background(Tunnel* tunnel) {
    try {
        co_await tunnel->relay_from_client();
    } catch (std::exception const&) {
        tunnel->end_.reason = Reason::internal_error;
        tunnel->end();
    }
    tunnel->task_ended();
}

net::Task<> Tunnel::close_in_background(Tunnel* tunnel, Direction* direction) {
    try {
        co_await tunnel->write_close(*direction);
    } catch (std::exception const&) {
        tunnel->end();
    }
    tunnel->task_ended();
}

net::Task<> Tunnel::relay_from_client() {
    while (!is_over_ && !to_upstream_.has_ended()) {
        auto const part = co_await exchange_.transport.read_body(UINT64_MAX, http::Gather::parts);
        if (!part.bytes.empty()) co_await pass(to_upstream_, part.bytes);
        if (part.error || part.refused != nullptr || part.complete) {
            // Of a connection that was aborted under a write, the write says why.
            bool const is_aborted =
                part.error == net::asio::error::operation_aborted && to_client_.is_writing;
            if (!to_upstream_.has_ended() && !is_aborted) lost(Side::client, part.error);
            co_return;
        }
    }
}

net::Task<> Tunnel::relay_from_upstream() {
    while (!is_over_ && !to_client_.has_ended()) {
        http::BodyPart part;
        if (!upstream_.take_part(part)) {
            if (auto const error = co_await read_from_upstream()) {
                lost(Side::upstream, error);
                co_return;
            }
            continue;
        }
        if (part.complete) {
            lost(Side::upstream, {});
            co_return;
        }
        co_await pass(to_client_, part.bytes);
    }
}

// Holds no buffer while nothing comes.
net::Task<net::Error> Tunnel::read_from_upstream() {
    upstream_.free_input();
    if (auto const error = co_await upstream_.wait_for_response()) co_return error;
    co_return co_await upstream_.read_more(part_size);
}

net::Task<net::Error> Tunnel::write(Direction const& direction, std::string_view bytes) {
    if (direction.sender == Side::client) return upstream_.send_body(bytes, Ends::no);
    return exchange_.transport.send_body(bytes, Ends::no);
}

net::Task<> Tunnel::pass(Direction& direction, std::string_view bytes) {
    note_traffic();
    auto const passed = direction.frames.take(bytes);
    direction.is_writing = true;
    for (auto const piece : std::array{passed.carried, passed.bytes}) {
        if (piece.empty() || is_over_) continue;
        if (auto const error = co_await write(direction, piece)) lost(direction.receiver(), error);
    }
    direction.is_writing = false;
    if (auto const violated = direction.frames.violated(); !violated.empty()) {
        bool const is_client = direction.sender == Side::client;
        auto& other = is_client ? to_client_ : to_upstream_;
        if (begin_close(CloseCode::protocol_error,
                        is_client ? Reason::protocol_failed : Reason::upstream_invalid, violated))
            // Libraries answer with any code: of the violation its sender learns by ours.
            other.frames.stop_at_close();
        direction.frames.stop_at_border();
    }
    if (direction.frames.has_closed()) note_close();
    if (wants_close(direction)) co_await write_close(direction);
}

net::Task<> Tunnel::write_close(Direction& direction) {
    direction.has_our_close = true;
    direction.is_writing = true;
    // RFC 6455, 5.1: what goes to a server is masked.
    std::optional<websocket::Mask> mask;
    if (direction.sender == Side::client) mask = websocket::random_mask();
    if (direction.sender == Side::client && !mask) co_return end();
    websocket::CloseFrame const frame{*code_, {}, mask ? &*mask : nullptr};
    auto const error = co_await write(direction, frame.bytes());
    direction.is_writing = false;
    if (error) lost(direction.receiver(), error);
}

// The first cause counts: false for another.
bool Tunnel::begin_close(CloseCode code, Reason reason, std::string_view note) {
    if (is_over_ || code_) return false;
    code_ = code;
    end_ = {reason, note, {}};
    note_close();
    return true;
}

void Tunnel::close(CloseCode code, Reason reason, std::string_view note) {
    if (!begin_close(code, reason, note)) return;
    for (auto* const direction : {&to_upstream_, &to_client_}) {
        direction->frames.stop_at_border();
        if (!wants_close(*direction)) continue;
        ++tasks_;
        net::start(exchange_.services.loop.context(), close_in_background(this, direction));
    }
}

// A side whose connection has ended, or does not take what is written. Behind a close frame that
// is how a WebSocket ends.
void Tunnel::lost(Side side, net::Error error) {
    if (is_over_) return;
    if (!code_ && !to_upstream_.frames.has_closed() && !to_client_.frames.has_closed())
        end_ = end_without(side, error);
    end();
}

// Both tasks that read go on at the loop's next turn, and end.
void Tunnel::end() noexcept {
    if (std::exchange(is_over_, true)) return;
    idle_.disarm();
    expiry_.disarm();
    close_limit_.disarm();
    upstream_.interrupt();
    // Of what is being written an unknown part has been sent.
    if (to_client_.is_writing) {
        exchange_.transport.abort();
    } else {
        exchange_.transport.stop_reading_body();
    }
}

void Tunnel::begin_limits() {
    note_traffic();
    arm_expiry(WallClock::now());
}

void Tunnel::arm_expiry(WallClock::time_point now) {
    expiry_.disarm();
    auto const end = std::min(limits_.expires, limits_.known_until);
    if (is_over_ || code_ || end == WallClock::time_point::max()) return;
    expiry_.arm_after(std::clamp<WallClock::duration>(end - now, {}, longest_wait));
}

void Tunnel::note_traffic() {
    if (!is_over_ && !code_) idle_.arm_after(limits_.idle);
}

// RFC 6455, 7.1.1 and 5.5.1: the other side answers, then the connections end.
void Tunnel::note_close() {
    idle_.disarm();
    if (!is_over_ && !close_limit_.is_armed()) close_limit_.arm_after(close_time);
}

void Tunnel::begin_judgement() {
    if (is_over_ || code_) return;
    is_judged_once_more_ = is_being_judged_;
    if (std::exchange(is_being_judged_, true)) return;
    ++tasks_;
    ++tunnels_.judging_;
    net::start(exchange_.services.loop.context(), judge_in_background(this));
}

net::Task<> Tunnel::judge_in_background(Tunnel* tunnel) {
    pipeline::JudgedAgain judged{Reason::internal_error};
    try {
        auto judging = tunnel->tunnels_.judge_(tunnel->exchange_);
        judged = co_await std::move(judging);
    } catch (std::exception const&) { // of a plugin, or no memory: in doubt the answer is no
    }
    tunnel->is_being_judged_ = false;
    tunnel->tunnels_.judgement_ended();
    tunnel->apply(judged);
    if (std::exchange(tunnel->is_judged_once_more_, false)) tunnel->begin_judgement();
    tunnel->task_ended();
}

void Tunnel::apply(pipeline::JudgedAgain const& judged) {
    if (judged.reason == Reason::draining)
        return close(CloseCode::going_away, judged.reason, "a reload has removed the listener");
    if (judged.reason != Reason::none)
        return close(CloseCode::policy_violation, judged.reason,
                     "what the WebSocket was opened with would not open it now");
    auto const now = WallClock::now();
    if (judged.expires) limits_.expires = *judged.expires;
    limits_.known_until = std::max(judged.until, now + shortest_wait);
    arm_expiry(now);
}

void Tunnel::on_idle() {
    close(CloseCode::going_away, Reason::tunnel_idle, "the WebSocket was silent for too long");
}

void Tunnel::on_expiry() {
    auto const now = WallClock::now();
    if (now >= limits_.expires)
        return close(CloseCode::policy_violation, Reason::credential_expired,
                     "the caller's credential has expired");
    bool const is_to_be_judged = now >= limits_.known_until;
    if (is_to_be_judged) limits_.known_until = WallClock::time_point::max(); // apply() sets it
    arm_expiry(now);
    if (is_to_be_judged) tunnels_.judge_again(*this);
}

} // namespace sallyport::upstream
