// Responses that violate the contract: they reach the client unchanged, and the log has the
// violations.
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"
#include "tests/support/encodings.h"
#include "tests/support/event.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>

namespace e17_responses_at_report {

using namespace sallyport::test;

namespace {

constexpr std::string_view unexpected =
    R"({"status":200,"result":{"db_max_threads":"many","nested":{"clientSecret":"s3cr3t"}}})";

Stage stage_responding(std::string_view body, std::string more) {
    return Stage{[body = std::string{body}](UpstreamExchange& exchange) {
                     exchange.send(response_text(body));
                 },
                 with_management(std::move(more))};
}

std::vector<std::string> rules_of(Json const& line) {
    std::vector<std::string> rules;
    for (Json const& violation : line["violations"].items)
        rules.push_back(violation.text("rule") + " " + violation.text("pointer"));
    return rules;
}

} // namespace

TEST_CASE("a response that violates the contract passes unchanged, and is logged with its rules") {
    auto stage = stage_responding(unexpected, "responses: report");
    auto const response = stage.send(request_for("updatePipeSettings"));
    CHECK(response.status == 200);
    CHECK(response.body == unexpected);
    auto const rules = rules_of(stage.log_of(response));
    CHECK(std::find(rules.begin(), rules.end(), "type /result/db_max_threads") != rules.end());
    // Undeclared, and named like a secret: neither its name nor its value is repeated.
    CHECK(std::find(rules.begin(), rules.end(), "undeclared_secret /result/*/*") != rules.end());
    CHECK(stage.gateway.every_written_byte().find("s3cr3t") == std::string::npos);
    stage.finish();
}

TEST_CASE("responses are not checked unless configured") {
    auto stage = stage_responding(unexpected, "responses: off");
    auto const response = stage.send(request_for("updatePipeSettings"));
    CHECK(response.body == unexpected);
    CHECK(rules_of(stage.log_of(response)).empty());
    stage.finish();
}

namespace {

// Responses of each kind that a contract can declare.
constexpr std::string_view document = R"yaml(
openapi: 3.1.0
info: { title: T }
paths:
  /v1/a:
    get:
      operationId: getA
      responses:
        "200":
          content:
            application/json: { schema: { $ref: "#/components/schemas/A" } }
            application/problem+json: { schema: { required: [title] } }
            text/plain: {}
            image/*: {}
        "204": { description: nothing }
        4XX: { description: an error }
    put:
      operationId: putA
      parameters:
        - { name: n, in: query, explode: false, schema: { type: array, items: { type: integer, maximum: 5 } } }
      requestBody: { content: { application/json: { schema: { items: { type: integer } } } } }
      responses: { default: { description: anything } }
components:
  schemas:
    A: { type: object, properties: { n: { type: integer }, list: { items: { type: integer } } } }
)yaml";

// The gateway with that contract: `more` are keys of the API.
struct Own {
    explicit Own(std::string const& more, std::string const& limits = {})
        : stage{{},
                [more, limits](Configuration& configuration) {
                    configuration.apis = "  own: { contract: own.yaml, upstream: management, "
                                         "authenticate: [anonymous]"
                                         + (more.empty() ? more : ", " + more) + " }\n";
                    if (!limits.empty()) configuration.limits += "  " + limits + "\n";
                    configuration.rest += admin_section;
                },
                [] {
                    Gateway::Options options;
                    options.files["own.yaml"] = document;
                    options.credentials = administrator_credentials();
                    return options;
                }()} {}

    // The log's violations for a response: "rule rule_pointer pointer", each.
    std::vector<std::string> reported_for(std::string const& text) {
        stage.upstream.respond_with([text](UpstreamExchange& exchange) { exchange.send(text); });
        auto const response = stage.send(Outgoing{"GET", "/v1/a"});
        CHECK(text.find(response.body) != std::string::npos);
        return reported(stage.log_of(response));
    }
    static std::vector<std::string> reported(Json const& line) {
        std::vector<std::string> found;
        for (Json const& violation : line["violations"].items) {
            CHECK(violation.text("level") == "report");
            found.push_back(violation.text("rule") + " " + violation.text("rule_pointer") + " "
                            + violation.text("pointer"));
        }
        return found;
    }
    double number(std::string const& metric, std::string const& labels) {
        return metrics_of(
            stage.gateway)[metric + "{api=\"own\",operation=\"getA\"," + labels + "}"];
    }
    double not_checked(std::string const& cause) {
        return number("sallyport_contract_responses_total",
                      "result=\"not_checked\",cause=\"" + cause + "\"");
    }
    double checked() {
        return number("sallyport_contract_responses_total", "result=\"checked\",cause=\"\"");
    }
    double violations(std::string const& rule) {
        return number("sallyport_contract_violations_total",
                      "part=\"response\",rule=\"" + rule + "\",level=\"report\"");
    }

    Stage stage;
};

using Reported = std::vector<std::string>;

std::string of_size(std::size_t size) {
    return R"({"fill":")" + std::string(size - 11, 'x') + "\"}";
}

std::string with_rule(std::string_view rule, std::string_view level) {
    return "rules: [{ operation: getA, rule: \"" + std::string{rule}
           + "\", level: " + std::string{level} + " }]";
}

} // namespace

TEST_CASE("a response that is not acceptable JSON passes, and is logged with the reason") {
    Own own{"responses: report"};
    auto const malformed = [](std::string const& rule) {
        return Reported{rule + " /responses/200/malformed "};
    };
    CHECK(own.reported_for(response_text(R"({"n":1)")) == malformed("not_json"));
    CHECK(own.reported_for(response_text("<html>")) == malformed("not_json"));
    CHECK(own.reported_for(response_text(R"({"n":1,"n":2})")) == malformed("duplicate_member"));
    CHECK(own.reported_for(response_text(R"({"n":1} x)")) == malformed("trailing_bytes"));
    CHECK(own.reported_for(response_text("\"\xff\"")) == malformed("invalid_utf8"));
    CHECK(own.reported_for(response_text(std::string(70, '[') + std::string(70, ']')))
          == malformed("too_deep"));
    CHECK(own.reported_for(response_text("")) == malformed("empty"));
    CHECK(own.reported_for("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") == malformed("empty"));
    CHECK(own.reported_for(response_text(R"({"n":1})")) == Reported{});
    CHECK(own.violations("not_json") == 2);
    CHECK(own.violations("empty") == 2);
    CHECK(own.checked() == 9);
    own.stage.finish();
}

TEST_CASE("each media type of a response has its own schema, and an undeclared one is reported") {
    Own own{"responses: report"};
    auto const typed = [&](std::string_view body, std::string_view type) {
        return own.reported_for(response_text(body, 200, {}, type));
    };
    CHECK(typed(R"({"n":"x"})", "application/json")
          == Reported{"type /responses/200/properties/n/type /n"});
    CHECK(typed(R"({"n":"x"})", "Application/JSON; charset=UTF-8").size() == 1);
    CHECK(typed(R"({"n":"x"})", "application/problem+json")
          == Reported{"required /responses/200/required "});
    CHECK(typed(R"({"n":"x","title":1})", "application/problem+json") == Reported{});
    CHECK(own.checked() == 4);
    for (std::string_view const type : {"text/plain", "text/plain; charset=latin1", "image/png"})
        CHECK(typed(R"({"n":"x"})", type) == Reported{});
    CHECK(own.not_checked("no_schema") == 3);
    Reported const undeclared{"media_type /responses/200/media_type "};
    for (std::string_view const type :
         {"text/html", "application/xml", "application/json; charset=latin1", "json"})
        CHECK(typed(R"({"n":"x"})", type) == undeclared);
    CHECK(own.reported_for("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}") == undeclared);
    CHECK(own.not_checked("media_type") == 5);
    CHECK(own.violations("media_type") == 5);
    own.stage.finish();
}

TEST_CASE("an undeclared status is reported, if the contract declares any") {
    Own own{"responses: report"};
    Reported const undeclared{"status /responses/status "};
    CHECK(own.reported_for(response_text("{}", 201)) == undeclared);
    CHECK(own.reported_for(response_text("{}", 500)) == undeclared);
    CHECK(own.not_checked("status") == 2);
    CHECK(own.violations("status") == 2);
    CHECK(own.reported_for(response_text("{}", 404)) == Reported{});
    CHECK(own.reported_for("HTTP/1.1 204 No Content\r\n\r\n") == Reported{});
    // The response to a conditional request is never declared.
    CHECK(own.reported_for("HTTP/1.1 304 Not Modified\r\n\r\n") == Reported{});
    CHECK(own.not_checked("no_schema") == 1);
    CHECK(own.not_checked("no_body") == 2);
    own.stage.finish();
}

TEST_CASE("responses that cannot be checked pass unchanged, and are counted by the cause") {
    Own own{"responses: report", "body: 100KiB"};
    std::string const broken = R"({"n":"x"})";
    auto const coded = [](std::string_view bytes, std::string const& coding) {
        return response_text(bytes, 200, {{"Content-Encoding", coding}});
    };
    SECTION("too large") {
        CHECK(own.reported_for(response_text(of_size(100 * 1024))) == Reported{});
        CHECK(own.checked() == 1);
        std::string const large = of_size(100 * 1024 + 1);
        CHECK(own.reported_for(response_text(large)) == Reported{});
        CHECK(own.reported_for(coded(compress(large, Coding::gzip), "gzip")) == Reported{});
        own.stage.upstream.respond_with([&](UpstreamExchange& exchange) {
            exchange.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                          "Transfer-Encoding: chunked\r\n\r\n"
                          + chunked(large, 1000));
        });
        auto const response = own.stage.send(Outgoing{"GET", "/v1/a"});
        CHECK(response.body == large);
        static_cast<void>(own.stage.log_of(response));
        CHECK(own.not_checked("too_large") == 3);
    }
    SECTION("codings") {
        Reported const reported{"type /responses/200/properties/n/type /n"};
        CHECK(own.reported_for(coded(compress(broken, Coding::gzip), "gzip")) == reported);
        CHECK(own.reported_for(coded(compress(broken, Coding::zlib), "deflate")) == reported);
        CHECK(own.reported_for(coded(compress(of_size(60'000), Coding::gzip), "x-gzip"))
              == Reported{});
        CHECK(own.checked() == 3);
        CHECK(own.reported_for(coded(broken, "br")) == Reported{});
        CHECK(own.reported_for(coded(broken, "gzip")) == Reported{});
        CHECK(own.reported_for(coded(compress(broken, Coding::gzip).substr(0, 20), "gzip"))
              == Reported{});
        CHECK(own.not_checked("coding") == 3);
    }
    SECTION("broken off") {
        own.stage.upstream.respond_with([](UpstreamExchange& exchange) {
            exchange.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                          "Content-Length: 9\r\n\r\n{\"n\"");
            exchange.close();
        });
        RawClient client{own.stage.port()};
        client.send(Outgoing{"GET", "/v1/a"}.text());
        client.read_to_end();
        auto const line = own.stage.gateway.wait_for_log_lines(1).front();
        CHECK(line.text("reason") == "upstream_incomplete");
        CHECK(Own::reported(line) == Reported{});
        CHECK(own.not_checked("incomplete") == 1);
    }
    own.stage.finish();
}

TEST_CASE("one rule of responses at report is checked, whatever the API's level for responses") {
    Own own{with_rule("/responses/200/properties/n/type", "report")};
    CHECK(own.reported_for(response_text(R"({"n":"x","list":["x"],"token":"t"})"))
          == Reported{"type /responses/200/properties/n/type /n"});
    // No other response is checked.
    CHECK(own.reported_for(response_text("{")) == Reported{});
    CHECK(own.reported_for(response_text("{}", 500)) == Reported{});
    CHECK(own.reported_for(response_text("{}", 200, {}, "text/html")) == Reported{});
    own.stage.finish();
}

TEST_CASE("violations without a keyword have rules of their own, with levels like others") {
    std::string const body = R"({"n":"x","token":"t"})";
    std::string const of_type = "type /responses/200/properties/n/type /n";
    std::string const of_secret = "undeclared_secret /responses/200/undeclared_secret /*";
    {
        Own own{"responses: report"};
        CHECK(own.reported_for(response_text(body)) == Reported{of_type, of_secret});
        CHECK(own.violations("undeclared_secret") == 1);
        own.stage.finish();
    }
    for (auto const& [rule, text] :
         {std::pair<std::string, std::string>{"/responses/200/malformed", response_text("{")},
          {"/responses/200/media_type", response_text("{}", 200, {}, "text/html")},
          {"/responses/status", response_text("{}", 500)},
          {"/responses/200/undeclared_secret", response_text(R"({"token":"t"})")}}) {
        CAPTURE(rule);
        Own without{"responses: report, " + with_rule(rule, "off")};
        CHECK(without.reported_for(text) == Reported{});
        Own alone{with_rule(rule, "report")};
        CHECK(alone.reported_for(text).size() == 1);
        CHECK(alone.reported_for(response_text(R"({"n":"x"})")) == Reported{});
        // No copy is made if the body is not checked.
        if (rule == "/responses/status") CHECK(alone.checked() == -1);
        without.stage.finish();
        alone.stage.finish();
    }
}

TEST_CASE("an operation that is off has responses that are off; report does not change them") {
    std::string const body = R"({"n":"x"})";
    Own off{"responses: report, rules: [{ operation: getA, level: off }]"};
    CHECK(off.reported_for(response_text(body)) == Reported{});
    CHECK(off.checked() == -1);
    Own report{"rules: [{ operation: getA, level: report }]"};
    CHECK(report.reported_for(response_text(body)) == Reported{});
    Own both{"responses: report, rules: [{ operation: getA, level: report }]"};
    CHECK(both.reported_for(response_text(body)).size() == 1);
    for (auto* own : {&off, &report, &both})
        own->stage.finish();
}

TEST_CASE("more violations than a line has room for end in a mark, and all of them are counted") {
    std::string items = "\"x\"";
    for (int i = 1; i < 100; ++i)
        items += ",\"x\"";
    auto const check_line = [](Json const& line, std::string const& level) {
        auto const& reported = line["violations"].items;
        REQUIRE(reported.size() == 33);
        CHECK(reported[31].text("rule") == "type");
        CHECK(reported[32].text("pointer") == "[...]");
        CHECK(reported[32].text("rule_pointer") == "[...]");
        CHECK(reported[32].text("level") == level);
    };
    auto const counted = [](Own& own, std::string const& rest) {
        return metrics_of(
            own.stage.gateway)["sallyport_contract_violations_total{api=\"own\"," + rest + "}"];
    };
    Own own{"responses: report"};
    SECTION("in a response") {
        own.stage.upstream.respond_with([&](UpstreamExchange& exchange) {
            exchange.send(response_text("{\"list\":[" + items + "]}"));
        });
        check_line(own.stage.log_of(own.stage.send(Outgoing{"GET", "/v1/a"})), "report");
        CHECK(own.violations("type") == 100);
    }
    SECTION("secrets of a response") {
        std::string secrets = "{}";
        for (int i = 0; i < 100; ++i)
            secrets += R"(,{"token":1})";
        own.stage.upstream.respond_with([&](UpstreamExchange& exchange) {
            exchange.send(response_text("{\"o\":[" + secrets + "]}"));
        });
        auto const response = own.stage.send(Outgoing{"GET", "/v1/a"});
        CHECK(own.stage.log_of(response)["violations"].items.size() == 33);
        CHECK(own.violations("undeclared_secret") == 100);
    }
    SECTION("in a request that is refused") {
        auto const response = own.stage.send(Outgoing{"PUT", "/v1/a"}.body("[" + items + "]"));
        CHECK(response.status == 400);
        check_line(own.stage.log_of(response), "enforce");
        CHECK(counted(own, "operation=\"putA\",part=\"request\",rule=\"type\",level=\"enforce\"")
              == 100);
    }
    own.stage.finish();

    Own lenient{"requests: report"};
    lenient.stage.upstream.respond_with(
        [](UpstreamExchange& exchange) { exchange.send(response_text("{}")); });
    auto const response = lenient.stage.send(Outgoing{"PUT", "/v1/a"}.body("[" + items + "]"));
    CHECK(response.status == 200);
    check_line(lenient.stage.log_of(response), "report");
    CHECK(counted(lenient, "operation=\"putA\",part=\"request\",rule=\"type\",level=\"report\"")
          == 100);
    std::string list = "9";
    for (int i = 1; i < 100; ++i)
        list += ",9";
    auto const response_to_put = lenient.stage.send(Outgoing{"PUT", "/v1/a?n=" + list}.body("[]"));
    CHECK(response_to_put.status == 200);
    auto const reported = lenient.stage.log_of(response_to_put)["violations"];
    REQUIRE(reported.items.size() == 33);
    CHECK(reported.items[32].text("pointer") == "[...]");
    CHECK(counted(lenient, "operation=\"putA\",part=\"request\",rule=\"maximum\",level=\"report\"")
          == 100);
    lenient.stage.finish();
}

TEST_CASE("copies of responses leave half of the budget to requests, and are discarded beyond") {
    Own own{"responses: report", "buffered_bodies: 4MiB"};
    // A copy of 200 KB holds a block of 256 KiB: eight of them are half of the budget.
    constexpr std::size_t crowd = 12;
    constexpr std::size_t fitting = 8;
    Event gate;
    std::string const body = of_size(200'001);
    own.stage.upstream.respond_with([&](UpstreamExchange& exchange) {
        if (exchange.request.method == "PUT") {
            exchange.send(response_text("{}"));
            return;
        }
        auto const text = response_text(body);
        exchange.send(text.substr(0, text.size() - 1));
        exchange.wait(gate);
        exchange.send(text.substr(text.size() - 1));
    });
    std::vector<std::unique_ptr<RawClient>> clients;
    std::vector<std::string> came;
    for (std::size_t i = 0; i < crowd; ++i) {
        clients.push_back(std::make_unique<RawClient>(own.stage.port()));
        clients.back()->send(Outgoing{"GET", "/v1/a"}.text());
        came.push_back(clients.back()->read_bytes(200'000));
        auto const held = metrics_of(own.stage.gateway)["sallyport_buffered_bytes"];
        CHECK(held == static_cast<double>(std::min(i + 1, fitting) * 256 * 1024));
    }
    // The largest possible size.
    auto const request = Outgoing{"PUT", "/v1/a"}.body("[" + std::string(1'000'000, ' ') + "]");
    CHECK(own.stage.send(request).status == 200);
    gate.set();
    for (std::size_t i = 0; i < crowd; ++i) {
        auto const expected = came[i].substr(0, came[i].find("\r\n\r\n") + 4) + body;
        while (came[i].size() < expected.size())
            came[i] += clients[i]->read_bytes(1);
        CHECK(came[i] == expected);
    }
    own.stage.gateway.wait_for_log_lines(crowd + 1);
    CHECK(own.checked() == fitting);
    CHECK(own.not_checked("budget") == crowd - fitting);
    CHECK(metrics_of(own.stage.gateway)["sallyport_buffered_bytes"] == 0);
    own.stage.finish();
}

} // namespace e17_responses_at_report
