// The gateway under load in front of an upstream that fails at random: no response may be mixed up,
// truncated or another client's, nothing may grow, and everything has to be counted.
#include "tests/soak/clients.h"
#include "tests/soak/faulty_upstream.h"
#include "tests/soak/http2_clients.h"
#include "tests/soak/tunnels.h"
#include "tests/support/admin.h"
#include "tests/support/gateway.h"
#include "tests/support/operations.h"
#include "tests/support/raw_client.h"

#include <CLI/CLI.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>
#include <thread>
#include <unistd.h>

namespace {

using namespace sallyport;

struct Options {
    unsigned seconds = 60;
    double share = 0.6; // of its maximum rate
    std::size_t connections = 64;
    unsigned workers = 1;
    std::uint64_t seed = 1;
};

test::Configuration configuration(Options const& options, std::uint16_t upstream) {
    auto const endpoint = "http://127.0.0.1:" + std::to_string(upstream);
    auto made = test::standard_configuration(endpoint, endpoint);
    made.workers = std::to_string(options.workers);
    made.access_log = "  output: /dev/null\n";
    made.apis += "  socket: { paths: [\"/socket/\"], upgrade: [websocket], upstream: management, "
                 "authenticate: [basic] }\n";
    made.rest = test::admin_section;
    return made;
}

std::uint64_t resident_kilobytes(pid_t id) {
    std::ifstream statm{"/proc/" + std::to_string(id) + "/statm"};
    std::uint64_t size = 0;
    std::uint64_t resident = 0;
    statm >> size >> resident;
    return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 1024;
}

// Microseconds of CPU time, in user space and in the kernel, in steps of a clock tick.
double processor_time(pid_t id) {
    std::ifstream stat{"/proc/" + std::to_string(id) + "/stat"};
    std::string text;
    std::getline(stat, text);
    // proc(5): the name is in brackets and may contain anything; fields 14 and 15 are utime and
    // stime.
    std::istringstream fields{text.substr(text.rfind(')') + 1)};
    std::string skipped;
    for (int field = 3; field < 14; ++field)
        fields >> skipped;
    std::uint64_t user = 0;
    std::uint64_t kernel = 0;
    fields >> user >> kernel;
    return static_cast<double>(user + kernel) * 1e6 / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double metric(test::Gateway const& gateway, std::string const& name) {
    return test::metrics_of(gateway).sum(name);
}

std::uint64_t median(std::vector<std::uint64_t> values) {
    auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// Prints the required and the measured value; records whether all requirements are met.
class Requirements {
public:
    template <class Value>
    void require(bool is_met, std::string_view what, Value const& value) {
        std::cout << (is_met ? "ok      " : "FAILED  ") << what << ": " << value << '\n';
        all_met_ = all_met_ && is_met;
    }
    bool all_met() const { return all_met_; }

private:
    bool all_met_ = true;
};

// The gateway's resource usage, a sample a second, after the warm-up.
class Usage {
public:
    void sample(pid_t id, std::uint64_t requests) {
        memory_.push_back(resident_kilobytes(id));
        processor_.push_back(processor_time(id));
        requests_.push_back(requests);
    }

    void judge(Requirements& requirements) const {
        auto const third = static_cast<std::ptrdiff_t>(memory_.size() / 3);
        auto const early = median({memory_.begin(), memory_.begin() + third});
        auto const late = median({memory_.end() - third, memory_.end()});
        requirements.require(static_cast<double>(late) <= 1.05 * static_cast<double>(early),
                             "memory is constant within 5 %",
                             std::to_string(early) + " KiB, then " + std::to_string(late) + " KiB");
        // A margin of one half for other load of the machine; growth with each request or
        // connection of a soak exceeds it by far.
        auto const count = memory_.size();
        auto const first = cost(0, count / 3);
        auto const last = cost(count - 1 - count / 3, count - 1);
        requirements.require(last <= 1.5 * first, "processor time per request does not grow",
                             std::to_string(first) + " us of processor, then "
                                 + std::to_string(last));
    }

private:
    double cost(std::size_t from, std::size_t to) const {
        return (processor_[to] - processor_[from])
               / static_cast<double>(requests_[to] - requests_[from]);
    }

    std::vector<std::uint64_t> memory_;
    std::vector<double> processor_;
    std::vector<std::uint64_t> requests_;
};

// Of the gateway, without connections to its upstreams, which are kept on purpose.
double descriptors(test::Gateway const& gateway) {
    return metric(gateway, "process_open_fds") - metric(gateway, "sallyport_upstream_connections");
}

// Waits until the condition is true; false at the time limit.
bool comes_true(std::function<bool()> const& condition) {
    test::TimeLimit const limit;
    while (!condition()) {
        if (limit.has_passed()) return false;
    }
    return true;
}

// All that send requests: connections of HTTP/1.1, as many streams of HTTP/2, and a twentieth of
// both together as WebSockets.
struct Load {
    Load(boost::asio::io_context& loop, std::uint16_t port, std::size_t connections)
        : clients{loop, client_settings(port, connections - connections / 2)},
          http2_clients{client_settings(port, connections / 2)},
          tunnels{loop, tunnel_settings(port, (connections + 19) / 20)} {}

    static soak::ClientSettings client_settings(std::uint16_t port, std::size_t connections) {
        soak::ClientSettings settings;
        settings.port = port;
        settings.authority = test::certificates().authority.string();
        settings.authorization = test::basic(test::administrator);
        settings.targets = {test::operation("getPipe").target,
                            test::operation("listServiceBackups").target};
        settings.put_target = test::operation("updatePipeSettings").target;
        settings.connections = connections;
        return settings;
    }
    static soak::TunnelSettings tunnel_settings(std::uint16_t port, std::size_t count) {
        soak::TunnelSettings settings;
        settings.port = port;
        settings.authority = test::certificates().authority.string();
        settings.authorization = test::basic(test::administrator);
        settings.target = "/socket/a";
        settings.count = count;
        return settings;
    }
    std::uint64_t requests() const { return clients.counts().requests + http2_clients.requests(); }
    void stop() {
        clients.stop();
        tunnels.stop();
        http2_clients.stop();
    }

    soak::Clients clients;
    soak::Http2Clients http2_clients;
    soak::Tunnels tunnels;
};

// Measures the gateway's maximum rate, then sends a share of it until the end.
boost::asio::awaitable<void> conduct(Options options, Load& load, Usage& usage, pid_t gateway) {
    auto const warm_up = std::max(3U, options.seconds / 10);
    boost::asio::steady_timer timer{co_await boost::asio::this_coro::executor};
    for (unsigned second = 0; second < options.seconds; ++second) {
        if (second == warm_up) {
            auto const of_http1 = static_cast<double>(load.clients.counts().requests) / warm_up;
            auto const of_http2 = static_cast<double>(load.http2_clients.requests()) / warm_up;
            // As many in both versions.
            auto const rate = (of_http1 + of_http2) / 2 * options.share;
            load.clients.set_rate(rate);
            load.http2_clients.set_rate(rate);
            std::cout << "maximum: " << of_http1 << " requests a second over HTTP/1.1 and "
                      << of_http2 << " over HTTP/2; from now on " << rate << " over each\n";
        }
        timer.expires_after(std::chrono::seconds{1});
        co_await timer.async_wait(boost::asio::use_awaitable);
        if (second > warm_up) usage.sample(gateway, load.requests());
    }
    load.stop();
}

void judge(Requirements& requirements, soak::ClientCounts const& clients,
           soak::UpstreamCounts const& upstream) {
    requirements.require(clients.mixed == 0 && upstream.mixed == 0,
                         "no request or response is mixed up, truncated or another client's",
                         std::to_string(clients.whole) + " complete responses");
    requirements.require(clients.unexpected == 0, "nothing unexpected", clients.first_unexpected);
    auto const failed = clients.refused() + clients.aborted;
    requirements.require(failed <= upstream.broken(), "every failure was caused by the upstream",
                         std::to_string(failed) + " failures (" + std::to_string(clients.aborted)
                             + " aborted), " + std::to_string(upstream.broken()) + " faults");
    requirements.require(upstream.resets > 0 && upstream.truncations > 0 && upstream.slow > 0
                             && upstream.garbage > 0,
                         "there were faults of each kind",
                         std::to_string(upstream.resets) + " resets, "
                             + std::to_string(upstream.truncations) + " truncations, "
                             + std::to_string(upstream.slow) + " slow, "
                             + std::to_string(upstream.garbage) + " garbage");
}

void judge_tunnels(Requirements& requirements, soak::TunnelCounts const& tunnels,
                   soak::UpstreamCounts const& upstream) {
    requirements.require(tunnels.mixed == 0 && tunnels.messages > 0,
                         "each message of a WebSocket comes back unchanged",
                         std::to_string(tunnels.messages) + " messages, "
                             + std::to_string(tunnels.bytes) + " bytes");
    requirements.require(tunnels.unexpected == 0, "nothing unexpected of WebSockets",
                         tunnels.first_unexpected);
    requirements.require(tunnels.handshakes == upstream.tunnels, "each WebSocket was opened",
                         tunnels.handshakes);
    requirements.require(tunnels.lost == upstream.lost_tunnels && tunnels.lost > 0,
                         "each WebSocket that was lost was so by the upstream",
                         std::to_string(tunnels.lost) + " lost, " + std::to_string(tunnels.closed)
                             + " closed");
}

void judge_metrics(Requirements& requirements, test::Gateway& gateway, std::uint64_t sent) {
    // The last exchanges end shortly after their responses.
    auto const requests = static_cast<double>(sent);
    requirements.require(
        comes_true([&] { return metric(gateway, "sallyport_requests_total") == requests; }),
        "every request is counted", sent);
    auto const tunnels = metric(gateway, "sallyport_tunnels");
    requirements.require(tunnels == 0, "no tunnel is left", tunnels);
    auto const lost = metric(gateway, "sallyport_log_lines_dropped_total");
    requirements.require(lost == 0, "no line is lost", lost);
    auto const held = metric(gateway, "sallyport_buffered_bytes");
    requirements.require(held == 0, "no body is held", held);
}

int soak_gateway(Options const& options) {
    boost::asio::io_context upstream_loop{1};
    boost::asio::io_context client_loop{1};
    soak::FaultyUpstream upstream{upstream_loop, {}, options.seed};
    test::Gateway gateway{configuration(options, upstream.port())};
    auto const descriptors_before = descriptors(gateway);

    Load load{client_loop, gateway.port(), options.connections};
    Usage usage;
    boost::asio::co_spawn(client_loop, conduct(options, load, usage, gateway.id()),
                          boost::asio::detached);

    std::thread upstream_thread{[&] { upstream_loop.run(); }};
    client_loop.run();

    Requirements requirements;
    auto const is_as_before = [&] { return descriptors(gateway) == descriptors_before; };
    requirements.require(comes_true(is_as_before), "all descriptors are closed",
                         descriptors_before);
    upstream_loop.stop();
    upstream_thread.join();
    auto clients = load.clients.counts();
    std::cout << "        over HTTP/1.1: " << clients.requests << " requests\n";
    clients.add(load.http2_clients.counts());
    auto const& tunnels = load.tunnels.counts();
    judge(requirements, clients, upstream.counts());
    judge_tunnels(requirements, tunnels, upstream.counts());
    judge_metrics(requirements, gateway, clients.requests + tunnels.handshakes);
    usage.judge(requirements);
    for (auto const& [reason, count] : clients.by_reason)
        std::cout << "        " << reason << ": " << count << '\n';
    requirements.require(gateway.is_running() && gateway.stop() == 0, "the gateway exits normally",
                         0);
    return requirements.all_met() ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    CLI::App app{"Soaks the gateway in front of an upstream that fails now and then"};
    Options options;
    app.add_option("--seconds", options.seconds, "how long")->check(CLI::Range(10, 86'400));
    app.add_option("--share", options.share, "of its maximum rate")->check(CLI::Range(0.05, 1.0));
    app.add_option("--connections", options.connections,
                   "half of them of HTTP/1.1, half streams of HTTP/2; a twentieth as many "
                   "WebSockets beside them")
        ->check(CLI::Range(2, 10'000));
    app.add_option("--workers", options.workers, "of the gateway")->check(CLI::Range(1, 256));
    app.add_option("--seed", options.seed, "of the faults");
    app.footer("Example:\n  soak --seconds 1200");
    CLI11_PARSE(app, argc, argv);
    try {
        return soak_gateway(options);
    } catch (std::exception const& exception) {
        std::cerr << "soak: " << exception.what() << '\n';
        return 1;
    }
}
