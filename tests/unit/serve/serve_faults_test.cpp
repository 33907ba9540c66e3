// A fault at any step of a connection: an incomplete response is never taken for complete, each
// request has at most one line of the log, and nothing is left behind.
#include "tests/unit/serve/serve_harness.h"

namespace serve_faults_test {

using namespace sallyport;
using namespace sallyport::serve;
using namespace sallyport::serve::test;

namespace {

constexpr std::size_t most_steps = 300;

// Requests of every kind, one after the other on one connection.
std::string several_requests() {
    return put_json("{\"a\":1}")
           + "PUT /files/a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
             "5\r\nfirst\r\n6\r\nsecond\r\n0\r\n\r\n"
           + put_json("{\"a\":\"b\"}") // refused
           + put_json(sallyport::test::compress("{}", sallyport::test::Coding::gzip), "/v1/items/1",
                      "Content-Encoding: gzip\r\n")
           + "OPTIONS /files/a HTTP/1.1\r\nHost: a\r\nMax-Forwards: 0\r\n\r\n"
             "OPTIONS /v1/items/1 HTTP/1.1\r\nHost: a\r\nOrigin: https://a.example\r\n"
             "Access-Control-Request-Method: PUT\r\n\r\n";
}
constexpr std::size_t request_count = 6;
std::string const cors = ", cors: { origins: [\"https://a.example\"] }";

void add_upstreams(ServeFixture& test) {
    for (int i = 0; i < 3; ++i)
        test.pool->add().receive_in_pieces(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n", 11);
}

// Whether the sent bytes are complete responses one after the other; any part of the last one.
bool are_whole_but_the_last(std::string_view sent) {
    auto const last = sent.rfind("HTTP/1.1 ");
    for (std::size_t at = 0; at < last;) {
        auto const next = sent.find("HTTP/1.1 ", at + 1);
        auto const one = sent.substr(at, next - at);
        bool const is_chunked = one.find("chunked") != std::string_view::npos;
        if (is_chunked && !one.ends_with("0\r\n\r\n")) return false;
        at = next;
    }
    return true;
}

} // namespace

TEST_CASE("a fault at any step of a client's connection ends it, and is logged once") {
    bool is_complete = false;
    for (std::size_t step = 1; !is_complete; ++step) {
        REQUIRE(step < most_steps);
        CAPTURE(step);
        ServeFixture test{{.items = cors}};
        add_upstreams(test);
        auto memory = std::make_unique<MemoryStream>(test.worker.loop);
        test.client = memory.get();
        memory->fail_at(step, net::asio::error::connection_reset);
        memory->take_before_failure(step % 3 == 0 ? 20 : 0);
        memory->receive_in_pieces(several_requests(), 50);
        memory->receive_end();
        test.serve_stream(std::move(memory));
        test.wait_for_end();
        is_complete = test.client->operations() < step;
        CHECK(test.log().size() <= request_count);
        CHECK(are_whole_but_the_last(test.client->sent()));
        CHECK(test.budget.used() == 0);
        CHECK_FALSE(test.client->is_open());
        CHECK(test.control_text().find(" error ") == std::string::npos);
        if (is_complete) {
            CHECK(count_responses(test.client->sent(), "200 OK") == request_count - 2);
            CHECK(count_responses(test.client->sent(), "204 No Content") == 1);
            CHECK(test.log().size() == request_count);
            CHECK(test.client->ending() == MemoryStream::Ending::shut_down);
        }
    }
}

TEST_CASE("a fault at any step of a connection that is redirected ends it, and is logged once") {
    bool is_complete = false;
    for (std::size_t step = 1; !is_complete; ++step) {
        REQUIRE(step < most_steps);
        CAPTURE(step);
        ServeFixture test;
        test.redirect = 443;
        auto memory = std::make_unique<MemoryStream>(test.worker.loop);
        test.client = memory.get();
        memory->fail_at(step, net::asio::error::connection_reset);
        memory->receive_in_pieces("GET /a HTTP/1.1\r\nHost: a\r\n\r\n"
                                  "GET /a HTTP/1.1\r\nHost: a~b\r\n\r\n"
                                  "PUT /b HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nbytes",
                                  50);
        memory->receive_end();
        test.serve_stream(std::move(memory));
        test.wait_for_end();
        is_complete = test.client->operations() < step;
        CHECK(test.log().size() <= 3);
        CHECK_FALSE(test.client->is_open());
        CHECK(test.pool->asked().empty());
        CHECK(test.control_text().find(" error ") == std::string::npos);
        if (is_complete) {
            CHECK(count_responses(test.client->sent(), "308 Permanent Redirect") == 2);
            CHECK(count_responses(test.client->sent(), "400 Bad Request") == 1);
            CHECK(test.log().size() == 3);
        }
    }
}

TEST_CASE(
    "a fault at any step of an upstream's connection is reported to the client, or resets it") {
    bool is_complete = false;
    for (std::size_t step = 1; !is_complete; ++step) {
        REQUIRE(step < most_steps);
        CAPTURE(step);
        ServeFixture test;
        auto& upstream = test.pool->add();
        upstream.fail_at(step, net::asio::error::connection_reset);
        upstream.receive_in_pieces("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                   "4\r\nbody\r\n0\r\n\r\n",
                                   11);
        test.connect();
        test.client->receive(put_json("{\"a\":1}"));
        run_until(test.worker.loop, [&] { return !test.log().empty(); });
        test.client->receive_end();
        test.wait_for_end();
        is_complete = upstream.operations() < step;
        auto const& sent = test.client->sent();
        REQUIRE(test.log().size() == 1);
        bool const is_told = count_responses(sent, "502") == 1;
        bool const is_whole = sent.ends_with("0\r\n\r\n") && count_responses(sent, "200") == 1;
        bool const is_reset = test.client->ending() == MemoryStream::Ending::aborted;
        CHECK((is_told || is_whole || is_reset));
        CHECK(count_responses(sent, "") <= 1);
        CHECK(test.has_logged("\"reason\":null") == is_whole);
        if (is_complete) CHECK(is_whole);
    }
}

} // namespace serve_faults_test
