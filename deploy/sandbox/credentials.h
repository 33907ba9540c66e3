// The sandbox's own credentials, so that the replacement of credentials by a gateway can be
// observed.
#pragma once

#include "deploy/sandbox/message.h"
#include "deploy/sandbox/routes.h"

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::sandbox {

/// The defaults. No secrets: they are in the documentation.
inline constexpr std::string_view default_key_id = "sandbox-key";
inline constexpr std::string_view default_key_secret = "sandbox-secret-of-the-key";
inline constexpr std::string_view default_token = "sandbox-token";

enum class Required { yes, no };

/// Owned by main and never changed.
class Credentials {
public:
    /// The defaults, or no credentials required.
    explicit Credentials(Required required = Required::yes);

    /// One credential per line, `basic KEY_ID:SECRET` or `bearer TOKEN`; empty lines and those with
    /// # are skipped. They replace the defaults. Throws std::runtime_error with the number of an
    /// invalid line.
    static Credentials read(std::string_view text);

    /// Whether the only Authorization field has a credential of this API: Basic (RFC 7617) for
    /// management, for observability a token after `Bearer `, read as that service does:
    /// case-sensitively, with any text before it.
    [[nodiscard]] bool admit(Api api, Fields const& fields) const;

private:
    Required required_;
    std::vector<std::string> keys_; // KEY_ID:SECRET
    std::vector<std::string> tokens_;
};

} // namespace sallyport::sandbox
