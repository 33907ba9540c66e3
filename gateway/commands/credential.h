// `sallyport credential`: makes credentials, hashes secrets, and lists who may call.
#pragma once

#include "gateway/commands/output.h"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace sallyport::commands {

enum class CredentialKind : std::uint8_t { basic, bearer };

struct CreateOptions {
    std::string name;
    CredentialKind kind = CredentialKind::basic;
    std::vector<std::string> allow; // `all`, or operations; empty: left to whoever pastes the entry
    Format format = Format::text;
};

/// Prints a new secret, this once, and the entry for the file of credentials. 1: no randomness
/// could be had.
[[nodiscard]] int run_credential_create(CreateOptions const& options, std::ostream& out,
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
[[nodiscard]] int run_credential_rotate(RotateOptions const& options, std::ostream& out,
                                        std::ostream& err);

struct ListOptions {
    std::string config; // path
    Format format = Format::text;
};

/// Names, key ids, permissions and expiry, never a hash. 1: the configuration or the credentials
/// are not right.
[[nodiscard]] int run_credential_list(ListOptions const& options, std::ostream& out,
                                      std::ostream& err);

} // namespace sallyport::commands
