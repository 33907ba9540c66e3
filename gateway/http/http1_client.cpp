// HTTP/1.1 towards a server: writes requests to a stream, reads responses from it (RFC 9112).
#include "gateway/http/http1_client.h"

#include "gateway/http/head_writer.h"
#include "gateway/http/status.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <utility>

namespace sallyport::http {

namespace {

// For a request line and the framing fields: names, separators, numbers.
constexpr std::size_t head_overhead = 160;

// Few heads are larger: for those the buffer grows.
constexpr std::size_t most_heads = 16 * 1024;

// For a larger rest of a body a larger buffer is used, which saves system calls.
constexpr std::uint64_t little_left = 16 * 1024;

ResponseRead refusal(std::string_view rule) {
    return {ResponseRead::State::refused, rule, {}};
}

} // namespace

std::unique_ptr<ClientExchange> make_client_exchange(net::Stream& stream, net::Buffers& buffers) {
    return std::make_unique<Http1Client>(stream, buffers);
}

HeadWriter Http1Client::begin_head(RequestLine const& line, std::size_t room) {
    response_to_ = line.asks_upgrade       ? ResponseTo::upgrade
                   : line.method == "HEAD" ? ResponseTo::head
                                           : ResponseTo::other;
    limits_ = line.response;
    begin_ = end_ = seen_ = 0;
    interim_ = 0;
    has_response_ = has_head_ = is_complete_ = has_grown_ = false;
    head_ = buffers_.take(head_overhead + line.method.size() + line.path.size() + line.query.size()
                          + line.host.size() + room);
    HeadWriter head{head_.data()};
    head << line.method << " " << line.path << line.query << " HTTP/1.1\r\n";
    head.add("Host", line.host);
    return head;
}

// RFC 9112, 6: the gateway writes the framing.
net::Task<net::Error> Http1Client::send_head(HeadWriter head, RequestEnd const& end,
                                             std::string_view body) {
    is_secret_ = end.has_secret;
    is_chunked_ = end.body.kind == BodyFraming::Kind::chunked;
    bool const has_length = end.body.kind == BodyFraming::Kind::length;
    request_left_ = has_length ? end.body.length : 0;
    is_sent_ = false;
    if (has_length) head.add("Content-Length", end.body.length);
    if (is_chunked_) head.add("Transfer-Encoding", "chunked");
    head << "\r\n";
    head_size_ = head.written().size();

    pieces_ = {head.written(), body};
    auto writing = stream_.write({pieces_.data(), body.empty() ? 1U : 2U});
    if (!writing.has_ended()) return finish_head(std::move(writing));
    auto const error = std::move(writing).take();
    forget_request_head();
    return net::Task<net::Error>::ended(note_written(error, body.size(), Ends::no));
}

net::Task<net::Error> Http1Client::finish_head(net::Task<net::Error> writing) {
    auto const error = co_await std::move(writing);
    forget_request_head();
    co_return note_written(error, pieces_[1].size(), Ends::no);
}

void Http1Client::forget_request_head() noexcept {
    if (is_secret_ && head_) OPENSSL_cleanse(head_.data(), head_size_);
    head_ = {};
}

net::Error Http1Client::note_written(net::Error error, std::size_t size, Ends ends) noexcept {
    request_left_ -= std::min<std::uint64_t>(request_left_, size);
    bool const is_last = is_chunked_ ? ends == Ends::yes : request_left_ == 0;
    if (!error && is_last) is_sent_ = true;
    return error;
}

net::Task<net::Error> Http1Client::send_body(std::string_view bytes, Ends ends) {
    if (!is_chunked_) {
        if (bytes.empty()) co_return net::Error{};
        auto writing = stream_.write({&bytes, 1});
        auto const error = co_await std::move(writing);
        co_return note_written(error, bytes.size(), ends);
    }
    Chunk const chunk{bytes, ends};
    if (chunk.pieces().empty()) co_return net::Error{};
    auto writing = stream_.write(chunk.pieces());
    auto const error = co_await std::move(writing);
    co_return note_written(error, bytes.size(), ends);
}

net::Task<net::Error> Http1Client::send_trailers(std::string_view lines) {
    std::array const pieces{last_chunk_line, lines, trailers_end};
    auto writing = stream_.write(pieces);
    auto const error = co_await std::move(writing);
    co_return note_written(error, 0, Ends::yes);
}

Refused Http1Client::parse(std::string_view bytes, ResponseHead& head) {
    return parse_response_head(bytes, limits_, response_to_, head);
}

ResponseRead Http1Client::read_head(ResponseHead& head) {
    if (!input_) input_ = buffers_.take(std::min(limits_.head, most_heads));
    while (!has_head_) {
        auto const bytes = unread();
        // Parsing finds the end of a complete and valid head; only for others it is searched.
        bool const is_new = seen_ == 0 && !bytes.empty();
        if (is_new && parse(bytes, head) == nullptr) {
            if (auto const used = use_head(head); used.state == ResponseRead::State::refused)
                return used;
            continue;
        }
        auto const size = bytes.empty() ? no_end : find_end_of_head(bytes, seen_);
        if (size != no_end || bytes.size() >= limits_.head) {
            if (auto const* const refused = parse(bytes.substr(0, size), head))
                return refusal(refused->rule);
            if (auto const used = use_head(head); used.state == ResponseRead::State::refused)
                return used;
            continue;
        }
        seen_ = bytes.size();
        if (end_ == input_.capacity()) make_room();
        auto const read = stream_.try_read({input_.data() + end_, input_.capacity() - end_});
        if (!read && read.error() == net::asio::error::would_block) return {};
        if (!read) return {ResponseRead::State::failed, {}, read.error()};
        has_response_ = true;
        end_ += *read;
    }
    return {ResponseRead::State::complete, {}, {}};
}

// For the rest of a head.
void Http1Client::make_room() {
    if (begin_ == 0) return input_.grow(input_.capacity() + 1, end_);
    // Interim responses precede it: they are discarded.
    std::copy(input_.data() + begin_, input_.data() + end_, input_.data());
    end_ -= begin_;
    begin_ = 0;
}

ResponseRead Http1Client::use_head(ResponseHead const& head) {
    begin_ += head.size;
    seen_ = 0;
    bool const switches = head.status == switching_protocols;
    if (head.status < 200 && !switches)
        return ++interim_ <= max_interim_responses ? ResponseRead{}
                                                   : refusal("too many interim responses");
    has_head_ = true;
    // A server that was asked to switch may read frames from now on, although it has refused.
    keep_alive_ = response_to_ == ResponseTo::upgrade ? KeepAlive::no : head.framing.keep_alive;
    begin_body(switches ? BodyFraming{BodyFraming::Kind::until_close, 0} : head.framing.body,
               head.fields);
    return {};
}

void Http1Client::begin_body(BodyFraming const& framing, FieldTable const& head) {
    kind_ = framing.kind;
    switch (framing.kind) {
    case BodyFraming::Kind::none: is_complete_ = true; break;
    case BodyFraming::Kind::length: body_.emplace<LengthReader>(framing.length); break;
    case BodyFraming::Kind::chunked:
        trailers_ = storage_for_trailers(head);
        body_.emplace<ChunkedReader>(UINT64_MAX, Sender::upstream, trailers_.get());
        break;
    case BodyFraming::Kind::until_close: break;
    }
}

BodyStep Http1Client::step_body(std::string_view bytes) noexcept {
    switch (kind_) {
    case BodyFraming::Kind::length: return std::get<LengthReader>(body_).step(bytes);
    case BodyFraming::Kind::chunked: return std::get<ChunkedReader>(body_).step(bytes);
    case BodyFraming::Kind::until_close: return {bytes.size(), bytes, false, nullptr};
    case BodyFraming::Kind::none: break;
    }
    return {};
}

bool Http1Client::take_part(BodyPart& part) {
    part.bytes = {};
    part.complete = is_complete_;
    while (!part.complete && begin_ != end_) {
        auto const step = step_body(unread());
        begin_ += step.consumed;
        part.bytes = step.payload;
        part.refused = step.refused;
        part.complete = is_complete_ = step.complete;
        if (step.refused != nullptr || !step.payload.empty()) return true;
        if (step.consumed == 0) return false;
    }
    return part.complete;
}

bool Http1Client::wants_room() const noexcept {
    if (has_grown_) return false;
    return kind_ != BodyFraming::Kind::length || std::get<LengthReader>(body_).left() > little_left;
}

net::Task<net::Error> Http1Client::read_more(std::size_t part_size) {
    if (wants_room()) {
        input_ = buffers_.take(part_size);
        has_grown_ = true;
    }
    auto reading = stream_.read_some(input_.span());
    auto const read = co_await std::move(reading);
    begin_ = end_ = 0;
    if (read) {
        end_ = *read;
        co_return net::Error{};
    }
    // RFC 9112, 6.3, rule 8: only a body without a length may end with the connection, and only
    // with an orderly end.
    if (kind_ != BodyFraming::Kind::until_close || read.error() != net::asio::error::eof)
        co_return read.error();
    is_complete_ = true;
    co_return net::Error{};
}

void Http1Client::free_input() noexcept {
    if (begin_ != end_) return;
    input_ = {};
    begin_ = end_ = 0;
    has_grown_ = false;
}

bool Http1Client::is_reusable() const noexcept {
    return is_sent_ && is_complete_ && begin_ == end_ && keep_alive_ == KeepAlive::yes;
}

void Http1Client::release() noexcept {
    trailers_.reset();
    input_ = {};
    begin_ = end_ = 0;
}

} // namespace sallyport::http
