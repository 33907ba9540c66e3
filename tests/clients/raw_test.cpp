// The corpus as written: each case over a connection of its own, and the passing ones one after the
// other.
#include "tests/clients/drivers.h"
#include "tests/clients/judge.h"
#include "tests/support/raw_client.h"

#include <catch2/catch.hpp>

#include <iostream>

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

} // namespace raw_test
