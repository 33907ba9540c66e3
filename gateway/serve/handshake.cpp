// The TLS handshake of a client, and its limits.
#include "gateway/serve/handshake.h"

#include "gateway/http/first_bytes.h"
#include "gateway/net/plain_stream.h"
#include "gateway/net/tls_stream.h"
#include "gateway/serve/certificate.h"
#include "gateway/serve/log_exchange.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>

namespace sallyport::serve {

namespace {

// Null: another handshake is allowed.
Connection* handshake_to_end(Connection& connection) {
    auto& waiting = connection.worker().waiting;
    auto const& limits = connection.worker().current->snapshot->config.limits;
    auto const& place = connection.place();
    // A trusted proxy has those of all its clients.
    bool const has_limit = connection.client().proxied == nullptr;
    if (has_limit && place.count_of_address(WaitsFor::handshake) >= limits.handshakes_per_address)
        return place.longest_of_address(WaitsFor::handshake);
    if (waiting.count(WaitsFor::handshake) < limits.handshakes) return nullptr;
    return waiting.longest(WaitsFor::handshake);
}

// Beyond the limit the oldest handshake that waits for its client is closed. If all of them wait
// for this worker the limit is exceeded for a while, and several are closed later.
void bound_handshakes(Connection& connection) {
    constexpr int most_at_once = 16;
    for (int i = 0; i < most_at_once; ++i) {
        auto* const leaving = handshake_to_end(connection);
        if (leaving == nullptr) return;
        leaving->give_way(WaitsFor::handshake);
    }
}

constexpr std::string_view https_only =
    "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 60\r\n"
    "Connection: close\r\n\r\n"
    "This port speaks HTTPS: repeat the request with https://...\n";
static_assert(https_only.substr(https_only.find("\r\n\r\n") + 4).size() == 60);

// Plain HTTP on a TLS port, probably from a person: a readable response. Other bytes get
// none.
net::Task<> respond_to_plain_http(Connection& connection, net::TlsStream& tls) {
    net::PlainStream plain{tls.release_socket(), {}};
    auto& worker = connection.worker();
    auto deadline = net::Deadline::calling<&net::Stream::abort>(worker.loop.deadlines(),
                                                                static_cast<net::Stream&>(plain));
    deadline.arm_after(worker.current->snapshot->config.limits.handshake);
    std::array<char, 32> bytes{};
    std::size_t size = 0;
    auto first = http::FirstBytes::unfinished;
    while (first == http::FirstBytes::unfinished) {
        auto const read = co_await plain.read_some({bytes.data() + size, bytes.size() - size});
        if (!read) co_return;
        size += *read;
        first = http::judge_first_bytes({bytes.data(), size});
    }
    if (first != http::FirstBytes::request) co_return plain.close();
    note_failed_handshake(worker, connection.client(), "plain HTTP came to a port of HTTPS");
    auto const error = co_await plain.write(https_only);
    if (!error) co_await plain.shutdown();
}

// Reads what the client has sent before it got the alert, so that no reset overtakes that. The
// client ends the connection when it has read it.
net::Task<> end_in_order(Connection& connection, net::TlsStream& tls) {
    LingeringConnections::One const lingering{connection.worker().lingering,
                                              connection.client().caller};
    auto limits = lingering.limits();
    limits.time = std::min<net::Clock::duration>(limits.time, std::chrono::seconds{2});
    limits.bytes = std::min(limits.bytes, std::size_t{64} * 1024);
    co_await tls.shutdown(limits);
}

} // namespace

// RFC 8446: peers without TLS, or without a supported version, are not served.
net::Task<bool> perform_handshake(Connection& connection) {
    auto* const tls = dynamic_cast<net::TlsStream*>(&connection.stream());
    if (tls == nullptr) co_return true;
    auto& worker = connection.worker();
    auto deadline = net::Deadline::calling<&net::Stream::abort>(worker.loop.deadlines(),
                                                                static_cast<net::Stream&>(*tls));
    deadline.arm_after(worker.current->snapshot->config.limits.handshake);
    bound_handshakes(connection);
    connection.place().begin(WaitsFor::handshake, connection.idle_since());
    auto const error = co_await tls->handshake();
    connection.place().end();
    deadline.disarm();
    if (error) {
        worker.metrics.handshakes_failed.add();
        log_failed_handshake(worker, connection.client(), error);
        if (error == net::StreamError::not_tls) {
            co_await respond_to_plain_http(connection, *tls);
        } else {
            co_await end_in_order(connection, *tls);
        }
        co_return false;
    }
    auto& client = connection.client();
    auto const& info = *tls->tls();
    client.tls_version = info.version;
    client.tls_cipher = info.cipher;
    client.tls_group = info.group;
    client.tls_resumed = info.resumed == net::Resumed::yes;
    if (client.certificate) keep_certificate(*client.certificate, *tls);
    worker.metrics.handshakes_completed.add();
    if (client.tls_resumed) worker.metrics.handshakes_resumed.add();
    connection.idle_since(net::Clock::now());
    co_return true;
}

} // namespace sallyport::serve
