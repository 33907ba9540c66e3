// Probes, and the data of /proc.
#include "tests/hostile/greedy_stage.h"

#include "tests/hostile/crowd.h"
#include "tests/support/admin.h"
#include "tests/support/machine.h"
#include "tests/support/operations.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <unistd.h>

namespace sallyport::test {
namespace {

// To the upstream: kept connections are not leaks.
constexpr std::size_t kept_connections = 4;

Configuration configure(RecordingUpstream const& upstream, std::string const& limits,
                        std::string const& connections) {
    auto configuration = standard_configuration(upstream);
    auto const more =
        "connections: { " + connections + ", idle: " + std::to_string(kept_connections) + " }";
    configuration.upstreams = upstream_yaml("management", upstream.endpoint(), more)
                              + upstream_yaml("observability", upstream.endpoint(), more);
    configuration.listeners += "  - name: plain\n    address: 127.0.0.1:0\n    tls: off\n";
    configuration.apis += "  files: { paths: [\"/blob/\"], upstream: management, authenticate: "
                          "[basic] }\n"
                          "  open: { paths: [\"/open/\"], upstream: management, authenticate: "
                          "[anonymous] }\n";
    configuration.limits = "  connections_per_address: 20000\n" + limits;
    configuration.rest += admin_section;
    return configuration;
}

std::filesystem::path in_proc(pid_t process, char const* file) {
    return "/proc/" + std::to_string(process) + "/" + file;
}

// The time within which half of the requests of other clients must get their response.
// ThreadSanitizer makes the same work take ten times as long.
std::chrono::milliseconds usual_wait() {
    return std::chrono::seconds{sanitizers() == "thread" ? 10 : 1};
}

// Any request may coincide with a pause in which a busy machine runs neither of the two processes. A
// crowd that delays other clients does so as long as it is connected: half of their requests show it.
std::chrono::milliseconds longest_wait() {
    return usual_wait() * 5;
}

} // namespace

bool measures_memory() {
    return is_at_full_scale() && sanitizers().empty();
}

bool comes_true(std::function<bool()> const& predicate) {
    Event never;
    for (TimeLimit const limit{std::chrono::seconds{15}}; !limit.has_passed();) {
        if (predicate()) return true;
        never.wait(-1, TimeLimit{std::chrono::milliseconds{20}});
    }
    return predicate();
}

bool is_at_full_scale() {
    auto const* requested = std::getenv("SALLYPORT_HOSTILE_SCALE");
    return requested != nullptr && std::string_view{requested} == "1";
}

std::size_t scaled(std::size_t number) {
    return is_at_full_scale() ? number : number / 10;
}

std::size_t resident_bytes(pid_t process) {
    std::istringstream statm{read_file(in_proc(process, "statm"))};
    std::size_t size = 0;
    std::size_t resident = 0;
    statm >> size >> resident;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::size_t open_descriptors(pid_t process) {
    std::filesystem::directory_iterator const all{in_proc(process, "fd")};
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

std::chrono::milliseconds processor_time(pid_t process) {
    auto const stat = read_file(in_proc(process, "stat"));
    // After the name, which may contain anything: the 12th and 13th word are ticks.
    std::istringstream words{stat.substr(stat.rfind(')') + 1)};
    std::string skipped;
    for (int i = 0; i < 11; ++i)
        words >> skipped;
    long in_user = 0;
    long in_kernel = 0;
    words >> in_user >> in_kernel;
    return std::chrono::milliseconds{(in_user + in_kernel) * 1000 / ::sysconf(_SC_CLK_TCK)};
}

Probe::Probe(std::uint16_t port) : Probe(port, request_for("getPipe").text()) {}

Probe::Probe(std::uint16_t port, std::string request)
    : port_(port), request_(std::move(request)), thread_([this] { send_until_stopped(); }) {}

Probe::~Probe() {
    stop_.set();
    if (thread_.joinable()) thread_.join();
}

// Empty if the response was valid.
std::string Probe::send_once(std::unique_ptr<RawClient>& kept, bool on_new_connection) const {
    try {
        if (!on_new_connection && !kept) kept = std::make_unique<RawClient>(port_, without_tls());
        auto const response =
            on_new_connection ? fetch(port_, request_, without_tls()) : kept->exchange(request_);
        return response.status == 200 ? "" : response.head + response.body;
    } catch (std::exception const& error) {
        kept.reset();
        return error.what();
    }
}

void Probe::send_until_stopped() {
    std::unique_ptr<RawClient> kept;
    do {
        auto const begun = std::chrono::steady_clock::now();
        auto const problem = send_once(kept, ++sent_ % 2 == 0);
        auto const took = std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::steady_clock::now() - begun);
        times_.push_back(took);
        if (problem_.empty()) problem_ = problem;
    } while (stop_.wait(-1, TimeLimit{std::chrono::milliseconds{10}}) == Waited::time_limit);
}

void Probe::stop_and_check() {
    auto const times = stop_and_list();
    CHECK(median_of(times) < usual_wait());
    CHECK(times.back() < longest_wait());
}

std::chrono::milliseconds Probe::stop_and_measure() {
    return median_of(stop_and_list());
}

std::vector<std::chrono::milliseconds> Probe::stop_and_list() {
    stop_.set();
    thread_.join();
    CHECK(problem_ == "");
    std::sort(times_.begin(), times_.end());
    return std::move(times_);
}

GreedyStage::GreedyStage(std::string const& limits, RecordingUpstream::Script script,
                         std::string const& connections)
    : upstream(std::move(script)), gateway(configure(upstream, limits, connections)) {
    warm_up();
}

void GreedyStage::warm_up() {
    // Memory that is kept for later connections is not a leak: a well-behaved crowd comes first.
    for (int round = 0; round < (measures_memory() ? 3 : 1); ++round) {
        Crowd crowd{port(), scaled(1000)};
        crowd.queue(request_for("updatePipeSettings").set("Connection", "close").text());
        CHECK(crowd.run_until([&] { return crowd.ended() == crowd.size(); }, TimeLimit{}));
    }
    // Waits until the memory of this burst has been freed.
    resident_before = resident_bytes(gateway.id());
    Event never;
    for (auto earlier = resident_before + 1; measures_memory() && resident_before < earlier;) {
        earlier = resident_before;
        never.wait(-1, TimeLimit{std::chrono::milliseconds{1500}});
        resident_before = resident_bytes(gateway.id());
    }
    descriptors_before = open_descriptors(gateway.id());
}

std::size_t GreedyStage::buffered_bytes() const {
    auto const bytes = metrics_of(gateway)["sallyport_buffered_bytes"];
    if (bytes < 0) throw std::runtime_error("no sallyport_buffered_bytes");
    return static_cast<std::size_t>(bytes);
}

void GreedyStage::finish() {
    constexpr std::size_t tolerance = 4UL << 20;
    auto const id = gateway.id();
    CHECK(comes_true([&] { return buffered_bytes() == 0; }));
    comes_true([&] { return open_descriptors(id) <= descriptors_before + kept_connections; });
    CHECK(open_descriptors(id) <= descriptors_before + kept_connections);
    if (measures_memory()) {
        comes_true([&] { return resident_bytes(id) <= resident_before + tolerance; });
        CHECK(resident_bytes(id) <= resident_before + tolerance);
    }
    CHECK(gateway.stop() == 0);
}

} // namespace sallyport::test
