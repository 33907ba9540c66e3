// What Bearer tokens are in the configuration.
#include "plugins/bearer/settings.h"

#include "config/digests.h"
#include "config/settings.h"
#include "gateway/pipeline/sha256.h"
#include "plugins/bearer/bearer.h"

namespace sallyport::plugins {

namespace {

using config::Identity;
using config::Reader;
using config::Value;

// A token is found by its own digest.
void read_tokens(Reader& reader, Value const& value, Identity& out) {
    out.secrets = config::read_digests(reader, value);
    for (auto const& token : out.secrets)
        out.keys.emplace_back(pipeline::as_text(*token.sha256()));
}

config::Section<Identity> const& section() {
    static config::Section<Identity> const section{
        "bearer",
        {
            config::custom_key<Identity>({"tokens", config::digests_shape(),
                                          "sha256: and the lower-case hex of SHA-256 over the "
                                          "token; two during a rotation"},
                                         read_tokens)
                .required("tokens: [\"sha256:...\"]"),
        }};
    return section;
}

Identity read_identity(Reader& reader, Value const& mapping) {
    Identity out;
    section().read(reader, mapping, out);
    return out;
}

} // namespace

config::Authenticator const& bearer_settings() {
    static config::Authenticator const settings{
        .name = bearer_name,
        .identity = config::IdentitySettings{
            .help = "a token without a key id",
            .section = &section().info(),
            .read = read_identity,
            .unique = {.key = "tokens", .noun = "token", .hint = "make another token"},
            .secrets = config::GeneratedSecrets{.key = "tokens", .noun = "token"}}};
    return settings;
}

} // namespace sallyport::plugins
