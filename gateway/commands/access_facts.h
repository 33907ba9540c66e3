// What a credential may do, read from the permissions that the gateway uses.
#pragma once

#include "gateway/lifecycle/load_permissions.h"
#include "gateway/lifecycle/rules_of.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::commands {

/// The authenticators that an operation takes; null: of the API, without an operation.
[[nodiscard]] config::AuthenticatorSets const&
authenticators_of(pipeline::Api const& api, contract::Operation const* operation);
/// Whether one of them accepts every client.
[[nodiscard]] bool is_public(lifecycle::LoadedPermissions const& loaded, pipeline::Api const& api,
                             contract::Operation const* operation);

/// Whether the upstream checks who calls it.
[[nodiscard]] bool is_left_to_upstream(lifecycle::LoadedPermissions const& loaded,
                                       pipeline::Api const& api,
                                       contract::Operation const& operation);

/// A credential, as it was read and as it was compiled.
struct Caller {
    config::Credential const* from = nullptr;
    pipeline::Credential const* credential = nullptr;
    std::vector<lifecycle::HeldRule> rules; // by pipeline::Rule::number

    [[nodiscard]] pipeline::Identity const& identity() const { return credential->identity; }
};

/// In the order of the file.
[[nodiscard]] std::vector<Caller> callers_of(lifecycle::LoadedPermissions const& loaded);

/// That a path parameter has one of the values.
struct Condition {
    std::string parameter;
    std::vector<std::string> values;
    std::vector<std::string> labels; // or that of one of these, of callers that are not known yet
};

/// A rule that concerns an operation.
struct Reason {
    lifecycle::HeldRule held;
    std::vector<Condition> conditions; // all have to hold
};

enum class Access : std::uint8_t {
    none,       // nothing allows it
    denied,     // a rule denies what another one allows
    restricted, // for some values of parameters
    allowed,
    everyone,          // no credentials are needed
    other_credentials, // it would be allowed, but only credentials of another kind are taken
    scope,             // it would be allowed, but lacks a scope that the contract asks for
};
[[nodiscard]] std::string_view to_string(Access access);

struct OperationAccess {
    Access access = Access::none;
    std::vector<Reason> reasons; // in the order of the rules
};

/// Whether the contract asks for scopes, and counts (`security: use`).
[[nodiscard]] bool needs_scopes(pipeline::Api const& api, contract::Operation const& operation);

[[nodiscard]] OperationAccess access_to(lifecycle::LoadedPermissions const& loaded,
                                        pipeline::Api const& api,
                                        contract::Operation const& operation, Caller const& caller);

/// A role of tokens, whose callers have no entry: of the settings of the operation's
/// authenticators.
struct TokenRole {
    std::string name;
    OperationAccess found; // by this role alone: another one of the same token may deny it
    /// Whether it denies the operation, always or for some values, and allows it for none.
    [[nodiscard]] bool only_denies() const;
};
/// Those that allow or deny the operation.
[[nodiscard]] std::vector<TokenRole> token_roles(lifecycle::LoadedPermissions const& loaded,
                                                 pipeline::Api const& api,
                                                 contract::Operation const& operation);

/// Of requests that are no operation of a contract: `methods` that pass. Of an API with a contract
/// only where it forwards such requests, and then any method that is not denied may pass.
struct OtherAccess {
    bool is_public = false; // no credentials are needed
    bool any = false;
    std::vector<std::string> methods; // without `any`
    std::vector<std::string> denied;  // of `any`
    std::vector<Reason> reasons;
    [[nodiscard]] bool is_empty() const { return !is_public && !any && methods.empty(); }
};
[[nodiscard]] OtherAccess other_access(lifecycle::LoadedPermissions const& loaded,
                                       pipeline::Api const& api, Caller const& caller);

} // namespace sallyport::commands
