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

// The values of each label that rules of the contract ask for.
std::map<std::string, Values> values_of_rules(contract::Contract const& contract) {
    std::map<std::string, Values> wanted;
    for (auto const& condition : contract.program().conditions)
        for (auto const& test : condition.tests)
            for (auto const& value : test.values)
                add(wanted[test.name], value);
    return wanted;
}

struct Held {
    contract::LabelValue value;
    std::string_view credential; // the first that has it
};

// The values that callers of the API have, by label: none where only tokens of an issuer have it.
std::map<std::string, std::vector<Held>>
values_of_callers(config::Api const& api, std::vector<config::Credential> const& credentials,
                  config::Authenticators authenticators) {
    std::map<std::string, std::vector<Held>> held;
    for (auto const& [of, settings] : api.settings)
        for (auto const& label : config::referred_of(of, settings, authenticators).labels)
            held[label.name];
    for (auto const& credential : credentials) {
        if (!may_call(credential, api.name)) continue;
        for (auto const& label : credential.labels) {
            auto& values = held[label.name];
            auto const is_it = [&](Held const& one) {
                return contract::is_same(one.value, label.value);
            };
            if (std::none_of(values.begin(), values.end(), is_it))
                values.push_back({label.value, credential.name});
        }
    }
    return held;
}

// The value that was probably meant: of nearly the same letters, or `true` for "true". Null: it is
// one of them, or another one, for which there are no rules.
contract::LabelValue const* meant_by(contract::LabelValue const& value, Values const& wanted) {
    auto const* const word = std::get_if<std::string>(&value);
    auto const is_it = [&](auto const& one) { return contract::is_same(one, value); };
    if (word == nullptr || std::any_of(wanted.begin(), wanted.end(), is_it)) return nullptr;
    auto const is_near = [word](contract::LabelValue const& one) {
        auto const* const other = std::get_if<std::string>(&one);
        auto const text = other == nullptr ? text_of(one) : *other;
        std::array<std::string_view, 1> const candidates{text};
        return config::nearest(*word, candidates).has_value();
    };
    auto const found = std::find_if(wanted.begin(), wanted.end(), is_near);
    return found == wanted.end() ? nullptr : &*found;
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
                                          std::vector<config::Credential> const& credentials,
                                          config::Authenticators authenticators) {
    config::yaml::Problems problems;
    for (std::size_t i = 0; i < config.apis.size(); ++i) {
        auto const& api = config.apis[i];
        if (!apis[i]->contract || !api.contract) continue;
        auto const warn = [&](std::string what, std::string hint) {
            problems.push_back(config::problem_at(api.contract->origin, std::move(what),
                                                  std::move(hint), Severity::warning));
        };
        auto const held = values_of_callers(api, credentials, authenticators);
        std::vector<std::string_view> without_callers;
        auto const wanted = values_of_rules(*apis[i]->contract);
        for (auto const& [label, values] : wanted) {
            auto const found = held.find(label);
            if (found == held.end()) {
                without_callers.push_back(label);
                continue;
            }
            for (auto const& one : found->second) {
                auto const* const meant = meant_by(one.value, values);
                if (meant == nullptr) continue;
                warn("the contract has rules for callers whose label " + label + " is "
                         + text_of(*meant) + "; that of the credential "
                         + config::in_quotes(one.credential) + " is " + text_of(one.value),
                     "write the same value if it is meant to be the same");
            }
        }
        if (without_callers.empty()) continue;
        warn("the contract has rules for callers with the label " + config::list_of(without_callers)
                 + ", and no caller of this API has it: these rules are not applied to any request",
             "write `labels` into the credentials of such callers; nothing is wrong if there are "
             "none");
    }
    return problems;
}

} // namespace sallyport::commands
