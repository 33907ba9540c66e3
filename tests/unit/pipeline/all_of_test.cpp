// Several authenticators that must all prove one caller: what each combination of their verdicts
// comes to, and that nothing of a part of them is left.
#include "double.h"

#include "config/authenticator.h"
#include "gateway/pipeline/all_of.h"
#include "gateway/pipeline/steps.h"

#include <catch2/catch.hpp>

#include <functional>
#include <map>
#include <vector>

namespace all_of_test {

using namespace sallyport;
using namespace sallyport::pipeline;

namespace {

using Act = std::function<Verdict(Decision&)>;
std::map<std::string, Act> acts;
std::map<std::string, Act> acts_of_learning;
std::vector<std::string> calls;

struct Named : Plugin {
    explicit Named(std::string its_name) : name{std::move(its_name)} {}
    Verdict check(Request const&, Decision& decision, Services&) override {
        calls.push_back(name);
        return acts.at(name)(decision);
    }
    net::Task<Verdict> learn(Request const&, Decision& decision, Services&) override {
        calls.push_back(name + " learns");
        co_return acts_of_learning.at(name)(decision);
    }
    std::string name;
};

std::unique_ptr<Plugin> make_secret(Api const&) {
    return std::make_unique<Named>("secret");
}
std::unique_ptr<Plugin> make_shown(Api const&) {
    return std::make_unique<Named>("shown");
}
std::unique_ptr<Plugin> make_other(Api const&) {
    return std::make_unique<Named>("other");
}
config::Authenticator const& no_settings() {
    static constexpr config::Authenticator settings{.name = "secret"};
    return settings;
}
config::Authenticator const& settings_of_shown() {
    static constexpr config::Authenticator settings{.name = "shown",
                                                    .shows = config::Shows::certificate};
    return settings;
}
constexpr std::array<PluginRow, 3> rows{{
    {"secret", Phase::authenticate, make_secret, nullptr, no_settings},
    {"other", Phase::authenticate, make_other, nullptr, no_settings},
    {"shown", Phase::authenticate, make_shown, nullptr, settings_of_shown},
}};

Identity named(std::string name) {
    Identity out;
    out.name = std::move(name);
    return out;
}
Identity const ann = named("ann");
Identity const bob = named("bob");

config::AuthenticatorSet all_of(std::vector<std::string> names) {
    return config::AuthenticatorSet{std::move(names)};
}
LastUse use;

Act pass(Identity const& caller) {
    return [&caller](Decision& decision) {
        decision.caller = &caller;
        decision.authorization.scheme = "Basic";
        decision.last_use = &use;
        return Verdict::pass();
    };
}
Act abstain() {
    return [](Decision&) { return Verdict::abstain(); };
}
Act deny(AuthFailure failure) {
    return [failure](Decision& decision) {
        decision.auth_failure = failure;
        return Verdict::deny(unauthenticated());
    };
}
Act missing() {
    return [](Decision& decision) {
        decision.tried_id = 7;
        return Verdict::missing();
    };
}

struct Both : pipeline::test::Fixture {
    Both() : Fixture{"GET / HTTP/1.1\r\nHost: h\r\n\r\n"} {
        calls.clear();
        acts.clear();
        acts_of_learning.clear();
        plugin = make_all_of(all_of({"secret", "shown"}), api, rows);
    }
    // "ann", or what there is instead; fails if anything of a part is left.
    std::string text_of(Verdict::Kind kind) {
        auto const& decision = exchange.decision;
        if (kind == Verdict::Kind::pass) return decision.caller->name;
        CHECK(decision.caller == nullptr);
        CHECK(decision.last_use == nullptr);
        CHECK(decision.authorization.scheme.empty());
        std::string out = kind == Verdict::Kind::missing   ? "missing"
                          : kind == Verdict::Kind::abstain ? "abstains"
                                                           : "denies";
        if (decision.auth_failure != AuthFailure::none)
            out += " " + std::string{to_string(decision.auth_failure)};
        if (!decision.failed_member.empty()) out += " of " + std::string{decision.failed_member};
        return out;
    }
    std::string check(Act secret, Act shown) {
        acts["secret"] = std::move(secret);
        acts["shown"] = std::move(shown);
        return text_of(ask(*plugin).kind());
    }
    std::string learn() {
        Verdict::Kind kind{};
        net::start(loop.context(), run(this, &kind));
        loop.run();
        return text_of(kind);
    }
    static net::Task<> run(Both* self, Verdict::Kind* kind) {
        auto& exchange = self->exchange;
        auto verdict =
            co_await self->plugin->learn(exchange.request, exchange.decision, exchange.services);
        *kind = verdict.kind();
    }
    std::unique_ptr<Plugin> plugin;
};

} // namespace

TEST_CASE("a member that denies refuses the request, and is named") {
    CHECK(Both{}.check(deny(AuthFailure::wrong_secret), pass(ann))
          == "denies wrong_secret of secret");
    CHECK(Both{}.check(pass(ann), deny(AuthFailure::unknown)) == "denies unknown of shown");
    // What the connection proves comes first.
    CHECK(Both{}.check(deny(AuthFailure::wrong_secret), deny(AuthFailure::expired))
          == "denies expired of shown");
    CHECK(Both{}.check(missing(), deny(AuthFailure::expired)) == "denies expired of shown");
}

TEST_CASE("members that prove two callers refuse the request") {
    CHECK(Both{}.check(pass(ann), pass(bob)) == "denies other_caller of secret");
    // By name they would be the same.
    Identity const other_ann = named("ann");
    CHECK(Both{}.check(pass(ann), pass(other_ann)) == "denies other_caller of secret");
    CHECK(Both{}.check([](Decision&) { return Verdict::pass(); }, pass(ann))
          == "denies other_caller of secret");
    CHECK(Both{}.check([](Decision&) { return Verdict::pass(); },
                       [](Decision&) { return Verdict::pass(); })
          == "denies other_caller of shown");
}

TEST_CASE("whatever the others say, a member without credentials makes all of them abstain") {
    CHECK(Both{}.check(abstain(), pass(ann)) == "abstains of secret");
    CHECK(Both{}.check(abstain(), deny(AuthFailure::unknown)) == "abstains of secret");
    for (auto const& act : {pass(ann), deny(AuthFailure::wrong_secret), missing(), abstain()}) {
        Both both;
        CHECK(both.check(act, abstain()) == "abstains of shown");
        // Neither a right nor a wrong secret is looked at without the certificate.
        CHECK(calls == std::vector<std::string>{"shown"});
    }
}

TEST_CASE("members that prove the same caller let the request pass") {
    Both both;
    CHECK(both.check(pass(ann), pass(ann)) == "ann");
    CHECK(both.exchange.decision.authorization.scheme == "Basic");
    CHECK(both.exchange.decision.last_use == &use);
    CHECK(calls == std::vector<std::string>{"shown", "secret"});
}

TEST_CASE("a member that has to learn decides after it has, with the others once more") {
    Both both;
    CHECK(both.check(missing(), pass(ann)) == "missing");
    CHECK(both.exchange.decision.tried_id == 7);
    acts_of_learning["secret"] = pass(ann);
    CHECK(both.learn() == "ann");
    CHECK(calls == std::vector<std::string>{"shown", "secret", "shown", "secret", "secret learns"});

    Both wrong;
    CHECK(wrong.check(missing(), pass(ann)) == "missing");
    acts_of_learning["secret"] = deny(AuthFailure::wrong_secret);
    CHECK(wrong.learn() == "denies wrong_secret of secret");

    Both others;
    CHECK(others.check(missing(), pass(ann)) == "missing");
    acts_of_learning["secret"] = pass(bob);
    CHECK(others.learn() == "denies other_caller of secret");

    Both ended; // the certificate, while the password was verified
    CHECK(ended.check(missing(), pass(ann)) == "missing");
    acts["shown"] = abstain();
    CHECK(ended.learn() == "abstains of shown");
}

TEST_CASE("the members stand in the order of the registry, those with certificates first") {
    Both both;
    both.plugin = make_all_of(all_of({"shown", "other", "secret"}), both.api, rows);
    acts["other"] = pass(ann);
    CHECK(both.check(pass(ann), pass(ann)) == "ann");
    CHECK(calls == std::vector<std::string>{"shown", "secret", "other"});
    acts["other"] = pass(bob);
    CHECK(both.check(pass(ann), pass(ann)) == "denies other_caller of other");
}

TEST_CASE("a pipeline asks several together at their place in the list") {
    Both both;
    both.api.name = "files";
    both.api.authenticate = {all_of({"secret", "shown"}), "other"};
    both.api.methods = {"GET"};
    Pipeline pipeline{both.api, rows};
    acts["other"] = abstain();
    acts["secret"] = pass(ann);
    acts["shown"] = pass(ann);
    CHECK(pipeline.admit(both.exchange, Until::end).kind() == Admission::Kind::permitted);
    CHECK(calls == std::vector<std::string>{"shown", "secret"});
    CHECK(both.exchange.decision.caller == &ann);

    Both none;
    none.api.authenticate = both.api.authenticate;
    Pipeline refusing{none.api, rows};
    acts["other"] = abstain();
    acts["shown"] = pass(ann);
    acts["secret"] = abstain();
    auto admission = refusing.admit(none.exchange, Until::end);
    CHECK(admission.kind() == Admission::Kind::denied);
    CHECK(none.text_of(Verdict::Kind::deny) == "denies no_credentials of secret");

    // What another one refuses is not said of the member that found nothing.
    Both refused;
    refused.api.authenticate = both.api.authenticate;
    Pipeline last{refused.api, rows};
    acts["other"] = deny(AuthFailure::unknown);
    acts["shown"] = pass(ann);
    acts["secret"] = abstain();
    CHECK(last.admit(refused.exchange, Until::end).kind() == Admission::Kind::denied);
    CHECK(refused.text_of(Verdict::Kind::deny) == "denies unknown");
}

} // namespace all_of_test
