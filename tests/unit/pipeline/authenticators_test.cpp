// Callers who are known already are who they were, and nobody whose field does not deserve it.
#include "double.h"

#include "plugins/basic.h"
#include "plugins/bearer.h"

#include <catch2/catch.hpp>

using namespace sallyport;
using namespace sallyport::pipeline;
using pipeline::test::Fixture;

namespace {

using Now = std::chrono::system_clock;

constexpr std::string_view right =
    "Authorization: Basic aWQ6YS1yaWdodC1zZWNyZXQ=\r\n"; // id:a-right-secret
constexpr std::string_view right_field = "Basic aWQ6YS1yaWdodC1zZWNyZXQ=";
constexpr std::string_view token = "Authorization: Bearer a-right-token\r\n";

struct Caller : Fixture {
    explicit Caller(std::string_view fields, std::optional<Now::time_point> expires = {})
        : Fixture{"GET / HTTP/1.1\r\nHost: h\r\n" + std::string{fields} + "\r\n"} {
        Credential basic;
        basic.name = "by secret";
        basic.digests.fill(services.sha256("a-right-secret"));
        basic.expires = expires;
        Credential bearer;
        bearer.name = "by token";
        bearer.digests.fill(services.sha256("a-right-token"));
        auto table = std::make_shared<CredentialTable>();
        table->add_basic("id", basic);
        table->add_bearer({bearer.digests[0]}, bearer);
        api.credentials = std::move(table);
        api.authenticate = {"basic", "bearer"};
    }
    std::string ask(std::unique_ptr<Plugin> plugin) {
        exchange.credential = nullptr;
        exchange.authorization = {};
        auto const verdict = plugin->check(exchange);
        if (verdict.kind() == Verdict::Kind::deny) return "denied";
        if (verdict.kind() == Verdict::Kind::abstain) return "not for me";
        return exchange.credential->name + ", " + std::string{exchange.authorization.scheme} + " "
               + std::string{exchange.authorization.proof};
    }
    std::string basic() { return ask(plugins::make_basic(api)); }
    std::string bearer() { return ask(plugins::make_bearer(api)); }
    bool is_remembered(Authenticator authenticator, std::string_view field) {
        return services.known_callers.find(*api.credentials, authenticator, field) != nullptr;
    }
    void remember(std::string_view field) {
        services.known_callers.remember(*api.credentials, Authenticator::basic, field,
                                        *api.credentials->all().front());
    }
};

} // namespace

TEST_CASE("a wrong field is not remembered") {
    Caller caller{"Authorization: Basic aWQ6d3Jvbmc=\r\n"}; // id:wrong
    CHECK(caller.basic() == "denied");
    CHECK_FALSE(caller.is_remembered(Authenticator::basic, "Basic aWQ6d3Jvbmc="));
}

TEST_CASE("a known caller whose credential has expired is nobody, and the operator is told") {
    Caller caller{right, Now::now() - std::chrono::hours{1}};
    caller.remember(right_field);
    CHECK(caller.basic() == "denied");
    REQUIRE(caller.exchange.outcome.expired != nullptr);
    CHECK(caller.exchange.outcome.expired->name == "by secret");
}

TEST_CASE("a repeated field is nobody's, even where the first line is a known caller's") {
    Caller caller{std::string{right} + "Authorization: Basic aWQ6d3Jvbmc=\r\n"};
    caller.remember(right_field);
    CHECK(caller.basic() == "denied");
}

TEST_CASE("a caller who is known to one authenticator is a stranger to another") {
    Caller caller{right};
    CHECK(caller.basic() != "denied");
    CHECK(caller.bearer() == "not for me");
    Caller with_token{token};
    CHECK(with_token.bearer() != "denied");
    CHECK(with_token.basic() == "not for me");
}

TEST_CASE("a caller is the same whether known already or not") {
    Caller caller{right, Now::now() + std::chrono::hours{1}};
    auto const first = caller.basic();
    CHECK(first == "by secret, " + std::string{right_field});
    CHECK(caller.is_remembered(Authenticator::basic, right_field));
    CHECK(caller.basic() == first);

    Caller with_token{token};
    auto const first_of_token = with_token.bearer();
    CHECK(first_of_token == "by token, Bearer a-right-token");
    CHECK(with_token.is_remembered(Authenticator::bearer, "Bearer a-right-token"));
    CHECK(with_token.bearer() == first_of_token);
}

TEST_CASE("a scheme that is spelled otherwise is read anew each time") {
    Caller caller{"Authorization: bASIC  aWQ6YS1yaWdodC1zZWNyZXQ=\r\n"};
    CHECK(caller.basic() == "by secret, " + std::string{right_field});
    CHECK(caller.basic() == "by secret, " + std::string{right_field});
    CHECK_FALSE(caller.is_remembered(Authenticator::basic, "bASIC  aWQ6YS1yaWdodC1zZWNyZXQ="));
}
