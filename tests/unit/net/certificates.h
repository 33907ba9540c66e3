// Certificates made at run time for tests, as PEM text.
#pragma once

#include "gateway/net/tls_context.h"

#include <string>
#include <vector>

namespace sallyport::net::test {

enum class KeyKind { ecdsa, rsa, small_rsa }; // small: 1024 bits

struct Recipe {
    std::vector<std::string> dns_names;
    std::vector<std::string> addresses; // IP
    KeyKind key = KeyKind::ecdsa;
    long valid_from = -3600; // seconds from now
    long valid_for = 86400;
};

struct Identity {
    std::string certificate; // PEM
    std::string private_key; // PEM
};

/// An authority, which signs the certificates of issue().
class Authority {
public:
    Authority();
    Identity issue(Recipe const& recipe) const;
    std::string const& certificate() const { return self_.certificate; }

private:
    Identity self_;
};

/// A certificate in the DER form of files that are not PEM.
std::string der_of(Identity const& identity);

/// The private key of `identity`, encrypted with a pass phrase.
std::string encrypt_key(Identity const& identity);

/// A source with the given text, under an invented path.
CertificateSource source_of(Identity const& identity, std::string const& name = "server");

} // namespace sallyport::net::test
