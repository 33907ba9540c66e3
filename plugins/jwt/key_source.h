// The keys of an issuer: from a file, or fetched in the background.
#pragma once

#include "config/authenticator.h"
#include "gateway/fetch/refreshed.h"
#include "gateway/jose/key_set.h"
#include "plugins/jwt/key_settings.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sallyport::plugins {

/// The keys of a moment. Immutable.
struct IssuerKeys {
    std::shared_ptr<jose::KeySet const> set;
    std::uint64_t number = 0; // that no other keys have: pipeline::VerifiedBy::keys
};

/// Shared by the workers. One of both: none, where nothing may be fetched.
struct KeySource {
    std::shared_ptr<IssuerKeys const> fixed;
    std::shared_ptr<fetch::Refreshed<IssuerKeys>> fetched;
};

/// `issuers`: one of which a discovery document has to be of. Problems of files are at the keys
/// that name them.
[[nodiscard]] KeySource make_key_source(KeySettings const& settings,
                                        std::vector<std::string> const& issuers,
                                        std::vector<jose::Algorithm> const& algorithms,
                                        config::CompileSettings const& with);

/// What a discovery document (OpenID Connect Discovery 1.0, 3 and 4.3; RFC 8414, 3) says of its
/// keys.
struct Discovered {
    std::string jwks_uri;
    std::string problem; // a sentence without anything of the document; empty: there is none
};
[[nodiscard]] Discovered read_discovery(std::string_view text,
                                        std::span<std::string const> issuers);

/// Where the key set of a discovery document is, with the trust and the limits of the document. A
/// document that came over TLS names a set with TLS (OpenID Connect Discovery 1.0, 3; RFC 8414, 2),
/// and none of this host unless it is of this host itself: the issuer does not choose what is asked
/// behind the gateway's firewall.
struct KeyTarget {
    std::shared_ptr<fetch::Target const> target; // null: there is none
    fetch::Failure failure;
};
[[nodiscard]] KeyTarget target_of_keys(std::string_view jwks_uri, fetch::Target const& document);

/// The source as one worker reads it. `source` outlives it.
class KeyReader {
public:
    explicit KeyReader(KeySource const& source) : source_{source} {
        if (source.fetched) latest_.emplace(*source.fetched);
    }

    /// Null: there are none yet, or none any more. Valid until the next call.
    [[nodiscard]] IssuerKeys const* get() { return latest_ ? latest_->get() : source_.fixed.get(); }
    [[nodiscard]] fetch::Refreshed<IssuerKeys>* fetched() const { return source_.fetched.get(); }

private:
    KeySource const& source_;
    std::optional<fetch::Latest<IssuerKeys>> latest_;
};

} // namespace sallyport::plugins
