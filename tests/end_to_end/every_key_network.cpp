// Every key of listeners, the admin listener, the process and limits, with its effect.
#include "tests/end_to_end/every_key.h"

#include "tests/support/admin.h"

#include <csignal>

namespace sallyport::test {

namespace {

using Put = std::function<void(Setup&, World&, std::string const&)>;

Put limit(std::string const& name) {
    return [name](Setup& setup, World&, std::string const& value) {
        setup.configuration.limits = "  " + name + ": " + value + "\n";
    };
}

Put tls_limit(std::string const& name) {
    return [name](Setup& setup, World&, std::string const& value) {
        setup.configuration.listeners = tls_listener({certificates().server});
        setup.configuration.limits = "  " + name + ": " + value + "\n";
    };
}

Put top(std::string const& name) {
    return [name](Setup& setup, World&, std::string const& value) {
        setup.configuration.rest = admin_section.data() + name + ": " + value + "\n";
    };
}

Put admin(std::string const& begin, std::string const& end) {
    return [begin, end](Setup& setup, World&, std::string const& value) {
        setup.configuration.rest = "admin: { " + begin + value + end + " }\n";
    };
}

Put tls(std::function<std::string(std::string const&)> const& listener) {
    return [listener](Setup& setup, World&, std::string const& value) {
        setup.configuration.listeners = listener(value);
    };
}

std::string with_certificate(std::string const& certificate, std::string const& key) {
    return tls_listener({{certificate, key}});
}

std::string shown_name(World& world) {
    ClientOptions options;
    options.tls.verify = Verify::no;
    RawClient client{world.gateway->port(), options};
    return name_in_certificate(client.channel().tls());
}

std::string whether_it_starts(World&) {
    return "starts";
}

// Whether an inactive peer is still connected.
std::string whether_it_waits(World& world, RawClient& client) {
    return world.is_silent(client) ? "waits" : "is over";
}

// The first of two connections that never send anything, at a listener with TLS.
std::string of_two_handshakes(World& world) {
    auto first = world.client();
    auto second = world.client();
    return whether_it_waits(world, first);
}

// A request on a second connection while another one is being served.
std::string of_two_connections(World& world) {
    auto first = world.client();
    first.send(world.get().text());
    world.up.wait_for_requests(1);
    auto second = world.client();
    second.try_send(world.get().text());
    auto const end = whether_it_waits(world, second);
    world.leave.set();
    first.read_response();
    return end;
}

// Two bodies of which all but the last byte has arrived.
std::string of_two_bodies(World& world, Key const& second_caller) {
    auto const request = world.put(R"({"note": ")" + std::string(1'000'000, 'x') + "\"}");
    auto const text = request.text();
    auto const other = Outgoing{request}.authorization(basic(second_caller)).text();
    auto left = world.client();
    auto right = world.client();
    left.try_send(std::string_view{text}.substr(0, text.size() - 1));
    right.try_send(std::string_view{other}.substr(0, other.size() - 1));
    constexpr std::chrono::milliseconds turn{10};
    TimeLimit const limit{world.value == 0 ? patience : 20 * turn};
    while (!limit.has_passed())
        if (!right.is_silent_for(turn) || !left.is_silent_for(turn)) return "one is refused";
    return "both wait";
}

std::string whether_a_request_survives_the_drain(World& world) {
    auto client = world.client();
    client.send(world.get().text());
    world.up.wait_for_requests(1);
    world.gateway->signal(SIGTERM);
    world.gateway->wait_for_error_output(
        [](std::string const& output) { return output.find("draining") != std::string::npos; });
    auto const end = whether_it_waits(world, client);
    world.leave.set();
    return end;
}

std::string state_before_the_drain(World& world) {
    world.gateway->signal(SIGTERM);
    world.gateway->wait_for_error_output(
        [](std::string const& output) {
            return output.find("leaving") != std::string::npos
                   || output.find("draining") != std::string::npos;
        });
    auto const output = world.gateway->standard_error();
    std::string const seen = output.find("draining") == std::string::npos
                                     && world.status(world.get()) == "200"
                                 ? "serves"
                                 : "drains";
    if (seen == "serves") world.gateway->signal(SIGTERM);
    return seen;
}

std::string number_of_workers(World& world) {
    auto const page = Json::parse(request_admin(*world.gateway, "/status").body);
    return std::to_string(static_cast<int>(page["workers"].number));
}

} // namespace

std::vector<Row> rows_of_the_network() {
    auto const& made = certificates();
    auto const server = made.server.certificate.string();
    auto const server_key = made.server.private_key.string();
    auto const second = made.second.certificate.string();
    auto const second_key = made.second.private_key.string();
    std::vector<Row> rows{
        {"include", {"one.yaml", "two.yaml"}, {"200", "403"},
         [](Setup& setup, World&, std::string const& value) {
             setup.configuration.rest += "include: [" + value + "]\n";
             for (std::string const name : {"one", "two"})
                 setup.files[name + ".yaml"] = "apis: { " + name + ": { paths: [\"/" + name
                                               + "/\"], upstream: other, "
                                                 "authenticate: [anonymous] } }\n";
         },
         [](World& world) { return world.status(Outgoing{"GET", "/one/1"}); }},
        {"listeners[].name", {"public", "private"}, {"public", "private"},
         tls([](auto const& value) {
             return "  - name: " + value + "\n    address: 127.0.0.1:0\n    tls: off\n";
         }),
         [](World& world) {
             auto const text = world.setup.configuration.listeners;
             auto const port = world.gateway->port(
                 text.find("public") != std::string::npos ? "public" : "private");
             return world.log_of(fetch(port, world.get().text(), without_tls())).text("listener");
         }},
        {"listeners[].address", {"127.0.0.1:0", "127.0.0.2:0"}, {"200", "no connection"},
         tls([](auto const& value) {
             return "  - name: public\n    address: " + value + "\n    tls: off\n";
         }),
         [](World& world) {
             try {
                 return world.status(world.get());
             } catch (std::runtime_error const&) {
                 return std::string{"no connection"};
             }
         }},
        {"listeners[].tls", {"off", "on"}, {"no TLS", "TLS"}, tls([&](auto const& value) {
             return value == "on" ? tls_listener({made.server})
                                  : "  - name: public\n    address: 127.0.0.1:0\n    tls: off\n";
         }),
         [](World& world) {
             return std::string{RawClient::try_handshake(world.gateway->port(), {}).empty()
                                    ? "TLS"
                                    : "no TLS"};
         }},
        {"listeners[].tls.certificates", {"server", "second"}, {"localhost", "second.example.test"},
         tls([&](auto const& value) {
             return tls_listener({value == "server" ? made.server : made.second});
         }),
         shown_name},
        // Another pair is refused: its content is read.
        {"listeners[].tls.certificates[].certificate", {server, second},
         {"starts", "does not start"},
         tls([=](auto const& value) { return with_certificate(value, server_key); }),
         whether_it_starts},
        {"listeners[].tls.certificates[].private_key", {server_key, second_key},
         {"starts", "does not start"},
         tls([=](auto const& value) { return with_certificate(server, value); }),
         whether_it_starts},
        {"listeners[].tls.minimum_version", {"'1.2'", "'1.3'"}, {"TLS 1.2", "no TLS 1.2"},
         tls([&](auto const& value) {
             return tls_listener({made.server}, "      minimum_version: " + value + "\n");
         }),
         [](World& world) {
             ClientOptions options;
             options.tls.highest_version = "1.2";
             auto const error = RawClient::try_handshake(world.gateway->port(), options);
             return std::string{error.empty() ? "TLS 1.2" : "no TLS 1.2"};
         }},
        {"admin.address", {"127.0.0.1:0", "127.0.0.2:0"}, {"200", "no connection"},
         admin("address: '", "'"),
         [](World& world) {
             try {
                 return std::to_string(request_admin(*world.gateway, "/healthz").status);
             } catch (std::runtime_error const&) {
                 return std::string{"no connection"};
             }
         }},
        {"admin.allow_remote", {"true", "false"}, {"starts", "does not start"},
         admin("address: 0.0.0.0:0, allow_remote: ", ""), whether_it_starts},
        {"workers", {"1", "3"}, {"1", "3"},
         [](Setup& setup, World&, std::string const& value) {
             setup.configuration.workers = value;
             setup.configuration.rest = admin_section;
         },
         number_of_workers},
        {"drain", {"0ms", "1h"}, {"is over", "waits"}, top("drain"),
         whether_a_request_survives_the_drain, hold_all},
        {"drain_delay", {"0ms", "1h"}, {"drains", "serves"}, top("drain_delay"),
         state_before_the_drain},
        {"limits.head", {"1KiB", "16KiB"}, {"431", "200"}, limit("head"),
         [](World& world) {
             return world.status(world.get().add("X-Long", std::string(2000, 'x')));
         }},
        {"limits.fields", {"3", "9"}, {"431", "200"}, limit("fields"),
         [](World& world) {
             return world.status(world.get().add("X-A", "1").add("X-B", "2").add("X-C", "3"));
         }},
        {"limits.body", {"100B", "200B"}, {"413", "200"}, limit("body"),
         [](World& world) {
             return world.status(world.put(R"({"note": ")" + std::string(120, 'x') + "\"}"));
         }},
        {"limits.buffered_bodies", {"1536KiB", "64MiB"}, {"one is refused", "both wait"},
         limit("buffered_bodies_per_caller: 1536KiB\n  buffered_bodies"),
         [](World& world) { return of_two_bodies(world, other_caller); }},
        // Of the whole an eighth is kept for others, unless one caller may have all.
        {"limits.buffered_bodies_per_caller", {"64KiB", "2304KiB"}, {"one is refused", "both wait"},
         limit("buffered_bodies: 2304KiB\n  buffered_bodies_per_caller"),
         [](World& world) { return of_two_bodies(world, world.setup.caller); }},
        {"limits.json_depth", {"2", "4"}, {"400", "200"}, limit("json_depth"),
         [](World& world) { return world.status(world.put(R"({"deep": [[1]]})")); }},
        {"limits.connections", {"1", "2"}, {"is over", "waits"}, limit("connections"),
         of_two_connections, hold_all},
        {"limits.connections_per_address", {"1", "2"}, {"is over", "waits"},
         limit("connections_per_address"), of_two_connections, hold_all},
        {"limits.handshakes", {"1", "2"}, {"is over", "waits"}, tls_limit("handshakes"),
         of_two_handshakes},
        {"limits.handshakes_per_address", {"1", "2"}, {"is over", "waits"},
         tls_limit("handshakes_per_address"), of_two_handshakes},
        {"limits.handshake", {"50ms", "1h"}, {"is over", "waits"}, tls_limit("handshake"),
         [](World& world) {
             auto client = world.client();
             return whether_it_waits(world, client);
         }},
        {"limits.head_time", {"50ms", "1h"}, {"is over", "waits"}, limit("head_time"),
         [](World& world) {
             auto client = world.client();
             client.send("GET / HT");
             return whether_it_waits(world, client);
         }},
        {"limits.body_idle", {"50ms", "1h"}, {"is over", "waits"}, limit("body_idle"),
         [](World& world) {
             auto client = world.client();
             auto const text = world.put().text();
             client.send(std::string_view{text}.substr(0, text.size() - 1));
             return whether_it_waits(world, client);
         }},
        {"limits.idle", {"50ms", "1h"}, {"is over", "waits"}, limit("idle"),
         [](World& world) {
             auto client = world.client();
             client.exchange(world.get().text());
             return whether_it_waits(world, client);
         }},
    };
    return rows;
}

namespace {

// Of rules of `allow` and `deny`: what each key does is a matter of the sets that they make.
void add_rows_of_permissions(std::vector<Elsewhere>& rows) {
    std::string const file = "unit/lifecycle/compile_permissions_test.cpp";
    for (std::string const of : {"roles.NAME.", "credentials[].", "htpasswd."}) {
        for (std::string const rule : {"allow.", "deny[]."}) {
            bool const is_direct = of == "credentials[]." && rule == "allow.";
            for (auto const* const key : {"operations", "apis", "tags"}) {
                if (!is_direct || key == std::string_view{"tags"})
                    rows.push_back({of + rule + key, file, "lists of a rule are a union"});
            }
            auto const conditions = "conditions of a rule hold for all that it names";
            rows.push_back({of + rule + "methods", file, conditions});
            if (rule == "allow.") rows.push_back({of + rule + "read_only", file, conditions});
            if (!is_direct) rows.push_back({of + rule + "NAME", file, conditions});
        }
    }
    for (auto const* const key : {"credentials[].roles", "htpasswd.roles"}) {
        rows.push_back(
            {key, file,
             "a credential may do what it or a role allows, less what any of them denies"});
    }
}

// They need clients with certificates.
void add_rows_of_client_certificates(std::vector<Elsewhere>& rows) {
    std::string const file = "end_to_end/e45_client_certificates.cpp";
    std::string const listener = "listeners[].tls.client_certificates.";
    rows.push_back({listener + "verify", file,
                    "a client without a certificate fails where it is required, and gets 401 where "
                    "not"});
    for (auto const* const key : {"ca", "crl"})
        rows.push_back({listener + key, file,
                        "a certificate that is not valid ends the handshake, with its cause in the "
                        "log"});
    for (auto const* const key : {"subject", "san.dns", "san.uri", "san.email", "fingerprints"})
        rows.push_back({std::string{"credentials[].client_certificate."} + key, file,
                        "certificates lead to callers by their names, and the access log has "
                        "those"});
    rows.push_back({"credentials[].client_certificate.listeners",
                    "unit/plugins/client_certificate/client_certificate_test.cpp",
                    "an entry for listeners counts at these alone, and each may have one of a "
                    "name"});
    rows.push_back({"apis.NAME.authenticate[].all", "end_to_end/e49_all_of.cpp",
                    "half of what is asked for is refused like nothing, and the log says what was "
                    "missing"});
    rows.push_back({"apis.NAME.rules[].authenticate[].all", "end_to_end/e49_all_of.cpp",
                    "a rule of the API may ask for more than the API"});
    rows.push_back({"apis.NAME.jwt.certificate_bound",
                    "end_to_end/e50_certificate_bound_tokens.cpp",
                    "certificate_bound: required refuses tokens that are not bound"});
    rows.push_back({"apis.NAME.introspection.certificate_bound",
                    "end_to_end/e50_certificate_bound_tokens.cpp",
                    "an opaque token is bound by what its issuer says of it"});
}

// They need a client of HTTP/2.
void add_rows_of_http2(std::vector<Elsewhere>& rows) {
    std::string const file = "end_to_end/e60_http2.cpp";
    rows.push_back({"listeners[].protocols", file,
                    "of `protocols` the first that the client offers is selected"});
    rows.push_back({"limits.http2.streams", file,
                    "requests of one connection are served beside each other, up to "
                    "limits.http2.streams"});
    rows.push_back({"limits.http2.window", file,
                    "a window grows to the length of its body, no further than "
                    "limits.http2.window"});
    for (auto const* const key : {"patience", "patience_per_second"})
        rows.push_back({std::string{"limits.http2."} + key, file,
                        "limits.http2.patience and patience_per_second say when a client floods"});
    for (auto const* const key : {"exchanges", "exchanges_per_address"})
        rows.push_back({std::string{"limits."} + key, file,
                        "limits.exchanges and exchanges_per_address count the requests of all "
                        "connections"});
}

// They need a client of WebSocket.
void add_rows_of_websockets(std::vector<Elsewhere>& rows) {
    std::string const file = "end_to_end/e61_websocket_settings.cpp";
    rows.push_back({"apis.NAME.websocket.origins", file,
                    "origins of the configuration count beside those of the contract"});
    rows.push_back({"apis.NAME.websocket.idle", file,
                    "the idle time of the configuration counts where the contract has none"});
    rows.push_back({"apis.NAME.websocket.token_prefix", file,
                    "a token among the subprotocols counts as the Authorization field, and stays "
                    "here"});
}

} // namespace

std::vector<Elsewhere> rows_elsewhere() {
    std::vector<Elsewhere> rows{
        {"reload", "end_to_end/e13_reload.cpp",
         "with `reload: on_signal` a change waits for a request"},
        {"limits.hashing_threads", "end_to_end/e42_passwords.cpp",
         "while the queue is full unknown passwords get 429, and known callers pass"},
        {"limits.hashing_queue", "end_to_end/e42_passwords.cpp",
         "while the queue is full unknown passwords get 429, and known callers pass"},
        {"apis.NAME.unsupported", "end_to_end/e33_unchecked.cpp",
         "unsupported: unchecked serves the rest of a contract, and marks what is unchecked"},
        {"x-upgrade", "end_to_end/e61_websocket.cpp",
         "an operation without x-upgrade gets no Upgrade, and no 101 from its upstream"},
        {"x-trailers", "end_to_end/e66_trailers.cpp",
         "without x-trailers: forward, or trailers that pass, a request has its usual framing"},
        {"x-nullable", "unit/contract/swagger_test.cpp",
         "schemas of Swagger 2.0 are those of draft 4 with its own words"},
        {"upstreams.NAME.credential.client_credentials.ca", "end_to_end/e52_issued_tokens.cpp",
         "check asks for no token, and finds what prevents one"},
        {"apis.NAME.jwt.keys.ca", "end_to_end/e43_jwt_keys.cpp",
         "an issuer whose certificate is not trusted has no keys"},
        {"apis.NAME.jwt.keys.refresh", "end_to_end/e43_jwt_keys.cpp",
         "while an issuer lies or is down the last keys are used, and no other token gets in"},
        {"apis.NAME.jwt.keys.keep", "end_to_end/e43_jwt_keys.cpp",
         "keys that cannot be fetched any more are used for as long as `keep` says"},
        {"apis.NAME.introspection.timeout", "end_to_end/e46_introspection.cpp",
         "while an issuer is down or lies no caller is accepted, and no other request waits"},
        {"apis.NAME.introspection.on_failure", "end_to_end/e46_introspection.cpp",
         "known tokens keep working while the issuer is down, where that is configured"},
        {"apis.NAME.introspection.cache.positive", "end_to_end/e46_introspection.cpp",
         "known tokens keep working while the issuer is down, where that is configured"},
        {"apis.NAME.introspection.cache.keep", "end_to_end/e46_introspection.cpp",
         "known tokens end when the issuer has been down for longer than `keep`"},
        {"apis.NAME.introspection.cache.negative", "end_to_end/e46_introspection.cpp",
         "a token that was revoked is refused once its answer is old"},
        {"apis.NAME.introspection.pending", "end_to_end/e46_introspection.cpp",
         "many unknown tokens do not cause as many requests to the issuer"},
        {"access_log.when_full", "end_to_end/e18_bad_surroundings.cpp",
         "with when_full refuse no request is forwarded without space for its line"},
    };
    add_rows_of_permissions(rows);
    constexpr auto wrong = "end_to_end/e47_wrong_credentials.cpp";
    auto const beyond =
        "beyond per_address wrong credentials get 429 for first_block, and right ones pass";
    rows.push_back({"failed_authentication.per_address", wrong, beyond});
    rows.push_back({"failed_authentication.first_block", wrong, beyond});
    rows.push_back({"failed_authentication.window", wrong,
                    "failures are counted within the window, by the limits of the last reload"});
    rows.push_back({"failed_authentication.longest_block", wrong,
                    "each block is twice as long as the one before, up to longest_block"});
    rows.push_back({"failed_authentication.except", wrong,
                    "clients of this machine are not blocked unless `except` is without them"});
    rows.push_back({"failed_authentication.per_id", wrong,
                    "guesses of one key id are bounded, and then not verified"});
    constexpr auto keys = "end_to_end/e48_api_keys.cpp";
    auto const passed =
        "an upstream that takes the client's credentials gets the key where it was";
    rows.push_back({"apis.NAME.api_key.header", keys, passed});
    rows.push_back({"apis.NAME.api_key.query", keys, passed});
    rows.push_back({"credentials[].api_key.keys", keys,
                    "both keys of an entry are right during a rotation"});
    add_rows_of_client_certificates(rows);
    add_rows_of_http2(rows);
    add_rows_of_websockets(rows);
    return rows;
}

} // namespace sallyport::test
