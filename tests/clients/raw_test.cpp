// The corpus as written: each case over a connection of its own, and the passing ones one after the
// other.
#include "tests/clients/arrival.h"
#include "tests/clients/drivers.h"
#include "tests/clients/judge.h"
#include "tests/support/comparable.h"
#include "tests/support/http2_client.h"
#include "tests/support/raw_client.h"

#include <catch2/catch.hpp>

#include <iostream>
#include <map>

namespace raw_test {

using namespace sallyport::test;

namespace {

ClientResponse client_response_of(Response const& response) {
    return {response.status, response.fields, response.body};
}

// For bytes whose head no reader accepts the comparison needs only the method: such a request is
// refused.
Request as_sent(Case const& one) {
    try {
        if (auto parsed = parse_request_head(one.head)) return std::move(parsed->message);
    } catch (BadMessage const&) {
    }
    Request request;
    request.method = one.head.substr(0, one.head.find(' '));
    return request;
}

// After a response with Connection: close the gateway reads nothing more: bytes behind the request
// must not become another one.
void check_silence(RawClient& client, Response const& response) {
    if (response.fields.find("Connection") != "close") return;
    client.read_to_end();
    CHECK(client.unread() == "");
}

// One case over HTTP/1.1, on a connection of its own.
ClientResponse ask_older(ClientStage const& stage, Case const& one) {
    RawClient client{stage.port()};
    client.try_send(one.bytes());
    return client_response_of(client.read_final_response(as_sent(one).method));
}

std::string id_of(ClientResponse const& response) {
    return response.fields.one("X-Request-Id");
}

// A line of the log of a stage, without what is its own: addresses, and the folder of its files.
std::string without_places(Json const& line, ClientStage const& stage) {
    auto text = comparable(line);
    for (auto const& place :
         {host_of(stage.port()), stage.sandbox.authority(), stage.gateway.folder().string()})
        for (auto at = text.find(place); at != text.npos; at = text.find(place))
            text.erase(at, place.size());
    return text;
}

// The lines of the log by their request.
std::map<std::string, std::string> lines_of(ClientStage const& stage, std::size_t count) {
    std::map<std::string, std::string> lines;
    for (auto const& line : stage.gateway.wait_for_log_lines(count))
        lines[line.text("request_id")] = without_places(line, stage);
    return lines;
}

} // namespace

TEST_CASE("the corpus, byte for byte over sockets", "[raw]") {
    ClientStage stage;
    Judge judge{stage};
    auto const driver = driver_row("raw");
    std::size_t driven = 0;
    for (auto const& one : cases_for(driver, host_of(stage.port()))) {
        INFO(one.label());
        auto const sent = as_sent(one);
        RawClient client{stage.port()};
        client.try_send(one.bytes());
        auto const response = client.read_final_response(sent.method);
        judge.judge(one, sent, client_response_of(response));
        check_silence(client, response);
        ++driven;
    }
    judge.finish();
    std::cout << "raw: " << driven << " cases driven\n";
    CHECK(driven == driver.drives);
}

TEST_CASE("the cases that pass, in one stream of bytes over one connection", "[pipelined]") {
    ClientStage stage;
    Judge judge{stage};
    auto const driver = driver_row("raw-pipelined");
    std::string stream;
    std::vector<Case> cases;
    std::vector<Request> sent;
    for (auto& one : cases_for(driver, host_of(stage.port()))) {
        if (!one.expected.passes()) continue;
        stream += one.bytes();
        sent.push_back(as_sent(one));
        cases.push_back(std::move(one));
    }
    std::vector<ClientResponse> responses;
    {
        RawClient client{stage.port()};
        client.send(stream);
        for (auto const& request : sent)
            responses.push_back(client_response_of(client.read_final_response(request.method)));
    }
    judge.judge_group(cases, sent, responses);
    judge.finish();
    std::cout << "raw-pipelined: " << cases.size() << " cases driven\n";
    CHECK(cases.size() == driver.drives);
}

// Two gateways, each with a sandbox: what a case changes is there for the same case alone.
TEST_CASE("the corpus over HTTP/2, with the lines of the log that it has over HTTP/1.1",
          "[raw-http2]") {
    ClientStage older;
    ClientStage newer{ClientVersion::http_2};
    Judge older_judge{older};
    Judge newer_judge{newer};
    auto const driver = driver_row("raw-http2");
    auto const older_cases = cases_for(driver, host_of(older.port()));
    auto const newer_cases = cases_for(driver, host_of(newer.port()));
    REQUIRE(newer_cases.size() == older_cases.size());
    std::vector<std::pair<std::string, std::string>> ids;
    {
        Http2Client client{newer.port()};
        for (std::size_t index = 0; index < newer_cases.size(); ++index) {
            auto const& one = newer_cases[index];
            INFO(one.label());
            auto const older_response = ask_older(older, older_cases[index]);
            older_judge.judge(older_cases[index], as_sent(older_cases[index]), older_response);
            auto const response = client_response_of(client.exchange(one.bytes()));
            newer_judge.judge(one, over_http2(one.request().value()), response);
            if (!one.expected.passes())
                CHECK(comparable_body(response.body) == comparable_body(older_response.body));
            ids.emplace_back(id_of(older_response), id_of(response));
        }
    }
    auto older_lines = lines_of(older, ids.size());
    auto newer_lines = lines_of(newer, ids.size());
    for (std::size_t index = 0; index < ids.size(); ++index) {
        INFO(newer_cases[index].label());
        CHECK(newer_lines[ids[index].second] == older_lines[ids[index].first]);
    }
    older_judge.finish();
    newer_judge.finish();
    std::cout << "raw-http2: " << ids.size() << " cases driven\n";
    CHECK(ids.size() == driver.drives);
}

} // namespace raw_test
