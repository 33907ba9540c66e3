// One connection of HTTP/2 over a stream in memory, with a small handler for its requests.
#pragma once

#include "gateway/http2/http2.h"
#include "tests/unit/http2/client_frames.h"
#include "tests/unit/net/harness.h"
#include "tests/unit/support/memory_stream.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::http2::test {

using namespace std::chrono_literals;
using net::test::MemoryStream;
using net::test::run_ready;
using net::test::run_until;

/// RFC 7541, 6.2.2: a literal without indexing, its name new.
inline std::string field(std::string_view name, std::string_view value) {
    return std::string(1, '\0') + static_cast<char>(name.size()) + std::string{name}
           + static_cast<char>(value.size()) + std::string{value};
}
inline std::string request_block(std::string_view method, std::string_view path,
                                 std::string_view fields = {}) {
    return field(":method", method) + field(":scheme", "https") + field(":authority", "a.example")
           + field(":path", path) + std::string{fields};
}
inline std::string get(std::uint32_t stream, std::string_view path, std::string_view fields = {}) {
    return headers(stream, request_block("GET", path, fields),
                   flag::end_headers | flag::end_stream);
}
inline std::string put(std::uint32_t stream, std::string_view path, std::string_view fields = {}) {
    return headers(stream, request_block("PUT", path, fields));
}

/// A frame that the gateway has sent.
struct Frame {
    unsigned type = 0;
    unsigned flags = 0;
    std::uint32_t stream = 0;
    std::string payload;

    [[nodiscard]] bool has(unsigned bit) const { return (flags & bit) != 0; }
    /// The 32 bits at that offset of the payload.
    [[nodiscard]] std::uint32_t word(std::size_t at = 0) const {
        return get_32(payload.data() + at);
    }
};

inline std::vector<Frame> frames_in(std::string_view bytes) {
    std::vector<Frame> frames;
    while (!bytes.empty()) {
        REQUIRE(bytes.size() >= 9);
        auto const head = get_frame_head(bytes.data());
        REQUIRE(bytes.size() >= 9 + head.length);
        REQUIRE(head.length <= 16'384);
        frames.push_back({static_cast<unsigned>(head.type), head.flags, head.stream,
                          std::string{bytes.substr(9, head.length)}});
        bytes.remove_prefix(9 + head.length);
    }
    return frames;
}

/// What one stream got.
struct Response {
    std::string head; // the blocks of its HEADERS
    std::string body;
    unsigned heads = 0;
    bool ended = false;                // END_STREAM
    std::optional<std::uint32_t> code; // of RST_STREAM
};

inline Response response_in(std::string_view sent, std::uint32_t stream) {
    Response response;
    for (auto const& one : frames_in(sent)) {
        if (one.stream != stream) continue;
        CHECK_FALSE(response.code); // nothing follows RST_STREAM
        if (one.type == 0 || one.type == 1) CHECK_FALSE(response.ended);
        if (one.type == 0) response.body += one.payload;
        if (one.type == 1 || one.type == 9) response.head += one.payload;
        if (one.type == 1) ++response.heads;
        if (one.type == 3) response.code = one.word();
        if (one.type <= 1 && one.has(flag::end_stream)) response.ended = true;
    }
    return response;
}
/// The code of the last GOAWAY.
inline std::optional<ErrorCode> goaway_code_in(std::string_view sent) {
    std::optional<ErrorCode> code;
    for (auto const& one : frames_in(sent))
        if (one.type == 7) code = static_cast<ErrorCode>(one.word(4));
    return code;
}

/// What a handler saw of one request.
struct Served {
    std::uint32_t stream = 0;
    std::string path;
    std::string body;
    std::string trailers;
    std::string reply;
    http::HeadRead read = http::HeadRead::closed;
    std::string_view refused; // the rule, of the head or the body
    net::Error error;         // of the body, or of the response
    bool client_gone = false; // as a watcher was told
    http::ClientLoss loss;    // at its end
    bool ended = false;
    bool lasts = false;
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
};

/// Serves requests by their path: `/echo` sends back the body, `/N` a body of N bytes, `/deny` a
/// response at once that leaves the body unread, `/wait` waits for Fixture::go_on, `/tunnel`
/// switches protocols and sends back what comes until `bye`, `/large` reads parts, `/abort` breaks
/// off within its response, `/trailers` sends back body and trailers; with a query the response is
/// a stream.
struct Fixture {
    struct Watcher final : net::PeerWatcher {
        Watcher(Served& of, net::Event& event) : served{of}, wake{event} {}
        void peer_gone() override {
            served.client_gone = true;
            wake.notify();
        }
        Served& served;
        net::Event& wake;
    };

    explicit Fixture(Http2Limits const& its_limits = {}) : own{its_limits} {}
    ~Fixture() {
        loop.end();
        http.reset();
    }

    void start() { start_over(stream); }
    void start_over(net::Stream& other) {
        http.emplace(other, loop, limits, own, budget, 7);
        net::start(loop.context(), Http2::write_turns(&*http));
        net::start(loop.context(), serve(this));
    }
    /// Starts, with the preface and SETTINGS of the client.
    void begin(std::string_view settings_of_client = settings()) {
        start();
        send(std::string{preface} + std::string{settings_of_client} + settings_ack());
    }
    void send(std::string_view bytes) {
        stream.receive(bytes);
        run_ready(loop);
    }
    void wait_for_end() {
        run_until(loop, [this] { return has_ended; });
    }

    [[nodiscard]] std::vector<Frame> sent() const { return frames_in(stream.sent()); }
    [[nodiscard]] std::vector<Frame> sent(unsigned type) const {
        auto frames = sent();
        std::erase_if(frames, [type](Frame const& one) { return one.type != type; });
        return frames;
    }
    [[nodiscard]] Response response(std::uint32_t id) const {
        return response_in(stream.sent(), id);
    }
    [[nodiscard]] std::optional<ErrorCode> goaway_code() const {
        return goaway_code_in(stream.sent());
    }
    /// What the windows of a client add up to, besides those it begins with.
    [[nodiscard]] std::uint64_t updates_of(std::uint32_t id) const {
        std::uint64_t sum = 0;
        for (auto const& one : sent(8))
            if (one.stream == id) sum += one.word();
        return sum;
    }
    Served& of(std::uint32_t id) {
        for (auto& one : served)
            if (one->stream == id) return *one;
        FAIL("stream " << id << " was not served");
        return *served.front();
    }
    [[nodiscard]] bool was_served(std::uint32_t id) const {
        return std::any_of(served.begin(), served.end(),
                           [id](auto const& one) { return one->stream == id; });
    }
    /// Ends the wait of all `/wait`.
    void let_go() {
        is_open = true;
        for (auto* event : waiting)
            event->notify();
        run_ready(loop);
    }

    static net::Task<> serve(Fixture* test) {
        for (;;) {
            co_await test->http->wait_for_frames();
            ++test->turns;
            auto const turn = test->http->take_turn();
            if (!turn) break;
            test->most_begun = std::max(test->most_begun, turn->size());
            for (auto* const one : *turn)
                net::start(test->loop.context(), handle(test, one));
        }
        co_await test->http->close();
        test->has_ended = true;
    }

    static net::Task<> handle(Fixture* test, Http2Stream* transport) {
        test->served.push_back(std::make_unique<Served>());
        auto& mine = *test->served.back();
        mine.stream = transport->id();
        ++test->active;
        test->most_active = std::max(test->most_active, test->active);
        auto serving = respond(test, *transport, mine);
        co_await std::move(serving);
        mine.bytes_in = transport->bytes_in();
        mine.bytes_out = transport->bytes_out();
        mine.loss = transport->client_loss();
        mine.ended = true;
        --test->active;
        test->http->release(*transport);
    }

    static net::Task<> respond(Fixture* test, Http2Stream& transport, Served& mine) {
        auto head = std::make_unique<http::RequestHead>();
        mine.read = co_await transport.read_head(*head);
        if (mine.read == http::HeadRead::broken) {
            mine.reply = "broken";
            co_return transport.abort();
        }
        if (mine.read != http::HeadRead::complete) {
            mine.refused = transport.refused()->rule;
            mine.reply = "refused";
            co_return co_await finish(transport, mine, 400);
        }
        mine.path = head->target.path;
        mine.lasts = !head->target.query.empty();
        if (mine.path == "/deny") {
            mine.reply = "denied";
            co_return co_await finish(transport, mine, 401);
        }
        if (mine.path == "/tunnel") co_return co_await tunnel(transport, mine);
        if (mine.path == "/wait") {
            net::Event event{test->loop.waiters()};
            Watcher watcher{mine, event};
            auto const peer = transport.watch_client(watcher);
            test->waiting.push_back(&event);
            while (!test->is_open && !mine.client_gone && peer == net::PeerState::present)
                co_await event.wait();
            std::erase(test->waiting, &event);
            transport.unwatch_client();
            if (mine.client_gone) co_return transport.abort();
        }
        if (auto const error = co_await transport.send_continue()) {
            mine.error = error;
            co_return transport.abort();
        }
        auto const gather =
            mine.path == "/large" ? http::Gather::parts : http::Gather::whole_if_small;
        for (bool complete = false; !complete;) {
            auto const part = co_await transport.read_body(test->most_body, gather);
            if (part.refused != nullptr) {
                mine.refused = part.refused->rule;
                mine.reply = "refused";
                co_return co_await finish(transport, mine, 413);
            }
            if (part.error) {
                mine.error = part.error;
                co_return transport.abort();
            }
            mine.body += part.bytes;
            complete = part.complete;
        }
        mine.trailers = transport.trailers();
        if (mine.path == "/abort") {
            http::OutgoingHead const outgoing{.status = 200,
                                              .reason = {},
                                              .kept = {},
                                              .added = {},
                                              .length = 10,
                                              .has_body = true};
            mine.error = co_await transport.send_head(outgoing, "part", http::Ends::no);
            co_return transport.abort();
        }
        auto const size = std::strtoull(mine.path.c_str() + 1, nullptr, 10);
        mine.reply = size == 0 ? mine.body : std::string(size, 'x');
        co_await finish(transport, mine, 200);
    }

    static net::Task<> tunnel(Http2Stream& transport, Served& mine) {
        http::OutgoingHead const outgoing{
            .status = 101, .reason = {}, .kept = {}, .added = {}, .length = {}};
        mine.error = co_await transport.send_head(outgoing, {}, http::Ends::no);
        while (!mine.error && !mine.body.ends_with("bye")) {
            auto const part = co_await transport.read_body(UINT64_MAX, http::Gather::parts);
            if (part.refused != nullptr) mine.refused = part.refused->rule;
            bool const is_cut = part.complete && !part.bytes.ends_with("bye");
            mine.error = part.error;
            if (is_cut || part.error || part.refused != nullptr) co_return transport.abort();
            mine.body += part.bytes;
            mine.error = co_await transport.send_body(part.bytes, http::Ends::no);
        }
        mine.error = co_await transport.send_body({}, http::Ends::yes);
        co_await transport.finish_exchange();
    }

    static net::Task<> finish(Http2Stream& transport, Served& mine, unsigned status) {
        http::OutgoingHead const outgoing{.status = status,
                                          .reason = {},
                                          .kept = {},
                                          .added = {},
                                          .length = mine.reply.size(),
                                          .has_body = true,
                                          .lasts = mine.lasts};
        auto const part = transport.part_size();
        std::string_view rest = mine.reply;
        auto const first = rest.substr(0, part);
        rest.remove_prefix(first.size());
        bool const has_trailers = mine.path == "/trailers";
        auto const ends = rest.empty() && !has_trailers ? http::Ends::yes : http::Ends::no;
        mine.error = co_await transport.send_head(outgoing, first, ends);
        while (!mine.error && !rest.empty()) {
            auto const next = rest.substr(0, part);
            rest.remove_prefix(next.size());
            auto const last = rest.empty() && !has_trailers ? http::Ends::yes : http::Ends::no;
            mine.error = co_await transport.send_body(next, last);
        }
        if (!mine.error && has_trailers)
            mine.error = co_await transport.send_trailers(mine.trailers);
        if (mine.error) co_return transport.abort();
        co_await transport.finish_exchange();
    }

    net::Loop loop;
    MemoryStream stream{loop};
    http::ConnectionLimits limits;
    Http2Limits own;
    net::Budget budget{std::size_t{1} << 26};
    std::optional<Http2> http;
    std::vector<std::unique_ptr<Served>> served;
    std::vector<net::Event*> waiting;
    std::uint64_t most_body = 10'000'000;
    std::size_t active = 0;
    std::size_t most_active = 0;
    std::size_t most_begun = 0; // in one turn
    std::size_t turns = 0;      // calls of take_turn()
    bool is_open = false;
    bool has_ended = false;
};

/// Each stream was served to its end, and nothing of the connection is left.
inline void check_nothing_is_left(Fixture& test) {
    for (auto const& one : test.served) {
        CAPTURE(one->stream);
        CHECK(one->ended);
    }
    CHECK(test.active == 0);
    CHECK(test.http->streams() == 0);
    CHECK(test.budget.used() == 0);
    CHECK(test.loop.buffers().in_use() == 0);
}

} // namespace sallyport::http2::test
