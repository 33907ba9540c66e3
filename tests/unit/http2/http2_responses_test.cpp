// HTTP/2 towards a client: how responses are sent, over a stream in memory.
#include "tests/unit/http2/http2_harness.h"

#include <nghttp2/nghttp2.h>

namespace http2_responses_test {

using namespace sallyport;
using namespace sallyport::http2;
using namespace sallyport::http2::test;
using sallyport::http2::test::frame;

TEST_CASE("a response waits for the windows of its stream and of the connection") {
    Fixture test;
    test.begin(settings(setting(4, 10)));
    test.send(get(1, "/100"));
    CHECK(test.response(1).body.size() == 10);
    test.send(window_update(1, 1));
    CHECK(test.response(1).body.size() == 11);
    SECTION("a larger initial window is for open streams too") {
        test.send(settings(setting(4, 50)));
        CHECK(test.response(1).body.size() == 51);
        test.send(settings(setting(4, 0)) + window_update(1, 48)); // -50 and less
        CHECK(test.response(1).body.size() == 51);
        test.send(window_update(1, 3));
        CHECK(test.response(1).body.size() == 52);
        test.send(window_update(1, 1'000));
        CHECK(test.response(1).ended);
    }
    SECTION("the window of the connection is for all together") {
        test.send(settings(setting(4, 100'000)));
        CHECK(test.response(1).ended);
        test.send(get(3, "/70000"));
        CHECK(test.response(3).body.size() == 65'535 - 100);
        test.send(get(5, "/1"));
        CHECK(test.response(5).heads == 1);
        CHECK_FALSE(test.response(5).ended);
        test.send(window_update(0, 100));
        CHECK(test.response(3).body.size() == 65'535);
        CHECK(test.response(5).body.empty());
        test.send(window_update(0, 5'000));
        CHECK(test.response(3).ended);
        CHECK(test.response(5).ended);
    }
    CHECK(test.budget.used() == 0);
}

TEST_CASE("an end without bytes needs no window") {
    Fixture test;
    test.begin(settings(setting(4, 0)));
    test.send(get(1, "/0"));
    CHECK(test.response(1).ended);
}

TEST_CASE("urgent responses go first, incremental ones share") {
    Fixture test;
    test.begin(settings(setting(4, 1'000'000)));
    // The window of the connection is used up: all of them wait.
    test.send(get(1, "/65535"));
    REQUIRE(test.response(1).ended);
    auto const before = test.sent(0).size();
    test.send(priority_update(11, "u=0"));
    test.send(get(3, "/40000", field("priority", "u=5")) + get(5, "/40000", field("priority", "i"))
              + get(7, "/40000", field("priority", "u=3, i")) + get(9, "/10")
              + get(11, "/10", field("priority", "u=7")));
    test.send(priority_update(9, "u=1"));
    test.send(window_update(0, 1'000'000));
    std::vector<std::uint32_t> order;
    auto const frames = test.sent(0);
    for (std::size_t i = before; i < frames.size(); ++i)
        order.push_back(frames[i].stream);
    CHECK(order == std::vector<std::uint32_t>{11, 9, 5, 7, 5, 7, 5, 7, 3, 3, 3});
}

TEST_CASE("a stream shares its turn, unless its response says otherwise") {
    Fixture test;
    test.begin(settings(setting(4, 1'000'000)));
    test.send(get(1, "/65535"));
    auto const before = test.sent(0).size();
    test.send(get(3, "/40000?stream", field("priority", "u=2")) + get(5, "/40000?stream")
              + get(7, "/40000?stream") + get(9, "/30000"));
    test.send(window_update(0, 1'000'000));
    std::vector<std::uint32_t> order;
    auto const frames = test.sent(0);
    for (std::size_t i = before; i < frames.size(); ++i)
        order.push_back(frames[i].stream);
    // The one that is no stream takes every second turn.
    CHECK(order == std::vector<std::uint32_t>{3, 3, 3, 9, 5, 9, 7, 5, 7, 5, 7});
}

TEST_CASE("a long response takes as many writes as its client reads") {
    Fixture test;
    test.begin(settings(setting(4, 0x7FFF'FFFF)));
    test.send(window_update(0, 0x7FFF'FFFF - 65'535));
    test.stream.stall_writing();
    test.send(get(1, "/1000000"));
    CHECK(test.of(1).bytes_out < 300'000); // put together, and no more
    CHECK_FALSE(test.of(1).ended);
    test.stream.resume_writing();
    run_ready(test.loop);
    CHECK(test.response(1).body.size() == 1'000'000);
    CHECK(test.response(1).ended);
    CHECK(test.loop.buffers().in_use() == 0);
}

TEST_CASE("trailers of a response are HEADERS that end its stream, behind all of its body") {
    auto const size = GENERATE(std::size_t{0}, std::size_t{1}, std::size_t{70'000});
    CAPTURE(size);
    Fixture test;
    test.begin();
    std::string const body(size, 'b');
    test.send(put(1, "/trailers", field("trailer", "x")));
    for (std::string_view rest = body; !rest.empty();
         rest.remove_prefix(std::min<std::size_t>(rest.size(), 10'000)))
        test.send(data(1, rest.substr(0, 10'000)));
    test.send(headers(1, field("x", "y"), 5));
    if (size > 65'535) {
        // Its last bytes wait for the window, and the trailers for them.
        CHECK_FALSE(test.response(1).ended);
        test.send(window_update(0, 100'000) + window_update(1, 100'000));
    }
    auto const response = test.response(1);
    CHECK(response.body == body);
    CHECK(response.heads == 2);
    CHECK(response.ended);
    CHECK(response.head.ends_with(field("x", "y")));
    auto const frames = test.sent();
    CHECK(frames.back().type == 1);
    CHECK(frames.back().has(flag::end_stream));
    CHECK_FALSE(test.of(1).error);
    // Without any it ends as every body.
    test.send(put(3, "/trailers") + data(3, "x", 1));
    CHECK(test.response(3).ended);
    CHECK(test.response(3).heads == 1);
}

TEST_CASE("a response that breaks off is reset, so that it looks like no complete one") {
    Fixture test;
    test.begin();
    test.send(get(1, "/abort") + get(3, "/1"));
    CHECK(test.response(1).body == "part");
    CHECK_FALSE(test.response(1).ended);
    CHECK(test.response(1).code == 2); // INTERNAL_ERROR
    CHECK(test.response(3).ended);
}

TEST_CASE("a smaller table of the client's is announced by the next header block") {
    Fixture test;
    test.begin(settings(setting(1, 0)));
    test.send(get(1, "/1") + get(3, "/1"));
    CHECK(test.response(1).head.substr(0, 2) == "\x20\x88"); // RFC 7541, 6.3: a size of 0
    CHECK(test.response(3).head.front() == '\x88');
}

namespace {

// Another decoder, whose client has announced these sizes of its table.
bool decodes(std::string_view block, std::vector<std::uint32_t> const& sizes) {
    nghttp2_hd_inflater* inflater = nullptr;
    REQUIRE(nghttp2_hd_inflate_new(&inflater) == 0);
    for (auto const size : sizes)
        REQUIRE(nghttp2_hd_inflate_change_table_size(inflater, size) == 0);
    auto const* at = reinterpret_cast<std::uint8_t const*>(block.data());
    auto left = block.size();
    int flags = 0;
    bool is_valid = true;
    while (is_valid && (flags & NGHTTP2_HD_INFLATE_FINAL) == 0) {
        nghttp2_nv found{};
        auto const used = nghttp2_hd_inflate_hd2(inflater, &found, &flags, at, left, 1);
        is_valid = used >= 0;
        if (!is_valid) break;
        at += used;
        left -= static_cast<std::size_t>(used);
    }
    nghttp2_hd_inflate_del(inflater);
    return is_valid;
}

} // namespace

TEST_CASE("the smallest table that a client has announced is acknowledged, not only the last") {
    auto const sizes =
        GENERATE(values<std::vector<std::uint32_t>>({{0, 4'096}, {100, 8'192}, {0}}));
    std::string entries;
    for (auto const size : sizes)
        entries += setting(1, size);
    Fixture test;
    SECTION("in one frame") {
        test.begin(settings(entries));
    }
    SECTION("in several") {
        test.begin();
        for (auto const size : sizes)
            test.send(settings(setting(1, size)));
    }
    test.send(get(1, "/1"));
    CHECK(decodes(test.response(1).head, sizes));
    // It would not be decoded otherwise.
    CHECK_FALSE(decodes(test.response(1).head.substr(1), sizes));
}

TEST_CASE("a client must take a part within its time, whatever it updates meanwhile") {
    Fixture test;
    test.limits.body_idle = 150ms;
    test.begin(settings(setting(4, 1)));
    test.send(get(1, "/100"));
    auto const until = net::Clock::now() + 5s;
    while (!test.of(1).ended && net::Clock::now() < until) {
        test.send(window_update(1, 1));
        test.loop.context().run_for(30ms);
    }
    CHECK(test.of(1).error == net::asio::error::timed_out);
    run_ready(test.loop);
    CHECK(test.response(1).code == 8); // CANCEL
    CHECK(test.budget.used() == 0);
}

} // namespace http2_responses_test
