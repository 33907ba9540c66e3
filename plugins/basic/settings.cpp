// What Basic credentials are in the configuration.
#include "plugins/basic/settings.h"

#include "config/digests.h"
#include "config/patterns.h"
#include "config/settings.h"
#include "plugins/basic/basic.h"

#include <string>
#include <utility>

namespace sallyport::plugins {

namespace {

using config::Identity;
using config::Reader;
using config::Value;

// RFC 7617, 2: the user-id ends at the first colon, and holds no control characters.
void read_key_id(Reader& reader, Value const& value, Identity& out) {
    auto key_id = reader.read_line(value, 256);
    if (!key_id) return;
    if (key_id->find(':') == std::string::npos) {
        out.keys.assign(1, *key_id);
        out.key_id = std::move(*key_id);
    } else {
        reader.refuse(value, "holds a colon, which ends a key id (RFC 7617)", "choose one without");
    }
}

void read_secrets(Reader& reader, Value const& value, Identity& out) {
    out.secrets = config::read_hashes(reader, value);
}

config::Section<Identity> const& section() {
    static config::Section<Identity> const section{
        "basic",
        {
            config::custom_key<Identity>({"key_id",
                                          config::text_shape(256, config::text_pattern(":")),
                                          "the user name, unique"},
                                         read_key_id)
                .required("key_id: ..."),
            config::custom_key<Identity>({"secrets", config::hashes_shape(),
                                          "hashes of the secret: sha256: of a generated one, "
                                          "argon2id, bcrypt, yescrypt or $6$ of a password; two "
                                          "during a rotation"},
                                         read_secrets)
                .required("secrets: [\"sha256:...\"]"),
        }};
    return section;
}

Identity read_identity(Reader& reader, Value const& mapping) {
    Identity out;
    section().read(reader, mapping, out);
    if (out.secrets.empty()) out.keys.clear(); // the last one was taken away
    return out;
}

Identity identity_of(std::string name, secrets::StoredHash hash) {
    Identity out;
    out.keys.assign(1, name);
    out.key_id = std::move(name);
    out.secrets.push_back(std::move(hash));
    return out;
}

} // namespace

config::Authenticator const& basic_settings() {
    static config::Authenticator const settings{
        .name = basic_name,
        .identity = config::IdentitySettings{
            .help = "a key id and its secret",
            .section = &section().info(),
            .read = read_identity,
            .unique = {.key = "key_id",
                       .noun = "key id",
                       .hint = "choose another, or merge them: two secrets may stand in one"},
            .secrets = config::GeneratedSecrets{.key = "secrets", .noun = "secret"},
            .of_password = identity_of}};
    return settings;
}

} // namespace sallyport::plugins
