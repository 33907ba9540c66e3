// Of the section `apis`: how its callers prove who they are, and the settings of authenticators.
#include "config/sections.h"
#include "config/text.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::config {

namespace {

using Draft = ApiDraft;
using Schemes = std::vector<Word<Authenticator const*>>;

Schemes schemes_of(Authenticators authenticators) {
    Schemes out;
    for (Authenticator const* const one : authenticators) {
        bool const is_alone = one->accepts == Accepts::every_client;
        out.push_back({one->name, one, is_alone ? Company::refused : Company::allowed});
    }
    return out;
}

std::string what_to_authenticate_with(Authenticators authenticators) {
    std::vector<std::string_view> names;
    std::string alone;
    for (Authenticator const* const one : authenticators) {
        if (one->accepts == Accepts::callers) {
            names.push_back(one->name);
        } else {
            alone = ", or [" + std::string{one->name} + "] where every client may call";
        }
    }
    return "write " + list_of(names) + alone;
}

} // namespace

bool accepts_every_client(Authenticators authenticators, std::string_view name) {
    auto const* const one = find_authenticator(authenticators, name);
    return one != nullptr && one->accepts == Accepts::every_client;
}

Shape authenticate_shape(Authenticators authenticators) {
    return list_shape(word_shape(infos_of(schemes_of(authenticators))), 1, no_limit,
                      Repeats::refused);
}

void read_authenticate(Reader& reader, Value const& value, Authenticators authenticators,
                       std::vector<std::string>& out) {
    if (value.node->is_sequence() && value.node->items().empty()) {
        reader.refuse(value, "is empty: no client could be authenticated",
                      what_to_authenticate_with(authenticators));
        return;
    }
    auto const schemes = schemes_of(authenticators);
    auto const items = reader.read_list(value, Empty::allowed);
    for (Value const& item : items) {
        auto const scheme = read_word(reader, item, schemes);
        if (!scheme) continue;
        std::string const name{(*scheme)->name};
        if ((*scheme)->accepts == Accepts::every_client && items.size() > 1) {
            reader.refuse(item, name + " accepts every client: nothing beside it would count",
                          "write [" + name + "] alone, or remove it");
        } else if (std::find(out.begin(), out.end(), name) != out.end()) {
            reader.refuse(item, "is given twice", "remove one");
        } else {
            out.push_back(name);
        }
    }
}

namespace {

bool has_required_keys(SectionInfo const& section) {
    return std::any_of(section.keys.begin(), section.keys.end(),
                       [](KeyInfo const& key) { return key.presence == Presence::required; });
}

} // namespace

std::string example_of_authenticate(Authenticators authenticators) {
    std::string const name{authenticators.empty() ? "NAME" : authenticators.front()->name};
    return "authenticate: [" + name + ']';
}

std::vector<Key<ApiDraft>> keys_of_callers(Authenticators authenticators) {
    std::vector<Key<Draft>> keys;
    std::string help = "how callers prove who they are, the first that fits";
    for (Authenticator const* const one : authenticators) {
        if (one->accepts == Accepts::every_client)
            help += "; " + std::string{one->name} + " accepts every client, and stands alone";
    }
    KeyInfo authenticate{"authenticate", authenticate_shape(authenticators), help};
    keys.push_back(custom_key<Draft>(std::move(authenticate), [authenticators](Reader& reader,
                                                                               Value const& value,
                                                                               Draft& out) {
                       read_authenticate(reader, value, authenticators, out.authenticate);
                   }).required(example_of_authenticate(authenticators)));
    for (Authenticator const* const one : authenticators) {
        if (!one->api) continue;
        keys.push_back(custom_key<Draft>(
            {one->name, section_shape(*one->api->section), one->api->help},
            [one](Reader& reader, Value const& value, Draft& out) {
                out.settings.emplace_back(one->name, one->api->read(reader, value));
            }));
    }
    return keys;
}

void check_settings(Reader& reader, Value const& value, Authenticators authenticators,
                    Api const& api) {
    if (!value.node->is_mapping() || reader.has_left_open(value.path + ".authenticate")) return;
    if (api.authenticate.empty()) return; // an error of its own
    for (Authenticator const* const one : authenticators) {
        if (!one->api) continue;
        std::string const name{one->name};
        bool const is_used = std::find(api.authenticate.begin(), api.authenticate.end(), name)
                             != api.authenticate.end();
        auto const* const entry = value.node->find_entry(name);
        if (entry != nullptr && !is_used) {
            reader.refuse(Origin{entry->mark, yaml::join_key(value.path, name)},
                          "has no effect: `authenticate` does not name it",
                          "add " + name + " to `authenticate`, or remove it");
        } else if (entry == nullptr && is_used && has_required_keys(*one->api->section)) {
            reader.refuse(Origin{value.node->mark(), yaml::join_key(value.path, name)},
                          "is missing: `authenticate` names it", "write " + name + ": { ... }");
        }
    }
}

} // namespace sallyport::config
