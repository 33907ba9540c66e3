// What a reload has changed of the credentials: see credential_changes.h.
#include "gateway/lifecycle/credential_changes.h"

#include "config/authenticator.h"
#include "config/credentials.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>

namespace sallyport::lifecycle {

namespace {

// A number that depends on all that is added, and its order. Not for anything that must not be
// forged: the file is the operator's own.
class Mix {
public:
    void add(std::uint64_t number) {
        state_ = (state_ ^ number) * 0x9E3779B97F4A7C15U;
        state_ ^= state_ >> 32U;
    }
    void add(std::string_view text) { add(std::hash<std::string_view>{}(text)); }
    void add(std::optional<std::chrono::system_clock::time_point> const& time) {
        add(time ? static_cast<std::uint64_t>(time->time_since_epoch().count()) : 0);
        add(time ? 1U : 0U);
    }
    [[nodiscard]] std::uint64_t result() const { return state_; }

private:
    std::uint64_t state_ = 0;
};

void add(Mix& mix, config::AccessRule const& rule) {
    mix.add(rule.operations.size());
    for (auto const& one : rule.operations) {
        mix.add(one.api);
        mix.add(one.operation);
    }
    mix.add(rule.apis.size());
    for (auto const& one : rule.apis)
        mix.add(one.api);
    mix.add(rule.tags.size());
    for (auto const& one : rule.tags) {
        mix.add(one.api);
        mix.add(one.tag);
    }
    mix.add(rule.methods.size());
    for (auto const& one : rule.methods)
        mix.add(one);
    mix.add(rule.read_only ? 1U : 0U);
    mix.add(rule.parameters.size());
    for (auto const& one : rule.parameters) {
        mix.add(one.name);
        for (auto const* const texts : {&one.values, &one.labels}) {
            mix.add(texts->size());
            for (auto const& text : *texts)
                mix.add(text);
        }
    }
}

void add(Mix& mix, config::Allow const& allow, std::vector<config::AccessRule> const& deny) {
    mix.add(static_cast<std::uint64_t>(allow.extent));
    add(mix, static_cast<config::AccessRule const&>(allow));
    mix.add(deny.size());
    for (auto const& rule : deny)
        add(mix, rule);
}

void add(Mix& mix, config::LabelValue const& value) {
    mix.add(value.index());
    std::visit(
        [&mix](auto const& one) {
            using Value = std::decay_t<decltype(one)>;
            if constexpr (std::is_same_v<Value, std::string>)
                mix.add(std::string_view{one});
            else
                mix.add(static_cast<std::uint64_t>(std::hash<Value>{}(one)));
        },
        value);
}

// What identifies it, but not its secrets, by which some kinds are found.
void add(Mix& mix, config::Identity const& identity) {
    mix.add(identity.authenticator->name);
    auto const& settings = *identity.authenticator->identity;
    bool const is_found_by_secret =
        settings.secrets && settings.unique.key == settings.secrets->key;
    if (is_found_by_secret) return;
    mix.add(identity.keys.size());
    for (auto const& key : identity.keys)
        mix.add(key);
}

using Secrets = std::vector<secrets::Sha256>;

Secrets secrets_of(pipeline::Credential const& credential) {
    Secrets out;
    if (credential.has_digests) out.assign(credential.digests.begin(), credential.digests.end());
    for (auto const& slow : credential.slow)
        out.push_back(slow.fingerprint());
    return out;
}

bool has_all(Secrets const& all, Secrets const& some) {
    return std::all_of(some.begin(), some.end(), [&all](auto const& one) {
        return std::find(all.begin(), all.end(), one) != all.end();
    });
}

std::vector<CredentialChange> differences(pipeline::Credential const& before,
                                          pipeline::Credential const& now) {
    std::vector<CredentialChange> out;
    auto const older = secrets_of(before);
    auto const newer = secrets_of(now);
    if (!has_all(older, newer)) out.push_back(CredentialChange::secret_added);
    if (!has_all(newer, older)) out.push_back(CredentialChange::secret_removed);
    if (before.disabled != now.disabled)
        out.push_back(now.disabled ? CredentialChange::disabled : CredentialChange::enabled);
    if (before.rest != now.rest) out.push_back(CredentialChange::changed);
    return out;
}

void list(CredentialChanges& out, std::string const& name, std::vector<CredentialChange> changes) {
    if (out.first.size() < most_changes_listed) out.first.push_back({name, std::move(changes)});
}

} // namespace

std::string_view to_string(CredentialChange change) noexcept {
    switch (change) {
    case CredentialChange::added: return "added";
    case CredentialChange::removed: return "removed";
    case CredentialChange::secret_added: return "secret_added";
    case CredentialChange::secret_removed: return "secret_removed";
    case CredentialChange::disabled: return "disabled";
    case CredentialChange::enabled: return "enabled";
    case CredentialChange::changed: break;
    }
    return "changed";
}

CredentialsBefore::CredentialsBefore(pipeline::CredentialTable const& table) : table_{&table} {
    by_name_.reserve(table.all().size());
    for (auto const& one : table.all())
        by_name_.emplace(one->identity.name, one.get());
}

pipeline::Credential const* CredentialsBefore::find(std::string_view name) const {
    auto const found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
}

CredentialChanges CredentialsBefore::changes_to(pipeline::CredentialTable const& now) && {
    CredentialChanges out;
    if (table_ == nullptr) return out;
    auto& gone = by_name_; // what is not met below
    for (auto const& one : now.all()) {
        auto const& name = one->identity.name;
        auto const found = gone.find(name);
        if (found == gone.end()) {
            ++out.added;
            list(out, name, {CredentialChange::added});
            continue;
        }
        auto changes = differences(*found->second, *one);
        gone.erase(found);
        if (changes.empty()) continue;
        ++out.changed;
        list(out, name, std::move(changes));
    }
    out.removed = gone.size();
    if (gone.empty()) return out;
    for (auto const& one : table_->all())
        if (gone.contains(one->identity.name))
            list(out, one->identity.name, {CredentialChange::removed});
    return out;
}

std::size_t count_disabled(pipeline::CredentialTable const& table) {
    auto const& all = table.all();
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [](auto const& one) { return one->disabled; }));
}

std::uint64_t RestOfEntries::of(config::Credential const& credential) {
    Mix mix;
    for (auto const& identity : credential.identities)
        add(mix, identity);
    mix.add(credential.labels.size());
    for (auto const& label : credential.labels) {
        mix.add(label.name);
        add(mix, label.value);
    }
    mix.add(credential.scopes.size());
    for (auto const& scope : credential.scopes)
        mix.add(scope.name);
    add(mix, credential.allow, credential.deny);
    for (auto const& held : credential.roles) {
        auto const [role, is_new] = roles_.try_emplace(held.role.get(), 0);
        if (is_new) {
            Mix of_role;
            of_role.add(held.role->name);
            add(of_role, held.role->allow, held.role->deny);
            role->second = of_role.result();
        }
        mix.add(role->second);
    }
    mix.add(credential.not_before);
    mix.add(credential.expires);
    return mix.result();
}

} // namespace sallyport::lifecycle
