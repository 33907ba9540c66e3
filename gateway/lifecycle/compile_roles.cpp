// What authenticators name in their settings of an API: files, and roles of callers that are known
// only when they come.
#include "config/authenticator.h"
#include "config/text.h"
#include "gateway/lifecycle/compile_permissions.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::lifecycle::compile {

namespace {

using Declared = std::vector<std::shared_ptr<config::Role const>>;
using config::NamedAt;

bool has(std::vector<NamedAt> const& list, std::string_view name) {
    return std::any_of(list.begin(), list.end(),
                       [name](NamedAt const& one) { return one.name == name; });
}

// Null: reported.
config::Role const* find_role(Declared const& roles, NamedAt const& named, Problems& problems) {
    auto const found = std::find_if(roles.begin(), roles.end(),
                                    [&](auto const& role) { return role->name == named.name; });
    if (found != roles.end()) return found->get();
    std::vector<std::string_view> names;
    for (auto const& role : roles)
        names.emplace_back(role->name);
    problems.push_back(
        config::problem_at(named.origin, "no role is called " + config::in_quotes(named.name),
                           names.empty() ? "write it under `roles:` of the file of credentials"
                                         : config::suggestion(named.name, names)));
    return nullptr;
}

// Every label with which a rule of the role compares is one that the callers have.
void check_labels_of(config::Role const& role, NamedAt const& named,
                     std::vector<NamedAt> const& labels, Problems& problems) {
    for (auto const& held : rules_of(role)) {
        for (auto const& parameter : held.rule->parameters) {
            for (auto const& label : parameter.labels) {
                if (has(labels, label)) continue;
                problems.push_back(config::problem_at(
                    named.origin,
                    "the role " + config::in_quotes(role.name) + " needs a label for "
                        + config::in_quotes(parameter.name) + ": tokens have no label "
                        + config::in_quotes(label),
                    "write it under `labels`, with the claim that has its value"));
            }
        }
    }
}

bool is_compared_with(config::Role const& role, std::string const& label) {
    auto const rules = rules_of(role);
    return std::any_of(rules.begin(), rules.end(), [&](HeldRule const& held) {
        auto const& parameters = held.rule->parameters;
        return std::any_of(parameters.begin(), parameters.end(), [&](auto const& parameter) {
            auto const& labels = parameter.labels;
            return std::find(labels.begin(), labels.end(), label) != labels.end();
        });
    });
}

// As of the labels of credentials: a misspelled one restricts no caller.
void check_unknown_labels(pipeline::Api const& api, std::vector<NamedAt> const& labels,
                          std::vector<config::Role const*> const& roles, Problems& problems) {
    if (!api.contract || api.contract->label_names().empty()) return;
    auto const& names = api.contract->label_names();
    std::vector<std::string_view> const known{names.begin(), names.end()};
    for (auto const& label : labels) {
        bool const is_used = std::find(known.begin(), known.end(), label.name) != known.end()
                             || std::any_of(roles.begin(), roles.end(), [&](auto const* role) {
                                    return is_compared_with(*role, label.name);
                                });
        if (is_used) continue;
        problems.push_back(config::problem_at(
            label.origin,
            "no rule of the contract asks for the label " + config::in_quotes(label.name),
            config::suggestion(label.name, known), config::yaml::Severity::warning));
    }
}

class RolesOfApis {
public:
    RolesOfApis(Read const& read, Declared const& declared, Apis const& apis)
        : declared_{declared}, compiler_{read, apis} {}

    void compile(pipeline::Api& api, config::Referred const& referred, Problems& problems) {
        std::vector<config::Role const*> held;
        std::set<std::string_view> seen;
        for (auto const& named : referred.roles) {
            if (!seen.insert(named.name).second) continue;
            auto const* const role = find_role(declared_, named, problems);
            if (role == nullptr) continue;
            check_labels_of(*role, named, referred.labels, problems);
            held.push_back(role);
        }
        check_unknown_labels(api, referred.labels, held, problems);
        auto table = std::make_shared<pipeline::RoleTable>();
        for (auto const* const role : held)
            table->emplace(role->name, compiler_.compile(*role, problems));
        api.roles = std::move(table);
    }

private:
    Declared const& declared_;
    PermissionCompiler compiler_;
};

} // namespace

void roles(Read const& read, Declared const& roles, Apis const& apis, Problems& problems) {
    std::optional<RolesOfApis> compiler; // most configurations have no such callers
    for (auto const& api : apis) {
        config::Referred all;
        for (auto const& [of, settings] : read.config.apis[api->index].settings) {
            auto const referred = config::referred_of(of, settings, read.authenticators);
            all.roles.insert(all.roles.end(), referred.roles.begin(), referred.roles.end());
            all.labels.insert(all.labels.end(), referred.labels.begin(), referred.labels.end());
        }
        if (all.roles.empty()) continue;
        if (!compiler) compiler.emplace(read, roles, apis);
        compiler->compile(*api, all, problems);
    }
}

namespace {

// Of all that may authenticate a caller of any of its operations.
std::vector<config::SecretPlace> secret_places(pipeline::Api const& api,
                                               config::Authenticators authenticators) {
    std::vector<config::SecretPlace> places;
    auto const sets = api.authenticator_sets();
    for (auto const* const one : authenticators) {
        bool const has_place = one->api && one->api->secret_place != nullptr;
        if (!has_place || !config::names_any(sets, one->name)) continue;
        auto const own = std::find_if(api.settings.begin(), api.settings.end(),
                                      [&](auto const& of) { return of.first == one->name; });
        places.push_back(
            one->api->secret_place(own == api.settings.end() ? nullptr : &own->second));
    }
    return places;
}

} // namespace

void settings(Read const& read, Apis const& apis, CarriedOver const& carried_over,
              Problems& problems) {
    config::KeptValues nothing;
    config::CompileSettings const with{problems, carried_over.fetcher.get(),
                                       carried_over.kept ? *carried_over.kept : nothing};
    for (auto const& api : apis) {
        for (auto& [of, value] : api->settings) {
            auto const* const one = config::find_authenticator(read.authenticators, of);
            bool const compiles = one != nullptr && one->api && one->api->compile != nullptr;
            if (compiles) value = one->api->compile(value, with);
        }
        api->secret_places = secret_places(*api, read.authenticators);
    }
}

} // namespace sallyport::lifecycle::compile
