// A worker with one client's connection in memory and the upstreams of a scripted pool, with a
// configuration loaded as the gateway does.
#pragma once

#include "gateway/serve/connection.h"
#include "gateway/serve/serve.h"
#include "plugins/registry.h"
#include "tests/support/encodings.h"
#include "tests/unit/net/harness.h"
#include "tests/unit/support/plugin_doubles.h"
#include "tests/unit/support/scripted_pool.h"
#include "tests/unit/support/snapshot.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::serve::test {

using namespace std::chrono_literals;
using lifecycle::test::secret;
using lifecycle::test::Sections;
using net::test::MemoryStream;
using net::test::run_ready;
using net::test::run_until;
using upstream::test::Kept;

/// The objects that a worker's connections use.
struct ServeFixture {
    explicit ServeFixture(Sections const& sections = {}, std::size_t ring_size = 1UL << 20,
                          std::uint64_t budget_size = 1UL << 24)
        : budget{budget_size}, ring{ring_size, wake_up} {
        pipeline::test::Scripted::reset();
        auto const known = plugins::registry();
        rows.assign(known.begin(), known.end());
        rows.push_back({"scripted", pipeline::Phase::transform, pipeline::test::make_scripted});
        auto wrapped = std::make_shared<WorkerSnapshot>();
        wrapped->snapshot = lifecycle::test::load(folder, sections);
        for (auto const& api : wrapped->snapshot->apis.all())
            wrapped->pipelines.push_back(std::make_unique<pipeline::Pipeline>(*api, rows));
        wrapped->pools.push_back(pool);
        wrapped->upstream_metrics.push_back(&worker.metrics.upstream("up"));
        worker.current = wrapped;
    }
    ~ServeFixture() {
        worker.loop.end();
        ::close(control_descriptor);
    }

    /// As of a listener that only redirects; none: of one that serves.
    std::optional<std::uint16_t> redirect;

    /// A connection of its own, served until its client or the gateway ends it.
    MemoryStream& connect() {
        auto memory = std::make_unique<MemoryStream>(worker.loop);
        client = memory.get();
        serve_stream(std::move(memory));
        return *client;
    }
    void serve_stream(std::unique_ptr<net::Stream> stream) {
        pipeline::ClientConnection facts;
        facts.address = "192.0.2.1";
        facts.listener = "public";
        facts.counted_as = facts.address;
        facts.caller = pipeline::caller_of_address(facts.address);
        facts.redirect = redirect;
        connection = std::make_shared<Connection>(worker, std::move(stream), std::move(facts));
        has_ended = false;
        net::test::start(worker.loop, serve_connection(connection), &has_ended);
    }
    void wait_for_end() {
        run_until(worker.loop, [this] { return has_ended; });
    }
    /// The bytes that a client receives on a connection of its own, which it closes after its
    /// request.
    std::string exchange(std::string_view request) {
        connect();
        client->receive(request);
        run_ready(worker.loop);
        client->receive_end();
        wait_for_end();
        return client->sent();
    }

    /// Whole lines of the access log.
    std::vector<std::string> log() const {
        std::string text;
        for (auto const part : ring.readable())
            text += part;
        std::vector<std::string> lines;
        for (std::size_t at = 0; at < text.size();) {
            auto const end = text.find('\n', at);
            lines.push_back(text.substr(at, end - at));
            at = end + 1;
        }
        return lines;
    }
    bool has_logged(std::string_view member) const {
        auto const lines = log();
        return std::any_of(lines.begin(), lines.end(), [member](std::string const& line) {
            return line.find(member) != std::string::npos;
        });
    }
    /// The control log.
    std::string control_text() const {
        std::string text(1UL << 16, '\0');
        auto const size = ::pread(control_descriptor, text.data(), text.size(), 0);
        text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
        return text;
    }

    sallyport::test::TemporaryFolder folder;
    int control_descriptor = ::memfd_create("control log", MFD_CLOEXEC);
    net::Budget budget;
    observe::LogWakeUp wake_up{-1};
    observe::LogRing ring;
    observe::ControlLog control_log{control_descriptor};
    ExchangeLimits exchange_limits{100, 100};
    WorkerState worker{3, budget, exchange_limits, {}, ring, control_log};
    std::shared_ptr<upstream::test::ScriptedPool> pool =
        std::make_shared<upstream::test::ScriptedPool>(worker.loop);
    std::vector<pipeline::PluginRow> rows;
    std::shared_ptr<Connection> connection;
    MemoryStream* client = nullptr;
    bool has_ended = true;
};

inline std::string with_credential(std::string_view line, std::string_view fields = {}) {
    return std::string{line} + " HTTP/1.1\r\nHost: api.example\r\nAuthorization: Basic "
           + sallyport::test::base64("tester:" + std::string{secret}) + "\r\n" + std::string{fields}
           + "\r\n";
}
inline std::string put_json(std::string_view body, std::string_view path = "/v1/items/1",
                            std::string_view fields = {}) {
    return with_credential("PUT " + std::string{path},
                           "Content-Type: application/json\r\nContent-Length: "
                               + std::to_string(body.size()) + "\r\n" + std::string{fields})
           + std::string{body};
}

inline constexpr std::string_view fine =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{\"a\":1}";

/// The number of responses with this status.
inline std::size_t count_responses(std::string_view sent, std::string_view status) {
    auto const begin = "HTTP/1.1 " + std::string{status};
    std::size_t count = 0;
    for (auto at = sent.find(begin); at != std::string_view::npos; at = sent.find(begin, at + 1))
        ++count;
    return count;
}

} // namespace sallyport::serve::test
