// One request of a client and its response over HTTP/2 (RFC 9113, 5 and 8).
#include "gateway/http2/http2_stream.h"

#include "gateway/http/rules.h"
#include "gateway/http/status.h"
#include "gateway/http2/hpack_encoder.h"
#include "gateway/http2/http2.h"
#include "gateway/http2/request_head.h"
#include "gateway/text/digits.h"

#include <algorithm>
#include <utility>

namespace sallyport::http2 {

namespace {

using http::BodyPart;
using http::Ends;
using http::HeadRead;
using net::asio::error::connection_reset;
using net::asio::error::no_buffer_space;
using net::asio::error::operation_aborted;

constexpr std::size_t large_part = std::size_t{64} * 1024;
constexpr std::size_t small_part = std::size_t{16} * 1024;
constexpr std::size_t few_streams = 4;

// What a stream gets at once for a body whose length is known.
constexpr std::uint64_t most_first_window = std::uint64_t{256} * 1024;

BodyPart failed(net::Error error) noexcept {
    return {.bytes = {}, .complete = false, .refused = nullptr, .error = error};
}

BodyPart refusal(http::Refused rule) noexcept {
    return {.bytes = {}, .complete = false, .refused = rule, .error = {}};
}

// RFC 9218, 8: what an upstream says of its response.
std::string_view find_priority(std::string_view lines) noexcept {
    constexpr std::string_view name = "priority:";
    while (!lines.empty()) {
        auto const end = std::min(lines.find('\n'), lines.size() - 1) + 1;
        auto const line = lines.substr(0, end);
        lines.remove_prefix(end);
        if (line.size() < name.size() + 2) continue;
        if (!text::equals_ignoring_case(line.substr(0, name.size()), name)) continue;
        return line.substr(name.size(), line.size() - name.size() - 2);
    }
    return {};
}

} // namespace

Http2Stream::Http2Stream(Http2& connection, std::uint32_t id, net::Reservation body,
                         net::Reservation part)
    : SendTurn{id}, connection_{connection}, body_{connection.buffers_, std::move(body)},
      receive_{connection.own_.window}, arrived_{connection.loop_.waiters()},
      read_deadline_{net::Deadline::calling<&Http2Stream::read_deadline_expired>(
          connection.loop_.deadlines(), *this)},
      taken_{connection.loop_.waiters()},
      write_deadline_{net::Deadline::calling<&Http2Stream::write_deadline_expired>(
          connection.loop_.deadlines(), *this)},
      part_{std::move(part)}, send_{connection.peer_.initial_window_size} {}

std::size_t Http2Stream::part_size() const noexcept {
    return connection_.streams() <= few_streams ? large_part : small_part;
}

bool Http2Stream::body_complete() const noexcept {
    return request_ended_ && body_.waiting() == 0 && body_refused_ == nullptr;
}

// --- the request

net::Task<HeadRead> Http2Stream::read_head(http::RequestHead& head) {
    auto const end = ended_with_head_ ? StreamEnd::ended : StreamEnd::open;
    refused_ = read_request_head(stored_, end, connection_.limits_.head, head);
    head.protocol = http::Protocol::http_2;
    if (refused_ == nullptr) {
        if (auto const length = head.fields.find(http::FieldId::content_length))
            declared_ = text::parse_digits<std::uint64_t>(*length);
        expects_continue_ = head.framing.expect_continue;
        // RFC 8441, 4: what other methods and HTTP/1.1 call Upgrade is malformed here.
        is_connect_ = !ended_with_head_ && head.method == http::Method::get
                      && head.fields.find(http::FieldId::upgrade);
        refused_ = judge_length();
        // RFC 9218, 7: the frame says it later than the field.
        auto const priority =
            updated_ ? std::nullopt : head.fields.find(std::string_view{"priority"});
        if (priority) connection_.scheduler_.change(*this, parse_urgency(*priority));
    }
    if (broken_ != Broken::no) return net::Task<HeadRead>::ended(HeadRead::broken);
    return net::Task<HeadRead>::ended(refused_ == nullptr ? HeadRead::complete : HeadRead::refused);
}

// RFC 9113, 8.1.1: the sum of DATA is Content-Length.
http::Refused Http2Stream::judge_length() const noexcept {
    if (!declared_) return nullptr;
    bool const is_wrong = request_ended_ ? received_ != *declared_ : received_ > *declared_;
    return is_wrong ? &http::rules::content_length_is_not_body.client : nullptr;
}

bool Http2Stream::take_data(std::string_view bytes) {
    received_ += bytes.size();
    if (auto const* const rule = judge_length()) {
        refuse_rest(rule);
        return false;
    }
    if (throws_away_) {
        arrived_.notify();
        return false;
    }
    if (body_.append(bytes) == net::Granted::no) {
        over_budget_ = true;
        arrived_.notify();
        return false;
    }
    arrived_.notify();
    return true;
}

// Only what a request has announced is ever passed on.
void Http2Stream::keep_trailers(HeadBlock const& block) {
    auto const records = stored_.records();
    bool const has_announced = std::any_of(records.begin(), records.end(), [](auto const& record) {
        return record.id == http::FieldId::trailer;
    });
    if (has_announced) trailers_ = block.text();
}

void Http2Stream::end_request() noexcept {
    request_ended_ = true;
    forget_window();
    if (auto const* const rule = judge_length()) return refuse_rest(rule);
    arrived_.notify();
}

void Http2Stream::refuse_rest(http::Refused rule) noexcept {
    body_refused_ = rule;
    connection_.give_back(body_.drop());
    arrived_.notify();
}

net::Task<BodyPart> Http2Stream::read_body(std::uint64_t limit, http::Gather gather) {
    give_back_part();
    has_reader_ = true;
    if (auto const part = take_part(limit, gather)) return net::Task<BodyPart>::ended(*part);
    return read_part(limit, gather);
}

std::optional<BodyPart> Http2Stream::take_part(std::uint64_t limit, http::Gather gather) {
    if (stopped_reading_ || broken_ == Broken::by_us) return failed(operation_aborted);
    if (broken_ != Broken::no) return failed(connection_reset);
    if (body_refused_ == nullptr && received_ > limit)
        refuse_rest(&http::rules::body_too_large.client);
    if (body_refused_ != nullptr) return refusal(body_refused_);
    if (over_budget_) return failed(no_buffer_space);
    if (!request_ended_ && (body_.waiting() == 0 || waits_for_rest(gather))) return std::nullopt;
    return BodyPart{
        .bytes = body_.take(), .complete = request_ended_, .refused = nullptr, .error = {}};
}

// Only while the client may send all of it without getting anything back.
bool Http2Stream::waits_for_rest(http::Gather gather) const noexcept {
    if (gather == http::Gather::parts || !declared_ || body_.waiting() != received_) return false;
    return *declared_ <= large_part && static_cast<std::int64_t>(*declared_) <= receive_.size();
}

net::Task<BodyPart> Http2Stream::read_part(std::uint64_t limit, http::Gather gather) {
    open_window();
    for (;;) {
        auto const& limits = connection_.limits_;
        auto const now = net::Clock::now();
        if (!has_switched_)
            read_deadline_.arm_at(
                std::min(now + limits.body_idle, pace_.due(now, received_, limits)));
        co_await arrived_.wait();
        bool const late = read_deadline_.has_expired();
        read_deadline_.disarm();
        auto const part = take_part(limit, gather);
        if (part) {
            // It ran dry while its reader waited: the window is too small for the way.
            if (receive_.is_dry()) widen_window(2 * receive_.size());
            co_return *part;
        }
        if (late) co_return failed(net::asio::error::timed_out);
    }
}

void Http2Stream::read_deadline_expired() {
    arrived_.notify();
}

// The client may send more: its request was found worth reading. The window of the connection
// grows with it, so that no stream that is read can be starved by those that are not.
void Http2Stream::open_window() noexcept {
    if (window_is_open_ || request_ended_ || discards()) return;
    window_is_open_ = true;
    of_connection_ = receive_.size();
    connection_.receive_.resize(connection_.receive_.size() + of_connection_);
    if (declared_) widen_window(static_cast<std::int64_t>(std::min(*declared_, most_first_window)));
    connection_.put_updates(this);
}

void Http2Stream::widen_window(std::int64_t size) noexcept {
    size = std::min<std::int64_t>(size, connection_.own_.most_window);
    bool const has_all =
        declared_ && receive_.left() >= static_cast<std::int64_t>(*declared_ - received_);
    if (!window_is_open_ || request_ended_ || has_all || size <= receive_.size()) return;
    if (body_.promise(static_cast<std::size_t>(size)) == net::Granted::no) return;
    of_connection_ += size - receive_.size();
    connection_.receive_.resize(connection_.receive_.size() + size - receive_.size());
    receive_.resize(size);
    connection_.put_updates(this);
}

void Http2Stream::forget_window() noexcept {
    auto const part = std::exchange(of_connection_, 0);
    if (part != 0) connection_.receive_.resize(connection_.receive_.size() - part);
}

void Http2Stream::give_back_part() noexcept {
    auto const size = body_.take_back();
    if (size == 0) return;
    receive_.give_back(size);
    connection_.receive_.give_back(size);
    connection_.put_updates(this);
}

void Http2Stream::stop_reading_body() noexcept {
    stopped_reading_ = true;
    arrived_.notify();
}

// --- the response

net::Error Http2Stream::send_error() const noexcept {
    switch (broken_) {
    case Broken::no: return {};
    case Broken::by_us: return operation_aborted;
    case Broken::by_client:
    case Broken::for_fault: break;
    case Broken::by_connection:
        // The client had its time, like one that does not take a part.
        if (connection_.write_is_late_) return net::asio::error::timed_out;
        break;
    }
    return connection_reset;
}

template <class Encode>
void Http2Stream::put_block(std::size_t most, Ends ends, Encode const& encode) {
    // RFC 7541, 4.2: the client's table has shrunk; ours never has an entry.
    constexpr char empty_table = 0x20;
    bool const has_update = std::exchange(connection_.size_update_due_, false);
    ++most;
    auto* const to = connection_.out_.room(most + size_of_head_frames(most));
    auto* block = to + frame_head_size;
    if (has_update) *block++ = empty_table;
    auto const size = encode(block) + (has_update ? 1U : 0U);
    auto const written = static_cast<std::size_t>(put_head_frames(to, id(), size, ends) - to);
    connection_.out_.add(written);
    connection_.dirty_.notify();
    bytes_out_ += written;
    if (ends == Ends::yes) response_ended_ = true;
}

void Http2Stream::put_head(http::OutgoingHead const& head, Ends ends) {
    put_block(most_block_size(head), ends, [&head](char* to) { return encode_head(head, to); });
}

net::Task<net::Error> Http2Stream::send_continue() {
    bool const is_expected = expects_continue_ == http::ExpectContinue::yes;
    expects_continue_ = http::ExpectContinue::no;
    // RFC 9110, 10.1.1: unnecessary if the client has sent part of its body meanwhile.
    if (!is_expected || received_ != 0 || request_ended_) return net::Task<net::Error>::ended();
    auto const error = send_error();
    if (!error)
        put_head({.status = 100, .reason = {}, .kept = {}, .added = {}, .length = {}}, Ends::no);
    return net::Task<net::Error>::ended(error);
}

net::Task<net::Error> Http2Stream::send_head(http::OutgoingHead const& head, std::string_view first,
                                             Ends ends) {
    if (auto const error = send_error()) return net::Task<net::Error>::ended(error);
    if (head.status == http::switching_protocols) return send_switch(head);
    bool const ends_here = ends == Ends::yes && first.empty();
    if (ends == Ends::no || first.size() > small_part) find_urgency(head);
    put_head(head, ends_here ? Ends::yes : Ends::no);
    head_sent_ = true;
    if (!first.empty()) return send_body(first, ends);
    if (connection_.has_room()) return net::Task<net::Error>::ended();
    return wait_for_room();
}

// RFC 8441, 5: 200 is what 101 is in HTTP/1.1.
net::Task<net::Error> Http2Stream::send_switch(http::OutgoingHead head) {
    head.status = 200;
    has_switched_ = true;
    declared_.reset();               // what follows is no body
    abort_code_ = ErrorCode::cancel; // RFC 8441, 5: what RST is to TCP
    put_head(head, Ends::no);
    head_sent_ = true;
    if (connection_.has_room()) return net::Task<net::Error>::ended();
    return wait_for_room();
}

void Http2Stream::find_urgency(http::OutgoingHead const& head) noexcept {
    // RFC 9218, 10: in its turn it would let no later response go before it as long as it lasts.
    if (head.lasts) {
        auto shared = urgency();
        shared.incremental = true;
        connection_.scheduler_.change(*this, shared);
    }
    for (auto const run : head.kept) {
        auto const value = find_priority(run);
        if (!value.empty()) connection_.scheduler_.change(*this, parse_urgency(value, urgency()));
    }
}

net::Task<net::Error> Http2Stream::send_body(std::string_view bytes, Ends ends) {
    auto const error = send_error();
    if (error || (bytes.empty() && ends == Ends::no)) return net::Task<net::Error>::ended(error);
    if (connection_.put_body_now(*this, bytes, ends)) return net::Task<net::Error>::ended();
    return send_part(bytes, ends);
}

net::Task<net::Error> Http2Stream::send_trailers(std::string_view lines) {
    if (lines.empty()) return send_body({}, Ends::yes);
    if (auto const error = send_error()) return net::Task<net::Error>::ended(error);
    put_block(most_block_size(lines), Ends::yes,
              [lines](char* to) { return encode_trailers(lines, to); });
    if (connection_.has_room()) return net::Task<net::Error>::ended();
    return wait_for_room();
}

net::Task<net::Error> Http2Stream::send_part(std::string_view bytes, Ends ends) {
    if (part_.grow_to(bytes.size()) == net::Granted::no) {
        abort_code_ = ErrorCode::enhance_your_calm;
        co_return no_buffer_space;
    }
    unsent_ = bytes;
    sends_end_ = ends == Ends::yes;
    is_sending_ = true;
    connection_.want_to_send(*this);
    write_deadline_.arm_after(connection_.limits_.body_idle);
    while (is_sending_ && broken_ == Broken::no && !write_deadline_.has_expired())
        co_await taken_.wait();
    write_deadline_.disarm();
    part_.release();
    connection_.scheduler_.remove(*this);
    unsent_ = {};
    if (!std::exchange(is_sending_, false)) co_return net::Error{};
    if (broken_ != Broken::no) co_return send_error();
    abort_code_ = ErrorCode::cancel;
    co_return net::asio::error::timed_out;
}

net::Task<net::Error> Http2Stream::wait_for_room() {
    waits_for_room_ = true;
    ++connection_.streams_wait_for_room_;
    while (waits_for_room_ && broken_ == Broken::no)
        co_await taken_.wait();
    if (std::exchange(waits_for_room_, false)) --connection_.streams_wait_for_room_;
    co_return send_error();
}

void Http2Stream::write_deadline_expired() {
    taken_.notify();
}

// --- the end

net::Task<http::KeepAlive> Http2Stream::finish_exchange() {
    using Done = net::Task<http::KeepAlive>;
    watcher_ = nullptr;
    if (!response_ended_ || broken_ != Broken::no) return Done::ended(http::KeepAlive::no);
    if (awaits_rest()) return discard_rest();
    end_stream();
    return Done::ended(http::KeepAlive::yes);
}

// The rest of a body is on its way, or its client stops once it has the response: curl 7.88 loses a
// response that RST_STREAM follows at once. A rest that breaks the rules is still found. Of a
// CONNECT nothing is on its way that has an end.
bool Http2Stream::awaits_rest() const noexcept {
    auto const* const rule = refused_ != nullptr ? refused_ : body_refused_;
    bool const is_malformed = rule != nullptr && rule->kind == http::RefusalKind::bad_request;
    return !request_ended_ && broken_ == Broken::no && !is_malformed && !is_connect_;
}

net::Task<http::KeepAlive> Http2Stream::discard_rest() {
    throws_away_ = true;
    auto const held = body_.drop() + body_.take_back();
    connection_.give_back(held);
    let_go_on(held);
    read_deadline_.arm_after(connection_.own_.refused_rest);
    while (awaits_rest() && !read_deadline_.has_expired())
        co_await arrived_.wait();
    read_deadline_.disarm();
    if (broken_ != Broken::no) co_return http::KeepAlive::no;
    if (request_ended_) connection_.wake_client(id());
    end_stream();
    co_return http::KeepAlive::yes;
}

// Clients that send their whole body before they read a response (Python's httpx) would wait for a
// window until they give up.
void Http2Stream::let_go_on(std::uint64_t bytes) noexcept {
    if (!may_go_on()) return;
    auto const given = std::min(bytes, left_behind_response_);
    left_behind_response_ -= given;
    receive_.give_back(given);
    connection_.put_updates(this);
}

void Http2Stream::end_stream() noexcept {
    auto const* const rule = refused_ != nullptr ? refused_ : body_refused_;
    // RFC 9113, 8.1.1: a malformed request is an error of its stream.
    if (rule != nullptr && rule->kind == http::RefusalKind::bad_request) {
        connection_.reset(*this, ErrorCode::protocol_error);
        connection_.spend(Annoyance::fault);
    } else if (!request_ended_) {
        connection_.reset(*this, ErrorCode::no_error);
    }
}

void Http2Stream::abort() noexcept {
    if (!is_closed()) connection_.reset(*this, abort_code_);
}

net::PeerState Http2Stream::watch_client(net::PeerWatcher& watcher) {
    if (broken_ != Broken::no) return net::PeerState::gone;
    watcher_ = &watcher;
    return net::PeerState::present;
}

// Of a stream that has ended with its connection: as the line of the connection has it.
http::ClientLoss Http2Stream::client_loss() const noexcept {
    using Loss = http::ClientLoss::Kind;
    using End = ConnectionEnd::Kind;
    if (broken_ == Broken::for_fault)
        return {Loss::protocol_failed, "WINDOW_UPDATE exceeds the stream's window"};
    if (broken_ != Broken::by_connection) return {};
    auto const& end = connection_.end_;
    switch (end.kind) {
    case End::too_slow: return {Loss::too_slow, end.note};
    case End::flooded: return {Loss::flooded, end.note};
    case End::protocol_failed: return {Loss::protocol_failed, end.note};
    case End::failed: return {Loss::gateway_failed, end.note};
    case End::drained: return http::of_cut_off; // a drain that waits has no streams at its end
    case End::none:
    case End::closed:
    case End::idle: break;
    }
    return {};
}

void Http2Stream::break_off(Broken how) noexcept {
    if (broken_ != Broken::no) return;
    broken_ = how;
    connection_.scheduler_.remove(*this);
    unsent_ = {};
    connection_.give_back(body_.drop());
    forget_window();
    arrived_.notify();
    taken_.notify();
    auto* const watcher = std::exchange(watcher_, nullptr);
    if (watcher != nullptr && how != Broken::by_us) watcher->peer_gone();
}

} // namespace sallyport::http2
