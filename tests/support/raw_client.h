// A client that can send any bytes, over TLS or plain TCP, and reads answers strictly.
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

// For a listener with `tls: off`, and the admin listener.
ClientOptions without_tls();

// Used by one thread. Whatever does not happen in time throws std::runtime_error with what came so
// far.
class RawClient {
public:
    explicit RawClient(std::uint16_t port, ClientOptions const& options = {});

    // Empty where the handshake succeeded; the constructor throws on failure, this one tells.
    static std::string try_handshake(std::uint16_t port, ClientOptions const& options);

    void send(std::string_view bytes);
    // As `send`, but says how it ended: for writing to a peer that may go away.
    End try_send(std::string_view bytes);
    // Each piece is a segment (and a TLS record) of its own.
    void send_in_pieces(std::string_view bytes, std::size_t piece);

    // The next answer; interim ones (1xx) are returned too.
    Response read_response(std::string_view method = "GET");
    // The next answer that is not interim.
    Response read_final_response(std::string_view method = "GET");
    // Sends and reads the final answer; the method is read off the request.
    Response exchange(std::string_view request);
    // At least `count` bytes, not interpreted, taken out of what is pending.
    std::string read_bytes(std::size_t count);
    // Reads (and keeps) what comes until the peer ends the connection.
    End read_to_end();
    // Everything that came and was not taken by read_response.
    [[nodiscard]] std::string const& unread() const { return pending_; }
    // Whether the peer has ended the connection already; what comes meanwhile is kept.
    bool is_silent_for(std::chrono::milliseconds wait);

    Channel& channel() { return channel_; }

private:
    ReadResult read_more(TimeLimit limit);

    Channel channel_;
    std::string pending_;
    End end_ = End::data;
};

// One request on a connection of its own.
Response fetch(std::uint16_t port, std::string_view request, ClientOptions const& options = {});

} // namespace sallyport::test
