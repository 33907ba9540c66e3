// The pages of the admin listener, from a state made by the test: which clients may read them, and
// their content.
#include "gateway/admin/pages.h"

#include "gateway/admin/metrics_page.h"
#include "gateway/admin/process_facts.h"
#include "gateway/admin/status_page.h"
#include "tests/support/json.h"
#include "tests/unit/admin/admin_harness.h"

#include <catch2/catch.hpp>

namespace pages_test {

using namespace sallyport;
using namespace sallyport::admin;
using admin::test::FactsFixture;
using sallyport::test::Json;

namespace {

namespace http = boost::beast::http;

Request request_for(std::string const& target, std::string const& host = "localhost:9901",
                    http::verb method = http::verb::get) {
    Request request{method, target, 11};
    if (!host.empty()) request.set(http::field::host, host);
    return request;
}

struct Pages : FactsFixture {
    Response ask(Request const& request,
                 AllowedClients allowed_clients = AllowedClients::this_machine,
                 Liveness liveness = Liveness::alive) const {
        return response_to(request, facts, allowed_clients, liveness);
    }
    // The value of a series, as text.
    std::string metric(std::string const& series) const {
        auto const page = metrics_page(facts);
        auto const at = page.find("\n" + series + " ");
        if (at == std::string::npos) return "none";
        auto const begin = at + series.size() + 2;
        return page.substr(begin, page.find('\n', begin) - begin);
    }
};

} // namespace

TEST_CASE_METHOD(Pages, "a name that this machine does not have is misdirected") {
    for (auto const* host : {"evil.example", "evil.example:9901", "localhost.evil.example", "[::1",
                             "[::1]x", "127.0.0.1.nip.example"}) {
        CAPTURE(host);
        CHECK(ask(request_for("/metrics", host)).result_int() == 421);
        CHECK(ask(request_for("/metrics", host), AllowedClients::any).result_int() == 200);
    }
}

TEST_CASE_METHOD(Pages,
                 "this machine is addressed by an address, as localhost, or without a name") {
    for (auto const* host : {"localhost", "localhost:9901", "127.0.0.1:9901", "[::1]", "[::1]:9901",
                             "192.0.2.7", ""}) {
        CAPTURE(host);
        CHECK(ask(request_for("/readyz", host)).result_int() == 200);
    }
}

TEST_CASE_METHOD(
    Pages,
    "the response for a missing page lists the existing ones, and other methods are refused") {
    CHECK(ask(request_for("/")).result_int() == 404);
    auto const refused = ask(request_for("/metrics", "localhost", http::verb::post));
    CHECK(refused.result_int() == 405);
    CHECK(refused[http::field::allow] == "GET, HEAD");
}

TEST_CASE_METHOD(Pages,
                 "health is whether the workers turn, and readiness where the gateway stands") {
    CHECK(needs_liveness(request_for("/healthz?x=y")));
    CHECK_FALSE(needs_liveness(request_for("/readyz")));
    CHECK(ask(request_for("/healthz")).body() == "ok\n");
    auto const stuck = ask(request_for("/healthz"), AllowedClients::this_machine, Liveness::stuck);
    CHECK(stuck.result_int() == 503);
    for (auto const state : {State::starting, State::leaving, State::draining}) {
        facts.state = state;
        auto const page = ask(request_for("/readyz"));
        CHECK(page.result_int() == 503);
        CHECK(page.body() == std::string{to_string(state)} + "\n");
    }
    facts.state = State::ready;
    CHECK(ask(request_for("/readyz")).body() == "ready\n");
}

TEST_CASE_METHOD(Pages, "a response to HEAD has the length of the page, and not the page") {
    auto const whole = ask(request_for("/status"));
    auto const head = ask(request_for("/status", "localhost", http::verb::head));
    CHECK(head.body().empty());
    CHECK(head[http::field::content_length] == std::to_string(whole.body().size()));
    CHECK(head[http::field::cache_control] == "no-store");
}

TEST_CASE_METHOD(Pages, "the keys of assertions are a page of their own") {
    facts.key_set = R"({"keys":[]})";
    auto const page = ask(request_for("/.well-known/jwks.json"));
    CHECK(page.result_int() == 200);
    CHECK(page[http::field::content_type] == "application/jwk-set+json");
    CHECK(page.body() == facts.key_set);
    CHECK(ask(request_for("/.well-known/jwks.json", "evil.example")).result_int() == 421);
    CHECK(ask(request_for("/jwks.json")).result_int() == 404);
}

TEST_CASE_METHOD(Pages, "the status describes the active configuration") {
    worker.operation("items", "getItem").requests.add(observe::RequestOutcome{200, ""}, 5);
    worker.operation("items", "getItem")
        .requests.add(observe::RequestOutcome{401, "unauthenticated"});
    worker.upstream("up").connections.add(3);
    worker.upstream("up").connections_idle.add(2);
    worker.upstream("up").endpoint("http://upstream.example:80").connect_failures.add(7);
    auto& report = facts.endpoints[0][0];
    report.condition = upstream::EndpointCondition::down;
    report.since = facts.now;
    report.failed_at = facts.now;
    report.last_error = "connect: Connection refused";
    worker.http2_connections.add(4);
    worker.http2_streams.add(6);
    worker.tunnels.add(7);
    worker.requests_by_protocol[2].add(8);
    facts.access_log.failing_with = std::make_error_code(std::errc::no_space_on_device);

    auto const response = ask(request_for("/status"));
    CHECK(response[http::field::content_type] == "application/json");
    auto const page = Json::parse(response.body());
    CHECK(page["state"].string == "ready");
    CHECK(page["uptime_seconds"].number == 90);
    CHECK(page["configuration"]["generation"].number == 4);
    CHECK(page["configuration"]["reloads"]["rejected"].number == 2);
    CHECK(page["configuration"]["last_attempt"]["problems"][0].string == "sallyport.yaml:1:1: no");
    CHECK(page["listeners"][0]["tls"].boolean);
    CHECK(page["listeners"][0]["certificates"][0]["names"][0].string == "localhost");
    CHECK(page["apis"][0]["requests"]["passed"].number == 5);
    CHECK(page["apis"][0]["requests"]["unauthenticated"].number == 1);
    CHECK(page["apis"][1]["contract"].is_null());
    auto const up = page["upstreams"][0];
    CHECK(up["connections"]["active"].number == 1);
    CHECK(up["endpoints"][0]["state"].string == "down");
    CHECK(up["endpoints"][0]["failures"].number == 7);
    CHECK(up["endpoints"][0]["last_error"]["error"].string == "connect: Connection refused");
    CHECK(page["credentials"]["expiring"][0]["name"].string == "tester");
    CHECK_FALSE(page["credentials"]["expiring"][0]["expired"].boolean);
    CHECK(page["connections"]["open"].number == 11);
    CHECK(page["connections"]["http2"].number == 4);
    CHECK(page["connections"]["http2_streams"].number == 6);
    CHECK(page["connections"]["tunnels"].number == 7);
    CHECK(page["requests_by_protocol"]["HTTP/2.0"].number == 8);
    CHECK(page["requests_by_protocol"]["HTTP/1.0"].number == 0);
    CHECK(page["access_log"]["error"].string == "No space left on device");
    CHECK(page["clock_jumps"].number == 18);
    // No secret.
    CHECK(response.body().find(lifecycle::test::secret) == std::string::npos);
    CHECK(response.body().find("sha256") == std::string::npos);
}

TEST_CASE_METHOD(Pages, "the metrics have a series for each number") {
    auto& operation = worker.operation("items", "putItem");
    operation.requests.add(observe::RequestOutcome{400, "contract_violation"}, 2);
    operation.violations.add(observe::SeenViolation{observe::MessagePart::request,
                                                    observe::ViolationLevel::enforce, "type"});
    operation.violations.add(observe::SeenViolation{observe::MessagePart::response,
                                                    observe::ViolationLevel::report, "status"});
    operation.responses.add(std::string_view{});
    operation.responses.add(std::string_view{"too_large"});
    operation.credentials_accepted.add(3);
    operation.total.observe(1500);
    worker.operation("", "").requests.add(observe::RequestOutcome{403, "unknown_operation"});
    worker.handshakes_completed.add(5);
    worker.handshakes_resumed.add(2);
    worker.requests_by_protocol[1].add(6);
    worker.http2_connections.add(7);
    worker.http2_streams.add(8);
    worker.tunnels.add(9);
    worker.http2_points.add(std::string_view{"ping"}, 10);
    worker.http2_ended.add(std::string_view{"ENHANCE_YOUR_CALM"});
    worker.http2_refused.add(std::string_view{"exchanges"}, 3);
    worker.upstream("up").share_waits.add(4);
    worker.upstream("up").endpoint("http://upstream.example:80").connections_opened.add(9);

    std::string const of = "{api=\"items\",operation=\"putItem\"";
    CHECK(metric("sallyport_requests_total" + of + ",status=\"400\",reason=\"contract_violation\"}")
          == "2");
    CHECK(metric("sallyport_contract_violations_total" + of
                 + ",part=\"request\",rule=\"type\",level=\"enforce\"}")
          == "1");
    CHECK(metric("sallyport_contract_violations_total" + of
                 + ",part=\"response\",rule=\"status\",level=\"report\"}")
          == "1");
    CHECK(metric("sallyport_contract_responses_total" + of + ",result=\"checked\",cause=\"\"}")
          == "1");
    CHECK(metric("sallyport_contract_responses_total" + of
                 + ",result=\"not_checked\",cause=\"too_large\"}")
          == "1");
    CHECK(metric("sallyport_authentications_total{api=\"items\",result=\"accepted\"}") == "3");
    CHECK(metric("sallyport_request_duration_seconds_count" + of + "}") == "1");
    CHECK(metric("sallyport_tls_handshakes_total{result=\"full\"}") == "3");
    CHECK(metric("sallyport_requests_by_protocol_total{protocol=\"HTTP/1.1\"}") == "6");
    CHECK(metric("sallyport_http2_connections_total") == "7");
    CHECK(metric("sallyport_http2_streams") == "8");
    CHECK(metric("sallyport_tunnels") == "9");
    CHECK(metric("sallyport_http2_points_total{kind=\"ping\"}") == "10");
    CHECK(metric("sallyport_http2_connections_ended_total{code=\"ENHANCE_YOUR_CALM\"}") == "1");
    CHECK(metric("sallyport_http2_streams_refused_total{limit=\"exchanges\"}") == "3");
    CHECK(metric("sallyport_http2_streams_refused_total{limit=\"streams\"}") == "0");
    CHECK(metric("sallyport_upstream_caller_share_waits_total{upstream=\"up\"}") == "4");
    std::string const endpoint = "{upstream=\"up\",endpoint=\"http://upstream.example:80\"}";
    CHECK(metric("sallyport_endpoint_connections_opened_total" + endpoint) == "9");
    CHECK(metric("sallyport_endpoint_up" + endpoint) == "1");
    facts.endpoints[0][0].condition = upstream::EndpointCondition::down;
    CHECK(metric("sallyport_endpoint_up" + endpoint) == "0");
    CHECK(metric("sallyport_config_generation") == "4");
    CHECK(metric("sallyport_connections") == "11");
    CHECK(metric("sallyport_buffered_bytes_limit") == "14");
    CHECK(metric("sallyport_log_lines_dropped_total") == "16");
    CHECK(metric("sallyport_ready") == "1");
    CHECK(metric("sallyport_fetches_total{result=\"ok\"}") == "19");
    CHECK(metric("sallyport_fetches_total{result=\"timeout\"}") == "20");
    CHECK(metrics_page(facts).find("result=\"broken\"") == std::string::npos);
    CHECK(metric("sallyport_credential_expiry_timestamp_seconds{credential=\"tester\"}")
          == "4070908800");
    CHECK(metrics_page(facts).find("sallyport_certificate_expiry_timestamp_seconds{")
          != std::string::npos);
}

TEST_CASE("the numbers of several workers are added up") {
    FactsFixture test;
    observe::WorkerMetrics other;
    test.facts.workers.push_back(&other);
    for (auto* const worker : {&test.worker, &other}) {
        worker->connections_accepted.add(2);
        worker->operation("items", "getItem").bytes_in.add(100);
        for (std::uint16_t status = 100; status < 160; ++status) // more than are counted separately
            worker->operation("items", "getItem").requests.add(observe::RequestOutcome{status, ""});
    }
    auto const page = metrics_page(test.facts);
    CHECK(page.find("\nsallyport_connections_accepted_total 4\n") != std::string::npos);
    CHECK(page.find("\nsallyport_request_bytes_total{api=\"items\",operation=\"getItem\"} 200\n")
          != std::string::npos);
    CHECK(page.find("status=\"other\",reason=\"other\"} 24\n") != std::string::npos);
    CHECK(status_page(test.facts, LastUses::rotating).find("\"other\":24") != std::string::npos);
}

TEST_CASE("the kernel's facts of this process are not empty") {
    auto const facts = read_process_facts();
    CHECK(facts.resident_bytes > 0);
    CHECK(facts.open_descriptors > 0);
    CHECK(facts.most_descriptors >= facts.open_descriptors);
}

} // namespace pages_test
