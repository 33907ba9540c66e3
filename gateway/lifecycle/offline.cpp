// Checks a configuration and its contracts without the machine that runs them: see offline.h.
#include "gateway/lifecycle/offline.h"

#include "config/load.h"
#include "config/tables.h"
#include "config/text.h"
#include "gateway/lifecycle/compile.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <variant>

#include <unistd.h>

namespace sallyport::lifecycle {

namespace {

void add_file(CheckedOffline& out, config::File const& file) {
    out.not_checked.push_back({file.origin, "the file " + config::in_quotes(file.path)});
}

void add_left_open(CheckedOffline& out, std::vector<config::LeftOpen>& left_open) {
    for (auto& one : left_open)
        out.not_checked.push_back({std::move(one.origin), std::move(one.references)});
}

void add_pair(CheckedOffline& out, config::Certificate const& certificate) {
    // A missing path has been left open, and is reported as that.
    for (auto const* const file : {&certificate.certificate, &certificate.private_key})
        if (!file->path.empty()) add_file(out, *file);
}

// Of assertions.
void add_key(CheckedOffline& out, std::optional<config::CallerFields> const& told) {
    if (told && told->assertion && told->assertion->key) add_file(out, *told->assertion->key);
}

// Files that exist only on the gateway's machine, and its addresses.
void add_what_machines_have(CheckedOffline& out, config::Authenticators authenticators) {
    for (auto const& listener : out.config.listeners) {
        if (!listener.address.ip.empty())
            out.not_checked.push_back({listener.address_origin, "whether it can be bound"});
        if (!listener.tls) continue;
        for (auto const& certificate : listener.tls->certificates)
            add_pair(out, certificate);
        auto const& clients = listener.tls->client_certificates;
        for (auto const& file : {clients.ca, clients.crl})
            if (file && !file->path.empty()) add_file(out, *file);
    }
    if (out.config.admin)
        out.not_checked.push_back({out.config.admin->address_origin, "whether it can be bound"});
    for (auto const& upstream : out.config.upstreams) {
        if (upstream.tls.ca) add_file(out, *upstream.tls.ca);
        if (upstream.tls.certificate) add_pair(out, *upstream.tls.certificate);
        add_key(out, upstream.identity);
        if (auto const* const token = std::get_if<config::UpstreamTokenFile>(&upstream.credential))
            add_file(out, token->file);
    }
    for (auto const& api : out.config.apis) {
        add_key(out, api.identity);
        for (auto const& [of, settings] : api.settings)
            for (auto const& file : config::referred_of(of, settings, authenticators).files)
                if (!file.path.empty()) add_file(out, file);
    }
    if (auto const* const log = std::get_if<config::File>(&out.config.access_log.output))
        out.not_checked.push_back({log->origin, "the folder of " + config::in_quotes(log->path)});
}

// The APIs whose contract, its overlays, or the schemas that it refers to are not known.
std::set<std::string> forget_open_contracts(config::Config& config,
                                            std::vector<config::LeftOpen> const& left_open) {
    std::set<std::string> unknown;
    for (auto& api : config.apis) {
        auto const is_open = [&](std::string_view key) {
            auto const path = config::yaml::join_key(api.origin.path, key);
            return std::any_of(left_open.begin(), left_open.end(),
                               [&path](auto const& one) { return one.origin.path == path; });
        };
        auto const overlays = config::yaml::join_key(api.origin.path, "overlays") + '[';
        bool const has_open_overlay =
            std::any_of(left_open.begin(), left_open.end(), [&overlays](auto const& one) {
                return one.origin.path.starts_with(overlays);
            });
        bool const has_open_folder = is_open("schemas") || is_open("contract_folder");
        if (is_open("contract") || has_open_folder || has_open_overlay) {
            api.contract.reset();
            unknown.insert(api.name);
        }
    }
    return unknown;
}

// If the hosts of an API are not known, or what its paths begin with, its overlaps are not known.
void forget_open_hosts(config::Config& config, std::vector<config::LeftOpen> const& left_open) {
    for (auto& api : config.apis) {
        auto const path = config::yaml::join_key(api.origin.path, "hosts") + '[';
        auto const mount = config::yaml::join_key(api.origin.path, "mount");
        bool const is_open =
            std::any_of(left_open.begin(), left_open.end(), [&](auto const& one) {
                return one.origin.path.starts_with(path) || one.origin.path == mount;
            });
        if (is_open) api.hosts = {"not known: " + api.name}; // an impossible host, unlike any other
    }
}

void read_credentials(CheckedOffline& out, compile::Read const& config,
                      config::Tables const& tables, config::Resolver const& resolver,
                      config::yaml::Problems& problems) {
    auto const& file = out.config.credentials.file;
    if (!file) return;
    auto const is_there = [](config::File const& one) {
        return ::access(one.path.c_str(), R_OK) == 0;
    };
    auto const& users = out.config.credentials.htpasswd;
    bool const has_users = !users || is_there(*users);
    if (!has_users) add_file(out, *users);
    if (!is_there(*file)) return add_file(out, *file);
    auto const with_users =
        has_users ? config::WithHtpasswd::read : config::WithHtpasswd::not_there;
    auto read = config::load_credentials(out.config, tables, resolver, with_users);
    out.has_all_credentials = !read.has_errors() && read.left_open.empty() && has_users
                              && config.unknown_contracts.empty();
    problems.insert(problems.end(), read.problems.begin(), read.problems.end());
    add_left_open(out, read.left_open);
    out.credentials = std::move(read.credentials);
    static_cast<void>(compile::credentials(config, out.credentials, out.apis, problems));
    if (!read.has_errors() && read.left_open.empty())
        compile::roles(config, read.roles, out.apis, problems);
}

void sort_by_place(std::vector<NotChecked>& not_checked) {
    std::stable_sort(not_checked.begin(), not_checked.end(), [](auto const& a, auto const& b) {
        auto const key = [](NotChecked const& one) {
            auto const& mark = one.origin.mark;
            return std::tuple{mark.file_name(), mark.line, mark.column};
        };
        return key(a) < key(b);
    });
}

} // namespace

CheckedOffline check_offline(std::string const& path, config::Tables const& tables) {
    auto const resolver = config::offline_resolver();
    auto read = config::load_config(path, tables, resolver);
    CheckedOffline out;
    out.config = std::move(read.config);
    add_what_machines_have(out, tables.authenticators());
    auto const unknown = forget_open_contracts(out.config, read.left_open);
    forget_open_hosts(out.config, read.left_open);
    add_left_open(out, read.left_open);

    observe::RedactionList redaction;
    for (std::string const& member : out.config.redact.members)
        redaction.add(member);
    for (auto const& except : out.config.redact.except)
        redaction.add_exception(except.name);
    compile::Read const as_read{out.config, read.problems, tables.authenticators(), nullptr,
                                unknown};
    config::yaml::Problems problems;
    std::vector<std::string> files; // which nothing watches here
    out.apis = compile::apis(as_read, {redaction, files, problems});
    compile::check_exceptions(out.config, redaction, problems);
    read_credentials(out, as_read, tables, resolver, problems);
    config::yaml::remove_consequences(problems, read.problems);
    out.problems = std::move(read.problems);
    out.problems.insert(out.problems.end(), problems.begin(), problems.end());
    compile::put_in_order(out.problems);
    sort_by_place(out.not_checked);
    return out;
}

} // namespace sallyport::lifecycle
