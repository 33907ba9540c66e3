// The exact reason why a request or a response was refused or failed: a line of the control log, by
// the request's id.
#include "tests/end_to_end/stage.h"

#include <catch2/catch.hpp>

#include <regex>

namespace e21_notes_on_exchanges {

using namespace sallyport::test;

namespace {

struct Note {
    std::string reason;
    std::string note;
    std::string upstream; // empty: no upstream was used
};

Note note_of(Gateway const& gateway, std::string const& request_id) {
    std::regex const line{"info exchange_note request_id=" + request_id
                          + R"( reason=(\S+) note=("[^"\n]*"|\S+)(?: upstream=(\S+))? left_out=\d+)"
                            "\n"};
    Note out;
    gateway.wait_for_error_output([&](std::string const& text) {
        std::smatch found;
        if (!std::regex_search(text, found, line)) return false;
        out = {found[1], found[2], found[3]};
        return true;
    });
    return out;
}

Note note_of(Stage const& stage, Response const& response) {
    return note_of(stage.gateway, response.fields.one("X-Request-Id"));
}

std::string get(std::string const& lines) {
    return "GET " + operation("getPipe").target + " HTTP/1.1\r\nHost: localhost\r\n"
           + "Authorization: " + basic(administrator) + "\r\n" + lines + "\r\n";
}

} // namespace

TEST_CASE("the violated rule of the framing policy is logged") {
    Stage stage;
    struct Row {
        std::string lines;
        std::string reason;
        std::string rule;
    };
    for (auto const& row :
         {Row{"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", "bad_request",
              "transfer_encoding_and_content_length"},
          Row{"X-C4nary: a\r\n folded-c4nary\r\n", "bad_request", "obs_fold"},
          Row{"Expect: c4nary\r\n", "expectation_failed", "unknown_expectation"}}) {
        CAPTURE(row.lines);
        RawClient client{stage.port()};
        client.try_send(get(row.lines));
        auto const note = note_of(stage, client.read_response());
        CHECK(note.reason == row.reason);
        INFO(note.note);
        CHECK(note.note.find(row.rule) != std::string::npos);
    }
    // Nothing of the message.
    CHECK(stage.gateway.standard_error().find("4nary") == std::string::npos);
    stage.finish();
}

TEST_CASE(
    "an expired credential is logged by its name, if its secret was right; a wrong one is not") {
    Stage stage;
    auto const gone = stage.send(request_for("getPipe").authorization(basic(expired_key)));
    CHECK(gone.status == 401);
    auto const note = note_of(stage, gone);
    CHECK(note.reason == "unauthenticated");
    CHECK(note.note.find("\"the credential has expired: expired") == 0);
    auto const token = stage.send(request_for("getDashboard").authorization(bearer(expired_token)));
    CHECK(note_of(stage, token).note.find("\"the credential has expired: ") == 0);

    auto const wrong = stage.send(
        request_for("getPipe").authorization(basic({expired_key.id, "a-wrong-secret-0123456789"})));
    CHECK(wrong.status == 401);
    CHECK(wrong.body.size() == gone.body.size()); // one response for all
    CHECK(stage.log_of(wrong).text("reason") == "unauthenticated");
    CHECK(stage.log_of(gone)["credential"].is_null());
    CHECK(stage.gateway.standard_error().find(wrong.fields.one("X-Request-Id"))
          == std::string::npos);
    stage.finish();
}

TEST_CASE("the failed step at the upstream and its error are logged") {
    Stage stage;
    stage.upstream.stop_listening();
    auto const response = stage.send(request_for("getPipe"));
    auto const refused = note_of(stage, response);
    CHECK(refused.reason == "upstream_failed");
    CHECK(refused.note == "\"connect: Connection refused\"");
    // At which endpoint, here and in the access log.
    CHECK(refused.upstream.find(stage.upstream.endpoint()) != std::string::npos);
    CHECK(stage.log_of(response).text("upstream") == stage.upstream.endpoint());
    CHECK(stage.gateway.stop() == 0);
}

TEST_CASE("the rule that a response violated is logged, and the deadline that an upstream missed") {
    Event never; // destroyed after the upstream that waits for it
    Stage stage{[](UpstreamExchange& exchange) {
                    exchange.send(
                        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n");
                },
                with_upstream("timeouts: { first_byte: 200ms }")};
    auto const invalid = note_of(stage, stage.send(request_for("getPipe")));
    CHECK(invalid.reason == "upstream_invalid");
    CHECK(invalid.note == "repeated_content_length");
    stage.upstream.respond_with([&](UpstreamExchange& exchange) { exchange.wait(never); });
    auto const late = note_of(stage, stage.send(request_for("getPipe")));
    CHECK(late.reason == "upstream_timeout");
    CHECK(late.note == "\"read the response head\"");
    stage.upstream.respond_with([](UpstreamExchange& exchange) {
        exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
        exchange.close();
    });
    RawClient client{stage.port()};
    client.send(request_for("getPipe").text());
    auto const head = client.read_to_end();
    CHECK(head != End::data);
    auto const line = stage.gateway.wait_for_log(
        [](Json const& entry) { return entry.text("reason") == "upstream_incomplete"; });
    auto const broken = note_of(stage.gateway, line.text("request_id"));
    CHECK(broken.reason == "upstream_incomplete");
    CHECK(broken.note.find("the upstream broke off") != std::string::npos);
    CHECK(stage.gateway.stop() == 0);
}

TEST_CASE("a client that disconnects within its response is not a fault of the upstream") {
    Event done;
    Stage stage{[&](UpstreamExchange& exchange) {
        exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\nx");
        exchange.wait(done);
    }};
    {
        RawClient client{stage.port()};
        client.send(request_for("getPipe").text());
        client.read_bytes(20);
    }
    auto const line = stage.gateway.wait_for_log(
        [](Json const& entry) { return entry.text("reason") == "client_closed"; });
    done.set();
    auto const note = note_of(stage.gateway, line.text("request_id"));
    CHECK(note.reason == "client_closed");
    CHECK(note.note == "\"the client closed the connection during the response\"");
    stage.upstream.respond_with({});
    stage.finish();
}

TEST_CASE(
    "unauthenticated clients cannot fill the log with notes, and passing requests have none") {
    Stage stage;
    CHECK(stage.send(request_for("getPipe")).status == 200);
    CHECK(stage.gateway.standard_error().find("exchange_note") == std::string::npos);
    ClientOptions options;
    constexpr std::size_t requests = 300;
    for (std::size_t index = 0; index < requests; ++index) {
        RawClient client{stage.port()};
        client.try_send("GET / HTTP/1.1\r\n\r\n");
        CHECK(client.read_response().status == 400);
    }
    // Every one has its line in the access log.
    stage.gateway.wait_for_log_lines(requests + 1);
    CHECK(stage.gateway.stop() == 0);
    std::size_t notes = 0;
    auto const text = stage.gateway.standard_error();
    for (auto at = text.find(" exchange_note "); at != std::string::npos;
         at = text.find(" exchange_note ", at + 1))
        ++notes;
    CHECK(notes >= 50);
    CHECK(notes < requests);
}

} // namespace e21_notes_on_exchanges
