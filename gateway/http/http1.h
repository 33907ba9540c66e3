// HTTP/1.1 towards a client: reads heads and bodies from a stream, writes responses to it (RFC
// 9112).
#pragma once

#include "gateway/http/body.h"
#include "gateway/http/body_pace.h"
#include "gateway/http/codec.h"
#include "gateway/http/framing.h"
#include "gateway/http/transport.h"
#include "gateway/net/buffers.h"
#include "gateway/net/loop.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

namespace sallyport::http {

class HeadWriter;

/// One connection, request after request. Used on one thread by one coroutine, except for the body,
/// which the forwarding coroutine may read while another sends the response.
class Http1 final : public SerialCodec, public Transport {
public:
    Http1(net::Stream& stream, net::Loop& loop, ConnectionLimits const& limits);

    void use(ConnectionLimits const& limits) noexcept override { limits_ = &limits; }
    net::Wait wait_for_request(net::Clock::time_point now) override;
    [[nodiscard]] bool has_request() override;
    Transport& transport() noexcept override { return *this; }
    void stop_after_exchange() noexcept override;
    void cut_off() noexcept override;
    net::Task<> close(net::LingerLimits limits = {}) override;

    net::Task<HeadRead> read_head(RequestHead& head) override;
    [[nodiscard]] Refused refused() const noexcept override { return refused_; }
    net::Task<BodyPart> read_body(std::uint64_t limit, Gather gather) override;
    [[nodiscard]] std::string_view trailers() const noexcept override {
        return trailers_ == nullptr ? std::string_view{} : *trailers_;
    }
    void stop_reading_body() noexcept override;
    net::Task<net::Error> send_continue() override;
    net::Task<net::Error> send_head(OutgoingHead const& head, std::string_view first,
                                    Ends ends) override;
    net::Task<net::Error> send_body(std::string_view bytes, Ends ends) override;
    net::Task<net::Error> send_trailers(std::string_view lines) override;
    void close_after_response() noexcept override { keep_alive_ = KeepAlive::no; }
    net::Task<KeepAlive> finish_exchange() override;
    void abort() noexcept override;
    net::PeerState watch_client(net::PeerWatcher& watcher) override {
        watcher_ = &watcher;
        return stream_.watch_peer(watcher);
    }
    void unwatch_client() noexcept override {
        watcher_ = nullptr;
        stream_.unwatch_peer();
    }
    [[nodiscard]] ClientLoss client_loss() const noexcept override;
    [[nodiscard]] Protocol protocol() const noexcept override { return protocol_; }
    [[nodiscard]] std::size_t part_size() const noexcept override { return std::size_t{64} * 1024; }
    [[nodiscard]] bool head_sent() const noexcept override { return head_sent_; }
    [[nodiscard]] bool body_complete() const noexcept override { return body_complete_; }
    [[nodiscard]] std::uint64_t bytes_in() const noexcept override { return bytes_in_; }
    [[nodiscard]] std::uint64_t bytes_out() const noexcept override { return bytes_out_; }

private:
    /// Bytes that were read and not yet used: those of [begin, end).
    struct Input {
        net::Buffer buffer;
        std::size_t begin = 0;
        std::size_t end = 0;

        [[nodiscard]] std::string_view bytes() const noexcept {
            return {buffer.data() + begin, end - begin};
        }
        [[nodiscard]] std::size_t room() const noexcept { return buffer.capacity() - end; }
        [[nodiscard]] bool is_empty() const noexcept { return begin == end; }
    };
    enum class Chunks : std::uint8_t { no, yes };
    /// Behind a 101: all bytes, whatever they are.
    struct UntilClose {};

    void forget_exchange() noexcept;
    /// Reads into the input, which is empty, what has arrived of a head.
    net::Result<std::size_t> read_available();
    [[nodiscard]] std::size_t end_of_head(std::size_t seen) const noexcept;
    net::Task<HeadRead> read_rest_of_head(RequestHead& head);
    HeadRead judge_broken_head(net::Error const& error) noexcept;
    void make_room(Input& input);
    net::Task<net::Error> read_more(Input& input);
    void gather_part();
    HeadRead take_head(std::size_t size, RequestHead& head);
    HeadRead use_head(RequestHead const& head);
    void begin_body(RequestHead const& head);
    BodyStep step_body(std::string_view bytes, std::uint64_t limit) noexcept;
    BodyStep take_payload(Input& unread, std::uint64_t limit) noexcept;
    Input& prepare_input(Gather gather);
    /// Whether the unread rest of the body is read and discarded after a response; otherwise the
    /// connection is closed (RFC 9112, 9.6).
    [[nodiscard]] bool drains_rest() const noexcept;
    [[nodiscard]] bool waits_for_rest(Input const& unread, Gather gather) const noexcept;
    std::optional<BodyPart> take_part(std::uint64_t limit, Gather gather);
    net::Task<BodyPart> read_part(std::uint64_t limit, Gather gather);
    net::Task<KeepAlive> drain_body();
    void write_framing(OutgoingHead const& head, HeadWriter& writer);
    void switch_protocols(HeadWriter& writer);
    [[nodiscard]] bool has_switched() const noexcept {
        return std::holds_alternative<UntilClose>(body_);
    }
    net::Task<net::Error> send_chunked_head(std::string_view head, std::string_view first,
                                            Ends ends);
    net::Task<net::Error> write(std::span<std::string_view const> pieces);
    net::Task<net::Error> finish_write(net::Task<net::Error> writing, std::size_t size);
    void write_deadline_expired();
    void read_deadline_expired();
    net::Clock::time_point body_due(net::Clock::time_point now);

    net::Stream& stream_;
    net::Buffers& buffers_;
    ConnectionLimits const* limits_;
    net::Deadline read_deadline_;
    net::Deadline write_deadline_;
    net::PeerWatcher* watcher_ = nullptr; // for cut_off(): the stream tells it of the client

    Input input_;               // the head, and what came with it
    Input parts_;               // parts of a body that does not fit behind the head
    net::Buffer response_head_; // while it is written
    std::array<std::string_view, 2> response_pieces_;
    Refused refused_ = nullptr;
    std::variant<std::monostate, LengthReader, ChunkedReader, UntilClose> body_;
    std::unique_ptr<std::string> trailers_; // of the request; null: not kept
    BodyPace pace_;
    std::uint64_t body_bytes_ = 0;
    std::uint64_t bytes_in_ = 0;
    std::uint64_t bytes_out_ = 0;
    net::Clock::time_point drain_end_ = net::Clock::time_point::max();
    Protocol protocol_ = Protocol::http_1_1;
    ExpectContinue expects_continue_ = ExpectContinue::no;
    KeepAlive keep_alive_ = KeepAlive::yes;
    Chunks chunks_ = Chunks::no;
    bool body_complete_ = true;
    bool head_sent_ = false;
    bool response_complete_ = false;
    bool idle_ = false;
    bool stopping_ = false;
    bool cut_off_ = false;
    bool first_ = true;
};

} // namespace sallyport::http
