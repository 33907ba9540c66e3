// `sallyport check`: see check.h.
#include "gateway/commands/check.h"

#include "config/load.h"
#include "config/tables.h"
#include "config/text.h"
#include "gateway/commands/check_addresses.h"
#include "gateway/commands/check_warnings.h"
#include "gateway/commands/service_user.h"
#include "gateway/lifecycle/compile.h"
#include "gateway/lifecycle/offline.h"

#include <unistd.h>

#include <chrono>
#include <memory>
#include <optional>
#include <ostream>
#include <vector>

namespace sallyport::commands {

namespace {

using config::yaml::Problems;
using lifecycle::NotChecked;

std::string count(std::size_t number, std::string_view noun) {
    return std::to_string(number).append(" ").append(noun).append(number == 1 ? "" : "s");
}

std::string summary(config::Config const& config) {
    return count(config.listeners.size(), "listener") + ", "
           + count(config.upstreams.size(), "upstream") + ", " + count(config.apis.size(), "API");
}

struct Checked {
    bool is_right = false;
    Problems problems; // by place
    std::vector<NotChecked> not_checked;
    std::string summary;
};

void append(Problems& problems, Problems const& more) {
    problems.insert(problems.end(), more.begin(), more.end());
}

// Problems that a running gateway does not report.
void add_warnings(lifecycle::Compiled const& compiled, config::Tables const& tables,
                  Problems& problems) {
    auto const now = std::chrono::system_clock::now();
    auto const& config = compiled.snapshot->config;
    auto const& credentials = compiled.credentials;
    std::vector<pipeline::Api const*> apis;
    for (auto const& api : compiled.snapshot->apis.all())
        apis.push_back(api.get());
    append(problems, warn_of_expiry(credentials, now));
    append(problems, warn_of_hashes(credentials));
    append(problems, warn_of_conditions(config, apis, credentials, tables.authenticators()));
    append(problems, warn_of_certificates(config, now));
    append(problems, warn_of_client_certificates(config, tables.authenticators()));
    append(problems, warn_of_files(config, compiled.secret_files));
    append(problems, warn_of_passed_credentials(config, tables.authenticators()));
    append(problems, warn_of_cors(config, tables.authenticators()));
    append(problems, warn_of_security(config, apis, tables.authenticators()));
}

Checked check_with_machine(std::string const& path, config::Tables const& tables,
                           std::optional<ServiceUser> const& user) {
    lifecycle::CarriedOver const carried_over{.ticket_keys = std::make_shared<net::TicketKeys>(),
                                              .generation = 1,
                                              .compared = lifecycle::Compared::never};
    std::optional<InPlaceOf> in_place;
    if (user) in_place.emplace(*user);
    auto compiled = lifecycle::load(path, tables, carried_over);
    in_place.reset();
    Checked checked{compiled.snapshot != nullptr, std::move(compiled.problems), {}, {}};
    append(checked.problems, compiled.obstacles);
    if (compiled.snapshot != nullptr) {
        add_warnings(compiled, tables, checked.problems);
        append(checked.problems, check_addresses(compiled.snapshot->config, path));
        checked.summary = summary(compiled.snapshot->config);
    }
    checked.is_right = checked.is_right && !config::yaml::has_errors(checked.problems);
    config::yaml::sort_by_place(checked.problems);
    return checked;
}

Checked check_with_nothing(std::string const& path, config::Tables const& tables) {
    auto offline = lifecycle::check_offline(path, tables);
    Checked checked{!config::yaml::has_errors(offline.problems), std::move(offline.problems),
                    std::move(offline.not_checked), "offline: " + summary(offline.config)};
    append(checked.problems, warn_of_expiry(offline.credentials, std::chrono::system_clock::now()));
    append(checked.problems, warn_of_passed_credentials(offline.config, tables.authenticators()));
    append(checked.problems, warn_of_hashes(offline.credentials));
    append(checked.problems, warn_of_cors(offline.config, tables.authenticators()));
    if (checked.is_right) {
        std::vector<pipeline::Api const*> apis;
        for (auto const& api : offline.apis)
            apis.push_back(api.get());
        if (offline.has_all_credentials)
            append(checked.problems, warn_of_conditions(offline.config, apis, offline.credentials,
                                                        tables.authenticators()));
        append(checked.problems, warn_of_security(offline.config, apis, tables.authenticators()));
    }
    config::yaml::sort_by_place(checked.problems);
    return checked;
}

// In the form of problems, to be printed like them.
Problems as_problems(std::vector<NotChecked> const& not_checked) {
    Problems problems;
    for (auto const& one : not_checked)
        problems.push_back(config::problem_at(one.origin, one.what));
    return problems;
}

void print_json(Checked const& checked, CheckWith with, std::ostream& out) {
    out << R"({"ok":)" << (checked.is_right ? "true" : "false")
        << ",\"problems\":" << json_problems(checked.problems);
    if (with == CheckWith::nothing)
        out << ",\"not_looked_at\":" << json_places(as_problems(checked.not_checked));
    out << "}\n";
}

} // namespace

int run_check(CheckOptions const& options, config::Tables const& tables, std::ostream& out,
              std::ostream& err) {
    auto const user = options.user.empty() ? find_service_user(options.config)
                                           : find_user(options.user);
    if (!options.user.empty() && !user) {
        err << "--user: this machine has no user " << config::in_quotes(options.user) << '\n';
        return 2;
    }
    if (!options.user.empty() && ::geteuid() != 0 && ::geteuid() != user->id) {
        err << "--user: only root can check for another user; run it as root, or as "
            << options.user << '\n';
        return 2;
    }
    bool const is_another = user && ::geteuid() != user->id;
    auto const checked =
        options.with == CheckWith::nothing
            ? check_with_nothing(options.config, tables)
            : check_with_machine(options.config, tables, is_another ? user : std::nullopt);
    if (options.format == Format::json) {
        print_json(checked, options.with, out);
    } else if (options.format == Format::github) {
        print_annotations(out, checked.problems);
        print_notices(out, as_problems(checked.not_checked));
    } else {
        print_problems(out, checked.problems);
        for (auto const& one : as_problems(checked.not_checked))
            out << "not looked at: " << describe(one) << '\n';
        if (checked.is_right) out << options.config << ": OK (" << checked.summary << ")\n";
        // Root reads what this user does not, and would look for the problem elsewhere.
        if (!checked.is_right && is_another && options.with == CheckWith::machine)
            out << "read as the user " << user->name << ", as the service would\n";
    }
    return checked.is_right ? 0 : 1;
}

} // namespace sallyport::commands
