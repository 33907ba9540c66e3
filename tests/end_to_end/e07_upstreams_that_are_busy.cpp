// Busy upstreams: those that do not read, respond before the end of a body, or have no free
// connection.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"

#include <catch2/catch.hpp>

namespace e07_upstreams_that_are_busy {

using namespace sallyport::test;

TEST_CASE("a response that arrives while a buffered body is still being sent is forwarded") {
    TemporaryFolder const folder;
    auto const contract = folder.write(
        "notes.yaml", "openapi: 3.1.0\ninfo: { title: Notes }\npaths: { /notes/v1: { put: { "
                      "operationId: put, x-retry: safe, x-body-limit: 16777216, requestBody: { "
                      "content: { application/json: { schema: { type: object } } } } }, post: { "
                      "operationId: post, x-body-limit: 16777216, requestBody: { content: { "
                      "application/json: { schema: { type: object } } } } } } }\n");
    Event leave;
    RecordingUpstream::Options options{.start = RecordingUpstream::Start::after_head};
    std::string more = "timeouts: { first_byte: 20s, idle: 20s, total: 20s }";
    SECTION("on a unix socket") {
        options.unix_path = folder / "upstream.sock";
    }
    SECTION("over TLS") {
        options.certificate = certificates().upstream;
        more += ", tls: { ca: \"" + certificates().authority.string()
                + "\", server_name: upstream.example.test }";
    }
    RecordingUpstream upstream{[&](UpstreamExchange& exchange) {
                                   if (exchange.request.method == "GET") {
                                       exchange.send(response_text("{}"));
                                       return;
                                   }
                                   // Stops reading, and keeps the connection open.
                                   exchange.send(response_text("\"early\"", 413));
                                   exchange.wait(leave);
                                   exchange.reset();
                               },
                               options};
    auto configuration = standard_configuration("http://127.0.0.1:1", "http://127.0.0.1:1");
    configuration.upstreams += upstream_yaml("notes", upstream.endpoint(), more);
    configuration.apis += "  notes: { contract: \"" + contract.string()
                          + "\", upstream: notes, authenticate: [basic] }\n"
                            "  files: { paths: [\"/blob/\"], upstream: notes, authenticate: "
                            "[basic] }\n";
    Gateway gateway{configuration};
    std::string const body = "{\"note\":\"" + std::string(8'000'000, 'x') + "\"}";
    RawClient client{gateway.port()};
    auto const get = Outgoing{"GET", "/blob/a"}.authorization(basic(administrator)).text();
    for (auto const* method : {"PUT", "POST"}) {
        auto const request =
            Outgoing{method, "/notes/v1"}.authorization(basic(administrator)).body(body);
        auto const response = client.exchange(request.text());
        CHECK(response.status == 413);
        CHECK(response.body == "\"early\"");
        auto const line = gateway.wait_for_log_of(response.fields.one("X-Request-Id"));
        CHECK(line.text("retries") == "0");
        // The client's connection stays usable; the one to the upstream, which reads nothing any
        // more, is not used again.
        CHECK(client.exchange(get).status == 200);
    }
    leave.set();
    CHECK(gateway.stop() == 0);
}

TEST_CASE("an upstream that stops reading a body, and does not respond, causes a 504") {
    TemporaryFolder const folder;
    Event leave;
    RecordingUpstream upstream{
        [&](UpstreamExchange& exchange) { exchange.wait(leave); },
        {.unix_path = folder / "upstream.sock", .start = RecordingUpstream::Start::after_head}};
    auto configuration = standard_configuration("http://127.0.0.1:1", "http://127.0.0.1:1");
    configuration.upstreams = upstream_yaml("management", upstream.endpoint(),
                                            "timeouts: { first_byte: 20s, idle: 300ms }")
                              + upstream_yaml("observability", "http://127.0.0.1:1");
    configuration.apis += "  files: { paths: [\"/blob/\"], upstream: management, authenticate: "
                          "[basic] }\n";
    Gateway gateway{configuration};
    std::string const filler(900'000, 'x');
    auto const whole = request_for("updatePipeSettings").body("{\"note\":\"" + filler + "\"}");
    auto const streamed =
        Outgoing{"PUT", "/blob/a"}.authorization(basic(administrator)).body(filler, "text/plain");
    for (auto const& request : {whole, streamed}) {
        RawClient client{gateway.port()};
        client.try_send(request.text());
        check_problem(client.read_final_response("PUT"), refused(504, "upstream_timeout"));
    }
    leave.set();
    CHECK(gateway.stop() == 0);
}

TEST_CASE("the time to the first byte of a response begins at the end of the request") {
    Stage stage{[](UpstreamExchange& exchange) { exchange.send(response_text("{}")); },
                [](Configuration& configuration) {
                    with_upstream("timeouts: { first_byte: 300ms }")(configuration);
                    configuration.apis += "  files: { paths: [\"/blob/\"], upstream: management, "
                                          "authenticate: [basic] }\n";
                }};
    RawClient client{stage.port()};
    client.send(Outgoing{"PUT", "/blob/a"}
                    .authorization(basic(administrator))
                    .add("Content-Length", "2")
                    .head()
                + "a");
    CHECK(client.is_silent_for(std::chrono::milliseconds{600}));
    client.send("b");
    CHECK(client.read_response("PUT").status == 200);
    stage.finish();
}

TEST_CASE("a response before the body was read is forwarded, and its connection closed") {
    RecordingUpstream upstream{send_bytes(response_text("\"early\"", 413)),
                               {.start = RecordingUpstream::Start::after_head}};
    auto configuration = standard_configuration(upstream);
    configuration.apis += "  files: { paths: [\"/blob/\"], upstream: management, authenticate: "
                          "[basic] }\n";
    configuration.limits += "  body: 64MiB\n";
    Gateway gateway{configuration};
    RawClient client{gateway.port()};
    client.send(Outgoing{"PUT", "/blob/a"}
                    .authorization(basic(administrator))
                    .add("Content-Length", "50000000")
                    .head());
    client.try_send(std::string(100'000, 'x'));
    auto const response = client.read_response();
    CHECK(response.status == 413);
    CHECK(response.body == "\"early\"");
    CHECK(gateway.stop() == 0);
}

TEST_CASE("beyond a full queue a request is refused as overload, and queued ones are served") {
    Event gate;
    Stage stage{[&](UpstreamExchange& exchange) {
                    exchange.wait(gate);
                    exchange.send(response_text("{}"));
                },
                with_upstream("connections: { max: 1, idle: 1, queue: 1, queue_time: 20s }")};
    RawClient running{stage.port()};
    running.send(request_for("getPipe").text());
    stage.upstream.wait_for_requests(1);
    // The queue has one place: one of the next two requests is refused.
    RawClient left{stage.port()};
    left.send(request_for("getPipe").text());
    RawClient right{stage.port()};
    right.send(request_for("getPipe").text());
    auto* refused_one = &left;
    auto* waiting = &right;
    TimeLimit const limit;
    while (refused_one->is_silent_for(std::chrono::milliseconds{10})) {
        std::swap(refused_one, waiting);
        REQUIRE_FALSE(limit.has_passed());
    }
    auto const refusal = refused_one->read_response();
    check_problem(refusal, refused_for_now(503, "overloaded"));
    CHECK(stage.log_of(refusal).text("retries") == "0");
    gate.set();
    CHECK(running.read_response().status == 200);
    CHECK(waiting->read_response().status == 200);
    CHECK(stage.upstream.connections() == 1);
    stage.finish();
}

TEST_CASE("a request that waits too long for an upstream connection is refused") {
    Event gate;
    Stage stage{[&](UpstreamExchange& exchange) {
                    exchange.wait(gate);
                    exchange.send(response_text("{}"));
                },
                with_upstream("connections: { max: 1, idle: 1, queue: 10, queue_time: 300ms }")};
    RawClient running{stage.port()};
    running.send(request_for("getPipe").text());
    stage.upstream.wait_for_requests(1);
    auto const refusal = stage.send(request_for("getPipe"));
    check_problem(refusal, refused_for_now(503, "overloaded"));
    // It waited once.
    CHECK(stage.log_of(refusal).text("retries") == "0");
    gate.set();
    CHECK(running.read_response().status == 200);
    stage.finish();
}

} // namespace e07_upstreams_that_are_busy
