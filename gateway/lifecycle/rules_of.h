// The rules of a credential, its own and those of its roles.
#pragma once

#include "config/credentials.h"
#include "gateway/pipeline/permissions.h"

#include <string_view>
#include <vector>

namespace sallyport::lifecycle {

/// A rule that a credential has. It refers to the credential, and to its role.
struct HeldRule {
    pipeline::Effect effect = pipeline::Effect::allow;
    config::AccessRule const* rule = nullptr;
    bool is_all = false;                // `allow: all`
    config::Role const* role = nullptr; // null: it stands in the credential itself
};

/// In the order of pipeline::Rule::number.
[[nodiscard]] std::vector<HeldRule> rules_of(config::Credential const& credential);
/// The same in place of what the vector had, whose memory is used again: for many credentials.
void find_rules_of(config::Credential const& credential, std::vector<HeldRule>& rules);
/// Those of a role alone.
[[nodiscard]] std::vector<HeldRule> rules_of(config::Role const& role);

/// Methods that are safe (RFC 9110, 9.2.1), as `read_only` has it: GET, HEAD, OPTIONS and QUERY.
/// TRACE is safe, but never passes.
[[nodiscard]] bool is_safe(std::string_view method);

/// Whether the conditions of a rule hold for a method. GET is HEAD too, as it is for contracts.
[[nodiscard]] bool takes_method(config::AccessRule const& rule, std::string_view method);

} // namespace sallyport::lifecycle
