// TLS material: every problem is reported with its file, and certificates are found by name.
#include "tests/unit/net/tls_harness.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>

namespace tls_context_test {

using namespace sallyport::net;
using namespace sallyport::net::test;

namespace {

using Severity = TlsProblem::Severity;

TlsServerContext::Made make_with(std::vector<CertificateSource> certificates) {
    ServerTlsSettings settings;
    settings.certificates = std::move(certificates);
    auto made = TlsServerContext::make(settings, std::make_shared<TicketKeys>());
    CHECK(ERR_peek_error() == 0);
    return made;
}

bool tells(std::vector<TlsProblem> const& problems, Severity severity, std::string const& file,
           std::string const& text) {
    return std::any_of(problems.begin(), problems.end(), [&](TlsProblem const& problem) {
        return problem.severity == severity && problem.file == file
               && problem.text.find(text) != std::string::npos;
    });
}

} // namespace

TEST_CASE("a listener without a certificate is refused") {
    auto const made = make_with({});
    CHECK_FALSE(made.context);
    CHECK(tells(made.problems, Severity::error, "", "needs a certificate"));
}

TEST_CASE("files that cannot be read are reported together, each with its cause") {
    auto const made = make_with({{{"/nonexistent/a.pem", {}}, {"/", {}}}});
    CHECK_FALSE(made.context);
    CHECK(tells(made.problems, Severity::error, "/nonexistent/a.pem", "No such file or directory"));
    CHECK(tells(made.problems, Severity::error, "/", "is a directory"));
}

TEST_CASE("if a certificate or its key is missing, the other one is checked") {
    auto const whole = source_of(example_identity());
    for (auto const& half :
         {CertificateSource{whole.certificate, {}}, CertificateSource{{}, whole.private_key}}) {
        auto const made = make_with({whole, half});
        CHECK(made.problems.empty());
        CHECK_FALSE(made.context);
    }
    auto const made =
        make_with({{{"/nonexistent/a.pem", {}}, {}}, {{}, {"/nonexistent/b.key", {}}}});
    CHECK_FALSE(made.context);
    CHECK(made.problems.size() == 2);
    CHECK(tells(made.problems, Severity::error, "/nonexistent/a.pem", "No such file"));
    CHECK(tells(made.problems, Severity::error, "/nonexistent/b.key", "No such file"));
}

TEST_CASE("a certificate file without PEM is refused, and so is a broken block") {
    auto source = source_of(example_identity());
    source.certificate.text = "not a certificate\n";
    CHECK(tells(make_with({source}).problems, Severity::error, "server.pem",
                "holds no certificate in PEM"));
    source.certificate.text = example_identity().certificate;
    source.certificate.text->erase(100, 8);
    CHECK(tells(make_with({source}).problems, Severity::error, "server.pem",
                "a certificate that cannot be read"));
    // A valid leaf does not compensate for a broken chain.
    source.certificate.text = example_identity().certificate + *source.certificate.text;
    CHECK_FALSE(make_with({source}).context);
}

TEST_CASE("the wrong content of a certificate file is named, with a hint") {
    auto source = source_of(example_identity());
    struct Row {
        std::string text;
        std::string what;
        std::string hint;
    };
    for (auto const& row : std::vector<Row>{
             {"", "is empty", "-----BEGIN CERTIFICATE-----"},
             {"\n \n", "is empty", "-----BEGIN CERTIFICATE-----"},
             {der_of(example_identity()), "it is binary", "openssl x509 -inform der"},
             {example_identity().private_key, "holds a private key, not a certificate",
              "the file of the certificate"},
             {"-----BEGIN CERTIFICATE REQUEST-----\n", "holds a request for a certificate",
              "that the authority issued"},
             {"-----BEGIN PUBLIC KEY-----\n", "holds a public key, not a certificate",
              "the file of the certificate"},
             {"# mine\n" + std::string(1, '\0') + example_identity().certificate,
              "a NUL byte (U+0000) in line 2", "in ASCII"},
         }) {
        CAPTURE(row.what);
        source.certificate.text = row.text;
        auto const made = make_with({source});
        CHECK_FALSE(made.context);
        REQUIRE(made.problems.size() == 1);
        CHECK(tells(made.problems, Severity::error, "server.pem", row.what));
        CHECK(made.problems[0].hint.find(row.hint) != std::string::npos);
    }
}

TEST_CASE("the wrong content of a key file is named, with a hint") {
    auto source = source_of(example_identity());
    auto broken = example_identity().private_key;
    broken.erase(60, 8);
    struct Row {
        std::string text;
        std::string what;
        std::string hint;
    };
    for (auto const& row : std::vector<Row>{
             {"", "is empty", "-----BEGIN PRIVATE KEY-----"},
             {"words", "holds no private key in PEM", "-----BEGIN PRIVATE KEY-----"},
             {der_of(example_identity()), "it is binary", "openssl pkey -inform der"},
             {example_identity().certificate, "holds a certificate, not a private key",
              "the certificate's private key"},
             {"-----BEGIN PUBLIC KEY-----\n", "holds a public key, not a private key",
              "the file of the private key"},
             {example_identity().private_key + std::string(1, '\0'), "a NUL byte (U+0000)",
              "in ASCII"},
             {broken, "holds a private key that cannot be read", "write it again"},
             {encrypt_key(example_identity()), "the private key is encrypted", "openssl pkey -in"},
         }) {
        CAPTURE(row.what);
        source.private_key.text = row.text;
        auto const made = make_with({source});
        CHECK_FALSE(made.context);
        REQUIRE(made.problems.size() == 1);
        CHECK(tells(made.problems, Severity::error, "server.key", row.what));
        CHECK(made.problems[0].hint.find(row.hint) != std::string::npos);
        // No message repeats a possible part of a key.
        CHECK(made.problems[0].text.find("words") == std::string::npos);
    }
}

TEST_CASE("a certificate and its key in each other's place are one problem") {
    auto source = source_of(example_identity());
    std::swap(source.certificate.text, source.private_key.text);
    auto const made = make_with({source});
    CHECK_FALSE(made.context);
    REQUIRE(made.problems.size() == 1);
    CHECK(tells(made.problems, Severity::error, "server.pem",
                "holds a private key, and server.key the certificate"));
    CHECK(made.problems[0].hint == "exchange the two");
}

TEST_CASE("one file may hold a certificate and its key, in any order") {
    auto const both = example_identity().private_key + example_identity().certificate;
    CHECK(make_with({{{"both.pem", both, 0}, {"both.pem", both, 1}}}).context);
}

TEST_CASE("a key that is too small is reported with the required size") {
    auto const small = authority().issue({{"small.example.com"}, {}, KeyKind::small_rsa});
    auto const made = make_with({source_of(small)});
    CHECK_FALSE(made.context);
    REQUIRE(made.problems.size() == 1);
    CHECK(tells(made.problems, Severity::error, "server.pem", "key has 1024 bits"));
    CHECK(made.problems[0].text.ends_with(" wants 2048"));
    CHECK(made.problems[0].hint.starts_with("make a key of 2048 bits or more"));
}

TEST_CASE("a key that belongs to another certificate is refused") {
    auto source = source_of(example_identity());
    source.private_key.text = authority().issue({{"other.example.com"}, {}}).private_key;
    auto const made = make_with({source});
    CHECK_FALSE(made.context);
    CHECK(tells(made.problems, Severity::error, "server.key",
                "does not belong to the certificate in server.pem"));
    CHECK_FALSE(made.problems[0].hint.empty());
}

TEST_CASE("a chain in the wrong order is reported") {
    auto source = source_of(example_identity());
    auto const leaf = example_identity().certificate;
    source.certificate.text = leaf + authority().certificate();
    CHECK(make_with({source}).problems.empty());

    source.certificate.text = authority().certificate() + leaf;
    auto const reversed = make_with({source});
    CHECK_FALSE(reversed.context);
    REQUIRE(reversed.problems.size() == 1);
    CHECK(tells(reversed.problems, Severity::error, "server.pem",
                "the private key belongs to certificate 2 of the file, not to the first"));
    CHECK(reversed.problems[0].hint.starts_with("write the server's certificate first"));

    // Some clients reorder it, and some do not.
    source.certificate.text = leaf + Authority{}.certificate() + authority().certificate();
    auto const strange = make_with({source});
    CHECK(strange.context);
    REQUIRE(strange.problems.size() == 1);
    CHECK(tells(strange.problems, Severity::warning, "server.pem",
                "certificate 2 of the file did not sign the one before it"));
}

TEST_CASE("a problem names the source that caused it") {
    auto const made = make_with({{{"/no/such.pem", {}, 4}, {"/no/such.pem", {}, 5}}});
    REQUIRE(made.problems.size() == 2);
    CHECK(made.problems[0].source == 4);
    CHECK(made.problems[1].source == 5);
}

TEST_CASE("an expired certificate, or one that is not valid yet, is a warning") {
    auto const expired = make_with(
        {source_of(authority().issue({{"a.example.com"}, {}, KeyKind::ecdsa, -7200, 3600}))});
    CHECK(expired.context);
    CHECK(tells(expired.problems, Severity::warning, "server.pem", "has expired"));
    auto const early = make_with(
        {source_of(authority().issue({{"a.example.com"}, {}, KeyKind::ecdsa, 3600, 3600}))});
    CHECK(early.context);
    CHECK(tells(early.problems, Severity::warning, "server.pem", "is not valid yet"));
}

TEST_CASE("a CA file without a certificate is refused") {
    ClientTlsSettings settings;
    settings.ca = PemSource{"ca.pem", "nothing"};
    auto const made = TlsClientContext::make(settings);
    CHECK_FALSE(made.context);
    CHECK(tells(made.problems, Severity::error, "ca.pem", "holds no certificate in PEM"));
}

TEST_CASE("a certificate for servers that ask for one is checked like those of listeners") {
    auto const one = authority().issue({{"a.example.com"}, {}});
    auto const other = authority().issue({{"b.example.com"}, {}});
    ClientTlsSettings settings;
    settings.certificate = source_of(one);
    CHECK(TlsClientContext::make(settings).context);
    settings.certificate = source_of({one.certificate, other.private_key});
    auto const mixed = TlsClientContext::make(settings);
    CHECK_FALSE(mixed.context);
    CHECK(tells(mixed.problems, Severity::error, "server.key", "does not belong to"));
    // With the problems of the authority.
    settings.ca = PemSource{"ca.pem", "nothing"};
    CHECK(TlsClientContext::make(settings).problems.size() == 2);
}

TEST_CASE("without a CA the system's store is used") {
    CHECK(TlsClientContext::make({}).context);
}

TEST_CASE("certificates are found by exact name, then by a wildcard of one label, else the first") {
    auto const made = make_with({
        source_of(authority().issue({{"first.example.com"}, {}}), "first"),
        source_of(authority().issue({{"*.example.com"}, {}}), "wildcard"),
        source_of(authority().issue({{"API.example.com", "example.org"}, {}}), "exact"),
        source_of(authority().issue({{"api.example.com"}, {}}), "again"),
        source_of(authority().issue({{}, {"192.0.2.1"}}), "nameless"),
    });
    REQUIRE(made.context);
    auto const& context = *made.context;
    auto const* const first = context.default_context();
    auto const* const wildcard = context.find("other.example.com");
    auto const* const exact = context.find("api.example.com");
    CHECK(context.find("first.example.com") == first);
    CHECK(wildcard != first);
    CHECK(exact != first);
    CHECK(exact != wildcard);
    CHECK(context.find("example.org") == exact);
    CHECK(context.find("a.b.example.com") == first);
    CHECK(context.find("example.com") == first);
    CHECK(context.find(".example.com") == first);
    CHECK(context.find("unknown.test") == first);
    CHECK(context.find("") == first);
}

TEST_CASE("certificates of two key types for the same names are offered side by side") {
    auto const ecdsa = authority().issue({{"a.example.com", "b.example.com"}, {}, KeyKind::ecdsa});
    auto const rsa = authority().issue({{"b.example.com", "a.example.com"}, {}, KeyKind::rsa});
    auto const made = make_with({source_of(ecdsa, "ecdsa"), source_of(rsa, "rsa")});
    REQUIRE(made.context);
    CHECK(made.context->find("a.example.com") == made.context->default_context());
    CHECK(made.context->find("b.example.com") == made.context->default_context());
    auto* const context = made.context->default_context();
    CHECK(SSL_CTX_set_current_cert(context, SSL_CERT_SET_FIRST) == 1);
    CHECK(SSL_CTX_set_current_cert(context, SSL_CERT_SET_NEXT) == 1);
    CHECK(SSL_CTX_set_current_cert(context, SSL_CERT_SET_NEXT) == 0);
    ERR_clear_error();
}

} // namespace tls_context_test
