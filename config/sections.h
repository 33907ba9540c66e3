// The tables of the configuration: one for each section of the file, from which it is read and
// described.
#pragma once

#include "config/authenticator.h"
#include "config/config.h"
#include "config/credentials.h"
#include "config/settings.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sallyport::config {

/// A rule while it is read: the name of its upstream is looked up at the end.
struct RuleDraft : OperationRule {
    yaml::Node const* node = nullptr;
    std::optional<std::string> upstream_name;
};

/// An API while it is read: the names of its upstreams are looked up at the end.
struct ApiDraft : Api {
    std::string upstream_name;
    std::vector<RuleDraft> rule_drafts;
};

/// The whole file. `api`, `authenticators`: outlive the section.
[[nodiscard]] std::unique_ptr<Section<Config> const>
make_config_section(Section<ApiDraft> const& api, Authenticators authenticators);

/// What concerns several sections (credentials that no key leads to, budgets that contradict each
/// other), when all of the file has been read.
void check_whole(Reader& reader, yaml::Node const& root, Authenticators authenticators,
                 Config const& config);

/// `IP:PORT` to listen on.
[[nodiscard]] std::optional<Address> read_listening_address(Reader& reader, Value const& value);
/// Whether two listeners there would be in each other's way.
[[nodiscard]] bool is_same_place(Address const& a, Address const& b);

[[nodiscard]] SectionInfo const& admin_info();
void read_admin(Reader& reader, Value const& value, Config& out);

[[nodiscard]] SectionInfo const& listener_info();
void read_listeners(Reader& reader, Value const& value, Config& out);

[[nodiscard]] SectionInfo const& upstream_info();
/// Of an upstream: `credential`.
[[nodiscard]] Key<Upstream> upstream_credential_key();
/// Of an upstream or an API: `identity`.
[[nodiscard]] SectionInfo const& identity_info();
void read_identity(Reader& reader, Value const& value, std::optional<CallerFields>& out);
template <class T>
[[nodiscard]] Key<T> identity_key(std::string_view help) {
    return custom_key<T>({"identity", section_shape(identity_info()), help},
                         [](Reader& reader, Value const& value, T& out) {
                             read_identity(reader, value, out.identity);
                         });
}
void read_upstreams(Reader& reader, Value const& value, Config& out);

[[nodiscard]] std::unique_ptr<Section<ApiDraft> const>
make_api_section(Authenticators authenticators);
/// Of an API: `authenticate`, and the settings of the authenticators, each under its name.
[[nodiscard]] std::vector<Key<ApiDraft>> keys_of_callers(Authenticators authenticators);
/// Settings of an authenticator are there only beside its name, and always if they have a required
/// key. `value`: the API.
void check_settings(Reader& reader, Value const& value, Authenticators authenticators,
                    ApiDraft const& api);
/// `authenticate: [basic]`, with the first of them.
[[nodiscard]] std::string example_of_authenticate(Authenticators authenticators);
/// Of an API: `rules`.
[[nodiscard]] Key<ApiDraft> rules_key(Authenticators authenticators);
/// What a rule says must be possible at its API, whose `upstream` and `authenticate` have been
/// read.
void finish_rules(Reader& reader, Authenticators authenticators, Config const& config,
                  ApiDraft& out);
/// The index of the upstream of this name; none: refused at `origin`, or there are no upstreams.
[[nodiscard]] std::optional<std::size_t> find_upstream(Reader& reader, Origin const& origin,
                                                       std::string_view name, Config const& config);
/// A word of `none`, `errors`, `all`.
[[nodiscard]] std::vector<Word<BodyLogging>> const& body_logging_words();
/// `enforce`, `report`, `off`, of requests.
[[nodiscard]] std::vector<Word<Level>> const& request_level_words();
[[nodiscard]] std::vector<Word<Lists>> const& lists_words();
/// `authenticate` of an API or a rule: a list of words, and of `{ all: [...] }`.
class AuthenticateKey {
public:
    explicit AuthenticateKey(Authenticators authenticators);
    /// Refers to this object.
    [[nodiscard]] Shape shape() const;
    void read(Reader& reader, Value const& value, AuthenticatorSets& out) const;

private:
    [[nodiscard]] std::optional<AuthenticatorSet> read_set(Reader& reader, Value const& item) const;

    Authenticators authenticators_;
    Section<std::vector<std::string>> all_;
};
/// Networks and addresses: RFC 4632, 3.1; RFC 4291, 2.3.
[[nodiscard]] Shape networks_shape();
void read_networks(Reader& reader, Value const& value, std::vector<text::Network>& out);
/// Of a listener or an API: `allow_addresses`, `deny_addresses`.
template <class T>
void add_keys_of_addresses(std::vector<Key<T>>& keys) {
    KeyInfo allowed{"allow_addresses", networks_shape(),
                    "networks and addresses of clients that may come; empty: all", "[]"};
    KeyInfo denied{"deny_addresses", networks_shape(),
                   "networks and addresses of clients that may not, also where the former has them",
                   "[]"};
    keys.push_back(
        custom_key<T>(std::move(allowed), [](Reader& reader, Value const& value, T& out) {
            read_networks(reader, value, out.addresses.allow);
        }));
    keys.push_back(custom_key<T>(std::move(denied), [](Reader& reader, Value const& value, T& out) {
        read_networks(reader, value, out.addresses.deny);
    }));
}
/// Of an API: `paths`, `mount`, `fallback`.
void add_keys_of_paths(std::vector<Key<ApiDraft>>& keys);
/// Of an API: `encoded_slashes`, `empty_segments`.
void add_keys_of_spellings(std::vector<Key<ApiDraft>>& keys);
/// Of an API: `hosts`.
void add_key_of_hosts(std::vector<Key<ApiDraft>>& keys);
/// Of an API: `strip_prefix`, `upstream_prefix`.
void add_keys_of_the_path(std::vector<Key<ApiDraft>>& keys);
/// No two APIs of one host have the same one of `paths`.
void refuse_shared_paths(Reader& reader, Api const& api, std::vector<Api> const& others);
/// The name of a field as the configuration takes it: field_name_pattern().
[[nodiscard]] bool is_field_name(std::string_view name);
void refuse_field_name(Reader& reader, Origin const& origin);
/// Methods in capital letters, without those that never pass.
[[nodiscard]] Shape methods_shape();
void read_method_list(Reader& reader, Value const& value, std::vector<std::string>& out);
/// Which origins a list takes beside those of single pages' hosts.
enum class EveryOrigin : bool { refused, allowed };
/// Origins of web pages. `every`: whether it takes "*", and "null", which every page can have.
[[nodiscard]] Shape origins_shape(EveryOrigin every);
void read_origins(Reader& reader, Value const& value, EveryOrigin every,
                  std::vector<AllowedOrigin>& out);
/// Of an API: `cors`.
void add_key_of_cors(std::vector<Key<ApiDraft>>& keys);
/// Of an API: `upgrade`, `websocket`.
void add_keys_of_websockets(std::vector<Key<ApiDraft>>& keys);
/// What must hold between them and its other keys, which have been read. `value`: the API.
void check_websockets(Reader& reader, Value const& value, ApiDraft const& api);
/// Of an API: `headers`, `security_headers`.
void add_keys_of_headers(std::vector<Key<ApiDraft>>& keys);
[[nodiscard]] Section<FailedAuthentication> const& failed_authentication_section();
/// What must hold between its keys.
void check_failed_authentication(Reader& reader, yaml::Node const& root, Config const& config);
/// After the upstreams, whose names it looks up.
void read_apis(Reader& reader, Value const& value, Section<ApiDraft> const& api,
               Authenticators authenticators, Config& out);

[[nodiscard]] inline LastingOrigin lasting_origin_of(Value const& value) {
    return {value.node->mark(), value.path};
}

/// A role of the file of credentials, and whether a credential has it.
struct DeclaredRole {
    std::shared_ptr<Role const> role;
    bool is_used = false;
};

/// What entries of the file of credentials refer to.
struct PermissionNames {
    std::vector<std::string> apis; // that rules may name; empty: any
    std::vector<DeclaredRole> roles;
    std::vector<std::string> roles_of_tokens; // that the configuration gives to tokens
};

/// An entry of the file of credentials while it is read.
struct CredentialDraft {
    Credential& credential;
    PermissionNames& names;
};
[[nodiscard]] std::unique_ptr<Section<CredentialDraft> const>
make_credential_section(Authenticators authenticators);

/// The file of credentials.
struct CredentialsFile {
    PermissionNames names;
    std::vector<Credential> credentials;
    std::optional<Credential> htpasswd; // what its users have in common
};
/// `credential`: outlives the section.
[[nodiscard]] std::unique_ptr<Section<CredentialsFile> const>
make_credentials_section(Section<CredentialDraft> const& credential);
/// When all of the file has been read: it has entries, roles or what is said of htpasswd users, and
/// no role is without use.
void check_credentials_file(Reader& reader, yaml::Node const& root, Authenticators authenticators,
                            CredentialsFile& file);

/// `allow` of a credential or a role.
[[nodiscard]] SectionInfo const& allow_info();
void read_allow(Reader& reader, Value const& value, std::vector<std::string> const& apis,
                Allow& out);
/// An entry of `deny`.
[[nodiscard]] SectionInfo const& deny_info();
void read_deny(Reader& reader, Value const& value, std::vector<std::string> const& apis,
               std::vector<AccessRule>& out);

/// `roles` of the file of credentials, before its entries.
[[nodiscard]] KeyInfo roles_info();
void read_roles(Reader& reader, Value const& value, PermissionNames& out);
/// `allow`, `deny`, `roles` of an entry.
void add_keys_of_permissions(std::vector<Key<CredentialDraft>>& keys);
/// Of an entry that has been read: it is allowed something, and has the labels that its rules and
/// those of its roles compare with. `value`: the entry.
void check_permissions(Reader& reader, Value const& value, Credential const& credential);
/// Warns of roles that no entry and no token has.
void check_roles_used(Reader& reader, PermissionNames const& names);

} // namespace sallyport::config
