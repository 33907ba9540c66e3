// `sallyport credential list`: who may call, and what; never a hash.
#include "gateway/commands/credential.h"

#include "config/load.h"
#include "config/tables.h"
#include "config/units.h"

#include <chrono>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace sallyport::commands {

namespace {

using config::Credential;
using Clock = std::chrono::system_clock;

std::vector<std::string> allowed(Credential const& credential) {
    std::vector<std::string> out;
    if (credential.allow.extent == config::Allowed::all) return {"all"};
    for (auto const& operation : credential.allow.operations) {
        out.push_back(operation.api + '/'
                      + (operation.operation.empty() ? "*" : operation.operation));
    }
    for (auto const& api : credential.allow.apis)
        out.push_back(api.api);
    for (auto const& parameter : credential.allow.parameters) {
        for (auto const& value : parameter.values)
            out.push_back(parameter.name + '=' + value);
    }
    return out;
}

bool is_expired(Credential const& credential) {
    return credential.expires && *credential.expires <= Clock::now();
}

bool is_early(Credential const& credential) {
    return credential.not_before && Clock::now() < *credential.not_before;
}

std::string moment_or_null(std::optional<Clock::time_point> const& moment) {
    return moment ? json_string(config::format_date_time(*moment)) : "null";
}

void print_json(std::ostream& out, std::vector<Credential> const& credentials) {
    out << "{\"credentials\":[";
    for (std::size_t i = 0; i < credentials.size(); ++i) {
        Credential const& credential = credentials[i];
        auto const& identity = credential.identity;
        out << (i > 0 ? "," : "") << "{\"name\":" << json_string(credential.name)
            << ",\"kind\":" << json_string(identity.authenticator->name)
            << ",\"key_id\":" << json_string_or_null(identity.key_id) << ",\"allow\":[";
        std::string separator;
        for (std::string const& permission : allowed(credential)) {
            out << separator << json_string(permission);
            separator = ",";
        }
        out << "],\"not_before\":" << moment_or_null(credential.not_before)
            << ",\"expires\":" << moment_or_null(credential.expires)
            << ",\"expired\":" << (is_expired(credential) ? "true" : "false")
            << ",\"disabled\":" << (credential.disabled ? "true" : "false") << '}';
    }
    out << "]}\n";
}

void print_text(std::ostream& out, std::vector<Credential> const& credentials) {
    for (Credential const& credential : credentials) {
        auto const& identity = credential.identity;
        out << credential.name << "\n  " << identity.authenticator->name;
        if (!identity.key_id.empty())
            out << ", " << identity.authenticator->identity->unique.noun << ' ' << identity.key_id;
        out << "\n  may:";
        for (std::string const& permission : allowed(credential))
            out << ' ' << permission;
        out << '\n';
        if (credential.disabled) out << "  DISABLED\n";
        if (is_early(credential)) {
            out << "  NOT VALID before " << config::format_date_time(*credential.not_before)
                << '\n';
        }
        if (credential.expires) {
            out << (is_expired(credential) ? "  EXPIRED " : "  expires ")
                << config::format_date_time(*credential.expires) << '\n';
        }
    }
}

} // namespace

int run_credential_list(ListOptions const& options, config::Tables const& tables, std::ostream& out,
                        std::ostream& err) {
    auto const read = config::load_config(options.config, tables);
    print_problems(err, read.problems);
    if (read.has_errors()) return 1;
    auto const credentials = config::load_credentials(read.config, tables);
    print_problems(err, credentials.problems);
    if (credentials.has_errors()) return 1;
    if (options.format == Format::json) {
        print_json(out, credentials.credentials);
    } else {
        print_text(out, credentials.credentials);
    }
    return 0;
}

} // namespace sallyport::commands
