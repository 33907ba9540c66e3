// What Bearer tokens are in the configuration.
#include "plugins/bearer/settings.h"

#include "config/digests.h"
#include "config/settings.h"
#include "plugins/authenticators.h"
#include "plugins/bearer/bearer.h"

namespace sallyport::plugins {

namespace {

using config::Identity;
using config::Reader;
using config::Value;

config::Section<Identity> const& section() {
    static config::Section<Identity> const section{
        "bearer",
        {
            config::custom_key<Identity>({"tokens", config::digests_shape(),
                                          "sha256: and the lower-case hex of SHA-256 over the "
                                          "token; two during a rotation"},
                                         read_found_by_digest)
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
