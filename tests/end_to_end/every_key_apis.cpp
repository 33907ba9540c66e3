// Every key of APIs, and the extensions of a contract for accepted requests, with its effect.
#include "tests/end_to_end/every_key.h"

namespace sallyport::test {

namespace {

using Put = std::function<void(Setup&, World&, std::string const&)>;

Put api(std::string const& begin, std::string const& end = {}) {
    return [begin, end](Setup& setup, World&, std::string const& value) {
        setup.configuration.apis = things_api(begin + value + end);
    };
}

// An API without a contract.
Put plain_api(std::string const& begin, std::string const& end) {
    return [begin, end](Setup& setup, World&, std::string const& value) {
        setup.configuration.apis = "  things: { upstream: up, " + begin + value + end + " }\n";
    };
}

Put extension(std::string const& begin, std::string const& end = {}) {
    return [begin, end](Setup& setup, World&, std::string const& value) {
        setup.contract = contract_with(begin + value + end);
    };
}

Put schema(std::string const& begin, std::string const& end = {}) {
    return [begin, end](Setup& setup, World&, std::string const& value) {
        setup.contract = contract_with("deprecated: false", begin + value + end);
    };
}

std::string status_of_get(World& world) {
    return world.status(world.get());
}
std::string status_of_a_valid_put(World& world) {
    return world.status(world.put());
}
// n may be 1 to 5.
std::string status_of_a_wrong_put(World& world) {
    return world.status(world.put(R"({"n": 7})"));
}

// The upstream's own body violates the contract: n may be 3 at most, and is 9.
std::string violations_of_the_response(World& world) {
    auto const line = world.log_of(world.send(world.get()));
    return std::to_string(line["violations"].items.size());
}

std::string field_at_upstream(World& world, std::string const& name) {
    return world.up.request(0).fields.find(name).value_or("absent");
}

} // namespace

std::vector<Row> rows_of_apis() {
    std::string const schema_of_number = R"({"type": "integer", "maximum": )";
    std::vector<Row> rows{
        {"apis.NAME.contract",
         {"things.yaml", "others.yaml"},
         {"200", "403"},
         [](Setup& setup, World&, std::string const& value) {
             setup.configuration.apis =
                 "  things: { upstream: up, authenticate: [basic], contract: " + value + " }\n";
             setup.files["others.yaml"] = "openapi: 3.1.0\ninfo: { title: O, version: '1' }\n"
                                          "paths: { /v2/others: { get: { operationId: o } } }\n";
         },
         status_of_get},
        {"apis.NAME.contract_folder",
         {".", "two"},
         {"200", "does not start"},
         [=](Setup& setup, World&, std::string const& value) {
             setup.configuration.apis =
                 "  things: { upstream: up, authenticate: [basic], contract: one/things.yaml, "
                 "contract_folder: "
                 + value + " }\n";
             setup.files["one/things.yaml"] =
                 contract_with("deprecated: false",
                               "allOf: [{ properties: { n: { $ref: ../two/n.json } } }]");
             setup.files["two/n.json"] = schema_of_number + "5}";
         },
         status_of_a_valid_put},
        {"apis.NAME.schemas",
         {"small", "large"},
         {"400", "200"},
         [=](Setup& setup, World&, std::string const& value) {
             setup.configuration.apis = things_api("schemas: " + value);
             setup.contract = contract_with("deprecated: false",
                                            "allOf: [{ properties: { n: { $ref: n.json } } }]");
             setup.files["small/n.json"] = schema_of_number + "0}";
             setup.files["large/n.json"] = schema_of_number + "5}";
         },
         status_of_a_valid_put},
        {"apis.NAME.overlays",
         {"strict.yaml", "loose.yaml"},
         {"400", "200"},
         [](Setup& setup, World&, std::string const& value) {
             auto const overlay = [](std::string const& maximum) {
                 return "overlay: 1.1.0\ninfo: { title: O, version: '1' }\n"
                        "actions: [{ target: $..properties.n, update: { maximum: "
                        + maximum + " } }]\n";
             };
             setup.configuration.apis = things_api("overlays: [" + value + "]");
             setup.files["strict.yaml"] = overlay("6");
             setup.files["loose.yaml"] = overlay("7");
         },
         status_of_a_wrong_put},
        {"apis.NAME.paths",
         {"/v1/", "/v2/"},
         {"200", "403"},
         plain_api("authenticate: [basic], paths: [", "]"),
         status_of_get},
        {"apis.NAME.methods",
         {"GET", "POST"},
         {"200", "405"},
         plain_api("authenticate: [basic], paths: [/v1/], methods: [", "]"),
         status_of_get},
        {"apis.NAME.upstream",
         {"up", "other"},
         {"1", "0"},
         [](Setup& setup, World&, std::string const& value) {
             setup.configuration.apis =
                 "  things: { contract: things.yaml, authenticate: [basic], upstream: " + value
                 + " }\n";
         },
         [](World& world) {
             world.send(world.get());
             return std::to_string(world.up.requests().size());
         }},
        {"apis.NAME.authenticate",
         {"basic", "anonymous"},
         {"401", "200"},
         plain_api("paths: [/v1/], authenticate: [", "]"),
         [](World& world) { return world.status(world.get().without("Authorization")); }},
        {"apis.NAME.hosts",
         {"localhost", "elsewhere.test"},
         {"200", "403"},
         api("hosts: [", "]"),
         status_of_get},
        {"apis.NAME.requests",
         {"enforce", "report"},
         {"400", "200"},
         api("requests: "),
         status_of_a_wrong_put},
        {"apis.NAME.read_only",
         {"enforce", "off"},
         {"400", "200"},
         api("read_only: "),
         [](World& world) { return world.status(world.put(R"({"made": "now"})")); }},
        {"apis.NAME.responses",
         {"report", "off"},
         {"1", "0"},
         api("responses: "),
         violations_of_the_response},
        {"apis.NAME.responses.level",
         {"report", "off"},
         {"1", "0"},
         api("responses: { sample: 1, level: ", " }"),
         violations_of_the_response},
        {"apis.NAME.responses.sample",
         {"1", "0"},
         {"1", "0"},
         api("responses: { level: report, sample: ", " }"),
         violations_of_the_response},
        {"apis.NAME.forward_cookies",
         {"true", "false"},
         {"a=b", "absent"},
         api("forward_cookies: "),
         [](World& world) {
             world.send(world.get().add("Cookie", "a=b"));
             return field_at_upstream(world, "Cookie");
         }},
        {"apis.NAME.refusals",
         {"compatible", "problem"},
         {"has requestId", "has none"},
         api("refusals: "),
         [](World& world) {
             auto const body = Json::parse(world.send(world.put(R"({"n": 7})")).body);
             return std::string{body.has("requestId") ? "has requestId" : "has none"};
         }},
        {"apis.NAME.lists", {"decoded", "strict"}, {"200", "400"}, api("lists: "), status_of_an_encoded_list},
        {"apis.NAME.trailing_slash",
         {"same", "refuse"},
         {"200", "403"},
         api("trailing_slash: "),
         [](World& world) { return world.status(world.get("/v1/things/a/")); }},
        {"apis.NAME.unknown_operations",
         {"forward", "refuse"},
         {"200", "403"},
         api("unknown_operations: "),
         [](World& world) { return world.status(world.get("/v1/nothing/of/it")); }},
        {"x-lists",
         {"decoded", "strict"},
         {"200", "400"},
         extension("x-lists: "),
         status_of_an_encoded_list},
        {"x-body-limit",
         {"8B", "64B"},
         {"413", "200"},
         extension("x-body-limit: "),
         [](World& world) { return world.status(world.put(R"({"n":     1})")); }},
        {"x-source",
         {"page 1", "page 2"},
         {"page 1", "page 2"},
         schema("x-source: "),
         [](World& world) {
             auto const body = Json::parse(world.send(world.put(R"({"n": 7})")).body);
             return body["violations"][0].text("source");
         }},
        {"x-when",
         {"organization_tier", "tier_of_organization"},
         {"400", "200"},
         [](Setup& setup, World&, std::string const& value) {
             setup.credentials =
                 "credentials:\n"
                 + caller_entry("caller", administrator,
                                "labels: { organization_tier: SCALE, "
                                "tier_of_organization: BASIC }\n    allow: all");
             setup.contract = contract_with("deprecated: false",
                                            "x-when: [{ labels: { " + value
                                                + ": SCALE }, schema: { required: [note] } }]");
         },
         status_of_a_valid_put},
        {"x-secret",
         {"true", "false"},
         {"[redacted]", "hidden"},
         [](Setup& setup, World&, std::string const& value) {
             setup.configuration.access_log += "  bodies: { requests: all }\n";
             setup.contract =
                 contract_with("deprecated: false",
                               "allOf: [{ properties: { plain: { x-secret: " + value + " } } }]");
         },
         [](World& world) {
             auto const line = world.log_of(world.send(world.put(R"({"plain": "hidden"})")));
             return line["request_body"].text("plain");
         }},
    };
    return rows;
}

} // namespace sallyport::test
