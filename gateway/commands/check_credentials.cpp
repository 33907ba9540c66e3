// Part of `check`: credentials that expire, and rules that apply to no caller: see
// check_warnings.h.
#include "gateway/commands/check_warnings.h"

#include "config/text.h"
#include "config/units.h"
#include "gateway/contract/schema/program.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <utility>
#include <variant>

namespace sallyport::commands {

namespace {

using config::yaml::Severity;

bool may_call(config::Allow const& allow, std::string const& api) {
    if (allow.extent == config::Allowed::nothing) return false;
    if (allow.extent == config::Allowed::all || allow.names_nothing()) return true;
    auto const names_it = [&api](auto const& allowed) { return allowed.api == api; };
    return std::any_of(allow.operations.begin(), allow.operations.end(), names_it)
           || std::any_of(allow.apis.begin(), allow.apis.end(), names_it)
           || std::any_of(allow.tags.begin(), allow.tags.end(), names_it);
}

// What is denied is left out: a warning too few.
bool may_call(config::Credential const& credential, std::string const& api) {
    auto const& roles = credential.roles;
    return may_call(credential.allow, api)
           || std::any_of(roles.begin(), roles.end(), [&api](config::HeldRole const& held) {
                  return may_call(held.role->allow, api);
              });
}

std::string text_of(contract::LabelValue const& value) {
    if (auto const* const word = std::get_if<bool>(&value)) return *word ? "true" : "false";
    if (auto const* const integer = std::get_if<std::int64_t>(&value))
        return std::to_string(*integer);
    if (auto const* const number = std::get_if<double>(&value)) {
        std::array<char, 32> text{};
        std::snprintf(text.data(), text.size(), "%g", *number);
        return text.data();
    }
    return config::in_quotes(std::get<std::string>(value));
}

using Values = std::vector<contract::LabelValue>;

void add(Values& values, contract::LabelValue const& value) {
    bool const is_there = std::any_of(values.begin(), values.end(), [&](auto const& other) {
        return contract::is_same(other, value);
    });
    if (!is_there) values.push_back(value);
}

// The values that the contract requires and no caller of the API has, by label.
std::map<std::string, Values>
values_without_callers(config::Api const& api, contract::Contract const& contract,
                       std::vector<config::Credential> const& credentials) {
    std::map<std::string, Values> held;
    for (auto const& credential : credentials) {
        if (!may_call(credential, api.name)) continue;
        for (auto const& label : credential.labels)
            add(held[label.name], label.value);
    }
    std::map<std::string, Values> missing;
    for (auto const& condition : contract.program().conditions) {
        for (auto const& test : condition.tests) {
            auto const& there = held[test.name];
            for (auto const& value : test.values) {
                bool const is_held =
                    std::any_of(there.begin(), there.end(),
                                [&](auto const& other) { return contract::is_same(other, value); });
                if (!is_held) add(missing[test.name], value);
            }
        }
    }
    return missing;
}

} // namespace

config::yaml::Problems warn_of_expiry(std::vector<config::Credential> const& credentials,
                                      Time now) {
    config::yaml::Problems problems;
    for (auto const& credential : credentials) {
        if (!credential.expires || *credential.expires > now + soon) continue;
        auto const date = config::format_date_time(*credential.expires);
        bool const is_over = *credential.expires <= now;
        problems.push_back(
            config::problem_at(credential.origin,
                               "the credential " + config::in_quotes(credential.name)
                                   + (is_over ? " expired at " : " expires soon, at ") + date,
                               is_over ? "remove it, or write a later `expires`"
                                       : "write a later `expires` if it is to go on",
                               Severity::warning));
    }
    return problems;
}

config::yaml::Problems warn_of_hashes(std::vector<config::Credential> const& credentials) {
    struct Weak {
        config::Credential const* first = nullptr;
        std::size_t count = 0;
    };
    std::map<std::pair<std::string_view, secrets::Kind>, Weak> all;
    for (auto const& credential : credentials) {
        for (auto const& hash : credential.identity().secrets) {
            if (hash.strength() == secrets::Strength::enough) continue;
            auto& weak = all[{credential.origin.mark.file_name(), hash.kind()}];
            if (weak.count++ == 0) weak.first = &credential;
        }
    }
    config::yaml::Problems problems;
    for (auto const& [key, weak] : all) {
        auto const others = weak.count == 1
                                ? std::string{}
                                : ", and " + std::to_string(weak.count - 1) + " more of this file,";
        auto const kind = key.second;
        bool const is_slow = kind != secrets::Kind::apr1 && kind != secrets::Kind::sha1;
        problems.push_back(config::problem_at(
            weak.first->origin,
            config::in_quotes(weak.first->name) + others + " has a hash of "
                + std::string{to_string(kind)} + (is_slow ? " with parameters so low that" : ":")
                + " who reads this file guesses passwords quickly",
            "hash the password anew, with htpasswd -B -C 10 or `sallyport credential hash --kind "
            "argon2id`",
            Severity::warning));
    }
    return problems;
}

config::yaml::Problems warn_of_conditions(config::Config const& config,
                                          std::vector<pipeline::Api const*> const& apis,
                                          std::vector<config::Credential> const& credentials) {
    config::yaml::Problems problems;
    for (std::size_t i = 0; i < config.apis.size(); ++i) {
        auto const& api = config.apis[i];
        if (!apis[i]->contract || !api.contract) continue;
        std::string list;
        for (auto const& [label, values] :
             values_without_callers(api, *apis[i]->contract, credentials)) {
            std::vector<std::string> texts;
            for (auto const& value : values)
                texts.push_back(text_of(value));
            std::vector<std::string_view> const words{texts.begin(), texts.end()};
            list += (list.empty() ? "" : "; ") + label + ": " + config::list_of(words);
        }
        if (list.empty()) continue;
        problems.push_back(config::problem_at(
            api.contract->origin,
            "rules of x-when never apply: no credential that may call this API has " + list,
            "nothing is wrong if it has no such callers", Severity::warning));
    }
    return problems;
}

} // namespace sallyport::commands
