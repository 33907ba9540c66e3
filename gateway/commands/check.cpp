// `sallyport check`: see check.h.
#include "gateway/commands/check.h"

#include "gateway/lifecycle/compile.h"

#include <memory>
#include <ostream>

namespace sallyport::commands {

namespace {

std::string count(std::size_t number, std::string_view noun) {
    return std::to_string(number).append(" ").append(noun).append(number == 1 ? "" : "s");
}

std::string summary(config::Config const& config) {
    return count(config.listeners.size(), "listener") + ", "
           + count(config.upstreams.size(), "upstream") + ", " + count(config.apis.size(), "API");
}

} // namespace

int run_check(CheckOptions const& options, std::ostream& out) {
    lifecycle::Keepsakes const keepsakes{.ticket_keys = std::make_shared<net::TicketKeys>(),
                                         .generation = 1};
    auto compiled = lifecycle::load(options.config, keepsakes);
    bool const is_right = compiled.snapshot != nullptr && compiled.obstacles.empty();
    compiled.problems.insert(compiled.problems.end(), compiled.obstacles.begin(),
                             compiled.obstacles.end());
    config::yaml::sort_by_place(compiled.problems);
    if (options.format == Format::json) {
        out << R"({"ok":)" << (is_right ? "true" : "false")
            << ",\"problems\":" << json_problems(compiled.problems) << "}\n";
    } else {
        print_problems(out, compiled.problems);
        if (is_right) {
            out << options.config << ": right (" << summary(compiled.snapshot->config) << ")\n";
        }
    }
    return is_right ? 0 : 1;
}

} // namespace sallyport::commands
