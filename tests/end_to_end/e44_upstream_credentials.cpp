// What upstreams learn of callers: whose credential they get, and who calls; by raw bytes.
#include "tests/end_to_end/prepared.h"
#include "tests/end_to_end/stage.h"
#include "tests/support/encodings.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cctype>
#include <csignal>

namespace e44_upstream_credentials {

using namespace sallyport::test;

namespace {

// The standard upstreams with these keys, and two more APIs with the first of them: `open`, for
// every client, and `mine`, for callers of a contract-less API.
Stage telling_stage(std::string const& upstream, std::string const& open = {},
                    Gateway::Options const& options = {}) {
    auto const more = [&](std::string const& keys) { return keys.empty() ? "" : ", " + keys; };
    return Stage{{},
                 [&](Configuration& configuration) {
                     if (!upstream.empty()) with_upstream(upstream)(configuration);
                     configuration.apis += "  open: { paths: [\"/open/\"], upstream: management, "
                                           "authenticate: [anonymous]"
                                           + more(open) + " }\n"
                                           + "  mine: { paths: [\"/mine/\"], upstream: management, "
                                             "authenticate: [basic, bearer] }\n";
                 },
                 options};
}

Outgoing call_of_mine(std::string const& authorization) {
    return Outgoing{"GET", "/mine/a"}.authorization(authorization);
}

std::string raw_at_upstream(Stage const& stage, Outgoing const& request) {
    auto const before = stage.upstream.requests().size();
    REQUIRE(stage.send(request).status == 200);
    return stage.upstream.request(before).raw;
}

// The bytes that an upstream gets of a request to an API of a Basic caller, with these lines of the
// gateway's in front of those that it writes always.
std::string expected_bytes(Stage const& stage, std::string const& target, std::string const& lines,
                           std::string const& raw) {
    auto const at = raw.find("\r\nX-Request-Id: ");
    REQUIRE(at != std::string::npos);
    auto const id = raw.substr(at + 16, 36);
    return "GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(stage.upstream.port())
           + "\r\n" + lines + "X-Request-Id: " + id
           + "\r\nX-Forwarded-For: 127.0.0.1\r\nX-Forwarded-Proto: https\r\n"
             "X-Forwarded-Host: localhost\r\nVia: 1.1 sallyport\r\n\r\n";
}

void check_bytes(Stage const& stage, Outgoing const& request, std::string const& target,
                 std::string const& lines) {
    auto const raw = raw_at_upstream(stage, request);
    CHECK(raw == expected_bytes(stage, target, lines, raw));
}

// Every spelling that some server takes for the name: letter case, and signs for `-`.
std::vector<std::string> spellings_of_name(std::string const& name) {
    std::vector<std::string> made{name};
    std::string lower = name;
    std::string upper = name;
    for (auto& c : lower)
        c = static_cast<char>(std::tolower(c));
    for (auto& c : upper)
        c = static_cast<char>(std::toupper(c));
    made.push_back(lower);
    made.push_back(upper);
    for (char const sign : std::string{"_.!#$%&'*+^`|~"}) {
        for (auto const& one : {name, upper}) {
            auto odd = one;
            std::replace(odd.begin(), odd.end(), '-', sign);
            made.push_back(odd);
        }
    }
    return made;
}

void replace_token_file(Stage& stage, std::string const& token) {
    stage.gateway.replace("token", token);
}

void wait_for_token_event(Stage const& stage, std::string const& event, std::size_t count = 1) {
    stage.gateway.wait_for_error_output(
        [&](std::string const& output) { return count_of(event, output) == count; });
}

std::string const told_labels =
    "identity: { header: X-Caller, labels: { X-Tier: organization_tier, X-Paid: paid } }";

} // namespace

TEST_CASE("a secret that the gateway has issued goes to no upstream that does not say so") {
    auto const said = GENERATE(std::string{}, std::string{"credential: none"});
    Stage stage = telling_stage(said);
    for (auto const& authorization : {basic(administrator), bearer(observer_token)}) {
        check_bytes(stage, call_of_mine(authorization), "/mine/a", {});
        check_bytes(stage, call_of_mine(authorization), "/mine/a", {}); // a known caller
    }
    auto const operation = request_for("getPipe");
    auto const raw = raw_at_upstream(stage, operation);
    CHECK(raw.find("uthorization") == std::string::npos);
    CHECK(raw.find(basic(administrator).substr(6)) == std::string::npos);
    stage.finish();
}

TEST_CASE("the client's own is passed on where that is said, as it was checked") {
    auto const said = GENERATE(std::string{"pass"}, std::string{"pass_issued"});
    Stage stage = telling_stage("credential: " + said);
    check_bytes(stage, call_of_mine("bAsIc  " + basic(administrator).substr(6)), "/mine/a",
                "Authorization: " + basic(administrator) + "\r\n");
    check_bytes(stage, call_of_mine(bearer(observer_token)), "/mine/a",
                "Authorization: " + bearer(observer_token) + "\r\n");
    // What nobody has checked is not passed on.
    check_bytes(stage, Outgoing{"GET", "/open/a"}.authorization(basic(administrator)), "/open/a",
                {});
    stage.finish();
}

TEST_CASE("the gateway's own credential stands in place of the client's, for anonymous ones too") {
    struct Swap {
        std::string keys;
        std::string sent;
    };
    auto const swap =
        GENERATE(Swap{"{ basic: { key_id: up, secret: \"${env:UP}\" } }", basic_of("up:of:ours")},
                 Swap{"{ bearer: { token: \"${file:token}\" } }", "Bearer of.file"},
                 Swap{"{ token_file: token }", "Bearer of.file"});
    Stage stage =
        telling_stage("credential: " + swap.keys, {},
                      {.environment = {{"UP", "of:ours"}}, .files = {{"token", "of.file\n"}}});
    auto const lines = "Authorization: " + swap.sent + "\r\n";
    check_bytes(stage, call_of_mine(basic(administrator)), "/mine/a", lines);
    check_bytes(stage, call_of_mine(bearer(observer_token)), "/mine/a", lines);
    check_bytes(stage, Outgoing{"GET", "/open/a"}.authorization("Basic YTpi"), "/open/a", lines);
    auto const written = stage.gateway.every_written_byte();
    CHECK(written.find("of:ours") == std::string::npos);
    CHECK(written.find("of.file") == std::string::npos);
    stage.finish();
}

TEST_CASE("a token file is read again when it changes, and a bad one leaves the last token") {
    Stage stage{{},
                [](Configuration& configuration) {
                    with_upstream("credential: { token_file: token }")(configuration);
                    configuration.rest = "reload: on_signal\n";
                },
                {.files = {{"token", "first\n"}}}};
    auto const sent = [&] {
        auto const before = stage.upstream.requests().size();
        CHECK(stage.send(request_for("getPipe")).status == 200);
        return stage.upstream.request(before).fields.one("Authorization");
    };
    CHECK(sent() == "Bearer first");
    replace_token_file(stage, "second");
    wait_for_token_event(stage, "upstream_token_loaded upstream=management");
    wait_for_token_event(stage, "upstream_token_loaded upstream=observability");
    CHECK(sent() == "Bearer second");

    replace_token_file(stage, "two words");
    wait_for_token_event(stage, "upstream_token_rejected upstream=management");
    CHECK(sent() == "Bearer second");
    std::filesystem::remove(stage.gateway.folder() / "token");
    wait_for_token_event(stage, "upstream_token_rejected upstream=management", 2);
    CHECK(sent() == "Bearer second");
    // Nor does a reload need the file.
    stage.gateway.signal(SIGHUP);
    stage.gateway.wait_for_reloads(1);
    CHECK(sent() == "Bearer second");

    replace_token_file(stage, "third");
    wait_for_token_event(stage, "upstream_token_loaded upstream=management", 2);
    CHECK(sent() == "Bearer third");
    stage.gateway.signal(SIGHUP);
    stage.gateway.wait_for_reloads(2);
    CHECK(sent() == "Bearer third");
    // Of the configuration that runs now.
    replace_token_file(stage, "fourth");
    wait_for_token_event(stage, "upstream_token_loaded upstream=management", 3);
    CHECK(sent() == "Bearer fourth");
    auto const written = stage.gateway.every_written_byte();
    for (auto const* token : {"second", "two words", "third", "fourth"}) {
        CAPTURE(token);
        CHECK(written.find(token) == std::string::npos);
    }
    stage.finish();
}

TEST_CASE("the upstream learns of the caller and its labels, and of nobody where there is none") {
    Stage stage = telling_stage(told_labels);
    check_bytes(stage, call_of_mine(basic(enterprise)), "/mine/a",
                "X-Caller: enterprise\r\nX-Tier: ENTERPRISE\r\nX-Paid: true\r\n");
    check_bytes(stage, call_of_mine(basic(unpaid)), "/mine/a",
                "X-Caller: unpaid\r\nX-Tier: BASIC\r\nX-Paid: false\r\n");
    check_bytes(stage, call_of_mine(basic(administrator)), "/mine/a",
                "X-Caller: administrator\r\n");
    check_bytes(stage, Outgoing{"GET", "/open/a"}, "/open/a", {});
    stage.finish();
}

TEST_CASE("no client can send the fields in which an upstream learns of callers") {
    // Of the upstream, or of another API with the same upstream.
    auto const of_upstream = GENERATE(true, false);
    Stage stage = of_upstream ? telling_stage(told_labels) : telling_stage({}, told_labels);
    for (auto const* const name : {"X-Caller", "X-Tier", "X-Paid"}) {
        for (auto const& spelling : spellings_of_name(name)) {
            CAPTURE(spelling);
            auto const forge = [&](Outgoing request) {
                return request.add(spelling, "root").add(spelling, "root").add("X-Callers", "1");
            };
            check_bytes(stage, forge(call_of_mine(basic(administrator))), "/mine/a",
                        std::string{"X-Callers: 1\r\n"}
                            + (of_upstream ? "X-Caller: administrator\r\n" : ""));
            check_bytes(stage, forge(Outgoing{"GET", "/open/a"}), "/open/a", "X-Callers: 1\r\n");
            auto const operation = raw_at_upstream(stage, forge(request_for("getPipe")));
            CHECK(operation.find("root") == std::string::npos);
        }
    }
    stage.finish();
}

TEST_CASE("a client cannot take the fields away either") {
    Stage stage = telling_stage(told_labels);
    check_bytes(
        stage,
        call_of_mine(basic(enterprise)).add("Connection", "X-Caller, x-tier, close, X-Request-Id"),
        "/mine/a", "X-Caller: enterprise\r\nX-Tier: ENTERPRISE\r\nX-Paid: true\r\n");
    // Trailers are not fields.
    auto chunked = Outgoing{"POST", "/mine/a"}
                       .authorization(basic(administrator))
                       .add("Trailer", "X-Caller")
                       .add("Transfer-Encoding", "chunked")
                       .bytes("1\r\na\r\n0\r\nX-Caller: root\r\n\r\n");
    auto const raw = raw_at_upstream(stage, chunked);
    CHECK(raw.find("root") == std::string::npos);
    CHECK(raw.find("X-Caller: administrator\r\n") != std::string::npos);
    stage.finish();
}

TEST_CASE("what an API tells replaces what its upstream is told by others") {
    Stage stage = telling_stage(told_labels, "identity: { header: X-Client }");
    check_bytes(stage, call_of_mine(basic(administrator)).add("X-Client", "root"), "/mine/a",
                "X-Caller: administrator\r\n");
    check_bytes(stage, Outgoing{"GET", "/open/a"}.add("X-Client", "root").add("X-Caller", "root"),
                "/open/a", {});
    // And with a reload.
    auto configuration = standard_configuration(stage.upstream);
    configuration.apis =
        api_yaml("management", "identity: { header: X-Client }") + api_yaml("observability");
    stage.gateway.replace("sallyport.yaml", configuration.text());
    stage.gateway.wait_for_reloads(1);
    auto const raw = raw_at_upstream(stage, request_for("getPipe").add("x_client", "root"));
    CHECK(raw.find("X-Client: administrator\r\n") != std::string::npos);
    CHECK(raw.find("root") == std::string::npos);
    CHECK(raw.find("X-Caller") == std::string::npos);
    stage.finish();
}

TEST_CASE("labels with any text are one value of one field") {
    std::string const credentials =
        "credentials:\n  - name: odd\n    basic: { key_id: key-administrator, secrets: [\"sha256:"
        + sha256_hex(administrator.secret)
        + "\"] }\n    labels: { organization_tier: \"a\\r\\nX-Paid: yes, \\u00FC;%\" }\n"
          "    allow: all\n";
    Stage stage{{},
                [](Configuration& configuration) {
                    with_upstream(told_labels)(configuration);
                    configuration.apis = api_yaml("management");
                },
                {.credentials = credentials}};
    auto const raw = raw_at_upstream(stage, request_for("getPipe"));
    CHECK(
        raw.find("X-Caller: odd\r\nX-Tier: a%0D%0AX-Paid:%20yes%2C%20%C3%BC%3B%25\r\nX-Request-Id")
        != std::string::npos);
    stage.finish();
}

TEST_CASE("check warns of issued secrets that are passed on, and of nothing that is said") {
    Prepared prepared;
    auto const checked = [&](std::string const& credential) {
        prepared.configuration.upstreams =
            upstream_yaml("management", "http://127.0.0.1:9", credential)
            + upstream_yaml("observability", "http://127.0.0.1:9");
        prepared.write();
        auto const result = prepared.check();
        CHECK(result.exit_code == 0);
        return result.output;
    };
    std::string const warning =
        "warning: upstreams.management.credential: the upstream gets the secrets that this gateway "
        "has issued to callers of the API \"management\"; write none, a credential of the gateway, "
        "or pass_issued if the upstream checks the same secrets\n";
    CHECK(checked("credential: pass").find(warning) != std::string::npos);
    for (auto const* const quiet : {"", "credential: none", "credential: pass_issued"})
        CHECK(checked(quiet).find("the upstream gets") == std::string::npos);
    auto const token = prepared.folder.write("token", "a.token\n");
    std::filesystem::permissions(token, std::filesystem::perms{0644});
    std::filesystem::permissions(prepared.folder.path(), std::filesystem::perms{0755});
    CHECK(checked("credential: { token_file: token }")
              .find("every user of this machine can read "
                    "the token (mode 0644)")
          != std::string::npos);
}

namespace {

// The upstream demands a certificate.
Configuration with_mutual_tls(RecordingUpstream const& upstream, std::string const& keys) {
    auto configuration = standard_configuration(upstream);
    with_upstream("tls: { server_name: upstream.example.test, ca: "
                  + certificates().authority.string() + keys + " }")(configuration);
    return configuration;
}

std::string pair_of_files(std::string const& certificate, std::string const& key) {
    return ", certificate: " + certificate + ", private_key: " + key;
}

int status_of_pipe(Gateway const& gateway) {
    return fetch(gateway.port(), request_for("getPipe").text()).status;
}

} // namespace

TEST_CASE(
    "an upstream that demands a certificate gets the gateway's, and the next after a reload") {
    auto const& made = certificates();
    RecordingUpstream upstream{{},
                               {.certificate = made.upstream, .client_authority = made.authority}};
    Gateway gateway{with_mutual_tls(upstream, pair_of_files("own.pem", "own.key")),
                    {.files = {{"own.pem", read_file(made.gateway.certificate)},
                               {"own.key", read_file(made.gateway.private_key)}}}};
    CHECK(status_of_pipe(gateway) == 200);
    CHECK(status_of_pipe(gateway) == 200);
    CHECK(upstream.client_names() == std::vector<std::string>{"gateway.example.test"});

    // A pair that does not fit changes nothing.
    gateway.replace("own.key", read_file(made.second_gateway.private_key));
    gateway.wait_for_rejected_reloads(1);
    CHECK(status_of_pipe(gateway) == 200);
    gateway.replace("own.pem", read_file(made.second_gateway.certificate));
    gateway.wait_for_reloads(1);
    CHECK(status_of_pipe(gateway) == 200);
    CHECK(upstream.client_names()
          == std::vector<std::string>{"gateway.example.test", "gateway2.example.test"});
    CHECK(gateway.stop() == 0);
}

TEST_CASE(
    "without a certificate, or with one that it does not trust, the upstream is not reached") {
    auto const& made = certificates();
    RecordingUpstream upstream{{},
                               {.certificate = made.upstream, .client_authority = made.authority}};
    auto const keys = GENERATE_COPY(
        std::string{}, pair_of_files(made.untrusted.certificate, made.untrusted.private_key));
    Gateway gateway{with_mutual_tls(upstream, keys)};
    CHECK(status_of_pipe(gateway) == 502);
    upstream.wait_for_failed_handshakes(1);
    CHECK(upstream.requests().empty());
    CHECK(gateway.stop() == 0);
}

TEST_CASE("check looks at the certificate for an upstream as at those of listeners") {
    auto const& made = certificates();
    Prepared prepared;
    auto const check = [&](Certificate const& certificate, Certificate const& key) {
        prepared.configuration.upstreams =
            upstream_yaml("management", "https://127.0.0.1:9",
                          "tls: { certificate: " + certificate.certificate.string()
                              + ", private_key: " + key.private_key.string() + " }")
            + upstream_yaml("observability", "http://127.0.0.1:9");
        prepared.write();
        return prepared.check();
    };
    auto const has = [](Finished const& result, std::string const& text) {
        return result.output.find(text) != std::string::npos;
    };
    std::string const place = "upstreams.management.tls.certificate: ";
    auto const good = check(made.gateway, made.gateway);
    CHECK(good.exit_code == 0);
    CHECK_FALSE(has(good, place));
    auto const other = check(made.gateway, made.second_gateway);
    CHECK(other.exit_code == 1);
    CHECK(has(other, "the private key"));
    auto const expired = check(made.expired, made.expired);
    CHECK(expired.exit_code == 0);
    CHECK(has(expired, "warning: " + place + made.expired.certificate.string() + ": "));
    CHECK(has(check(made.expiring, made.expiring), "expires soon"));
    CHECK(has(check(made.server, made.server),
              "the certificate is not for clients: servers may refuse it"));
}

} // namespace e44_upstream_credentials
