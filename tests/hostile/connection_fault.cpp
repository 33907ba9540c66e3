// Endpoints at which no process listens, another server listens, or a server does not respond.
#include "tests/hostile/connection_fault.h"

#include "tests/support/configuration.h"

#include <array>
#include <charconv>
#include <map>
#include <stdexcept>

#include <openssl/ssl.h>

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

namespace sallyport::test {
namespace {

using Script = RecordingUpstream::Script;

ConnectionFault read_row(Block const& table, Block const& rows, std::string const& row) {
    ConnectionFault fault{table.argument, rows.place, row.substr(0, row.find(' ')), 0, {}};
    fault.name += " [" + fault.keyword + "]";
    auto const arrow = row.find("=> ");
    auto const space = row.find(' ', arrow + 3);
    if (arrow == std::string::npos || space == std::string::npos)
        throw std::runtime_error(rows.place + ": a row without an expectation");
    std::from_chars(row.data() + arrow + 3, row.data() + space, fault.status);
    fault.reason = row.substr(space + 1);
    return fault;
}

// After the first bytes of the gateway, so that it is the response to its ClientHello.
Script respond_to_hello(std::string const& bytes) {
    return [bytes](UpstreamExchange& exchange) {
        std::array<char, 4096> hello{};
        exchange.channel().read_some(hello);
        exchange.send(bytes);
        exchange.wait_for_end();
        exchange.close();
    };
}

// What a server does with a client that starts a TLS handshake.
std::map<std::string, Script, std::less<>> const& scripts() {
    using namespace std::string_literals;
    static std::map<std::string, Script, std::less<>> const all{
        {"closes", [](UpstreamExchange& exchange) { exchange.close(); }},
        {"resets", [](UpstreamExchange& exchange) { exchange.reset(); }},
        {"holds",
         [](UpstreamExchange& exchange) {
             exchange.wait_for_end();
             exchange.close();
         }},
        {"half_a_hello", respond_to_hello("\x16\x03\x03\x00\x7a\x02\x00"s)},
        {"plain_http", respond_to_hello("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")},
        {"garbage", respond_to_hello(std::string(4096, '\x5a'))},
        {"alert", respond_to_hello("\x15\x03\x03\x00\x02\x02\x28"s)}, // handshake_failure
        // A ServerHello of TLS 1.1, otherwise valid.
        {"old_tls", respond_to_hello("\x16\x03\x02\x00\x2a\x02\x00\x00\x26\x03\x02"s
                                     + std::string(32, 'r') + "\x00\xc0\x13\x00"s)},
    };
    return all;
}

} // namespace

std::vector<ConnectionFault> connection_faults() {
    std::vector<ConnectionFault> faults;
    for (auto const& file : case_files("connections")) {
        Block table;
        for (auto const& block : read_blocks(file)) {
            if (block.keyword == "table")
                table = block;
            else if (block.keyword == "rows")
                for (auto const& row : block.lines)
                    faults.push_back(read_row(table, block, row));
            else if (block.keyword != "source")
                throw std::runtime_error(block.place + ": unknown keyword " + block.keyword);
        }
    }
    return faults;
}

FaultyEndpoint::FaultyEndpoint(std::string_view keyword) {
    auto const& all = certificates();
    auto const with = [&](Certificate const& certificate) {
        upstream_ = std::make_unique<RecordingUpstream>(
            Script{}, RecordingUpstream::Options{.certificate = certificate});
        endpoint_ = upstream_->endpoint();
    };
    if (keyword == "refused") {
        listening_ = bind_tcp(); // kept, so that no other process gets the port
        endpoint_ = "http://127.0.0.1:" + std::to_string(listening_.port);
    } else if (keyword == "unreachable") {
        endpoint_ =
            "http://255.255.255.255:80"; // TCP has no broadcast: the kernel refuses it at once
    } else if (keyword == "no_socket") {
        endpoint_ = "unix:/nonexistent/upstream.sock";
    } else if (keyword == "no_name") {
        endpoint_ = "http://upstream.invalid:80"; // RFC 6761, 6.4
    } else if (keyword == "silent") {
        listen_with_full_queue();
    } else if (keyword == "unknown_authority") {
        with(all.untrusted);
    } else if (keyword == "expired") {
        with(all.expired);
    } else if (keyword == "wrong_name") {
        with(all.second);
    } else if (auto const found = scripts().find(keyword); found != scripts().end()) {
        upstream_ = std::make_unique<RecordingUpstream>(
            Script{}, RecordingUpstream::Options{.on_connection = found->second});
        endpoint_ = "https://127.0.0.1:" + std::to_string(upstream_->port());
    } else {
        throw std::runtime_error("unknown endpoint " + std::string{keyword});
    }
}

// Once its queue is full, Linux drops the SYN of each further connection.
void FaultyEndpoint::listen_with_full_queue() {
    listening_ = listen_tcp(0);
    endpoint_ = "http://127.0.0.1:" + std::to_string(listening_.port);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(listening_.port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int left = 16; left > 0; --left) {
        waiting_.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
        ::connect(waiting_.back().get(), reinterpret_cast<sockaddr const*>(&address),
                  sizeof address);
        pollfd one{waiting_.back().get(), POLLOUT, 0};
        if (::poll(&one, 1, 100) == 0) return;
    }
    throw std::runtime_error("the queue of a listening socket does not fill");
}

std::string FaultyEndpoint::yaml(std::string_view name) const {
    std::string more = "timeouts: { connect: 1s, first_byte: 5s, idle: 5s, total: 10s }";
    if (endpoint_.substr(0, 6) == "https:")
        more += ", tls: { ca: \"" + certificates().authority.string()
                + "\", server_name: upstream.example.test }";
    return upstream_yaml(name, endpoint_, more);
}

std::size_t FaultyEndpoint::requests() const {
    return upstream_ ? upstream_->requests().size() : 0;
}

std::optional<std::size_t> FaultyEndpoint::connections() const {
    if (!upstream_) return std::nullopt;
    return upstream_->connections();
}

} // namespace sallyport::test
