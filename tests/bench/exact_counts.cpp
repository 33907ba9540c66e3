// Counts the exact cost of a request for a worker's thread: system calls of our sockets, and
// allocations outside OpenSSL; compares both with tests/bench/ceilings.
#include "config/tables.h"
#include "gateway/accept/worker.h"
#include "gateway/lifecycle/compile.h"
#include "gateway/net/counters.h"
#include "plugins/registry.h"
#include "tests/support/configuration.h"
#include "tests/support/operations.h"
#include "tests/support/raw_client.h"
#include "tests/support/recording_upstream.h"
#include "tests/support/temporary_folder.h"

#include <boost/asio/post.hpp>

#include <arpa/inet.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <future>
#include <memory>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

// OpenSSL calls malloc itself: operator new is called by our code, or by a library that it uses.
constinit thread_local std::uint64_t allocations = 0;

void* allocate(std::size_t size, std::size_t alignment) {
    ++allocations;
    // aligned_alloc requires whole multiples (C17, 7.22.3.1).
    auto const rounded = (size + alignment - 1) / alignment * alignment;
    if (void* const memory = std::aligned_alloc(alignment, rounded)) return memory;
    throw std::bad_alloc{};
}

} // namespace

void* operator new(std::size_t size) {
    return allocate(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}

namespace {

using namespace sallyport;

constexpr std::size_t connections = 64;
constexpr std::size_t warm_up_rounds = 10;
constexpr std::size_t rounds = 20;
// The best of them counts: if the machine pauses for a second, connections become old meanwhile,
// and new ones are opened.
constexpr int windows = 3;

struct Counted {
    double system_calls = 0;
    double receives = 0; // of them; the poller's share depends on how busy the machine is
    double allocations = 0;
};

// A worker with everything that it shares, and a listening socket whose connections it gets.
class Fixture {
public:
    Fixture() {
        auto configuration = test::standard_configuration(upstream_);
        auto const file = folder_.write("sallyport.yaml", configuration.text());
        folder_.write("credentials.yaml", test::standard_credentials());
        auto compiled =
            lifecycle::load(file.string(), config::Tables{plugins::authenticators()},
                            {.ticket_keys = std::make_shared<net::TicketKeys>(), .generation = 1});
        if (!compiled.snapshot) throw std::runtime_error{"the configuration is not valid"};
        listener_ =
            std::make_shared<std::string const>(compiled.snapshot->listeners[0].config->name);
        worker_.emplace(0, std::move(compiled.snapshot), ring_, shared_);
        listen();
        worker_->start();
    }
    ~Fixture() { worker_->stop(); }
    Fixture(Fixture const&) = delete;
    Fixture& operator=(Fixture const&) = delete;

    // The handshake needs both sides: the client connects in a thread of its own.
    std::unique_ptr<test::RawClient> connect() {
        auto client = std::async(std::launch::async,
                                 [this] { return std::make_unique<test::RawClient>(port_); });
        net::FileDescriptor accepted{::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
        if (!accepted) throw std::runtime_error{"accept"};
        static_cast<void>(limits_.admit(address));
        net::Peer peer;
        peer.address = address;
        worker_->hand_over({std::move(accepted), std::move(peer), listener_, address});
        return client.get();
    }

    // Returns when so many requests wait at the upstream, which responds to them, and to all later
    // ones, from then on.
    void respond_when_there_are(std::size_t requests) {
        upstream_.wait_for_requests(requests);
        responses_.set();
    }

    // The counts of the worker's thread so far.
    std::pair<net::SystemCalls, std::uint64_t> counters() {
        std::promise<std::pair<net::SystemCalls, std::uint64_t>> promise;
        net::asio::post(worker_->loop().executor(), [&promise] {
            promise.set_value({net::system_calls(), allocations});
        });
        return promise.get_future().get();
    }

private:
    static constexpr char const* address = "127.0.0.1";

    void listen() {
        listening_ = net::FileDescriptor{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
        sockaddr_in local{};
        local.sin_family = AF_INET;
        local.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof local;
        auto* const generic = reinterpret_cast<sockaddr*>(&local);
        bool const is_open = ::bind(listening_.get(), generic, size) == 0
                             && ::listen(listening_.get(), static_cast<int>(connections)) == 0
                             && ::getsockname(listening_.get(), generic, &size) == 0;
        if (!is_open) throw std::runtime_error{"listen"};
        port_ = ntohs(local.sin_port);
    }

    test::TemporaryFolder folder_;
    test::Event responses_;
    test::RecordingUpstream upstream_{[this](test::UpstreamExchange& exchange) {
        exchange.wait(responses_);
        exchange.send(test::response_text("{}"));
    }};
    net::Budget buffered_bodies_{64 << 20};
    accept::ConnectionLimits limits_{1000, 1000};
    serve::ExchangeLimits exchange_limits_{1000, 1000};
    upstream::Resolver resolver_{[](std::string const&, std::string const&) {}};
    upstream::EndpointStates endpoint_states_{[](upstream::EndpointChange const&) {}};
    observe::ControlLog control_log_;
    pipeline::FailedAuthentication failed_{[](pipeline::BeganBlock const&) {}};
    pipeline::PasswordChecks passwords_{{}};
    fetch::Fetcher fetcher_;
    accept::Shared shared_{
        buffered_bodies_, limits_,    exchange_limits_, failed_,      resolver_,
        endpoint_states_, passwords_, fetcher_,         control_log_, plugins::registry()};
    observe::LogWakeUp wake_up_{-1};
    // Not read: it holds the lines of all requests.
    observe::LogRing ring_{64 << 20, wake_up_};
    std::shared_ptr<std::string const> listener_;
    net::FileDescriptor listening_;
    std::uint16_t port_ = 0;
    std::optional<accept::Worker> worker_;
};

using Clients = std::vector<std::unique_ptr<test::RawClient>>;

void send_all(Clients& clients, std::string const& request) {
    for (auto& client : clients)
        client->send(request);
}

void read_all(Clients& clients) {
    for (auto& client : clients) {
        auto const response = client->read_final_response();
        if (response.status != 200) throw std::runtime_error{response.body};
    }
}

void send_rounds(Clients& clients, std::string const& request, std::size_t count) {
    for (std::size_t round = 0; round < count; ++round) {
        send_all(clients, request);
        read_all(clients);
    }
}

Counted count_window(Fixture& fixture, Clients& clients, std::string const& request) {
    auto const before = fixture.counters();
    send_rounds(clients, request, rounds);
    auto const after = fixture.counters();
    auto const requests = static_cast<double>(rounds * connections);
    return {static_cast<double>(after.first.total() - before.first.total()) / requests,
            static_cast<double>(after.first.receives - before.first.receives) / requests,
            static_cast<double>(after.second - before.second) / requests};
}

Counted count(std::string const& operation) {
    Fixture fixture;
    Clients clients;
    for (std::size_t i = 0; i < connections; ++i)
        clients.push_back(fixture.connect());
    auto const request = test::request_for(operation).text();
    // All at once: the maximum of everything.
    send_all(clients, request);
    fixture.respond_when_there_are(connections);
    read_all(clients);
    send_rounds(clients, request, warm_up_rounds);
    auto best = count_window(fixture, clients, request);
    for (int window = 1; window < windows; ++window) {
        auto const counted = count_window(fixture, clients, request);
        best.system_calls = std::min(best.system_calls, counted.system_calls);
        best.receives = std::min(best.receives, counted.receives);
        best.allocations = std::min(best.allocations, counted.allocations);
    }
    return best;
}

double ceiling(std::string const& what, std::string const& kind) {
    std::ifstream file{SALLYPORT_SOURCE_FOLDER "/tests/bench/ceilings"};
    for (std::string line; std::getline(file, line);) {
        std::istringstream words{line};
        std::string a;
        std::string b;
        double value = 0;
        if (words >> a >> b >> value && a == what && b == kind) return value;
    }
    throw std::runtime_error{"no ceiling for " + what + " " + kind};
}

bool judge(char const* what, std::string const& kind, double counted) {
    auto const most = ceiling(what, kind);
    bool const is_good = counted <= most;
    std::printf("%s: %.3f %s a request, ceiling %g: %s\n", kind.c_str(), counted, what, most,
                is_good ? "good" : "TOO MANY");
    return is_good;
}

} // namespace

int main() {
    // The folder of the shipped contracts, for the configuration of tests.
    ::setenv("SALLYPORT_CONTRACTS", SALLYPORT_SOURCE_FOLDER "/config/contracts", 0);
    try {
        bool is_good = true;
        for (auto const& [kind, operation] :
             {std::pair<std::string, std::string>{"put", "updatePipeSettings"},
              {"post", "createService"},
              {"get", "listServiceBackups"}}) {
            auto const counted = count(operation);
            is_good = judge("system_calls", kind, counted.system_calls) && is_good;
            is_good = judge("receives", kind, counted.receives) && is_good;
            is_good = judge("allocations", kind, counted.allocations) && is_good;
        }
        return is_good ? 0 : 1;
    } catch (std::exception const& exception) {
        std::fprintf(stderr, "exact_counts: %s\n", exception.what());
        return 1;
    }
}
