// A connected socket with or without TLS, driven byte by byte: used by test clients and
// upstreams.
#pragma once

#include "tests/support/descriptor.h"
#include "tests/support/time_limit.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct ssl_st;
struct ssl_ctx_st;

namespace sallyport::test {

/// How a read or a write ended.
enum class End : std::uint8_t {
    data,        // bytes were read, or all were written
    orderly,     // FIN on a plain socket, close_notify on TLS: the data are complete
    truncated,   // FIN without close_notify on TLS
    reset,       // RST
    time_limit,  // nothing happened within the time limit
    interrupted, // the owner of the channel is stopping
    failed,      // any other error: a TLS alert, an invalid record
};

char const* name_of(End end);

struct ReadResult {
    End end;
    std::size_t count = 0;
};

/// Used by one thread at a time. Non-blocking inside, so that every call has its time limit.
class Channel {
public:
    Channel();
    explicit Channel(Descriptor socket);
    Channel(Channel&&) noexcept;
    Channel& operator=(Channel&&) noexcept;
    ~Channel();

    /// Makes readability of this descriptor (an eventfd) end every wait with End::interrupted.
    void interrupt_with(int event) { interrupt_ = event; }

    /// Empty if it succeeded, else the error. An empty server name sends none.
    std::string connect_tls(ssl_ctx_st* context, std::string const& server_name,
                            TimeLimit limit = TimeLimit{});
    std::string accept_tls(ssl_ctx_st* context, TimeLimit limit = TimeLimit{});

    ReadResult read_some(std::span<char> into, TimeLimit limit = TimeLimit{});
    End write_all(std::string_view bytes, TimeLimit limit = TimeLimit{});

    void send_close_notify(); // TLS only; nothing on a plain socket
    void half_close();        // FIN, without close_notify
    void reset();             // RST at once; unsent bytes are lost
    /// Limits the kernel's send buffer, which otherwise holds megabytes.
    void limit_send_buffer(int bytes);
    void close(); // FIN (RST if bytes are unread), without close_notify

    [[nodiscard]] bool is_open() const { return socket_.is_open(); }
    [[nodiscard]] int descriptor() const { return socket_.get(); }
    [[nodiscard]] ssl_st* tls() const { return tls_.get(); }

private:
    struct FreeTls {
        void operator()(ssl_st* tls) const;
    };
    std::string shake_hands(TimeLimit limit);
    End wait(short events, TimeLimit limit) const;
    End end_of_tls_call(int result, TimeLimit limit) const;

    Descriptor socket_;
    std::unique_ptr<ssl_st, FreeTls> tls_;
    int interrupt_ = -1;
};

enum class ReceiveBuffer : std::uint8_t { normal, tiny };

/// Both throw std::runtime_error if the connection fails.
Descriptor connect_tcp(std::uint16_t port, ReceiveBuffer buffer = ReceiveBuffer::normal);
Descriptor connect_unix(std::filesystem::path const& path);

/// Waits until no socket listens on the port.
void wait_until_closed(std::uint16_t port);

struct Listening {
    Descriptor socket;
    std::uint16_t port = 0;
};

/// Long enough for many simultaneous connections: the kernel drops one beyond the queue, and its
/// client retries after a second, which would look like a slow gateway.
inline constexpr int long_backlog = 4096;
Listening listen_tcp(int backlog = long_backlog);
/// A port that is bound and refuses connections until it listens.
Listening bind_tcp();
Listening begin_to_listen(Listening bound, int backlog = long_backlog);
Descriptor listen_unix(std::filesystem::path const& path);

} // namespace sallyport::test
