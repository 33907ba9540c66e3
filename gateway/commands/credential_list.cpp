// `sallyport credential list`: who may call, and what; never a hash.
#include "gateway/commands/admin_client.h"
#include "gateway/commands/credential.h"
#include "gateway/commands/last_uses.h"
#include "gateway/commands/rule_words.h"

#include "config/load.h"
#include "config/tables.h"
#include "config/units.h"

#include <chrono>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::commands {

namespace {

using config::Credential;
using Clock = std::chrono::system_clock;

std::string json_list(std::vector<std::string> const& words) {
    std::string out;
    for (std::string const& word : words)
        out += (out.empty() ? "" : ",") + json_string(word);
    return '[' + out + ']';
}

std::string json_of_denials(Credential const& credential) {
    std::string out;
    for (auto const& rule : credential.deny)
        out += (out.empty() ? "" : ",") + json_list(words_of(rule));
    return '[' + out + ']';
}

std::vector<std::string> names_of_roles(Credential const& credential) {
    std::vector<std::string> names;
    for (auto const& held : credential.roles)
        names.push_back(held.role->name);
    return names;
}

void print_line(std::ostream& out, std::string_view title, std::vector<std::string> const& words) {
    if (words.empty()) return;
    out << "  " << title << ':';
    for (std::string const& word : words)
        out << ' ' << word;
    out << '\n';
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

// Of each of its secrets: a time, or nothing.
LastUseTimes times_of(Credential const& credential, LastUsesPage const& page) {
    auto const found = page.by_name.find(credential.name);
    LastUseTimes times = found == page.by_name.end() ? LastUseTimes{} : found->second;
    // The file may have changed since the gateway has read it.
    times.resize(credential.identity().secrets.size());
    return times;
}

std::string json_of_last_use(Credential const& credential, LastUsesPage const* page) {
    if (page == nullptr) return "null";
    std::string out;
    for (auto const& time : times_of(credential, *page))
        out += (out.empty() ? "" : ",") + (time ? json_string(*time) : std::string{"null"});
    return '[' + out + ']';
}

void print_last_use(std::ostream& out, Credential const& credential, LastUsesPage const* page) {
    if (page == nullptr) return;
    auto const times = times_of(credential, *page);
    for (std::size_t i = 0; i < times.size(); ++i) {
        char const* const which = times.size() == 1 ? "" : i == 0 ? "first " : "second ";
        out << "  " << which << "secret: ";
        if (times[i]) {
            out << "last used " << *times[i] << '\n';
        } else {
            out << "not used since the gateway started, " << page->since << '\n';
        }
    }
}

void print_json(std::ostream& out, std::vector<Credential> const& credentials,
                LastUsesPage const* last_uses) {
    out << "{\"credentials\":[";
    for (std::size_t i = 0; i < credentials.size(); ++i) {
        Credential const& credential = credentials[i];
        auto const& identity = credential.identity();
        out << (i > 0 ? "," : "") << "{\"name\":" << json_string(credential.name)
            << ",\"kind\":" << json_string(identity.authenticator->name)
            << ",\"kinds\":" << json_list(config::kinds_of(credential))
            << ",\"key_id\":" << json_string_or_null(identity.key_id)
            << ",\"allow\":" << json_list(words_of(credential.allow))
            << ",\"deny\":" << json_of_denials(credential)
            << ",\"roles\":" << json_list(names_of_roles(credential))
            << ",\"not_before\":" << moment_or_null(credential.not_before)
            << ",\"expires\":" << moment_or_null(credential.expires)
            << ",\"expired\":" << (is_expired(credential) ? "true" : "false")
            << ",\"disabled\":" << (credential.disabled ? "true" : "false")
            << ",\"last_use\":" << json_of_last_use(credential, last_uses) << '}';
    }
    out << "]}\n";
}

void print_text(std::ostream& out, std::vector<Credential> const& credentials,
                LastUsesPage const* last_uses) {
    for (Credential const& credential : credentials) {
        out << credential.name << '\n';
        for (auto const& identity : credential.identities) {
            out << "  " << identity.authenticator->name;
            if (!identity.key_id.empty())
                out << ", " << identity.authenticator->identity->unique.noun << ' '
                    << identity.key_id;
            out << '\n';
        }
        print_line(out, "may", words_of(credential.allow));
        print_line(out, "roles", names_of_roles(credential));
        for (auto const& rule : credential.deny)
            print_line(out, "may not", words_of(rule));
        if (credential.disabled) out << "  DISABLED\n";
        if (is_early(credential)) {
            out << "  NOT VALID before " << config::format_date_time(*credential.not_before)
                << '\n';
        }
        if (credential.expires) {
            out << (is_expired(credential) ? "  EXPIRED " : "  expires ")
                << config::format_date_time(*credential.expires) << '\n';
        }
        print_last_use(out, credential, last_uses);
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
    std::optional<LastUsesPage> last_uses;
    if (options.asks_for_last_use) {
        bool const is_named = !options.address.empty();
        auto const address =
            find_admin({options.address, is_named ? std::string{} : options.config}, tables, err);
        if (address) last_uses = fetch_last_uses(*address, err);
        if (!last_uses) return 1;
    }
    auto const* const page = last_uses ? &*last_uses : nullptr;
    if (options.format == Format::json) {
        print_json(out, credentials.credentials, page);
    } else {
        print_text(out, credentials.credentials, page);
    }
    return 0;
}

} // namespace sallyport::commands
