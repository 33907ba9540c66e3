// Checks what upstreams learn of callers: where they know them themselves, where there are none,
// and where two of them have one name.
#include "config/text.h"
#include "gateway/lifecycle/compile.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace sallyport::lifecycle::compile {

namespace {

// Who calls an upstream, by the APIs and operations whose requests go there.
struct CallersOfUpstream {
    pipeline::Api const* left_by = nullptr; // which leaves credentials to the upstream; null: none
    bool has_known = false;                 // to the gateway
    bool is_used = false;
};

class Upstreams {
public:
    Upstreams(Read const& read, std::size_t count)
        : authenticators_{read.authenticators}, all_(count) {}

    void add(pipeline::Api const& api) {
        add(api, api.upstream, api.authenticate);
        if (api.contract == nullptr) return;
        for (auto const& operation : api.contract->operations()) {
            auto const* const own = api.settings_of(&operation);
            if (own == nullptr) continue;
            add(api, own->upstream.value_or(api.upstream),
                own->authenticate.empty() ? api.authenticate : own->authenticate);
        }
    }

    [[nodiscard]] CallersOfUpstream const& of(std::size_t upstream) const { return all_[upstream]; }

private:
    void add(pipeline::Api const& api, std::size_t upstream,
             config::AuthenticatorSets const& sets) {
        if (upstream >= all_.size()) return;
        auto& callers = all_[upstream];
        callers.is_used = true;
        if (config::are_left_to_upstream(authenticators_, sets)) callers.left_by = &api;
        else if (!config::accept_every_client(authenticators_, sets)) callers.has_known = true;
    }

    config::Authenticators authenticators_;
    std::vector<CallersOfUpstream> all_;
};

struct WithoutEffect {
    std::string_view key;
    std::string what;
    std::string hint;
};

std::optional<WithoutEffect> judge_credential(config::Upstream const& upstream,
                                              CallersOfUpstream const& callers) {
    auto const& credential = upstream.credential;
    auto const* const passed = std::get_if<config::PassedCredential>(&credential);
    bool const is_passed_on =
        passed != nullptr || std::holds_alternative<std::monostate>(credential);
    if (callers.left_by != nullptr && !is_passed_on)
        return WithoutEffect{"credential",
                             "credentials of clients do not arrive, and the API "
                                 + config::in_quotes(callers.left_by->name)
                                 + " leaves them to this upstream",
                             "remove it, or let the API authenticate its callers"};
    if (passed == nullptr || callers.has_known) return std::nullopt;
    if (callers.left_by == nullptr)
        return WithoutEffect{"credential",
                             "has no effect: no API of this upstream takes credentials, and none "
                             "that was not checked is passed on",
                             "write authenticate: [upstream] for an API whose upstream checks "
                             "them, or remove it"};
    if (passed->also_issued)
        return WithoutEffect{"credential",
                             "has no effect: the gateway issues no credential of a caller of this "
                             "upstream",
                             "remove it: what clients send is passed on"};
    return std::nullopt;
}

std::optional<WithoutEffect> judge_identity(config::Upstream const& upstream,
                                            CallersOfUpstream const& callers) {
    if (!upstream.identity || callers.left_by == nullptr || callers.has_known) return std::nullopt;
    return WithoutEffect{"identity",
                         "has no effect: the gateway knows no caller of the API "
                             + config::in_quotes(callers.left_by->name),
                         "remove it: the upstream authenticates them itself"};
}

// The label that callers with tokens have (plugins/token_callers.h).
constexpr std::string_view issuer_label = "issuer";

// The field in which the name of a caller stands, if nothing beside it says whose name it is; null:
// there is none, or something does.
config::CallerField const* bare_name(config::CallerFields const& told) {
    config::CallerField const* name = nullptr;
    for (auto const& field : told.fields) {
        if (field.label == issuer_label) return nullptr;
        if (field.label.empty()) name = &field;
    }
    return told.assertion ? nullptr : name;
}

// The issuers of callers whose names an upstream gets in one field. Callers of one authenticator
// have names that begin alike.
struct NamesInField {
    config::CallerField const* field = nullptr;
    std::set<std::string> issuers;
};
using FieldAndKind = std::pair<std::string_view, std::string_view>;

void warn_of_same_names(Read const& read, std::size_t upstream, Problems& problems) {
    std::map<FieldAndKind, NamesInField> found;
    for (auto const& api : read.config.apis) {
        bool const reaches_it =
            api.upstream == upstream
            || std::any_of(api.rules.begin(), api.rules.end(),
                           [upstream](auto const& rule) { return rule.upstream == upstream; });
        auto const& told = api.identity ? api.identity : read.config.upstreams[upstream].identity;
        auto const* const name = reaches_it && told ? bare_name(*told) : nullptr;
        if (name == nullptr) continue;
        for (auto const& [of, settings] : api.settings) {
            auto& names = found[{name->name, of}];
            if (names.field == nullptr) names.field = name;
            auto const referred = config::referred_of(of, settings, read.authenticators);
            names.issuers.insert(referred.issuers.begin(), referred.issuers.end());
        }
    }
    for (auto const& [of, names] : found) {
        if (names.issuers.size() < 2) continue;
        problems.push_back(config::problem_at(
            names.field->origin,
            "callers of " + std::to_string(names.issuers.size())
                + " issuers may have one name, and nothing tells them apart",
            "write labels: { X-Caller-Issuer: issuer } beside it",
            config::yaml::Severity::warning));
    }
}

} // namespace

void check_left_credentials(Read const& read,
                            std::vector<std::unique_ptr<pipeline::Api>> const& apis,
                            Problems& problems) {
    auto const& upstreams = read.config.upstreams;
    Upstreams callers{read, upstreams.size()};
    // Which operations there are says a contract, and which callers a list that was read.
    for (std::size_t i = 0; i < apis.size(); ++i) {
        if (apis[i]->authenticate.empty() || read.has_error_at(read.config.apis[i].origin.path))
            return;
        callers.add(*apis[i]);
    }
    for (std::size_t i = 0; i < upstreams.size(); ++i) {
        warn_of_same_names(read, i, problems);
        if (!callers.of(i).is_used) continue;
        for (auto const& judge : {judge_credential, judge_identity}) {
            auto problem = judge(upstreams[i], callers.of(i));
            if (!problem) continue;
            auto const& origin = upstreams[i].origin;
            problems.push_back(
                config::problem_at({origin.mark, origin.path + '.' + std::string{problem->key}},
                                   std::move(problem->what), std::move(problem->hint)));
        }
    }
}

} // namespace sallyport::lifecycle::compile
