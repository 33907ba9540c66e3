// The credentials of a configuration: what each of them may do at each API.
#include "gateway/lifecycle/compile_permissions.h"

#include "config/text.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

namespace sallyport::lifecycle::compile {

namespace {

// Every label that some contract asks of its callers; none where not all contracts are known.
std::vector<std::string_view> known_labels(Read const& read, Apis const& apis) {
    std::vector<std::string_view> known;
    for (auto const& api : apis) {
        if (!is_contract_known(read, *api)) return {};
        if (!api->contract) continue;
        auto const& names = api->contract->label_names();
        known.insert(known.end(), names.begin(), names.end());
    }
    return known;
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
        label.origin, "no rule of a contract asks for the label " + config::in_quotes(label.name),
        config::suggestion(label.name, known), config::yaml::Severity::warning));
}

contract::Labels labels_of(config::Credential const& credential) {
    contract::Labels labels;
    for (auto const& label : credential.labels)
        labels.push_back({label.name, label.value});
    return labels;
}

// A single fast hash is stored twice.
void store(std::vector<secrets::StoredHash> const& hashes, pipeline::Credential& out) {
    bool has_fast = false;
    for (auto const& hash : hashes) {
        auto const* const digest = hash.sha256();
        if (digest == nullptr) {
            out.slow.push_back(hash);
        } else if (std::exchange(has_fast, true)) {
            out.digests.back() = *digest;
        } else {
            out.digests.fill(*digest);
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

} // namespace

std::shared_ptr<pipeline::CredentialTable const>
credentials(Read const& read, std::vector<config::Credential> const& credentials, Apis const& apis,
            Problems& problems) {
    auto table = std::make_shared<pipeline::CredentialTable>();
    auto const labels_of_contracts = known_labels(read, apis);
    ConditionsOfCallers conditions{apis};
    PermissionCompiler permissions{read, apis};
    for (auto const& from : credentials) {
        for (auto const& label : from.labels)
            check_label(from, label, labels_of_contracts, problems);

        pipeline::Credential credential;
        auto& identity = credential.identity;
        identity.name = from.name;
        identity.labels = labels_of(from);
        credential.not_before = from.not_before;
        credential.expires = from.expires;
        credential.disabled = from.disabled;
        credential.place = from.origin.mark;
        identity.conditions = conditions.of(identity.labels);
        permissions.compile(from, identity, problems);

        auto const& proof = from.identity;
        if (proof.keys.empty()) continue; // reported where the credentials were read
        store(proof.secrets, credential);
        credential.own = proof.own;
        table->add(proof.authenticator->name, proof.keys, std::move(credential));
    }
    return table;
}

} // namespace sallyport::lifecycle::compile
