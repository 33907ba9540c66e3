// Every key of logs, redaction and callers, with its effect.
#include "tests/end_to_end/every_key.h"

#include "tests/support/admin.h"
#include "tests/support/encodings.h"

#include <cstdlib>

namespace sallyport::test {

namespace {

using Put = std::function<void(Setup&, World&, std::string const&)>;

Put access_log(std::string const& begin, std::string const& end = {}) {
    return [begin, end](Setup& setup, World&, std::string const& value) {
        setup.configuration.access_log = "  output: access.log\n  " + begin + value + end + "\n";
    };
}

Put redact(std::string const& begin, std::string const& end) {
    return [begin, end](Setup& setup, World&, std::string const& value) {
        setup.configuration.access_log += "  bodies: { requests: all }\n";
        setup.configuration.rest = "redact: { " + begin + value + end + " }\n";
    };
}

// The one credential of the file, with a part of it to change.
Put caller(std::string const& begin, std::string const& end = {}) {
    return [begin, end](Setup& setup, World&, std::string const& value) {
        setup.credentials =
            "credentials:\n" + caller_entry("caller", administrator, begin + value + end);
    };
}

Put credential(std::function<std::string(std::string const&)> const& entry) {
    return [entry](Setup& setup, World&, std::string const& value) {
        setup.credentials = "credentials:\n" + entry(value);
    };
}

std::string status_of_get(World& world) {
    return world.status(world.get());
}

// A contract that asks for the scope `write`.
void use_scopes(Setup& setup) {
    setup.contract = contract_with("security: [{ password: [write] }]")
                     + "components: { securitySchemes: { password: { type: http, scheme: basic } } "
                       "}\n";
    setup.configuration.apis = things_api("security: use");
}

// An htpasswd file with `ann`, whose password "Password Formats" of Apache has, and one without.
void add_users(Setup& setup, std::string const& permissions) {
    constexpr std::string_view hash_of_password = ":{SHA}VBPuJHI7uixaa6LQGWx4s+5GKNE=\n";
    setup.files["users.txt"] = "ann" + std::string{hash_of_password};
    setup.files["others.txt"] = "bob" + std::string{hash_of_password};
    setup.configuration.credentials = "credentials.yaml, htpasswd: users.txt";
    setup.credentials = "htpasswd: { " + permissions + " }\n" + setup.credentials;
}

std::string status_of_ann(World& world) {
    return world.status(world.get().authorization(basic_of("ann:myPassword")));
}

std::string hash(std::string_view secret) {
    return "sha256:" + sha256_hex(secret);
}

// A member of a logged body.
std::function<std::string(World&)> logged(std::string const& member) {
    return [member](World& world) {
        auto const request = world.put(R"({")" + member + R"(": "hidden"})");
        return world.log_of(world.send(request))["request_body"].text(member);
    };
}

std::string whether_logged(World& world, std::string const& member) {
    auto const line = world.log_of(world.send(world.put()));
    return line[member].is_null() ? "none" : "there";
}

// The control log at its end, once a change to it has been adopted.
Row own_log(std::string key, std::array<std::string, 2> values, std::array<std::string, 2> seen,
            std::string const& begin) {
    auto const row_values = values;
    return {std::move(key), std::move(values), std::move(seen),
            [](Setup& setup, World&, std::string const&) {
                setup.configuration.rest = std::string{admin_section};
            },
            [=, values = row_values](World& world) -> std::string {
                // Its first lines contain the address, which the test has to read.
                auto const port = world.gateway->admin_port();
                auto& configuration = world.setup.configuration;
                configuration.rest += "log: { " + begin + values[world.value] + " }\n";
                world.gateway->replace("sallyport.yaml", configuration.text());
                TimeLimit const limit;
                for (double generation = 1; generation < 2;) {
                    if (limit.has_passed()) return "not adopted";
                    auto const page = Json::parse(request_admin(port, "/status").body);
                    generation = page["configuration"]["generation"].number;
                }
                world.gateway->stop();
                auto const output = world.gateway->standard_error();
                if (output.find("\"event\":\"draining\"") != std::string::npos) return "JSON";
                return output.find(" draining") != std::string::npos ? "text" : "nothing";
            }};
}

// Requested memory, used or not: whether one piece of it has about the size of the buffer, or of
// two, the worker's and the acceptors', which the kernel merges with each other and more.
std::string whether_it_has_the_buffer(World& world) {
    auto const maps = read_file("/proc/" + std::to_string(world.gateway->id()) + "/smaps");
    constexpr unsigned long long kibibytes = 512U << 10U;
    constexpr std::string_view mark = "\nSize:";
    bool has_buffer = false;
    for (auto at = maps.find(mark); at != std::string::npos; at = maps.find(mark, at + 1)) {
        auto const size = std::strtoull(maps.c_str() + at + mark.size(), nullptr, 10);
        has_buffer = has_buffer || (size >= kibibytes && size < 2 * kibibytes + kibibytes / 4);
    }
    return has_buffer ? "512 MiB" : "less";
}

} // namespace

std::vector<Row> rows_of_logs_and_callers() {
    auto const bearer_of = [](World& world, std::string_view token) {
        return world.status(world.get().authorization(bearer(token)));
    };
    std::vector<Row> rows{
        {"credentials.file", {"credentials.yaml", "others.yaml"}, {"200", "401"},
         [](Setup& setup, World&, std::string const& value) {
             setup.configuration.credentials = value;
             setup.files["others.yaml"] =
                 "credentials:\n" + caller_entry("second", other_caller, "allow: all");
         },
         status_of_get},
        {"credentials.denied", {"denied.txt", "empty.txt"}, {"401", "200"},
         [](Setup& setup, World&, std::string const& value) {
             setup.configuration.credentials = "credentials.yaml, denied: " + value;
             setup.files["denied.txt"] =
                 "sha256:" + sha256_hex(std::string{administrator.secret}) + '\n';
             setup.files["empty.txt"] = {};
         },
         status_of_get},
        {"credentials.htpasswd", {"users.txt", "others.txt"}, {"200", "401"},
         [](Setup& setup, World&, std::string const& value) {
             add_users(setup, "allow: all");
             setup.configuration.credentials = "credentials.yaml, htpasswd: " + value;
         },
         status_of_ann},
        {"htpasswd.labels.NAME", {"SCALE", "BASIC"}, {"400", "200"},
         [](Setup& setup, World&, std::string const& value) {
             add_users(setup, "allow: all, labels: { organization_tier: " + value + " }");
             setup.contract = contract_with("deprecated: false",
                                            "x-when: [{ labels: { organization_tier: SCALE }, "
                                            "schema: { required: [note] } }]");
         },
         [](World& world) {
             return world.status(world.put().authorization(basic_of("ann:myPassword")));
         }},
        {"htpasswd.scopes", {"[write]", "[read]"}, {"200", "403"},
         [](Setup& setup, World&, std::string const& value) {
             add_users(setup, "allow: all, scopes: " + value);
             use_scopes(setup);
         },
         [](World& world) {
             return world.status(world.put().authorization(basic_of("ann:myPassword")));
         }},
        {"htpasswd.allow", {"all", "{ operations: [things/putThing] }"}, {"200", "403"},
         [](Setup& setup, World&, std::string const& value) {
             add_users(setup, "allow: " + value);
         },
         status_of_ann},
        {"access_log.output", {"access.log", "other.log"}, {"access.log", "other.log"},
         [](Setup& setup, World&, std::string const& value) {
             setup.configuration.access_log = "  output: ./" + value + "\n";
         },
         [](World& world) {
             world.send(world.get());
             world.gateway->stop();
             auto const folder = world.gateway->folder();
             return std::string{std::filesystem::exists(folder / "other.log") ? "other.log"
                                                                              : "access.log"};
         }},
        {"access_log.bodies.requests", {"all", "none"}, {"there", "none"},
         access_log("bodies: { requests: ", " }"),
         [](World& world) { return whether_logged(world, "request_body"); }},
        {"access_log.bodies.responses", {"all", "none"}, {"there", "none"},
         access_log("bodies: { responses: ", " }"),
         [](World& world) { return whether_logged(world, "response_body"); }},
        {"access_log.bodies.limit", {"4B", "64B"}, {"8", ""},
         access_log("bodies: { requests: all, limit: ", " }"),
         [](World& world) {
             auto const line = world.log_of(world.send(world.put()));
             return line["request_body"].text("bytes");
         }},
        {"access_log.buffer", {"512MiB", "1MiB"}, {"512 MiB", "less"}, access_log("buffer: "),
         whether_it_has_the_buffer},
        own_log("log.format", {"json", "text"}, {"JSON", "text"}, "format: "),
        own_log("log.level", {"info", "error"}, {"text", "nothing"}, "level: "),
        {"redact.members", {"pin", "something"}, {"[redacted]", "hidden"},
         redact("members: [", "]"), logged("pin")},
        {"redact.except", {"somethingPin", "pinNumber"}, {"[redacted]", "hidden"},
         redact("members: [pin], except: [", "]"), logged("pinNumber")},
        {"credentials[].name", {"one", "two"}, {"one", "two"},
         credential([](auto const& value) {
             return caller_entry(value, administrator, "allow: all");
         }),
         [](World& world) { return world.log_of(world.send(world.get())).text("credential"); }},
        {"credentials[].basic.key_id", {std::string{administrator.id}, "another"}, {"200", "401"},
         credential([](auto const& value) {
             return caller_entry("caller", {value, administrator.secret}, "allow: all");
         }),
         status_of_get},
        {"credentials[].basic.secrets", {std::string{administrator.secret}, "another"},
         {"200", "401"}, credential([](auto const& value) {
             return caller_entry("caller", {administrator.id, value}, "allow: all");
         }),
         status_of_get},
        {"credentials[].bearer.tokens", {std::string{observer_token}, "another"}, {"200", "401"},
         credential([](auto const& value) {
             return "  - name: caller\n    bearer: { tokens: [\"" + hash(value)
                    + "\"] }\n    allow: all\n";
         }),
         [=](World& world) { return bearer_of(world, observer_token); }},
        {"credentials[].labels.NAME", {"SCALE", "BASIC"}, {"400", "200"},
         [](Setup& setup, World& world, std::string const& value) {
             caller("labels: { organization_tier: ", " }\n    allow: all")(setup, world, value);
             setup.contract = contract_with("deprecated: false",
                                            "x-when: [{ labels: { organization_tier: SCALE }, "
                                            "schema: { required: [note] } }]");
         },
         [](World& world) { return world.status(world.put()); }},
        {"credentials[].scopes", {"[write]", "[read]"}, {"200", "403"},
         [](Setup& setup, World& world, std::string const& value) {
             caller("scopes: ", "\n    allow: all")(setup, world, value);
             use_scopes(setup);
         },
         [](World& world) { return world.status(world.put()); }},
        {"credentials[].allow", {"all", "{ operations: [things/putThing] }"}, {"200", "403"},
         caller("allow: "), status_of_get},
        {"credentials[].allow.operations", {"things/getThing", "things/putThing"}, {"200", "403"},
         caller("allow: { operations: [", "] }"), status_of_get},
        {"credentials[].allow.apis", {"things", "plain"}, {"200", "403"},
         [](Setup& setup, World& world, std::string const& value) {
             setup.configuration.apis +=
                 "  plain: { paths: [/plain/], upstream: up, authenticate: [basic] }\n";
             caller("allow: { apis: [", "] }")(setup, world, value);
         },
         status_of_get},
        {"credentials[].allow.NAME", {"a", "b"}, {"200", "403"},
         caller("allow: { thingId: [", "] }"), status_of_get},
        {"credentials[].not_before", {"2200-01-01T00:00:00Z", "2020-01-01T00:00:00Z"},
         {"401", "200"}, caller("allow: all\n    not_before: "), status_of_get},
        {"credentials[].disabled", {"true", "false"}, {"401", "200"},
         caller("allow: all\n    disabled: "), status_of_get},
        {"credentials[].expires", {"2020-01-01T00:00:00Z", "2200-01-01T00:00:00Z"}, {"401", "200"},
         caller("allow: all\n    expires: "), status_of_get},
    };
    return rows;
}

} // namespace sallyport::test
