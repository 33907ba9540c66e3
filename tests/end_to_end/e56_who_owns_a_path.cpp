// Which API a request belongs to: shadow mode, fallbacks, mounts, hosts, and the spellings of a path.
#include "tests/end_to_end/stage.h"

#include <catch2/catch.hpp>

namespace e56_who_owns_a_path {

using namespace sallyport::test;

namespace {

constexpr std::string_view users = R"yaml(openapi: 3.1.0
info: { title: Users, version: "1" }
paths:
  /users: { get: { operationId: listUsers } }
)yaml";

// One of three services that do not know of each other.
constexpr std::string_view items = R"yaml(openapi: 3.1.0
info: { title: Items, version: "1" }
paths:
  /items:
    get:
      operationId: listItems
      parameters: [ { name: limit, in: query, schema: { type: integer, maximum: 100 } } ]
  /items/{id}:
    parameters: [ { name: id, in: path, required: true, schema: { type: string } } ]
    get: { operationId: getItem }
)yaml";

constexpr std::string_view spellings = R"yaml(openapi: 3.1.0
info: { title: Spellings, version: "1" }
paths:
  /café/{n}/menü:
    parameters: [ { name: n, in: path, required: true, schema: { enum: [ä] } } ]
    get: { operationId: menu }
  /sys^/{a}-é: { get: { operationId: mixed, parameters: [ { name: a, in: path, required: true, schema: {} } ] } }
  /queues/{vhost}/{name}:
    parameters:
      - { name: vhost, in: path, required: true, schema: { type: string } }
      - { name: name, in: path, required: true, schema: { type: string } }
    get: { operationId: queue }
  /blocks/{block}:
    parameters: [ { name: block, in: path, required: true, schema: { pattern: "^[0-9.]+/[0-9]+$" } } ]
    put: { operationId: block }
)yaml";

struct Apis {
    explicit Apis(std::string const& text) : stage{stage_with(text)} {}

    Stage stage_with(std::string const& text) {
        auto const all = standard_credentials();
        Gateway::Options options;
        options.credentials = all.substr(0, all.find("  - name: ", all.find("administrator")));
        options.files["users.yaml"] = users;
        options.files["items.yaml"] = items;
        options.files["spellings.yaml"] = spellings;
        return Stage{{},
                     [this, text](Configuration& configuration) {
                         configuration.upstreams += upstream_yaml("second", second.endpoint());
                         configuration.apis = text;
                     },
                     options};
    }

    // The API of the log, the status and the reason of a request, and which rules were reported.
    std::string outcome_of(Outgoing const& outgoing) const {
        auto const response = stage.send(outgoing);
        auto const line = stage.log_of(response);
        auto text = line["api"].is_null() ? std::string{"none"} : line.text("api");
        text += ' ' + std::to_string(response.status);
        if (!line["reason"].is_null()) text += ' ' + line.text("reason");
        for (auto const& violation : line["violations"].items)
            if (violation.text("level") == "report") text += " report:" + violation.text("rule");
        return text;
    }
    std::string outcome_of(std::string_view target, std::string_view host = "localhost") const {
        return outcome_of(
            Outgoing{"GET", target}.authorization(basic(administrator)).set("Host", host));
    }

    RecordingUpstream second;
    Stage stage;
};

struct Row {
    std::string_view target;
    std::string_view outcome;
};

void check_rows(Apis const& apis, std::initializer_list<Row> rows) {
    for (auto const& row : rows) {
        CAPTURE(row.target);
        CHECK(apis.outcome_of(row.target) == row.outcome);
    }
}

} // namespace

TEST_CASE("in shadow mode an API takes every path of its hosts") {
    for (std::string_view const how : {"requests: report", "unknown_operations: forward"}) {
        CAPTURE(how);
        Apis apis{"  a: { contract: users.yaml, upstream: management, authenticate: [basic], "
                  + std::string{how} + " }\n"};
        check_rows(apis, {{"/users", "a 200"},
                          {"/orders", "a 200 report:unknown_operation"},
                          {"/", "a 200 report:unknown_operation"},
                          {"/usersx", "a 200 report:unknown_operation"},
                          {"/a/b%20c/", "a 200 report:unknown_operation"}});
        CHECK(apis.outcome_of(Outgoing{"GET", "/orders"}) == "a 401 unauthenticated");
        CHECK(apis.stage.upstream.request(4).target == "/a/b%20c/");
        CHECK(apis.stage.upstream.requests().size() == 5);
        apis.stage.finish();
    }
}

TEST_CASE("in shadow mode an API takes no path of another one") {
    Apis apis{"  a: { contract: users.yaml, upstream: management, authenticate: [basic], "
              "requests: report, paths: [\"/old/\"] }\n"
              "  b: { contract: items.yaml, upstream: second, authenticate: [basic] }\n"
              "  c: { paths: [\"/blobs/\"], upstream: second, authenticate: [basic] }\n"};
    check_rows(apis, {{"/items", "b 200"},
                      {"/items/a/b", "b 403 unknown_operation"},
                      {"/ITEMS/a", "none 403 unknown_operation"},
                      {"/%69tems/a", "none 403 unknown_operation"},
                      {"/blobs/x", "c 200"},
                      {"/old/x", "a 200"},
                      {"/other", "a 200 report:unknown_operation"}});
    CHECK(apis.stage.upstream.requests().size() == 2);
    CHECK(apis.second.requests().size() == 2);
    apis.stage.finish();
}

TEST_CASE("paths beside a contract that is enforced pass without it, with their methods") {
    Apis apis{"  a: { contract: users.yaml, upstream: management, authenticate: [basic], "
              "paths: [\"/static/\"], methods: [GET] }\n"};
    check_rows(apis, {{"/static/a.css", "a 200"},
                      {"/users", "a 200"},
                      {"/static", "none 403 unknown_operation"},
                      {"/users/x", "a 403 unknown_operation"}});
    CHECK(apis.outcome_of(Outgoing{"PUT", "/static/a"}.authorization(basic(administrator)))
          == "a 405 method_not_allowed");
    CHECK(apis.stage.upstream.requests().size() == 2);
    apis.stage.finish();
}

TEST_CASE("a fallback has what no contract owns, in any spelling") {
    Apis apis{"  a: { contract: users.yaml, upstream: management, authenticate: [basic] }\n"
              "  rest: { paths: [\"/\"], fallback: yes, upstream: second, authenticate: "
              "[anonymous] }\n"};
    check_rows(apis, {{"/", "rest 200"},
                      {"/orders/7", "rest 200"},
                      {"/usersx", "rest 200"},
                      {"/users", "a 200"},
                      {"/users/x", "a 403 unknown_operation"},
                      {"/USERS", "none 403 unknown_operation"},
                      {"/Users/x", "none 403 unknown_operation"},
                      {"/%75sers", "none 403 unknown_operation"},
                      {"/users.", "none 403 unknown_operation"},
                      {"/users%20/x", "none 403 unknown_operation"}});
    CHECK(apis.stage.upstream.requests().size() == 1);
    CHECK(apis.second.requests().size() == 3);
    apis.stage.finish();
}

TEST_CASE("three services with the same paths stand below one host") {
    std::string text;
    for (std::string_view const name : {"orders", "users", "billing"}) {
        text += "  " + std::string{name} + ": { contract: items.yaml, mount: /" + std::string{name}
                + ", upstream: " + (name == "users" ? "second" : "management")
                + ", authenticate: [basic], cors: { origins: [\"https://app.example.com\"] } }\n";
    }
    Apis apis{text};
    check_rows(apis, {{"/orders/items?limit=5", "orders 200"},
                      {"/users/items/a%20b", "users 200"},
                      {"/billing/items?limit=101", "billing 400 bad_parameter"},
                      {"/billing/other", "billing 403 unknown_operation"},
                      {"/billing", "billing 403 unknown_operation"},
                      {"/items", "none 403 unknown_operation"},
                      {"/Orders/items", "none 403 unknown_operation"},
                      {"/%6Frders/items", "none 403 unknown_operation"},
                      {"/orders//items", "none 400 bad_request"},
                      {"/ordersitems", "none 403 unknown_operation"}});
    REQUIRE(apis.stage.upstream.requests().size() == 1);
    CHECK(apis.stage.upstream.request(0).target == "/items?limit=5");
    CHECK(apis.stage.upstream.request(0).fields.one("X-Forwarded-Prefix") == "/orders");
    REQUIRE(apis.second.requests().size() == 1);
    CHECK(apis.second.request(0).target == "/items/a%20b");
    auto const response =
        apis.stage.send(Outgoing{"GET", "/users/items/7"}.authorization(basic(administrator)));
    auto const line = apis.stage.log_of(response);
    CHECK(line.text("path") == "/users/items/7");
    CHECK(line.text("operation") == "getItem");
    // Browsers ask by the client's path.
    auto const preflight = apis.stage.send(Outgoing{"OPTIONS", "/orders/items"}
                                               .add("Origin", "https://app.example.com")
                                               .add("Access-Control-Request-Method", "GET"));
    CHECK(preflight.status == 204);
    CHECK(preflight.fields.one("Access-Control-Allow-Methods") == "GET, HEAD");
    apis.stage.finish();
}

TEST_CASE("a mounted API in shadow mode takes what is below its mount, and no more") {
    Apis apis{"  a: { contract: items.yaml, mount: /a, upstream: management, authenticate: "
              "[basic], requests: report, paths: [\"/files/\"], upstream_prefix: /v2 }\n"
              "  b: { paths: [\"/\"], fallback: yes, upstream: second, authenticate: [basic] }\n"};
    check_rows(apis, {{"/a/other", "a 200 report:unknown_operation"},
                      {"/a", "a 200 report:unknown_operation"},
                      {"/a/files/x", "a 200"},
                      {"/other", "b 200"},
                      {"/files/x", "b 200"}});
    CHECK(apis.stage.upstream.request(0).target == "/v2/other");
    CHECK(apis.stage.upstream.request(1).target == "/v2");
    CHECK(apis.stage.upstream.request(2).target == "/v2/files/x");
    apis.stage.finish();
}

TEST_CASE("a refusal says whether it is the host that no API has") {
    Apis apis{"  a: { paths: [\"/a/\"], upstream: management, authenticate: [basic], hosts: "
              "[api.example.com] }\n"
              "  b: { paths: [\"/b/\"], upstream: management, authenticate: [basic], hosts: "
              "[\"*.example.com\"] }\n"};
    auto const detail = [&](std::string_view host, std::string_view target) {
        auto const response = apis.stage.send(Outgoing{"GET", target}.set("Host", host));
        CHECK(response.status == 403);
        return Json::parse(response.body).text("detail");
    };
    CHECK(detail("other.test", "/a/x") == "No API here is for this host.");
    CHECK(detail("example.com", "/b/x") == "No API here is for this host.");
    CHECK(detail("x.y.example.com", "/b/x") == "No API here is for this host.");
    CHECK(detail("other.example.com", "/a/x") == "No API of this host has this path.");
    CHECK(detail("api.example.com", "/x") == "No API of this host has this path.");
    apis.stage.finish();
}

TEST_CASE("a host that is named exactly comes before a star, and that before any host") {
    Apis apis{"  exact: { contract: items.yaml, upstream: management, authenticate: [basic], "
              "hosts: [api.example.com] }\n"
              "  star: { contract: items.yaml, upstream: management, authenticate: [basic], hosts: "
              "[\"*.example.com\"] }\n"
              "  any: { paths: [\"/\"], upstream: second, authenticate: [basic] }\n"};
    CHECK(apis.outcome_of("/items/7", "API.example.com:8443") == "exact 200");
    CHECK(apis.outcome_of("/items/7", "one.example.com") == "star 200");
    CHECK(apis.outcome_of("/items/7", "one.example.com.") == "star 200");
    CHECK(apis.outcome_of("/items/7", "example.com") == "any 200");
    CHECK(apis.outcome_of("/items/7/8", "one.example.com") == "star 403 unknown_operation");
    CHECK(apis.outcome_of("/ITEMS/7", "one.example.com") == "none 403 unknown_operation");
    CHECK(apis.outcome_of("/other", "one.example.com") == "any 200");
    CHECK(apis.second.requests().size() == 2);
    apis.stage.finish();
}

TEST_CASE("the letter case of escapes makes no difference, and passes as it was sent") {
    Apis apis{"  a: { contract: spellings.yaml, mount: /m, upstream: management, authenticate: "
              "[basic] }\n"};
    for (std::string_view const target :
         {"/m/caf%C3%A9/%C3%A4/men%C3%BC", "/m/caf%c3%a9/%c3%a4/men%c3%bc",
          "/m/caf%C3%A9/%c3%A4/men%C3%bc", "/m/sys%5E/x-%C3%A9", "/m/sys%5e/x%c3%bc-%c3%a9"}) {
        CAPTURE(target);
        auto const index = apis.stage.upstream.requests().size();
        CHECK(apis.outcome_of(target) == "a 200");
        REQUIRE(apis.stage.upstream.requests().size() == index + 1);
        CHECK(apis.stage.upstream.request(index).target == target.substr(2));
    }
    CHECK(apis.outcome_of("/m/caf%c3%89/%c3%a4/men%c3%bc") == "a 403 unknown_operation");
    apis.stage.finish();
}

TEST_CASE("an escaped slash passes in a value where its API has it so") {
    std::string const begin = "  a: { contract: spellings.yaml, upstream: management, "
                              "authenticate: [basic]";
    std::string const other = "  b: { paths: [\"/other/\"], upstream: second, authenticate: "
                              "[basic] }\n";
    {
        Apis apis{begin + " }\n"};
        auto const response =
            apis.stage.send(Outgoing{"GET", "/queues/%2F/q"}.authorization(basic(administrator)));
        CHECK(response.status == 400);
        CHECK(Json::parse(response.body).text("detail").find("encoded_slashes: pass")
              != std::string::npos);
        apis.stage.finish();
    }
    Apis apis{begin + ", encoded_slashes: pass }\n" + other};
    check_rows(apis, {{"/queues/%2F/amq.queue", "a 200"},
                      {"/queues/a%2fb/c%2F%2Fd", "a 200"},
                      {"/queues/..%2Fx/c", "none 400 bad_request"},
                      {"/queues/x%2F..%2fy/c", "none 400 bad_request"},
                      {"/queues/%2F%2E/c", "none 400 bad_request"},
                      {"/queues%2Fa/c", "none 403 unknown_operation"},
                      {"/other/a%2Fb", "b 400 bad_request"}});
    CHECK(apis.stage.upstream.request(0).target == "/queues/%2F/amq.queue");
    CHECK(apis.stage.upstream.request(1).target == "/queues/a%2fb/c%2F%2Fd");
    auto const put = [&](std::string_view target) {
        return apis.outcome_of(Outgoing{"PUT", target}.authorization(basic(administrator)));
    };
    CHECK(put("/blocks/10.0.0.0%2F8") == "a 200");
    CHECK(put("/blocks/10.0.0.0%2Fx") == "a 400 bad_parameter");
    CHECK(apis.stage.upstream.requests().size() == 3);
    CHECK(apis.second.requests().empty());
    apis.stage.finish();
}

TEST_CASE("an unknown path whose escaped slashes hide one of the contract is not forwarded") {
    Apis apis{"  a: { contract: items.yaml, upstream: management, authenticate: [basic], "
              "encoded_slashes: pass, unknown_operations: forward }\n"};
    check_rows(apis, {{"/other%2Fx", "a 200 report:unknown_operation"},
                      {"/items%2F7", "a 403 unknown_operation"},
                      {"/%2Fitems", "a 403 unknown_operation"}});
    CHECK(apis.stage.upstream.requests().size() == 1);
    apis.stage.finish();
}

TEST_CASE("two slashes pass untouched, but never as what looks like a host or another API") {
    Apis apis{"  files: { paths: [\"/files/\"], upstream: management, authenticate: [basic], "
              "empty_segments: pass, strip_prefix: /files }\n"
              "  raw: { paths: [\"/raw/\"], upstream: management, authenticate: [basic], "
              "empty_segments: pass }\n"
              "  inner: { paths: [\"/raw/inner/\"], upstream: second, authenticate: [basic] }\n"};
    check_rows(apis, {{"/raw/a//b///c", "raw 200"},
                      {"/raw//a", "raw 200"},
                      {"/raw/https://example.com/x", "raw 200"},
                      {"/files/a//b", "files 200"},
                      {"/files//evil.example/x", "files 400 bad_request"},
                      {"/raw//inner/x", "raw 400 bad_request"},
                      {"/raw/inner//x", "inner 400 bad_request"},
                      {"//raw/x", "none 403 unknown_operation"},
                      {"/raw/a//../b", "none 400 bad_request"}});
    CHECK(apis.stage.upstream.request(0).target == "/raw/a//b///c");
    CHECK(apis.stage.upstream.request(2).target == "/raw/https://example.com/x");
    CHECK(apis.stage.upstream.request(3).target == "/a//b");
    CHECK(apis.stage.upstream.requests().size() == 4);
    CHECK(apis.second.requests().empty());
    apis.stage.finish();
}

} // namespace e56_who_owns_a_path
