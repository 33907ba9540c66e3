// `sallyport reload`: see reload.h.
#include "gateway/commands/reload.h"

#include "config/load.h"
#include "gateway/commands/gateway_process.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <csignal>
#include <cstring>
#include <ostream>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <unistd.h>

namespace sallyport::commands {

namespace {

namespace json = boost::json;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds between_looks{50};

struct Request {
    pid_t pid = 0;
    Clock::time_point when;
    std::string problem; // why it could not be requested
};

struct Result {
    json::value attempt;
    std::string problem; // why there is none
};

Request send_reload(std::optional<config::Address> const& address, ReloadOptions const& options) {
    pid_t pid = options.pid.value_or(0);
    if (!options.pid) {
        auto const [page, problem] = get_admin_page(*address, "/status");
        if (!problem.empty()) {
            return {{},
                    {},
                    "the gateway does not respond at " + address->ip + " port "
                        + std::to_string(address->port) + ": " + problem};
        }
        pid = json::parse(page).at("pid").to_number<pid_t>();
    }
    // A process of another user cannot be inspected, and not be signalled either.
    if (pid <= 1 || !is_gateway(pid)) {
        return {{},
                {},
                "process " + std::to_string(pid)
                    + " is no gateway of this machine, or one of another user"};
    }
    auto const when = Clock::now();
    if (::kill(pid, SIGHUP) != 0) {
        return {
            {}, {}, "process " + std::to_string(pid) + " cannot be told: " + std::strerror(errno)};
    }
    return {pid, when, {}};
}

// The requested attempt once it has completed; null before.
json::value attempt_in(std::string const& page, Request const& request) {
    auto const status = json::parse(page);
    auto const& configuration = status.at("configuration").as_object();
    auto attempt = configuration.at("last_attempt").as_object();
    std::chrono::microseconds const began{
        attempt.at("began_monotonic_us").to_number<std::int64_t>()};
    if (began
        < std::chrono::duration_cast<std::chrono::microseconds>(request.when.time_since_epoch())) {
        return nullptr;
    }
    attempt["generation"] = configuration.at("generation");
    return attempt;
}

// Waits until it has completed. An admin listener that the reload itself moves responds only
// afterwards.
Result wait_for_result(config::Address const& address, Request const& request,
                       std::chrono::seconds limit) {
    auto const end = request.when + limit;
    std::string last = "it has not finished";
    while (Clock::now() < end) {
        auto const [page, problem] = get_admin_page(address, "/status");
        if (!problem.empty()) {
            last = problem;
        } else if (auto attempt = attempt_in(page, request); !attempt.is_null()) {
            return {std::move(attempt), {}};
        }
        if (::kill(request.pid, 0) != 0 && errno == ESRCH) return {{}, "the gateway has ended"};
        std::this_thread::sleep_for(between_looks);
    }
    return {{}, "no result in " + std::to_string(limit.count()) + " s: " + last};
}

int print(json::value const& attempt, Format format, std::ostream& out) {
    bool const adopted = attempt.at("adopted").as_bool();
    auto const generation = attempt.at("generation").to_number<std::uint64_t>();
    auto const& problems = attempt.at("problems").as_array();
    if (format == Format::json) {
        out << json::serialize(
            json::object{{"adopted", adopted}, {"generation", generation}, {"problems", problems}})
            << '\n';
        return adopted ? 0 : 1;
    }
    for (auto const& problem : problems)
        out << std::string_view{problem.as_string()} << '\n';
    out << (adopted ? "reloaded: generation " : "rejected: still serving generation ") << generation
        << '\n';
    return adopted ? 0 : 1;
}

} // namespace

int run_reload(ReloadOptions const& options, config::Tables const& tables, std::ostream& out,
               std::ostream& err) {
    std::optional<config::Address> address;
    // Without the listener a known gateway can still be signalled; its control log has the result.
    bool const has_listener =
        options.admin.config.empty() || !options.pid
        || config::load_config(options.admin.config, tables).config.admin.has_value();
    if (has_listener) {
        address = find_admin(options.admin, tables, err);
        if (!address) return options.admin.config.empty() ? 2 : 1;
    }
    try {
        auto const request = send_reload(address, options);
        if (!request.problem.empty()) {
            err << request.problem << '\n';
            return 1;
        }
        if (!address) {
            err << options.admin.config
                << " has no admin listener: the gateway has been told, and its own log says what "
                   "came of it\n";
            return 0;
        }
        auto const result = wait_for_result(*address, request, options.limit);
        if (!result.problem.empty()) {
            err << result.problem << '\n';
            return 1;
        }
        return print(result.attempt, options.format, out);
    } catch (std::exception const& exception) {
        err << "what responds there is not a gateway of this version: " << exception.what() << '\n';
        return 1;
    }
}

} // namespace sallyport::commands
