// The lines that an API's rules write, and the values of their variables.
#include "gateway/pipeline/edge.h"

#include "double.h"

#include <catch2/catch.hpp>

#include <string>

namespace edge_test {

using namespace sallyport;
using namespace sallyport::pipeline;
using config::ValuePart;
using config::Variable;

namespace {

struct Ruled : pipeline::test::Fixture {
    Ruled() : Fixture{"GET /a HTTP/1.1\r\nHost: h\r\n\r\n"} {
        client.address = "2001:db8::1";
        exchange.request.id = exchange.services.request_ids.next();
    }

    std::string line_of(std::vector<ValuePart> value) {
        FieldRules rules;
        rules.add_line("X-A", std::move(value));
        std::string lines;
        rules.append_lines(lines, exchange, {});
        return lines;
    }

    Identity caller{"team-a", {}, {}, {}, {}, 0, {}, {}};
};

ValuePart text(std::string it) {
    return {std::move(it), Variable::none};
}
ValuePart label(std::string name) {
    return {std::move(name), Variable::label};
}

} // namespace

TEST_CASE_METHOD(Ruled, "a value is its texts and the values of its variables") {
    exchange.decision.caller = &caller;
    CHECK(line_of({text("a b")}) == "X-A: a b\r\n");
    CHECK(line_of({text("")}) == "X-A: \r\n");
    CHECK(line_of({text("for="), {{}, Variable::client}, text(";")})
          == "X-A: for=2001:db8::1;\r\n");
    CHECK(line_of({{{}, Variable::credential}}) == "X-A: team-a\r\n");
    CHECK(line_of({{{}, Variable::request_id}})
          == "X-A: " + std::string{exchange.request.id.text()} + "\r\n");
}

TEST_CASE_METHOD(Ruled, "a label is written as its value, and escaped where it could end a value") {
    caller.labels = {{"text", std::string{"a,b \"c\"\r\nX-B: 1\xC3\xA9%"}},
                     {"yes", true},
                     {"count", std::int64_t{-5}},
                     {"share", 0.5},
                     {"empty", std::string{}}};
    exchange.decision.caller = &caller;
    CHECK(line_of({label("text")}) == "X-A: a%2Cb%20%22c%22%0D%0AX-B:%201%C3%A9%25\r\n");
    CHECK(line_of({label("yes")}) == "X-A: true\r\n");
    CHECK(line_of({label("count")}) == "X-A: -5\r\n");
    CHECK(line_of({label("share")}) == "X-A: 0.5\r\n");
    CHECK(line_of({label("empty")}).empty());
}

TEST_CASE_METHOD(Ruled, "a line whose variable has no value is left out") {
    CHECK(line_of({text("a"), {{}, Variable::credential}}).empty());
    CHECK(line_of({text("a"), label("tier")}).empty());
    CHECK(line_of({{{}, Variable::operation}}).empty());
    exchange.decision.caller = &caller;
    CHECK(line_of({label("tier")}).empty());
}

TEST_CASE_METHOD(Ruled, "a response of the gateway keeps its own fields, in any letter case") {
    auto rules = std::make_unique<EdgeRules>();
    rules->response.add_line("cache-control", "public");
    rules->response.add_line("X-A", "1");
    rules->tls_response.add_line("X-Tls", "1");
    api.edge = std::move(rules);
    http::AddedField const own{"Cache-Control", "no-store"};
    CHECK(lines_of_own_response(exchange, {&own, 1}) == "X-A: 1\r\n");
    client.is_tls = true;
    CHECK(lines_of_own_response(exchange, {&own, 1}) == "X-A: 1\r\nX-Tls: 1\r\n");
    exchange.decision.api = nullptr;
    CHECK(lines_of_own_response(exchange, {&own, 1}).empty());
}

TEST_CASE_METHOD(Ruled,
                 "of a response what is dropped is taken out, and what is written is added") {
    EdgeRules rules;
    rules.response.drop("Server");
    rules.response.drop("X-A");
    rules.response.add_line("X-A", "ours");
    std::string const received = "Server: up\r\nX-Keep: 1\r\nX-A: theirs\r\n";
    http::LineRuns kept;
    kept.add(received);
    std::string storage;
    change_response(rules, exchange, kept, storage);
    std::string all;
    for (auto const run : kept)
        all += run;
    CHECK(all == "X-Keep: 1\r\nX-A: ours\r\n");
}

TEST_CASE("of a path what the API strips is left out, and a prefix is written before the rest") {
    CHECK(PathRules{3, "/api"}.change("/v1/a%20b/") == "/api/a%20b/");
    CHECK(PathRules{3, {}}.change("/v1/a") == "/a");
    CHECK(PathRules{3, {}}.change("/v1/") == "/");
    CHECK(PathRules{3, {}}.change("/v1") == "/");
    CHECK(PathRules{3, "/api"}.change("/v1") == "/api");
    CHECK(PathRules{0, "/api"}.change("/") == "/api/");
    CHECK(PathRules{0, "/api"}.change("/v1/a") == "/api/v1/a");
}

} // namespace edge_test
