// The program: the command line, and `run`, which serves.
#include "config/tables.h"
#include "config/yaml.h"
#include "gateway/accept/fetch_events.h"
#include "gateway/accept/server.h"
#include "gateway/commands/command_line.h"
#include "gateway/fetch/fetcher.h"
#include "gateway/lifecycle/compile.h"
#include "plugins/registry.h"

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

namespace {

using namespace sallyport;

// Keys and credentials are in memory, and a core file would contain them. One byte instead
// of zero: no core file fits into either limit, but core(5) does not enforce 0 for a
// program that core_pattern pipes cores to, while with 1 the kernel detects such a
// program's own crash and writes nothing. Only the soft limit: prlimit(1) may raise it for
// diagnosis.
void forbid_core_files() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_CORE, &limit) != 0) return;
    limit.rlim_cur = std::min<rlim_t>(1, limit.rlim_max);
    ::setrlimit(RLIMIT_CORE, &limit);
}

// glibc keeps freed chunks of up to 128 bytes apart, and merges all of them with their neighbours
// each time that a large one is freed. Reading a file of credentials frees both in turn, and
// would spend a fifth of its time on that: mallopt(3), M_MXFAST. What a thread soon needs again
// stays in its own cache.
void merge_freed_chunks_at_once() {
    ::mallopt(M_MXFAST, 0);
}

// 0: drained. 1: the configuration is invalid, or the gateway could not start, or exchanges were
// cut off.
int run(std::string const& path, config::Tables const& tables,
        accept::CommandLine const& command_line) {
    // Before anything that takes time: a predecessor may end meanwhile, and only its sockets keep
    // connections from being refused.
    auto inheritance = accept::take_inheritance();
    auto const ticket_keys = std::make_shared<net::TicketKeys>();
    auto const contracts = std::make_shared<lifecycle::ContractCache>();
    observe::ControlLog control_log;
    auto const fetcher =
        std::make_shared<fetch::Fetcher>([&control_log](fetch::RefreshEvent const& event) {
            accept::log_refresh(control_log, event);
        });
    auto const keys = std::make_shared<jose::KeySources>();
    auto const kept = std::make_shared<config::KeptValues>();
    auto const loaded = std::chrono::system_clock::now();
    auto const compiled = lifecycle::load(path, tables,
                                          {.ticket_keys = ticket_keys,
                                           .generation = 1,
                                           .contracts = contracts,
                                           .fetcher = fetcher,
                                           .keys = keys,
                                           .kept = kept});
    std::vector<std::string> warnings;
    for (auto const& problem : compiled.problems) {
        auto const is_error = problem.severity == config::yaml::Severity::error;
        // describe() marks warnings itself.
        warnings.push_back(config::yaml::describe(problem));
        std::cerr << (is_error ? "error: " : "") << warnings.back() << '\n';
    }
    if (!compiled.snapshot) return 1;
    accept::Server server{{path, tables, compiled.snapshot, loaded, ticket_keys, contracts, fetcher,
                           keys, plugins::registry(), command_line, std::move(inheritance), kept,
                           std::move(warnings)},
                          control_log};
    return server.run() == accept::Ended::drained ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    forbid_core_files();
    merge_freed_chunks_at_once();
    try {
        accept::CommandLine const command_line{argc, argv};
        config::Tables const tables{plugins::authenticators()};
        return commands::run_command_line(argc, argv, tables, [&](std::string const& path) {
            return run(path, tables, command_line);
        });
    } catch (std::exception const& exception) {
        std::cerr << "sallyport: " << exception.what() << '\n';
        return 1;
    }
}
