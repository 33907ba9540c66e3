// Callers with certificates: handshakes, credentials, revocation and reloads, with clients of the
// tests, curl and openssl.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/prepared.h"
#include "tests/support/admin.h"
#include "tests/support/authority.h"
#include "tests/support/text.h"

#include <catch2/catch.hpp>

#include <set>

namespace e45_client_certificates {

using namespace sallyport::test;

namespace {

IssuingAuthority const& root() {
    static IssuingAuthority const made{"Clients root"};
    return made;
}
IssuingAuthority const& other_root() {
    static IssuingAuthority const made{"Others root"};
    return made;
}
IssuedCertificate const& billing() {
    static IssuedCertificate const made =
        root().issue({.subject = {{"O", "Example"}, {"CN", "billing"}},
                      .alternative_names = "DNS:billing.example,URI:spiffe://example.org/billing"});
    return made;
}
IssuedCertificate const& reports() {
    static IssuedCertificate const made = root().issue({.subject = {{"CN", "reports"}}});
    return made;
}

std::string entry(std::string const& name, std::string const& identity,
                  std::string const& more = "allow: all") {
    return "  - { name: " + name + ", client_certificate: { " + identity + " }, " + more + " }\n";
}

std::string standard_entries() {
    return "credentials:\n" + entry("billing", "san: { uri: [\"spiffe://example.org/billing\"] }")
           + entry("reports", "fingerprints: [\"" + fingerprint_of(reports().certificate) + "\"]");
}

// A gateway that asks for certificates; the API `open` takes them, `both` Basic too,
// and `turned` Basic first.
struct Mutual {
    struct Options {
        std::string verify = "required";
        std::string crl = {}; // the content of the file; empty: none
        std::string credentials = standard_entries();
        std::string ca = root().certificate();
    };

    explicit Mutual(Options const& options)
        : stage{{},
                [&](Configuration& configuration) {
                    configuration.listeners = listener(options.verify, !options.crl.empty());
                    configuration.upstreams = upstream_yaml("up", endpoint_in(configuration));
                    configuration.rest += admin_section;
                    configuration.apis =
                        "  open: { paths: [\"/open/\"], upstream: up, authenticate: "
                        "[client_certificate] }\n"
                        "  both: { paths: [\"/both/\"], upstream: up, authenticate: "
                        "[client_certificate, basic] }\n"
                        "  turned: { paths: [\"/turned/\"], upstream: up, authenticate: [basic, "
                        "client_certificate] }\n";
                    text = configuration;
                },
                {.credentials = options.credentials,
                 .files = {{"ca.pem", options.ca}, {"crl.pem", options.crl}}}} {}
    Mutual() : Mutual(Options{}) {}

    static std::string listener(std::string const& verify, bool has_list) {
        return tls_listener({certificates().server},
                            "      client_certificates: { verify: " + verify
                                + ", ca: ca.pem, ocsp: off" + (has_list ? ", crl: crl.pem" : "")
                                + " }\n");
    }
    // That of the standard configuration, which has the upstream of the stage.
    static std::string endpoint_in(Configuration const& configuration) {
        auto const begin = configuration.upstreams.find("[\"") + 2;
        return configuration.upstreams.substr(begin,
                                              configuration.upstreams.find('"', begin) - begin);
    }

    // A client's options, with its certificate in a file.
    ClientOptions with(IssuedCertificate const& own, std::string const& between = {}) {
        ClientOptions options;
        options.tls.own =
            folder.write("own" + std::to_string(++files) + ".pem", own.with(between)).string();
        return options;
    }
    Response send(ClientOptions const& options, std::string const& target = "/open/a") const {
        return fetch(stage.port(), Outgoing{"GET", target}.text(), options);
    }
    [[nodiscard]] std::string caller_of(Response const& response) const {
        auto const line = stage.log_of(response);
        return line["credential"].is_null() ? line.text("auth_failure") : line.text("credential");
    }
    // Of a connection without a request: the failure of its line in the log.
    void wait_for_failure(std::string const& failure) {
        auto const line = stage.gateway.wait_for_log([&](Json const& one) {
            return !one["reason"].is_null() && one.text("reason") == "tls_failed"
                   && !one["auth_failure"].is_null() && one.text("auth_failure") == failure
                   && seen.count(one["seq"].number) == 0;
        });
        seen.insert(line["seq"].number);
        check_rule(line);
    }
    // What a certificate is refused by: the authorities of the listener.
    void check_rule(Json const& line) const {
        CHECK(stage.rule_of(line).find("ca: ca.pem") != std::string::npos);
    }
    // Whether the gateway ends the connection without a response.
    bool is_refused(ClientOptions const& options) {
        try {
            RawClient client{stage.port(), options};
            static_cast<void>(client.try_send(Outgoing{"GET", "/open/a"}.text()));
            static_cast<void>(client.read_to_end());
            return client.unread().empty();
        } catch (std::runtime_error const&) {
            return true; // in TLS 1.2 within the handshake
        }
    }
    void reload(std::string const& name, std::string const& content) {
        stage.gateway.replace(name, content);
        stage.gateway.wait_for_reloads(++reloads);
    }

    Configuration text;
    TemporaryFolder folder;
    int files = 0;
    std::set<double> seen; // lines of failures, by their numbers
    std::size_t reloads = 0;
    Stage stage;
};

// Without those that are allowed operations of other APIs.
std::string credentials_of_administrator() {
    auto const all = standard_credentials();
    return all.substr(0, all.find("  - name: ", all.find("administrator")));
}

} // namespace

TEST_CASE("a client without a certificate fails where it is required, and gets 401 where not") {
    Mutual required;
    CHECK(required.is_refused({}));
    required.wait_for_failure("no_credentials");
    CHECK(required.stage.upstream.requests().empty());
    required.stage.finish();

    Mutual optional{{.verify = "optional"}};
    auto const response = optional.send({});
    CHECK(response.status == 401);
    CHECK(response.fields.one("WWW-Authenticate") == "ClientCertificate realm=\"open\"");
    CHECK(optional.caller_of(response) == "no_credentials");
    CHECK(optional.stage.upstream.requests().empty());
    optional.stage.finish();
}

TEST_CASE("a certificate that is not valid ends the handshake, with its cause in the log") {
    for (std::string const verify : {"required", "optional"}) {
        CAPTURE(verify);
        // The listener has `ocsp: off`: nobody else is asked.
        Mutual mutual{{.verify = verify, .crl = root().list({reports().serial})}};
        struct Case {
            IssuedCertificate own;
            std::string cause;
        };
        std::vector<Case> const cases{
            {other_root().issue(), "unable to get local issuer certificate"},
            {IssuingAuthority::issue_alone(), "self-signed certificate"},
            {root().issue({.starts = -7200, .ends = -3600}), "certificate has expired"},
            {root().issue({.starts = 3600, .ends = 7200}), "certificate is not yet valid"},
            {root().issue({.extended_usage = "serverAuth"}), "unsuitable certificate purpose"},
            {reports(), "certificate revoked"},
        };
        for (auto const& one : cases) {
            CAPTURE(one.cause);
            CHECK(mutual.is_refused(mutual.with(one.own)));
            mutual.wait_for_failure("certificate");
            mutual.stage.gateway.wait_for_error_output([&](std::string const& output) {
                return output.find("the client's certificate: " + one.cause) != std::string::npos;
            });
        }
        CHECK(mutual.send(mutual.with(billing())).status == 200);
        CHECK(mutual.stage.upstream.requests().size() == 1);
        mutual.stage.finish();
    }
}

TEST_CASE("certificates lead to callers by their names, and the access log has those") {
    Mutual mutual{
        {.credentials = "credentials:\n"
                        + entry("by-uri", "san: { uri: [\"spiffe://example.org/billing\"] }")
                        + entry("by-print",
                                "fingerprints: [\"" + fingerprint_of(reports().certificate) + "\"]")
                        + entry("by-subject", "subject: \"CN=a\\\\, b,O=Example\"")
                        + entry("by-dns", "san: { dns: [host.example] }")
                        + entry("by-email", "san: { email: [jo@mail.example] }")
                        + entry("too-late", "subject: \"CN=late\"",
                                "allow: all, expires: 2020-01-01T00:00:00Z")}};
    auto const caller = [&](CertificateRequest const& request) {
        return mutual.caller_of(mutual.send(mutual.with(root().issue(request))));
    };
    CHECK(mutual.caller_of(mutual.send(mutual.with(billing()))) == "by-uri");
    CHECK(mutual.caller_of(mutual.send(mutual.with(reports()))) == "by-print");
    CHECK(caller({.subject = {{"O", "Example"}, {"CN", "a, b"}}}) == "by-subject");
    CHECK(caller({.alternative_names = "DNS:Host.example"}) == "by-dns");
    CHECK(caller({.alternative_names = "email:jo@MAIL.example"}) == "by-email");
    CHECK(caller({.subject = {{"CN", "late"}}}) == "expired");
    CHECK(caller({.subject = {{"CN", "nobody"}}}) == "unknown");
    CHECK(caller({.alternative_names = "DNS:*.example"}) == "unknown");
    CHECK(caller({.alternative_names = "DNS:host.example,email:jo@mail.example"}) == "certificate");
    auto const two_uris = root().issue(
        {.alternative_names = "URI:spiffe://example.org/billing,URI:https://a.example"});
    auto const ambiguous = mutual.send(mutual.with(two_uris));
    CHECK(mutual.caller_of(ambiguous) == "certificate");
    mutual.check_rule(mutual.stage.log_of(ambiguous));
    CHECK(mutual.stage.upstream.requests().size() == 5);
    mutual.stage.finish();
}

TEST_CASE("of two kinds of credentials the first in the list counts, and a wrong one is refused") {
    Mutual mutual{{.verify = "optional",
                   .credentials = credentials_of_administrator()
                                  + entry("billing", "subject: "
                                                     "\"CN=billing,O="
                                                     "Example\"")}};
    auto const shows = mutual.with(billing());
    auto const foreign = mutual.with(reports());
    std::string target;
    auto const send = [&](ClientOptions const& options, std::string const& field) {
        Outgoing request{"GET", target};
        if (!field.empty()) request.authorization(field);
        return mutual.caller_of(fetch(mutual.stage.port(), request.text(), options));
    };
    for (auto const* const path : {"/both/a", "/turned/a"}) {
        target = path;
        CHECK(send(shows, {}) == "billing");
        CHECK(send({}, basic(administrator)) == "administrator");
        CHECK(send({}, {}) == "no_credentials");
    }
    CHECK(send(shows, basic(administrator)) == "administrator");
    CHECK(send(shows, basic({administrator.id, "wrong"})) == "wrong_secret");
    CHECK(send(foreign, basic(administrator)) == "administrator");
    target = "/both/a";
    CHECK(send(shows, basic(administrator)) == "billing");
    // The field was not checked, and is not forwarded.
    CHECK(mutual.stage.upstream.requests().back().fields.count("Authorization") == 0);
    CHECK(send(shows, basic({administrator.id, "wrong"})) == "billing");
    CHECK(send(foreign, basic(administrator)) == "unknown");
    mutual.stage.finish();
}

TEST_CASE("a connection whose certificate is revoked by a reload is refused and closed") {
    Mutual mutual{{.crl = root().list()}};
    RawClient first{mutual.stage.port(), mutual.with(billing())};
    RawClient second{mutual.stage.port(), mutual.with(reports())};
    auto const request = Outgoing{"GET", "/open/a"}.text();
    CHECK(first.exchange(request).status == 200);
    CHECK(second.exchange(request).status == 200);
    mutual.reload("crl.pem", root().list({billing().serial}));
    auto const refused = first.exchange(request);
    CHECK(refused.status == 401);
    CHECK(refused.fields.one("WWW-Authenticate") == "ClientCertificate");
    CHECK(refused.fields.one("Connection") == "close");
    CHECK(mutual.caller_of(refused) == "certificate");
    mutual.check_rule(mutual.stage.log_of(refused));
    mutual.stage.gateway.wait_for_error_output([](std::string const& output) {
        return output.find("the client's certificate: certificate revoked") != std::string::npos;
    });
    CHECK(second.exchange(request).status == 200);
    CHECK(mutual.is_refused(mutual.with(billing())));
    // Its authority is gone.
    mutual.reload("ca.pem", root().certificate() + other_root().certificate());
    mutual.reload("crl.pem", root().list() + other_root().list());
    CHECK(second.exchange(request).status == 200);
    mutual.reload("crl.pem", other_root().list());
    mutual.reload("ca.pem", other_root().certificate());
    CHECK(second.exchange(request).status == 401);
    mutual.stage.finish();
}

TEST_CASE("a reload that requires certificates ends connections without one") {
    Mutual mutual{{.verify = "optional"}};
    RawClient without{mutual.stage.port(), {}};
    RawClient with{mutual.stage.port(), mutual.with(billing())};
    auto const request = Outgoing{"GET", "/open/a"}.text();
    CHECK(without.exchange(request).status == 401);
    CHECK(with.exchange(request).status == 200);
    auto changed = mutual.text;
    changed.listeners = Mutual::listener("required", false);
    mutual.reload("sallyport.yaml", changed.text());
    auto const refused = without.exchange(request);
    CHECK(refused.status == 401);
    CHECK(refused.fields.one("Connection") == "close");
    CHECK(mutual.caller_of(refused) == "no_credentials");
    CHECK(with.exchange(request).status == 200);
    mutual.stage.finish();
}

TEST_CASE("a request for another host than that of the handshake gets 421") {
    Mutual mutual{{.verify = "optional"}};
    auto const shows = mutual.with(billing());
    auto const status = [&](ClientOptions const& options, std::string const& host) {
        return fetch(mutual.stage.port(), "GET /open/a HTTP/1.1\r\nHost: " + host + "\r\n\r\n",
                     options);
    };
    for (std::string const host :
         {"localhost", "LOCALHOST", "localhost:8443", "localhost.", "localhost.:1"})
        CHECK(status(shows, host).status == 200);
    for (std::string const host : {"other.example", "localhost.example", "127.0.0.1", "[::1]"}) {
        auto const refused = status(shows, host);
        check_problem(refused, {.status = 421, .reason = "misdirected", .detail = {}});
        CHECK(mutual.stage.log_of(refused).text("reason") == "misdirected");
    }
    // The target has the host, whatever the field says (RFC 9112, 3.2.2).
    auto const absolute = fetch(mutual.stage.port(),
                                "GET https://other.example/open/a HTTP/1.1\r\nHost: "
                                "other.example\r\n\r\n",
                                shows);
    CHECK(absolute.status == 421);
    auto nameless = shows;
    nameless.server_name = {};
    nameless.tls.verify = Verify::no;
    CHECK(status(nameless, "anything.example").status == 200);
    CHECK(mutual.stage.upstream.requests().size() == 6);
    mutual.stage.finish();

    // Without client certificates the connection is for every host.
    Stage const plain;
    CHECK(
        fetch(plain.port(), "GET /v1/organizations HTTP/1.1\r\nHost: other.example\r\n\r\n").status
        == 401);
}

TEST_CASE("a file of authorities or lists that is of no use is refused, and the old one stays") {
    Mutual mutual{{.crl = root().list()}};
    mutual.stage.gateway.replace("crl.pem", "nothing");
    mutual.stage.gateway.wait_for_rejected_reloads(1);
    CHECK(mutual.send(mutual.with(billing())).status == 200);
    mutual.stage.gateway.replace("crl.pem", root().list());
    mutual.stage.gateway.replace("ca.pem", billing().certificate);
    mutual.stage.gateway.wait_for_rejected_reloads(2);
    CHECK(mutual.send(mutual.with(billing())).status == 200);
    mutual.stage.finish();
}

TEST_CASE("curl shows its certificate, and openssl resumes with it until it is revoked") {
    if (find_program("curl").empty() || find_program("openssl").empty()) {
        FAIL("curl and openssl are needed");
    }
    Mutual mutual{{.crl = root().list()}};
    auto const own = mutual.with(billing()).tls.own;
    auto const url = "https://localhost:" + std::to_string(mutual.stage.port()) + "/open/a";
    auto const curl = [&](std::vector<std::string> more) {
        std::vector<std::string> arguments{"curl",
                                           "--silent",
                                           "--show-error",
                                           "--cacert",
                                           certificates().authority.string(),
                                           "--write-out",
                                           "%{http_code}",
                                           "--output",
                                           "/dev/null",
                                           url};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run({.arguments = arguments});
    };
    CHECK(curl({"--cert", own}).output == "200");
    CHECK(curl({"--cert", own, "--tls-max", "1.2"}).output == "200");
    CHECK(curl({}).exit_code != 0);

    auto const session = (mutual.folder.path() / "session.pem").string();
    auto const connect = [&](std::string const& version, std::string const& how) {
        auto const finished =
            run({.arguments = {"openssl", "s_client", "-connect",
                               "localhost:" + std::to_string(mutual.stage.port()), "-cert", own,
                               "-key", own, version, how, session, "-ign_eof"}},
                "GET /open/a HTTP/1.1\r\nHost: localhost\r\nConnection: "
                "close\r\n\r\n");
        auto const& output = finished.output;
        std::string result = output.find("Reused, ") != std::string::npos ? "resumed" : "full";
        result += output.find("HTTP/1.1 200 ") != std::string::npos ? ", 200" : ", nothing";
        return result;
    };
    for (std::string const version : {"-tls1_2", "-tls1_3"}) {
        CAPTURE(version);
        CHECK(connect(version, "-sess_out") == "full, 200");
        CHECK(connect(version, "-sess_in") == "resumed, 200");
        mutual.reload("crl.pem", root().list({billing().serial}));
        CHECK(connect(version, "-sess_in") == "full, nothing");
        mutual.reload("crl.pem", root().list());
    }
    mutual.stage.finish();
}

TEST_CASE("certificates that are too large end the handshake, and no other connection") {
    Mutual mutual;
    auto const large = root().issue({.padding = 60'000});
    for (int i = 0; i < 20; ++i)
        CHECK(mutual.is_refused(mutual.with(large)));
    CHECK(mutual.send(mutual.with(billing())).status == 200);
    mutual.stage.finish();
}

TEST_CASE("check says which lists end soon, and where no certificate is asked for") {
    TemporaryFolder const folder;
    auto const& server = certificates().server;
    auto const config = [&](std::string const& clients) {
        return folder
            .write("sallyport.yaml",
                   "listeners:\n" + tls_listener({server}, clients)
                       + "  - { name: plain, address: \"127.0.0.1:0\", tls: off }\n"
                         "credentials: { file: credentials.yaml }\n"
                         "upstreams: { up: { endpoints: [\"http://127.0.0.1:9\"] } }\n"
                         "apis: { open: { paths: [\"/open/\"], upstream: up, authenticate: "
                         "[client_certificate] } }\n")
            .string();
    };
    folder.write("credentials.yaml", standard_entries());
    folder.write("ca.pem", root().certificate());
    folder.write("crl.pem", root().list({}, 3600, -30L * 86400));
    auto const checked = run_gateway(
        {"check", "-c",
         config("      client_certificates: { verify: optional, ca: ca.pem, crl: crl.pem }\n")});
    INFO(checked.output << checked.error);
    CHECK(checked.exit_code == 0);
    auto const said = checked.output + checked.error;
    CHECK(said.find("the list of the authority \"Clients root\" ends soon") != std::string::npos);
    CHECK(said.find("asks clients for no certificates, and the API \"open\" takes them")
          != std::string::npos);
    auto const refused = run_gateway({"check", "-c", config("")});
    CHECK(refused.exit_code != 0);
    CHECK((refused.output + refused.error)
              .find("no listener asks clients for certificates: no client could use "
                    "client_certificate")
          != std::string::npos);
}

TEST_CASE("check asks for the listeners of an entry where these have other authorities") {
    auto const checked = [](std::string const& other_ca, std::string const& of_entry) {
        Prepared prepared;
        prepared.folder.write("ca.pem", root().certificate());
        prepared.folder.write("other.pem", other_root().certificate());
        auto const listener = [](std::string const& name, std::string const& ca) {
            return replaced(replaced(Mutual::listener("required", false), "name: public",
                                     "name: " + name),
                            "ca.pem", ca);
        };
        prepared.configuration.listeners =
            listener("public", "ca.pem") + listener("partners", other_ca);
        prepared.configuration.apis =
            "  open: { paths: [\"/open/\"], upstream: management, authenticate: "
            "[client_certificate] }\n";
        prepared.write();
        prepared.folder.write("credentials.yaml",
                              "credentials:\n" + entry("billing", of_entry));
        return prepared.check().output;
    };
    constexpr std::string_view warning = "listeners have other authorities";
    std::string const name = "subject: \"CN=billing,O=Example\"";
    CHECK(checked("other.pem", name).find(warning) != std::string::npos);
    CHECK(checked("ca.pem", name).find(warning) == std::string::npos);
    CHECK(checked("other.pem", name + ", listeners: [public]").find(warning) == std::string::npos);
    CHECK(checked("other.pem", "fingerprints: [\"sha256:" + std::string(64, 'a') + "\"]")
              .find(warning)
          == std::string::npos);
    CHECK(checked("other.pem", name + ", listeners: [nowhere]").find("no listener is called")
          != std::string::npos);
}

TEST_CASE("the ends of authorities and lists are on the status page, and metrics") {
    Mutual mutual{{.crl = root().list() + other_root().list(),
                   .ca = root().certificate() + other_root().certificate()}};
    // Of the first in a file, as openssl prints it: "notAfter=2026-12-26 21:00:00Z".
    auto const end_by_openssl = [&](std::string const& command, std::string const& name) {
        auto const file = (mutual.stage.gateway.folder() / name).string();
        auto const printed =
            run({{"openssl", command, "-in", file, "-noout",
                  command == "crl" ? "-nextupdate" : "-enddate", "-dateopt", "iso_8601"}});
        auto text_of_end = printed.output.substr(printed.output.find('=') + 1);
        text_of_end.pop_back();
        return text_of_end;
    };
    auto const status = Json::parse(request_admin(mutual.stage.gateway, "/status").body);
    auto const& shown = status["listeners"][0]["client_certificates"];
    CHECK(shown["required"].boolean);
    REQUIRE(shown["authorities"].items.size() == 2);
    REQUIRE(shown["lists"].items.size() == 2);
    auto const series = metrics_of(mutual.stage.gateway);
    auto const check = [&](Json const& one, std::string const& kind, std::string const& end) {
        auto expires = one["expires"].string;
        expires.replace(expires.find('T'), 1, " ");
        CHECK(expires == end);
        auto const epoch = run({{"date", "-u", "-d", end, "+%s"}});
        CHECK(series["sallyport_client_trust_expiry_timestamp_seconds{listener=\"public\",kind=\""
                     + kind + "\",authority=\"" + one["authority"].string + "\"}"]
              == std::stod(epoch.output));
    };
    check(shown["authorities"][0], "authority", end_by_openssl("x509", "ca.pem"));
    check(shown["lists"][0], "list", end_by_openssl("crl", "crl.pem"));
    mutual.stage.finish();
}

} // namespace e45_client_certificates
