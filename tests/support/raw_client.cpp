// Sends the given bytes and collects responses.
#include "tests/support/raw_client.h"

#include <openssl/ssl.h>

#include <array>
#include <stdexcept>

namespace sallyport::test {

ClientOptions without_tls() {
    ClientOptions options;
    options.security = Security::plain;
    return options;
}

RawClient::RawClient(std::uint16_t port, ClientOptions const& options)
    : channel_(connect_tcp(port, options.receive_buffer)) {
    if (options.security == Security::plain) return;
    auto const error = channel_.connect_tls(client_context(options.tls), options.server_name);
    if (!error.empty()) throw std::runtime_error("TLS handshake: " + error);
}

std::string RawClient::try_handshake(std::uint16_t port, ClientOptions const& options) {
    Channel channel{connect_tcp(port)};
    auto error = channel.connect_tls(client_context(options.tls), options.server_name);
    if (!error.empty()) return error;
    // A server of TLS 1.3 may refuse after the client has finished: a response proves that it did
    // not.
    channel.send_close_notify();
    std::array<char, 64> bytes{};
    auto const result = channel.read_some(bytes);
    return result.end == End::orderly || result.end == End::data ? "" : name_of(result.end);
}

void RawClient::send(std::string_view bytes) {
    if (auto const end = channel_.write_all(bytes); end != End::data)
        throw std::runtime_error(std::string{"cannot send: "} + name_of(end));
}

End RawClient::try_send(std::string_view bytes) {
    return channel_.write_all(bytes);
}

void RawClient::send_in_pieces(std::string_view bytes, std::size_t piece) {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size())))
        send(bytes.substr(0, piece));
}

ReadResult RawClient::read_more(TimeLimit limit) {
    if (end_ != End::data) return {end_};
    std::array<char, 16384> bytes;
    auto const result = channel_.read_some(bytes, limit);
    if (result.end == End::data)
        pending_.append(bytes.data(), result.count);
    else if (result.end != End::time_limit)
        end_ = result.end;
    return result;
}

Response RawClient::read_response(std::string_view method) {
    TimeLimit const limit;
    auto more = MoreToCome::yes;
    for (;;) {
        if (!pending_.empty() || more == MoreToCome::no) {
            if (auto parsed = parse_response(pending_, method, more)) {
                pending_.erase(0, parsed->size);
                return std::move(parsed->message);
            }
        }
        switch (auto const result = read_more(limit); result.end) {
        case End::data: break;
        case End::orderly: more = MoreToCome::no; break;
        default:
            throw std::runtime_error(std::string{"no complete response ("} + name_of(result.end)
                                     + "), only: " + pending_);
        }
    }
}

Response RawClient::read_final_response(std::string_view method) {
    for (;;)
        if (auto response = read_response(method); response.status / 100 != 1) return response;
}

Response RawClient::exchange(std::string_view request) {
    send(request);
    return read_final_response(request.substr(0, request.find(' ')));
}

std::string RawClient::read_bytes(std::size_t count) {
    TimeLimit const limit;
    while (pending_.size() < count)
        if (auto const result = read_more(limit); result.end != End::data)
            throw std::runtime_error(std::string{"too few bytes ("} + name_of(result.end)
                                     + "): " + pending_);
    auto bytes = pending_.substr(0, count);
    pending_.erase(0, count);
    return bytes;
}

End RawClient::read_to_end() {
    TimeLimit const limit;
    for (;;)
        if (auto const result = read_more(limit); result.end != End::data) return result.end;
}

bool RawClient::is_silent_for(std::chrono::milliseconds wait) {
    return read_more(TimeLimit{wait}).end == End::time_limit;
}

Response fetch(std::uint16_t port, std::string_view request, ClientOptions const& options) {
    return RawClient{port, options}.exchange(request);
}

} // namespace sallyport::test
