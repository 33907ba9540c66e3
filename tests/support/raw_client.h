// A client that can send any bytes, over TLS or plain TCP, and reads responses strictly.
#pragma once

#include "tests/support/certificates.h"
#include "tests/support/channel.h"
#include "tests/support/message.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::test {

enum class Security : bool { plain, tls };

struct ClientOptions {
    Security security = Security::tls;
    std::string server_name = "localhost";
    ClientTls tls = {};
    ReceiveBuffer receive_buffer = ReceiveBuffer::normal;
};

/// For a listener with `tls: off`, and the admin listener.
ClientOptions without_tls();

/// Used by one thread. A timeout throws std::runtime_error with the bytes received so far.
class RawClient {
public:
    explicit RawClient(std::uint16_t port, ClientOptions const& options = {});
    /// A connected socket, without TLS.
    explicit RawClient(Descriptor socket) : channel_{std::move(socket)} {}

    /// Empty if the handshake succeeded, else the error, for which the constructor throws.
    static std::string try_handshake(std::uint16_t port, ClientOptions const& options);

    void send(std::string_view bytes);
    /// Like `send`, but returns how it ended: for a peer that may close.
    End try_send(std::string_view bytes);
    /// Each piece is a segment (and a TLS record) of its own.
    void send_in_pieces(std::string_view bytes, std::size_t piece);

    /// The next response; interim ones (1xx) are returned too.
    Response read_response(std::string_view method = "GET");
    /// The next response that is not interim.
    Response read_final_response(std::string_view method = "GET");
    /// Sends and reads the final response; the method is taken from the request.
    Response exchange(std::string_view request);
    /// At least `count` bytes, not parsed, removed from the pending ones.
    std::string read_bytes(std::size_t count);
    /// Reads (and keeps) all bytes until the peer ends the connection.
    End read_to_end();
    /// All received bytes that read_response has not consumed.
    [[nodiscard]] std::string const& unread() const { return pending_; }
    /// Whether no end of the connection arrives within `wait`; received bytes are kept.
    bool is_silent_for(std::chrono::milliseconds wait);

    Channel& channel() { return channel_; }

private:
    ReadResult read_more(TimeLimit limit);

    Channel channel_;
    std::string pending_;
    End end_ = End::data;
};

/// One request on a connection of its own.
Response fetch(std::uint16_t port, std::string_view request, ClientOptions const& options = {});

} // namespace sallyport::test
