// Roles of callers that are known only when they come: those of tokens. Compiled once; the labels
// with which their rules compare are the caller's.
#pragma once

#include "gateway/pipeline/identity.h"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::pipeline {

/// What a rule compares a parameter with.
struct RoleValues {
    std::shared_ptr<AllowedValues const> fixed; // those of the configuration
    std::vector<std::string> labels;            // of the caller, by their names
};

/// Permissions of a role. Immutable, owned by the snapshot.
struct Role {
    std::shared_ptr<std::vector<Permissions> const> permissions; // by Api::index
    std::vector<RoleValues> values; // by ParameterTest::values, from 0 in each role
    std::vector<config::yaml::Mark> rule_places = {}; // by Rule::number, from 0 in each role
};

/// By their names.
using RoleTable = std::map<std::string, Role, std::less<>>;

/// What several roles together allow at one API: shared by all callers that have the same.
struct CombinedRoles {
    std::shared_ptr<std::vector<Permissions> const> permissions; // by Api::index, up to that API's
    std::vector<RoleValues> values;
    std::shared_ptr<std::vector<config::yaml::Mark> const> rule_places; // by Rule::number
};

/// A caller may do what one of them allows and none denies (config/permissions.md).
[[nodiscard]] CombinedRoles combine(std::span<Role const* const> roles, std::size_t api);

/// The values with which the rules compare for a caller with these labels. Nothing: a label is
/// missing or empty, so that it is not known what a rule denies.
[[nodiscard]] std::optional<std::vector<std::shared_ptr<AllowedValues const>>>
values_for(std::vector<RoleValues> const& values, contract::Labels const& labels);

} // namespace sallyport::pipeline
