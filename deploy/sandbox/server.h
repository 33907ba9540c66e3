// An HTTP/1.1 server over Beast, plain or TLS, that hands whole requests to a function.
#pragma once

#include "deploy/sandbox/message.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace sallyport::sandbox {

struct ServerLimits {
    std::uint32_t head = 32 * 1024;                      // bytes
    std::uint64_t body = std::uint64_t{8} * 1024 * 1024; // bytes, chunked or not
    std::size_t connections = 1024;                      // one more is closed at once
    std::chrono::seconds handshake{10};                  // for all of it
    std::chrono::seconds head_time{75};      // from the last answer to the end of the next head
    std::chrono::seconds body_time{60};      // for all of it
    std::chrono::seconds write_time{60};     // for a whole answer
    std::chrono::milliseconds linger{1'000}; // for a client to read the answer before a close
};

struct TlsFiles {
    std::string certificate; // PEM, the chain behind it
    std::string private_key;
};

// Owns its loop, which runs on the one thread that calls run(); the handler is asked on that
// thread.
class Server {
public:
    using Handler = std::function<Reply(Request const&)>;

    // Binds and listens. Throws boost::system::system_error where it cannot (port in use, bad key,
    // ...).
    Server(boost::asio::ip::tcp::endpoint const& address, std::optional<TlsFiles> const& tls,
           ServerLimits limits, Handler handler);
    ~Server();
    Server(Server const&) = delete;
    Server& operator=(Server const&) = delete;

    // The port is the one that the system chose where 0 was asked for.
    [[nodiscard]] boost::asio::ip::tcp::endpoint local_endpoint() const;

    // For signals and the like of the caller; what uses it has to go before the server.
    [[nodiscard]] boost::asio::io_context& loop();

    // Serves until stop(), which any thread may call; connections end with the server.
    void run();
    void stop();

    // What the connections share; defined with them.
    struct Shared;

private:
    std::unique_ptr<Shared> shared_;
};

} // namespace sallyport::sandbox
