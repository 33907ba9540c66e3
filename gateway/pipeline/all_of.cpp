// Several authenticators that must all prove the caller of a request: see all_of.h.
#include "gateway/pipeline/all_of.h"

#include "config/authenticator.h"
#include "gateway/pipeline/decision.h"
#include "gateway/pipeline/steps.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::pipeline {

namespace {

struct Member {
    std::string_view name; // a literal
    std::unique_ptr<Plugin> plugin;
};

bool shows_a_certificate(PluginRow const& row) {
    return row.settings != nullptr && row.settings().shows == config::Shows::certificate;
}

// What the members say, one after the other. They write into the decision, which has nothing of
// them unless all of them pass.
class Verdicts {
public:
    Verdicts(Decision& decision, config::yaml::Mark const& place)
        : decision_{decision}, place_{place} {}

    // Whether the next member is to be asked.
    bool take(std::string_view member, Verdict verdict) {
        switch (verdict.kind()) {
        case Verdict::Kind::abstain:
            forget();
            decision_.failed_member = member;
            abstains_ = true;
            return false;
        case Verdict::Kind::missing: is_missing_ = true; break;
        case Verdict::Kind::deny: deny(member, std::move(verdict)); break;
        case Verdict::Kind::pass: compare(member); break;
        }
        return true;
    }

    Verdict conclude() && {
        if (abstains_) return Verdict::abstain();
        if (denial_) {
            forget();
            decision_.failed_member = failed_.member;
            decision_.auth_failure = failed_.failure;
            decision_.meant = failed_.meant;
            decision_.refused_by = failed_.refused_by;
            return std::move(*denial_);
        }
        if (is_missing_) {
            forget();
            return Verdict::missing();
        }
        decision_.caller = caller_;
        return Verdict::pass();
    }

private:
    struct Failed {
        std::string_view member;
        AuthFailure failure = AuthFailure::none;
        Credential const* meant = nullptr;
        config::yaml::Mark refused_by;
    };

    void deny(std::string_view member, Verdict verdict) {
        if (denial_) return;
        failed_ = {member, decision_.auth_failure, decision_.meant, decision_.refused_by};
        denial_ = std::move(verdict);
    }

    // An entry is one object, whichever of its identities it was found by.
    void compare(std::string_view member) {
        auto const* const caller = std::exchange(decision_.caller, nullptr);
        if (caller_ == nullptr) caller_ = caller;
        if (caller != nullptr && caller == caller_) return;
        decision_.auth_failure = AuthFailure::other_caller;
        decision_.meant = nullptr;
        decision_.refused_by = place_;
        auto denial = unauthenticated();
        denial.log_note = "the credentials of the request are those of several callers";
        deny(member, Verdict::deny(std::move(denial)));
    }

    // `tried_id` stays: it is of what was sent, and counted if the request is refused.
    void forget() {
        decision_.caller = nullptr;
        decision_.own_caller = nullptr;
        decision_.auth_failure = AuthFailure::none;
        decision_.meant = nullptr;
        decision_.refused_by = {};
        decision_.last_use = nullptr;
        decision_.authorization = {};
        decision_.failed_member = {};
    }

    Decision& decision_;
    config::yaml::Mark const& place_;  // of the set
    Identity const* caller_ = nullptr; // of the members so far
    std::optional<Verdict> denial_;    // the first one
    Failed failed_;
    bool is_missing_ = false;
    bool abstains_ = false;
};

class AllOf final : public Plugin {
public:
    AllOf(std::vector<Member> members, config::yaml::Mark const& place)
        : members_{std::move(members)}, place_{place} {}

    Verdict check(Request const& request, Decision& decision, Services& services) override {
        Verdicts verdicts{decision, place_};
        for (auto const& member : members_) {
            if (!verdicts.take(member.name, member.plugin->check(request, decision, services)))
                break;
        }
        return std::move(verdicts).conclude();
    }

    // What was not missing is asked once more: it may have changed meanwhile.
    net::Task<Verdict> learn(Request const& request, Decision& decision,
                             Services& services) override {
        Verdicts verdicts{decision, place_};
        for (auto const& member : members_) {
            auto verdict = member.plugin->check(request, decision, services);
            if (verdict.kind() == Verdict::Kind::missing) {
                auto learning = member.plugin->learn(request, decision, services);
                verdict = co_await std::move(learning);
            }
            if (!verdicts.take(member.name, std::move(verdict))) break;
        }
        co_return std::move(verdicts).conclude();
    }

private:
    std::vector<Member> members_;
    config::yaml::Mark place_; // of the set
};

} // namespace

std::unique_ptr<Plugin> make_all_of(config::AuthenticatorSet const& set, Api const& api,
                                    std::span<PluginRow const> rows) {
    std::vector<Member> members;
    auto const add = [&](bool certificates) {
        for (PluginRow const& row : rows) {
            bool const is_member = row.phase == Phase::authenticate && set.has(row.name);
            if (is_member && shows_a_certificate(row) == certificates)
                members.push_back({row.name, row.make(api)});
        }
    };
    add(true);
    add(false);
    return std::make_unique<AllOf>(std::move(members), set.place());
}

} // namespace sallyport::pipeline
