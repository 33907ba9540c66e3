// Of the section `apis`: how its callers prove who they are, and the settings of authenticators.
#include "config/sections.h"
#include "config/text.h"

#include <algorithm>
#include <memory>
#include <optional>
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

std::vector<std::string_view> names_of(Schemes const& schemes) {
    std::vector<std::string_view> out;
    for (auto const& scheme : schemes)
        out.push_back(scheme.text);
    return out;
}

std::string what_to_authenticate_with(Authenticators authenticators) {
    std::vector<std::string_view> names;
    std::string alone;
    for (Authenticator const* const one : authenticators) {
        if (one->accepts == Accepts::callers) {
            names.push_back(one->name);
        } else {
            alone += ", or [" + std::string{one->name} + "] where ";
            alone += one->checked_by == CheckedBy::upstream ? "the upstream checks them"
                                                            : "every client may call";
        }
    }
    return "write " + list_of(names) + alone;
}

// Those of which an entry of the file of credentials can have an identity beside another one.
Schemes members_of(Authenticators authenticators) {
    Schemes out;
    for (Authenticator const* const one : authenticators)
        if (one->identity) out.push_back({one->name, one});
    return out;
}

using Names = std::vector<std::string>;

void read_all_of(Reader& reader, Value const& value, Authenticators authenticators, Names& out) {
    auto const schemes = schemes_of(authenticators);
    Authenticator const* with_secrets = nullptr;
    auto const items = reader.read_list(value, Empty::refused);
    if (items.size() == 1)
        reader.refuse(value, "has one, which asks for nothing else", "write it without all");
    for (Value const& item : items) {
        auto const scheme = read_word(reader, item, schemes);
        if (!scheme) continue;
        Authenticator const& one = **scheme;
        std::string const name{one.name};
        if (!one.identity) {
            reader.refuse(item,
                          name
                              + " has no entries in the file of credentials: nothing would "
                                "say that its callers are those of the others",
                          "write " + list_of(names_of(members_of(authenticators))));
        } else if (std::find(out.begin(), out.end(), name) != out.end()) {
            reader.refuse(item, "is given twice", "remove one");
        } else if (one.identity->secrets && with_secrets != nullptr) {
            reader.refuse(item,
                          "no entry of the file of credentials has an identity of " + name
                              + " and one of " + std::string{with_secrets->name},
                          "write one of them");
        } else {
            if (one.identity->secrets) with_secrets = &one;
            out.push_back(name);
        }
    }
}

std::vector<Key<Names>> keys_of_all(Authenticators authenticators) {
    KeyInfo info{
        "all",
        list_shape(word_shape(infos_of(members_of(authenticators))), 2, no_limit, Repeats::refused),
        "each of them proves the caller, and all the same credential"};
    std::vector<Key<Names>> keys;
    keys.push_back(
        custom_key<Names>(std::move(info), [authenticators](Reader& reader, Value const& value,
                                                            Names& out) {
            read_all_of(reader, value, authenticators, out);
        }).required("all: [...]"));
    return keys;
}

} // namespace

AuthenticateKey::AuthenticateKey(Authenticators authenticators)
    : authenticators_{authenticators}, all_{"all", keys_of_all(authenticators)} {}

Shape AuthenticateKey::shape() const {
    auto element = word_shape(infos_of(schemes_of(authenticators_)));
    if (members_of(authenticators_).size() > 1)
        element = either_shape(std::move(element), section_shape(all_.info()));
    return list_shape(std::move(element), 1, no_limit, Repeats::refused);
}

std::optional<AuthenticatorSet> AuthenticateKey::read_set(Reader& reader, Value const& item) const {
    if (item.node->is_mapping()) {
        std::vector<std::string> names;
        all_.read(reader, item, names);
        if (names.empty()) return std::nullopt;
        AuthenticatorSet set{std::move(names)};
        set.stands_at(item.node->mark());
        return set;
    }
    auto const scheme = read_word(reader, item, schemes_of(authenticators_));
    if (!scheme) return std::nullopt;
    return AuthenticatorSet{std::string{(*scheme)->name}};
}

void AuthenticateKey::read(Reader& reader, Value const& value, AuthenticatorSets& out) const {
    if (value.node->is_sequence() && value.node->items().empty()) {
        reader.refuse(value, "is empty: no client could be authenticated",
                      what_to_authenticate_with(authenticators_));
        return;
    }
    auto const items = reader.read_list(value, Empty::allowed);
    std::vector<Value> places; // of what is in `out`
    for (Value const& item : items) {
        auto set = read_set(reader, item);
        if (!set) continue;
        if (accept_every_client(authenticators_, {*set}) && items.size() > 1) {
            reader.refuse(item,
                          set->text()
                              + (are_left_to_upstream(authenticators_, {*set})
                                     ? " leaves credentials to the upstream"
                                     : " accepts every client")
                              + ": nothing beside it would count",
                          "write [" + set->text() + "] alone, or remove it");
        } else if (std::find(out.begin(), out.end(), *set) != out.end()) {
            reader.refuse(item, set->is_one() ? "is given twice" : "asks for the same as another",
                          "remove one");
        } else {
            out.push_back(std::move(*set));
            places.push_back(item);
        }
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
        auto const enough = std::find_if(out.begin(), out.end(), [&](AuthenticatorSet const& one) {
            return one != out[i] && out[i].includes(one);
        });
        if (enough == out.end()) continue;
        reader.refuse(places[i], "has no effect: " + enough->text() + " is enough",
                      "remove one of them; a rule of the API may ask for more");
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
    auto const reading = std::make_shared<AuthenticateKey const>(authenticators);
    std::string help = "how callers prove who they are: the first of which a request has "
                       "credentials decides; `{ all: [...] }` asks for several at once";
    for (Authenticator const* const one : authenticators) {
        if (one->accepts == Accepts::every_client)
            help += "; " + std::string{one->name}
                    + (one->checked_by == CheckedBy::upstream
                           ? " leaves credentials to the upstream, and stands alone"
                           : " accepts every client, and stands alone");
    }
    KeyInfo authenticate{"authenticate", reading->shape(), help};
    keys.push_back(
        custom_key<Draft>(std::move(authenticate), [reading](Reader& reader, Value const& value,
                                                             Draft& out) {
            reading->read(reader, value, out.authenticate);
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

namespace {

// What is said of callers where the upstream knows them, and the gateway does not.
void check_left_callers(Reader& reader, Value const& value, ApiDraft const& api) {
    auto const refuse = [&](std::string_view key, std::string_view why) {
        auto const* const entry = value.node->find_entry(key);
        if (entry == nullptr) return;
        reader.refuse(Origin{entry->mark, value.path.key(key)},
                      "has no effect with authenticate: [upstream]: " + std::string{why},
                      "remove it");
    };
    refuse("forward_cookies", "the upstream gets the cookies of clients");
    refuse("identity", "the gateway knows no caller");
    if (api.security == ContractSecurity::use)
        refuse("security", "the upstream checks who calls");
    if (!api.websocket || api.websocket->token_prefix.empty()) return;
    reader.refuse(Reader::child(Reader::child(value, "websocket"), "token_prefix"),
                  "has no effect with authenticate: [upstream]: subprotocols are passed on",
                  "remove it");
}

} // namespace

void check_settings(Reader& reader, Value const& value, Authenticators authenticators,
                    ApiDraft const& api) {
    if (!value.node->is_mapping() || reader.has_left_open(value.path.key("authenticate"))) return;
    if (api.authenticate.empty()) return; // an error of its own
    if (are_left_to_upstream(authenticators, api.authenticate))
        check_left_callers(reader, value, api);
    for (Authenticator const* const one : authenticators) {
        if (!one->api) continue;
        std::string const name{one->name};
        bool const is_used =
            names_any(api.authenticate, name)
            || std::any_of(api.rule_drafts.begin(), api.rule_drafts.end(),
                           [&](auto const& rule) { return names_any(rule.authenticate, name); });
        auto const* const entry = value.node->find_entry(name);
        if (entry != nullptr && !is_used) {
            reader.refuse(Origin{entry->mark, value.path.key(name)},
                          "has no effect: `authenticate` does not name it",
                          "add " + name + " to `authenticate`, or remove it");
        } else if (entry == nullptr && is_used && has_required_keys(*one->api->section)) {
            reader.refuse(Origin{value.node->mark(), value.path.key(name)},
                          "is missing: `authenticate` names it", "write " + name + ": { ... }");
        }
    }
}

} // namespace sallyport::config
