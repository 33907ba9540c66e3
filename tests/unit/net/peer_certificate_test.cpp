// What is read of the certificates of clients, and what is not read at all.
#include "gateway/net/peer_certificate.h"

#include "tests/support/authority.h"

#include <catch2/catch.hpp>

#include <openssl/pem.h>

#include <memory>

namespace peer_certificate_test {

using namespace sallyport::net;
using sallyport::test::CertificateRequest;
using sallyport::test::IssuingAuthority;

namespace {

PeerCertificate describe(CertificateRequest const& request) {
    auto const issued = IssuingAuthority::issue_alone(request);
    auto* const bio =
        BIO_new_mem_buf(issued.certificate.data(), static_cast<int>(issued.certificate.size()));
    std::unique_ptr<X509, decltype(&X509_free)> const certificate{
        PEM_read_bio_X509(bio, nullptr, nullptr, nullptr), &X509_free};
    BIO_free_all(bio);
    return describe_certificate(certificate.get());
}

PeerCertificate with_names(std::string const& names) {
    return describe({.alternative_names = names});
}

} // namespace

TEST_CASE("a subject is written as RFC 4514 has it, the last part first") {
    CHECK(describe({.subject = {{"O", "Example"}, {"CN", "billing"}}}).subject
          == "CN=billing,O=Example");
    CHECK(describe({.subject = {{"CN", "a,b+c\"d\\e<f>g;h"}}}).subject
          == R"(CN=a\,b\+c\"d\\e\<f\>g\;h)");
    CHECK(describe({.subject = {{"CN", " #a "}}}).subject == R"(CN=\ #a\ )");
    CHECK(describe({.subject = {{"CN", "#a"}}}).subject == R"(CN=\#a)");
    CHECK(describe({.subject = {{"CN", "a\nb"}}}).subject == R"(CN=a\0Ab)");
    CHECK(describe({.subject = {{"CN", "M\xC3\xBCller"}}}).subject == "CN=M\xC3\xBCller");
    auto const none = describe({.subject = {}, .alternative_names = "DNS:a.example"});
    CHECK(none.subject.empty());
    CHECK(none.problem.empty());
}

TEST_CASE("a subject with a NUL byte, or with a text of an old type, is not read") {
    using namespace std::string_literals;
    auto const refused = std::string_view{"its subject has a NUL byte, or a text of an old type"};
    CHECK(describe({.subject = {{"CN", "admin\0.example"s}}}).problem == refused);
    CHECK(describe({.subject = {{"CN", "client"}}, .subject_type = V_ASN1_T61STRING}).problem
          == refused);
    auto const wide = describe({.subject = {{"CN", "\0c\0l"s}}, .subject_type = V_ASN1_BMPSTRING});
    CHECK(wide.problem == refused);
    CHECK(wide.subject.empty());
    CHECK(describe({.subject = {{"CN", std::string(64, 'a')}, {"OU", std::string(64, 'b')}},
                    .subject_type = V_ASN1_PRINTABLESTRING})
              .problem.empty());
}

TEST_CASE("names of hosts, URIs and mailboxes are read; only what has no case is made lower") {
    auto const facts =
        with_names("DNS:API.Example,URI:https://A.example/B,email:Jo@Mail.Example,IP:10.0.0.1");
    CHECK(facts.problem.empty());
    CHECK(facts.dns_names == std::vector<std::string>{"api.example"});
    CHECK(facts.uris == std::vector<std::string>{"https://A.example/B"});
    CHECK(facts.emails == std::vector<std::string>{"Jo@mail.example"});
}

TEST_CASE("a certificate with more than 32 alternative names is not read") {
    std::string names = "DNS:a.example";
    for (int i = 1; i < most_alternative_names; ++i)
        names += ",DNS:a" + std::to_string(i) + ".example";
    CHECK(with_names(names).dns_names.size() == 32);
    auto const facts = with_names(names + ",IP:10.0.0.1");
    CHECK(facts.problem == "it has more than 32 alternative names");
    CHECK(facts.dns_names.empty());
}

TEST_CASE("an alternative name that is no plain text keeps the certificate from being read") {
    for (auto const* const name : {"URI:http://a b", "email:jo smith@a.example"}) {
        CAPTURE(name);
        auto const facts = with_names(std::string{"DNS:a.example,"} + name);
        CHECK(facts.problem == "one of its alternative names is empty, too long, or no plain text");
        CHECK(facts.dns_names.empty());
        CHECK(facts.subject.empty());
    }
    // A name of a host with a NUL byte, in DER.
    CHECK_FALSE(with_names("DER:30058203610062").problem.empty());
    CHECK_FALSE(with_names("DER:30058603610062").problem.empty());
    CHECK_FALSE(with_names("DER:30058103610062").problem.empty());
    CHECK(with_names("DER:3003820161").problem.empty());
    CHECK_FALSE(with_names("URI:http://a/" + std::string(2100, 'x')).problem.empty());
}

TEST_CASE("a SPIFFE ID is the only URI of a certificate that signs nothing") {
    std::string const id = "URI:spiffe://example.org/billing";
    CHECK(with_names(id).uris == std::vector<std::string>{"spiffe://example.org/billing"});
    CHECK(with_names(id + ",URI:https://a.example").problem
          == "it has a SPIFFE ID and another URI");
    CHECK(with_names("URI:SPIFFE://example.org/a,URI:https://a.example").problem
          == "it has a SPIFFE ID and another URI");
    CHECK(describe({.alternative_names = id, .basic_constraints = "critical,CA:TRUE"}).problem
          == "it has a SPIFFE ID, and is that of an authority");
    CHECK(describe({.alternative_names = id, .key_usage = "critical,digitalSignature,cRLSign"})
              .problem
          == "it has a SPIFFE ID, and is that of an authority");
    CHECK(with_names("URI:https://a.example,URI:https://b.example").uris.size() == 2);
}

TEST_CASE("a fingerprint is SHA-256 of the whole certificate") {
    auto const issued = IssuingAuthority::issue_alone();
    auto const text = sallyport::test::fingerprint_of(issued.certificate);
    auto* const bio =
        BIO_new_mem_buf(issued.certificate.data(), static_cast<int>(issued.certificate.size()));
    std::unique_ptr<X509, decltype(&X509_free)> const certificate{
        PEM_read_bio_X509(bio, nullptr, nullptr, nullptr), &X509_free};
    BIO_free_all(bio);
    std::string hex;
    for (auto const byte : describe_certificate(certificate.get()).fingerprint) {
        constexpr std::string_view digits = "0123456789abcdef";
        hex += digits[byte >> 4U];
        hex += digits[byte & 15U];
    }
    CHECK(text == "sha256:" + hex);
}

} // namespace peer_certificate_test
