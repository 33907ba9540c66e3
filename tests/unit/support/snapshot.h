// A snapshot of a small configuration, written to files and loaded as the gateway does.
#pragma once

#include "gateway/lifecycle/compile.h"
#include "tests/support/encodings.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/support/tables.h"

#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace sallyport::lifecycle::test {

inline constexpr std::string_view secret = "Serving.secret.0123456789abcdef";

inline constexpr std::string_view contract_text = R"(
openapi: 3.1.0
info: { title: Items, version: "1" }
paths:
  /v1/items/{id}:
    parameters: [ { name: id, in: path, required: true, schema: { type: string, maxLength: 8 } } ]
    get:
      operationId: getItem
      parameters: [ { name: limit, in: query, schema: { type: integer, maximum: 10 } } ]
      responses:
        "200": { description: fine, content: { application/json: { schema: { required: [a] } } } }
    put:
      operationId: putItem
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              properties: { a: { type: integer }, password: { type: string }, text: {} }
      responses: { "200": { description: fine } }
    post:
      operationId: uploadItem
      requestBody: { required: true, content: { application/octet-stream: {} } }
      responses: { "200": { description: fine } }
)";

/// Sections of the configuration, each in flow style.
struct Sections {
    std::string tls = "off"; // of the listener
    std::string access_log = "{ output: access.log }";
    std::string limits = "{ body: 256KiB }";
    std::string items = {}; // more keys of the API
    std::string endpoint = "http://upstream.example:80";
    std::string upstream = {};    // more keys of the upstream
    std::string rest = {};        // whole top-level keys
    std::string credentials = {}; // more keys of `credentials`
};

inline std::string configuration_text(Sections const& sections) {
    return R"(listeners: [ { name: public, address: "127.0.0.1:0", tls: )" + sections.tls + R"( } ]
credentials: { file: credentials.yaml)"
           + sections.credentials + R"( }
upstreams: { up: { endpoints: [")"
           + sections.endpoint + R"("])" + sections.upstream + R"( } }
apis:
  items: { contract: items.yaml, upstream: up, authenticate: [basic])"
           + sections.items + R"( }
  files: { paths: ["/files/"], methods: [GET, PUT, OPTIONS], upstream: up, authenticate: [anonymous] }
access_log: )"
           + sections.access_log + "\nlimits: " + sections.limits + "\n" + sections.rest;
}

/// Returns the path of the configuration.
inline std::string write(sallyport::test::TemporaryFolder const& folder, Sections const& sections) {
    folder.write("items.yaml", contract_text);
    folder.write("credentials.yaml",
                 "credentials:\n  - name: tester\n    basic: { key_id: tester, "
                 "secrets: [\"sha256:"
                     + sallyport::test::sha256_hex(secret)
                     + "\"] }\n    allow: all\n    expires: 2099-01-01T00:00:00Z\n");
    return folder.write("sallyport.yaml", configuration_text(sections));
}

/// As for the first load of a process: with new ticket keys, and no contracts.
inline CarriedOver fresh() {
    return {.ticket_keys = std::make_shared<net::TicketKeys>(),
            .generation = 1,
            .contracts = std::make_shared<ContractCache>()};
}

inline std::shared_ptr<Snapshot const> load(std::string const& path,
                                            CarriedOver const& kept = fresh()) {
    auto compiled = lifecycle::load(path, sallyport::test::tables(), kept);
    for (auto const& problem : compiled.problems)
        UNSCOPED_INFO(config::yaml::describe(problem));
    REQUIRE(compiled.snapshot);
    return compiled.snapshot;
}
inline std::shared_ptr<Snapshot const> load(sallyport::test::TemporaryFolder const& folder,
                                            Sections const& sections) {
    return load(write(folder, sections));
}

} // namespace sallyport::lifecycle::test
