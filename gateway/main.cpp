// The command line of the gateway: from the words of the operator to the function that does it.
#include "config/yaml.h"
#include "gateway/accept/server.h"
#include "gateway/commands/commands.h"
#include "gateway/lifecycle/compile.h"
#include "plugins/registry.h"

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>
#include <memory>
#include <string>

namespace {

using namespace sallyport;

/// 0: drained. 1: the configuration is not right, or the gateway could not start, or exchanges were
/// cut off.
int run(std::string const& path) {
    auto const compiled = lifecycle::load(
        path, {.ticket_keys = std::make_shared<net::TicketKeys>(), .generation = 1});
    for (auto const& problem : compiled.problems) {
        auto const is_error = problem.severity == config::yaml::Severity::error;
        std::cerr << (is_error ? "error: " : "warning: ") << config::yaml::describe(problem)
                  << '\n';
    }
    if (!compiled.snapshot) return 1;
    observe::ControlLog control_log;
    accept::Server server{compiled.snapshot, plugins::registry(), control_log};
    return server.run() == accept::Ended::drained ? 0 : 1;
}

void add_run_command(CLI::App& app, int& exit_code) {
    auto* const command = app.add_subcommand(
        "run", "Serve. SIGTERM drains and ends, SIGUSR1 opens the access log anew.");
    auto const path = std::make_shared<std::string>();
    command->add_option("-c,--config", *path, "The configuration file")->required();
    command->footer("Example:\n  sallyport run -c /etc/sallyport/sallyport.yaml");
    command->callback([path, &exit_code] { exit_code = run(*path); });
}

} // namespace

int main(int argc, char** argv) {
    try {
        CLI::App app{"Sallyport: an authenticating reverse proxy and API gateway"};
        app.name("sallyport");
        app.require_subcommand(1);
        int exit_code = 0;
        add_run_command(app, exit_code);
        commands::add_commands(app, exit_code);
        try {
            app.parse(argc, argv);
        } catch (CLI::ParseError const& error) {
            // 2: the words make no command. Help that was asked for is no error.
            return app.exit(error) == 0 ? 0 : 2;
        }
        return exit_code;
    } catch (std::exception const& exception) {
        std::cerr << "sallyport: " << exception.what() << '\n';
        return 1;
    }
}
