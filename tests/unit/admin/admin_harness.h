// The state of a gateway with one worker, one API and two endpoints, for tests of the pages.
#pragma once

#include "gateway/admin/facts.h"
#include "tests/support/certificates.h"
#include "tests/unit/support/snapshot.h"

#include <chrono>
#include <string>

namespace sallyport::admin::test {

using namespace std::chrono_literals;

inline std::string server_certificate() {
    auto const& server = sallyport::test::certificates().server;
    return "{ certificates: [ { certificate: \"" + server.certificate.string()
           + "\", private_key: \"" + server.private_key.string() + "\" } ] }";
}

struct FactsFixture {
    FactsFixture() {
        auto const epoch = std::chrono::system_clock::time_point{};
        facts.state = State::ready;
        facts.now = epoch + 24h * 365 * 60;
        facts.started = facts.now - 90s;
        facts.config_path = "/etc/sallyport/sallyport.yaml";
        facts.log_output = "/var/log/access.log";
        facts.snapshot = lifecycle::test::load(folder, {.tls = server_certificate()});
        reload.generation = 4;
        reload.adopted = 3;
        reload.rejected = 2;
        reload.last.problems = {"sallyport.yaml:1:1: no"};
        facts.reload = &reload;
        facts.listeners = {{"public", "127.0.0.1:8443"}, {"gone", "127.0.0.1:9"}};
        facts.endpoints.resize(1);
        facts.endpoints[0].resize(1);
        facts.workers = {&worker};
        facts.connections_open = 11;
        facts.connections_refused = 12;
        facts.buffered_bytes = 13;
        facts.buffered_bytes_limit = 14;
        facts.access_log.bytes_written = 15;
        facts.access_log.dropped_lines = 16;
        facts.control_lines_lost = 17;
        facts.clock_jumps = 18;
        facts.fetches[0] = 19;
        facts.fetches[static_cast<std::size_t>(fetch::Cause::timeout)] = 20;
    }

    sallyport::test::TemporaryFolder folder;
    lifecycle::ReloadStatus reload;
    observe::WorkerMetrics worker;
    Facts facts;
};

} // namespace sallyport::admin::test
