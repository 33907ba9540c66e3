// Permissions of the file of credentials: `roles`, and what an entry has of `allow`, `deny` and
// `roles`.
#include "config/patterns.h"
#include "config/sections.h"
#include "config/text.h"

#include <algorithm>
#include <utility>

namespace sallyport::config {

namespace {

struct RoleDraft {
    Role role;
    std::vector<std::string> const* apis = nullptr;
};

Shape allow_shape() {
    return either_shape(literal_shape("all"), section_shape(allow_info()));
}

Shape deny_shape() {
    return list_shape(section_shape(deny_info()), 1);
}

constexpr std::string_view help_of_deny =
    "what it may not do though it is allowed: rules, each of which denies by itself";

Section<RoleDraft> const& role_section() {
    static Section<RoleDraft> const section{
        "role",
        {
            custom_key<RoleDraft>({"allow", allow_shape(), "what it adds: as of a credential"},
                                  [](Reader& reader, Value const& value, RoleDraft& out) {
                                      read_allow(reader, value, *out.apis, out.role.allow);
                                  }),
            custom_key<RoleDraft>({"deny", deny_shape(),
                                   "what it takes away, whatever else allows it: as of a "
                                   "credential"},
                                  [](Reader& reader, Value const& value, RoleDraft& out) {
                                      read_deny(reader, value, *out.apis, out.role.deny);
                                  }),
        }};
    return section;
}

void read_held_roles(Reader& reader, Value const& value, CredentialDraft& out) {
    auto& declared = out.names.roles;
    auto& held = out.credential.roles;
    for (Value const& item : reader.read_list(value, Empty::told)) {
        auto const name = reader.read_line(item, 64);
        if (!name) continue;
        auto const has_name = [&name](auto const& one) { return one.role->name == *name; };
        auto const found = std::find_if(declared.begin(), declared.end(), has_name);
        if (found == declared.end()) {
            std::vector<std::string_view> names;
            for (auto const& one : declared)
                names.emplace_back(one.role->name);
            reader.refuse(item, "no role is called " + in_quotes(*name),
                          names.empty() ? "write it under `roles:` of the file"
                                        : suggestion(*name, names));
        } else if (std::any_of(held.begin(), held.end(), has_name)) {
            reader.refuse(item, "the role is given twice", "remove one");
        } else {
            found->is_used = true;
            held.push_back({found->role, lasting_origin_of(item)});
        }
    }
}

// Where the rules of a credential stand, for messages about its labels.
struct Place {
    Role const* role = nullptr; // null: in the entry itself
    LastingOrigin const* held_at = nullptr;
};

void check_label(Reader& reader, Credential const& credential, AllowedParameter const& parameter,
                 std::string const& name, Place const& place) {
    auto const& labels = credential.labels;
    auto const label = std::find_if(labels.begin(), labels.end(),
                                    [&name](Label const& one) { return one.name == name; });
    std::string const by = place.role == nullptr
                               ? std::string{}
                               : "the role " + in_quotes(place.role->name) + " needs a label for "
                                     + in_quotes(parameter.name) + ": ";
    LastingOrigin const& origin = place.role == nullptr ? parameter.origin : *place.held_at;
    if (label == labels.end()) {
        std::vector<std::string_view> names;
        for (Label const& one : labels)
            names.emplace_back(one.name);
        auto const meant = nearest(name, names);
        reader.refuse(origin, by + "the credential has no label " + in_quotes(name),
                      meant ? "did you mean " + in_quotes(*meant) + '?'
                            : "write labels: { " + name + ": ... }");
    } else if (auto const* const text = std::get_if<std::string>(&label->value);
               text != nullptr && text->empty()) {
        reader.refuse(origin, by + "the label " + in_quotes(name) + " is empty",
                      "write a value into it");
    }
}

void check_labels(Reader& reader, Credential const& credential, AccessRule const& rule,
                  Place const& place) {
    for (AllowedParameter const& parameter : rule.parameters) {
        for (std::string const& label : parameter.labels)
            check_label(reader, credential, parameter, label, place);
    }
}

} // namespace

KeyInfo roles_info() {
    return {"roles", named_shape(section_shape(role_section().info()), 0, name_pattern()),
            "permissions that several credentials have, by a name"};
}

void read_roles(Reader& reader, Value const& value, PermissionNames& out) {
    for (NamedValue const& named : reader.read_named(value, Empty::told)) {
        RoleDraft draft;
        draft.apis = &out.apis;
        draft.role.name = named.name;
        draft.role.origin = {named.mark, named.value.path};
        (void)reader.check_name(named.mark, named.value.path, named.name);
        role_section().read(reader, named.value, draft);
        if (named.value.node->is_mapping() && named.value.node->entries().empty())
            reader.warn(named.value, "is empty", "write allow or deny");
        out.roles.push_back({std::make_shared<Role const>(std::move(draft.role))});
    }
}

void add_keys_of_permissions(std::vector<Key<CredentialDraft>>& keys) {
    using Draft = CredentialDraft;
    keys.push_back(custom_key<Draft>(
        {"allow", allow_shape(), "all, or what it is restricted to; either this or roles, or both"},
        [](Reader& reader, Value const& value, Draft& out) {
            read_allow(reader, value, out.names.apis, out.credential.allow);
        }));
    keys.push_back(custom_key<Draft>({"deny", deny_shape(), std::string{help_of_deny}},
                                     [](Reader& reader, Value const& value, Draft& out) {
                                         read_deny(reader, value, out.names.apis,
                                                   out.credential.deny);
                                     }));
    keys.push_back(custom_key<Draft>(
        {"roles",
         list_shape(text_shape(64, name_pattern()), 0, no_limit, Repeats::refused),
         "roles of this file: it may do what one of them allows, and what none denies"},
        read_held_roles));
}

void check_permissions(Reader& reader, Value const& value, Credential const& credential) {
    if (!value.node->is_mapping()) return;
    bool const has_some =
        value.node->find("allow") != nullptr || value.node->find("roles") != nullptr;
    if (!has_some)
        reader.refuse(Origin{value.node->mark(), value.path.key("allow")}, "is missing",
                      "write allow: all, or allow: { operations: [...] }");
    bool const allows_some =
        std::any_of(credential.roles.begin(), credential.roles.end(), [](HeldRole const& held) {
            return held.role->allow.extent != Allowed::nothing;
        });
    if (value.node->find("allow") == nullptr && !credential.roles.empty() && !allows_some)
        reader.warn(credential.roles.front().origin,
                    "none of its roles has `allow`: nothing is allowed",
                    "write `allow` into one of them, or here");
    // Labels that are not known here may be those.
    if (reader.has_left_open(value.path.key("labels"))) return;
    check_labels(reader, credential, credential.allow, {});
    for (AccessRule const& rule : credential.deny)
        check_labels(reader, credential, rule, {});
    for (HeldRole const& held : credential.roles) {
        Place const place{held.role.get(), &held.origin};
        check_labels(reader, credential, held.role->allow, place);
        for (AccessRule const& rule : held.role->deny)
            check_labels(reader, credential, rule, place);
    }
}

void check_roles_used(Reader& reader, PermissionNames const& names) {
    for (DeclaredRole const& declared : names.roles) {
        if (declared.is_used) continue;
        reader.warn(declared.role->origin, "no credential has this role", "remove it");
    }
}

} // namespace sallyport::config
