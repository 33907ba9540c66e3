// A client of HTTP/2 that can send any frames, and reads what comes strictly (RFC 9113).
#pragma once

#include "tests/support/http2_frames.h"
#include "tests/support/raw_client.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct nghttp2_hd_inflater;

namespace sallyport::test {

/// Whether a client replies by itself: acknowledges SETTINGS and PING, and gives the bytes of
/// bodies back to the windows.
enum class Replies : bool { none, automatic };

struct Http2Options {
    Http2Options() { connection.tls.protocols = "h2"; }

    ClientOptions connection;
    std::string settings;                 // entries of the first frame: http2::setting(...)
    Replies replies = Replies::automatic; // Replies::none also sends no preface
};

/// What came on one stream so far.
struct Http2Response {
    Response message; // `reason` is empty, `framing` is Framing::none
    std::vector<int> interim;
    bool has_head = false;
    bool has_ended = false;             // END_STREAM
    std::optional<std::uint32_t> reset; // the code of RST_STREAM
    [[nodiscard]] bool is_over() const { return has_ended || reset; }
};

struct GoAway {
    std::uint32_t last_stream = 0;
    std::uint32_t code = 0;
};

/// Used by one thread. It reads only within its waits, each of which throws std::runtime_error
/// after the time limit. Frames that no server may send throw BadMessage: too large ones, ones in
/// the wrong order, DATA beyond a window, a body that has not its length.
class Http2Client {
public:
    /// Sends preface and SETTINGS. Throws std::runtime_error unless the server chooses `h2`.
    explicit Http2Client(std::uint16_t port, Http2Options const& options = {});
    /// A connected socket, without TLS.
    explicit Http2Client(Descriptor socket, Http2Options const& options = {});
    ~Http2Client();

    // --- requests, given as the text of HTTP/1.1 that RawClient sends

    /// Sends the request and reads the response. Throws if the stream is reset before its end.
    Response exchange(std::string_view request);
    /// Begins a stream and sends the whole request, its body as the windows permit, with its
    /// trailers; the stream.
    std::uint32_t begin(std::string_view request);
    /// Waits until the stream has ended.
    Http2Response read_response(std::uint32_t stream);

    // --- single frames

    /// Any bytes.
    void send(std::string_view bytes);
    End try_send(std::string_view bytes);
    /// WINDOW_UPDATE, of the connection with the stream 0, which counts for what may come.
    void widen(std::uint32_t stream, std::uint32_t increment);
    /// DATA as the windows permit, which are waited for.
    void send_body(std::uint32_t stream, std::string_view body, unsigned flags);
    /// An id that no stream of this client has had.
    std::uint32_t next_stream();

    // --- what has come

    /// What has come on a stream; empty for one that nothing has come for.
    [[nodiscard]] Http2Response const& stream(std::uint32_t id) { return streams_[id].response; }
    /// Every frame so far, in order.
    [[nodiscard]] std::vector<http2::Frame> const& frames() const { return frames_; }
    [[nodiscard]] std::size_t count_of(unsigned type) const;
    /// The last GOAWAY so far.
    [[nodiscard]] std::optional<GoAway> const& goaway() const { return goaway_; }
    /// The value of a setting of the server, if it has sent it.
    [[nodiscard]] std::optional<std::uint32_t> setting(unsigned id) const;

    // --- waits

    /// Reads until the predicate is true; `what` is for the message of the failure.
    void wait_until(std::function<bool()> const& predicate, std::string_view what);
    /// Until all that was sent has been read, by a PING.
    void wait_for_ping();
    GoAway read_goaway();
    /// All frames until the server ends the connection.
    End read_to_end();
    /// Whether nothing that ends the connection comes within `wait`; frames are taken.
    bool is_open_for(std::chrono::milliseconds wait);

    Channel& channel() { return channel_; }

private:
    struct FreeInflater {
        void operator()(nghttp2_hd_inflater* inflater) const;
    };
    struct Stream {
        Http2Response response;
        std::string method;
        std::int64_t send_window = 0;    // without what SETTINGS change
        std::int64_t receive_window = 0; // likewise
    };

    void begin_connection(Http2Options const& options);
    End read_more(TimeLimit limit);
    void take(http2::Frame const& frame);
    void take_data(http2::Frame const& frame);
    void take_head(http2::Frame const& frame);
    void take_settings(http2::Frame const& frame);
    Fields inflate(std::string_view block);
    void reply(std::string_view bytes);
    [[nodiscard]] std::int64_t room(std::uint32_t stream);

    Channel channel_;
    Replies replies_;
    std::unique_ptr<nghttp2_hd_inflater, FreeInflater> inflater_;
    std::string pending_;
    std::string block_; // of a head that has begun
    std::vector<http2::Frame> frames_;
    std::map<std::uint32_t, Stream> streams_;
    std::map<unsigned, std::uint32_t> settings_;
    std::optional<GoAway> goaway_;
    std::uint32_t next_stream_ = 1;
    std::uint32_t own_window_ = http2::first_window; // of each stream, as SETTINGS said
    std::int64_t send_window_ = http2::first_window;
    std::int64_t receive_window_ = http2::first_window;
    std::uint64_t pings_ = 0;
    End end_ = End::data;
};

/// One request on a connection of its own, as fetch() does in HTTP/1.1.
Response fetch_http2(std::uint16_t port, std::string_view request,
                     Http2Options const& options = {});

} // namespace sallyport::test
