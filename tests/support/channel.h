// A connected socket with or without TLS, driven byte by byte: what test clients and upstreams read
// and write.
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

// How a read or a write ended.
enum class End : std::uint8_t {
    data,        // there were bytes, or all were written
    orderly,     // FIN on a plain socket, close_notify on TLS: the peer says that it is complete
    truncated,   // FIN without close_notify on TLS
    reset,       // RST
    time_limit,  // nothing happened in time
    interrupted, // the owner of the channel is stopping
    failed,      // anything else: a TLS alert, a broken record
};

char const* name_of(End end);

struct ReadResult {
    End end;
    std::size_t count = 0;
};

// Used by one thread at a time. Non-blocking inside, so that every call has its time limit.
class Channel {
public:
    Channel();
    explicit Channel(Descriptor socket);
    Channel(Channel&&) noexcept;
    Channel& operator=(Channel&&) noexcept;
    ~Channel();

    // Readability of this descriptor (an eventfd) ends every wait with End::interrupted.
    void interrupt_with(int event) { interrupt_ = event; }

    // Empty when it succeeded, else the error. An empty server name sends none.
    std::string connect_tls(ssl_ctx_st* context, std::string const& server_name,
                            TimeLimit limit = TimeLimit{});
    std::string accept_tls(ssl_ctx_st* context, TimeLimit limit = TimeLimit{});

    ReadResult read_some(std::span<char> into, TimeLimit limit = TimeLimit{});
    End write_all(std::string_view bytes, TimeLimit limit = TimeLimit{});

    void send_close_notify(); // TLS only; nothing on a plain socket
    void half_close();        // FIN, without close_notify
    void reset();             // RST at once; what is unsent is lost
    // What the kernel holds of what was written and not read yet, in place of megabytes.
    void limit_send_buffer(int bytes);
    void close(); // FIN (RST where bytes are unread), without close_notify

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

// Both throw std::runtime_error where the connection cannot be had.
Descriptor connect_tcp(std::uint16_t port, ReceiveBuffer buffer = ReceiveBuffer::normal);
Descriptor connect_unix(std::filesystem::path const& path);

// Until nobody listens on the port any more.
void wait_until_closed(std::uint16_t port);

struct Listening {
    Descriptor socket;
    std::uint16_t port = 0;
};

// As long as a crowd that comes at once: a connection that finds no place is dropped by the kernel
// and tried again after a second, which would look like a gateway that is slow.
inline constexpr int long_backlog = 4096;
Listening listen_tcp(int backlog = long_backlog);
// A port that is taken and refuses connections; then no longer.
Listening bind_tcp();
Listening begin_to_listen(Listening bound, int backlog = long_backlog);
Descriptor listen_unix(std::filesystem::path const& path);

} // namespace sallyport::test
