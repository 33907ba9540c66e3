// `sallyport credential`: makes credentials, hashes secrets, and lists the callers.
#pragma once

#include "config/authenticator.h"
#include "gateway/commands/output.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace sallyport::config {
class Tables;
}

namespace sallyport::commands {

struct CreateOptions {
    std::string name;
    std::string kind; // an authenticator with generated secrets; empty: the first that has some
    std::vector<std::string> allow; // `all`, or operations; empty: to be completed in the entry
    Format format = Format::text;
};

/// The authenticators whose secrets are generated: what `kind` may be.
[[nodiscard]] std::vector<config::Authenticator const*>
kinds_of_credentials(config::Authenticators authenticators);

/// Prints a new secret, this once, and the entry for the file of credentials. 1: no randomness
/// could be had.
[[nodiscard]] int run_credential_create(CreateOptions const& options,
                                        config::Authenticators authenticators, std::ostream& out,
                                        std::ostream& err);

/// Reads one secret, prints its hash. 1: it is empty, too short, too long or holds control
/// characters.
[[nodiscard]] int run_credential_hash(Format format, std::istream& in, std::ostream& out,
                                      std::ostream& err);

struct RotateOptions {
    std::string config; // path
    std::string name;   // of the credential
    Format format = Format::text;
};

/// Makes a second secret for a credential that has one, prints it this once, and both hashes for
/// its entry; it writes no file. 1: there is no such credential, or it has two already.
[[nodiscard]] int run_credential_rotate(RotateOptions const& options, config::Tables const& tables,
                                        std::ostream& out, std::ostream& err);

struct ListOptions {
    std::string config; // path
    Format format = Format::text;
};

/// Names, key ids, permissions and expiry, never a hash. 1: the configuration or the credentials
/// have problems.
[[nodiscard]] int run_credential_list(ListOptions const& options, config::Tables const& tables,
                                      std::ostream& out, std::ostream& err);

} // namespace sallyport::commands
