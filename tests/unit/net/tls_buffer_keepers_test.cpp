// Busy connections keep OpenSSL's buffers, up to a limit, and releasing them loses no
// bytes.
#include "tests/unit/net/tls_harness.h"

#include <openssl/ssl.h>

#include <malloc.h>

namespace tls_buffer_keepers_test {

using namespace sallyport::net;
using namespace sallyport::net::test;

namespace {

// A server and a client whose bytes pass through the test.
struct Wired {
    explicit Wired(Loop& its_loop)
        : loop{its_loop}, server_pair{make_pair()}, client_pair{make_pair()} {
        static auto const server_context = make_server({});
        static auto const client_context = make_client();
        server = std::make_unique<TlsStream>(
            std::make_unique<Socket>(loop, std::move(server_pair.second)), Peer{}, server_context);
        client = std::make_unique<TlsStream>(
            std::make_unique<Socket>(loop, std::move(client_pair.second)), Peer{}, *client_context,
            "api.example.com");
        std::optional<Error> server_result;
        std::optional<Error> client_result;
        start(loop, keep_result(server->handshake(), server_result));
        start(loop, keep_result(client->handshake(), client_result));
        run_until(loop, [&] {
            pass_on(server_pair.first, client_pair.first);
            pass_on(client_pair.first, server_pair.first);
            return server_result && client_result;
        });
        REQUIRE_FALSE(*server_result);
        REQUIRE_FALSE(*client_result);
    }

    // At most so many bytes from `from`.
    static void pass_on(FileDescriptor const& from, FileDescriptor const& to,
                        std::size_t most = 65536) {
        std::string bytes(most, '\0');
        auto const got = ::recv(from.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (got > 0)
            REQUIRE(::send(to.get(), bytes.data(), static_cast<std::size_t>(got), 0) == got);
    }
    void send(std::string_view text) { REQUIRE_FALSE(run(loop, client->write(text))); }
    void deliver(std::size_t most = 65536) {
        pass_on(client_pair.first, server_pair.first, most);
        run_ready(loop);
    }
    void be_busy() {
        send("x");
        deliver();
        REQUIRE(run(loop, read_exactly(*server, 1)) == "x");
    }
    bool keeps() const {
        return (SSL_get_mode(server->native_handle()) & SSL_MODE_RELEASE_BUFFERS) == 0;
    }

    Loop& loop;
    std::pair<FileDescriptor, FileDescriptor> server_pair; // the test's end and the stream's
    std::pair<FileDescriptor, FileDescriptor> client_pair;
    std::unique_ptr<TlsStream> server;
    std::unique_ptr<TlsStream> client;
};

std::vector<std::unique_ptr<Wired>> connect_many(Loop& loop, std::size_t count) {
    std::vector<std::unique_ptr<Wired>> made;
    while (made.size() < count)
        made.push_back(std::make_unique<Wired>(loop));
    return made;
}

std::size_t count_keepers(std::vector<std::unique_ptr<Wired>> const& connections) {
    return static_cast<std::size_t>(std::count_if(
        connections.begin(), connections.end(), [](auto const& wired) { return wired->keeps(); }));
}

} // namespace

TEST_CASE("an idle TLS connection keeps no buffers") {
    Loop loop;
    Wired const idle{loop};
    CHECK_FALSE(idle.keeps());
    CHECK(loop.tls_buffer_keepers().size() == 0);
}

TEST_CASE("of many busy connections the most recently used ones keep their buffers") {
    Loop loop;
    auto const& keepers = loop.tls_buffer_keepers();
    auto connections = connect_many(loop, TlsBufferKeepers::most + 3);
    for (auto const& wired : connections)
        wired->be_busy();
    CHECK(keepers.size() == TlsBufferKeepers::most);
    CHECK(count_keepers(connections) == TlsBufferKeepers::most);
    CHECK_FALSE(connections[2]->keeps());
    CHECK(connections[3]->keeps());
    connections[3]->be_busy();
    connections[0]->be_busy(); // in place of the fifth
    CHECK(connections[0]->keeps());
    CHECK(connections[3]->keeps());
    CHECK_FALSE(connections[4]->keeps());
    connections.pop_back();
    CHECK(keepers.size() == TlsBufferKeepers::most - 1);
}

TEST_CASE("a connection that loses its buffers frees their memory") {
    Loop loop;
    auto const first = connect_many(loop, TlsBufferKeepers::most);
    auto const second = connect_many(loop, TlsBufferKeepers::most);
    // The first record's buffers are released before the connection counts as busy.
    for (int record = 0; record < 2; ++record)
        for (auto const& wired : first)
            wired->be_busy();
    auto const before = ::mallinfo2().uordblks;
    for (auto const& wired : second)
        wired->be_busy();
    CHECK(count_keepers(first) == 0);
    // (Under a sanitizer nothing is counted.)
    auto const after = ::mallinfo2().uordblks;
    CHECK((before == 0 || before > after + TlsBufferKeepers::most * 16 * 1024));
}

TEST_CASE("buffers released within a record lose no bytes of it") {
    Loop loop;
    auto const others = connect_many(loop, TlsBufferKeepers::most);
    Wired wired{loop};
    wired.be_busy();
    std::string text(10'000, '\0');
    for (std::size_t i = 0; i < text.size(); ++i)
        text[i] = static_cast<char>('a' + i % 23);
    wired.send(text);
    std::size_t seen = 0;
    SECTION("within its header") {
        wired.deliver(3);
    }
    SECTION("within its body") {
        wired.deliver(4'000);
    }
    SECTION("decrypted and half read") {
        wired.deliver();
        std::string piece(10, '\0');
        REQUIRE(wired.server->try_read(piece).value() == 10);
        CHECK(piece == text.substr(0, 10));
        seen = 10;
    }
    std::string block(1, '\0');
    if (seen == 0) CHECK(wired.server->try_read(block).error() == asio::error::would_block);
    for (auto const& other : others)
        other->be_busy();
    CHECK_FALSE(wired.keeps());
    wired.deliver();
    CHECK(run(loop, read_exactly(*wired.server, text.size() - seen)) == text.substr(seen));
    wired.be_busy();
    CHECK(wired.keeps());
}

} // namespace tls_buffer_keepers_test
