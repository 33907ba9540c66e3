// Which scopes the operations of an API need, by `security` of its contract (`security: use`):
// compiled to the operations for which a caller's scopes are enough.
#pragma once

#include "gateway/contract/contract.h"
#include "gateway/pipeline/permissions.h"

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::pipeline {

/// Of one API. Immutable, owned by it. Operations that need no scope are not in it.
class ScopeRules {
public:
    /// Those operations of one contract, which outlives this, that have an alternative with scopes.
    explicit ScopeRules(std::vector<contract::Operation const*> operations);

    [[nodiscard]] bool is_needed_for(contract::Operation const& operation) const noexcept {
        return all_.has(operation.index);
    }

    /// The operations of which one alternative is for one of these schemes (`basic`, `bearer`,
    /// `api_key`) and needs only these scopes.
    [[nodiscard]] OperationSet within(std::span<std::string_view const> schemes,
                                      std::span<std::string_view const> scopes) const;

    /// The scopes that some operation needs: no others make a difference.
    [[nodiscard]] std::set<std::string_view> const& known() const noexcept { return known_; }

private:
    std::vector<contract::Operation const*> operations_;
    OperationSet all_;
    std::set<std::string_view> known_;
};

/// What a Bearer token needs for an operation, as the attribute `scope` of a challenge has it (RFC
/// 6750, 3): of its first alternative for one. Empty: there is none, or the document names what
/// cannot stand there (RFC 6749, 3.3).
[[nodiscard]] std::string bearer_scope_of(contract::Security const& security);

} // namespace sallyport::pipeline
