// The credentials of callers as plain structs: what `credentials.yaml` has. It holds digests,
// never a secret.
#pragma once

#include "config/opaque.h"
#include "config/path.h"
#include "config/types.h"
#include "gateway/secrets/stored_hash.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sallyport::config {

struct Authenticator;

/// An Origin without a text: credentials are many, problems few.
struct LastingOrigin {
    yaml::Mark mark;
    LastingPath path;

    operator Origin() const { return {mark, path.text()}; } // NOLINT(*-explicit-*): it is one
};

/// What proves that a request is of the caller of an entry, as its authenticator has read it.
struct Identity {
    Authenticator const* authenticator = nullptr; // null: the entry has none, which is an error
    /// What its authenticator finds it by: a key id, the digests of tokens. No two credentials of
    /// one authenticator share any.
    std::vector<std::string> keys;
    /// One, or two during a rotation; none: it is proven otherwise.
    std::vector<secrets::StoredHash> secrets;
    std::string key_id; // the public part, for listings; empty: there is none
    Opaque own;         // what else the authenticator needs
};

using LabelValue = std::variant<bool, std::int64_t, double, std::string>;

struct Scope {
    std::string name;
    LastingOrigin origin;
};

struct Label {
    std::string name;
    LabelValue value;
    yaml::Mark mark;
    LastingPath of_all = {}; // of the mapping that has it

    [[nodiscard]] Origin origin() const { return {mark, yaml::join_key(of_all.text(), name)}; }
};

/// `api/operationId`, or `api/*`.
struct AllowedOperation {
    std::string api;
    std::string operation; // empty: all of them
    LastingOrigin origin;
};

struct AllowedApi {
    std::string api;
    LastingOrigin origin;
};

/// `api/TAG`: the operations that have this tag in the contract.
struct AllowedTag {
    std::string api;
    std::string tag;
    LastingOrigin origin;
};

/// A parameter of the path by its name in the contract, and what it is compared with: at least one
/// value or label.
struct AllowedParameter {
    std::string name;
    std::vector<std::string> values;
    std::vector<std::string> labels; // of the credential, by their names: their values
    LastingOrigin origin;
};

/// Which requests something holds for: those of an operation that one of the lists names (all of
/// them empty: every operation), if every condition holds. config/permissions.md has the details.
struct AccessRule {
    std::vector<AllowedOperation> operations;
    std::vector<AllowedApi> apis;
    std::vector<AllowedTag> tags;
    // the conditions
    std::vector<std::string> methods; // empty: any; GET is HEAD too
    LastingOrigin methods_origin;
    bool read_only = false; // only methods that are safe
    std::vector<AllowedParameter> parameters;
    LastingOrigin origin;

    [[nodiscard]] bool names_nothing() const {
        return operations.empty() && apis.empty() && tags.empty();
    }
};

enum class Allowed : std::uint8_t { nothing, all, listed };

struct Allow : AccessRule { // with `listed`
    Allowed extent = Allowed::nothing;
};

/// Permissions with a name, for several credentials.
struct Role {
    std::string name;
    Allow allow;
    std::vector<AccessRule> deny;
    LastingOrigin origin;
};

struct HeldRole {
    std::shared_ptr<Role const> role;
    LastingOrigin origin;
};

struct Credential {
    std::string name; // unique; stands in the access log
    /// Those with secrets first, of which there is one at most.
    std::vector<Identity> identities;
    std::vector<Label> labels;
    std::vector<Scope> scopes; // what contracts may ask of it (`security`)
    /// It may do what this or one of its roles allows, and what none of them denies.
    Allow allow;
    std::vector<AccessRule> deny;
    std::vector<HeldRole> roles;
    std::optional<std::chrono::system_clock::time_point> not_before; // refused until then
    std::optional<std::chrono::system_clock::time_point> expires;    // refused from then on
    bool disabled = false;                                           // refused
    LastingOrigin origin;

    /// The one with secrets, else the first.
    [[nodiscard]] Identity const& identity() const { return identities.front(); }
    /// By which the caller can be found: one whose last secret was taken away cannot.
    [[nodiscard]] std::vector<Identity const*> usable_identities() const {
        std::vector<Identity const*> usable;
        for (Identity const& one : identities)
            if (!one.keys.empty()) usable.push_back(&one);
        return usable;
    }
};

} // namespace sallyport::config
