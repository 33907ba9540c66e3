// Long lines and large heads, of requests and of responses, over both versions of HTTP: they pass
// up to limits that the configuration names, unchanged, and the log says which one was exceeded.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"
#include "tests/support/http2_client.h"
#include "tests/support/encodings.h"
#include "tests/support/token_signer.h"

#include <catch2/catch.hpp>

#include <ctime>
#include <string>
#include <utility>
#include <vector>

namespace e67_large_heads {

using namespace sallyport::test;

namespace {

Change open_api(std::string const& limits, std::string const& upstream = {}) {
    return [=](Configuration& configuration) {
        auto const begin = configuration.upstreams.find("[\"") + 2;
        auto const end = configuration.upstreams.find('"', begin);
        auto const endpoint = configuration.upstreams.substr(begin, end - begin);
        configuration.upstreams = upstream_yaml("up", endpoint, upstream);
        configuration.apis = "  any: { paths: [\"/any/\"], upstream: up, authenticate: [anonymous] "
                             "}\n";
        configuration.limits += limits.empty() ? "" : "  " + limits + "\n";
    };
}

Gateway::Options with_administrator() {
    return {.credentials = administrator_credentials()};
}

Outgoing get(std::string const& token, std::string const& target = "/any/x") {
    Outgoing request{"GET", target};
    if (!token.empty()) request.add("X-Token", token);
    return request;
}

// The same over HTTP/1.1 and HTTP/2, by a connection of its own.
std::vector<Response> over_both(Stage const& stage, Outgoing const& request) {
    RawClient first{stage.port()};
    Http2Client second{stage.port()};
    return {first.exchange(request.text()), second.exchange(request.text())};
}

Fields cookies(std::size_t count, std::size_t size) {
    Fields fields;
    for (std::size_t i = 0; i < count; ++i)
        fields.push_back({"Set-Cookie", "c" + std::to_string(i) + '=' + std::string(size, 'v')});
    return fields;
}

// Of all lines that the test makes.
std::vector<std::string> values_of(Fields const& fields) {
    std::vector<std::string> values;
    for (auto const& field : fields)
        if (equal_ignoring_case(field.name, "Set-Cookie") || equal_ignoring_case(field.name, "X-Large"))
            values.push_back(field.value);
    return values;
}

RecordingUpstream::Script respond(Fields const& fields) {
    return [fields](UpstreamExchange& exchange) {
        exchange.send(response_text("{}", 200, fields));
    };
}

} // namespace

TEST_CASE("a line of a request may be as long as limits.head, over both versions of HTTP") {
    Stage stage{{}, open_api("head: 64KiB"), with_administrator()};
    std::size_t requests = 0;
    for (std::size_t const size : {8'200U, 12'000U, 40'000U, 65'000U}) {
        CAPTURE(size);
        std::string const token(size, 't');
        for (auto const& response : over_both(stage, get(token))) {
            CHECK(response.status == 200);
            auto const& sent = stage.upstream.request(requests++);
            CHECK((sent.fields.find("X-Token") == token));
        }
        // A path with a query is a line too.
        for (auto const& response : over_both(stage, get("", "/any/x?q=" + token))) {
            CHECK(response.status == 200);
            CHECK((stage.upstream.request(requests++).target == "/any/x?q=" + token));
        }
    }
    check_problem(stage.send(get(std::string(66'000, 't'))), refused(431, "head_too_large"));
    CHECK(stage.upstream.requests().size() == requests);
    stage.finish();
}

TEST_CASE("a line of a request has 16 KiB by default, as its head does") {
    Stage stage{{}, open_api(""), with_administrator()};
    for (auto const& response : over_both(stage, get(std::string(12'000, 't'))))
        CHECK(response.status == 200);
    check_problem(stage.send(get(std::string(16'400, 't'))), refused(431, "head_too_large"));
    stage.finish();
}

TEST_CASE("a large head passes that arrives in small parts, and a second request behind it") {
    Stage stage{{}, open_api("head: 64KiB"), with_administrator()};
    RawClient client{stage.port()};
    auto const large = get(std::string(50'000, 't')).text();
    client.send_in_pieces(large + get("small").text(), 4000);
    CHECK(client.read_response().status == 200);
    CHECK(client.read_response().status == 200);
    CHECK((stage.upstream.request(0).fields.find("X-Token") == std::string(50'000, 't')));
    CHECK(stage.upstream.request(1).fields.find("X-Token") == "small");
    stage.finish();
}

TEST_CASE("a response has a head of 64 KiB, and 256 fields, over both versions of HTTP") {
    Fields const one_line{{"X-Large", std::string(65'000, 'v')}};
    Stage stage{{}, open_api(""), with_administrator()};
    for (auto const& fields : {cookies(1, 8'000), cookies(1, 12'000), cookies(10, 4'000),
                               cookies(240, 100), one_line}) {
        stage.upstream.respond_with(respond(fields));
        for (auto const& response : over_both(stage, get(""))) {
            CHECK(response.status == 200);
            CHECK(response.body == "{}");
            CHECK((values_of(response.fields) == values_of(fields)));
        }
    }
    stage.finish();
}

TEST_CASE("beyond a limit of its head a response is a 502, and the log says which limit") {
    struct Row {
        std::string upstream;
        Fields fields;
        std::string reason;
        std::string rule;
    };
    std::vector<Row> const rows{
        {"", cookies(1, 66'000), "upstream_head_too_large", "head_too_large"},
        {"response_head: 256KiB", cookies(1, 70'000), "upstream_head_too_large", "line_too_long"},
        {"", cookies(10, 7'000), "upstream_head_too_large", "head_too_large"},
        {"", cookies(257, 1), "upstream_too_many_fields", "too_many_fields"},
        {"response_head: 4KiB", cookies(1, 4'096), "upstream_head_too_large", "head_too_large"},
        {"response_fields: 5", cookies(6, 1), "upstream_too_many_fields", "too_many_fields"},
    };
    for (auto const& row : rows) {
        CAPTURE(row.upstream, row.rule);
        Stage stage{respond(row.fields), open_api("", row.upstream), with_administrator()};
        // Each of several: notes may be left out, lines are not.
        for (int i = 0; i < 3; ++i) {
            auto const response = stage.send(get(""));
            check_problem(response, refused(502, row.reason));
            CHECK(stage.log_of(response).text("reason") == row.reason);
        }
        stage.gateway.wait_for_error_output([&](std::string const& output) {
            return output.find("reason=" + row.reason + " note=" + row.rule) != std::string::npos;
        });
        stage.finish();
    }
}

TEST_CASE("a response may have a larger head than the default where its upstream says so") {
    auto const fields = cookies(10, 20'000);
    Stage stage{respond(fields), open_api("", "response_head: 256KiB"), with_administrator()};
    for (auto const& response : over_both(stage, get(""))) {
        CHECK(response.status == 200);
        CHECK((values_of(response.fields) == values_of(fields)));
    }
    stage.finish();
}

TEST_CASE("a token with many groups, which is long, proves its caller") {
    TokenSigner const signer{"ES256", "k1"};
    Stage stage{{},
                both(open_api("head: 64KiB"),
                     [](Configuration& configuration) {
                         configuration.apis =
                             "  any: { paths: [\"/any/\"], upstream: up, authenticate: [jwt], jwt: "
                             "{ issuer: \"https://issuer.example\", audience: any, keys: { file: "
                             "keys.json }, algorithms: [ES256], roles: { claim: groups, mapping: { "
                             "g299: [all] } } } }\n";
                     }),
                {.credentials = "roles: { all: { allow: all } }\n",
                 .files = {{"keys.json", key_set({signer.jwk()})}}}};
    std::string groups;
    for (int i = 0; i < 300; ++i)
        groups += ",\"00000000-0000-0000-0000-000000000000\",\"g" + std::to_string(i) + '"';
    auto const token =
        signer.token(R"({"iss":"https://issuer.example","aud":"any","sub":"alice","exp":)"
                     + std::to_string(std::time(nullptr) + 600) + ",\"groups\":["
                     + groups.substr(1) + "]}");
    CHECK(token.size() > 16'000);
    for (auto const& response : over_both(stage, get("").authorization(bearer(token))))
        CHECK(response.status == 200);
    stage.finish();
}

} // namespace e67_large_heads
