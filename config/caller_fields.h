// The fields in which an upstream learns who calls, as an API or an upstream configures them.
#pragma once

#include "config/types.h"

#include <optional>
#include <string>
#include <vector>

namespace sallyport::config {

struct CallerField {
    std::string name;  // a token (RFC 9110, 5.6.2)
    std::string label; // of the caller's credential; empty: the name of the credential
    Origin origin;
};

/// A signed token (RFC 7519) that says who calls.
struct Assertion {
    CallerField field{"X-Sallyport-Assertion", {}, {}};
    std::string issuer;
    std::string audience;
    Duration lifetime = std::chrono::seconds{60};
    std::optional<File> key; // none: keys that the gateway makes and rotates
    /// How long such a key signs.
    Duration rotate_every = std::chrono::hours{24};
    /// How long a new key is published before it signs.
    Duration publish_ahead = std::chrono::minutes{5};
};

struct CallerFields {
    std::vector<CallerField> fields; // `header` and `labels`
    std::optional<Assertion> assertion;
    Origin origin;
};

} // namespace sallyport::config
