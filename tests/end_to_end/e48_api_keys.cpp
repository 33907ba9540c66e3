// Callers with API keys: in a field or in the query, and what the upstream and the log get of them.
#include "tests/end_to_end/stage.h"
#include "tests/support/encodings.h"

#include <catch2/catch.hpp>

namespace e48_api_keys {

using namespace sallyport::test;

namespace {

constexpr std::string_view key = "an-api-key-0123456789abcd";

// An API without a contract whose callers have keys, or are `administrator`. `upstream`: keys of
// the upstream.
struct WithKeys {
    explicit WithKeys(std::string const& place, std::string const& upstream = {},
                      std::string const& order = "api_key, basic")
        : stage{{},
                [&](Configuration& configuration) {
                    configuration.apis += "  keyed: { paths: [\"/keyed/\"], upstream: management, "
                                          "authenticate: ["
                                          + order + "]" + place + " }\n";
                    if (!upstream.empty()) with_upstream(upstream)(configuration);
                },
                options()} {}

    static Gateway::Options options() {
        Gateway::Options options;
        options.credentials = standard_credentials()
                              + "  - name: keyed\n    api_key: { keys: [\"sha256:" + sha256_hex(key)
                              + "\"] }\n    allow: { apis: [keyed] }\n";
        return options;
    }

    [[nodiscard]] Response send(std::string_view target, std::string_view field = {},
                                std::string_view value = {}) const {
        Outgoing request{"GET", target};
        if (!field.empty()) request.add(field, value);
        return stage.send(request);
    }

    Stage stage;
};

} // namespace

TEST_CASE("a key in the field leads to its caller, and is not forwarded") {
    WithKeys with{""};
    auto const response = with.send("/keyed/a", "x-api-key", key);
    CHECK(response.status == 200);
    CHECK(with.stage.log_of(response).text("credential") == "keyed");
    CHECK(with.stage.upstream.request(0).fields.count("X-Api-Key") == 0);
    auto const refused = with.send("/keyed/a", "X-Api-Key", "wrong");
    CHECK(refused.status == 401);
    CHECK(refused.fields.find("WWW-Authenticate")
          == R"(ApiKey realm="keyed", in="header", name="X-Api-Key")");
    CHECK(with.stage.log_of(refused).text("auth_failure") == "unknown");
    CHECK(with.send("/keyed/a").status == 401);
    CHECK(with.stage.send(Outgoing{"GET", "/keyed/a"}.authorization(basic(administrator))).status
          == 200);
    // Other APIs do not take it.
    auto const elsewhere = request_for("getPipe").without("Authorization").add("X-Api-Key", key);
    CHECK(with.stage.send(elsewhere).status == 401);
    CHECK(with.stage.upstream.requests().size() == 2);
    with.stage.finish();
}

TEST_CASE("both keys of an entry are right during a rotation") {
    WithKeys with{""};
    constexpr std::string_view next = "another-api-key-0123456789";
    CHECK(with.send("/keyed/a", "X-Api-Key", next).status == 401);
    with.stage.gateway.replace("credentials.yaml",
                               standard_credentials()
                                   + "  - name: keyed\n    api_key: { keys: [\"sha256:"
                                   + sha256_hex(key) + "\", \"sha256:" + sha256_hex(next)
                                   + "\"] }\n    allow: { apis: [keyed] }\n");
    with.stage.gateway.wait_for_error_output(
        [](std::string const& output) { return output.find(" reloaded ") != std::string::npos; });
    for (auto const& one : {key, next}) {
        auto const response = with.send("/keyed/a", "X-Api-Key", one);
        CHECK(response.status == 200);
        CHECK(with.stage.log_of(response).text("credential") == "keyed");
    }
    with.stage.finish();
}

TEST_CASE("a key in the query leads to its caller, and neither the upstream nor the log gets it") {
    WithKeys with{", api_key: { query: api_key }"};
    auto const response = with.send("/keyed/a?b=%20&api%5Fkey=" + std::string{key} + "&c");
    CHECK(response.status == 200);
    CHECK(with.stage.upstream.request(0).target == "/keyed/a?b=%20&c");
    CHECK(with.send("/keyed/a", "X-Api-Key", key).status == 401);
    CHECK(with.send("/keyed/a?api_key=" + std::string{key} + "&api_key=x").status == 401);
    static_cast<void>(with.stage.log_of(response));
    auto const log = read_file(with.stage.gateway.folder() / "access.log");
    CHECK(log.find(key) == std::string::npos);
    with.stage.finish();
}

TEST_CASE("an upstream that takes the client's credentials gets the key where it was") {
    auto const in_query = GENERATE(false, true);
    WithKeys with{in_query ? ", api_key: { query: k }" : ", api_key: { header: X-Team-Key }",
                  "credential: pass"};
    if (in_query) {
        CHECK(with.send("/keyed/a?k=" + std::string{key}).status == 200);
        CHECK(with.stage.upstream.request(0).target == "/keyed/a?k=" + std::string{key});
    } else {
        CHECK(with.send("/keyed/a", "X-Team-Key", key).status == 200);
        CHECK(with.stage.upstream.request(0).fields.one("X-Team-Key") == key);
    }
    with.stage.finish();
}

// Whoever proved the caller: what this gateway has issued goes to no upstream that does not say so.
TEST_CASE("a key that proved nobody is not forwarded, whatever the upstream gets") {
    auto const upstream = GENERATE(as<std::string>{}, "", "credential: none", "credential: pass",
                                   "credential: { bearer: { token: the-gateways-own-token } }");
    auto const in_query = GENERATE(false, true);
    CAPTURE(upstream, in_query);
    WithKeys with{in_query ? ", api_key: { query: k }" : "", upstream, "basic, api_key"};
    Outgoing request{"GET", in_query ? "/keyed/a?b=1&%6b=" + std::string{key} : "/keyed/a?b=1"};
    request.authorization(basic(administrator));
    if (!in_query) request.add("x-api-key", key);
    auto const response = with.stage.send(request);
    CHECK(response.status == 200);
    CHECK(with.stage.log_of(response).text("credential") == "administrator");
    auto const received = with.stage.upstream.request(0);
    CHECK(received.target == "/keyed/a?b=1");
    CHECK(received.fields.count("X-Api-Key") == 0);
    with.stage.finish();
}

TEST_CASE("a key is not forwarded by a public operation of an API that takes keys") {
    Stage stage{{}, [](Configuration& configuration) {
                    std::string const usual = "authenticate: [basic]";
                    auto const at = configuration.apis.find(usual);
                    REQUIRE(at != std::string::npos);
                    configuration.apis.replace(
                        at, usual.size(),
                        "authenticate: [basic, api_key], api_key: { header: X-Team-Key }, rules: "
                        "[{ operation: getPipe, authenticate: [anonymous] }]");
                }};
    auto const response = stage.send(
        request_for("getPipe").without("Authorization").add("X-Team-Key", key).add("X-Other", "o"));
    CHECK(response.status == 200);
    CHECK(stage.upstream.request(0).fields.count("X-Team-Key") == 0);
    CHECK(stage.upstream.request(0).fields.one("X-Other") == "o");
    stage.finish();
}

} // namespace e48_api_keys
