// `sallyport credential`: makes, changes and lists credentials, and hashes secrets.
#pragma once

#include "config/authenticator.h"
#include "gateway/commands/output.h"
#include "gateway/secrets/stored_hash.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace sallyport::config {
class Tables;
}

namespace sallyport::commands {

/// Exit code: the file is written, but its configuration does not load, so that a running gateway
/// does not go by it.
inline constexpr int written_in_vain = 3;

struct CreateOptions {
    std::string name;
    std::string kind; // an authenticator with generated secrets; empty: the first that has some
    std::vector<std::string> allow; // `all`, or operations; empty: to be completed in the entry
    Format format = Format::text;
    std::string config{};             // path; empty: it is not known which names are in use
    bool writes = false;              // into the configuration's file, instead of printing
    bool reads_secret = false;        // from standard input, instead of making one
    std::vector<std::string> roles{}; // of the file of credentials
    bool is_read_only = false;        // of `allow` only what is safe
};

/// The authenticators whose secrets are generated: what `kind` may be.
[[nodiscard]] std::vector<config::Authenticator const*>
kinds_of_credentials(config::Authenticators authenticators);

/// Prints a new secret, this once, and the entry for the file of credentials, or writes the entry.
/// 1: no randomness could be had, or the file cannot be changed. 3: written_in_vain.
[[nodiscard]] int run_credential_create(CreateOptions const& options, config::Tables const& tables,
                                        std::istream& in, std::ostream& out, std::ostream& err);

struct HashOptions {
    std::string kind = "sha256"; // to_string() of one of kinds_of_hashes()
    Format format = Format::text;
};

/// What `HashOptions::kind` may be.
[[nodiscard]] std::vector<secrets::Kind> kinds_of_hashes();

/// Reads one secret, prints its hash. 1: it is empty, too short, too long or holds control
/// characters.
[[nodiscard]] int run_credential_hash(HashOptions const& options, std::istream& in,
                                      std::ostream& out, std::ostream& err);

struct RotateOptions {
    std::string config{}; // path
    std::string name{};   // of the credential
    Format format = Format::text;
    bool writes = false;       // the hash into the entry, instead of printing both
    bool finishes = false;     // removes the older of two hashes from the entry
    bool reads_secret = false; // from standard input, instead of making one
};

/// Makes a second secret for a credential that has one, prints it this once, and both hashes for
/// its entry, or writes the entry; or ends the rotation. 1: there is no such credential, it has
/// not one secret (two to end), or the file cannot be changed. 3: written_in_vain.
[[nodiscard]] int run_credential_rotate(RotateOptions const& options, config::Tables const& tables,
                                        std::istream& in, std::ostream& out, std::ostream& err);

struct RevokeOptions {
    std::string config; // path
    std::string name;   // of the credential
    Format format = Format::text;
};

/// Writes `disabled: true` into the entry of a credential, also where other entries, or the
/// configuration, have errors. 1: there is none, or the file cannot be changed. 3: written_in_vain.
[[nodiscard]] int run_credential_revoke(RevokeOptions const& options, config::Tables const& tables,
                                        std::ostream& out, std::ostream& err);

struct ListOptions {
    std::string config; // path
    Format format = Format::text;
    bool asks_for_last_use = false;
    std::string address; // of the admin listener, IP:PORT; empty: the configuration says it
};

/// Names, key ids, permissions and expiry, never a hash; when each secret was last used, if the
/// running gateway is to be asked. 1: the configuration or the credentials have problems, or the
/// gateway does not respond.
[[nodiscard]] int run_credential_list(ListOptions const& options, config::Tables const& tables,
                                      std::ostream& out, std::ostream& err);

} // namespace sallyport::commands
