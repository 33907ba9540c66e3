// Keys of the configuration about the claims of a token, which authenticators of tokens share.
#pragma once

#include "config/reader.h"
#include "config/settings.h"
#include "gateway/jose/claims.h"
#include "plugins/token_callers.h"

#include <string>
#include <vector>

namespace sallyport::plugins {

/// A list of texts, each once; or one text alone.
[[nodiscard]] config::Shape texts_shape();
[[nodiscard]] config::Shape one_or_more_shape();
void read_texts(config::Reader& reader, config::Value const& value, std::vector<std::string>& out);
void read_one_or_more(config::Reader& reader, config::Value const& value,
                      std::vector<std::string>& out);

/// `required_claims`: claims by name or pointer, and the values of which each has one.
[[nodiscard]] config::Shape required_claims_shape();
void read_required_claims(config::Reader& reader, config::Value const& value,
                          std::vector<jose::RequiredClaim>& out, ClaimPlaces& places);

/// `certificate_bound`, `scopes`, `name_claim`, `labels`, `roles`.
[[nodiscard]] std::vector<config::Key<ClaimMapping>> const& claim_keys();

/// The same for the settings of an authenticator, which have them in `member`.
template <class T>
[[nodiscard]] std::vector<config::Key<T>> claim_keys_of(ClaimMapping T::*member) {
    std::vector<config::Key<T>> keys;
    for (auto const& key : claim_keys()) {
        keys.push_back(
            {key.info, [&key, member](config::Reader& reader, config::Value const& value, T& out) {
                 key.read(reader, value, out.*member);
             }});
    }
    return keys;
}

} // namespace sallyport::plugins
