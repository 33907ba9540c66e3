// Who may call the sandbox: credentials of its own, so that a gateway's swapping can be seen.
#pragma once

#include "deploy/sandbox/message.h"
#include "deploy/sandbox/routes.h"

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::sandbox {

// What it takes unless told otherwise. No secrets: they are in the documentation.
inline constexpr std::string_view default_key_id = "sandbox-key";
inline constexpr std::string_view default_key_secret = "sandbox-secret-of-the-key";
inline constexpr std::string_view default_token = "sandbox-token";

enum class Required { yes, no };

// Owned by main and never changed.
class Credentials {
public:
    // The defaults, or none asked for at all.
    explicit Credentials(Required required = Required::yes);

    // One credential a line, `basic KEY_ID:SECRET` or `bearer TOKEN`; empty lines and those with #
    // are left out. They take the place of the defaults. Throws std::runtime_error with the number
    // of the line that is none of these.
    static Credentials read(std::string_view text);

    // Whether the one Authorization field has a credential of this API: Basic (RFC 7617) for
    // management, for observability a token after `Bearer `, read as that service does: letter case
    // matters, and what stands before it does not.
    [[nodiscard]] bool admit(Api api, Fields const& fields) const;

private:
    Required required_;
    std::vector<std::string> keys_; // KEY_ID:SECRET
    std::vector<std::string> tokens_;
};

} // namespace sallyport::sandbox
