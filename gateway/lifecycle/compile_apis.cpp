// Compiles the APIs of a configuration: their contracts, levels, hosts and prefixes, and checks for
// common paths.
#include "gateway/lifecycle/compile.h"

#include "config/load.h"
#include "config/text.h"
#include "gateway/contract/path_clash.h"
#include "gateway/http/characters.h"
#include "gateway/http/forward_fields.h"
#include "gateway/lifecycle/written_fields.h"
#include "gateway/text/host_pattern.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

namespace sallyport::lifecycle::compile {

namespace {

using config::yaml::Severity;
using pipeline::Api;

// Whether its upstream gets the cookies of clients.
bool gets_cookies(config::Api const& from, Read const& read) {
    return from.forward_cookies
           || config::are_left_to_upstream(read.authenticators, from.authenticate);
}

// A contract's rule for a field is pointless if the upstream gets another value, or none.
std::optional<config::yaml::Problem> judge_declared_field(config::Api const& from, Read const& read,
                                                          contract::Parameter const& parameter) {
    config::Origin const origin{parameter.mark, parameter.document_path};
    switch (http::judge_declared_field(parameter.name)) {
    case http::DeclaredField::forwarded: return std::nullopt;
    case http::DeclaredField::forwarded_with_cookies:
        if (gets_cookies(from, read) || read.has_error_at(from.origin.path)) return std::nullopt;
        return config::problem_at(
            origin, "the API " + config::in_quotes(from.name) + " does not forward cookies",
            "remove the parameter, or write forward_cookies: true for the API");
    case http::DeclaredField::written_by_gateway: break;
    }
    return judge_written_field(parameter);
}

// A cookie that is dropped never reaches the upstream: a required one makes the operation useless.
std::optional<config::yaml::Problem> judge_cookie(config::Api const& from, Read const& read,
                                                  contract::Parameter const& parameter) {
    if (gets_cookies(from, read) || read.has_error_at(from.origin.path)) return std::nullopt;
    config::Origin const origin{parameter.mark, parameter.document_path};
    auto problem =
        config::problem_at(origin,
                           std::string{parameter.required ? "the API " : "is not checked: the API "}
                               + config::in_quotes(from.name) + " does not forward cookies"
                               + (parameter.required ? ", and this one is required" : ""),
                           "write forward_cookies: true for the API, or remove the parameter");
    if (!parameter.required) problem.severity = Severity::warning;
    return problem;
}

void check_declared_fields(config::Api const& from, Read const& read,
                           contract::Contract const& contract, Problems& problems) {
    std::set<std::string> seen; // several operations may share one parameter
    for (auto const& operation : contract.operations()) {
        for (auto const& parameter : operation.cookie_parameters) {
            auto problem = judge_cookie(from, read, parameter);
            if (problem && seen.insert(parameter.document_path).second)
                problems.push_back(std::move(*problem));
        }
        for (auto const& parameter : operation.header_parameters) {
            auto problem = judge_declared_field(from, read, parameter);
            if (problem && seen.insert(parameter.document_path).second)
                problems.push_back(std::move(*problem));
        }
    }
}

// `[a] or [b]`: what an API may have in `authenticate` to know its callers.
std::string lists_of_callers(config::Authenticators authenticators) {
    std::vector<std::string> lists;
    for (auto const* const one : authenticators) {
        if (one->accepts == config::Accepts::callers)
            lists.push_back('[' + std::string{one->name} + ']');
    }
    std::vector<std::string_view> const words{lists.begin(), lists.end()};
    return config::list_of(words);
}

// A gateway that forwards unknown operations must authenticate their callers.
void check_unknown_operations(config::Api const& from, Read const& read, Problems& problems) {
    bool const is_for_everybody =
        config::accept_every_client(read.authenticators, from.authenticate)
        && !config::are_left_to_upstream(read.authenticators, from.authenticate);
    if (from.unknown_operations == config::UnknownOperations::refuse || !is_for_everybody) return;
    problems.push_back(config::problem_at(
        from.origin,
        "unknown_operations: forward is for callers with credentials, and this API "
        "has none",
        "write authenticate: " + lists_of_callers(read.authenticators)
            + ", or unknown_operations: refuse"));
}

// What is said of WebSockets would be without effect.
void check_websockets(config::Api const& from, contract::Contract const& contract,
                      Problems& problems) {
    auto const& operations = contract.operations();
    bool const opens_any =
        std::any_of(operations.begin(), operations.end(),
                    [](contract::Operation const& one) { return one.upgrade != nullptr; });
    if (!from.websocket || opens_any || from.upgrades_to_websocket) return;
    problems.push_back(
        config::problem_at(from.websocket->origin, "no operation of the contract opens a WebSocket",
                           "write x-upgrade: websocket at those that do, or remove it"));
}

// Whether the value of a key of the API is known: it was not refused, and neither was an unknown
// key that may have been meant to be it.
bool is_known(std::string_view key, config::Api const& from, Read const& read) {
    std::array<std::string_view, 1> const name{key};
    auto const& api = from.origin.path;
    return std::none_of(read.refused.begin(), read.refused.end(), [&](auto const& problem) {
        if (!problem.path.starts_with(api + '.')) return false;
        auto const path = std::string_view{problem.path}.substr(api.size() + 1);
        return config::nearest(path.substr(0, path.find('[')), name).has_value();
    });
}

// Whether all overlays can be read. Without one of them nothing is known of the contract.
bool add_overlays(config::Api const& from, Read const& read, contract::LoadOptions& options,
                  Problems& problems) {
    bool is_whole = is_known("overlays", from, read);
    for (config::File const& overlay : from.overlays) {
        // Read once more while the contract is loaded: a load during which a file changes is
        // discarded.
        auto const file = config::read_file(overlay.path, config::yaml::max_file_size);
        options.overlays.push_back(overlay.path);
        if (file.problem.empty()) continue;
        problems.push_back(config::unreadable(overlay, file.problem));
        is_whole = false;
    }
    return is_whole;
}

void load_contract(config::Api const& from, Read const& read, Api& api,
                   FoundInContracts const& found) {
    Problems& problems = found.problems;
    contract::LoadOptions options;
    options.folder = std::filesystem::path{from.contract->path}.parent_path().string();
    if (from.unsupported == config::Unsupported::unchecked)
        options.unsupported = contract::Unsupported::unchecked;
    bool has_folder = is_known("schemas", from, read) && is_known("contract_folder", from, read);
    if (from.schemas) {
        std::error_code ignored;
        if (!std::filesystem::is_directory(from.schemas->path, ignored)) {
            has_folder = false;
            problems.push_back(config::problem_at(from.schemas->origin, "no such folder",
                                                  "write the path of a folder"));
        }
        options.schema_folders.push_back(from.schemas->path);
    }
    if (from.contract_folder) {
        options.outer_folder = from.contract_folder->path;
        if (!contract::is_inside(*options.folder, *options.outer_folder)) {
            problems.push_back(config::problem_at(from.contract_folder->origin,
                                                  "is no folder that contains the contract",
                                                  "write the path of one around it"));
            has_folder = false;
        }
    }
    bool const has_overlays = add_overlays(from, read, options, problems);
    auto const file = config::read_file(from.contract->path, config::yaml::max_file_size);
    if (!file.problem.empty()) {
        problems.push_back(config::unreadable(*from.contract, file.problem));
        return;
    }
    if (!has_overlays) return;
    auto const& path = from.contract->path;
    auto loaded = read.contracts != nullptr
                      ? read.contracts->load(file.text, path, options)
                      : contract::Contract::load_text(file.text, path, options);
    found.files.insert(found.files.end(), loaded.files.begin(), loaded.files.end());
    if (!has_folder) {
        std::erase_if(loaded.problems, [](config::yaml::Problem const& problem) {
            return problem.path.ends_with(R"(["$ref"])");
        });
    }
    problems.insert(problems.end(), loaded.problems.begin(), loaded.problems.end());
    if (!loaded.contract) return;
    api.contract = std::move(loaded.contract);
    check_declared_fields(from, read, *api.contract, problems);
    check_unknown_operations(from, read, problems);
    check_websockets(from, *api.contract, problems);
    for (std::string const& member : api.contract->secret_members())
        found.redaction.add_alone(member);
    rules(from, read, api, problems);
    security(from, read, api, problems);
}

// Below `prefix`, and the path without its last slash: another spelling, not another API.
void add_prefix(std::vector<std::string>& prefixes, std::string const& prefix) {
    prefixes.push_back(prefix);
    if (prefix.size() > 1) prefixes.push_back(prefix.substr(0, prefix.size() - 1));
}

// Which paths the API takes, and which of those that no other API takes.
void set_prefixes(config::Api const& from, Api& api) {
    for (auto const& path : from.paths)
        api.paths.push_back(api.mount + path.path);
    api.prefixes = api.paths;
    if (!api.contract) return;
    // What the upstream does not get, every path has.
    auto const base = api.mount + from.upstream_path.strip_prefix;
    if (!api.mount.empty()) {
        add_prefix(api.prefixes, base + '/');
    } else {
        for (std::string const& prefix : api.contract->owned_prefixes())
            add_prefix(api.prefixes, prefix);
        if (api.forwards_unknown()) add_prefix(api.rest, base + '/');
    }
}

contract::MountedContract mounted(Api const& api) {
    return {*api.contract, api.mount};
}

// A path of the contract that a request under one of the prefixes can match.
std::optional<contract::PathClash> find_path_under_any(Api const& api,
                                                       std::vector<std::string> const& prefixes) {
    for (std::string const& prefix : prefixes) {
        if (auto path = contract::find_path_under(mounted(api), prefix))
            return contract::PathClash{std::move(*path), prefix};
    }
    return std::nullopt;
}

// What passes without the contract must be none of what it enforces.
void check_paths_beside_contract(config::Api const& from, Api const& api, Problems& problems) {
    if (!api.contract || !api.levels.enforces_any()) return;
    auto const clash = find_path_under_any(api, api.paths);
    if (!clash) return;
    auto const at = std::find(api.paths.begin(), api.paths.end(), clash->right) - api.paths.begin();
    problems.push_back(config::problem_at(
        from.paths[static_cast<std::size_t>(at)].origin,
        "would let pass unchecked what the contract has: " + clash->left,
        "write a path that no path of the contract is below, or unknown_operations: forward for "
        "all that the contract does not have"));
}

std::unique_ptr<Api> compile_api(config::Api const& from, std::size_t index, Read const& read,
                                 FoundInContracts const& found) {
    auto api = std::make_unique<Api>();
    api->index = index;
    api->name = from.name;
    api->hosts = from.hosts;
    if (!from.addresses.is_empty())
        api->addresses = std::make_unique<text::AddressRules const>(from.addresses);
    api->upstream = from.upstream;
    api->body_limit = read.config.limits.body.bytes;
    api->forward_cookies = gets_cookies(from, read);
    if (from.refusals == config::Refusals::problem)
        api->problem_members = pipeline::ProblemMembers::standard;
    if (from.trailing_slash == config::TrailingSlash::same)
        api->trailing_slash = pipeline::TrailingSlash::same;
    if (from.encoded_slashes == config::EncodedSlashes::pass)
        api->encoded_slashes = pipeline::EncodedSlashes::pass;
    if (from.empty_segments == config::EmptySegments::pass)
        api->empty_segments = pipeline::EmptySegments::pass;
    if (from.unknown_operations == config::UnknownOperations::forward)
        api->unknown_operations = pipeline::UnknownOperations::forward;
    api->methods = from.methods;
    for (std::string const& method : from.methods) {
        if (!api->allow.empty()) api->allow += ", ";
        api->allow += method;
    }
    api->upgrades_to_websocket = from.upgrades_to_websocket;
    if (from.websocket) api->websocket = std::make_unique<config::WebSocket const>(*from.websocket);
    api->authenticate = from.authenticate;
    api->settings = from.settings;
    api->mount = from.mount;
    api->is_fallback = from.fallback == config::Fallback::yes;
    api->response_sample = from.responses.sample;
    if (from.contract) load_contract(from, read, *api, found);
    set_prefixes(from, *api);
    check_paths_beside_contract(from, *api, found.problems);
    api->edge = edge(from, read, *api, found.problems);
    return api;
}

// Whether every path of `inner` belongs to `outer`.
bool contains(std::string_view outer, std::string_view inner) {
    return outer == inner || (outer.ends_with('/') && inner.starts_with(outer));
}

std::string in_lower_case(std::string_view path) {
    std::string lower{path};
    std::transform(lower.begin(), lower.end(), lower.begin(), http::to_lower);
    return lower;
}

// Whether some path may begin with a prefix of both, in any letter case, because an upstream may
// ignore case.
bool have_common_prefix(Api const& left, Api const& right) {
    return std::any_of(left.prefixes.begin(), left.prefixes.end(), [&](std::string const& one) {
        auto const lower = in_lower_case(one);
        return std::any_of(right.prefixes.begin(), right.prefixes.end(),
                           [&](std::string const& other) {
                               auto const other_lower = in_lower_case(other);
                               return contains(lower, other_lower) || contains(other_lower, lower);
                           });
    });
}

// What a request of two APIs could match: two operations, or an operation of one and what the other
// passes through. The configuration's reader has refused two pass-throughs of one prefix.
std::optional<contract::PathClash> find_clash(Api const& left, Api const& right) {
    std::optional<contract::PathClash> clash;
    if (left.contract && right.contract)
        clash = contract::find_clash(mounted(left), mounted(right));
    if (!clash && left.contract) clash = find_path_under_any(left, right.paths);
    if (!clash && right.contract) clash = find_path_under_any(right, left.paths);
    return clash;
}

void warn_of_two_rests(Api const& first, Api const& second, config::Origin const& origin,
                       Problems& problems) {
    bool const is_first = text::compare_hosts(first.hosts, second.hosts) == text::HostOverlap::same
                          && first.rest == second.rest;
    if (!is_first) return;
    auto problem = config::problem_at(
        origin,
        "takes what no other API has, as " + config::in_quotes(first.name)
            + " does, which stands first: this one only gets what begins like its own paths",
        "mount each below a path of its own, or give them different hosts");
    problem.severity = Severity::warning;
    problems.push_back(std::move(problem));
}

// Whether one of them has what the other one leaves, so that no request is one of both.
bool is_below_the_other(Api const& left, Api const& right) {
    return left.is_fallback != right.is_fallback
           || text::compare_hosts(left.hosts, right.hosts) == text::HostOverlap::ordered;
}

bool takes_what_is_left(Api const& api) {
    return api.is_fallback || !api.rest.empty();
}

// Two APIs of a common host: between which of them a request would be ambiguous, or which lie
// beside each other.
void compare(Api& left, Api& right, config::Origin const& origin, Problems& problems) {
    if (text::compare_hosts(left.hosts, right.hosts) == text::HostOverlap::none) return;
    bool const is_any_left = takes_what_is_left(left) || takes_what_is_left(right);
    if (!is_any_left && !have_common_prefix(left, right)) return;
    bool const have_contracts = left.contract || right.contract;
    if (!have_contracts && !is_any_left) return; // the longer prefix wins
    left.beside.push_back(&right);
    right.beside.push_back(&left);
    if (!left.rest.empty() && !right.rest.empty()) warn_of_two_rests(left, right, origin, problems);
    if (is_below_the_other(left, right)) return;
    auto const clash = find_clash(left, right);
    if (!clash) return;
    bool const has_plain = !left.contract || !right.contract;
    problems.push_back(config::problem_at(
        origin,
        "a request can be one of this API and of " + config::in_quotes(left.name) + ": "
            + clash->left + " and " + clash->right + " can match the same path",
        std::string{"give them different hosts, or paths that no request can match both of"}
            + (has_plain ? ", or write fallback: yes for the one without a contract"
                         : ", or mount each below a path of its own")));
}

// A fallback has nothing where a contract has the beginnings of all its paths.
void check_fallback(config::Api const& from, Api const& api, Problems& problems) {
    if (!api.is_fallback) return;
    bool const is_needed = std::any_of(api.beside.begin(), api.beside.end(),
                                       [](Api const* other) { return other->contract != nullptr; });
    auto const add = [&](std::string what, std::string hint) {
        auto problem = config::problem_at(from.origin, std::move(what), std::move(hint));
        problem.severity = Severity::warning;
        problems.push_back(std::move(problem));
    };
    if (!is_needed) {
        add("is a fallback, and no contract has a host of it", "remove fallback");
        return;
    }
    auto const owns_all = [&api](Api const* other) {
        auto const contains_all = [other](std::string const& path) {
            return std::any_of(other->prefixes.begin(), other->prefixes.end(),
                               [&path](auto const& owned) { return contains(owned, path); });
        };
        bool const is_everywhere = other->hosts.empty() || other->hosts == api.hosts;
        return !other->is_fallback && is_everywhere
               && std::all_of(api.paths.begin(), api.paths.end(), contains_all);
    };
    auto const owner = std::find_if(api.beside.begin(), api.beside.end(), owns_all);
    if (owner == api.beside.end()) return;
    add("is a fallback that no request can reach: the API " + config::in_quotes((*owner)->name)
            + " has all that begins like its paths",
        "give them different hosts, or mount the contract below a path of its own");
}

} // namespace

std::vector<std::unique_ptr<Api>> apis(Read const& read, FoundInContracts const& found) {
    std::vector<std::unique_ptr<Api>> apis;
    for (auto const& from : read.config.apis) {
        apis.push_back(compile_api(from, apis.size(), read, found));
        for (std::size_t i = 0; i + 1 < apis.size(); ++i)
            compare(*apis[i], *apis.back(), from.origin, found.problems);
    }
    for (auto const& api : apis)
        check_fallback(read.config.apis[api->index], *api, found.problems);
    check_caller_fields(read, apis, found.problems);
    check_left_credentials(read, apis, found.problems);
    return apis;
}

} // namespace sallyport::lifecycle::compile
