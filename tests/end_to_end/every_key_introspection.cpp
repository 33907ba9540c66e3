// Every key of the introspection of tokens, with its effect: the upstream is the issuer too.
#include "tests/end_to_end/every_key.h"

#include "tests/support/encodings.h"

#include <ctime>
#include <map>

namespace sallyport::test {

namespace {

using Keys = std::map<std::string, std::string>; // of `introspection`, each in YAML

constexpr std::string_view right_path = "/introspect";

// What the issuer says; of `late` it has ended a minute ago.
std::string answer(bool is_late) {
    return R"({"active":true,"iss":"https://issuer.example","aud":"things","sub":"alice","exp":)"
           + std::to_string(std::time(nullptr) + (is_late ? -60 : 600))
           + R"(,"email":"a@b.example","tier":"SCALE","scope":"read","groups":["staff"]})";
}

// Introspection at one path for one client, and the API itself at all others.
void be_issuer(World&, UpstreamExchange& exchange) {
    auto const& request = exchange.request;
    if (request.target == "/v1/things/a") return void(exchange.send(response_text(R"({"n": 9})")));
    bool const is_known =
        request.target == right_path
        && request.fields.one("Authorization") == "Basic " + base64("gate:keeper");
    auto const is_late = request.body.starts_with("token=late&");
    exchange.send(is_known ? response_text(answer(is_late)) : response_text("{}", 401));
}

Keys right_keys(World const& world) {
    return {{"url", world.up.endpoint() + std::string{right_path}},
            {"client", "{ id: gate, secret: keeper }"},
            {"roles", "{ always: [all] }"}};
}

std::string api_with(Keys const& keys) {
    std::string text = "  things: { contract: things.yaml, upstream: up, authenticate: "
                       "[introspection], introspection: { ";
    bool is_first = true;
    for (auto const& [name, value] : keys) {
        text += (is_first ? "" : ", ") + name + ": " + value;
        is_first = false;
    }
    return text + " } }\n";
}

std::string status_of(World& world, std::string const& token) {
    return world.status(world.get().authorization(bearer(token)));
}
std::string status(World& world) {
    return status_of(world, "token");
}

// A key of `introspection` with one of two values, of a token that is right otherwise.
Row row(std::string const& key, std::array<std::string, 2> values, std::array<std::string, 2> seen,
        std::string const& begin = {}, std::string const& end = {},
        std::function<std::string(World&)> probe = status) {
    auto const name = key.substr(0, key.find('.'));
    return {"apis.NAME.introspection." + key,
            std::move(values),
            std::move(seen),
            [=](Setup& setup, World& world, std::string const& value) {
                auto keys = right_keys(world);
                keys[name] = begin + value + end;
                setup.configuration.apis = api_with(keys);
                setup.credentials = "roles:\n"
                                    "  all: { allow: { apis: [things] } }\n"
                                    "  put: { allow: { operations: [things/putThing] } }\n";
                setup.contract =
                    contract_with("deprecated: false", "x-when: [{ labels: { tier: SCALE }, "
                                                       "schema: { required: [note] } }]");
            },
            std::move(probe),
            be_issuer};
}

// The URL has the port of the issuer, which is known only when the row is put.
Row url_row() {
    auto made = row("url", {"/introspect", "/elsewhere"}, {"200", "503"});
    made.put = [put = made.put](Setup& setup, World& world, std::string const& value) {
        put(setup, world, world.up.endpoint() + value);
    };
    return made;
}

// The issuer has a certificate of one authority.
Row ca_row() {
    auto made =
        row("ca", {certificates().authority, certificates().other_authority}, {"200", "503"});
    made.put = [put = made.put](Setup& setup, World& world, std::string const& value) {
        put(setup, world, value);
        auto& upstreams = setup.configuration.upstreams;
        upstreams = upstream_yaml("up", world.up.endpoint(),
                                  "tls: { ca: \"" + certificates().authority.string() + "\" }")
                    + upstream_yaml("other", world.other.endpoint());
    };
    made.certificate = certificates().server;
    return made;
}

} // namespace

std::vector<Row> rows_of_introspection() {
    auto const name_in_log = [](World& world) {
        auto const request = world.get().authorization(bearer("token"));
        return world.log_of(world.send(request)).text("credential");
    };
    auto const status_of_a_put = [](World& world) {
        return world.status(world.put().authorization(bearer("token")));
    };
    auto const of_a_late_one = [](World& world) { return status_of(world, "late"); };
    return {
        url_row(),
        ca_row(),
        row("client.id", {"gate", "gates"}, {"200", "503"}, "{ secret: keeper, id: ", " }"),
        row("client.secret", {"keeper", "keepers"}, {"200", "503"}, "{ id: gate, secret: ", " }"),
        row("issuer", {"https://issuer.example", "https://other.example"}, {"200", "401"}),
        row("audience", {"[other, things]", "others"}, {"200", "401"}),
        row("leeway", {"5m", "10s"}, {"200", "401"}, {}, {}, of_a_late_one),
        row("required_claims.NAME", {"[a@b.example, c]", "[c]"}, {"200", "401"}, "{ email: ", " }"),
        row("scopes.claim", {"scope", "groups"}, {"200", "401"},
            "{ required: [read], claim: ", " }"),
        row("scopes.required", {"[read]", "[read, write]"}, {"200", "401"}, "{ required: ", " }"),
        row("name_claim", {"sub", "email"}, {"introspection:alice", "introspection:a@b.example"},
            {}, {}, name_in_log),
        row("labels.NAME", {"tier", "sub"}, {"400", "200"}, "{ tier: ", " }", status_of_a_put),
        row("roles.always", {"[all]", "[put]"}, {"200", "403"}, "{ always: ", " }"),
        row("roles.claim", {"groups", "scope"}, {"200", "403"},
            "{ mapping: { staff: [all] }, claim: ", " }"),
        row("roles.mapping.NAME", {"[put, all]", "[put]"}, {"200", "403"},
            "{ claim: groups, mapping: { staff: ", " } }"),
    };
}

} // namespace sallyport::test
