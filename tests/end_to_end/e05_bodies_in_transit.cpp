// The transfer of bodies: coded, in chunks, too large, too many at once, too late.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"

#include "tests/support/encodings.h"

#include <catch2/catch.hpp>

namespace e05_bodies_in_transit {

using namespace sallyport::test;

namespace {

Outgoing settings(std::string_view body) {
    return request_for("updatePipeSettings").body(body);
}

Outgoing coded(std::string_view bytes, std::string_view coding) {
    return settings(bytes).add("Content-Encoding", coding);
}

// A settings body of exactly that many bytes.
std::string of_size(std::size_t size) {
    std::string const begin = R"({"fill":")";
    return begin + std::string(size - begin.size() - 2, 'x') + "\"}";
}

} // namespace

TEST_CASE("unsupported, invalid or hostile codings are refused") {
    Stage stage;
    auto const gzip = compress("{}", Coding::gzip);
    ExpectedProblem unsupported = refused(415, "unsupported_media_type");
    unsupported.fields = {{"Accept-Encoding", "gzip, deflate"}};
    for (std::string_view const coding : {"br", "zstd", "compress", "gzip, gzip", "gzip, deflate",
                                          "identity, br", "*", "gzip;q=1"}) {
        CAPTURE(coding);
        check_problem(stage.send(coded(gzip, coding)), unsupported);
    }
    check_problem(stage.send(coded(gzip, "gzip").add("Content-Encoding", "gzip")), unsupported);

    auto damaged = gzip;
    damaged[damaged.size() - 6] ^= 1; // in the checksum
    for (auto const& [name, request] : std::vector<std::pair<std::string, Outgoing>>{
             {"not gzip", coded("{}", "gzip")},
             {"not zlib", coded("{}", "deflate")},
             {"bare deflate", coded(compress("{}", Coding::raw_deflate), "deflate")},
             {"zlib called gzip", coded(compress("{}", Coding::zlib), "gzip")},
             {"truncated", coded(gzip.substr(0, gzip.size() - 1), "gzip")},
             {"head only", coded(gzip.substr(0, 10), "gzip")},
             {"wrong checksum", coded(damaged, "gzip")},
             {"bytes after it", coded(gzip + "x", "gzip")},
             {"two members", coded(gzip + gzip, "gzip")},
             {"empty", coded("", "gzip")},
             {"malformed JSON within", coded(compress("{", Coding::gzip), "gzip")},
         }) {
        CAPTURE(name);
        check_problem(stage.send(request), refused(400, "malformed_body"));
    }
    CHECK(stage.send(coded(compress(R"({"db_max_threads":65})", Coding::gzip), "gzip")).status
          == 400);
    CHECK(stage.upstream.connections() == 0);
    stage.finish();
}

TEST_CASE("a body that expands beyond the limit or the ratio is refused while it is decoded") {
    Stage stage;
    auto const bomb = compress(of_size(50'000'000), Coding::gzip);
    check_problem(stage.send(coded(bomb, "gzip")), refused(413, "body_too_large"));
    auto const dense = compress(of_size(900'000), Coding::gzip);
    auto const response = stage.send(coded(dense, "gzip"));
    CHECK((response.status == 413 || response.status == 400));
    CHECK(stage.upstream.connections() == 0);
    stage.finish();
}

TEST_CASE("a coded body is forwarded decoded, without the fields about its coded bytes") {
    Stage stage;
    std::string const body = R"({"db_max_threads":64,"text":"text text text text"})";
    struct Row {
        std::string_view name;
        std::string bytes;
    };
    for (auto const& row : std::vector<Row>{{"gzip", compress(body, Coding::gzip)},
                                            {"x-gzip", compress(body, Coding::gzip)},
                                            {"GZip", compress(body, Coding::gzip)},
                                            {"deflate", compress(body, Coding::zlib)}}) {
        CAPTURE(row.name);
        auto const index = stage.upstream.requests().size();
        auto request = coded(row.bytes, row.name).add("Content-MD5", "x").add("Digest", "x");
        request.add("Content-Digest", "sha-256=:x:").add("X-Other", "kept");
        CHECK(stage.send(request).status == 200);
        auto const seen = stage.upstream.request(index);
        CHECK(seen.body == body);
        CHECK(seen.fields.one("Content-Length") == std::to_string(body.size()));
        for (auto const* name : {"Content-Encoding", "Content-MD5", "Digest", "Content-Digest"})
            CHECK(seen.fields.count(name) == 0);
        CHECK(seen.fields.one("X-Other") == "kept");
    }
    auto const index = stage.upstream.requests().size();
    auto const chunked_gzip = request_for("updatePipeSettings")
                                  .chunked_body(compress(body, Coding::gzip), 5)
                                  .add("Content-Encoding", "gzip");
    CHECK(stage.send(chunked_gzip).status == 200);
    CHECK(stage.upstream.request(index).body == body);
    stage.finish();
}

TEST_CASE("chunks of odd sizes, in odd pieces, with extensions, make the same body") {
    Stage stage;
    auto const body = operation("createService").body;
    for (std::size_t const chunk : {1U, 2U, 3U, 7U, 64U, 5000U}) {
        CAPTURE(chunk);
        auto const index = stage.upstream.requests().size();
        RawClient client{stage.port()};
        client.send_in_pieces(request_for("createService").chunked_body(body, chunk).text(),
                              chunk % 5 + 1);
        CHECK(client.read_response().status == 200);
        auto const seen = stage.upstream.request(index);
        CHECK(seen.body == body);
        CHECK(seen.fields.count("Transfer-Encoding") + seen.fields.count("Content-Length") == 1);
    }
    stage.finish();
}

TEST_CASE("small chunks that arrive together are forwarded together, in order") {
    Stage stage{{}, [](Configuration& configuration) {
                    configuration.apis += "  files: { paths: [\"/blob/\"], upstream: management, "
                                          "authenticate: [basic], methods: [PUT] }\n";
                }};
    std::string body;
    while (body.size() < 300'000)
        body += std::to_string(body.size()) + ' ';
    std::string chunks;
    std::size_t sent = 0;
    for (std::size_t turn = 0; sent < body.size(); ++turn) {
        // Runs of single bytes, between chunks of a few and of many thousands.
        auto const size = turn % 1000 == 700 ? 70'000U : turn % 100 == 99 ? 5'000U : 1 + turn % 3;
        auto const piece = body.substr(sent, size);
        auto const one = chunked(piece, piece.size());
        chunks += one.substr(0, one.size() - std::string_view{"0\r\n\r\n"}.size());
        sent += piece.size();
    }
    auto const request = Outgoing{"PUT", "/blob/a"}
                             .authorization(basic(administrator))
                             .add("Transfer-Encoding", "chunked")
                             .bytes(chunks + "0\r\n\r\n");
    CHECK(stage.send(request).status == 200);
    CHECK(stage.upstream.request(0).body == body);
    stage.finish();
}

TEST_CASE("a body at its limit passes, one byte more is refused, in any framing") {
    Stage stage{{}, with_limits("body: 4KiB")};
    CHECK(stage.send(settings(of_size(4096))).status == 200);
    check_problem(stage.send(settings(of_size(4097))), refused(413, "body_too_large"));
    auto const in_chunks = [](std::size_t size) {
        return request_for("updatePipeSettings").chunked_body(of_size(size), 1000);
    };
    CHECK(stage.send(in_chunks(4096)).status == 200);
    check_problem(stage.send(in_chunks(4097)), refused(413, "body_too_large"));
    // A declared length above the limit is refused at once, without the body.
    RawClient client{stage.port()};
    client.send(settings("").set("Content-Length", "99999999999").head());
    check_problem(client.read_response(), refused(413, "body_too_large"));
    CHECK(stage.upstream.requests().size() == 2);
    stage.finish();
}

TEST_CASE("100 Continue is sent when the head is valid, and then the body is read") {
    Stage stage;
    auto const body = operation("updatePipeSettings").body;
    auto request = settings(body).add("Expect", "100-continue");
    RawClient client{stage.port()};
    client.send(request.head());
    auto const interim = client.read_response();
    CHECK(interim.status == 100);
    CHECK(interim.fields.empty());
    client.send(body);
    CHECK(client.read_response().status == 200);
    CHECK(stage.upstream.request(0).fields.count("Expect") == 0);
    // A client that does not wait gets its response too; whether 100 comes first is the server's
    // choice.
    client.send(request.text());
    CHECK(client.read_final_response().status == 200);
    stage.finish();
}

TEST_CASE("a request that is refused because of its head gets no 100 Continue") {
    Stage stage;
    struct Row {
        Outgoing request;
        int status;
    };
    for (auto const& row : std::vector<Row>{
             {settings("{}").without("Authorization"), 401},
             {settings("{}").authorization(basic(reader)), 403},
             {settings("{}").set("Content-Type", "text/plain"), 415},
             {settings("{}").set("Content-Length", "9999999"), 413},
             {settings("{}").add("Content-Encoding", "br"), 415},
         }) {
        auto request = row.request;
        RawClient client{stage.port()};
        client.send(request.add("Expect", "100-continue").head());
        CHECK(client.read_response().status == row.status);
    }
    CHECK(stage.upstream.connections() == 0);
    stage.finish();
}

TEST_CASE("bodies that together exceed the budget are refused as overload") {
    Stage stage{{}, with_limits("buffered_bodies: 1536KiB\n  buffered_bodies_per_caller: 1536KiB")};
    auto const large = of_size(1'000'000);
    auto const request = settings(large);
    RawClient left{stage.port()};
    RawClient right{stage.port()};
    // Each holds its last byte back, so that the end of the other one does not make room.
    left.try_send(request.head() + large.substr(0, large.size() - 1));
    right.try_send(request.head() + large.substr(0, large.size() - 1));
    TimeLimit const limit;
    auto* refused_one = &left;
    auto* other = &right;
    while (refused_one->is_silent_for(std::chrono::milliseconds{10})) {
        std::swap(refused_one, other);
        REQUIRE_FALSE(limit.has_passed());
    }
    check_problem(refused_one->read_response(), refused_for_now(503, "overloaded"));
    other->send(large.substr(large.size() - 1));
    CHECK(other->read_response().status == 200);
    CHECK(stage.send(request).status == 200); // all of it has been released
    CHECK(stage.upstream.requests().size() == 2);
    stage.finish();
}

TEST_CASE("a body that stops arriving is refused") {
    Stage stage{{}, with_limits("body_idle: 300ms")};
    RawClient client{stage.port()};
    client.send(settings("{}").set("Content-Length", "10").text());
    check_problem(client.read_response(), refused(408, "timeout"));
    CHECK(client.read_to_end() == End::orderly);
    CHECK(stage.upstream.connections() == 0);
    stage.finish();
}

TEST_CASE("a head that does not end in time is refused, even if bytes keep arriving") {
    Stage stage{{}, with_limits("head_time: 500ms")};
    RawClient client{stage.port()};
    client.send("GET / HTTP/1.1\r\nHost: loc");
    TimeLimit const limit;
    while (client.try_send("a") == End::data && client.is_silent_for(std::chrono::milliseconds{50}))
        REQUIRE_FALSE(limit.has_passed());
    client.read_to_end();
    CHECK(client.unread().substr(0, 12) == "HTTP/1.1 408");
    // Nothing of an incomplete head is logged.
    auto const line = stage.gateway.wait_for_log_lines(1)[0];
    CHECK(line["method"].is_null());
    CHECK(line.text("reason") == "timeout");
    stage.finish();
}

} // namespace e05_bodies_in_transit
