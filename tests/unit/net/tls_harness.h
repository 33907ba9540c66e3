// A TLS server and a TLS client over a socket pair, for tests.
#pragma once

#include "gateway/net/plain_stream.h"
#include "gateway/net/tls_stream.h"
#include "tests/unit/net/certificates.h"
#include "tests/unit/net/harness.h"

#include <memory>

namespace sallyport::net::test {

/// Made once: generating keys is slow.
inline Authority const& authority() {
    static Authority const made;
    return made;
}
inline Identity const& example_identity() {
    static Identity const made =
        authority().issue({{"api.example.com"}, {"127.0.0.1", "::1"}, KeyKind::ecdsa});
    return made;
}

inline std::shared_ptr<TlsServerContext const>
make_server(ServerTlsSettings settings,
            std::shared_ptr<TicketKeys> keys = std::make_shared<TicketKeys>()) {
    if (settings.certificates.empty()) settings.certificates = {source_of(example_identity())};
    auto made = TlsServerContext::make(settings, std::move(keys));
    for (auto const& problem : made.problems)
        INFO(problem.file << ": " << problem.text);
    REQUIRE(made.context);
    return made.context;
}

inline std::shared_ptr<TlsClientContext const> make_client(ClientTlsSettings settings = {}) {
    if (!settings.ca) settings.ca = PemSource{"ca.pem", authority().certificate()};
    auto made = TlsClientContext::make(settings);
    REQUIRE(made.context);
    return made.context;
}

struct TlsEnds {
    struct Options {
        ServerTlsSettings server{};
        ClientTlsSettings client{};
        std::string name = "api.example.com";
        bool tcp = false;
        std::shared_ptr<TlsServerContext const> server_context{};
        std::shared_ptr<TlsClientContext const> client_context{};
        std::shared_ptr<TlsSession> session{};
    };

    /// The loop of an earlier connection, or one of its own.
    std::unique_ptr<Loop> owned_loop = std::make_unique<Loop>();
    Loop& loop = *owned_loop;
    std::shared_ptr<TlsServerContext const> server_context;
    std::shared_ptr<TlsClientContext const> client_context;
    std::unique_ptr<TlsStream> server;
    std::unique_ptr<TlsStream> client;
    int server_socket = -1;
    int client_socket = -1;

    TlsEnds() : TlsEnds(Options{}) {}
    explicit TlsEnds(Options options)
        : server_context(options.server_context ? options.server_context
                                                : make_server(options.server)),
          client_context(options.client_context ? options.client_context
                                                : make_client(options.client)) {
        auto pair = options.tcp ? make_tcp_pair() : make_pair();
        server_socket = pair.first.get();
        client_socket = pair.second.get();
        server = std::make_unique<TlsStream>(std::make_unique<Socket>(loop, std::move(pair.first)),
                                             Peer{}, server_context);
        client =
            std::make_unique<TlsStream>(std::make_unique<Socket>(loop, std::move(pair.second)),
                                        Peer{}, *client_context, options.name, options.session);
    }

    struct Outcome {
        Error server;
        Error client;
    };

    /// A side that fails closes, as its owner does, so that the other side notices.
    static Task<Error> shake(TlsStream& side) {
        auto const error = co_await side.handshake();
        if (error) side.close();
        co_return error;
    }

    Outcome handshake() {
        std::optional<Error> server_result;
        std::optional<Error> client_result;
        start(loop, keep_result(shake(*server), server_result));
        start(loop, keep_result(shake(*client), client_result));
        run_until(loop, [&] { return server_result && client_result; });
        return {*server_result, *client_result};
    }

    TlsEnds& connected() {
        auto const outcome = handshake();
        INFO("server: " << outcome.server.message() << ", client: " << outcome.client.message());
        REQUIRE_FALSE(outcome.server);
        REQUIRE_FALSE(outcome.client);
        return *this;
    }

    /// Both sides, one after the other; also lets the client receive the session ticket.
    void exchange(std::string_view request, std::string_view response) {
        REQUIRE_FALSE(run(loop, client->write(request)));
        REQUIRE(run(loop, read_exactly(*server, request.size())) == request);
        REQUIRE_FALSE(run(loop, server->write(response)));
        REQUIRE(run(loop, read_exactly(*client, response.size())) == response);
    }
};

} // namespace sallyport::net::test
