// The credentials of callers as plain structs: what `credentials.yaml` says. It holds digests,
// never a secret.
#pragma once

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

struct BasicIdentity {
    std::string key_id;          // unique; neither ':' nor control characters
    std::vector<Sha256> secrets; // one, or two during a rotation
};
struct BearerIdentity {
    std::vector<Sha256> tokens; // one, or two during a rotation; unique over all credentials
};

using LabelValue = std::variant<bool, std::int64_t, double, std::string>;

struct Label {
    std::string name;
    LabelValue value;
    Origin origin;
};

// `api/operationId`, or `api/*`.
struct AllowedOperation {
    std::string api;
    std::string operation; // empty: all of them
    Origin origin;
};

struct AllowedApi {
    std::string api;
    Origin origin;
};

// A parameter by its name in the contract. A restriction refuses operations that do not have it.
struct AllowedParameter {
    std::string name;
    std::vector<std::string> values; // at least one
    Origin origin;
};

enum class Allowed : std::uint8_t { all, listed };

// With `listed` an operation passes if one of `operations` or `apis` names it (both empty: every
// operation), and every one of `parameters` holds.
struct Allow {
    Allowed extent = Allowed::listed;
    std::vector<AllowedOperation> operations;
    std::vector<AllowedApi> apis;
    std::vector<AllowedParameter> parameters;
};

struct Credential {
    std::string name; // unique; stands in the access log
    std::variant<BasicIdentity, BearerIdentity> identity;
    std::vector<Label> labels;
    Allow allow;
    std::optional<std::chrono::system_clock::time_point> expires; // refused from then on
    Origin origin;
};

} // namespace sallyport::config
