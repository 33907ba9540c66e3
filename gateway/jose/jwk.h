// A JSON Web Key (RFC 7517; RFC 7518, 6; RFC 8037, 2) for verification.
#pragma once

#include "gateway/jose/key.h"

#include <simdjson.h>

#include <span>
#include <string>

namespace sallyport::jose {

/// What becomes of a key of a set.
struct ReadJwk {
    enum class Kind : std::uint8_t {
        used,
        ignored,     // it is for something else, which is no mistake (RFC 7517, 5)
        unsupported, // it could be for tokens, but its curve is not supported here
        unusable,    // it lacks a member, is too short, or is no key
        refused,     // whoever publishes it makes a mistake that endangers all the others
    };

    Kind kind = Kind::ignored;
    std::optional<Key> key;
    std::string why; // of what is not used: a sentence that follows the name of the key
};

/// `algorithms`: those that may be used. A key without `alg` is of the one of them that fits it; if
/// two fit, it is unusable.
[[nodiscard]] ReadJwk read_jwk(simdjson::dom::object jwk, std::span<Algorithm const> algorithms);

/// The only one of them that fits; none: there is no such one, or several.
[[nodiscard]] std::optional<Algorithm> only_fitting(FittingAlgorithms const& fitting,
                                                    std::span<Algorithm const> algorithms);

} // namespace sallyport::jose
