// HTTP/1.1 towards a client: reads heads and bodies from a stream, writes responses to it (RFC
// 9112).
#include "gateway/http/http1.h"

#include "gateway/http/head_writer.h"
#include "gateway/http/rules.h"
#include "gateway/http/status.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

namespace sallyport::http {

namespace {

constexpr std::size_t least_gathered = 16 * 1024; // RFC 8446, 5.1: the longest record

// The most bytes read after an early refusal to keep the connection usable.
constexpr std::uint64_t most_drained = 64 * 1024;
constexpr std::chrono::seconds longest_drain{5};

// How long an idle connection stays open after it was asked to close.
constexpr std::chrono::milliseconds drain_idle{250};

// The first character of a token, or of the empty line that RFC 9112, 2.2 allows before a
// request.
bool may_begin_request(char c) {
    return (c > ' ' && c < 0x7F) || c == '\r' || c == '\n';
}

// The most bytes written around the fields of a response.
constexpr std::size_t head_overhead = 256;

// Few heads are larger: for those the buffer grows.
constexpr std::size_t most_heads = 16 * 1024;

} // namespace

std::unique_ptr<SerialCodec> make_codec(net::Stream& stream, net::Loop& loop,
                                        ConnectionLimits const& limits) {
    return std::make_unique<Http1>(stream, loop, limits);
}

Http1::Http1(net::Stream& stream, net::Loop& loop, ConnectionLimits const& limits)
    : stream_{stream}, buffers_{loop.buffers()}, limits_{&limits},
      read_deadline_{
          net::Deadline::calling<&Http1::read_deadline_expired>(loop.deadlines(), *this)},
      write_deadline_{
          net::Deadline::calling<&Http1::write_deadline_expired>(loop.deadlines(), *this)} {}

void Http1::read_deadline_expired() {
    stream_.interrupt();
}

void Http1::write_deadline_expired() {
    stream_.abort();
}

net::Wait Http1::wait_for_request(net::Clock::time_point now) {
    forget_exchange();
    // Bytes behind the end of a chunked body begin the next request.
    if (input_.is_empty()) input_ = std::exchange(parts_, {});
    parts_ = {};
    if (!input_.is_empty()) return net::Wait::ended();
    // An idle connection holds no buffer.
    input_ = {};
    // A new connection must send its first head within the head time.
    auto const patience = first_ ? limits_->head_time : limits_->idle;
    read_deadline_.arm_at(now + (stopping_ ? std::min(patience, drain_idle) : patience));
    first_ = false;
    idle_ = true;
    return stream_.wait_readable();
}

// Inlined: one call for each request.
[[gnu::always_inline]] inline net::Result<std::size_t> Http1::read_available() {
    if (!input_.buffer) input_.buffer = buffers_.take(std::min(limits_->head.head, most_heads));
    auto const read = stream_.try_read({input_.buffer.data(), input_.room()});
    if (read) input_.end += *read;
    return read;
}

bool Http1::has_request() {
    return stream_.is_open() && read_available().has_value();
}

void Http1::forget_exchange() noexcept {
    refused_ = nullptr;
    body_ = {};
    body_complete_ = true;
    head_sent_ = response_complete_ = false;
    expects_continue_ = ExpectContinue::no;
    bytes_in_ = bytes_out_ = body_bytes_ = 0;
    response_head_ = {};
    if (trailers_ != nullptr) [[unlikely]]
        trailers_.reset();
}

net::Task<HeadRead> Http1::read_head(RequestHead& head) {
    idle_ = false;
    // Nearly every head has arrived completely with its first byte.
    if (input_.is_empty()) {
        auto const read = read_available();
        if (!read && read.error() != net::asio::error::would_block)
            return net::Task<HeadRead>::ended(judge_broken_head(read.error()));
    }
    // Parsing finds the end of a complete and valid head; only for others it is searched.
    if (!input_.is_empty() && parse_request_head(input_.bytes(), limits_->head, head) == nullptr)
        return net::Task<HeadRead>::ended(use_head(head));
    head.reset(nullptr); // views into an incomplete head become invalid as the rest arrives
    auto const size = end_of_head(0);
    if (size != no_end) return net::Task<HeadRead>::ended(take_head(size, head));
    return read_rest_of_head(head);
}

// `no_end` also if no bytes were read. An invalid first byte ends the head at the received bytes.
std::size_t Http1::end_of_head(std::size_t seen) const noexcept {
    auto const bytes = input_.bytes();
    auto const size = find_end_of_head(bytes, seen);
    if (size != no_end) return size;
    // No request begins like this (for example TLS to a plain listener): its end would never
    // arrive.
    bool const is_hopeless = !bytes.empty() && !may_begin_request(bytes.front());
    return is_hopeless || bytes.size() >= limits_->head.head ? bytes.size() : no_end;
}

net::Task<HeadRead> Http1::read_rest_of_head(RequestHead& head) {
    read_deadline_.arm_after(limits_->head_time);
    for (;;) {
        auto const seen = input_.bytes().size();
        if (auto const error = co_await read_more(input_)) co_return judge_broken_head(error);
        auto const size = end_of_head(seen);
        if (size != no_end) co_return take_head(size, head);
    }
}

HeadRead Http1::judge_broken_head(net::Error const& error) noexcept {
    bool const is_of_tls = net::is_of_tls(error);
    if (input_.is_empty() && !is_of_tls) return HeadRead::closed;
    bytes_in_ = input_.bytes().size();
    keep_alive_ = KeepAlive::no;
    if (is_of_tls) return HeadRead::not_tls;
    return read_deadline_.has_expired() ? HeadRead::timeout : HeadRead::broken;
}

void Http1::make_room(Input& input) {
    if (input.room() == 0 && input.begin != 0) {
        // Only between two requests, or in a body's own buffer: views into a head never move.
        std::memmove(input.buffer.data(), input.buffer.data() + input.begin, input.bytes().size());
        input.end -= input.begin;
        input.begin = 0;
    }
    if (input.room() == 0) input.buffer.grow(input.buffer.capacity() + 1, input.end);
}

net::Task<net::Error> Http1::read_more(Input& input) {
    make_room(input);
    auto const read = co_await stream_.read_some({input.buffer.data() + input.end, input.room()});
    if (!read) co_return read.error();
    input.end += *read;
    if (&input == &parts_) gather_part();
    co_return net::Error{};
}

// TLS returns one record at a time: further bytes of a body that have arrived are sent in the same
// write. A failed read is reported by the next one.
void Http1::gather_part() {
    while (parts_.room() >= least_gathered && stream_.has_pending()) {
        auto const read = stream_.try_read({parts_.buffer.data() + parts_.end, parts_.room()});
        if (!read) return;
        parts_.end += *read;
    }
}

// `size`: up to the end of a head, or the largest size allowed.
HeadRead Http1::take_head(std::size_t size, RequestHead& head) {
    refused_ = parse_request_head(input_.bytes().substr(0, size), limits_->head, head);
    if (refused_ == nullptr) return use_head(head);
    read_deadline_.disarm();
    input_.begin += size;
    bytes_in_ = size;
    protocol_ = Protocol::http_1_1;
    // The end of this request is unknown: the bytes behind it are never read as another one.
    keep_alive_ = KeepAlive::no;
    return HeadRead::refused;
}

HeadRead Http1::use_head(RequestHead const& head) {
    read_deadline_.disarm();
    input_.begin += head.size;
    bytes_in_ = head.size;
    protocol_ = head.protocol;
    if (head.framing.keep_alive == KeepAlive::no) keep_alive_ = KeepAlive::no;
    begin_body(head);
    return HeadRead::complete;
}

void Http1::begin_body(RequestHead const& head) {
    pace_.begin();
    auto const& framing = head.framing;
    expects_continue_ = framing.expect_continue;
    switch (framing.body.kind) {
    case BodyFraming::Kind::length: body_.emplace<LengthReader>(framing.body.length); break;
    case BodyFraming::Kind::chunked:
        trailers_ = storage_for_trailers(head.fields);
        body_.emplace<ChunkedReader>(UINT64_MAX, Sender::client, trailers_.get());
        break;
    case BodyFraming::Kind::none:
    case BodyFraming::Kind::until_close: return;
    }
    body_complete_ = false;
}

net::Task<net::Error> Http1::send_continue() {
    if (expects_continue_ == ExpectContinue::no) return net::Task<net::Error>::ended();
    expects_continue_ = ExpectContinue::no;
    // RFC 9110, 10.1.1: unnecessary if the client has sent part of its body meanwhile.
    if (!input_.is_empty()) return net::Task<net::Error>::ended();
    static constexpr std::array<std::string_view, 1> line{"HTTP/1.1 100 Continue\r\n\r\n"};
    return write(line);
}

net::Task<net::Error> Http1::write(std::span<std::string_view const> pieces) {
    std::size_t size = 0;
    for (auto const piece : pieces)
        size += piece.size();
    auto writing = stream_.write(pieces);
    if (!writing.has_ended()) return finish_write(std::move(writing), size);
    auto const error = std::move(writing).take();
    if (!error) bytes_out_ += size;
    return net::Task<net::Error>::ended(error);
}

// A write that has to wait for the client.
net::Task<net::Error> Http1::finish_write(net::Task<net::Error> writing, std::size_t size) {
    // A part is at most 64 KiB: a client that does not read it within this time is too slow.
    write_deadline_.arm_after(limits_->body_idle);
    auto const error = co_await std::move(writing);
    bool const late = write_deadline_.has_expired();
    write_deadline_.disarm();
    if (late) co_return net::Error{net::asio::error::timed_out};
    if (!error) bytes_out_ += size;
    co_return error;
}

bool Http1::drains_rest() const noexcept {
    if (expects_continue_ == ExpectContinue::yes || refused_ != nullptr) return false;
    auto const* const by_length = std::get_if<LengthReader>(&body_);
    return by_length == nullptr || by_length->left() <= most_drained;
}

// RFC 9112, 6 and 9: where this response ends, and whether another may follow.
void Http1::write_framing(OutgoingHead const& head, HeadWriter& writer) {
    chunks_ = Chunks::no;
    if (head.status == switching_protocols) return switch_protocols(writer);
    if (head.length) {
        writer << "Content-Length: " << *head.length << "\r\n";
    } else if (head.has_body && protocol_ == Protocol::http_1_1) {
        writer << "Transfer-Encoding: chunked\r\n";
        chunks_ = Chunks::yes;
    } else if (head.has_body) {
        // RFC 9112, 6.1: HTTP/1.0 has no chunks; the body ends with the connection.
        keep_alive_ = KeepAlive::no;
    }
    if (keep_alive_ == KeepAlive::no) {
        writer << "Connection: close\r\n";
    } else if (protocol_ == Protocol::http_1_0) {
        writer << "Connection: keep-alive\r\n";
    }
    writer << "\r\n";
}

// RFC 9110, 7.8. The only protocol that a request may ask for here.
void Http1::switch_protocols(HeadWriter& writer) {
    writer << "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    keep_alive_ = KeepAlive::no;
    body_.emplace<UntilClose>();
    body_complete_ = false;
}

net::Task<net::Error> Http1::send_head(OutgoingHead const& head, std::string_view first,
                                       Ends ends) {
    response_head_ = buffers_.take(head_overhead + head.reason.size() + size_of(head.kept)
                                   + size_of(head.added));
    if (!body_complete_ && !drains_rest()) keep_alive_ = KeepAlive::no;
    if (stopping_) keep_alive_ = KeepAlive::no;

    HeadWriter writer{response_head_.data()};
    writer << "HTTP/1.1 " << std::uint64_t{head.status} << " "
           << (head.reason.empty() ? reason_phrase(head.status) : head.reason) << "\r\n";
    writer.add(head.kept);
    writer.add(head.added);
    write_framing(head, writer);
    auto const answer_text = writer.written();

    head_sent_ = true;
    if (ends == Ends::yes) response_complete_ = true;
    if (chunks_ == Chunks::yes) return send_chunked_head(answer_text, first, ends);
    response_pieces_ = {answer_text, first};
    auto writing = write({response_pieces_.data(), first.empty() ? 1U : 2U});
    if (writing.has_ended()) response_head_ = {};
    return writing;
}

net::Task<net::Error> Http1::send_chunked_head(std::string_view head, std::string_view first,
                                               Ends ends) {
    Chunk const chunk{head, first, ends};
    co_return co_await write(chunk.pieces());
}

net::Task<net::Error> Http1::send_body(std::string_view bytes, Ends ends) {
    if (ends == Ends::yes) response_complete_ = true;
    if (chunks_ == Chunks::no) {
        if (bytes.empty()) co_return net::Error{};
        co_return co_await write({&bytes, 1});
    }
    Chunk const chunk{bytes, ends};
    if (chunk.pieces().empty()) co_return net::Error{};
    co_return co_await write(chunk.pieces());
}

net::Task<net::Error> Http1::send_trailers(std::string_view lines) {
    response_complete_ = true;
    if (chunks_ == Chunks::no) co_return net::Error{};
    std::array const pieces{last_chunk_line, lines, trailers_end};
    co_return co_await write(pieces);
}

net::Task<KeepAlive> Http1::finish_exchange() {
    unwatch_client();
    if (!response_complete_ || keep_alive_ == KeepAlive::no)
        return net::Task<KeepAlive>::ended(KeepAlive::no);
    if (body_complete_) return net::Task<KeepAlive>::ended(keep_alive_);
    return drain_body();
}

net::Task<KeepAlive> Http1::drain_body() {
    std::uint64_t drained = 0;
    idle_ = true; // nothing is lost if the gateway stops meanwhile
    drain_end_ = net::Clock::now() + longest_drain;
    while (!body_complete_ && !stopping_) {
        auto const part = co_await read_body(UINT64_MAX, Gather::parts);
        drained += part.bytes.size();
        if (part.refused != nullptr || part.error || drained > most_drained) break;
    }
    idle_ = false;
    drain_end_ = net::Clock::time_point::max();
    if (!body_complete_) co_return KeepAlive::no;
    co_return keep_alive_;
}

net::Task<> Http1::close(net::LingerLimits limits) {
    // An idle client has read its last response: a stop does not wait until it
    // notices.
    if (stopping_ && idle_) limits.time = drain_idle;
    if (stream_.is_open()) co_await stream_.shutdown(limits);
}

void Http1::abort() noexcept {
    keep_alive_ = KeepAlive::no;
    stream_.abort();
}

void Http1::stop_after_exchange() noexcept {
    stopping_ = true;
    // A request may be in flight: closing now would lose it.
    if (idle_) read_deadline_.arm_after(drain_idle);
}

// What reads or writes learns it of the stream, and what waits for an upstream by its watcher.
void Http1::cut_off() noexcept {
    cut_off_ = true;
    auto* const watcher = std::exchange(watcher_, nullptr);
    abort();
    if (watcher != nullptr) watcher->peer_gone();
}

ClientLoss Http1::client_loss() const noexcept {
    return cut_off_ ? of_cut_off : ClientLoss{};
}

} // namespace sallyport::http
