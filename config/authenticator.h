// What an authenticator adds to the configuration: its name in `authenticate:`, its settings of an
// API, and what an entry of the file of credentials has of it.
//
// The values are defined beside each authenticator (plugins/NAME/settings.cpp), and held by its row
// of the registry. config has the form alone: its tables are built from the list (tables.h).
#pragma once

#include "config/authenticator_set.h"
#include "config/credentials.h"
#include "config/opaque.h"
#include "config/reader.h"
#include "config/secret_place.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::fetch {
class Fetcher;
}

namespace sallyport::config {

/// `every_client`: without credentials, so that the authenticator stands alone in `authenticate:`.
enum class Accepts : std::uint8_t { callers, every_client };

/// Who checks the credentials of requests. `upstream`: none is looked at, and all are passed on.
enum class CheckedBy : std::uint8_t { gateway, upstream };

/// What a caller has to show besides its request.
enum class Shows : std::uint8_t { nothing, certificate };
/// A role or a label, and where it is named.
struct NamedAt {
    std::string name;
    Origin origin;
};

/// What the settings of an API name outside of themselves.
struct Referred {
    std::vector<File> files;        // that `compile` opens, and a reload watches
    std::vector<File> secret_files; // those of them that other users should not read
    std::vector<NamedAt> roles;     // of the file of credentials, that callers may have
    std::vector<NamedAt> labels;    // that every caller has
    std::vector<std::string> issuers = {}; // of its callers: Identity::issuer has one of them
    /// The key that asks every caller for a certificate; none: there is no such key.
    std::optional<NamedAt> certificate = {};
};

/// What settings are compiled with.
struct CompileSettings {
    yaml::Problems& problems;
    fetch::Fetcher* fetcher; // null: nothing may be fetched, as by `check`
    KeptValues& kept;        // those of the configuration before
};

/// A key of an API, with the name of the authenticator.
struct ApiSettings {
    std::string_view help; // as of every key: one sentence without its full stop
    SectionInfo const* section = nullptr;
    /// Opens nothing. Without `compile`: what the plugin finds in `Api::settings_of`.
    Opaque (*read)(Reader&, Value const& mapping) = nullptr;
    /// Null: nothing.
    Referred (*refers_to)(Opaque const& settings) = nullptr;
    /// Opens the files, and makes what the plugin finds in `Api::settings_of`. Problems prevent
    /// that it is used. Null: it is what was read.
    Opaque (*compile)(Opaque const& settings, CompileSettings const& with) = nullptr;
    /// Where it looks for a secret; `settings`: those of the API, null if it has none. Null: in the
    /// Authorization field, or nowhere.
    SecretPlace (*secret_place)(Opaque const* settings) = nullptr;
};

/// The key of an identity that no two credentials may have alike.
struct UniqueKey {
    std::string_view key;  // of the section: `key_id`; empty: the keys are of several
    std::string_view noun; // in messages: "key id"
    std::string_view hint; // what to do where two credentials have it
};

/// Generated secrets of which the file of credentials has the digests: what `credential create` and
/// `credential rotate` make.
struct GeneratedSecrets {
    std::string_view key;  // of the section, a list of digests (digests.h): `secrets`
    std::string_view noun; // "secret"
};

/// A key of an entry of the file of credentials, with the name of the authenticator. An entry has
/// one of those of all authenticators, or one with secrets and others without.
struct IdentitySettings {
    std::string_view help;
    SectionInfo const* section = nullptr;
    Identity (*read)(Reader&, Value const& mapping) = nullptr;
    UniqueKey unique;
    /// None: it is proven without a secret. An entry has those of one authenticator only.
    std::optional<GeneratedSecrets> secrets = {};
    /// A user of an htpasswd file; null: it takes no user names with passwords.
    Identity (*of_password)(std::string name, secrets::StoredHash hash) = nullptr;
};

struct Authenticator {
    std::string_view name; // a literal, that of its row in the registry
    /// The authenticator whose credentials it takes by `security` of a contract: `bearer` of each
    /// that takes Bearer tokens. Empty: itself.
    std::string_view scheme = {};
    Accepts accepts = Accepts::callers;
    CheckedBy checked_by = CheckedBy::gateway;
    Shows shows = Shows::nothing;
    std::optional<ApiSettings> api = {};
    std::optional<IdentitySettings> identity = {};

    [[nodiscard]] std::string_view scheme_name() const { return scheme.empty() ? name : scheme; }
};

/// In the order of the registry. The values outlive all that is read with them.
using Authenticators = std::span<Authenticator const* const>;

/// Null: there is none of that name.
[[nodiscard]] inline Authenticator const* find_authenticator(Authenticators authenticators,
                                                             std::string_view name) {
    for (Authenticator const* const one : authenticators) {
        if (one->name == name) return one;
    }
    return nullptr;
}

/// The names of the authenticators of its identities.
[[nodiscard]] inline std::vector<std::string> kinds_of(Credential const& credential) {
    std::vector<std::string> out;
    for (Identity const& identity : credential.identities)
        out.emplace_back(identity.authenticator->name);
    return out;
}

/// Whether one of the sets has an authenticator for which `is_right` holds.
template <class Predicate>
[[nodiscard]] bool any_named(Authenticators authenticators, AuthenticatorSets const& sets,
                             Predicate const& is_right) {
    for (Authenticator const* const one : authenticators) {
        if (names_any(sets, one->name) && is_right(*one)) return true;
    }
    return false;
}

/// Whether one of the sets is an authenticator that accepts every client.
[[nodiscard]] inline bool accept_every_client(Authenticators authenticators,
                                              AuthenticatorSets const& sets) {
    return any_named(authenticators, sets,
                     [](auto const& one) { return one.accepts == Accepts::every_client; });
}

/// Whether one of the sets leaves the credentials to the upstream.
[[nodiscard]] inline bool are_left_to_upstream(Authenticators authenticators,
                                               AuthenticatorSets const& sets) {
    return any_named(authenticators, sets,
                     [](auto const& one) { return one.checked_by == CheckedBy::upstream; });
}

/// The scheme of an authenticator by its name, which it is itself if it is not in the list.
[[nodiscard]] inline std::string_view scheme_of(Authenticators authenticators,
                                                std::string_view name) {
    auto const* const one = find_authenticator(authenticators, name);
    return one == nullptr ? name : one->scheme_name();
}

/// What the settings of an API name that an authenticator has read; nothing, if it is not in the
/// list.
[[nodiscard]] inline Referred referred_of(std::string_view authenticator, Opaque const& settings,
                                          Authenticators authenticators) {
    auto const* const one = find_authenticator(authenticators, authenticator);
    bool const refers = one != nullptr && one->api && one->api->refers_to != nullptr;
    return refers ? one->api->refers_to(settings) : Referred{};
}

} // namespace sallyport::config
