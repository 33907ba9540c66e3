// Compiles the rules of an API: the levels of its contract, and the settings of single operations.
#include "config/load.h"
#include "config/text.h"
#include "gateway/lifecycle/compile.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace sallyport::lifecycle::compile {

namespace {

using config::OperationRule;
using contract::Operation;
using pipeline::Api;
using pipeline::OperationSettings;

contract::Level level_of(config::Level level) {
    switch (level) {
    case config::Level::enforce: return contract::Level::enforce;
    case config::Level::report: return contract::Level::report;
    case config::Level::off: break;
    }
    return contract::Level::off;
}

contract::Lists lists_of(config::Lists lists) {
    switch (lists) {
    case config::Lists::strict: return contract::Lists::strict;
    case config::Lists::decoded: return contract::Lists::decoded;
    case config::Lists::both: break;
    }
    return contract::Lists::both;
}

// `/v1/items/*`: all below `/v1/items/`.
bool has_path(Operation const& operation, std::string_view path) {
    if (!path.ends_with("/*")) return operation.path == path;
    path.remove_suffix(1);
    return operation.path.starts_with(path) && operation.path.size() > path.size();
}

bool has_tag(Operation const& operation, std::string_view tag) {
    auto const& tags = operation.tags;
    return std::find(tags.begin(), tags.end(), tag) != tags.end();
}

bool fits(Operation const& operation, OperationRule const& rule) {
    return (!rule.operation || operation.id == *rule.operation)
           && (!rule.tag || has_tag(operation, *rule.tag))
           && (!rule.method || operation.method == *rule.method)
           && (!rule.path || has_path(operation, *rule.path));
}

// A selector of a rule with the value that it has, and those that it may have.
struct Selector {
    std::string_view what; // "tag"
    std::string const& value;
    std::set<std::string_view> known;
};

// That there is no operation with this value; nothing, if there is one.
std::optional<config::yaml::Problem> judge(Selector const& selector, OperationRule const& rule) {
    if (selector.known.contains(selector.value)) return std::nullopt;
    std::vector<std::string_view> const known{selector.known.begin(), selector.known.end()};
    std::string const what = selector.what == "operation" ? "the contract has no operation "
                                                          : "no operation of the contract has the "
                                                                + std::string{selector.what} + ' ';
    return config::problem_at(rule.origin, what + config::in_quotes(selector.value),
                              config::suggestion(selector.value, known));
}

// Why a rule fits no operation.
config::yaml::Problem why_nothing_fits(contract::Contract const& contract,
                                       OperationRule const& rule) {
    std::set<std::string_view> ids, tags, methods, paths;
    for (auto const& operation : contract.operations()) {
        ids.insert(operation.id);
        tags.insert(operation.tags.begin(), operation.tags.end());
        methods.insert(operation.method);
        if (!rule.path || !rule.path->ends_with("/*"))
            paths.insert(operation.path);
        else if (has_path(operation, *rule.path))
            paths.insert(*rule.path);
    }
    std::optional<config::yaml::Problem> problem;
    if (rule.operation) problem = judge({"operation", *rule.operation, ids}, rule);
    if (!problem && rule.tag) problem = judge({"tag", *rule.tag, tags}, rule);
    if (!problem && rule.method) problem = judge({"method", *rule.method, methods}, rule);
    if (!problem && rule.path) problem = judge({"path", *rule.path, paths}, rule);
    if (problem) return std::move(*problem);
    return config::problem_at(rule.origin, "no operation fits all that this rule names",
                              "write a rule for each of them");
}

template <class T>
void replace(std::optional<T>& old, std::optional<T> const& by) {
    if (by) old = by;
}

bool says_more_than_level(OperationRule const& rule) {
    auto const& times = rule.timeouts;
    return !rule.authenticate.empty() || rule.upstream || rule.body_limit || rule.retry || rule.lists
           || times.connect || times.first_byte || times.idle || times.total
           || rule.log_bodies.requests || rule.log_bodies.responses;
}

void apply(OperationRule const& rule, Read const& read, OperationSettings& settings) {
    replace(settings.upstream, rule.upstream);
    if (rule.body_limit) settings.body_limit = rule.body_limit->bytes;
    replace(settings.timeouts.connect, rule.timeouts.connect);
    replace(settings.timeouts.first_byte, rule.timeouts.first_byte);
    replace(settings.timeouts.idle, rule.timeouts.idle);
    replace(settings.timeouts.total, rule.timeouts.total);
    replace(settings.retry, rule.retry);
    if (rule.lists) settings.lists = lists_of(*rule.lists);
    replace(settings.log_bodies.requests, rule.log_bodies.requests);
    replace(settings.log_bodies.responses, rule.log_bodies.responses);
    if (rule.authenticate.empty()) return;
    settings.authenticate = rule.authenticate;
    settings.is_public = config::accept_every_client(read.authenticators, rule.authenticate);
}

} // namespace

void rules(config::Api const& from, Read const& read, Api& api, Problems& problems) {
    std::vector<contract::LevelOverride> overrides;
    std::vector<OperationRule const*> origins; // of the overrides
    for (auto const& rule : from.rules) {
        bool is_used = false;
        for (auto const& operation : api.contract->operations()) {
            if (!fits(operation, rule)) continue;
            is_used = true;
            if (rule.level) {
                overrides.push_back({operation.id, rule.rule.value_or(""), level_of(*rule.level)});
                origins.push_back(&rule);
            }
            if (!says_more_than_level(rule)) continue;
            api.operations.resize(api.contract->operations().size());
            apply(rule, read, api.operations[operation.index]);
            api.authenticates_by_operation |= !rule.authenticate.empty();
        }
        if (!is_used) problems.push_back(why_nothing_fits(*api.contract, rule));
    }
    auto compiled = contract::LevelTable::compile(
        *api.contract,
        {level_of(from.requests), level_of(from.responses.level), level_of(from.read_only)},
        overrides);
    for (auto const& problem : compiled.problems) {
        problems.push_back(
            config::problem_at(origins[problem.index]->origin, problem.what, problem.hint));
    }
    api.levels = std::move(compiled.table);
    api.lists = lists_of(from.lists);
}

} // namespace sallyport::lifecycle::compile
