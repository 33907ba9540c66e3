// Compiles what credentials may do: `allow`, `deny` and `roles`, to sets of operations by API.
#pragma once

#include "gateway/lifecycle/compile.h"
#include "gateway/lifecycle/rules_of.h"
#include "gateway/pipeline/roles.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sallyport::lifecycle::compile {

using Apis = std::vector<std::unique_ptr<pipeline::Api>>;

/// Of a contract that did not load, or that is not named where it should be, nothing is known.
[[nodiscard]] bool is_contract_known(Read const& read, pipeline::Api const& api);

/// What rules may name, by API: made once for all credentials.
class NamesOfApis {
public:
    struct Names {
        pipeline::Api const* api = nullptr;
        bool is_known = false; // its contract, or that it has none
        std::unordered_map<std::string_view, std::uint32_t> operations;
        std::map<std::string_view, std::vector<std::uint32_t>> tags;
    };

    NamesOfApis(Read const& read, Apis const& apis);

    /// Null: no API has the name.
    [[nodiscard]] Names const* find(std::string_view api) const;
    [[nodiscard]] std::vector<Names> const& all() const { return all_; }
    [[nodiscard]] bool are_known() const { return are_known_; } // those of all APIs
    [[nodiscard]] std::set<std::string_view> const& parameters() const { return parameters_; }
    [[nodiscard]] std::set<std::string_view> const& methods() const { return methods_; }

private:
    std::vector<Names> all_; // by Api::index
    bool are_known_ = true;
    std::set<std::string_view> parameters_;
    std::set<std::string_view> methods_;
};

/// Checks a rule against the contracts; `compiled`: the rule at each API.
void check_rule(HeldRule const& held, NamesOfApis const& names,
                std::vector<pipeline::Rule> const& compiled, Problems& problems);

/// One rule at one API. `first`: the index of the values of its first parameter.
[[nodiscard]] pipeline::Rule compile_rule(HeldRule const& held, NamesOfApis::Names const& names,
                                          std::uint32_t first);

/// Compiles the permissions of one credential after the other; those with the same rules share
/// them.
class PermissionCompiler {
public:
    PermissionCompiler(Read const& read, Apis const& apis) : names_{read, apis} {}

    /// Sets the permissions, the places of their rules and the values of parameters. With the
    /// labels of the identity.
    void compile(config::Credential const& from, pipeline::Identity& identity, Problems& problems);
    /// Of a role alone, for callers whose labels are known when they come.
    [[nodiscard]] pipeline::Role compile(config::Role const& from, Problems& problems);

private:
    using Permissions = std::vector<pipeline::Permissions>; // by Api::index
    struct Shared {
        std::shared_ptr<Permissions const> permissions;
        std::shared_ptr<std::vector<config::yaml::Mark> const> rule_places; // if all are of roles
        bool has_problems = false;
    };

    Shared compile(std::vector<HeldRule> const& rules, Problems& problems);
    std::shared_ptr<pipeline::AllowedValues const>
    values_of(HeldRule const& held, config::AllowedParameter const& parameter,
              contract::Labels const& labels);

    NamesOfApis names_;
    std::unordered_map<std::string, Shared> by_rules_;
    // Of the credential before: their memory is used again.
    std::vector<HeldRule> rules_;
    std::string key_;
    std::set<config::AccessRule const*> checked_; // those of roles
    std::map<config::AllowedParameter const*, std::shared_ptr<pipeline::AllowedValues const>>
        of_roles_;
};

} // namespace sallyport::lifecycle::compile
