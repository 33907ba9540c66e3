// Tests of the support itself: client and upstream distinguish the ways in which messages and
// connections end.
#include "tests/support/configuration.h"
#include "tests/support/encodings.h"
#include "tests/support/file_watch.h"
#include "tests/support/json.h"
#include "tests/support/operations.h"
#include "tests/support/other_end.h"
#include "tests/support/process.h"
#include "tests/support/raw_client.h"
#include "tests/support/recording_upstream.h"
#include "tests/support/temporary_folder.h"

#include <catch2/catch.hpp>

#include <csignal>

namespace test_support {

using namespace sallyport::test;

namespace {

Response parse_whole(std::string_view bytes, std::string_view method = "GET") {
    return parse_response(bytes, method, MoreToCome::no)->message;
}

} // namespace

TEST_CASE("an incomplete response is not accepted as a complete one") {
    for (std::string_view const bytes :
         {"HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n"}) {
        CHECK_THROWS_AS(parse_whole(bytes), BadMessage);
        CHECK_FALSE(parse_response(bytes, "GET", MoreToCome::yes));
    }
}

TEST_CASE("a message that is not strict HTTP/1.1 is refused") {
    for (std::string_view const bytes :
         {"HTTP/1.0 200 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 200 OK\n\n",
          "HTTP/1.1 200 OK\r\nA : b\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
          "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n"})
        CHECK_THROWS_AS(parse_whole(bytes), BadMessage);
    for (std::string_view const bytes :
         {"GET / HTTP/1.0\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n", "GET /\r\n\r\n",
          "G(T / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n",
          "PUT / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"})
        CHECK_THROWS_AS(parse_request(bytes), BadMessage);
}

TEST_CASE("bodies end according to their framing") {
    CHECK(parse_whole("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab").body == "ab");
    CHECK(parse_whole("HTTP/1.1 200 OK\r\n\r\nab").framing == Framing::until_close);
    CHECK(parse_whole("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", "HEAD").body.empty());
    CHECK(parse_whole("HTTP/1.1 304 Not Modified\r\nContent-Length: 2\r\n\r\n").framing
          == Framing::none);
    auto const text =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked("abcdefg", 3);
    for (std::size_t size = 0; size < text.size(); ++size)
        CHECK_FALSE(parse_response(text.substr(0, size), "GET", MoreToCome::yes));
    auto const parsed = parse_response(text + "HTTP", "GET", MoreToCome::yes);
    CHECK(parsed->message.body == "abcdefg");
    CHECK(parsed->size == text.size());
}

TEST_CASE("every way in which an upstream ends a connection is distinguished by the client") {
    struct Row {
        char const* name;
        RecordingUpstream::Script script;
        End plain;
        End tls;
    };
    auto const row = GENERATE(values<Row>({
        {"reset", [](UpstreamExchange& exchange) { exchange.reset(); }, End::reset, End::reset},
        {"close", [](UpstreamExchange& exchange) { exchange.close(); }, End::orderly,
         End::truncated},
        {"orderly", [](UpstreamExchange& exchange) { exchange.close_orderly(); }, End::orderly,
         End::orderly},
    }));
    CAPTURE(row.name);
    RecordingUpstream plain{row.script};
    RawClient plain_client{plain.port(), {.security = Security::plain, .tls = {}}};
    plain_client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(plain_client.read_to_end() == row.plain);

    RecordingUpstream tls{row.script, {.certificate = certificates().server}};
    RawClient tls_client{tls.port()};
    tls_client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(tls_client.read_to_end() == row.tls);
}

TEST_CASE("every way in which a client ends a connection is distinguished by the upstream") {
    End seen{};
    Event done;
    RecordingUpstream upstream{[&](UpstreamExchange& exchange) {
                                   seen = exchange.wait_for_end();
                                   done.set();
                               },
                               {.certificate = certificates().server}};
    auto const ends_as = [&](auto leave) {
        RawClient client{upstream.port()};
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        upstream.wait_for_requests(1);
        leave(client.channel());
        REQUIRE(done.wait() == Waited::happened);
        return seen;
    };
    SECTION("reset") {
        CHECK(ends_as([](Channel& channel) { channel.reset(); }) == End::reset);
    }
    SECTION("FIN alone") {
        CHECK(ends_as([](Channel& channel) { channel.half_close(); }) == End::truncated);
    }
    SECTION("close_notify") {
        CHECK(ends_as([](Channel& channel) { channel.send_close_notify(); }) == End::orderly);
    }
}

TEST_CASE("a client refuses the certificate of another authority or another name") {
    RecordingUpstream const untrusted{{}, {.certificate = certificates().untrusted}};
    ClientOptions const options{.server_name = "upstream.example.test", .tls = {}};
    CHECK_FALSE(RawClient::try_handshake(untrusted.port(), options).empty());
    untrusted.wait_for_failed_handshakes(1);

    RecordingUpstream const upstream{{}, {.certificate = certificates().upstream}};
    CHECK_FALSE(RawClient::try_handshake(upstream.port(), {}).empty());
    RecordingUpstream const expired{{}, {.certificate = certificates().expired}};
    CHECK_FALSE(RawClient::try_handshake(expired.port(), {}).empty());

    RawClient client{upstream.port(), options};
    CHECK(name_in_certificate(client.channel().tls()) == "upstream.example.test");
    upstream.wait_for_connections(1);
}

TEST_CASE("an upstream records the exact bytes, in any pieces") {
    RecordingUpstream upstream;
    auto const first = request_for("updatePipeSettings").text();
    auto const second = request_for("chartSeries").chunked_body("[1,2,3]", 2).text();
    RawClient client{upstream.port(), {.security = Security::plain, .tls = {}}};
    client.send_in_pieces(first + second, 7);
    CHECK(client.read_response().body == "{}");
    CHECK(client.read_response().status == 200);
    auto const requests = upstream.requests();
    REQUIRE(requests.size() == 2);
    CHECK(requests[0].raw == first);
    CHECK(requests[0].body == operation("updatePipeSettings").body);
    CHECK(requests[1].raw == second);
    CHECK(requests[1].body == "[1,2,3]");
    CHECK(upstream.connections() == 1);
    CHECK(upstream.protocol_errors().empty());
}

TEST_CASE("an upstream reports a request that is not strict") {
    RecordingUpstream const upstream;
    RawClient client{upstream.port(), {.security = Security::plain, .tls = {}}};
    client.send("GET / HTTP/1.0\r\n\r\n");
    CHECK(client.read_to_end() == End::orderly);
    CHECK(upstream.protocol_errors().size() == 1);
    CHECK(upstream.requests().empty());
}

TEST_CASE("a script may respond before it reads the body, in pieces, when the test triggers it") {
    Event gate;
    RecordingUpstream upstream{[&](UpstreamExchange& exchange) {
                                   exchange.send("HTTP/1.1 100 Continue\r\n\r\n");
                                   exchange.read_body();
                                   auto const whole = response_text(exchange.request.body);
                                   exchange.send_in_pieces(whole.substr(0, 20), 3);
                                   exchange.wait(gate);
                                   exchange.send(whole.substr(20));
                               },
                               {.start = RecordingUpstream::Start::after_head}};
    auto const request = request_for("updatePipeSettings");
    RawClient client{upstream.port(), {.security = Security::plain, .tls = {}}};
    client.send(request.head());
    CHECK(client.read_response().status == 100);
    client.send(operation("updatePipeSettings").body);
    CHECK(client.read_bytes(20) == "HTTP/1.1 200 Status\r");
    CHECK(client.unread().empty());
    gate.set();
    auto const rest = response_text(operation("updatePipeSettings").body).substr(20);
    CHECK(client.read_bytes(rest.size()) == rest);
}

TEST_CASE("an upstream on a unix socket has its address and stops listening on request") {
    TemporaryFolder const folder;
    RecordingUpstream unix_upstream{{}, {.unix_path = folder / "socket"}};
    CHECK(unix_upstream.endpoint() == "unix:" + (folder / "socket").string());
    CHECK(connect_unix(folder / "socket").is_open());

    RecordingUpstream upstream;
    upstream.stop_listening();
    CHECK_THROWS(connect_tcp(upstream.port()));
}

TEST_CASE("the kernel reports what the other end of a connection has not read") {
    Event gate;
    RecordingUpstream upstream{[&gate](UpstreamExchange& exchange) {
        exchange.wait(gate);
        exchange.close();
    }};
    Channel client{connect_tcp(upstream.port())};
    REQUIRE(client.write_all("GET / HTTP/1.1\r\nHost: a\r\n\r\n") == End::data);
    upstream.wait_for_requests(1);
    auto const held = held_for_other_end(client.descriptor());
    REQUIRE(held);
    CHECK(held->unread == 0);
    CHECK(held->unacknowledged == 0);
    REQUIRE(client.write_all("unread") == End::data);
    TimeLimit const limit;
    while (held_for_other_end(client.descriptor())->unread != 6)
        REQUIRE_FALSE(limit.has_passed());
    gate.set();
    upstream.wait_for_open_connections(0);
    CHECK_FALSE(held_for_other_end(client.descriptor()));
}

TEST_CASE("a process has its exit code, its signal and its output") {
    auto const finished = run({{"sh", "-c", "cat; echo oops >&2; exit 3"}}, "given");
    CHECK(finished.exit_code == 3);
    CHECK(finished.output == "given");
    CHECK(finished.error == "oops\n");
    CHECK(run({{"/no/such/program"}}).exit_code == 127);
    CHECK(find_program("no-such-program-anywhere").empty());
    Process process{{{"sleep", "600"}}, {}};
    CHECK_FALSE(process.wait(TimeLimit{std::chrono::milliseconds{0}}));
    process.signal(SIGTERM);
    CHECK(process.wait() == 128 + SIGTERM);
}

TEST_CASE("a watch reports a file that is created after the last check") {
    TemporaryFolder const folder;
    FileWatch watch{folder.path()};
    CHECK(watch.wait(-1, TimeLimit{std::chrono::milliseconds{0}}) == Waited::time_limit);
    folder.write("new", "content");
    CHECK(watch.wait(-1, TimeLimit{}) == Waited::happened);
    CHECK(read_file(folder / "new") == "content");
}

TEST_CASE("JSON is read strictly and in order") {
    for (std::string_view const text : {"", "{", "{}x", "{'a':1}", "\"\xff\"", "[1,]", "01"})
        CHECK_THROWS(Json::parse(text));
    auto const json = Json::parse(R"({"b":[1,"\u00e4",null],"a":{"c":true},"n":12})");
    CHECK(json.names() == std::vector<std::string>{"b", "a", "n"});
    CHECK(json["b"][1].string == "ä");
    CHECK(json["b"][2].is_null());
    CHECK(json["a"]["c"].boolean);
    CHECK(json.text("n") == "12");
    CHECK(json.text("absent").empty());
    CHECK_THROWS(json["absent"]);
}

TEST_CASE("encoded data are decoded unchanged") {
    CHECK(base64("Aladdin:open sesame") == "QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
    CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(percent_encode_all("a/") == "%61%2F");
    CHECK(decompress_gzip(compress("text text text", Coding::gzip)) == "text text text");
    CHECK_THROWS(decompress_gzip(compress("text", Coding::zlib)));
    CHECK(chunked("abcde", 3) == "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
}

} // namespace test_support
