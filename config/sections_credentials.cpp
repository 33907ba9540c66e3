// The file of credentials: callers, their identities, what they are allowed, until when.
#include "config/patterns.h"
#include "config/sections.h"
#include "config/text.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace sallyport::config {

namespace {

std::optional<LabelValue> read_label(Reader& reader, Value const& value) {
    yaml::Node const& node = *value.node;
    if (node.is_boolean()) return node.as_boolean();
    if (node.is_integer()) return node.as_integer();
    if (node.is_number()) return node.as_number();
    if (node.is_string()) {
        auto text = reader.read_text(value);
        if (!text || !reader.check_no_nul(node.mark(), value.path, *text)) return std::nullopt;
        return std::move(*text);
    }
    reader.refuse_type(value, "a text, a number, true or false", "write one value");
    return std::nullopt;
}

using Draft = CredentialDraft;

void read_labels(Reader& reader, Value const& value, Draft& out) {
    auto const all = reader.read_named(value, Empty::allowed);
    out.credential.labels.reserve(all.size());
    for (NamedValue const& named : all) {
        auto label = read_label(reader, named.value);
        bool const is_name = reader.check_no_nul(named.mark, named.value.path, named.name);
        if (!label || !is_name) continue;
        out.credential.labels.push_back(
            {named.name, std::move(*label), named.value.node->mark(), value.path});
    }
}

void read_name(Reader& reader, Value const& value, Draft& out) {
    auto name = reader.read_line(value, 64);
    if (name && reader.check_name(value.node->mark(), value.path, *name)) {
        out.credential.name = std::move(*name);
    }
}

using Moment = std::optional<std::chrono::system_clock::time_point>;

Key<Draft> moment_key(std::string_view name, Moment Credential::*member, std::string_view help) {
    return custom_key<Draft>(
        {name, text_shape(64, date_time_pattern()), help},
        [member](Reader& reader, Value const& value, Draft& out) {
            auto const text = reader.read_line(value, 64);
            if (!text) return;
            auto const moment = out.credential.*member = parse_date_time(*text);
            if (moment) return;
            reader.refuse(value, Reader::shown(value) + " is not a point in time",
                          "write it as RFC 3339 has it: 2027-06-30T00:00:00Z");
        });
}

void check_moments(Reader& reader, Value const& value, Credential const& credential) {
    auto const& begin = credential.not_before;
    auto const& end = credential.expires;
    if (!begin || !end || *begin < *end) return;
    reader.refuse(Reader::child(value, "not_before"),
                  "is not before `expires`: the credential would never be valid",
                  "write an earlier one");
}

// The authenticators that have something in an entry.
std::vector<Authenticator const*> with_identity(Authenticators authenticators) {
    std::vector<Authenticator const*> out;
    for (Authenticator const* const one : authenticators) {
        if (one->identity) out.push_back(one);
    }
    return out;
}

std::vector<std::string_view> names_of(std::vector<Authenticator const*> const& authenticators) {
    std::vector<std::string_view> out;
    for (Authenticator const* const one : authenticators)
        out.push_back(one->name);
    return out;
}

// The help of the first one names the others.
void add_identities(std::vector<Key<Draft>>& keys, std::vector<Authenticator const*> const& all) {
    for (Authenticator const* const one : all) {
        std::string help{one->identity->help};
        if (one == all.front() && all.size() > 1) {
            std::vector<Authenticator const*> const others{all.begin() + 1, all.end()};
            help += "; instead, or beside it where only one of both has secrets, "
                    + list_of(names_of(others));
        }
        keys.push_back(
            custom_key<Draft>({one->name, section_shape(*one->identity->section), help},
                              [one](Reader& reader, Value const& value, Draft& out) {
                                  auto& to = out.credential.identities;
                                  auto identity = one->identity->read(reader, value);
                                  identity.authenticator = one;
                                  bool const is_first = one->identity->secrets.has_value();
                                  to.insert(is_first ? to.begin() : to.end(), std::move(identity));
                              }));
    }
}

Key<Draft> labels_key() {
    return custom_key<Draft>({"labels", named_shape(ShapeKind::scalar, 0, R"(^[^\x00]*$)"),
                              "what contracts may ask of the caller (x-when)", "{}"},
                             read_labels);
}

constexpr std::size_t longest_scope = 256;

void read_scopes(Reader& reader, Value const& value, Draft& out) {
    auto& scopes = out.credential.scopes;
    for (Value const& item : reader.read_list(value, Empty::refused)) {
        auto scope = reader.read_line(item, longest_scope);
        if (!scope) continue;
        bool const is_there = std::any_of(scopes.begin(), scopes.end(),
                                          [&](Scope const& one) { return one.name == *scope; });
        if (is_there) {
            reader.refuse(item, "is given twice", "remove one");
        } else {
            scopes.push_back({std::move(*scope), lasting_origin_of(item)});
        }
    }
}

Key<Draft> scopes_key() {
    return custom_key<Draft>(
        {"scopes",
         list_shape(text_shape(longest_scope, text_pattern()), 1, no_limit, Repeats::refused),
         "what contracts may ask of the caller in `security`, where an API says security: use"},
        read_scopes);
}

// What all users of the htpasswd file have.
Section<Draft> const& users_section() {
    static Section<Draft> const section{"htpasswd",
                                        [] {
                                            std::vector<Key<Draft>> keys;
                                            keys.push_back(labels_key());
                                            keys.push_back(scopes_key());
                                            add_keys_of_permissions(keys);
                                            return keys;
                                        }(),
                                        SectionRules{.some_of = {{"allow", "roles"}}}};
    return section;
}

void read_users(Reader& reader, Value const& value, CredentialsFile& out) {
    Draft draft{out.htpasswd.emplace(), out.names};
    draft.credential.origin = lasting_origin_of(value);
    users_section().read(reader, value, draft);
    check_permissions(reader, value, draft.credential);
}

std::vector<Key<Draft>> keys_of_entry(std::vector<Authenticator const*> const& all) {
    std::vector<Key<Draft>> keys;
    keys.push_back(
        custom_key<Draft>({"name", text_shape(64, name_pattern()), "its name in logs, unique"},
                          read_name)
            .required("name: NAME"));
    add_identities(keys, all);
    keys.push_back(labels_key());
    keys.push_back(scopes_key());
    add_keys_of_permissions(keys);
    keys.push_back(moment_key("not_before", &Credential::not_before,
                              "RFC 3339: refused until then; without it never"));
    keys.push_back(moment_key("expires", &Credential::expires,
                              "RFC 3339: refused from then on; without it never"));
    keys.push_back(
        custom_key<Draft>({"disabled", ShapeKind::boolean, "refused while it is true", "false"},
                          [](Reader& reader, Value const& value, Draft& out) {
                              if (auto const read = reader.read_boolean(value))
                                  out.credential.disabled = *read;
                          }));
    return keys;
}

// What no two credentials may share: names, and the keys of each authenticator. Maps to the first
// that has it. Refers to the texts of credentials, which stay where they are.
class Taken {
public:
    explicit Taken(std::size_t credentials) : credentials_{credentials} {
        names_.reserve(credentials);
    }

    // Whether it is new.
    bool take_name(Credential const& credential) { return names_.insert(credential.name).second; }
    // Null: it is new.
    Credential const* take_key(Authenticator const* authenticator, std::string_view key,
                               Credential const& credential) {
        auto const [of, is_first] = keys_.try_emplace(authenticator, &memory_);
        if (is_first) of->second.reserve(credentials_);
        auto const [first, is_new] = of->second.try_emplace(key, &credential);
        return is_new ? nullptr : first->second;
    }

private:
    using Keys = std::pmr::unordered_map<std::string_view, Credential const*>;

    std::size_t credentials_;                    // how many there are
    std::pmr::monotonic_buffer_resource memory_; // given back as a whole
    std::pmr::unordered_set<std::string_view> names_{&memory_};
    std::map<Authenticator const*, Keys> keys_;
};

void refuse_repeated(Reader& reader, Value const& value, Credential const& credential,
                     Taken& taken) {
    if (!credential.name.empty() && !taken.take_name(credential)) {
        reader.refuse(Reader::child(value, "name"),
                      "the name " + in_quotes(credential.name) + " is given twice",
                      "choose another");
    }
    for (Identity const& identity : credential.identities) {
        auto const* const authenticator = identity.authenticator;
        for (std::string const& key : identity.keys) {
            auto const* const other = taken.take_key(authenticator, key, credential);
            if (other == nullptr) continue;
            UniqueKey const& unique = authenticator->identity->unique;
            Value const place = Reader::child(value, authenticator->name);
            reader.refuse(unique.key.empty() ? place : Reader::child(place, unique.key),
                          "the credential " + in_quotes(other->name) + " has this "
                              + std::string{unique.noun} + " too",
                          std::string{unique.hint});
        }
    }
}

// Of those with secrets one: a secret of one identity must not be taken for that of another.
void check_identities(Reader& reader, Value const& value, SectionRules const& rules) {
    auto const& all = rules.some_of.front();
    auto const is_there = [&value](std::string_view name) {
        return value.node->is_mapping() && value.node->find(name) != nullptr;
    };
    bool const has_none = std::none_of(all.begin(), all.end(), is_there);
    auto const& exclusive = rules.most_one_of;
    if (!has_none && std::count_if(exclusive.begin(), exclusive.end(), is_there) < 2) return;
    (void)reader.check_choice(Reader::origin_of(value), value,
                              {.one_of = has_none ? all : exclusive,
                               .choice = all.size() > 1 ? "write one of them" : "write it"});
}

void read_list_of_credentials(Reader& reader, Value const& value, Section<Draft> const& section,
                              CredentialsFile& out) {
    auto const items = reader.read_list(value, Empty::told);
    // Once and for all: `taken` refers to texts of those that have been read.
    out.credentials.reserve(items.size());
    Taken taken{items.size()};
    for (Value const& item : items) {
        Credential& credential = out.credentials.emplace_back();
        credential.origin = lasting_origin_of(item);
        Draft draft{credential, out.names};
        section.read(reader, item, draft);
        check_identities(reader, item, section.info().rules);
        check_permissions(reader, item, credential);
        check_moments(reader, item, credential);
        refuse_repeated(reader, item, credential, taken);
    }
}

} // namespace

std::unique_ptr<Section<CredentialDraft> const>
make_credential_section(Authenticators authenticators) {
    auto const all = with_identity(authenticators);
    std::vector<Authenticator const*> with_secrets;
    for (Authenticator const* const one : all)
        if (one->identity->secrets) with_secrets.push_back(one);
    return std::make_unique<Section<Draft> const>(
        "credential", keys_of_entry(all),
        SectionRules{.most_one_of = names_of(with_secrets),
                     .some_of = {names_of(all), {"allow", "roles"}}});
}

std::unique_ptr<Section<CredentialsFile> const>
make_credentials_section(Section<CredentialDraft> const& credential) {
    std::vector<Key<CredentialsFile>> keys;
    keys.push_back(custom_key<CredentialsFile>(
        roles_info(), [](Reader& reader, Value const& value, CredentialsFile& out) {
            read_roles(reader, value, out.names);
        }));
    keys.push_back(custom_key<CredentialsFile>(
        {"htpasswd", section_shape(users_section().info()),
         "what the users of the htpasswd file that the configuration names may do"},
        read_users));
    keys.push_back(custom_key<CredentialsFile>(
        {"credentials", list_shape(section_shape(credential.info())),
         "one entry a caller; not needed beside htpasswd, or where only tokens have the roles"},
        [&credential](Reader& reader, Value const& value, CredentialsFile& out) {
            read_list_of_credentials(reader, value, credential, out);
        }));
    return std::make_unique<Section<CredentialsFile> const>(
        "credentials file", std::move(keys),
        SectionRules{.some_of = {{"credentials", "htpasswd", "roles"}}});
}

void check_credentials_file(Reader& reader, yaml::Node const& root, Authenticators authenticators,
                            CredentialsFile& file) {
    if (!root.is_mapping()) return;
    constexpr std::array<std::string_view, 3> enough{"credentials", "htpasswd", "roles"};
    bool const has_one = std::any_of(enough.begin(), enough.end(), [&root](std::string_view key) {
        return root.find(key) != nullptr;
    });
    if (!has_one) {
        auto const all = with_identity(authenticators);
        std::string const identity = all.empty() ? "" : std::string{all[0]->name} + ": { ... }, ";
        reader.refuse(Origin{root.mark(), "credentials"}, "is missing",
                      "write credentials: [{ name: NAME, " + identity + "allow: all }]");
    }
    auto const& of_tokens = file.names.roles_of_tokens;
    for (DeclaredRole& declared : file.names.roles) {
        auto const& name = declared.role->name;
        bool const has_it = std::find(of_tokens.begin(), of_tokens.end(), name) != of_tokens.end();
        declared.is_used = declared.is_used || has_it;
    }
    check_roles_used(reader, file.names);
}

} // namespace sallyport::config
