// Bodies that are as expensive to check as possible and end together: other clients are served
// between two of them, and none takes much longer than its parse.
#include "tests/bench/contract_shapes.h"
#include "tests/hostile/greedy_stage.h"

#include "tests/support/admin.h"
#include "tests/support/machine.h"
#include "tests/support/operations.h"
#include "tests/support/raw_client.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <list>
#include <sstream>
#include <stdexcept>

namespace h12_costly_bodies {

using namespace sallyport::test;

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

// uniqueItems in 31 nested arrays, 20 forms with uniqueItems, 9,000 constants.
constexpr std::array<std::string_view, 3> shapes{"nested_unique", "forms_with_unique",
                                                 "large_enum"};

// An operation whose body has the expensive value and lacks a required member, so that the gateway
// refuses it after the whole check.
std::string operation_yaml(std::string_view name, std::string const& schema) {
    return "  /costly/" + std::string{name} + ": { post: { operationId: " + std::string{name}
           + ", requestBody: { required: true, content: { application/json: { schema: { type: "
             "object, required: [absent], properties: { value: {"
           + schema + "} } } } } } } }\n";
}

std::string contract() {
    std::string paths;
    std::string components;
    for (auto const name : shapes) {
        auto schema = sallyport::bench::make_shape(name).schema;
        if (schema.front() == '{') { // it refers to itself: {$ref: '#/$defs/t', $defs: {t: ...}}
            components = "components: { schemas: { t: { uniqueItems: true, items: { $ref: "
                         "'#/components/schemas/t' } } } }\n";
            schema = "$ref: '#/components/schemas/t'";
        }
        paths += operation_yaml(name, schema);
    }
    return "openapi: 3.1.0\ninfo: { title: Costly, version: '1' }\npaths:\n" + paths
           + operation_yaml("parsed", "") + components;
}

struct CostlyStage {
    CostlyStage() : gateway{configure(), options()} {}

    static Gateway::Options options() {
        Gateway::Options options;
        options.files["costly.yaml"] = contract();
        return options;
    }

    Configuration configure() const {
        auto configuration = standard_configuration(upstream);
        configuration.listeners += "  - name: plain\n    address: 127.0.0.1:0\n    tls: off\n";
        configuration.apis += "  costly: { contract: costly.yaml, upstream: management, "
                              "authenticate: [basic] }\n";
        configuration.limits = "  body: 2MiB\n";
        configuration.rest += admin_section;
        return configuration;
    }

    [[nodiscard]] std::uint16_t port() const { return gateway.port("plain"); }

    // Of all threads of the process so far.
    [[nodiscard]] nanoseconds processor_time() const {
        clockid_t clock = 0;
        timespec time{};
        REQUIRE(::clock_getcpuclockid(gateway.id(), &clock) == 0);
        REQUIRE(::clock_gettime(clock, &time) == 0);
        return std::chrono::seconds{time.tv_sec} + nanoseconds{time.tv_nsec};
    }

    // Returns once the kernel reports it as stopped.
    void stop_gateway() const {
        gateway.signal(SIGSTOP);
        auto const stat = "/proc/" + std::to_string(gateway.id()) + "/stat";
        REQUIRE(comes_true([&] {
            auto const text = read_file(stat);
            return text.compare(text.rfind(')') + 2, 1, "T") == 0;
        }));
    }

    RecordingUpstream upstream;
    Gateway gateway;
};

std::string body_of(std::string_view shape) {
    return R"({"value":)" + sallyport::bench::make_shape(shape).text + '}';
}

std::string head_of(std::string_view operation, std::string const& body) {
    Outgoing request{"POST", "/costly/" + std::string{operation}};
    return request.authorization(basic(administrator)).body(body).head();
}

// On all connections to a port: bytes that its server has not read, and bytes still in transit.
struct InKernel {
    std::size_t unread = 0;
    std::size_t sent = 0;
    bool operator==(InKernel const&) const = default;
};

InKernel bytes_in_kernel(std::uint16_t port) {
    // proc_net_tcp: number, local and remote address with port, state, queues, each in hexadecimal.
    std::istringstream table{read_file("/proc/net/tcp")};
    InKernel found;
    std::string line;
    for (std::getline(table, line); std::getline(table, line);) {
        unsigned local = 0;
        unsigned remote = 0;
        unsigned state = 0;
        std::size_t sent = 0;
        std::size_t unread = 0;
        int const fields = std::sscanf(line.c_str(), " %*d: %*x:%x %*x:%x %x %zx:%zx", &local,
                                       &remote, &state, &sent, &unread);
        if (fields != 5) throw std::runtime_error("not a line of /proc/net/tcp: " + line);
        constexpr unsigned established = 1;
        if (state != established) continue;
        if (local == port) found.unread += unread;
        if (remote == port) found.sent += sent;
    }
    return found;
}

// Bodies whose last byte is missing until finish().
class CostlyBodies {
public:
    explicit CostlyBodies(CostlyStage const& stage) {
        for (std::size_t i = 0; i < 2 * shapes.size(); ++i) {
            auto const shape = shapes[i % shapes.size()];
            auto const body = body_of(shape);
            auto& one = members_.emplace_back(stage.port(), without_tls());
            one.send(head_of(shape, body));
            one.send(std::string_view{body}.substr(0, body.size() - 1));
        }
        REQUIRE(comes_true([&] { return bytes_in_kernel(stage.port()) == InKernel{}; }));
    }
    void finish() {
        for (auto& one : members_)
            one.send("}");
    }
    [[nodiscard]] std::size_t size() const { return members_.size(); }
    void check_refused() {
        for (auto& one : members_)
            CHECK(one.read_response().status == 400);
    }

private:
    std::list<RawClient> members_;
};

// The least processor time of several requests with this body, which excludes other load of the
// machine.
nanoseconds cost_of(CostlyStage const& stage, std::string_view operation, std::string const& body) {
    auto const request = head_of(operation, body) + body;
    auto least = nanoseconds::max();
    for (int i = 0; i < 5; ++i) {
        auto const before = stage.processor_time();
        REQUIRE(fetch(stage.port(), request, without_tls()).status == 400);
        least = std::min(least, stage.processor_time() - before);
    }
    return least;
}

double milliseconds(nanoseconds time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

} // namespace

TEST_CASE("of costly bodies that end together at most one is checked before another's request") {
    CostlyStage stage;
    auto const is_of_other = [](Json const& line) {
        return line["status"].number == 401;
    };
    std::string const request = "GET /costly/parsed HTTP/1.1\r\nHost: localhost\r\n\r\n";
    std::vector<std::size_t> bodies_before;
    std::size_t lines = 0;
    for (int round = 0; round < 9; ++round) {
        CostlyBodies bodies{stage};
        RawClient other{stage.port(), without_tls()};
        // The gateway finds all of the following at once, in this order.
        stage.stop_gateway();
        bodies.finish();
        REQUIRE(comes_true(
            [&] { return bytes_in_kernel(stage.port()) == InKernel{bodies.size(), 0}; }));
        other.send(request);
        REQUIRE(comes_true([&] {
            return bytes_in_kernel(stage.port()) == InKernel{bodies.size() + request.size(), 0};
        }));
        stage.gateway.signal(SIGCONT);
        CHECK(other.read_response().status == 401);
        CHECK(request_admin(stage.gateway, "/healthz").status == 200);
        bodies.check_refused();
        // One worker logs exchanges in the order in which it finishes them.
        constexpr auto in_round = static_cast<std::ptrdiff_t>(2 * shapes.size() + 1);
        auto const log = stage.gateway.wait_for_log_lines(lines + std::size_t{in_round});
        auto const begin = log.begin() + static_cast<std::ptrdiff_t>(lines);
        auto const found = std::find_if(begin, log.end(), is_of_other);
        REQUIRE(found != log.end());
        bodies_before.push_back(static_cast<std::size_t>(found - begin));
        lines += std::size_t{in_round};
    }
    // If the system interrupts the worker repeatedly, a round may have more.
    CHECK(median_of(bodies_before) <= 1);
    CHECK(stage.gateway.stop() == 0);
}

TEST_CASE("a costly body takes at most twenty times its parse, and others wait for one at most") {
    CostlyStage stage;
    nanoseconds most{0};
    for (auto const shape : shapes) {
        CAPTURE(shape);
        auto const body = body_of(shape);
        auto const parsed = cost_of(stage, "parsed", body);
        auto const checked = cost_of(stage, shape, body);
        std::cout << shape << ": " << milliseconds(checked) << " ms of a processor, parsed alone "
                  << milliseconds(parsed) << " ms\n";
        CHECK(checked <= 20 * parsed);
        most = std::max(most, checked);
    }
    if (sanitizers().empty()) CHECK(most < 50ms);

    Event never;
    Probe quiet{stage.port()};
    never.wait(-1, TimeLimit{1s});
    auto const before = quiet.stop_and_list();
    Probe attacked{stage.port()};
    for (TimeLimit const limit{3s}; !limit.has_passed();) {
        CostlyBodies bodies{stage};
        bodies.finish();
        CHECK(request_admin(stage.gateway, "/healthz").status == 200);
        bodies.check_refused();
    }
    auto const during = attacked.stop_and_list();
    std::cout << "others wait " << median_of(before).count() << " ms (at most "
              << before.back().count() << "), beside six costly bodies "
              << median_of(during).count() << " ms (at most " << during.back().count() << ")\n";
    // A request waits for the worker when it arrives, and when its response does.
    CHECK(median_of(during) <= median_of(before) + 50ms + 2 * most);
    CHECK(stage.gateway.stop() == 0);
}

} // namespace h12_costly_bodies
