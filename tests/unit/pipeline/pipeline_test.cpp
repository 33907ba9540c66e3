// The order of the checks, and that only all of them together make a permit.
#include "config/authenticator.h"
#include "double.h"
#include "gateway/pipeline/client_certificate.h"
#include "gateway/pipeline/steps.h"

#include <catch2/catch.hpp>

#include <functional>

namespace pipeline_test {

using namespace sallyport;
using namespace sallyport::pipeline;
using pipeline::test::Fixture;

namespace {

std::vector<std::string> asked;
std::map<std::string, std::function<Verdict()>> verdicts;
std::map<std::string, std::function<Verdict()>> lessons;

template <char name>
class Scripted final : public Plugin {
public:
    Verdict check(Request const&, Decision&, Services&) override {
        asked.emplace_back(1, name);
        auto const verdict = verdicts.find(std::string(1, name));
        return verdict == verdicts.end() ? Verdict::pass() : verdict->second();
    }
    net::Task<Verdict> learn(Request const&, Decision&, Services&) override {
        asked.push_back(std::string(1, name) + " learns");
        co_return lessons.at(std::string(1, name))();
    }
};

template <char name>
std::unique_ptr<Plugin> make(Api const&) {
    return std::make_unique<Scripted<name>>();
}

std::string challenge(std::string_view realm) {
    return "Test realm=" + std::string{realm};
}
std::string other_challenge(std::string_view realm) {
    return "Other realm=" + std::string{realm};
}

// Given in another order than that of their phases.
constexpr std::array<PluginRow, 7> rows{{
    {"t", Phase::transform, make<'t'>},
    {"v", Phase::validate, make<'v'>},
    {"l", Phase::limit, make<'l'>},
    {"z", Phase::authorize, make<'z'>},
    {"a", Phase::authenticate, make<'a'>, challenge},
    {"b", Phase::authenticate, make<'b'>, other_challenge},
    {"c", Phase::authenticate, make<'c'>, challenge},
}};

// An API that uses two of the three authenticators.
struct Named : Fixture {
    Named() : Fixture{"GET /files/x HTTP/1.1\r\nHost: h\r\n\r\n"} {
        api.name = "files";
        api.authenticate = {"a", "b"};
    }
};

config::Authenticator const token{.name = "token", .scheme = "bearer"};
config::Authenticator const rest{.name = "rest", .scheme = "bearer"};
config::Authenticator const key{.name = "key"};

// Two of one scheme.
constexpr std::array<PluginRow, 3> own_rows{{
    {"token", Phase::authenticate, make<'t'>, challenge,
     []() -> config::Authenticator const& { return token; }},
    {"key", Phase::authenticate, make<'k'>, challenge,
     []() -> config::Authenticator const& { return key; }},
    {"rest", Phase::authenticate, make<'r'>, challenge,
     []() -> config::Authenticator const& { return rest; }},
}};

struct Asked : Named {
    Asked() : pipeline{api, rows} {
        asked.clear();
        verdicts.clear();
        lessons.clear();
        api.methods = {"GET"};
    }
    std::string order() const {
        std::string text;
        for (auto const& name : asked)
            text += (text.empty() ? "" : " ") + name;
        return text;
    }
    // The reason of a denial; "permit" where there is one.
    std::string reason(Admission admission) {
        if (admission.kind() == Admission::Kind::permitted)
            return admission.permit() ? "permit" : "no permit";
        if (admission.kind() != Admission::Kind::denied) return "undecided";
        CHECK_FALSE(admission.permit());
        auto denial = std::move(admission).take_denial();
        fields.clear();
        for (auto const& field : denial->fields)
            fields += std::string{field.name} + ": " + field.value + "\n";
        return std::string{to_string(denial->reason)};
    }
    std::string learn(Admission missing, Until until) {
        std::string result = "nothing";
        net::start(loop.context(), run(this, std::move(missing), until, &result));
        loop.run();
        return result;
    }
    static net::Task<> run(Asked* self, Admission missing, Until until, std::string* result) {
        auto admission = co_await self->pipeline.learn(self->exchange, std::move(missing), until);
        *result = self->reason(std::move(admission));
    }

    Pipeline pipeline;
    std::string fields; // of the last denial
};

Verdict deny(Reason reason) {
    return Verdict::deny(reason, "no");
}

} // namespace

TEST_CASE("a denial in any phase ends the checks, and makes no permit") {
    for (auto const& [name, order] : std::vector<std::pair<std::string, std::string>>{
             {"a", "a"}, {"z", "a z"}, {"l", "a z l"}, {"t", "a z l t"}}) {
        Asked test;
        verdicts[name] = [] { return deny(Reason::forbidden); };
        CHECK(test.reason(test.pipeline.admit(test.exchange, Until::body)) == "forbidden");
        CHECK(test.order() == order);
    }
}

TEST_CASE("if every authenticator abstains the caller gets the challenges") {
    Asked test;
    verdicts["a"] = verdicts["b"] = [] { return Verdict::abstain(); };
    CHECK(test.reason(test.pipeline.admit(test.exchange, Until::body)) == "unauthenticated");
    CHECK(test.order() == "a b");
    CHECK(test.fields
          == "WWW-Authenticate: Test realm=files\nWWW-Authenticate: Other realm=files\n");
}

TEST_CASE("a client without credentials learns where they belong, and the realm of the API") {
    Asked test;
    Api first;
    first.name = "first";
    test.api.index = 1;
    test.api.beside = {&first};
    first.beside = {&test.api};
    Pipeline pipeline{test.api, rows};
    verdicts["a"] = verdicts["b"] = [] { return Verdict::abstain(); };
    auto admission = pipeline.admit(test.exchange, Until::body);
    auto const denial = std::move(admission).take_denial();
    REQUIRE(denial != nullptr);
    CHECK(denial->public_detail
          == "Valid credentials are required: in Authorization (Test), or in Authorization "
             "(Other)");
    CHECK(denial->fields.front().value == "Test realm=first");
}

TEST_CASE("an expired token that no entry has is told, and no expired entry") {
    for (bool const is_entry : {false, true}) {
        Named named;
        named.api.authenticate = {"bearer"};
        constexpr std::array<PluginRow, 1> row{{{"bearer", Phase::authenticate, make<'e'>,
                                                 [](std::string_view realm) {
                                                     return "Bearer realm=" + std::string{realm};
                                                 }}}};
        Pipeline pipeline{named.api, row};
        Credential const entry{};
        auto& decision = named.exchange.decision;
        verdicts.clear();
        verdicts["e"] = [] { return Verdict::deny(unauthenticated()); };
        decision.auth_failure = AuthFailure::expired;
        decision.meant = is_entry ? &entry : nullptr;
        auto admission = pipeline.admit(named.exchange, Until::body);
        auto const denial = std::move(admission).take_denial();
        REQUIRE(denial != nullptr);
        CHECK(denial->fields.front().value
              == (is_entry ? "Bearer realm=files"
                           : R"(Bearer realm=files, error="invalid_token", )"
                             R"(error_description="The token has expired")"));
    }
}

TEST_CASE("two authenticators of one scheme have one challenge") {
    Named named;
    named.api.authenticate = {"a", "c"};
    Pipeline pipeline{named.api, rows};
    verdicts.clear();
    verdicts["a"] = verdicts["c"] = [] { return Verdict::abstain(); };
    auto admission = pipeline.admit(named.exchange, Until::body);
    auto const denial = std::move(admission).take_denial();
    REQUIRE(denial != nullptr);
    CHECK(denial->fields.size() == 1);
}

TEST_CASE("an authenticator that the API does not name is neither used nor in the challenges") {
    Asked test;
    verdicts["a"] = verdicts["b"] = [] { return Verdict::abstain(); };
    verdicts["c"] = [] { return Verdict::pass(); };
    CHECK(test.reason(test.pipeline.admit(test.exchange, Until::body)) == "unauthenticated");
    CHECK(test.order() == "a b");
}

TEST_CASE("a denial for another reason than missing credentials has no challenge") {
    Asked test;
    verdicts["z"] = [] { return deny(Reason::forbidden); };
    CHECK(test.reason(test.pipeline.admit(test.exchange, Until::body)) == "forbidden");
    CHECK(test.fields.empty());
}

TEST_CASE("a plugin that must not abstain and does is refused") {
    Asked test;
    verdicts["z"] = [] { return Verdict::abstain(); };
    CHECK(test.reason(test.pipeline.admit(test.exchange, Until::body)) == "internal_error");
}

TEST_CASE("an API without an authenticator refuses every request") {
    Asked test;
    Pipeline const none{test.api, std::span{rows}.first(4)};
    CHECK_FALSE(none.has_authenticator());
    Pipeline empty{test.api, std::span{rows}.first(4)};
    CHECK(test.reason(empty.admit(test.exchange, Until::body)) == "unauthenticated");
}

TEST_CASE("the first authenticator that passes is enough, and each phase runs once, in order") {
    Asked test;
    verdicts["a"] = [] { return Verdict::abstain(); };
    CHECK(test.reason(test.pipeline.admit(test.exchange, Until::body)) == "permit");
    CHECK(test.order() == "a b z l t"); // no body: nothing to validate
}

TEST_CASE("authenticators are asked in the order in which their API names them") {
    Named named;
    named.api.authenticate = {"c", "a", "b"};
    Pipeline pipeline{named.api, rows};
    asked.clear();
    verdicts.clear();
    verdicts["c"] = [] { return Verdict::abstain(); };
    verdicts["a"] = [] { return deny(Reason::unauthenticated); };
    CHECK(pipeline.admit(named.exchange, Until::body).kind() == Admission::Kind::denied);
    CHECK(asked == std::vector<std::string>{"c", "a"});
}

TEST_CASE(
    "authenticators of one scheme are asked one after the other, in the order of their rows") {
    Named named;
    named.api.authenticate = {"rest", "key", "token"};
    Pipeline pipeline{named.api, own_rows};
    asked.clear();
    verdicts.clear();
    for (auto const* const one : {"t", "k", "r"})
        verdicts[one] = [] { return Verdict::abstain(); };
    CHECK(pipeline.admit(named.exchange, Until::body).kind() == Admission::Kind::denied);
    CHECK(asked == std::vector<std::string>{"t", "r", "k"});
}

TEST_CASE("the time of authentication includes what has to be learned") {
    Asked fixture;
    verdicts["a"] = [] { return Verdict::missing(); };
    lessons["a"] = [] {
        auto const end = Clock::now() + std::chrono::milliseconds{20};
        while (Clock::now() < end) {
        }
        return Verdict::abstain();
    };
    verdicts["b"] = [] { return Verdict::pass(); };
    auto missing = fixture.pipeline.admit(fixture.exchange, Until::body);
    REQUIRE(missing.kind() == Admission::Kind::missing);
    fixture.learn(std::move(missing), Until::body);
    CHECK(fixture.exchange.outcome.timings.authenticate >= 20'000);
}

TEST_CASE("a body that must be read is read between limits and validation") {
    Asked test;
    test.exchange.decision.body.handling = BodyHandling::buffered;
    test.exchange.progress.step = Step::read_body;
    auto const first = test.pipeline.admit(test.exchange, Until::body);
    CHECK(first.needs_body());
    CHECK(test.order().empty());
    CHECK(test.reason(test.pipeline.admit(test.exchange, Until::end)) == "permit");
    CHECK(test.order() == "v t");
}

TEST_CASE("a streamed body needs no checks, but its beginning is awaited") {
    Asked test;
    test.exchange.decision.body.handling = BodyHandling::streamed;
    test.exchange.progress.step = Step::read_body;
    CHECK(test.pipeline.admit(test.exchange, Until::body).needs_body());
    CHECK(test.reason(test.pipeline.admit(test.exchange, Until::end)) == "permit");
    CHECK(test.order() == "t");
}

TEST_CASE("parameters are checked for callers with permission, between authorization and limits") {
    auto const loaded = contract::Contract::load_text(R"(
openapi: 3.1.0
info: { title: Test }
paths:
  /files/{id}:
    get:
      operationId: read
      parameters: [ { name: id, in: path, required: true, schema: { type: integer } } ]
)",
                                                      "test.yaml");
    REQUIRE(loaded.contract);
    struct Judged : Asked {
        explicit Judged(std::shared_ptr<contract::Contract const> contract) {
            api.contract = std::move(contract);
            judging.emplace(api, rows);
        }
        std::optional<Pipeline> judging;
    };
    {
        Judged test{loaded.contract};
        verdicts["z"] = [] { return deny(Reason::forbidden); };
        CHECK(test.reason(test.judging->admit(test.exchange, Until::body)) == "forbidden");
        CHECK(test.order() == "a z");
    }
    {
        Judged test{loaded.contract};
        CHECK(test.reason(test.judging->admit(test.exchange, Until::body)) == "bad_parameter");
        CHECK(test.order() == "a z");
    }
}

TEST_CASE("a missing fact is fetched, and decides") {
    SECTION("against") {
        Asked test;
        verdicts["z"] = [] { return Verdict::missing(); };
        lessons["z"] = [] { return deny(Reason::forbidden); };
        CHECK(test.learn(test.pipeline.admit(test.exchange, Until::body), Until::body)
              == "forbidden");
        CHECK(test.order() == "a z z learns");
    }
    SECTION("for") {
        Asked test;
        verdicts["a"] = [] { return Verdict::missing(); };
        lessons["a"] = [] { return Verdict::pass(); };
        CHECK(test.learn(test.pipeline.admit(test.exchange, Until::body), Until::body) == "permit");
        CHECK(test.order() == "a a learns z l t");
    }
    SECTION("not responsible after all") {
        Asked test;
        verdicts["a"] = [] { return Verdict::missing(); };
        lessons["a"] = [] { return Verdict::abstain(); };
        CHECK(test.learn(test.pipeline.admit(test.exchange, Until::body), Until::body) == "permit");
        CHECK(test.order() == "a a learns b z l t");
    }
}

namespace {

// The handshake of a WebSocket that an API without a contract lets open.
struct Opened : Fixture {
    Opened()
        : Fixture{"GET /files/x HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\n"
                  "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"} {
        asked.clear();
        verdicts.clear();
        api.name = "files";
        api.authenticate = {"a", "b"};
        api.methods = {"GET"};
        api.upgrades_to_websocket = true;
    }
    std::string judge(Identity const* entry = nullptr) {
        Pipeline const pipeline{api, rows};
        net::start(loop.context(), run(this, &pipeline, entry));
        loop.run();
        return std::string{to_string(judged.reason)};
    }
    static net::Task<> run(Opened* self, Pipeline const* pipeline, Identity const* entry) {
        self->judged =
            co_await pipeline->judge_again(self->exchange.request, entry, self->services);
    }

    JudgedAgain judged{Reason::internal_error};
};

} // namespace

TEST_CASE("an open WebSocket is judged again by who may open it, and not by limits") {
    Opened test;
    verdicts["l"] = [] { return deny(Reason::rate_limited); };
    CHECK(test.judge() == to_string(Reason::none));
    CHECK(asked == std::vector<std::string>{"a", "z"});
    SECTION("its caller is not known any more") {
        verdicts["a"] = [] { return Verdict::abstain(); };
        verdicts["b"] = [] { return deny(Reason::unauthenticated); };
        CHECK(test.judge() == "unauthenticated");
        verdicts["b"] = [] { return Verdict::abstain(); };
        CHECK(test.judge() == "unauthenticated");
    }
    SECTION("what has to be learned about it decides") {
        verdicts["a"] = [] { return Verdict::missing(); };
        lessons["a"] = [] { return Verdict::pass(); };
        CHECK(test.judge() == to_string(Reason::none));
        CHECK(test.judged.until == std::chrono::system_clock::time_point::max());
        lessons["a"] = [] { return deny(Reason::unauthenticated); };
        CHECK(test.judge() == "unauthenticated");
        lessons["a"] = [] { return Verdict::abstain(); };
        verdicts["b"] = [] { return deny(Reason::unauthenticated); };
        CHECK(test.judge() == "unauthenticated");
    }
    SECTION("that cannot be told for now: it is tried once more, soon") {
        auto const now = std::chrono::system_clock::now();
        verdicts["a"] = [] { return deny(Reason::overloaded); };
        CHECK(test.judge() == to_string(Reason::none));
        CHECK(test.judged.until < now + std::chrono::minutes{1});
        CHECK_FALSE(test.judged.expires);
        verdicts["a"] = [] { return Verdict::missing(); };
        lessons["a"] = [] { return deny(Reason::rate_limited); };
        CHECK(test.judge() == to_string(Reason::none));
        CHECK(test.judged.until < now + std::chrono::minutes{1});
    }
    SECTION("that cannot be told for now, and there is no such entry any more") {
        verdicts["a"] = [] { return deny(Reason::overloaded); };
        Credential entry;
        entry.identity.name = "alice";
        auto table = std::make_shared<CredentialTable>();
        test.api.credentials = table;
        CHECK(test.judge(&entry.identity) == "unauthenticated");
        entry.disabled = true;
        table->add("basic", {"a"}, entry);
        CHECK(test.judge(&entry.identity) == "unauthenticated");
        entry.disabled = false;
        table->add("basic", {"b"}, entry);
        CHECK(test.judge(&entry.identity) == to_string(Reason::none));
    }
    SECTION("its caller has lost the permission") {
        verdicts["z"] = [] { return deny(Reason::forbidden); };
        CHECK(test.judge() == "forbidden");
    }
    SECTION("what its caller was let in with ends before its credential does") {
        auto const soon = std::chrono::system_clock::now() + std::chrono::minutes{5};
        Identity caller;
        caller.known_until = soon + std::chrono::hours{1};
        test.exchange.decision.caller = &caller;
        auto const until = [&test] {
            return known_until(test.exchange.request, test.exchange.decision);
        };
        CHECK(until() == caller.known_until);
        test.client.certificate = std::make_shared<ClientCertificate>();
        CHECK(until() == caller.known_until);
        test.client.certificate->facts = std::make_unique<net::PeerCertificate>();
        test.client.certificate->valid_until = soon;
        CHECK(until() == soon);
    }
    SECTION("the API does not take the method any more") {
        test.api.methods = {"PUT"};
        CHECK(test.judge() == "method_not_allowed");
    }
    SECTION("the API opens none any more") {
        test.api.upgrades_to_websocket = false;
        CHECK(test.judge() == "unknown_operation");
    }
}

namespace {

constexpr std::string_view by_operation = R"(
openapi: 3.1.0
info: { title: Test, version: "1" }
paths:
  /files/x: { get: { operationId: getFile }, put: { operationId: putFile } }
)";

// An API whose GET has other authenticators than the rest of it.
struct ByOperation : Asked {
    ByOperation(config::AuthenticatorSets names, std::string const& line) {
        head = line + " HTTP/1.1\r\nHost: h\r\n\r\n";
        REQUIRE(http::parse_request_head(head, {}, exchange.request.head) == nullptr);
        api.contract = contract::Contract::load_text(by_operation, "test.yaml").contract;
        REQUIRE(api.contract);
        api.operations.resize(2);
        api.operations[api.contract->find_operation("getFile")->index].authenticate =
            std::move(names);
        api.authenticates_by_operation = true;
        verdicts["a"] = verdicts["b"] = [] { return Verdict::abstain(); };
    }
    std::string outcome() {
        Pipeline by_its_operation{api, rows};
        asked.clear();
        auto const text = reason(by_its_operation.admit(exchange, Until::body));
        return text + ", " + order();
    }
};

} // namespace

TEST_CASE("an operation has the authenticators that its rule names, and their challenges") {
    ByOperation one{{"b"}, "GET /files/x"};
    CHECK(one.outcome() == "unauthenticated, b");
    CHECK(one.fields == "WWW-Authenticate: Other realm=files\n");
    ByOperation other{{"b"}, "PUT /files/x"};
    CHECK(other.outcome() == "unauthenticated, a b");
    CHECK(other.fields
          == "WWW-Authenticate: Test realm=files\nWWW-Authenticate: Other realm=files\n");
}

TEST_CASE("an operation has the order of its rule's list") {
    CHECK(ByOperation{{"b", "a"}, "GET /files/x"}.outcome() == "unauthenticated, b a");
    CHECK(ByOperation{{"b", "a"}, "PUT /files/x"}.outcome() == "unauthenticated, a b");
}

TEST_CASE("an operation is not asked for others of a scheme that it takes") {
    ByOperation one{{"rest"}, "GET /files/x"};
    one.api.authenticate = {"rest", "token"};
    Pipeline pipeline{one.api, own_rows};
    asked.clear();
    verdicts["r"] = [] { return Verdict::abstain(); };
    CHECK(one.reason(pipeline.admit(one.exchange, Until::body)) == "unauthenticated");
    CHECK(asked == std::vector<std::string>{"r"});
}

TEST_CASE("an operation may have an authenticator that the rest of its API has not") {
    ByOperation one{{"c"}, "GET /files/x"};
    verdicts["c"] = [] { return Verdict::pass(); };
    CHECK(one.outcome() == "permit, c z l t");
    ByOperation other{{"c"}, "PUT /files/x"};
    CHECK(other.outcome() == "unauthenticated, a b");
}

TEST_CASE("what is no operation has the authenticators of its API") {
    for (std::string const line : {"GET /files/y", "POST /files/x", "GET /files/X"}) {
        CAPTURE(line);
        ByOperation one{{"c"}, line};
        CHECK(one.outcome() == "unauthenticated, a b");
    }
}

} // namespace pipeline_test
