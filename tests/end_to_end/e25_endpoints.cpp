// Which endpoint of an upstream is down, why and since when: in the gateway's log, on its pages and
// in its metrics.
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"

#include <catch2/catch.hpp>

#include <csignal>
#include <regex>

namespace e25_endpoints {

using namespace sallyport::test;

namespace {

std::size_t count(std::string const& text, std::string const& word) {
    std::size_t times = 0;
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
        ++times;
    return times;
}

// Every response closes its connection, so that each request has to connect.
void respond_and_close(UpstreamExchange& exchange) {
    exchange.send(response_text("{}", 200, {{"Connection", "close"}}));
    exchange.close();
}

// A port at which an upstream may be later, and its URL.
struct Place {
    Listening bound = bind_tcp();
    std::string endpoint = "http://127.0.0.1:" + std::to_string(bound.port);

    RecordingUpstream open() {
        RecordingUpstream::Options options;
        options.bound = &bound;
        return {respond_and_close, options};
    }
};

Configuration configuration_with(std::vector<std::string> const& endpoints,
                                 std::string_view more = {}) {
    auto configuration = standard_configuration(endpoints.front(), endpoints.front());
    configuration.upstreams = balanced_upstream_yaml("management", endpoints, more)
                              + upstream_yaml("observability", endpoints.front());
    configuration.rest += admin_section;
    return configuration;
}

Json endpoint_on_status(Gateway const& gateway, std::size_t index) {
    auto const page = Json::parse(request_admin(gateway, "/status").body);
    return page["upstreams"][0]["endpoints"][index];
}

std::string series(std::string const& metric, std::string const& endpoint) {
    return "sallyport_endpoint_" + metric + "{upstream=\"management\",endpoint=\"" + endpoint
           + "\"}";
}

std::string address_of(Gateway const& gateway) {
    return "127.0.0.1:" + std::to_string(gateway.admin_port());
}

// A client for each worker: a connection goes to the worker with the fewest.
struct Clients {
    RawClient first;
    RawClient second;

    explicit Clients(Gateway const& gateway) : first{gateway.port()}, second{gateway.port()} {}
    std::vector<int> send_all() {
        auto const request = request_for("getPipe").text();
        return {first.exchange(request).status, second.exchange(request).status};
    }
};

void wait_for_event(Gateway const& gateway, std::string const& line) {
    INFO(line);
    gateway.wait_for_error_output([&](std::string const& text) {
        return std::regex_search(text, std::regex{line + "\n"});
    });
}

using Statuses = std::vector<int>;

} // namespace

TEST_CASE("an endpoint that is down is reported once by all workers, and again when it is up") {
    Place place;
    auto const dead = place.endpoint;
    RecordingUpstream good{respond_and_close};
    auto configuration = configuration_with({dead, good.endpoint()});
    configuration.workers = "2";
    Gateway gateway{configuration};
    Clients clients{gateway};
    for (int i = 0; i < 3; ++i)
        CHECK(clients.send_all() == Statuses{200, 200});
    auto const began = "endpoint_down upstream=management endpoint=";
    auto const why = " error=\"connect: Connection refused\" left_out=0";
    wait_for_event(gateway, std::string{" warning "} + began + dead + why);
    // Both workers have used it.
    CHECK(metrics_of(gateway)[series("connect_failures_total", dead)] == 2);
    CHECK(count(gateway.standard_error(), began) == 1);

    // The last remaining one.
    good.stop_listening();
    CHECK(clients.send_all() == Statuses{503, 503});
    wait_for_event(gateway, std::string{" error "} + began + good.endpoint() + why);
    CHECK(count(gateway.standard_error(), began) == 2);
    CHECK(count(gateway.standard_error(), "endpoint_up") == 0);

    auto back = place.open();
    CHECK(clients.send_all() == Statuses{200, 200});
    wait_for_event(gateway, " info endpoint_up upstream=management endpoint=" + dead
                                + R"( down_ms=\d+)");
    CHECK(count(gateway.standard_error(), "endpoint_up") == 1);
    CHECK(count(gateway.standard_error(), began) == 2);
    CHECK(gateway.stop() == 0);
}

TEST_CASE("the pages show for each endpoint whether it is up, since when, and its last error") {
    Place place;
    auto const dead = place.endpoint;
    RecordingUpstream good;
    Gateway gateway{configuration_with({dead, good.endpoint(), good.endpoint()})};
    // Untried, and named twice but shown once.
    auto const fresh = endpoint_on_status(gateway, 1);
    CHECK(fresh["endpoint"].string == good.endpoint());
    CHECK(fresh["state"].string == "unknown");
    CHECK(fresh["since"].is_null());
    CHECK(fresh["attempts"].number == 0);
    CHECK(fresh["last_error"].is_null());
    auto const page = Json::parse(request_admin(gateway, "/status").body);
    CHECK(page["upstreams"][0]["endpoints"].items.size() == 2);
    CHECK(metrics_of(gateway)[series("up", good.endpoint())] == 1);
    auto const untried = run_gateway({"status", "--address", address_of(gateway)}).output;
    CHECK(untried.find(good.endpoint() + "  not tried yet, 0 open, 0 of 0 attempts failed\n")
          != std::string::npos);

    for (int i = 0; i < 3; ++i)
        CHECK(fetch(gateway.port(), request_for("getPipe").text()).status == 200);
    auto const down = endpoint_on_status(gateway, 0);
    CHECK(down["endpoint"].string == dead);
    CHECK(down["state"].string == "down");
    CHECK(down["since"].string.size() == std::string{"2026-01-31T23:59:59Z"}.size());
    CHECK(down["connections"].number == 0);
    CHECK(down["requests"].number == 0);
    CHECK(down["attempts"].number == 1);
    CHECK(down["failures"].number == 1);
    CHECK(down["last_error"]["error"].string == "connect: Connection refused");
    CHECK(down["last_error"]["time"].string == down["since"].string);
    auto const up = endpoint_on_status(gateway, 1);
    CHECK(up["state"].string == "up");
    CHECK(up["failures"].number == 0);
    CHECK(up["requests"].number == 3);
    // One for each of the two places in the list.
    CHECK(up["connections"].number == 2);
    CHECK(up["attempts"].number == 2);
    CHECK(up["last_error"].is_null());

    auto const numbers = metrics_of(gateway);
    CHECK(numbers[series("up", dead)] == 0);
    CHECK(numbers[series("connect_failures_total", dead)] == 1);
    CHECK(numbers[series("connections_opened_total", dead)] == 0);
    CHECK(numbers[series("requests_total", dead)] == 0);
    CHECK(numbers[series("up", good.endpoint())] == 1);
    CHECK(numbers[series("connections", good.endpoint())] == 2);
    CHECK(numbers[series("connections_opened_total", good.endpoint())] == 2);
    CHECK(numbers[series("connect_failures_total", good.endpoint())] == 0);
    CHECK(numbers[series("requests_total", good.endpoint())] == 3);

    auto const shown = run_gateway({"status", "--address", address_of(gateway)}).output;
    CAPTURE(shown);
    CHECK(std::regex_search(
        shown, std::regex{"    " + dead + R"(  DOWN since \S+Z, 0 open, 1 of 1 attempts failed, )"
                          + R"(the last one \S+Z: connect: Connection refused\n    )"
                          + good.endpoint() + R"(  up since \S+Z, 2 open, 0 of 2 attempts failed)"
                          + "\n"}));

    auto back = place.open();
    auto const is_up = [&] { return endpoint_on_status(gateway, 0)["state"].string == "up"; };
    // Its pause ends, and one request retries.
    for (TimeLimit const limit; !is_up() && !limit.has_passed();)
        CHECK(fetch(gateway.port(), request_for("getPipe").text()).status == 200);
    CHECK(is_up());
    CHECK(metrics_of(gateway)[series("up", dead)] == 1);
    CHECK(endpoint_on_status(gateway, 0)["last_error"]["error"].string
          == "connect: Connection refused");
    CHECK(gateway.stop() == 0);
}

TEST_CASE("a reload keeps the state of an endpoint, and removes those that it no longer has") {
    Place const place;
    auto const dead = place.endpoint;
    RecordingUpstream good{respond_and_close};
    Gateway gateway{configuration_with({dead, good.endpoint()})};
    CHECK(fetch(gateway.port(), request_for("getPipe").text()).status == 200);
    auto const since = endpoint_on_status(gateway, 0)["since"].string;
    CHECK_FALSE(since.empty());
    auto const other_settings =
        configuration_with({dead, good.endpoint()}, "timeouts: { connect: 2s }");
    gateway.replace("sallyport.yaml", other_settings.text());
    gateway.wait_for_reloads(1);
    CHECK(endpoint_on_status(gateway, 0)["since"].string == since);
    // The new pools have no pause, and retry it.
    for (int i = 0; i < 2; ++i)
        CHECK(fetch(gateway.port(), request_for("getPipe").text()).status == 200);
    CHECK(metrics_of(gateway)[series("connect_failures_total", dead)] == 2);
    CHECK(endpoint_on_status(gateway, 0)["since"].string == since);
    CHECK(endpoint_on_status(gateway, 0)["state"].string == "down");
    CHECK(count(gateway.standard_error(), "endpoint_down") == 1);

    gateway.replace("sallyport.yaml", configuration_with({good.endpoint()}).text());
    gateway.wait_for_reloads(2);
    auto const numbers = metrics_of(gateway);
    CHECK(numbers[series("up", dead)] == -1);
    CHECK(numbers[series("connect_failures_total", dead)] == -1);
    CHECK(numbers[series("requests_total", good.endpoint())] == 3);
    // The upstream's own numbers do not decrease.
    CHECK(numbers["sallyport_upstream_connect_failures_total{upstream=\"management\"}"] == 2);
    CHECK(gateway.stop() == 0);
}

} // namespace e25_endpoints
