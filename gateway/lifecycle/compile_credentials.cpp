// The credentials of a configuration: what each of them may do at each API.
#include "gateway/lifecycle/compile.h"

#include "config/text.h"

#include <algorithm>
#include <utility>

namespace sallyport::lifecycle::compile {

namespace {

using pipeline::Api;
using pipeline::Permissions;
using Apis = std::vector<std::unique_ptr<Api>>;

// Of a contract that did not load, or that is not named where it should be, nothing is known.
bool is_contract_known(Read const& read, Api const& api) {
    auto const& from = read.config.apis[api.index];
    return api.contract || (!from.contract && !read.has_error_at(from.origin.path));
}

void check_operation(Read const& read, config::AllowedOperation const& allowed, Apis const& apis,
                     Problems& problems) {
    auto const api = std::find_if(apis.begin(), apis.end(), [&](auto const& candidate) {
        return candidate->name == allowed.api;
    });
    if (api == apis.end()) return; // reported where the credentials were read
    if (!is_contract_known(read, **api)) return;
    auto const& contract = (*api)->contract;
    if (!contract) {
        if (allowed.operation.empty()) return;
        problems.push_back(config::problem_at(allowed.origin,
                                              "the API " + config::in_quotes(allowed.api)
                                                  + " has no contract, so it has no operations",
                                              "write it under `apis:`"));
        return;
    }
    if (allowed.operation.empty() || contract->find_operation(allowed.operation) != nullptr) return;
    std::vector<std::string_view> known;
    for (auto const& operation : contract->operations())
        known.emplace_back(operation.id);
    problems.push_back(config::problem_at(allowed.origin,
                                          "the contract of " + config::in_quotes(allowed.api)
                                              + " has no operation "
                                              + config::in_quotes(allowed.operation),
                                          config::suggestion(allowed.operation, known)));
}

void check_parameter(Read const& read, config::AllowedParameter const& allowed, Apis const& apis,
                     Problems& problems) {
    std::vector<std::string_view> known;
    for (auto const& api : apis) {
        if (!is_contract_known(read, *api)) return; // it may have the parameter
        if (!api->contract) continue;
        for (auto const& operation : api->contract->operations()) {
            for (auto const& name : operation.parameter_names) {
                if (name == allowed.name) return;
                if (std::find(known.begin(), known.end(), name) == known.end())
                    known.push_back(name);
            }
        }
    }
    // Where there is no contract, nothing can be said of parameters.
    if (known.empty()) return;
    problems.push_back(config::problem_at(
        allowed.origin, "no contract has a path parameter " + config::in_quotes(allowed.name),
        config::suggestion(allowed.name, known)));
}

// Every label that some contract asks of its callers; none where not all contracts are known.
std::vector<std::string_view> known_labels(Read const& read, Apis const& apis) {
    std::vector<std::string_view> known;
    for (auto const& api : apis) {
        if (!is_contract_known(read, *api)) return {};
        if (!api->contract) continue;
        auto const& names = api->contract->label_names();
        known.insert(known.end(), names.begin(), names.end());
    }
    return known;
}

// A misspelled label restricts no caller, and nothing else would report it. Only a warning: it may
// be meant for another gateway. If no contract uses labels, none is reported.
void check_label(config::Label const& label, std::vector<std::string_view> const& known,
                 Problems& problems) {
    if (known.empty() || std::find(known.begin(), known.end(), label.name) != known.end()) return;
    problems.push_back(config::problem_at(
        label.origin, "no rule of a contract asks for the label " + config::in_quotes(label.name),
        config::suggestion(label.name, known), config::yaml::Severity::warning));
}

// One credential at one API: the union of what is listed, within every restriction.
Permissions permissions_at(Api const& api, config::Credential const& credential,
                           contract::Labels const& labels) {
    Permissions permissions;
    auto const& allow = credential.allow;
    bool const unlimited = allow.extent == config::Allowed::all;
    bool const lists_nothing = allow.operations.empty() && allow.apis.empty();
    bool const names_api =
        std::any_of(allow.apis.begin(), allow.apis.end(),
                    [&](auto const& allowed) { return allowed.api == api.name; });
    if (unlimited || lists_nothing || names_api) {
        permissions.scope = Permissions::Scope::everything;
    }
    if (api.contract) {
        permissions.conditions = api.contract->conditions_for(labels);
        permissions.operations.resize(api.contract->operations().size());
    }
    for (auto const& allowed : allow.operations) {
        if (allowed.api != api.name || permissions.scope == Permissions::Scope::everything)
            continue;
        if (allowed.operation.empty()) {
            permissions.scope = Permissions::Scope::everything;
        } else if (auto const* const operation =
                       api.contract ? api.contract->find_operation(allowed.operation) : nullptr) {
            permissions.scope = Permissions::Scope::listed_operations;
            permissions.operations[operation->index] = true;
        }
    }
    if (unlimited) return permissions;
    for (auto const& parameter : allow.parameters) {
        pipeline::Restriction restriction{parameter.name, {}};
        for (auto const& value : parameter.values)
            restriction.values.emplace_back(value);
        permissions.restrictions.push_back(std::move(restriction));
    }
    return permissions;
}

contract::Labels labels_of(config::Credential const& credential) {
    contract::Labels labels;
    for (auto const& label : credential.labels)
        labels.push_back({label.name, label.value});
    return labels;
}

} // namespace

std::shared_ptr<pipeline::CredentialTable const>
credentials(Read const& read, std::vector<config::Credential> const& credentials, Apis const& apis,
            Problems& problems) {
    auto table = std::make_shared<pipeline::CredentialTable>();
    auto const labels_of_contracts = known_labels(read, apis);
    for (auto const& from : credentials) {
        for (auto const& operation : from.allow.operations)
            check_operation(read, operation, apis, problems);
        for (auto const& parameter : from.allow.parameters)
            check_parameter(read, parameter, apis, problems);
        for (auto const& label : from.labels)
            check_label(label, labels_of_contracts, problems);

        pipeline::Credential credential;
        auto& identity = credential.identity;
        identity.name = from.name;
        identity.labels = labels_of(from);
        credential.not_before = from.not_before;
        credential.expires = from.expires;
        credential.disabled = from.disabled;
        credential.place = from.origin.mark;
        for (auto const& api : apis)
            identity.permissions.push_back(permissions_at(*api, from, identity.labels));

        auto const& proof = from.identity;
        if (proof.keys.empty()) continue; // reported where the credentials were read
        if (!proof.secrets.empty())
            credential.digests = {proof.secrets.front(), proof.secrets.back()};
        credential.own = proof.own;
        table->add(proof.authenticator->name, proof.keys, std::move(credential));
    }
    return table;
}

} // namespace sallyport::lifecycle::compile
