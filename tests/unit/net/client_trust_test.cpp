// Which certificates of clients pass the handshake, and which do afterwards.
#include "gateway/net/client_trust.h"

#include "gateway/net/errors.h"
#include "gateway/net/peer_certificate.h"
#include "tests/support/authority.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/net/tls_harness.h"

#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <algorithm>

namespace client_trust_test {

using namespace sallyport::net;
using namespace sallyport::net::test;
using sallyport::test::CertificateRequest;
using sallyport::test::IssuedCertificate;
using sallyport::test::IssuingAuthority;
using sallyport::test::TemporaryFolder;

namespace {

IssuingAuthority const& root() {
    static IssuingAuthority const made{"Clients"};
    return made;
}
IssuingAuthority const& other_root() {
    static IssuingAuthority const made{"Others"};
    return made;
}
IssuingAuthority const& middle() {
    static IssuingAuthority const made{"Middle", &root()};
    return made;
}
IssuedCertificate const& client() {
    static IssuedCertificate const made = root().issue();
    return made;
}

ServerTlsSettings asking(std::string ca = root().certificate(), std::string crl = {},
                         ClientCertificates verify = ClientCertificates::required) {
    ServerTlsSettings settings;
    settings.session_id_context = "public";
    settings.client_certificates = {verify, {"ca.pem", std::move(ca)}, std::nullopt};
    if (!crl.empty()) settings.client_certificates->crl = {"crl.pem", std::move(crl)};
    return settings;
}

// A context of a client with a certificate.
std::shared_ptr<TlsClientContext const> showing(IssuedCertificate const* own,
                                                std::string const& between = {},
                                                int highest = TLS1_3_VERSION) {
    auto made = make_client();
    SSL_CTX_set_max_proto_version(made->context(), highest);
    if (own == nullptr) return made;
    TemporaryFolder const folder;
    auto const file = folder.write("own.pem", own->with(between)).string();
    SSL_CTX_use_certificate_chain_file(made->context(), file.c_str());
    SSL_CTX_use_PrivateKey_file(made->context(), file.c_str(), SSL_FILETYPE_PEM);
    return made;
}

// What the server says of a handshake: empty if it succeeds.
std::string outcome(ServerTlsSettings const& server,
                    std::shared_ptr<TlsClientContext const> const& client) {
    TlsEnds::Options options;
    options.server = server;
    options.client_context = client;
    TlsEnds ends{std::move(options)};
    auto const error = ends.handshake().server;
    return error ? error.message() : std::string{};
}

std::string outcome(CertificateRequest const& request) {
    auto const own = root().issue(request);
    return outcome(asking(), showing(&own));
}

// The server and the client of connections that follow each other.
struct Series {
    explicit Series(std::shared_ptr<TlsClientContext const> its_client)
        : client_context{std::move(its_client)} {}

    std::shared_ptr<TicketKeys> keys = std::make_shared<TicketKeys>();
    std::shared_ptr<TlsSession> session = std::make_shared<TlsSession>();
    std::shared_ptr<TlsClientContext const> client_context;

    // "resumed", "full", or the server's error; `seen`: the subject of the client's certificate.
    std::string connect(ServerTlsSettings const& server, std::string* seen = nullptr) {
        TlsEnds::Options options;
        options.server_context = make_server(server, keys);
        options.client_context = client_context;
        options.session = session;
        TlsEnds ends{std::move(options)};
        auto const result = ends.handshake();
        if (result.server) return result.server.message();
        auto const certificate = ends.server->peer_certificate();
        if (seen != nullptr) *seen = certificate ? certificate->subject : "none";
        ends.exchange("a request", "a response");
        return ends.server->tls()->resumed == Resumed::yes ? "resumed" : "full";
    }
};

std::vector<TlsProblem> problems_of(ServerTlsSettings settings) {
    settings.certificates = {source_of(example_identity())};
    auto made = TlsServerContext::make(settings, std::make_shared<TicketKeys>());
    CHECK((made.context == nullptr)
          == std::any_of(made.problems.begin(), made.problems.end(), [](auto const& one) {
                 return one.severity == TlsProblem::Severity::error;
             }));
    return made.problems;
}

bool tells(std::vector<TlsProblem> const& problems, TlsProblem::Severity severity,
           std::string const& text) {
    return std::any_of(problems.begin(), problems.end(), [&](TlsProblem const& problem) {
        return problem.severity == severity && problem.text.find(text) != std::string::npos;
    });
}

constexpr auto error = TlsProblem::Severity::error;
constexpr auto warning = TlsProblem::Severity::warning;

} // namespace

TEST_CASE("a client without a certificate passes where it is optional, not where it is required") {
    for (int const version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        auto const nothing = showing(nullptr, {}, version);
        CHECK(outcome(asking(), nothing) == "peer did not return a certificate");
        CHECK(outcome(asking(root().certificate(), {}, ClientCertificates::optional), nothing)
                  .empty());
    }
}

TEST_CASE("a certificate of a trusted authority passes, in TLS 1.2 and 1.3") {
    for (int const version : {TLS1_2_VERSION, TLS1_3_VERSION})
        CHECK(outcome(asking(), showing(&client(), {}, version)).empty());
}

TEST_CASE("a certificate that is not valid ends the handshake, also where none is required") {
    auto const stranger = other_root().issue();
    auto const alone = IssuingAuthority::issue_alone();
    for (auto const verify : {ClientCertificates::required, ClientCertificates::optional}) {
        auto const settings = asking(root().certificate(), {}, verify);
        CHECK(outcome(settings, showing(&stranger)) == "unable to get local issuer certificate");
        CHECK(outcome(settings, showing(&alone)) == "self-signed certificate");
    }
    CHECK(outcome({.starts = -7200, .ends = -3600}) == "certificate has expired");
    CHECK(outcome({.starts = 3600, .ends = 7200}) == "certificate is not yet valid");
    CHECK(outcome({.extended_usage = "serverAuth"}) == "unsuitable certificate purpose");
    CHECK(outcome({.extended_usage = ""}).empty()); // RFC 5280, 4.2.1.12: any
    CHECK(outcome({.key_usage = "critical,keyEncipherment"}) == "unsuitable certificate purpose");
}

TEST_CASE("authorities between a certificate and a root are sent, or known, and four at most") {
    auto const own = middle().issue();
    CHECK(outcome(asking(), showing(&own)) == "unable to get local issuer certificate");
    CHECK(outcome(asking(), showing(&own, middle().certificate())).empty());
    CHECK(outcome(asking(root().certificate() + middle().certificate()), showing(&own)).empty());

    std::vector<std::unique_ptr<IssuingAuthority>> line;
    std::string between;
    for (int i = 0; i < ClientTrust::most_between + 1; ++i) {
        line.push_back(std::make_unique<IssuingAuthority>(
            "Line " + std::to_string(i), line.empty() ? &root() : line.back().get()));
        between = line.back()->certificate() + between;
        auto const last = line.back()->issue();
        bool const fits = i < ClientTrust::most_between;
        CHECK(outcome(asking(), showing(&last, between))
              == (fits ? "" : "certificate chain too long"));
    }
}

TEST_CASE("what a client sends of certificates is bounded") {
    CHECK(outcome({.padding = 16'000}).empty());
    CHECK(outcome({.padding = 33'000}) == "excessive message size");
    std::string many;
    for (int i = 0; i < 200; ++i)
        many += middle().certificate();
    CHECK(outcome(asking(), showing(&client(), many)) == "excessive message size");
}

TEST_CASE("a revoked certificate is refused, and so is one below a revoked authority") {
    auto const own = middle().issue();
    auto const sent = showing(&own, middle().certificate());
    auto const middle_list = middle().list();
    CHECK(outcome(asking(root().certificate(), root().list({client().serial})), showing(&client()))
          == "certificate revoked");
    CHECK(outcome(asking(root().certificate(), root().list({1})), showing(&client())).empty());
    CHECK(outcome(asking(root().certificate(), root().list() + middle_list), sent).empty());
    CHECK(outcome(asking(root().certificate(), root().list() + middle().list({own.serial})), sent)
          == "certificate revoked");
    // Also where the file of authorities has it.
    auto const both = root().certificate() + middle().certificate();
    auto const revoked = root().list({middle().serial()}) + middle_list;
    CHECK(outcome(asking(root().certificate(), revoked), sent) == "certificate revoked");
    CHECK(outcome(asking(both, revoked), sent) == "certificate revoked");
}

TEST_CASE("without a list of its authority, or with one that has ended, no certificate is valid") {
    CHECK(outcome(asking(root().certificate(), root().list({}, -60)), showing(&client()))
          == "CRL has expired");
    CHECK(outcome(asking(root().certificate(), root().list({}, 7200, 3600)), showing(&client()))
          == "CRL is not yet valid");
    CHECK(outcome(asking(root().certificate() + other_root().certificate(), other_root().list()),
                  showing(&client()))
          == "unable to get certificate CRL");
    auto const own = middle().issue();
    CHECK(
        outcome(asking(root().certificate(), root().list()), showing(&own, middle().certificate()))
        == "unable to get certificate CRL");
}

TEST_CASE("a connection that is resumed has its certificate") {
    for (int const version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        Series series{showing(&client(), {}, version)};
        std::string seen;
        CHECK(series.connect(asking(), &seen) == "full");
        CHECK(seen == "CN=client");
        seen.clear();
        CHECK(series.connect(asking(), &seen) == "resumed");
        CHECK(seen == "CN=client");
    }
}

TEST_CASE("a ticket is worth nothing once its certificate is revoked, or its authority gone") {
    for (int const version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        auto const with_list = asking(root().certificate(), root().list());
        Series revoked{showing(&client(), {}, version)};
        CHECK(revoked.connect(with_list) == "full");
        CHECK(revoked.connect(with_list) == "resumed");
        CHECK(revoked.connect(asking(root().certificate(), root().list({client().serial})))
              == "certificate revoked");

        Series removed{showing(&client(), {}, version)};
        CHECK(removed.connect(asking()) == "full");
        CHECK(removed.connect(asking(other_root().certificate()))
              == "unable to get local issuer certificate");
    }
}

TEST_CASE("a ticket without a certificate does not replace one where it is required") {
    for (int const version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        Series optional{showing(nullptr, {}, version)};
        auto const settings = asking(root().certificate(), {}, ClientCertificates::optional);
        CHECK(optional.connect(settings) == "full");
        CHECK(optional.connect(settings) == "resumed");
        CHECK(optional.connect(asking()) == "peer did not return a certificate");
    }
}

TEST_CASE("a ticket of before certificates were asked for is not resumed where they are") {
    for (int const version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        Series series{showing(&client(), {}, version)};
        ServerTlsSettings silent;
        silent.session_id_context = "public";
        CHECK(series.connect(silent) == "full");
        CHECK(series.connect(silent) == "resumed");
        std::string seen;
        CHECK(series.connect(asking(root().certificate(), {}, ClientCertificates::optional), &seen)
              == "full");
        CHECK(seen == "CN=client");
    }
}

TEST_CASE("a client whose authority is not in the file makes a whole handshake each time") {
    auto const own = middle().issue();
    Series series{showing(&own, middle().certificate())};
    CHECK(series.connect(asking()) == "full");
    CHECK(series.connect(asking()) == "full");
    Series known{showing(&own, middle().certificate())};
    auto const both = asking(root().certificate() + middle().certificate());
    CHECK(known.connect(both) == "full");
    CHECK(known.connect(both) == "resumed");
}

TEST_CASE(
    "a certificate is verified again without a handshake, and until when it is valid is known") {
    auto const connect = [](IssuedCertificate const& own, std::string const& between) {
        TlsEnds::Options options;
        options.server = asking();
        options.client_context = showing(&own, between);
        TlsEnds ends{std::move(options)};
        return ends.connected().server->peer_certificate();
    };
    auto const trust_of = [](ServerTlsSettings const& settings) {
        return make_server(settings)->clients();
    };
    auto const own = middle().issue({.ends = 7200});
    auto const facts = connect(own, middle().certificate());
    REQUIRE(facts);
    auto const verify = [&](std::shared_ptr<ClientTrust const> const& trust) {
        return trust->verify(facts->certificate.get(), facts->between.get());
    };
    auto const now = std::chrono::system_clock::now();
    auto const valid = verify(trust_of(asking()));
    CHECK_FALSE(valid.error);
    CHECK(valid.until > now + std::chrono::seconds{7000});
    CHECK(valid.until < now + std::chrono::seconds{7300});
    // The list that ends next counts too.
    auto const lists = root().list({}, 600) + middle().list({}, 7200);
    auto const listed = verify(trust_of(asking(root().certificate(), lists)));
    CHECK_FALSE(listed.error);
    CHECK(listed.until < now + std::chrono::seconds{700});
    auto const revoked = root().list() + middle().list({own.serial});
    CHECK(verify(trust_of(asking(root().certificate(), revoked))).error.message()
          == "certificate revoked");
    CHECK(verify(trust_of(asking(other_root().certificate()))).error.category()
          == certificate_category());
    // With the purpose of a client, as in the handshake.
    auto const server = root().issue({.extended_usage = "serverAuth"}).certificate;
    auto* const bio = BIO_new_mem_buf(server.data(), static_cast<int>(server.size()));
    std::unique_ptr<X509, decltype(&X509_free)> const parsed{
        PEM_read_bio_X509(bio, nullptr, nullptr, nullptr), &X509_free};
    BIO_free_all(bio);
    CHECK(trust_of(asking())->verify(parsed.get(), nullptr).error.message()
          == "unsuitable certificate purpose");
}

TEST_CASE("files of authorities and lists are refused with their cause") {
    CHECK(tells(problems_of(asking("nothing")), error, "holds no certificate in PEM"));
    CHECK(tells(problems_of(asking(client().certificate)), error,
                "certificate 1 of the file, \"client\", is not that of an authority"));
    CHECK(tells(problems_of(asking(middle().certificate())), error,
                "\"Middle\", is signed by another that is not in the file"));
    CHECK(tells(problems_of(asking(root().certificate(), "nothing")), error,
                "holds no list of revoked certificates in PEM"));
    CHECK(tells(problems_of(asking(root().certificate(), "-----BEGIN X509 CRL-----\nMAA=\n")),
                error, "holds a list of revoked certificates that cannot be read"));
    // Another authority of the same name.
    IssuingAuthority const twin{"Clients"};
    CHECK(tells(problems_of(asking(root().certificate(), twin.list())), error,
                "the list of the authority \"Clients\" is not signed by it"));
    std::string many;
    for (int i = 0; i < 300; ++i)
        many += IssuingAuthority{std::string(50, 'x') + std::to_string(i)}.certificate();
    CHECK(tells(problems_of(asking(many)), error, "which each handshake would send"));
}

TEST_CASE("lists that refuse all certificates of an authority are reported") {
    CHECK(problems_of(asking(root().certificate(), root().list())).empty());
    CHECK(tells(problems_of(asking(root().certificate(), root().list({}, -60))), warning,
                "the list of the authority \"Clients\" has ended"));
    CHECK(tells(problems_of(asking(root().certificate(), root().list({}, 7200, 3600))), warning,
                "the list of the authority \"Clients\" does not count yet"));
    CHECK(
        tells(problems_of(asking(root().certificate() + other_root().certificate(), root().list())),
              warning, "holds no list of the authority \"Others\""));
}

} // namespace client_trust_test
