// HTTP/1.1 towards a server: writes requests to a stream, reads responses from it (RFC 9112).
#pragma once

#include "gateway/http/body.h"
#include "gateway/http/client_exchange.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>

namespace sallyport::http {

class Http1Client final : public ClientExchange {
public:
    Http1Client(net::Stream& stream, net::Buffers& buffers) noexcept
        : stream_{stream}, buffers_{buffers} {}

    HeadWriter begin_head(RequestLine const& line, std::size_t room) override;
    net::Task<net::Error> send_head(HeadWriter head, RequestEnd const& end,
                                    std::string_view body) override;
    net::Task<net::Error> send_body(std::string_view bytes, Ends ends) override;
    net::Task<net::Error> send_trailers(std::string_view lines) override;
    net::Wait wait_for_response() override { return stream_.wait_readable(); }
    ResponseRead read_head(ResponseHead& head) override;
    [[nodiscard]] bool has_response() const noexcept override { return has_response_; }
    bool take_part(BodyPart& part) override;
    [[nodiscard]] std::string_view trailers() const noexcept override {
        return trailers_ == nullptr ? std::string_view{} : *trailers_;
    }
    net::Task<net::Error> read_more(std::size_t part_size) override;
    void free_input() noexcept override;
    void interrupt() noexcept override { stream_.interrupt(); }
    [[nodiscard]] bool is_reusable() const noexcept override;
    void release() noexcept override;
    void abort() noexcept override { stream_.abort(); }

private:
    void forget_request_head() noexcept;
    net::Task<net::Error> finish_head(net::Task<net::Error> writing);
    /// Records the result of writing that many bytes of the body.
    net::Error note_written(net::Error error, std::size_t size, Ends ends) noexcept;
    [[nodiscard]] std::string_view unread() const noexcept {
        return {input_.data() + begin_, end_ - begin_};
    }
    Refused parse(std::string_view bytes, ResponseHead& head);
    ResponseRead use_head(ResponseHead const& head);
    void make_room();
    void begin_body(BodyFraming const& framing, FieldTable const& head);
    BodyStep step_body(std::string_view bytes) noexcept;
    [[nodiscard]] bool wants_room() const noexcept;

    net::Stream& stream_;
    net::Buffers& buffers_;

    // The request.
    net::Buffer head_; // while it is written
    std::size_t head_size_ = 0;
    std::array<std::string_view, 2> pieces_;
    std::uint64_t request_left_ = 0; // of a body with a declared length
    ResponseTo response_to_ = ResponseTo::other;
    bool is_secret_ = false;
    bool is_chunked_ = false;
    bool is_sent_ = false; // completely

    // The response: [begin_, end_) of the buffer is unread.
    HeadLimits limits_;
    net::Buffer input_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t seen_ = 0; // bytes searched for the end of a head
    unsigned interim_ = 0;
    std::variant<std::monostate, LengthReader, ChunkedReader> body_;
    std::unique_ptr<std::string> trailers_; // null: not kept
    BodyFraming::Kind kind_ = BodyFraming::Kind::none;
    KeepAlive keep_alive_ = KeepAlive::no;
    bool has_response_ = false;
    bool has_head_ = false;
    bool is_complete_ = false;
    bool has_grown_ = false;
};

} // namespace sallyport::http
