// Trailers of requests and responses, where the operation passes them on.
#include "tests/unit/upstream/forward_harness.h"

namespace forward_trailers_test {

using namespace sallyport;
using namespace sallyport::upstream;
using namespace sallyport::upstream::test;

namespace {

constexpr std::string_view whole = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody";
constexpr std::string_view fields =
    "Content-Type: application/json\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n";
constexpr std::string_view body = "7\r\n{\"a\":1}\r\n0\r\nX-Sum: 1\r\nX-Other: 2\r\n\r\n";
constexpr std::string_view forwarded = "\r\n\r\n7\r\n{\"a\":1}\r\n0\r\nX-Sum: 1\r\n\r\n";

constexpr std::string_view head = "HTTP/1.1 200 OK\r\nTrailer: X-Sum, Host\r\n"
                                  "Transfer-Encoding: chunked\r\n\r\n";

} // namespace

TEST_CASE("a request that is repeated has its body and its trailers again") {
    ForwardFixture test{Checked::yes};
    test.pool.add(Kept::yes).receive_end();
    auto& second = test.pool.add();
    second.receive(whole);
    test.begin("POST /notes", std::string{fields}, std::string{body});
    test.forward_all();
    CHECK(test.client_has("HTTP/1.1 200 OK\r\n", "body"));
    CHECK(second.sent().find("\r\nTrailer: X-Sum\r\n") != std::string::npos);
    CHECK(second.sent().find("\r\nContent-Length:") == std::string::npos);
    CHECK(second.sent().ends_with(forwarded));
    CHECK(test.pool.kept() == 1);
}

TEST_CASE("an upstream that reads slowly gets all of them") {
    ForwardFixture test{Checked::yes};
    auto& upstream = test.pool.add();
    upstream.write_in_pieces(7);
    test.begin("POST /notes", std::string{fields}, std::string{body});
    test.start();
    run_until(test.loop, [&] { return upstream.sent().ends_with(forwarded); });
    CHECK_FALSE(test.result);
    upstream.receive(whole);
    test.wait();
    CHECK(test.client_has("HTTP/1.1 200 OK\r\n", "body"));
}

TEST_CASE("trailers of a response reach the client, however they arrive") {
    auto const piece = GENERATE(as<std::size_t>{}, 1, 3, 1'000);
    CAPTURE(piece);
    ForwardFixture test{Checked::yes};
    auto& upstream = test.pool.add();
    upstream.receive_in_pieces(
        std::string{head} + "4\r\nbody\r\n0\r\nX-Other: 0\r\nX-Sum: 1\r\nHost: a\r\n\r\n", piece);
    test.begin("GET /notes");
    test.forward_all();
    CHECK(test.result->reason == Reason::none);
    CHECK(test.client_has_field("Trailer: X-Sum"));
    CHECK(test.stream.sent().ends_with("0\r\nX-Sum: 1\r\n\r\n"));
    CHECK(test.stream.sent().find("Other") == std::string::npos);
    CHECK(test.pool.kept() == 1);
}

TEST_CASE("a client that leaves at the trailers has no whole response") {
    ForwardFixture test{Checked::yes};
    auto& upstream = test.pool.add();
    test.begin("GET /notes");
    upstream.receive(std::string{head} + "4\r\nbody\r\n0\r\nX-Sum: 1\r\n\r\n");
    // The second write to it: the trailers.
    test.stream.fail_at(test.stream.operations() + 2, net::asio::error::connection_reset);
    test.forward_all();
    CHECK(test.result->reason == Reason::client_closed);
    CHECK(test.is_client_reset());
}

} // namespace forward_trailers_test
