// Every key by which an API or a listener changes or guards what passes it, with its effect.
#include "tests/end_to_end/every_key.h"

namespace sallyport::test {

namespace {

using Put = std::function<void(Setup&, World&, std::string const&)>;
using Probe = std::function<std::string(World&)>;

Put api(std::string const& begin, std::string const& end = {}) {
    return [begin, end](Setup& setup, World&, std::string const& value) {
        setup.configuration.apis = things_api(begin + value + end);
    };
}

Probe field_at_upstream(std::string const& name) {
    return [name](World& world) {
        world.send(world.get().add("X-Own", "client"));
        std::string all;
        for (auto const& field : world.up.request(0).fields)
            if (equal_ignoring_case(field.name, name)) all += field.value + " ";
        return all;
    };
}

Probe field_at_client(std::string const& name) {
    return [name](World& world) {
        std::string all;
        for (auto const& field : world.send(world.get()).fields)
            if (equal_ignoring_case(field.name, name)) all += field.value + " ";
        return all;
    };
}

Put listener(std::string const& begin, std::string const& end) {
    return [begin, end](Setup& setup, World&, std::string const& value) {
        setup.configuration.listeners =
            "  - name: public\n    address: 127.0.0.1:0\n    tls: off\n    " + begin + value + end
            + "\n";
    };
}

std::string status_or_reset(World& world) {
    try {
        return world.status(world.get());
    } catch (std::runtime_error const&) {
        return "no connection";
    }
}

std::string client_at_upstream(World& world) {
    world.send(world.get().add("X-Forwarded-For", "192.0.2.1").add("Forwarded", "for=192.0.2.2"));
    return world.up.request(0).fields.one("X-Forwarded-For") + " ";
}

Outgoing of_page(World& world, std::string_view origin) {
    return world.get().add("Origin", origin);
}

Probe field_for_page(std::string const& name) {
    return [name](World& world) {
        return world.send(of_page(world, "https://a.example.com")).fields.find(name).value_or("");
    };
}

Probe field_of_preflight(std::string const& name) {
    return [name](World& world) {
        auto const preflight = of_page(world, "https://a.example.com")
                                   .method("OPTIONS")
                                   .add("Access-Control-Request-Method", "PUT");
        return world.send(preflight).fields.find(name).value_or("");
    };
}

Put cors(std::string const& begin) {
    return api("cors: { origins: [\"https://a.example.com\"], " + begin, " }");
}

std::string location(World& world) {
    return world.send(world.get()).fields.find("Location").value_or("");
}

std::string path_at_upstream(World& world) {
    world.send(world.get());
    return world.up.request(0).target;
}

void with_own_field(World&, UpstreamExchange& exchange) {
    exchange.send(response_text(R"({"n": 1})", 200, {{"X-Own", "upstream"}}));
}

} // namespace

std::vector<Row> rows_of_the_edge() {
    return {
        {"listeners[].allow_addresses",
         {"127.0.0.0/8", "192.0.2.0/24"},
         {"200", "no connection"},
         listener("allow_addresses: [", "]"),
         status_or_reset},
        {"listeners[].deny_addresses",
         {"127.0.0.1", "192.0.2.1"},
         {"no connection", "200"},
         listener("deny_addresses: [", "]"),
         status_or_reset},
        {"listeners[].trusted_proxies",
         {"127.0.0.0/8", "192.0.2.0/24"},
         {"192.0.2.1 ", "127.0.0.1 "},
         listener("trusted_proxies: [", "]"),
         client_at_upstream},
        {"listeners[].forwarded_fields",
         {"x-forwarded-for", "forwarded"},
         {"192.0.2.1 ", "192.0.2.2 "},
         listener("trusted_proxies: [127.0.0.1]\n    forwarded_fields: [", "]"),
         client_at_upstream},
        {"listeners[].proxy_protocol",
         {"required", "off"},
         {"no connection", "200"},
         listener("trusted_proxies: [127.0.0.1]\n    proxy_protocol: ", ""),
         status_or_reset},
        {"apis.NAME.allow_addresses",
         {"127.0.0.0/8", "192.0.2.0/24"},
         {"200", "403"},
         api("allow_addresses: [", "]"),
         status_or_reset},
        {"apis.NAME.deny_addresses",
         {"127.0.0.1", "192.0.2.1"},
         {"403", "200"},
         api("deny_addresses: [", "]"),
         status_or_reset},
        {"apis.NAME.mount",
         {"/a", "/a/b"},
         {"200", "403"},
         api("mount: "),
         [](World& world) { return world.status(world.get("/a/v1/things/a")); }},
        {"apis.NAME.fallback",
         {"yes", "no"},
         {"200", "does not start"},
         [](Setup& setup, World&, std::string const& value) {
             setup.configuration.apis = things_api("")
                                        + "  rest: { paths: [/], upstream: up, authenticate: "
                                          "[basic], fallback: "
                                        + value + " }\n";
         },
         [](World& world) { return world.status(world.get("/other")); }},
        {"apis.NAME.encoded_slashes",
         {"refuse", "pass"},
         {"400", "200"},
         api("encoded_slashes: "),
         [](World& world) { return world.status(world.get("/v1/things/a%2Fb")); }},
        {"apis.NAME.empty_segments",
         {"refuse", "pass"},
         {"400", "200"},
         [](Setup& setup, World&, std::string const& value) {
             setup.configuration.apis = "  things: { upstream: up, authenticate: [basic], "
                                        "paths: [/v1/], empty_segments: "
                                        + value + " }\n";
         },
         [](World& world) { return world.status(world.get("/v1/a//b")); }},
        {"apis.NAME.strip_prefix",
         {"/v1", "/v1/things"},
         {"/things/a", "/a"},
         api("strip_prefix: "),
         path_at_upstream},
        {"apis.NAME.upstream_prefix",
         {"/a", "/b/c"},
         {"/a/v1/things/a", "/b/c/v1/things/a"},
         api("upstream_prefix: "),
         path_at_upstream},
        {"apis.NAME.identity.header",
         {"X-Own", "X-Other"},
         {"caller ", "client "},
         api("identity: { header: ", " }"),
         field_at_upstream("X-Own")},
        {"apis.NAME.identity.labels.NAME",
         {"tier", "team"},
         {"SCALE ", "billing "},
         [](Setup& setup, World& world, std::string const& value) {
             api("identity: { labels: { X-Own: ", " } }")(setup, world, value);
             setup.credentials = "credentials:\n"
                                 + caller_entry("caller", administrator,
                                                "labels: { tier: SCALE, team: billing }\n"
                                                "    allow: all");
         },
         field_at_upstream("X-Own")},
        {"apis.NAME.headers.request.set.NAME",
         {"a", "b"},
         {"a ", "b "},
         api("headers: { request: { set: { X-Own: ", " } } }"),
         field_at_upstream("X-Own")},
        {"apis.NAME.headers.request.add.NAME",
         {"a", "b"},
         {"client a ", "client b "},
         api("headers: { request: { add: { X-Own: ", " } } }"),
         field_at_upstream("X-Own")},
        {"apis.NAME.headers.request.remove",
         {"X-Own", "X-Other"},
         {"", "client "},
         api("headers: { request: { remove: [", "] } }"),
         field_at_upstream("X-Own")},
        {"apis.NAME.headers.response.set.NAME",
         {"a", "b"},
         {"a ", "b "},
         api("headers: { response: { set: { X-Own: ", " } } }"),
         field_at_client("X-Own"),
         with_own_field},
        {"apis.NAME.headers.response.add.NAME",
         {"a", "b"},
         {"upstream a ", "upstream b "},
         api("headers: { response: { add: { X-Own: ", " } } }"),
         field_at_client("X-Own"),
         with_own_field},
        {"apis.NAME.headers.response.remove",
         {"X-Own", "X-Other"},
         {"", "upstream "},
         api("headers: { response: { remove: [", "] } }"),
         field_at_client("X-Own"),
         with_own_field},
        {"apis.NAME.security_headers",
         {"on", "off"},
         {"nosniff ", ""},
         api("security_headers: "),
         field_at_client("X-Content-Type-Options")},
        {"listeners[].redirect",
         {"https", "{ https: 8443 }"},
         {"https://localhost/v1/things/a", "https://localhost:8443/v1/things/a"},
         listener("redirect: ", ""),
         location},
        {"listeners[].redirect.https",
         {"443", "444"},
         {"https://localhost/v1/things/a", "https://localhost:444/v1/things/a"},
         listener("redirect: { https: ", " }"),
         location},
        {"apis.NAME.cors.origins",
         {"\"https://*.example.com\"", "\"https://example.com\""},
         {"https://a.example.com", ""},
         api("cors: { origins: [", "] }"),
         field_for_page("Access-Control-Allow-Origin")},
        {"apis.NAME.cors.methods",
         {"contract", "[PUT]"},
         {"GET, HEAD, PUT", "PUT"},
         cors("methods: "),
         field_of_preflight("Access-Control-Allow-Methods")},
        {"apis.NAME.cors.headers",
         {"[X-Own]", "[\"*\"]"},
         {"X-Own", "*"},
         cors("headers: "),
         field_of_preflight("Access-Control-Allow-Headers")},
        {"apis.NAME.cors.expose",
         {"[X-Own, ETag]", "[]"},
         {"X-Own, ETag", ""},
         cors("expose: "),
         field_for_page("Access-Control-Expose-Headers")},
        {"apis.NAME.cors.credentials",
         {"true", "false"},
         {"true", ""},
         cors("credentials: "),
         field_for_page("Access-Control-Allow-Credentials")},
        {"apis.NAME.cors.max_age",
         {"90s", "1h"},
         {"90", "3600"},
         cors("max_age: "),
         field_of_preflight("Access-Control-Max-Age")},
    };
}

} // namespace sallyport::test
