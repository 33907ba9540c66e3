// An upstream in threads of its own that records the exact bytes of requests and responds as
// scripted by the test.
#pragma once

#include "tests/support/certificates.h"
#include "tests/support/channel.h"
#include "tests/support/event.h"
#include "tests/support/message.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace sallyport::test {

/// The text of a response with Content-Length; by default a 200 with a JSON body.
std::string response_text(std::string_view body, int status = 200, Fields const& more = {},
                          std::string_view media_type = "application/json");

/// One exchange for the script of the upstream; valid while the script runs, on its connection's
/// thread.
class UpstreamExchange {
public:
    UpstreamExchange(Channel& channel, std::string& pending, int stop)
        : channel_(channel), pending_(pending), stop_(stop) {}

    Request request;                      // empty in `on_connection`
    std::size_t number = 0;               // of this request among all, counted from 0
    std::size_t number_on_connection = 0; // counted from 0 too

    End send(std::string_view bytes) { return channel_.write_all(bytes); }
    void send_in_pieces(std::string_view bytes, std::size_t piece);
    /// Reads the rest of a request whose script was started at its head.
    void read_body();
    /// Waits until the test opens the gate, or the upstream is destroyed.
    void wait(Event const& gate) const { gate.wait(stop_); }
    /// How the gateway ends this connection; bytes before the end are kept.
    End wait_for_end();

    void reset() { channel_.reset(); }
    void close() { channel_.close(); }
    void half_close() { channel_.half_close(); }
    void close_orderly();
    Channel& channel() { return channel_; }

private:
    friend class RecordingUpstream;
    Channel& channel_;
    std::string& pending_;
    int stop_;
};

class RecordingUpstream {
public:
    using Script = std::function<void(UpstreamExchange&)>;
    enum class Start : std::uint8_t { after_body, after_head };

    struct Options {
        std::optional<Certificate> certificate = {}; // TLS
        /// Demands a certificate of clients, which this authority has signed.
        std::optional<std::filesystem::path> client_authority = {};
        std::optional<std::filesystem::path> unix_path = {};
        Listening* bound = nullptr;      // of bind_tcp(), moved from: where to listen
        Start start = Start::after_body; // when the script of an exchange runs
        Script on_connection = {};       // before anything is read (after the handshake)
    };

    /// Without a script every request gets a 200 with the body `{}`.
    RecordingUpstream();
    explicit RecordingUpstream(Script script);
    RecordingUpstream(Script script, Options options);
    RecordingUpstream(RecordingUpstream const&) = delete;
    RecordingUpstream& operator=(RecordingUpstream const&) = delete;
    ~RecordingUpstream();

    [[nodiscard]] std::uint16_t port() const { return listening_.port; }
    /// As the gateway's configuration names it: http://127.0.0.1:PORT, https://..., unix:PATH.
    [[nodiscard]] std::string endpoint() const;

    void respond_with(Script script);
    /// Closes the listening socket: later connections are refused.
    void stop_listening();

    [[nodiscard]] std::vector<Request> requests() const;
    [[nodiscard]] Request request(std::size_t index) const; // waits for it
    [[nodiscard]] std::size_t connections() const;          // accepted until now
    [[nodiscard]] std::size_t open_connections() const;
    /// The errors in the gateway's requests: must be empty.
    [[nodiscard]] std::vector<std::string> protocol_errors() const;
    [[nodiscard]] std::vector<std::string> failed_handshakes() const;
    [[nodiscard]] std::vector<std::string> server_names() const; // of SNI, a connection each
    /// The first names in clients' certificates, a connection each; empty: none was shown.
    [[nodiscard]] std::vector<std::string> client_names() const;

    /// Each throws std::runtime_error if it does not become true in time.
    void wait_for_requests(std::size_t count) const;
    void wait_for_connections(std::size_t count) const;
    void wait_for_open_connections(std::size_t count) const; // exactly that many
    void wait_for_failed_handshakes(std::size_t count) const;

private:
    void accept_connections();
    void serve(Channel& channel, std::size_t connection);
    bool serve_request(Channel& channel, std::string& pending, std::size_t connection,
                       std::size_t number_on_connection);
    bool shake_hands(Channel& channel);
    template <class Predicate>
    void wait_until(Predicate predicate, char const* what) const;

    Options options_;
    Listening listening_;
    Event stop_;
    Event stop_listening_;
    mutable std::mutex lock_;
    mutable std::condition_variable changed_;
    Script script_;
    std::vector<Request> requests_;
    std::vector<std::string> protocol_errors_;
    std::vector<std::string> failed_handshakes_;
    std::vector<std::string> server_names_;
    std::vector<std::string> client_names_;
    std::size_t connections_ = 0;
    std::size_t open_ = 0;
    std::list<std::thread> threads_;
    std::thread acceptor_;
};

/// Scripts that send these bytes for any request; the second closes after them.
RecordingUpstream::Script send_bytes(std::string bytes);
RecordingUpstream::Script send_and_close(std::string bytes);

} // namespace sallyport::test
