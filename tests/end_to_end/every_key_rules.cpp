// Every key of the rules of an API, with its effect.
#include "tests/end_to_end/every_key.h"

namespace sallyport::test {

namespace {

using Put = std::function<void(Setup&, World&, std::string const&)>;

// The only rule of the API `things`.
Put rule(std::string const& begin, std::string const& end = {}) {
    return [begin, end](Setup& setup, World&, std::string const& value) {
        setup.contract = contract_with("tags: [writing]");
        setup.configuration.apis = things_api("rules: [{ " + begin + value + end + " }]");
    };
}
// One for PUT.
Put rule_of_put(std::string const& begin, std::string const& end = {}) {
    return rule("operation: putThing, " + begin, end);
}

std::string status_of_a_wrong_put(World& world) {
    return world.status(world.put(R"({"n": 7})"));
}

std::string upstream_of_put(World& world) {
    world.send(world.put());
    return world.up.requests().size() == 1 ? "up" : "other";
}

std::string body_in_log(World& world, std::string const& field) {
    return world.log_of(world.send(world.put()))[field].is_null() ? "none" : "some";
}

} // namespace

std::vector<Row> rows_of_rules() {
    std::vector<Row> rows{
        {"apis.NAME.security",
         {"use", "ignore"},
         {"200", "401"},
         [](Setup& setup, World&, std::string const& value) {
             setup.contract = contract_with("security: []");
             setup.configuration.apis = things_api("security: " + value);
         },
         [](World& world) { return world.status(world.put().without("Authorization")); }},
        {"apis.NAME.rules[].operation",
         {"putThing", "getThing"},
         {"200", "400"},
         rule("level: off, operation: "),
         status_of_a_wrong_put},
        {"apis.NAME.rules[].tag",
         {"writing", "reading"},
         {"200", "400"},
         [](Setup& setup, World&, std::string const& value) {
             setup.contract = contract_with("tags: [writing]");
             setup.contract.insert(setup.contract.find("      operationId: getThing"),
                                   "      tags: [reading]\n");
             setup.configuration.apis = things_api("rules: [{ level: off, tag: " + value + " }]");
         },
         status_of_a_wrong_put},
        {"apis.NAME.rules[].method",
         {"PUT", "GET"},
         {"200", "400"},
         rule("level: off, method: "),
         status_of_a_wrong_put},
        {"apis.NAME.rules[].path",
         {"/v1/things/*", "/v1/others"},
         {"200", "400"},
         [](Setup& setup, World&, std::string const& value) {
             setup.contract += "  /v1/others: { get: { operationId: getOthers } }\n";
             setup.configuration.apis =
                 things_api("rules: [{ level: off, path: \"" + value + "\" }]");
         },
         status_of_a_wrong_put},
        {"apis.NAME.rules[].rule",
         {"/properties/n/maximum", "/properties/n/minimum"},
         {"200", "400"},
         rule_of_put("level: off, rule: "),
         status_of_a_wrong_put},
        {"apis.NAME.rules[].level",
         {"off", "enforce"},
         {"200", "400"},
         rule_of_put("level: "),
         status_of_a_wrong_put},
        {"apis.NAME.rules[].authenticate",
         {"anonymous", "basic"},
         {"200", "401"},
         rule_of_put("authenticate: [", "]"),
         [](World& world) { return world.status(world.put().without("Authorization")); }},
        {"apis.NAME.rules[].upstream",
         {"other", "up"},
         {"other", "up"},
         rule_of_put("upstream: "),
         upstream_of_put},
        {"apis.NAME.rules[].body_limit",
         {"4B", "64B"},
         {"413", "200"},
         rule_of_put("body_limit: "),
         [](World& world) { return world.status(world.put()); }},
        silent_row(
            "apis.NAME.rules[].timeouts.connect", {"50ms", "1h"},
            [](Setup& setup, World&, std::string const& value) {
                static Listening const silent = listen_tcp();
                setup.configuration.upstreams =
                    upstream_yaml("up", "https://127.0.0.1:" + std::to_string(silent.port),
                                  "timeouts: { connect: 1h }");
                setup.configuration.apis = things_api(
                    "rules: [{ operation: putThing, timeouts: { connect: " + value + " } }]");
            },
            true),
        {"apis.NAME.rules[].timeouts.first_byte",
         {"50ms", "1h"},
         {"504", "200"},
         rule_of_put("timeouts: { first_byte: ", " }"),
         status_of_a_late_put,
         hold_all},
        {"apis.NAME.rules[].timeouts.idle",
         {"50ms", "1h"},
         {"broken off", "200"},
         rule_of_put("timeouts: { idle: ", " }"),
         status_of_a_late_put,
         stop_within_the_response},
        {"apis.NAME.rules[].timeouts.total",
         {"50ms", "1h"},
         {"504", "200"},
         rule_of_put("timeouts: { total: ", " }"),
         status_of_a_late_put,
         hold_all},
        {"apis.NAME.rules[].retry",
         {"safe", "never"},
         {"repeated, 200", "once, 502"},
         rule_of_put("retry: "),
         status_on_a_used_connection,
         break_used_connections},
        {"apis.NAME.rules[].lists",
         {"decoded", "strict"},
         {"200", "400"},
         rule_of_put("lists: "),
         status_of_an_encoded_list},
        {"apis.NAME.rules[].log_bodies.requests",
         {"all", "errors"},
         {"some", "none"},
         rule_of_put("log_bodies: { requests: ", " }"),
         [](World& world) { return body_in_log(world, "request_body"); }},
        {"apis.NAME.rules[].log_bodies.responses",
         {"all", "none"},
         {"some", "none"},
         rule_of_put("log_bodies: { responses: ", " }"),
         [](World& world) { return body_in_log(world, "response_body"); }},
    };
    return rows;
}

} // namespace sallyport::test
