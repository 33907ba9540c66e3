// Sends frames, and keeps what comes by stream.
#include "tests/support/http2_client.h"

#include <nghttp2/nghttp2.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace sallyport::test {
namespace {

using namespace std::string_literals;

std::string chosen_protocol(ssl_st* tls) {
    unsigned char const* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(tls, &name, &size);
    return {reinterpret_cast<char const*>(name), size};
}

bool has_no_body(std::string_view method, int status) {
    return method == "HEAD" || status == 204 || status == 304;
}

// RFC 9113, 6.1: without its padding.
std::string_view content_of(http2::Frame const& frame) {
    std::string_view content = frame.payload;
    if (!frame.has(http2::flag::padded)) return content;
    if (content.empty() || static_cast<unsigned char>(content[0]) >= content.size())
        throw BadMessage("padding is longer than its frame");
    return content.substr(1, content.size() - 1 - static_cast<unsigned char>(content[0]));
}

// RFC 9113, 8.2, 8.3.2: `:status` alone, in front; names in small letters.
int take_status(Fields& fields) {
    if (fields.empty() || fields.front().name != ":status" || fields.front().value.size() != 3)
        throw BadMessage("a head does not begin with its status");
    int const status = std::stoi(fields.front().value);
    fields.erase(fields.begin());
    for (auto const& field : fields) {
        bool const is_good = !field.name.empty() && field.name.front() != ':'
                             && std::none_of(field.name.begin(), field.name.end(),
                                             [](char c) { return c >= 'A' && c <= 'Z'; });
        if (!is_good) throw BadMessage("not the name of a field: " + field.name);
    }
    return status;
}

std::string head_text(int status, Fields const& fields) {
    auto text = "HTTP/2 " + std::to_string(status) + "\r\n";
    for (auto const& field : fields)
        text += field.name + ": " + field.value + "\r\n";
    return text + "\r\n";
}

} // namespace

void Http2Client::FreeInflater::operator()(nghttp2_hd_inflater* inflater) const {
    nghttp2_hd_inflate_del(inflater);
}

Http2Client::Http2Client(std::uint16_t port, Http2Options const& options)
    : channel_{connect_tcp(port, options.connection.receive_buffer)}, replies_{options.replies} {
    auto const& connection = options.connection;
    if (connection.security == Security::tls) {
        auto const error =
            channel_.connect_tls(client_context(connection.tls), connection.server_name);
        if (!error.empty()) throw std::runtime_error("TLS handshake: " + error);
        if (auto const chosen = chosen_protocol(channel_.tls()); chosen != "h2")
            throw std::runtime_error("the server has chosen the protocol `" + chosen + "`");
    }
    begin_connection(options);
}

Http2Client::Http2Client(Descriptor socket, Http2Options const& options)
    : channel_{std::move(socket)}, replies_{options.replies} {
    begin_connection(options);
}

Http2Client::~Http2Client() = default;

void Http2Client::begin_connection(Http2Options const& options) {
    nghttp2_hd_inflater* inflater = nullptr;
    if (nghttp2_hd_inflate_new(&inflater) != 0) throw std::bad_alloc();
    inflater_.reset(inflater);
    for (std::string_view rest = options.settings; rest.size() >= 6; rest.remove_prefix(6)) {
        http2::Frame const entry{http2::type::settings, 0, 0, std::string{rest.substr(0, 6)}};
        if (entry.word(0) >> 16 == http2::setting_id::initial_window_size)
            own_window_ = entry.word(2);
    }
    if (replies_ == Replies::automatic)
        send(std::string{http2::preface} + http2::settings(options.settings));
}

// --- sending

void Http2Client::send(std::string_view bytes) {
    if (auto const end = channel_.write_all(bytes); end != End::data)
        throw std::runtime_error("cannot send: "s + name_of(end));
}

End Http2Client::try_send(std::string_view bytes) {
    return channel_.write_all(bytes);
}

// The server may have closed meanwhile, which the next read finds out.
void Http2Client::reply(std::string_view bytes) {
    if (replies_ == Replies::automatic) static_cast<void>(try_send(bytes));
}

void Http2Client::widen(std::uint32_t stream, std::uint32_t increment) {
    send(http2::window_update(stream, increment));
    (stream == 0 ? receive_window_ : streams_[stream].receive_window) += increment;
}

std::uint32_t Http2Client::next_stream() {
    auto const id = next_stream_;
    next_stream_ += 2;
    return id;
}

std::uint32_t Http2Client::begin(std::string_view request) {
    auto const parsed = parse_request(request);
    if (!parsed) throw BadMessage("not a whole request: " + std::string{request});
    auto const& message = parsed->message;
    auto const id = next_stream();
    streams_[id].method = message.method;
    bool const has_trailers = !message.trailers.empty();
    auto const last = message.body.empty() && !has_trailers ? http2::flag::end_stream
                                                            : http2::flag::none;
    std::string const block = http2::block_of(http2::fields_of(message));
    std::string_view rest = block;
    auto const take_piece = [&rest] {
        auto const piece = rest.substr(0, http2::most_payload);
        rest.remove_prefix(piece.size());
        return piece;
    };
    auto const ends = [&rest] { return rest.empty() ? http2::flag::end_headers : 0; };
    auto const piece = take_piece();
    std::string frames = http2::headers(id, piece, last | ends());
    while (!rest.empty()) {
        auto const next = take_piece();
        frames += http2::continuation(id, next, ends());
    }
    send(frames);
    auto const end = has_trailers ? http2::flag::none : http2::flag::end_stream;
    if (!message.body.empty()) send_body(id, message.body, end);
    if (has_trailers) send(http2::headers(id, http2::block_of(http2::lowered(message.trailers))));
    return id;
}

std::int64_t Http2Client::room(std::uint32_t stream) {
    auto const first =
        setting(http2::setting_id::initial_window_size).value_or(http2::first_window);
    return std::min(send_window_, first + streams_[stream].send_window);
}

void Http2Client::send_body(std::uint32_t stream, std::string_view body, unsigned flags) {
    do {
        // A server that resets the stream, or the connection, takes no more.
        wait_until(
            [&] { return body.empty() || room(stream) > 0 || streams_[stream].response.is_over(); },
            "a window for the body");
        if (streams_[stream].response.is_over() && !body.empty()) return;
        auto const most = std::min<std::size_t>(
            body.empty() ? 0 : static_cast<std::size_t>(room(stream)), http2::most_payload);
        auto const piece = body.substr(0, most);
        body.remove_prefix(piece.size());
        auto const size = static_cast<std::int64_t>(piece.size());
        send_window_ -= size;
        streams_[stream].send_window -= size;
        send(http2::data(stream, piece, body.empty() ? flags : http2::flag::none));
    } while (!body.empty());
}

// --- reading

End Http2Client::read_more(TimeLimit limit) {
    if (end_ != End::data) return end_;
    std::array<char, 32'768> bytes;
    auto const result = channel_.read_some(bytes, limit);
    if (result.end != End::data) {
        if (result.end != End::time_limit) end_ = result.end;
        return result.end;
    }
    pending_.append(bytes.data(), result.count);
    std::size_t at = 0;
    while (pending_.size() - at >= http2::frame_head_size) {
        http2::Frame frame{0, 0, 0, pending_.substr(at, http2::frame_head_size)};
        auto const size = frame.word(0) >> 8;
        if (size > http2::most_payload) throw BadMessage("a frame is too large");
        if (pending_.size() - at < http2::frame_head_size + size) break;
        frame.type = frame.word(0) & 0xFFU;
        frame.flags = static_cast<unsigned char>(frame.payload[4]);
        frame.stream = frame.word(5) & http2::most_window;
        frame.payload = pending_.substr(at + http2::frame_head_size, size);
        at += http2::frame_head_size + size;
        take(frame);
        frames_.push_back(std::move(frame));
    }
    pending_.erase(0, at);
    return End::data;
}

void Http2Client::take(http2::Frame const& frame) {
    if (frames_.empty() && frame.type != http2::type::settings)
        throw BadMessage("the first frame is not SETTINGS");
    if (!block_.empty() && frame.type != http2::type::continuation)
        throw BadMessage("a frame within a header block");
    switch (frame.type) {
    case http2::type::data: return take_data(frame);
    case http2::type::headers:
    case http2::type::continuation: return take_head(frame);
    case http2::type::reset:
        if (streams_[frame.stream].response.reset) throw BadMessage("a stream is reset twice");
        streams_[frame.stream].response.reset = frame.word();
        return;
    case http2::type::settings: return take_settings(frame);
    case http2::type::ping:
        if (!frame.has(http2::flag::ack)) reply(http2::ping(frame.payload, http2::flag::ack));
        return;
    case http2::type::goaway: goaway_ = GoAway{frame.word(), frame.word(4)}; return;
    case http2::type::window_update:
        if (frame.word() == 0) throw BadMessage("a window grows by nothing");
        (frame.stream == 0 ? send_window_ : streams_[frame.stream].send_window) += frame.word();
        return;
    case http2::type::push_promise: throw BadMessage("a server pushes");
    default: return;
    }
}

void Http2Client::take_data(http2::Frame const& frame) {
    auto& stream = streams_[frame.stream];
    auto& response = stream.response;
    if (!response.has_head || response.is_over())
        throw BadMessage("DATA before the head of a stream, or behind its end");
    auto const size = static_cast<std::int64_t>(frame.payload.size());
    receive_window_ -= size;
    stream.receive_window -= size;
    if (receive_window_ < 0 || own_window_ + stream.receive_window < 0)
        throw BadMessage("DATA beyond the window");
    response.message.body += content_of(frame);
    response.has_ended = frame.has(http2::flag::end_stream);
    if (response.has_ended && !has_no_body(stream.method, response.message.status)) {
        auto const length = response.message.fields.find("content-length");
        if (length && *length != std::to_string(response.message.body.size()))
            throw BadMessage("a body has not its length");
    }
    if (size == 0 || replies_ == Replies::none) return;
    auto const grown = static_cast<std::uint32_t>(size);
    reply(http2::window_update(0, grown)
          + (response.has_ended ? "" : http2::window_update(frame.stream, grown)));
    receive_window_ += size;
    stream.receive_window += size;
}

void Http2Client::take_head(http2::Frame const& frame) {
    auto content = content_of(frame);
    if (frame.type == http2::type::headers && frame.has(http2::flag::priority))
        content.remove_prefix(5);
    block_ += content;
    // The end of the stream is said by the first frame of a block (RFC 9113, 6.2).
    auto const& first = frame.type == http2::type::headers
                            ? frame
                            : *std::find_if(frames_.rbegin(), frames_.rend(), [](auto const& one) {
                                  return one.type == http2::type::headers;
                              });
    bool const ends = first.has(http2::flag::end_stream);
    if (!frame.has(http2::flag::end_headers)) return;
    auto fields = inflate(std::exchange(block_, {}));
    auto& response = streams_[frame.stream].response;
    if (response.is_over()) throw BadMessage("a head behind the end of its stream");
    if (response.has_head) {
        if (!ends) throw BadMessage("trailers do not end their stream");
        response.message.trailers = std::move(fields);
        response.has_ended = true;
        return;
    }
    int const status = take_status(fields);
    if (status / 100 == 1) {
        if (ends) throw BadMessage("an interim response ends its stream");
        response.interim.push_back(status);
        return;
    }
    response.has_head = true;
    response.has_ended = ends;
    response.message.status = status;
    response.message.head = head_text(status, fields);
    response.message.fields = std::move(fields);
}

void Http2Client::take_settings(http2::Frame const& frame) {
    if (frame.has(http2::flag::ack)) return;
    for (std::size_t at = 0; at + 6 <= frame.payload.size(); at += 6)
        settings_[frame.word(at) >> 16] = frame.word(at + 2);
    reply(http2::settings_ack());
}

Fields Http2Client::inflate(std::string_view block) {
    Fields fields;
    auto const* in = reinterpret_cast<std::uint8_t const*>(block.data());
    auto left = block.size();
    for (;;) {
        nghttp2_nv field{};
        int flags = 0;
        auto const used = nghttp2_hd_inflate_hd2(inflater_.get(), &field, &flags, in, left, 1);
        if (used < 0) throw BadMessage("a header block is malformed");
        in += used;
        left -= static_cast<std::size_t>(used);
        if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0)
            fields.push_back({{reinterpret_cast<char const*>(field.name), field.namelen},
                              {reinterpret_cast<char const*>(field.value), field.valuelen}});
        if ((flags & NGHTTP2_HD_INFLATE_FINAL) != 0) break;
    }
    nghttp2_hd_inflate_end_headers(inflater_.get());
    return fields;
}

std::size_t Http2Client::count_of(unsigned type) const {
    return static_cast<std::size_t>(std::count_if(
        frames_.begin(), frames_.end(), [type](auto const& one) { return one.type == type; }));
}

std::optional<std::uint32_t> Http2Client::setting(unsigned id) const {
    auto const found = settings_.find(id);
    if (found == settings_.end()) return std::nullopt;
    return found->second;
}

// --- waits

void Http2Client::wait_until(std::function<bool()> const& predicate, std::string_view what) {
    TimeLimit const limit;
    while (!predicate()) {
        if (auto const end = read_more(limit); end != End::data)
            throw std::runtime_error(
                "waited for " + std::string{what} + ", but the connection: " + name_of(end)
                + (goaway_ ? ", GOAWAY with the code " + std::to_string(goaway_->code) : ""));
    }
}

Http2Response Http2Client::read_response(std::uint32_t stream) {
    wait_until([&] { return streams_[stream].response.is_over(); },
               "the end of stream " + std::to_string(stream));
    return streams_[stream].response;
}

Response Http2Client::exchange(std::string_view request) {
    auto const stream = begin(request);
    auto response = read_response(stream);
    if (!response.has_ended)
        throw std::runtime_error("the stream was reset with the code "
                                 + std::to_string(*response.reset));
    return std::move(response.message);
}

void Http2Client::wait_for_ping() {
    auto const opaque = http2::number(++pings_, 8);
    send(http2::ping(opaque));
    wait_until(
        [&] {
            return std::any_of(frames_.rbegin(), frames_.rend(), [&](auto const& one) {
                return one.type == http2::type::ping && one.has(http2::flag::ack)
                       && one.payload == opaque;
            });
        },
        "the acknowledgement of a PING");
}

GoAway Http2Client::read_goaway() {
    wait_until([this] { return goaway_.has_value(); }, "GOAWAY");
    return *goaway_;
}

End Http2Client::read_to_end() {
    TimeLimit const limit;
    for (;;)
        if (auto const end = read_more(limit); end != End::data) return end;
}

bool Http2Client::is_open_for(std::chrono::milliseconds wait) {
    TimeLimit const limit{wait};
    for (;;)
        if (auto const end = read_more(limit); end != End::data) return end == End::time_limit;
}

Response fetch_http2(std::uint16_t port, std::string_view request, Http2Options const& options) {
    return Http2Client{port, options}.exchange(request);
}

} // namespace sallyport::test
