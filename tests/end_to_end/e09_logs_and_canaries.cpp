// The access log describes every request and contains no secret: canaries in every place, and a
// search through all output.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"

#include "tests/support/encodings.h"
#include "tests/support/log_members.h"

#include <catch2/catch.hpp>

#include <set>

namespace e09_logs_and_canaries {

using namespace sallyport::test;

namespace {

// Distinct words, so that a match shows the place of the leak.
class Canaries {
public:
    std::string make(std::string const& place) {
        auto const canary = "c4nary" + std::to_string(1000 + places_.size()) + "w0rd";
        places_.push_back({canary, place});
        return canary;
    }
    // CHECKs that none is in the text, plain, base64, percent-encoded, or in JSON escapes.
    void check_absent_from(std::string const& text) const {
        for (auto const& [canary, place] : places_) {
            CAPTURE(place);
            CHECK(text.find(canary) == std::string::npos);
            CHECK(text.find(percent_encode_all(canary)) == std::string::npos);
            CHECK(text.find(escaped(canary)) == std::string::npos);
            for (auto const* prefix : {"", "x", "xx"}) { // base64 at every alignment
                auto const coded = base64(prefix + canary);
                CHECK(text.find(coded.substr(4, coded.size() - 8)) == std::string::npos);
            }
        }
    }
    // Every letter as \u00XX.
    static std::string escaped(std::string_view text) {
        std::string result;
        for (char const c : text) {
            auto const hex = percent_encode_all(std::string_view{&c, 1});
            result += "\\u00" + hex.substr(1);
        }
        return result;
    }
    [[nodiscard]] std::size_t count() const { return places_.size(); }

private:
    std::vector<std::pair<std::string, std::string>> places_;
};

std::vector<std::string> const listed_members{
    "password",      "connectionString", "secret",    "clientSecret",   "keySecret",
    "secretKey",     "secretAccessKey",  "accessKey", "privateKey",     "serviceAccountKey",
    "encryptionKey", "credentials",      "token",     "accessToken",    "refreshToken",
    "apiKey",        "authorization",    "uploadUrl", "newPasswordHash"};

Change logging_everything() {
    return [](Configuration& configuration) {
        configuration.access_log = "  output: access.log\n"
                                   "  bodies: { requests: all, responses: all, limit: 64KiB }\n";
        configuration.rest += "redact: { members: [companyShibboleth] }\n";
    };
}

Outgoing settings(std::string_view body) {
    return request_for("updatePipeSettings").body(body);
}

// Spellings of a member name that a JSON parser reads as the same word, or that the list of secrets
// treats alike.
std::vector<std::string> spellings_of(std::string const& name) {
    std::string upper;
    std::string dashed;
    for (char const c : name) {
        upper += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
        if (c >= 'A' && c <= 'Z') dashed += '-';
        dashed += c;
    }
    return {name,
            upper,
            dashed,
            "_" + name + "_",
            Canaries::escaped(name),
            Canaries::escaped(name.substr(0, 1)) + name.substr(1)};
}

// Values of every type that contain the canary.
std::vector<std::string> values_of(std::string const& canary) {
    return {"\"" + canary + "\"", "\"" + Canaries::escaped(canary) + "\"",
            "{\"a\":[{\"b\":\"" + canary + "\"}]}", "[\"" + canary + "\",[\"" + canary + "\"]]",
            "{\"" + canary + "\":1}"};
}

} // namespace

TEST_CASE("no canary appears in the log from a listed member of a body, in any spelling") {
    Canaries canaries;
    Stage stage{{}, both(logging_everything(), with_management("requests: off"))};
    auto members = listed_members;
    members.push_back("companyShibboleth");
    for (auto const& member : members) {
        std::string body = "{\"visible\":\"kept\"";
        int number = 0;
        for (auto const& spelling : spellings_of(member)) {
            auto const values = values_of(canaries.make("member " + spelling));
            auto const& value = values[static_cast<std::size_t>(number) % values.size()];
            // At some depth, each in an object of its own: names that a parser takes for equal are
            // duplicates.
            body += ",\"d" + std::to_string(number++) + "\":[{\"x\":{\"" + spelling
                    + "\" : " + value + "}}]";
        }
        body += "}";
        CAPTURE(body);
        auto const response = stage.send(settings(body));
        REQUIRE(response.status == 200);
        auto const line = stage.log_of(response);
        REQUIRE(line["request_body"].kind == Json::Kind::object);
        CHECK(line["request_body"].text("visible") == "kept");
        CHECK(line["request_body"]["d0"][0]["x"].text(member) == "[redacted]");
    }
    CHECK(stage.gateway.stop() == 0);
    canaries.check_absent_from(stage.gateway.every_written_byte());
}

TEST_CASE("no canary appears in the log from a member that contains a listed name as whole words") {
    Canaries canaries;
    Stage stage{{}, both(with_management("requests: off"), [](Configuration& configuration) {
                    configuration.access_log = "  output: access.log\n"
                                               "  bodies: { requests: all }\n";
                    configuration.rest += "redact: { members: [shibboleth], except: "
                                          "[pageToken, shibbolethCount] }\n";
                })};
    std::string body = "{\"pageToken\":\"kept\",\"maxTokens\":5,\"shibbolethCount\":7";
    std::vector<std::string> const members{"userPassword", "new_password", "password2",
                                           "db.password",  "x-api-key",    "userAPIKeys",
                                           "ourShibboleth"};
    for (auto const& member : members)
        body += ",\"" + member + "\":\"" + canaries.make("member " + member) + "\"";
    auto const line = stage.log_of(stage.send(settings(body + "}")));
    auto const logged = line["request_body"];
    REQUIRE(logged.kind == Json::Kind::object);
    for (auto const& member : members)
        CHECK(logged.text(member) == "[redacted]");
    CHECK(logged.text("pageToken") == "kept");
    CHECK(logged["maxTokens"].number == 5);
    CHECK(logged["shibbolethCount"].number == 7);
    CHECK(stage.gateway.stop() == 0);
    canaries.check_absent_from(stage.gateway.every_written_byte());
}

TEST_CASE("no canary appears in the log from a malformed, truncated, coded or too large body") {
    Canaries canaries;
    Stage stage{{}, logging_everything()};
    auto const secret = [&](std::string const& place) {
        return "{\"password\":\"" + canaries.make(place) + "\"";
    };
    auto const response_of = [&](Outgoing const& request) {
        auto const response = stage.send(request);
        CAPTURE(request.text());
        stage.log_of(response);
        canaries.check_absent_from(response.head + response.body);
        return response.status;
    };
    CHECK(response_of(settings(secret("broken JSON"))) == 400);
    CHECK(response_of(settings(secret("broken string") + ",\"b\":\"")) == 400);
    CHECK(response_of(settings(secret("bytes behind") + "}}")) == 400);
    CHECK(response_of(settings(secret("twice, first") + ",\"password\":\""
                               + canaries.make("twice, second") + "\"}"))
          == 400);
    CHECK(response_of(settings(secret("no UTF-8") + ",\"b\":\"\xff\"}")) == 400);
    CHECK(response_of(settings(secret("text/plain") + "}").set("Content-Type", "text/plain"))
          == 415);
    CHECK(response_of(settings(secret("beyond the log's limit") + ",\"fill\":\""
                               + std::string(100'000, 'x') + "\"}"))
          == 200);
    CHECK(
        response_of(
            settings(compress(secret("gzip") + "}", Coding::gzip)).add("Content-Encoding", "gzip"))
        == 200);
    CHECK(response_of(settings(compress(secret("gzip, broken within"), Coding::gzip))
                          .add("Content-Encoding", "gzip"))
          == 400);
    CHECK(
        response_of(settings(secret("coding that is not ours") + "}").add("Content-Encoding", "br"))
        == 415);
    CHECK(response_of(request_for("updatePipeSettings").chunked_body(secret("chunked") + "}", 3))
          == 200);
    CHECK(response_of(request_for("getPipe").body(secret("on an operation without a body") + "}"))
          == 400);
    CHECK(response_of(
              request_for("createService")
                  .body("{\"encryptionKey\":[\"" + canaries.make("violation of a secret") + "\"]}"))
          == 400);
    // A client that disconnects in the middle of its secret.
    RawClient leaving{stage.port()};
    leaving.send(settings("").set("Content-Length", "500").text() + secret("cut off"));
    leaving.channel().reset();
    stage.gateway.wait_for_log(
        [](Json const& line) { return line.text("reason") == "client_closed"; });
    CHECK(stage.gateway.stop() == 0);
    canaries.check_absent_from(stage.gateway.every_written_byte());
}

TEST_CASE("a violating value and an undeclared name are in no problem and no log") {
    Canaries canaries;
    Stage stage; // bodies are not logged
    auto const value = canaries.make("value at fault");
    auto const name = canaries.make("undeclared name");
    auto const response =
        stage.send(request_for("createService")
                       .body(R"({"provider":")" + value + R"(","region":")" + value
                             + R"(","name":"-)" + value + R"(","endpoints":[{"protocol":{")" + name
                             + "\":\"" + value + "\"}}],\"" + name + "\":{\"x\":1}}"));
    CHECK(response.status == 400);
    auto const line = stage.log_of(response);
    CHECK(line["violations"].items.size() == 4);
    canaries.check_absent_from(response.head + response.body);
    CHECK(stage.gateway.stop() == 0);
    canaries.check_absent_from(stage.gateway.every_written_byte());
}

TEST_CASE("credentials, cookies, queries and userinfo are never written") {
    Canaries canaries;
    Stage stage{{}, logging_everything()};
    std::vector<Outgoing> requests;
    auto const add = [&](Outgoing const& request) { requests.push_back(request); };
    auto const target = operation("getPipe").target;
    add(request_for("getPipe").authorization(
        basic_of("key-administrator:" + canaries.make("wrong secret"))));
    add(request_for("getPipe").authorization(basic_of(canaries.make("unknown id") + ":x")));
    add(request_for("getPipe").authorization("Basic " + canaries.make("bad base64")));
    add(request_for("getPipe").authorization(canaries.make("scheme")));
    add(request_for("listAlerts").authorization("Bearer " + canaries.make("wrong token")));
    add(request_for("getPipe").add("Authorization", "Bearer " + canaries.make("second field")));
    add(request_for("getPipe").add("Cookie", "session=" + canaries.make("cookie")));
    add(request_for("getPipe").add("Proxy-Authorization", "Basic " + canaries.make("proxy")));
    add(request_for("getPipe").add("X-Api-Key", canaries.make("field of a client")));
    add(request_for("getPipe").target(target + "?token=" + canaries.make("query value")));
    add(request_for("getPipe").target(target + "?" + canaries.make("query name") + "=1"));
    add(request_for("getPipe").target(target + "?" + canaries.make("query name alone")));
    add(request_for("getPipe").target(target + "?a=%zz" + canaries.make("broken query")));
    add(request_for("getPipe").target("https://u:" + canaries.make("userinfo") + "@localhost"
                                      + target));
    // Lines that are split wrongly, and authorities in place of a path.
    for (std::string_view const line :
         {"GET\t/blob/x?k=", "GET/blob/x?k=", "/blob/x?k=", "Cookie:a=", "Bearer.", "a'"})
        add(request_for("getPipe").method(std::string{line} + canaries.make("request line")));
    for (std::string_view const begin :
         {"/\\u:", "/http:\\\\u:", "/blob/http:%2f%2fu:", "/x/u%3a", "//u:", "http:\\\\u:"})
        add(request_for("getPipe").target(std::string{begin} + canaries.make("userinfo of a path")
                                          + "@h/x"));
    add(request_for("getPipe").target(target + "#" + canaries.make("fragment")));
    add(request_for("getPipe").set("Host", canaries.make("userinfo of a host") + "@localhost"));
    add(request_for("getPipe").add(canaries.make("name of a field"), "1"));
    add(request_for("getPipe").add("Broken Name", canaries.make("broken field")));
    add(request_for("getPipe").add("Expect", canaries.make("expectation")));
    add(request_for("updatePipeSettings").body("{}", "application/" + canaries.make("media type")));
    add(request_for("updatePipeSettings").add("Content-Encoding", canaries.make("coding")));
    add(request_for("getPipe").add("Transfer-Encoding", canaries.make("transfer coding")));
    for (auto const& request : requests) {
        CAPTURE(request.text());
        auto const response = stage.send(request);
        canaries.check_absent_from(response.head + response.body);
        stage.log_of(response);
    }
    CHECK(stage.gateway.stop() == 0);
    auto const written = stage.gateway.every_written_byte();
    canaries.check_absent_from(written);
    CHECK(written.find(administrator.secret) == std::string::npos);
    CHECK(written.find(
              base64(std::string{administrator.id} + ":" + std::string{administrator.secret}))
          == std::string::npos);
    CHECK(written.find(observer_token) == std::string::npos);
}

TEST_CASE("responses of an upstream are logged without their secrets, plain, chunked or gzipped") {
    Canaries canaries;
    Stage stage{{}, logging_everything()};
    auto const secrets = [&](std::string const& place) {
        return R"({"result":{"service":{"name":"kept"},"password":")" + canaries.make(place)
               + R"(","source":{"objectStorage":{"connectionString":")" + canaries.make(place)
               + "\"}}}}";
    };
    auto const check_logged = [&](std::string const& response_bytes, bool is_json) {
        stage.upstream.respond_with([response_bytes](UpstreamExchange& exchange) {
            exchange.send(response_bytes);
            exchange.close();
        });
        auto const line = stage.log_of(stage.send(request_for("createService")));
        auto const& body = line["response_body"];
        REQUIRE(body.kind == Json::Kind::object);
        if (is_json) {
            CHECK(body["result"]["service"].text("name") == "kept");
            CHECK(body["result"].text("password") == "[redacted]");
        } else {
            CHECK(body.names() == std::vector<std::string>{"bytes"});
        }
    };
    check_logged(response_text(secrets("plain")), true);
    check_logged(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
            + chunked(secrets("chunked"), 5),
        true);
    check_logged(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + secrets("until close"), true);
    check_logged(
        response_text(compress(secrets("gzip"), Coding::gzip), 200, {{"Content-Encoding", "gzip"}}),
        true);
    check_logged(response_text(compress(secrets("deflate"), Coding::zlib), 200,
                               {{"Content-Encoding", "deflate"}}),
                 true);
    check_logged(response_text(compress(secrets("called gzip"), Coding::zlib), 200,
                               {{"Content-Encoding", "gzip"}}),
                 false);
    check_logged(response_text(secrets("unknown coding"), 200, {{"Content-Encoding", "br"}}),
                 false);
    check_logged(response_text(secrets("broken JSON") + "}"), false);
    check_logged(response_text("secret is " + canaries.make("plain text"), 200, {}, "text/plain"),
                 false);
    check_logged(response_text("{\"password\":\"" + canaries.make("large") + "\",\"x\":\""
                               + std::string(200'000, 'x') + "\"}"),
                 false);
    check_logged(response_text(compress("{\"password\":\"" + canaries.make("bomb") + "\",\"x\":\""
                                            + std::string(9'000'000, 'x') + "\"}",
                                        Coding::gzip),
                               200, {{"Content-Encoding", "gzip"}}),
                 false);
    check_logged(response_text(secrets("an error"), 500), true);
    CHECK(stage.gateway.stop() == 0);
    canaries.check_absent_from(stage.gateway.every_written_byte());
}

TEST_CASE("an incomplete response is logged as a count of bytes") {
    Canaries canaries;
    Stage stage{[&](UpstreamExchange& exchange) {
                    exchange.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                                  "Content-Length: 1000\r\n\r\n{\"password\":\"c4nary1000w0rd");
                    exchange.close();
                },
                logging_everything()};
    canaries.make("a truncated response");
    RawClient client{stage.port()};
    client.send(request_for("createService").text());
    client.read_to_end();
    auto const line = stage.gateway.wait_for_log_lines(1)[0];
    CHECK(line["response_body"].names() == std::vector<std::string>{"bytes"});
    CHECK(stage.gateway.stop() == 0);
    canaries.check_absent_from(stage.gateway.every_written_byte());
}

TEST_CASE("a client cannot forge a line of the log") {
    Stage stage{{}, logging_everything()};
    auto const forged = R"(\n{"time":"forged","request_id":"forged"}\n)";
    stage.log_of(stage.send(settings(std::string{R"({"a":")"} + forged + "\",\n\n\"b\"\r\n:1}")));
    stage.log_of(stage.send(request_for("listAlerts").target("/api/v2/\x22,\x22time\x22:\x22x")));
    stage.log_of(stage.send(request_for("listAlerts").method("FOR\"GED")));
    for (auto const& line : stage.gateway.log()) {
        CHECK(line.text("request_id") != "forged");
        CHECK(line.names() == log_members);
    }
    stage.finish();
}

} // namespace e09_logs_and_canaries
