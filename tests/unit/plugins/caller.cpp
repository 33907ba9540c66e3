// A request with an Authorization field, before an API with one caller that has a secret and one
// with a token.
#include "tests/unit/plugins/caller.h"

namespace sallyport::plugins::test {

namespace {

std::string head_with(std::initializer_list<std::string_view> authorization) {
    std::string head = "GET / HTTP/1.1\r\nHost: h\r\n";
    for (auto const value : authorization)
        head.append("Authorization: ").append(value).append("\r\n");
    return head + "\r\n";
}

} // namespace

Caller::Caller(std::initializer_list<std::string_view> authorization,
               std::optional<WallClock::time_point> expires)
    : Fixture{head_with(authorization)} {
    pipeline::Credential by_secret;
    by_secret.identity.name = "by secret";
    by_secret.digests.fill(services.sha256("a-right-secret"));
    by_secret.expires = expires;
    pipeline::Credential by_token;
    by_token.identity.name = "by token";
    by_token.digests.fill(services.sha256("a-right-token"));
    by_token.expires = expires;
    auto table = std::make_shared<pipeline::CredentialTable>();
    table->add("basic", {"id"}, by_secret);
    table->add("bearer", {std::string{pipeline::as_text(by_token.digests[0])}}, by_token);
    api.credentials = std::move(table);
}

std::string Caller::ask(pipeline::Plugin& plugin) {
    auto& decision = exchange.decision;
    decision.caller = nullptr;
    decision.authorization = {};
    auto verdict = Fixture::ask(plugin);
    switch (verdict.kind()) {
    case pipeline::Verdict::Kind::deny:
        return "denied: " + std::string{to_string(std::move(verdict).take_denial()->reason)};
    case pipeline::Verdict::Kind::abstain: return "abstains";
    case pipeline::Verdict::Kind::missing: return "misses something";
    case pipeline::Verdict::Kind::pass: break;
    }
    if (decision.caller == nullptr) return "passes without a caller";
    auto text = decision.caller->name + ", ";
    text.append(decision.authorization.scheme).append(" ").append(decision.authorization.proof);
    return text;
}

bool Caller::is_remembered(std::string_view authenticator, std::string_view field) {
    return services.known_callers.find(*api.credentials, authenticator, field).credential
           != nullptr;
}

} // namespace sallyport::plugins::test
