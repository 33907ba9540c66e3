// An HTTP/1.1 server over Beast, plain or TLS, which passes whole requests to a function.
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
    std::size_t connections = 1024;                      // further ones are closed at once
    std::chrono::seconds handshake{10};                  // in total
    std::chrono::seconds head_time{75};      // from the last response to the end of the next head
    std::chrono::seconds body_time{60};      // in total
    std::chrono::seconds write_time{60};     // for a whole response
    std::chrono::milliseconds linger{1'000}; // for a client to read the response before the
                                             // connection is closed
};

struct TlsFiles {
    std::string certificate; // PEM, the chain behind it
    std::string private_key;
};

/// Owns its loop, which runs on the thread that calls run(); the handler is called on that
/// thread.
class Server {
public:
    using Handler = std::function<Reply(Request const&)>;

    /// Binds and listens. Throws boost::system::system_error on failure (port in use, bad key,
    /// ...).
    Server(boost::asio::ip::tcp::endpoint const& address, std::optional<TlsFiles> const& tls,
           ServerLimits limits, Handler handler);
    ~Server();
    Server(Server const&) = delete;
    Server& operator=(Server const&) = delete;

    /// With the port chosen by the system if 0 was requested.
    [[nodiscard]] boost::asio::ip::tcp::endpoint local_endpoint() const;

    /// For the caller's signals and timers, which must be destroyed before the server.
    [[nodiscard]] boost::asio::io_context& loop();

    /// Serves until stop(), which any thread may call; connections end with the server.
    void run();
    void stop();

    /// State shared by the connections.
    struct Shared;

private:
    std::unique_ptr<Shared> shared_;
};

} // namespace sallyport::sandbox
