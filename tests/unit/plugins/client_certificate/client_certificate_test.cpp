// Each verdict about certificates of clients.
#include "plugins/client_certificate/client_certificate.h"

#include "gateway/pipeline/client_certificate.h"
#include "plugins/registry.h"
#include "tests/unit/config/support.h"
#include "tests/unit/pipeline/double.h"

#include <catch2/catch.hpp>

#include <chrono>

namespace client_certificate_test {

using namespace sallyport;
using namespace sallyport::plugins;
using pipeline::AuthFailure;

namespace {

using SystemClock = std::chrono::system_clock;

// Credentials of a file, as the gateway has them.
std::shared_ptr<pipeline::CredentialTable const> table_of(std::string const& entries) {
    config::Tables const tables{authenticators()};
    auto const read = config::test::read_keys("credentials:\n" + entries, {}, tables);
    INFO(config::test::described(read.problems));
    REQUIRE(read.problems.empty());
    auto table = std::make_shared<pipeline::CredentialTable>();
    for (auto const& from : read.credentials) {
        pipeline::Credential credential;
        credential.identity.name = from.name;
        credential.not_before = from.not_before;
        credential.expires = from.expires;
        credential.disabled = from.disabled;
        table->add(from.identity().authenticator->name, from.identity().keys,
                   std::move(credential));
    }
    return table;
}

std::string entry(std::string const& name, std::string const& identity,
                  std::string const& more = {}) {
    return "- { name: " + name + ", allow: all, client_certificate: { " + identity + " }" + more
           + " }\n";
}

std::string const zeros = "sha256:" + std::string(64, '0');

net::PeerCertificate facts() {
    net::PeerCertificate made;
    made.subject = "CN=billing,O=Example";
    made.dns_names = {"a.example", "b.example"};
    made.uris = {"spiffe://example.org/billing"};
    made.emails = {"jo@example.org"};
    return made;
}

// A request on a connection with a certificate.
struct Shown : pipeline::test::Fixture {
    Shown(std::string const& entries, net::PeerCertificate its_facts)
        : Fixture{"GET / HTTP/1.1\r\nHost: h\r\n\r\n"} {
        api.credentials = table_of(entries);
        client.certificate = std::make_shared<pipeline::ClientCertificate>();
        client.certificate->facts =
            std::make_unique<net::PeerCertificate const>(std::move(its_facts));
    }
    explicit Shown(std::string const& entries) : Shown(entries, facts()) {}

    // The caller, or why there is none.
    std::string result() {
        exchange.decision.caller = nullptr;
        exchange.decision.auth_failure = AuthFailure::none;
        auto const kind = ask(*plugin).kind();
        if (kind == pipeline::Verdict::Kind::abstain) return "abstains";
        if (kind == pipeline::Verdict::Kind::pass) return exchange.decision.caller->name;
        CHECK(exchange.decision.caller == nullptr);
        return std::string{to_string(exchange.decision.auth_failure)};
    }

    std::unique_ptr<pipeline::Plugin> plugin = make_client_certificate(api);
};

} // namespace

TEST_CASE("without a certificate it abstains") {
    Shown shown{entry("one", "subject: \"CN=billing,O=Example\"")};
    shown.client.certificate.reset();
    CHECK(shown.result() == "abstains");
}

TEST_CASE("a certificate is that of the credential with its subject, a name or its fingerprint") {
    for (std::string const identity :
         {"subject: \"CN=billing,O=Example\"", "san: { dns: [b.example] }",
          "san: { dns: [c.example, a.example] }",
          "san: { uri: [\"spiffe://example.org/billing\"] }",
          "san: { email: [jo@example.org], dns: [c.example] }"}) {
        CAPTURE(identity);
        CHECK(Shown{entry("one", identity)}.result() == "one");
    }
    CHECK(Shown{entry("one", "fingerprints: [\"" + zeros + "\"]")}.result() == "one");
}

TEST_CASE("an entry for listeners counts at these alone, and each may have one of a name") {
    std::string const name = "subject: \"CN=billing,O=Example\", listeners: ";
    auto const at = [&](std::string const& listener, std::string const& entries) {
        Shown shown{entries};
        shown.client.listener = listener;
        return shown.result();
    };
    auto const both = entry("one", name + "[internal, other]") + entry("two", name + "[partners]");
    CHECK(at("internal", both) == "one");
    CHECK(at("other", both) == "one");
    CHECK(at("partners", both) == "two");
    CHECK(at("public", both) == "unknown");
    // One for any listener is another credential.
    CHECK(at("internal", both + entry("any", "san: { dns: [a.example] }")) == "certificate");
    CHECK(at("public", both + entry("any", "san: { dns: [a.example] }")) == "any");
}

TEST_CASE("names are compared byte by byte, and only with those of their kind") {
    for (std::string const identity :
         {"subject: \"CN=Billing,O=Example\"", "subject: \"O=Example,CN=billing\"",
          "subject: \"CN=billing\"", "san: { dns: [example] }", "san: { dns: [x.a.example] }",
          "san: { uri: [\"spiffe://example.org/bill\"] }",
          "san: { uri: [\"spiffe://example.org/billing/x\"] }", "san: { uri: [\"dns:a.example\"] }",
          "san: { email: [JO@example.org] }"}) {
        CAPTURE(identity);
        CHECK(Shown{entry("one", identity)}.result() == "unknown");
    }
    auto other = facts();
    other.dns_names = {"spiffe.example"};
    other.uris = {"a.example"};
    CHECK(Shown{entry("one", "san: { dns: [a.example] }"), other}.result() == "unknown");
    CHECK(Shown{entry("one", "fingerprints: [\"sha256:" + std::string(64, 'a') + "\"]")}.result()
          == "unknown");
}

TEST_CASE("a certificate of two credentials is of neither") {
    auto const two = entry("one", "san: { dns: [a.example] }")
                     + entry("two", "fingerprints: [\"" + zeros + "\"]");
    Shown both{two};
    CHECK(both.result() == "certificate");
    // For the log: which entries they are is one look further.
    CHECK(both.exchange.decision.meant != nullptr);
    auto fewer = facts();
    fewer.dns_names = {"b.example"};
    CHECK(Shown{two, fewer}.result() == "two");
    // Several names of one credential are no contradiction.
    CHECK(Shown{entry("one", "san: { dns: [a.example, b.example] }")}.result() == "one");
}

TEST_CASE("a certificate that could not be read is nobody's, whatever its fingerprint is") {
    auto unread = facts();
    unread.problem = "it has a SPIFFE ID and another URI";
    Shown shown{entry("one", "fingerprints: [\"" + zeros + "\"]"), unread};
    CHECK(shown.result() == "certificate");
    auto denial = shown.ask(*shown.plugin).take_denial();
    REQUIRE(denial);
    CHECK(denial->log_note == "it has a SPIFFE ID and another URI");
    CHECK(denial->reason == pipeline::Reason::unauthenticated);
}

TEST_CASE("a credential of a certificate is disabled, too early or too late as others are") {
    std::string const identity = "subject: \"CN=billing,O=Example\"";
    CHECK(Shown{entry("one", identity, ", disabled: true")}.result() == "disabled");
    CHECK(Shown{entry("one", identity, ", expires: 2020-01-01T00:00:00Z")}.result() == "expired");
    Shown early{entry("one", identity, ", not_before: 2200-01-01T00:00:00Z")};
    CHECK(early.result() == "not_yet_valid");
    REQUIRE(early.exchange.decision.meant != nullptr);
    CHECK(early.exchange.decision.meant->identity.name == "one");
}

TEST_CASE("what was found for a connection counts until the credentials change") {
    Shown shown{entry("one", "san: { dns: [a.example] }")};
    CHECK(shown.result() == "one");
    CHECK(shown.client.certificate->found.table == shown.api.credentials->identity());
    CHECK(shown.result() == "one");
    shown.api.credentials = table_of(entry("two", "san: { dns: [a.example] }"));
    CHECK(shown.result() == "two");
    shown.api.credentials = table_of(entry("two", "san: { dns: [c.example] }"));
    CHECK(shown.result() == "unknown");
}

} // namespace client_certificate_test
