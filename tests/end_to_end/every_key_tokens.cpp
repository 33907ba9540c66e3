// Every key of JSON Web Tokens, with its effect.
#include "tests/end_to_end/every_key.h"

#include "tests/support/token_signer.h"

#include <ctime>
#include <map>

namespace sallyport::test {

namespace {

// The same for both values of a row.
TokenSigner const& signer() {
    static TokenSigner const one{"ES256", "k1"};
    return one;
}
TokenSigner const& other_signer() {
    static TokenSigner const one{"EdDSA", "k1"};
    return one;
}

// Of another issuer.
TokenSigner const& foreign_signer() {
    static TokenSigner const one{"ES256", "k1"};
    return one;
}

using Keys = std::map<std::string, std::string>; // of `jwt`, each in YAML

Keys right_keys() {
    return {{"issuer", "https://issuer.example"},
            {"audience", "things"},
            {"keys", "{ file: keys.json }"},
            {"algorithms", "[ES256]"},
            {"roles", "{ always: [all] }"}};
}

std::string api_with(Keys const& keys) {
    std::string text =
        "  things: { contract: things.yaml, upstream: up, authenticate: [jwt], jwt: { ";
    bool is_first = true;
    for (auto const& [name, value] : keys) {
        text += (is_first ? "" : ", ") + name + ": " + value;
        is_first = false;
    }
    return text + " } }\n";
}

std::string payload() {
    return R"({"iss":"https://issuer.example","aud":"things","sub":"alice","exp":)"
           + std::to_string(std::time(nullptr) + 600)
           + R"(,"email":"a@b.example","tier":"SCALE","scope":"read","groups":["staff"]})";
}

std::function<std::string(World&)> status_with(std::string const& header = {}) {
    return [header](World& world) {
        auto const token =
            header.empty() ? signer().token(payload()) : signer().token(header, payload());
        return world.status(world.get().authorization(bearer(token)));
    };
}

// A key of `jwt` with one of two values, of a token that is right otherwise.
Row row(std::string const& key, std::array<std::string, 2> values, std::array<std::string, 2> seen,
        std::string const& begin = {}, std::string const& end = {},
        std::function<std::string(World&)> probe = status_with()) {
    auto const name = key.substr(0, key.find('.'));
    return {"apis.NAME.jwt." + key, std::move(values), std::move(seen),
            [=](Setup& setup, World&, std::string const& value) {
                auto keys = right_keys();
                keys[name] = begin + value + end;
                setup.configuration.apis = api_with(keys);
                setup.credentials = "roles:\n"
                                    "  all: { allow: { apis: [things] } }\n"
                                    "  put: { allow: { operations: [things/putThing] } }\n"
                                    "  both: { allow: { apis: [things] } }\n";
                setup.files["keys.json"] = key_set({signer().jwk(), other_signer().jwk()});
                setup.files["others.json"] = key_set({foreign_signer().jwk()});
                setup.contract =
                    contract_with("deprecated: false", "x-when: [{ labels: { tier: SCALE }, "
                                                       "schema: { required: [note] } }]");
            },
            std::move(probe)};
}

// Keys that the upstream of the API has too, at one of two paths.
Row fetched_row(std::string const& key, std::array<std::string, 2> values,
                std::array<std::string, 2> outcomes) {
    auto of_file = row("keys.file", values, outcomes);
    auto const put = of_file.put;
    of_file.key = "apis.NAME.jwt.keys." + key;
    of_file.put = [put, key](Setup& setup, World& world, std::string const& value) {
        put(setup, world, value);
        auto keys = right_keys();
        keys["keys"] = "{ " + key + ": \"" + world.up.endpoint() + value + "\" }";
        setup.configuration.apis = api_with(keys);
    };
    of_file.script = [](World& world, UpstreamExchange& exchange) {
        auto const& target = exchange.request.target;
        auto const document = [&world](std::string const& issuer) {
            return R"({"issuer":")" + issuer + R"(","jwks_uri":")" + world.up.endpoint()
                   + R"(/keys"})";
        };
        auto body = std::string{R"({"n": 1})"};
        if (target == "/keys") body = key_set({signer().jwk()});
        if (target == "/others") body = key_set({foreign_signer().jwk()});
        if (target == "/right") body = document("https://issuer.example");
        if (target == "/wrong") body = document("https://other.example");
        exchange.send(response_text(body));
    };
    return of_file;
}

} // namespace

std::vector<Row> rows_of_tokens() {
    auto const name_in_log = [](World& world) {
        auto const request = world.get().authorization(bearer(signer().token(payload())));
        return world.log_of(world.send(request)).text("credential");
    };
    auto const status_of_a_put = [](World& world) {
        return world.status(world.put().authorization(bearer(signer().token(payload()))));
    };
    auto const of_a_late_one = [](World& world) {
        auto text = payload();
        auto const at = text.find("\"exp\":") + 6;
        text.replace(at, text.find(',', at) - at, std::to_string(std::time(nullptr) - 60));
        return world.status(world.get().authorization(bearer(signer().token(text))));
    };
    return {
        row("issuer", {"https://issuer.example", "https://other.example"}, {"200", "401"}),
        row("audience", {"[other, things]", "others"}, {"200", "401"}),
        row("keys.file", {"keys.json", "others.json"}, {"200", "401"}, "{ file: ", " }"),
        fetched_row("url", {"/keys", "/others"}, {"200", "401"}),
        fetched_row("discovery", {"/right", "/wrong"}, {"200", "503"}),
        row("algorithms", {"[EdDSA, ES256]", "[EdDSA]"}, {"200", "401"}),
        row("leeway", {"5m", "10s"}, {"200", "401"}, {}, {}, of_a_late_one),
        row("typ", {"[absent]", "[at+jwt]"}, {"200", "401"}),
        row("required_claims.NAME", {"[a@b.example, c]", "[c]"}, {"200", "401"}, "{ email: ", " }"),
        row("scopes.claim", {"scope", "groups"}, {"200", "401"},
            "{ required: [read], claim: ", " }"),
        row("scopes.required", {"[read]", "[read, write]"}, {"200", "401"}, "{ required: ", " }"),
        row("name_claim", {"sub", "email"}, {"jwt:alice", "jwt:a@b.example"}, {}, {}, name_in_log),
        row("labels.NAME", {"tier", "sub"}, {"400", "200"}, "{ tier: ", " }", status_of_a_put),
        row("roles.always", {"[all]", "[put]"}, {"200", "403"}, "{ always: ", " }"),
        row("roles.claim", {"groups", "scope"}, {"200", "403"},
            "{ mapping: { staff: [all] }, claim: ", " }"),
        row("roles.mapping.NAME", {"[put, all]", "[put]"}, {"200", "403"},
            "{ claim: groups, mapping: { staff: ", " } }"),
    };
}

} // namespace sallyport::test
