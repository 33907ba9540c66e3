// The credentials of callers as plain structs: what `credentials.yaml` has. It holds digests,
// never a secret.
#pragma once

#include "config/opaque.h"
#include "config/types.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sallyport::config {

using Sha256 = std::array<std::uint8_t, 32>;

struct Authenticator;

/// What proves that a request is of the caller of an entry, as its authenticator has read it.
struct Identity {
    Authenticator const* authenticator = nullptr; // null: the entry has none, which is an error
    /// What its authenticator finds it by: a key id, the digests of tokens. No two credentials of
    /// one authenticator share any.
    std::vector<std::string> keys;
    /// One, or two during a rotation; none: it is proven otherwise.
    std::vector<Sha256> secrets;
    std::string key_id; // the public part, for listings; empty: there is none
    Opaque own;         // what else the authenticator needs
};

using LabelValue = std::variant<bool, std::int64_t, double, std::string>;

struct Label {
    std::string name;
    LabelValue value;
    Origin origin;
};

/// `api/operationId`, or `api/*`.
struct AllowedOperation {
    std::string api;
    std::string operation; // empty: all of them
    Origin origin;
};

struct AllowedApi {
    std::string api;
    Origin origin;
};

/// A parameter by its name in the contract. A restriction refuses operations that do not have it.
struct AllowedParameter {
    std::string name;
    std::vector<std::string> values; // at least one
    Origin origin;
};

enum class Allowed : std::uint8_t { all, listed };

/// With `listed` an operation passes if one of `operations` or `apis` names it (both empty: every
/// operation), and every one of `parameters` holds.
struct Allow {
    Allowed extent = Allowed::listed;
    std::vector<AllowedOperation> operations;
    std::vector<AllowedApi> apis;
    std::vector<AllowedParameter> parameters;
};

struct Credential {
    std::string name; // unique; stands in the access log
    Identity identity;
    std::vector<Label> labels;
    Allow allow;
    std::optional<std::chrono::system_clock::time_point> not_before; // refused until then
    std::optional<std::chrono::system_clock::time_point> expires;    // refused from then on
    bool disabled = false;                                           // refused
    Origin origin;
};

} // namespace sallyport::config
