// Every key of upstreams, and the extensions of a contract for them, with its effect.
#include "tests/end_to_end/every_key.h"

namespace sallyport::test {

namespace {

using Put = std::function<void(Setup&, World&, std::string const&)>;

// The upstream `up` with more keys, and the second one.
Put upstream(std::string const& begin, std::string const& end = {}) {
    return [begin, end](Setup& setup, World& world, std::string const& value) {
        setup.configuration.upstreams =
            upstream_yaml("up", world.up.endpoint(), begin + value + end)
            + upstream_yaml("other", world.other.endpoint());
    };
}

// An extension of putThing.
Put extension(std::string const& begin, std::string const& end = {}) {
    return [begin, end](Setup& setup, World&, std::string const& value) {
        setup.contract = contract_with(begin + value + end);
    };
}

std::string upstream_of_request(World& world) {
    world.send(world.get());
    return world.up.requests().size() == 1 ? "up" : "other";
}

std::string host_at_upstream(World& world) {
    world.send(world.get());
    return world.up.request(0).fields.one("Host");
}

std::string authorization_at_upstream(World& world) {
    world.send(world.get());
    return world.up.request(0).fields.one("Authorization");
}

// The second upstream issues tokens.
Put client_credentials(std::string const& begin, std::string const& end = {}) {
    return [begin, end](Setup& setup, World& world, std::string const& value) {
        world.other.respond_with(
            send_bytes(response_text(R"({"access_token":"issued","token_type":"Bearer"})")));
        setup.configuration.upstreams =
            upstream_yaml("up", world.up.endpoint(),
                          "credential: { client_credentials: { " + begin + value + end + " } }");
        auto const url = setup.configuration.upstreams.find("ISSUER");
        if (url != std::string::npos)
            setup.configuration.upstreams.replace(url, 6, world.other.endpoint());
    };
}

constexpr std::string_view issued_by = "token_url: \"ISSUER/token\", ";
std::string issued(std::string const& rest) {
    return std::string{issued_by} + "client_secret: \"s\", " + rest;
}

std::string request_for_token(World& world) {
    world.send(world.get());
    CHECK(world.up.request(0).fields.one("Authorization") == "Bearer issued");
    auto const request = world.other.request(0);
    return request.target + " " + request.fields.find("Authorization").value_or("-") + " "
           + request.body;
}

std::string name_at_upstream(World& world) {
    world.send(world.get());
    return world.up.client_names().at(0);
}

std::string caller_at_upstream(World& world) {
    world.send(world.get());
    auto const fields = world.up.request(0).fields;
    std::string seen;
    for (auto const* const name : {"X-Caller", "X-Who"})
        if (auto const value = fields.find(name)) seen += std::string{name} + ": " + *value;
    return seen;
}

std::string status_of_get(World& world) {
    return world.status(world.get());
}

// With the second value the upstream continues once the client has waited; with the first one
// never.
std::string status_with_a_late_upstream(World& world, Outgoing const& request) {
    auto client = world.client();
    TimeLimit const long_before_a_default{std::chrono::seconds{15}};
    client.send(request.text());
    if (world.value == 1) {
        static_cast<void>(world.is_silent(client));
        world.leave.set();
    }
    std::string seen = "broken off";
    try {
        seen = std::to_string(client.read_response().status);
    } catch (std::runtime_error const&) {
    }
    return long_before_a_default.has_passed() ? "too late" : seen;
}

std::string of_a_late_get(World& world) {
    return status_with_a_late_upstream(world, world.get());
}
// An endpoint that accepts and sends nothing: TLS is awaited until the whole exchange ends.
struct Silent {
    Listening socket = listen_tcp();
};

// One request is at the upstream, and another one arrives.
std::string second_status(World& world, Outgoing const& second) {
    auto first = world.client();
    first.send(world.get().text());
    world.up.wait_for_requests(1);
    auto client = world.client();
    client.send(second.text());
    static_cast<void>(world.is_silent(client, std::chrono::seconds{4}));
    world.leave.set();
    auto const status = client.read_response().status;
    first.read_response();
    return std::to_string(status);
}

std::string of_the_same_caller(World& world) {
    return second_status(world, world.get());
}

std::string connections_of_two_requests(World& world) {
    auto client = world.client();
    client.exchange(world.get().text());
    client.exchange(world.get().text());
    return std::to_string(world.up.connections());
}

} // namespace

std::string status_of_a_late_put(World& world) {
    return status_with_a_late_upstream(world, world.put());
}

// A head that is a little larger than the smallest limit, with a few fields.
void respond_with_a_large_head(World&, UpstreamExchange& exchange) {
    exchange.send(response_text("{}", 200, {{"X-Large", std::string(1100, 'v')}}));
}

std::string status_of_a_get(World& world) {
    auto client = world.client();
    return std::to_string(client.exchange(world.get().text()).status);
}

// The head and a part of the body, and the rest when the test triggers it.
void stop_within_the_response(World& world, UpstreamExchange& exchange) {
    auto const text = response_text(R"({"n": 1})");
    exchange.send(std::string_view{text}.substr(0, text.size() - 3));
    exchange.wait(world.leave);
    exchange.send(std::string_view{text}.substr(text.size() - 3));
}

// Which deadline ended a request whose upstream accepts connections and never responds.
Row silent_row(std::string key, std::array<std::string, 2> values, Put put, bool is_put) {
    return {std::move(key),
            std::move(values),
            {"504", "waits"},
            std::move(put),
            [is_put](World& world) -> std::string {
                auto client = world.client();
                client.send(is_put ? world.put().text() : world.get().text());
                // An upstream without this key has 3 s.
                if (world.is_silent(client, std::chrono::milliseconds{2500})) return "waits";
                return std::to_string(client.read_response().status);
            }};
}

// The first request of each connection gets a response, and the second one breaks it.
void break_used_connections(World&, UpstreamExchange& exchange) {
    if (exchange.number_on_connection > 0) return exchange.reset();
    exchange.send(response_text("{}"));
}

// Until a request was sent on a used connection: others prove nothing.
std::string status_on_a_used_connection(World& world) {
    TimeLimit const limit;
    auto client = world.client();
    while (!limit.has_passed()) {
        auto const before = world.up.requests().size();
        auto const response = client.exchange(world.put().text());
        auto const after = world.up.requests().size();
        if (after == before + 2) return "repeated, " + std::to_string(response.status);
        if (response.status != 200) return "once, " + std::to_string(response.status);
    }
    return "never";
}

std::vector<Row> rows_of_upstreams() {
    auto const& made = certificates();
    auto const silent = std::make_shared<Silent>();
    auto const silent_endpoint = "https://127.0.0.1:" + std::to_string(silent->socket.port);
    std::string const secure = "tls: { server_name: upstream.example.test, ca: ";
    std::vector<Row> rows{
        {"upstreams.NAME.endpoints",
         {"first", "second"},
         {"up", "other"},
         [](Setup& setup, World& world, std::string const& value) {
             auto const& which = value == "first" ? world.up : world.other;
             setup.configuration.upstreams = upstream_yaml("up", which.endpoint());
         },
         upstream_of_request},
        {"upstreams.NAME.host",
         {"a.example", "b.example:81"},
         {"a.example", "b.example:81"},
         upstream("host: '", "'"),
         host_at_upstream},
        {"upstreams.NAME.tls.ca",
         {made.authority.string(), made.other_authority.string()},
         {"200", "502"},
         upstream(secure, " }"),
         status_of_get,
         {},
         made.upstream},
        {"upstreams.NAME.tls.server_name",
         {"upstream.example.test", "other.example.test"},
         {"200", "502"},
         upstream("tls: { ca: " + made.authority.string() + ", server_name: ", " }"),
         status_of_get,
         {},
         made.upstream},
        {"upstreams.NAME.tls.certificate",
         {made.gateway.certificate.string(), made.second_gateway.certificate.string()},
         {"gateway.example.test", "does not start"}, // with another's key
         upstream(secure + made.authority.string()
                      + ", private_key: " + made.gateway.private_key.string() + ", certificate: ",
                  " }"),
         name_at_upstream,
         {},
         made.upstream,
         made.authority},
        {"upstreams.NAME.tls.private_key",
         {made.gateway.private_key.string(), made.second_gateway.private_key.string()},
         {"gateway.example.test", "does not start"},
         upstream(secure + made.authority.string()
                      + ", certificate: " + made.gateway.certificate.string() + ", private_key: ",
                  " }"),
         name_at_upstream,
         {},
         made.upstream,
         made.authority},
        {"upstreams.NAME.credential.basic.key_id",
         {"one", "two"},
         {basic_of("one:pass"), basic_of("two:pass")},
         upstream("credential: { basic: { secret: pass, key_id: ", " } }"),
         authorization_at_upstream},
        {"upstreams.NAME.credential.basic.secret",
         {"one", "two"},
         {basic_of("id:one"), basic_of("id:two")},
         upstream("credential: { basic: { key_id: id, secret: ", " } }"),
         authorization_at_upstream},
        {"upstreams.NAME.credential.bearer.token",
         {"one", "two"},
         {"Bearer one", "Bearer two"},
         upstream("credential: { bearer: { token: ", " } }"),
         authorization_at_upstream},
        {"upstreams.NAME.credential",
         {"pass_issued", "none"},
         {basic(administrator), "none"},
         upstream("credential: "),
         [](World& world) {
             world.send(world.get());
             return world.up.request(0).fields.find("Authorization").value_or("none");
         }},
        {"upstreams.NAME.credential.token_file",
         {"one", "two"},
         {"Bearer one", "Bearer two"},
         [](Setup& setup, World& world, std::string const& value) {
             setup.configuration.upstreams = upstream_yaml(
                 "up", world.up.endpoint(), "credential: { token_file: " + value + " }");
             for (std::string const token : {"one", "two"})
                 setup.files[token] = token + "\n";
         },
         authorization_at_upstream},
        {"upstreams.NAME.credential.client_credentials.token_url",
         {"/a", "/b"},
         {"/a Basic Yzpz grant_type=client_credentials",
          "/b Basic Yzpz grant_type=client_credentials"},
         client_credentials("client_id: c, client_secret: s, token_url: \"ISSUER", "\""),
         request_for_token},
        {"upstreams.NAME.credential.client_credentials.client_id",
         {"c", "d"},
         {"/token Basic Yzpz grant_type=client_credentials",
          "/token Basic ZDpz grant_type=client_credentials"},
         client_credentials(issued("client_id: ")),
         request_for_token},
        {"upstreams.NAME.credential.client_credentials.client_secret",
         {"s", "t"},
         {"/token Basic Yzpz grant_type=client_credentials",
          "/token Basic Yzp0 grant_type=client_credentials"},
         client_credentials(std::string{issued_by} + "client_id: c, client_secret: "),
         request_for_token},
        {"upstreams.NAME.credential.client_credentials.authentication",
         {"basic", "post"},
         {"/token Basic Yzpz grant_type=client_credentials",
          "/token - grant_type=client_credentials&client_id=c&client_secret=s"},
         client_credentials(issued("client_id: c, authentication: ")),
         request_for_token},
        {"upstreams.NAME.credential.client_credentials.scope",
         {"read", "\"read write\""},
         {"/token Basic Yzpz grant_type=client_credentials&scope=read",
          "/token Basic Yzpz grant_type=client_credentials&scope=read%20write"},
         client_credentials(issued("client_id: c, scope: ")),
         request_for_token},
        {"upstreams.NAME.credential.client_credentials.audience",
         {"a", "b"},
         {"/token Basic Yzpz grant_type=client_credentials&audience=a",
          "/token Basic Yzpz grant_type=client_credentials&audience=b"},
         client_credentials(issued("client_id: c, audience: ")),
         request_for_token},
        {"upstreams.NAME.credential.client_credentials.resource",
         {"a", "b"},
         {"/token Basic Yzpz grant_type=client_credentials&resource=a",
          "/token Basic Yzpz grant_type=client_credentials&resource=b"},
         client_credentials(issued("client_id: c, resource: ")),
         request_for_token},
        {"upstreams.NAME.identity.header",
         {"X-Caller", "X-Who"},
         {"X-Caller: caller", "X-Who: caller"},
         upstream("identity: { header: ", " }"),
         caller_at_upstream},
        {"upstreams.NAME.identity.labels.NAME",
         {"tier", "team"},
         {"X-Caller: SCALE", "X-Caller: billing"},
         [](Setup& setup, World& world, std::string const& value) {
             upstream("identity: { labels: { X-Caller: ", " } }")(setup, world, value);
             setup.credentials =
                 "credentials:\n"
                 + caller_entry("caller", administrator,
                                "labels: { tier: SCALE, team: billing }\n    allow: all");
         },
         caller_at_upstream},
        silent_row(
            "upstreams.NAME.timeouts.connect", {"50ms", "1h"},
            [silent_endpoint, silent](Setup& setup, World&, std::string const& value) {
                setup.configuration.upstreams =
                    upstream_yaml("up", silent_endpoint, "timeouts: { connect: " + value + " }");
            },
            false),
        {"upstreams.NAME.timeouts.first_byte",
         {"50ms", "1h"},
         {"504", "200"},
         upstream("timeouts: { first_byte: ", " }"),
         of_a_late_get,
         hold_all},
        {"upstreams.NAME.timeouts.idle",
         {"50ms", "1h"},
         {"broken off", "200"},
         upstream("timeouts: { idle: ", " }"),
         of_a_late_get,
         stop_within_the_response},
        {"upstreams.NAME.timeouts.total",
         {"50ms", "1h"},
         {"504", "200"},
         upstream("timeouts: { total: ", " }"),
         of_a_late_get,
         hold_all},
        {"upstreams.NAME.response_head",
         {"1KiB", "2KiB"},
         {"502", "200"},
         upstream("response_head: ", ""),
         status_of_a_get,
         respond_with_a_large_head},
        {"upstreams.NAME.response_fields",
         {"1", "4"},
         {"502", "200"},
         upstream("response_fields: ", ""),
         status_of_a_get,
         respond_with_a_large_head},
        {"upstreams.NAME.connections.max",
         {"1", "2"},
         {"503", "200"},
         upstream("connections: { per_caller: 2, queue: 0, max: ", " }"),
         of_the_same_caller,
         hold_first},
        {"upstreams.NAME.connections.idle",
         {"0", "1"},
         {"2", "1"},
         upstream("connections: { idle: ", " }"),
         connections_of_two_requests},
        {"upstreams.NAME.connections.per_caller",
         {"1", "2"},
         {"503", "200"},
         upstream("connections: { max: 2, queue_time: 50ms, per_caller: ", " }"),
         of_the_same_caller,
         hold_first},
        {"upstreams.NAME.connections.queue",
         {"0", "1"},
         {"503", "200"},
         upstream("connections: { max: 1, queue_time: 1h, queue: ", " }"),
         of_the_same_caller,
         hold_first},
        {"upstreams.NAME.connections.queue_time",
         {"50ms", "1h"},
         {"503", "200"},
         upstream("connections: { max: 1, queue_time: ", " }"),
         of_the_same_caller,
         hold_first},
        silent_row(
            "x-timeouts.connect", {"50ms", "1h"},
            [silent_endpoint, silent](Setup& setup, World&, std::string const& value) {
                setup.configuration.upstreams =
                    upstream_yaml("up", silent_endpoint, "timeouts: { connect: 1h }");
                setup.contract = contract_with("x-timeouts: { connect: " + value + " }");
            },
            true),
        {"x-timeouts.first_byte",
         {"50ms", "1h"},
         {"504", "200"},
         extension("x-timeouts: { first_byte: ", " }"),
         status_of_a_late_put,
         hold_all},
        {"x-timeouts.idle",
         {"50ms", "1h"},
         {"broken off", "200"},
         extension("x-timeouts: { idle: ", " }"),
         status_of_a_late_put,
         stop_within_the_response},
        {"x-timeouts.total",
         {"50ms", "1h"},
         {"504", "200"},
         extension("x-timeouts: { total: ", " }"),
         status_of_a_late_put,
         hold_all},
        {"x-stream",
         {"none", "events"},
         {"broken off", "200"},
         [](Setup& setup, World& world, std::string const& value) {
             setup.configuration.upstreams =
                 upstream_yaml("up", world.up.endpoint(), "timeouts: { idle: 50ms }");
             setup.contract = contract_with("x-stream: " + value);
         },
         status_of_a_late_put,
         stop_within_the_response},
        {"x-retry",
         {"x-retry: safe\n      summary: it", "summary: it"},
         {"repeated, 200", "once, 502"},
         extension(""),
         status_on_a_used_connection,
         break_used_connections},
    };
    return rows;
}

} // namespace sallyport::test
