// The credentials of a configuration: what each of them may do at each API.
#include "gateway/lifecycle/compile_permissions.h"

#include "config/text.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace sallyport::lifecycle::compile {

namespace {

// What `names_of` finds at each API (null: nothing); none where not all contracts are known.
template <class NamesOf>
std::vector<std::string_view> known_names(Read const& read, Apis const& apis, NamesOf names_of) {
    std::vector<std::string_view> known;
    for (auto const& api : apis) {
        if (!is_contract_known(read, *api)) return {};
        if (auto const* const names = names_of(*api))
            known.insert(known.end(), names->begin(), names->end());
    }
    return known;
}

// Every label that some contract asks of its callers.
std::vector<std::string_view> known_labels(Read const& read, Apis const& apis) {
    return known_names(read, apis, [](pipeline::Api const& api) {
        return api.contract ? &api.contract->label_names() : nullptr;
    });
}

// Whether a rule of the credential, or of one of its roles, compares a parameter with the label.
bool is_compared_with(config::Credential const& credential, std::string const& label) {
    for (auto const& held : rules_of(credential)) {
        for (auto const& parameter : held.rule->parameters) {
            auto const& labels = parameter.labels;
            if (std::find(labels.begin(), labels.end(), label) != labels.end()) return true;
        }
    }
    return false;
}

// A misspelled label restricts no caller, and nothing else would report it. Only a warning: it may
// be meant for another gateway. If no contract uses labels, none is reported.
void check_label(config::Credential const& from, config::Label const& label,
                 std::vector<std::string_view> const& known, Problems& problems) {
    if (known.empty() || std::find(known.begin(), known.end(), label.name) != known.end()) return;
    if (is_compared_with(from, label.name)) return;
    problems.push_back(config::problem_at(
        label.origin(), "no rule of a contract asks for the label " + config::in_quotes(label.name),
        config::suggestion(label.name, known), config::yaml::Severity::warning));
}

// Every scope that an operation of some API needs.
std::vector<std::string_view> known_scopes(Read const& read, Apis const& apis) {
    return known_names(read, apis, [](pipeline::Api const& api) {
        return api.scopes != nullptr ? &api.scopes->known() : nullptr;
    });
}

// As check_label.
void check_scope(config::Scope const& scope, std::vector<std::string_view> const& known,
                 Problems& problems) {
    if (known.empty() || std::find(known.begin(), known.end(), scope.name) != known.end()) return;
    problems.push_back(config::problem_at(
        scope.origin, "no contract asks for the scope " + config::in_quotes(scope.name),
        config::suggestion(scope.name, known), config::yaml::Severity::warning));
}

contract::Labels labels_of(config::Credential const& credential) {
    contract::Labels labels;
    labels.reserve(credential.labels.size());
    for (auto const& label : credential.labels)
        labels.push_back({label.name, label.value});
    return labels;
}

// When a secret was last used. `before`: the credential of the same name in the table before; null:
// none. A secret that it had keeps its last use, also while requests of both tables run.
std::shared_ptr<pipeline::LastUse> last_use_of(secrets::StoredHash const& hash,
                                               pipeline::Credential const* before) {
    if (before == nullptr) return std::make_shared<pipeline::LastUse>();
    if (auto const* const digest = hash.sha256()) {
        for (std::size_t i = 0; i < before->digests.size(); ++i)
            if (before->digests[i] == *digest)
                return before->last_uses[before->places_of_digests[i]];
    }
    for (std::size_t i = 0; i < before->slow.size(); ++i)
        if (before->slow[i] == hash) return before->last_uses[before->places_of_slow[i]];
    return std::make_shared<pipeline::LastUse>();
}

// A single fast hash is stored twice.
void store(std::vector<secrets::StoredHash> const& hashes, pipeline::Credential const* before,
           pipeline::Credential& out) {
    bool has_fast = false;
    auto const count = std::min(hashes.size(), out.last_uses.size()); // more were refused
    for (std::uint8_t place = 0; place < count; ++place) {
        auto const& hash = hashes[place];
        out.last_uses[place] = last_use_of(hash, before);
        auto const* const digest = hash.sha256();
        if (digest == nullptr) {
            out.places_of_slow[out.slow.size()] = place;
            out.slow.push_back(hash);
        } else if (std::exchange(has_fast, true)) {
            out.digests.back() = *digest;
            out.places_of_digests.back() = place;
        } else {
            out.digests.fill(*digest);
            out.places_of_digests.fill(place);
        }
    }
}

// The rules of each contract that apply to callers; those whose labels make no difference share
// them.
class ConditionsOfCallers {
public:
    explicit ConditionsOfCallers(Apis const& apis) : apis_{apis} {
        for (auto const& api : apis) {
            if (!api->contract) continue;
            auto const& names = api->contract->label_names();
            names_.insert(names.begin(), names.end());
        }
    }

    std::shared_ptr<std::vector<contract::Conditions> const> of(contract::Labels const& labels) {
        std::string key;
        for (auto const& label : labels) {
            if (!names_.contains(label.name)) continue;
            auto const text = pipeline::text_of(label.value);
            for (auto const& part : {label.name, text})
                key.append(std::to_string(part.size())).append(":").append(part);
            key.append(std::to_string(label.value.index()));
        }
        auto& shared = by_labels_[key];
        if (shared != nullptr) return shared;
        auto const conditions = std::make_shared<std::vector<contract::Conditions>>();
        for (auto const& api : apis_)
            conditions->push_back(api->contract ? api->contract->conditions_for(labels)
                                                : contract::Conditions{});
        return shared = conditions;
    }

private:
    using Shared = std::shared_ptr<std::vector<contract::Conditions> const>;

    Apis const& apis_;
    std::set<std::string_view> names_; // that some contract asks for
    std::unordered_map<std::string, Shared> by_labels_;
};

// The operations for which the scopes of callers are enough; those with the same share them.
class WithinScope {
public:
    explicit WithinScope(Apis const& apis)
        : apis_{apis}, is_needed_{std::any_of(apis.begin(), apis.end(), [](auto const& api) {
              return api->scopes != nullptr;
          })} {}

    std::shared_ptr<std::vector<pipeline::OperationSet> const>
    of(config::Credential const& credential) {
        if (!is_needed_) return nullptr;
        std::set<std::string_view> schemes;
        std::set<std::string_view> scopes;
        for (auto const& identity : credential.identities)
            schemes.insert(identity.authenticator->scheme_name());
        for (auto const& scope : credential.scopes)
            scopes.insert(scope.name);
        auto& shared = by_both_[{schemes, scopes}];
        if (shared == nullptr) shared = compile(schemes, scopes);
        return shared;
    }

private:
    using Words = std::set<std::string_view>; // of the configuration and the registry
    using Shared = std::shared_ptr<std::vector<pipeline::OperationSet> const>;

    [[nodiscard]] Shared compile(Words const& schemes, Words const& scopes) const {
        std::vector<std::string_view> const of_schemes{schemes.begin(), schemes.end()};
        std::vector<std::string_view> const of_scopes{scopes.begin(), scopes.end()};
        auto sets = std::make_shared<std::vector<pipeline::OperationSet>>();
        for (auto const& api : apis_)
            sets->push_back(api->scopes == nullptr ? pipeline::OperationSet{}
                                                   : api->scopes->within(of_schemes, of_scopes));
        return sets;
    }

    Apis const& apis_;
    bool is_needed_; // by some API
    std::map<std::pair<Words, Words>, Shared> by_both_;
};

} // namespace

std::shared_ptr<pipeline::CredentialTable const>
credentials(Read const& read, std::vector<config::Credential> const& credentials, Apis const& apis,
            Problems& problems, CredentialsBefore const& before, Compared compared) {
    auto table = std::make_shared<pipeline::CredentialTable>(credentials.size());
    auto const labels_of_contracts = known_labels(read, apis);
    ConditionsOfCallers conditions{apis};
    PermissionCompiler permissions{read, apis};
    WithinScope within_scope{apis};
    RestOfEntries rest;
    auto const scopes_of_contracts = known_scopes(read, apis);
    for (auto const& from : credentials) {
        for (auto const& label : from.labels)
            check_label(from, label, labels_of_contracts, problems);
        for (auto const& scope : from.scopes)
            check_scope(scope, scopes_of_contracts, problems);

        pipeline::Credential credential;
        auto& identity = credential.identity;
        identity.name = from.name;
        identity.labels = labels_of(from);
        credential.not_before = from.not_before;
        credential.expires = from.expires;
        credential.disabled = from.disabled;
        credential.identity.place = from.origin.mark;
        identity.conditions = conditions.of(identity.labels);
        identity.within_scope = within_scope.of(from);
        permissions.compile(from, identity, problems);

        // What is missing was reported where the credentials were read.
        auto const usable = from.usable_identities();
        if (usable.empty()) continue;
        auto const& proof = *usable.front();
        store(proof.secrets, before.find(from.name), credential);
        if (compared == Compared::by_next_load) credential.rest = rest.of(from);
        credential.own = proof.own;
        auto const& added =
            table->add(proof.authenticator->name, proof.keys, std::move(credential));
        for (auto other = usable.begin() + 1; other != usable.end(); ++other)
            table->add_keys((*other)->authenticator->name, (*other)->keys, added);
    }
    return table;
}

} // namespace sallyport::lifecycle::compile
