// Fuzzes a connection of HTTP/2: any bytes of a client, cut anywhere, with a fault at any operation
// of the stream. The first bytes select pieces, fault, limits and what the handlers do; in the rest
// a byte from 0xF0 on stands for a whole frame, so that random inputs get behind the preface.
#include "check.h"

#include "gateway/http2/http2.h"
#include "tests/unit/support/memory_stream.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace sallyport;
using namespace sallyport::http2;
using sallyport::fuzz::check;
using sallyport::fuzz::take_byte;

constexpr std::size_t most_streams = 8;
// Behind them come as many of twice the size: a megabyte byte by byte would take a second.
constexpr std::size_t pieces_of_a_size = 64;
constexpr std::size_t most_budget = std::size_t{1} << 20;

// What the client would see of one stream.
struct Seen {
    unsigned heads = 0;
    bool ended = false;
    bool was_reset = false;
};

std::string number(std::uint64_t value, unsigned bytes) {
    std::string text;
    for (unsigned i = bytes; i-- > 0;)
        text += static_cast<char>(value >> (8 * i));
    return text;
}

std::string frame(unsigned type, unsigned flags, std::uint32_t stream, std::string_view payload) {
    return number(payload.size(), 3) + number(type, 1) + number(flags, 1) + number(stream, 4)
           + std::string{payload};
}

std::string field(std::string_view name, std::string_view value) {
    return std::string(1, '\0') + static_cast<char>(name.size()) + std::string{name}
           + static_cast<char>(value.size()) + std::string{value};
}

std::string request(unsigned flags, std::uint32_t stream, unsigned choice) {
    static constexpr std::array<std::string_view, 4> lengths{"", "5", "0", "40000"};
    auto block = std::string{"\x82\x87\x84"} + field(":authority", "a.example");
    if (auto const length = lengths[choice % lengths.size()]; !length.empty())
        block += field("content-length", length);
    if (choice % 5 == 1) block += field("expect", "100-continue");
    if (choice % 7 == 2) block += field("priority", "u=1, i");
    return frame(1, flags, stream, block);
}

// A frame that is well formed, with choices from the input.
std::string make_frame(unsigned kind, std::string_view& rest) {
    auto const choice = take_byte(rest);
    std::uint32_t const stream = 1 + 2 * (choice % 16U);
    unsigned const more = take_byte(rest);
    switch (kind % 16) {
    case 0: return request(5, stream, more);
    case 1: return request(4, stream, more);
    case 2: return frame(0, more & 1U, stream, std::string(more * 4, 'd'));
    case 3: return frame(0, more & 1U, stream, std::string(more * 64, 'd'));
    case 4: return frame(3, 0, stream, number(8, 4));
    case 5: return frame(8, 0, choice % 2 == 0 ? 0 : stream, number(more * more + 1, 4));
    case 6: return frame(4, 0, 0, number(4, 2) + number(more * 16, 4));
    case 7: return frame(6, 0, 0, "12345678");
    case 8: return frame(16, 0, 0, number(stream, 4) + (more % 2 == 0 ? "u=0" : "i"));
    case 9: return frame(1, 1, stream, "\x82") + frame(9, 4, stream, "\x87\x84");
    case 10: return frame(1, 5, stream, field("x", "trailer"));
    case 11: return frame(4, 1, 0, "");
    case 12: return frame(6, 1, 0, "draining");
    case 13: return frame(0, 8 | (more & 1U), stream, number(more % 8, 1) + std::string(8, 'p'));
    case 14: return frame(more, 0, stream, "unknown");
    default: return frame(2, 0, stream, number(0, 5));
    }
}

// A connection with its handlers.
class Connection {
public:
    Connection(net::Loop& loop, std::string_view& input)
        : loop_{loop}, stream_{loop}, piece_{1U + take_byte(input) * (take_byte(input) % 8U)},
          fault_{take_byte(input)}, acts_{take_byte(input)} {
        auto const choice = take_byte(input);
        limits_.head.head = choice % 2 == 0 ? 16'384 : 600;
        own_.streams = 1 + choice % most_streams;
        own_.patience.points = 50;
        own_.patience.per_second = 0;
        own_.begun_per_turn = 1 + choice % 4U;
        if (choice % 3 == 0) own_.unsent = 1'000;
        budget_.set_limit(choice % 5 == 0 ? 6'000 : most_budget);
        if (fault_ % 2 == 1)
            stream_.fail_at(fault_ / 2, net::asio::error::connection_reset)
                .take_before_failure(fault_ % 7U);
        if (choice % 4 == 1) stream_.write_in_pieces(3'000);
        http_.emplace(stream_, loop_, limits_, own_, budget_, choice);
    }

    void run(std::string_view bytes) {
        net::start(loop_.context(), Http2::write_turns(&*http_));
        net::start(loop_.context(), serve(this));
        std::size_t size = piece_;
        for (std::size_t count = 0; !bytes.empty(); ++count) {
            if (count % pieces_of_a_size == pieces_of_a_size - 1) size *= 2;
            auto const piece = bytes.substr(0, size);
            bytes.remove_prefix(piece.size());
            stream_.receive(piece);
            if (count % 3 == 0) run_ready();
            if (count == acts_ % 64U && acts_ % 3 == 0) http_->stop_after_exchange();
        }
        run_ready();
        go_on_ = true;
        for (auto* const event : waiting_)
            event->notify();
        run_ready();
        stream_.receive_end();
        run_ready();
        check_end();
    }

private:
    void run_ready() {
        if (loop_.context().stopped()) loop_.context().restart();
        loop_.context().poll();
        check(active_ <= own_.streams, "no more coroutines than streams are allowed");
        check(http_->streams() <= own_.streams, "no more streams than are allowed");
        check(budget_.used() <= std::max<std::size_t>(budget_.limit(), 6'000),
              "no more memory than the budget has granted");
        check(loop_.buffers().in_use() <= 8 + 5 * own_.streams, "blocks of memory are bounded");
    }

    // Nothing is left, and every stream that was served has one end.
    void check_end() {
        check(has_ended_, "the connection ends with its client");
        check(active_ == 0, "every coroutine has ended");
        check(http_->streams() == 0, "every stream was released");
        check(budget_.used() == 0, "everything was given back to the budget");
        check(loop_.buffers().in_use() == 0, "every block of memory was given back");
        check(http_->end().kind != ConnectionEnd::Kind::none, "the end has a reason");
        check_frames();
    }

    // What was sent is whole frames, and well-behaved.
    void check_frames() const {
        std::string_view bytes = stream_.sent();
        std::map<std::uint32_t, Seen> streams;
        bool is_first = true;
        while (bytes.size() >= frame_head_size) {
            auto const head = get_frame_head(bytes.data());
            check(head.length <= most_frame_payload, "no frame is too large");
            check(!is_first || head.type == FrameType::settings, "SETTINGS come first");
            is_first = false;
            if (bytes.size() < frame_head_size + head.length) break;
            auto& seen = streams[head.stream];
            check_frame(head, seen);
            bytes.remove_prefix(frame_head_size + head.length);
        }
        check(bytes.empty() || fault_ % 2 == 1, "whole frames are sent");
    }
    static void check_frame(FrameHead const& head, Seen& seen) {
        switch (head.type) {
        case FrameType::headers:
            check(!seen.ended && !seen.was_reset, "no head behind the end");
            check(++seen.heads <= 2, "one head, and 100 before it");
            seen.ended = head.has(flags::end_stream);
            break;
        case FrameType::data:
            check(seen.heads != 0, "no DATA before its head");
            check(!seen.ended && !seen.was_reset, "no DATA behind the end");
            seen.ended = head.has(flags::end_stream);
            break;
        case FrameType::rst_stream:
            check(!std::exchange(seen.was_reset, true), "a stream is reset once");
            break;
        case FrameType::window_update:
            check(head.stream == 0 || !seen.was_reset, "no window for what was reset");
            break;
        default: check(head.stream == 0, "of the connection"); break;
        }
    }

    static net::Task<> serve(Connection* self) {
        for (;;) {
            [[maybe_unused]] auto const waited = co_await self->http_->wait_for_frames();
            auto const turn = self->http_->take_turn();
            if (!turn) break;
            for (auto* const one : *turn)
                net::start(self->loop_.context(), handle(self, one));
        }
        co_await self->http_->close();
        self->has_ended_ = true;
    }

    static net::Task<> handle(Connection* self, Http2Stream* stream) {
        ++self->active_;
        auto responding = respond(self, *stream);
        co_await std::move(responding);
        --self->active_;
        self->http_->release(*stream);
    }

    static net::Task<> respond(Connection* self, Http2Stream& stream) {
        auto const act = self->acts_ + stream.id();
        auto const head = std::make_unique<http::RequestHead>();
        auto const read = co_await stream.read_head(*head);
        if (read == http::HeadRead::complete) {
            if (act % 3 == 0) {
                net::Event event{self->loop_.waiters()};
                self->waiting_.push_back(&event);
                while (!self->go_on_)
                    co_await event.wait();
                std::erase(self->waiting_, &event);
            }
            if (act % 7 == 0) co_return stream.abort();
            auto const failed = co_await stream.send_continue();
            if (failed) co_return stream.abort();
            auto const gather = act % 2 == 0 ? http::Gather::whole_if_small : http::Gather::parts;
            std::uint64_t size = 0;
            for (bool complete = act % 5 == 0; !complete;) {
                auto const part = co_await stream.read_body(30'000, gather);
                if (part.error) co_return stream.abort();
                if (part.refused != nullptr) break;
                size += part.bytes.size();
                complete = part.complete;
                check(!complete || size == declared(*head, size), "as long as it says");
            }
        }
        http::OutgoingHead const outgoing{
            .status = 200, .reason = {}, .kept = {}, .added = {}, .length = {}, .has_body = true};
        static std::string const reply(50'000, 'r');
        auto const body = std::string_view{reply}.substr(0, act % 6 * 10'000);
        auto error = co_await stream.send_head(outgoing, body, http::Ends::no);
        if (!error) error = co_await stream.send_body(body, http::Ends::yes);
        if (error) co_return stream.abort();
        [[maybe_unused]] auto const kept = co_await stream.finish_exchange();
    }
    static std::uint64_t declared(http::RequestHead const& head, std::uint64_t otherwise) {
        return head.framing.body.kind == http::BodyFraming::Kind::length ? head.framing.body.length
                                                                         : otherwise;
    }

    net::Loop& loop_;
    net::test::MemoryStream stream_;
    std::size_t piece_;
    unsigned fault_;
    unsigned acts_;
    http::ConnectionLimits limits_;
    Http2Limits own_;
    net::Budget budget_{most_budget};
    std::optional<Http2> http_;
    std::vector<net::Event*> waiting_;
    std::size_t active_ = 0;
    bool go_on_ = false;
    bool has_ended_ = false;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    // One for all inputs, since an io_context has descriptors: each leaves nothing in it.
    static net::Loop loop;
    auto input = fuzz::view_of(data, size);
    Connection connection{loop, input};
    // All but one in sixteen begin as a client does.
    std::string bytes;
    if (take_byte(input) % 16 != 15) bytes = std::string{client_preface} + frame(4, 0, 0, "");
    while (!input.empty()) {
        auto const byte = take_byte(input);
        if (byte >= 0xF0) {
            bytes += make_frame(byte, input);
        } else {
            bytes += static_cast<char>(byte);
        }
    }
    connection.run(bytes);
    return 0;
}
