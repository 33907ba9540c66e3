// Bodies that are a series of items: validated while they are streamed; of multipart as a whole.
#include "tests/end_to_end/stage.h"

#include <catch2/catch.hpp>

#include <array>
#include <cstdio>
#include <mutex>

namespace e34_json_lines {

using namespace sallyport::test;
using namespace std::string_literals;

namespace {

constexpr std::string_view contract = R"yaml(openapi: 3.2.0
info: { title: T, version: "1" }
paths:
  /v1/rows:
    post:
      operationId: addRows
      requestBody:
        required: true
        content:
          application/x-ndjson:
            itemSchema: { $ref: "#/components/schemas/Row" }
          application/json-seq:
            itemSchema: { $ref: "#/components/schemas/Row" }
          text/event-stream:
            itemSchema: { type: object, required: [data], properties: { event: { enum: [row] } } }
          multipart/mixed:
            schema:
              type: array
              prefixItems: [{ $ref: "#/components/schemas/Row" }]
              items: { maxLength: 3 }
            prefixEncoding: [{ contentType: application/json }]
            itemEncoding: { contentType: image/* }
      responses:
        "200":
          description: the rows
          content: { application/jsonl: { itemSchema: { $ref: "#/components/schemas/Row" } } }
components:
  schemas:
    Row:
      type: object
      required: [n]
      properties: { n: { type: integer, maximum: 9 }, secret: { type: string, x-secret: true } }
)yaml";

// All bytes that one connection of the upstream receives, while they arrive.
class Received {
public:
    void add(std::string_view bytes) {
        std::lock_guard const guard{lock_};
        bytes_ += bytes;
    }
    [[nodiscard]] std::string bytes() const {
        std::lock_guard const guard{lock_};
        return bytes_;
    }
    [[nodiscard]] bool has(std::string_view part) const {
        return bytes().find(part) != std::string::npos;
    }
    Event first_item; // set when the first item has arrived
    Event ended;

private:
    mutable std::mutex lock_;
    std::string bytes_;
};

// Reads until the gateway ends the connection; responds to a body that is complete.
RecordingUpstream::Script record(Received& received) {
    return [&received](UpstreamExchange& exchange) {
        std::array<char, 4096> bytes{};
        for (;;) {
            auto const read = exchange.channel().read_some(bytes);
            if (read.end != End::data) break;
            received.add({bytes.data(), read.count});
            if (received.has("{\"n\":1}\n")) received.first_item.set();
            if (received.has("\r\n0\r\n\r\n"))
                static_cast<void>(exchange.send(response_text("{}")));
        }
        received.ended.set();
        exchange.close();
    };
}

Change own_api(std::string const& more = {}) {
    return [more](Configuration& configuration) {
        configuration.access_log += "  bodies: { requests: all }\n";
        configuration.apis =
            "  own: { contract: own.yaml, upstream: management, authenticate: [basic]" + more
            + " }\n";
    };
}

Gateway::Options options() {
    Gateway::Options options;
    options.credentials = administrator_credentials();
    options.files["own.yaml"] = contract;
    return options;
}

Outgoing post(std::string_view media_type = "application/x-ndjson") {
    return Outgoing{"POST", "/v1/rows"}
        .authorization(basic(administrator))
        .add("Content-Type", media_type);
}

std::string chunk(std::string_view text) {
    std::array<char, 16> size{};
    std::snprintf(size.data(), size.size(), "%zx\r\n", text.size());
    return size.data() + std::string{text} + "\r\n";
}

// The body of a request in chunks that ends the text.
std::string body_of(std::string const& request) {
    std::string body;
    for (std::size_t at = request.find("\r\n\r\n") + 4; at < request.size();) {
        auto const size = std::stoul(request.substr(at), nullptr, 16);
        at = request.find("\r\n", at) + 2;
        body += request.substr(at, size);
        at += size + 2;
    }
    return body;
}

// Uploads of two steps: the upstream must have the first item before the second is sent.
struct Upload {
    explicit Upload(Change const& change = own_api())
        : stage{{},
                [this, change](Configuration& configuration) {
                    change(configuration);
                    configuration.upstreams = upstream_yaml("management", upstream.endpoint());
                    configuration.upstreams += upstream_yaml("observability", upstream.endpoint());
                },
                options()},
          client{stage.port()} {}

    void begin(std::string_view first, std::string_view media_type = "application/x-ndjson") {
        client.send(post(media_type).add("Transfer-Encoding", "chunked").head() + chunk(first));
        REQUIRE(received.first_item.wait() == Waited::happened);
    }

    Received received;
    RecordingUpstream upstream{{}, {.on_connection = record(received)}};
    Stage stage;
    RawClient client;
};

} // namespace

TEST_CASE("each line is forwarded as soon as it is complete and valid") {
    Upload upload;
    upload.begin("{\"n\":1}\n{\"n\":");
    CHECK_FALSE(upload.received.has("{\"n\":\r\n"));
    upload.client.send(chunk("2}\n{\"n\":3}") + "0\r\n\r\n");
    auto const response = upload.client.read_final_response("POST");
    CHECK(response.status == 200);
    CHECK(body_of(upload.received.bytes()) == "{\"n\":1}\n{\"n\":2}\n{\"n\":3}");
    auto const line = upload.stage.log_of(response);
    CHECK(line["status"].number == 200);
    upload.stage.gateway.stop();
}

TEST_CASE("the first line that is not valid ends the upload before it is forwarded") {
    Upload upload;
    upload.begin("{\"n\":1}\n");
    upload.client.send(chunk("{\"n\":2}\n{\"n\":10,\"secret\":\"c4nary\"}\n{\"n\":3}\n"));
    auto const response = upload.client.read_final_response("POST");
    CHECK(response.status == 400);
    CAPTURE(response.body);
    CHECK(response.body.find("contract_violation") != std::string::npos);
    CHECK(response.body.find("\"pointer\":\"/2/n\"") != std::string::npos);
    REQUIRE(upload.received.ended.wait() == Waited::happened);
    // The upstream cannot take it for complete.
    CHECK_FALSE(upload.received.has("\r\n0\r\n"));
    CHECK_FALSE(upload.received.has("\"n\":10"));
    auto const line = upload.stage.log_of(response);
    CHECK(line.text("reason") == "contract_violation");
    CHECK(line["violations"].items.at(0).text("pointer") == "/2/n");
    CHECK(read_file(upload.stage.gateway.access_log()).find("c4nary") == std::string::npos);
    upload.stage.gateway.stop();
}

TEST_CASE("each event is forwarded as soon as it is complete and valid") {
    Upload upload;
    auto const first = "event: row\ndata: {\"n\":1}\n\n"s;
    upload.begin(first + ": comment\nda", "text/event-stream");
    upload.client.send(chunk("ta: 2\r\n\r\nevent: other\ndata: c4nary\n\ndata: 3\n\n"));
    auto const response = upload.client.read_final_response("POST");
    CHECK(response.status == 400);
    CAPTURE(response.body);
    CHECK(response.body.find("\"pointer\":\"/2/event\"") != std::string::npos);
    REQUIRE(upload.received.ended.wait() == Waited::happened);
    CHECK_FALSE(upload.received.has("\r\n0\r\n"));
    CHECK_FALSE(upload.received.has("c4nary"));
    CHECK(upload.stage.log_of(response).text("reason") == "contract_violation");
    upload.stage.gateway.stop();
}

TEST_CASE("the parts of a multipart body without names are validated by their positions") {
    Stage stage{{}, own_api(), options()};
    auto const type = "multipart/mixed; boundary=b"s;
    auto const send = [&](std::string const& image, std::string const& row) {
        return stage.send(post(type).body("--b\r\nContent-Type: application/json\r\n\r\n" + row
                                              + "\r\n--b\r\nContent-Type: image/png\r\n\r\n" + image
                                              + "\r\n--b--\r\n",
                                          type));
    };
    CHECK(send("\xFF\xD8", "{\"n\":1}").status == 200);
    auto const rows = send("abc", "{\"n\":10,\"secret\":\"c4nary\"}");
    CHECK(rows.status == 400);
    auto const line = stage.log_of(rows);
    CHECK(line["violations"].items.at(0).text("pointer") == "/0/n");
    CHECK(line["request_body"]["bytes"].number > 0);
    CHECK(read_file(stage.gateway.access_log()).find("c4nary") == std::string::npos);
    auto const images = stage.log_of(send("abcd", "{\"n\":1}"));
    CHECK(images["violations"].items.at(0).text("pointer") == "/1");
    auto const refused = stage.send(post("multipart/mixed").body("--b--", "multipart/mixed"));
    CHECK(stage.log_of(refused).text("reason") == "malformed_body");
    CHECK(stage.upstream.requests().size() == 1);
    stage.finish();
}

TEST_CASE("a body whose first items are not valid reaches no upstream") {
    Stage stage{{}, own_api(), options()};
    auto const outcome = [&](Outgoing const& outgoing) {
        auto const response = stage.send(outgoing);
        auto const line = stage.log_of(response);
        return std::to_string(response.status) + ' '
               + (line["reason"].is_null() ? "" : line.text("reason"));
    };
    CHECK(outcome(post().body("{\"n\":1}\n{\"n\":2}", "application/x-ndjson")) == "200 ");
    CHECK(outcome(post().body("\x1E{\"n\":1}\n", "application/json-seq")) == "200 ");
    REQUIRE(stage.upstream.requests().size() == 2);
    CHECK(stage.upstream.requests()[0].body == "{\"n\":1}\n{\"n\":2}");
    CHECK(outcome(post().body("{\"n\":1}\n{\"n\":10}", "application/x-ndjson"))
          == "400 contract_violation");
    CHECK(outcome(post().body("{\"n\":1}\n\n", "application/x-ndjson")) == "400 malformed_body");
    CHECK(outcome(post().body("{\"n\":1}\n", "application/json-seq")) == "400 malformed_body");
    CHECK(outcome(post().chunked_body("{}", 5)) == "415 unsupported_media_type");
    // RFC 9110, 6.4: no bytes are no content, of whatever type.
    CHECK(outcome(post().chunked_body("", 5)) == "400 malformed_body");
    CHECK(outcome(post().add("Transfer-Encoding", "chunked").bytes("0\r\n\r\n"))
          == "400 malformed_body");
    CHECK(outcome(post().add("Content-Encoding", "gzip").body("{}", "application/x-ndjson"))
          == "415 unsupported_media_type");
    CHECK(stage.upstream.requests().size() == 2);
    stage.finish();
}

TEST_CASE("lines that violate a rule pass where it is only reported, and are logged") {
    Stage stage{{}, own_api(", requests: report, responses: report"), options()};
    stage.upstream.respond_with(
        send_bytes(response_text("{\"n\":1}\n{\"n\":12}\n", 200, {}, "application/jsonl")));
    auto const response =
        stage.send(post().body("{\"n\":1}\n{\"n\":10}\n{\"n\":11}\n", "application/x-ndjson"));
    CHECK(response.status == 200);
    auto const line = stage.log_of(response);
    REQUIRE(line["violations"].items.size() == 3);
    CHECK(line["violations"].items[0].text("pointer") == "/1/n");
    CHECK(line["violations"].items[1].text("pointer") == "/2/n");
    CHECK(line["violations"].items[2].text("pointer") == "/1/n"); // of the response
    CHECK(line["request_body"]["bytes"].number == 26);
    stage.finish();
}

TEST_CASE("long lines and many lines pass within the body limit") {
    Stage stage{{}, both(own_api(), with_limits("body: 4MiB")), options()};
    std::string lines;
    while (lines.size() < std::size_t{3} * 1024 * 1024)
        lines += "{\"n\":1,\"pad\":\"" + std::string(1000, 'x') + "\"}\n";
    auto const long_line =
        "{\"n\":1,\"pad\":\"" + std::string(std::size_t{3} * 1024 * 1024, 'x') + "\"}";
    CHECK(stage.send(post().body(lines, "application/x-ndjson")).status == 200);
    CHECK(stage.send(post().body(long_line, "application/x-ndjson")).status == 200);
    REQUIRE(stage.upstream.requests().size() == 2);
    CHECK((stage.upstream.requests()[0].body == lines));
    CHECK((stage.upstream.requests()[1].body == long_line));
    CHECK(stage.send(post().body(lines + lines, "application/x-ndjson")).status == 413);
    stage.finish();
}

} // namespace e34_json_lines
