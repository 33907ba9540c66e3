// Callers who have to prove two things at once, a certificate and a secret, with one entry for
// both.
#include "tests/end_to_end/expectations.h"
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"
#include "tests/support/authority.h"
#include "tests/support/encodings.h"

#include <catch2/catch.hpp>

namespace e49_all_of {

using namespace sallyport::test;

namespace {

IssuingAuthority const& authority() {
    static IssuingAuthority const made{"Clients"};
    return made;
}

IssuedCertificate issue(std::string const& name) {
    return authority().issue({.subject = {{"CN", name}}});
}

constexpr Key ann{"ann", "Ann.secret.0123456789abcdef"};
constexpr Key bob{"bob", "Bob.secret.0123456789abcdef"};
constexpr std::string_view password = "correct horse";
// Of that password, with a cost that is low for the sake of the test.
constexpr std::string_view password_hash =
    "$2b$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e";

std::string hash_of(Key const& key) {
    return "sha256:" + sha256_hex(std::string{key.secret});
}

std::string entry(std::string const& name, std::string const& key_id, std::string const& hash,
                  std::string const& more) {
    return "  - name: " + name + "\n    basic: { key_id: " + key_id + ", secrets: [\"" + hash
           + "\"] }\n    allow: all\n" + more;
}

std::string by_subject(std::string const& name) {
    return "    client_certificate: { subject: \"CN=" + name + "\" }\n";
}

std::string credentials() {
    return "credentials:\n" + entry("ann", "ann", hash_of(ann), by_subject("ann"))
           + entry("bob", "bob", hash_of(bob), by_subject("bob"))
           + entry("slow", "slow", std::string{password_hash}, by_subject("slow"))
           + entry("only-secret", "only", hash_of(ann), {})
           + "  - name: machine\n    bearer: { tokens: [\"sha256:"
           + sha256_hex("machine-token-0123456789") + "\"] }\n    allow: all\n";
}

std::string challenges_of(Response const& response) {
    std::string out;
    for (auto const& field : response.fields)
        if (equal_ignoring_case(field.name, "WWW-Authenticate")) out += field.value + '\n';
    return out;
}

// An API that asks for both, or for a token alone.
struct Both {
    explicit Both(std::string const& apis =
                      "  both: { paths: [\"/both/\"], upstream: management, authenticate: "
                      "[{ all: [client_certificate, basic] }, bearer] }\n",
                  std::string const& more = {})
        : stage{{},
                [&](Configuration& configuration) {
                    configuration.listeners = tls_listener(
                        {certificates().server},
                        "      client_certificates: { verify: optional, ca: ca.pem }\n");
                    configuration.apis = apis;
                    configuration.rest += std::string{admin_section} + more;
                },
                {.credentials = credentials(), .files = {{"ca.pem", authority().certificate()}}}} {}

    ClientOptions with(std::string const& name) {
        ClientOptions options;
        options.tls.own = folder.write(name + ".pem", issue(name).with()).string();
        return options;
    }
    Response send(ClientOptions const& options, std::string const& field,
                  std::string const& target = "/both/a") const {
        Outgoing request{"GET", target};
        if (!field.empty()) request.authorization(field);
        return fetch(stage.port(), request.text(), options);
    }
    [[nodiscard]] std::string caller_of(Response const& response) const {
        auto const line = stage.log_of(response);
        return line["credential"].is_null() ? line.text("auth_failure") : line.text("credential");
    }
    std::string ask(ClientOptions const& options, std::string const& field) {
        return caller_of(send(options, field));
    }

    TemporaryFolder folder;
    Stage stage;
};

} // namespace

TEST_CASE("half of what is asked for is refused like nothing, and the log says what was missing") {
    Both both;
    auto const reference = both.send({}, {});
    CHECK(reference.status == 401);
    CHECK(challenges_of(reference)
          == "Basic realm=\"both\", charset=\"UTF-8\"\nClientCertificate realm=\"both\"\n"
             "Bearer realm=\"both\"\n");
    CHECK(both.caller_of(reference) == "client_certificate:no_credentials");
    struct Row {
        std::string certificate; // empty: none
        std::string field;
        char const* failure;
    };
    std::vector<Row> const rows{
        {"", basic(ann), "client_certificate:no_credentials"},
        {"", basic({ann.id, "wrong"}), "client_certificate:no_credentials"},
        {"ann", "", "basic:no_credentials"},
        {"ann", basic({ann.id, "wrong"}), "basic:wrong_secret"},
        {"ann", basic({"nobody", ann.secret}), "basic:unknown"},
        {"ann", "Basic !", "basic:malformed"},
        {"nobody", basic(ann), "client_certificate:unknown"},
        {"nobody", basic({ann.id, "wrong"}), "client_certificate:unknown"},
        {"ann", basic(bob), "basic:other_caller"},
        {"ann", basic({"only", ann.secret}), "basic:other_caller"},
        {"ann", bearer("wrong-token"), "unknown"},
    };
    for (auto const& row : rows) {
        CAPTURE(row.certificate, row.field);
        auto const shows = row.certificate.empty() ? ClientOptions{} : both.with(row.certificate);
        auto const response = both.send(shows, row.field);
        CHECK(response.status == 401);
        CHECK(challenges_of(response) == challenges_of(reference));
        CHECK(response.body.size() == reference.body.size());
        CHECK(both.caller_of(response) == row.failure);
        // Two entries: what asks for both. A wrong secret: its entry.
        auto const rule = both.stage.log_of(response)["auth_rule"];
        if (std::string_view{row.failure} == "basic:other_caller")
            CHECK(rule.string.find("/sallyport.yaml:") != std::string::npos);
        if (std::string_view{row.failure} == "basic:wrong_secret")
            CHECK(rule.string.find("/credentials.yaml:") != std::string::npos);
    }
    both.stage.gateway.wait_for_error_output([](std::string const& output) {
        return output.find("the credentials of the request are those of several callers")
               != std::string::npos;
    });
    CHECK(both.stage.upstream.requests().empty());
    both.stage.finish();
}

TEST_CASE("a certificate and a secret of one entry let its caller pass, fast or slow") {
    Both both;
    for (int i = 0; i < 2; ++i) { // looked up, and known
        CHECK(both.ask(both.with("ann"), basic(ann)) == "ann");
        CHECK(both.ask(both.with("slow"), basic_of("slow:" + std::string{password})) == "slow");
        CHECK(both.ask(both.with("slow"), basic_of("slow:wrong")) == "basic:wrong_secret");
        // Known by now, and still refused with the certificate of another.
        CHECK(both.ask(both.with("ann"), basic_of("slow:" + std::string{password}))
              == "basic:other_caller");
    }
    CHECK(both.ask({}, bearer("machine-token-0123456789")) == "machine");
    CHECK(both.ask(both.with("nobody"), bearer("machine-token-0123456789")) == "machine");
    // The gateway has issued the secret: the upstream gets none.
    for (auto const& request : both.stage.upstream.requests())
        CHECK_FALSE(request.fields.find("Authorization").has_value());
    both.stage.finish();
}

TEST_CASE("who has a certificate cannot try the secrets of others without a limit") {
    Both both{"  both: { paths: [\"/both/\"], upstream: management, authenticate: "
              "[{ all: [client_certificate, basic] }] }\n",
              "failed_authentication: { per_address: 3, first_block: 10m, except: [] }\n"};
    auto const shows = both.with("ann");
    // Without the certificate nothing is tried, and nothing counts.
    for (int i = 0; i < 6; ++i)
        CHECK(both.send({}, basic({bob.id, "wrong"})).status == 401);
    for (int i = 0; i < 6; ++i)
        CHECK(both.send(shows, {}).status == 401);
    // A right secret of another caller counts like a wrong one.
    for (int i = 0; i < 2; ++i) {
        CHECK(both.send(shows, basic(bob)).status == 401);
        static_cast<void>(both.send(shows, basic({bob.id, "wrong"})));
    }
    CHECK(both.send(shows, basic(bob)).status == 429);
    CHECK(both.send(shows, basic(ann)).status == 200);
    both.stage.finish();
}

TEST_CASE("a rule of the API may ask for more than the API") {
    Both both{"  management: { contract: \"" + contracts_folder()
              + "/management.yaml\", upstream: management, authenticate: [basic], rules: [ "
                "{ method: PATCH, authenticate: [{ all: [client_certificate, basic] }] } ] }\n"};
    auto const status = [&](ClientOptions const& options, std::string_view operation) {
        return fetch(both.stage.port(), request_for(operation).authorization(basic(ann)).text(),
                     options)
            .status;
    };
    CHECK(status({}, "getPipe") == 200);
    CHECK(status({}, "updateOrganization") == 401);
    CHECK(status(both.with("ann"), "updateOrganization") == 200);
    CHECK(status(both.with("bob"), "updateOrganization") == 401);
    both.stage.finish();
}

TEST_CASE("access, credential list and the status page know of entries with two identities") {
    Both both;
    auto const folder = both.stage.gateway.folder();
    auto const run = [&](std::vector<std::string> words) {
        auto const finished = run_gateway(words, {}, folder);
        CAPTURE(finished.error);
        CHECK(finished.exit_code == 0);
        return finished.output;
    };
    auto const list =
        Json::parse(run({"credential", "list", "-c", "sallyport.yaml", "--format", "json"}));
    CHECK(list["credentials"][0].text("kind") == "basic");
    CHECK(list["credentials"][0]["kinds"][1].string == "client_certificate");
    CHECK(run({"credential", "list", "-c", "sallyport.yaml"})
              .find("ann\n  basic, key id ann\n  client_certificate, name or fingerprint CN=ann\n")
          != std::string::npos);
    auto const access = Json::parse(
        run({"access", "-c", "sallyport.yaml", "--credential", "ann", "--format", "json"}));
    CHECK(access["kinds"][1].string == "client_certificate");
    auto const may = [&](std::string const& name) {
        return run({"access", "-c", "sallyport.yaml", "--credential", name});
    };
    CHECK(may("ann").find("ann (basic, client_certificate)\n  both\n    /both/: ")
          != std::string::npos);
    // The API takes no secret alone.
    CHECK(may("only-secret").find("/both/") == std::string::npos);
    auto const page = Json::parse(request_admin(both.stage.gateway, "/status").body);
    CHECK(page["apis"][0]["authenticate"][0]["all"][0].string == "basic");
    CHECK(page["apis"][0]["authenticate"][0]["all"][1].string == "client_certificate");
    both.stage.finish();
}

} // namespace e49_all_of
