// The OpenAPI documents of the two services as they are published: each loads unchanged, and each
// of their operations passes to an upstream that is made from the document.
//
// SALLYPORT_OPENAPI_FOLDER names the folder with them; without it the tests say so and pass.
#include "tests/end_to_end/stage.h"
#include "tests/support/sample_value.h"
#include "tests/support/temporary_folder.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <optional>

using namespace sallyport::test;

namespace {

std::optional<std::string> document_path(std::string_view name) {
    char const* const folder = std::getenv("SALLYPORT_OPENAPI_FOLDER");
    if (folder == nullptr) {
        WARN("skipped: SALLYPORT_OPENAPI_FOLDER does not name the folder of the documents");
        return std::nullopt;
    }
    return std::string{folder} + "/" + std::string{name};
}

Change with_document(std::string const& path) {
    return [path](Configuration& configuration) {
        configuration.apis = "  published: { contract: \"" + path
                             + "\", upstream: management, authenticate: [basic], "
                               "responses: report }\n";
    };
}

Gateway::Options plain_credentials() {
    Gateway::Options options;
    std::string const all = standard_credentials();
    // Everybody else is restricted to operations of the shipped contracts.
    options.credentials = all.substr(0, all.find("  - name: enterprise"));
    return options;
}

// The answer of the first form of the body that the gateway lets through.
Response call(Stage const& stage, Samples const& samples, SampleOperation const& operation) {
    Response response;
    for (std::size_t choice = 0; choice < 12; ++choice) {
        auto request = Outgoing(operation.method, samples.target(operation))
                           .authorization(basic(administrator));
        std::string const body = samples.request_body(operation, choice);
        if (!body.empty()) request.body(body);
        response = stage.send(request);
        if (response.status < 300 || body.empty()) break;
    }
    return response;
}

void call_all(std::string_view name, std::size_t count) {
    auto const path = document_path(name);
    if (!path) return;
    Json const document = Json::parse(read_file(*path));
    Samples const samples{document};
    auto const operations = samples.operations();
    CHECK(operations.size() == count);

    Stage stage{{}, with_document(*path), plain_credentials()};
    std::size_t passed = 0;
    for (auto const& operation : operations) {
        int const status = samples.status(operation);
        std::string const body = samples.response_body(operation, 0);
        std::string const type = samples.response_type(operation);
        stage.upstream.answer_with([status, body, type](UpstreamExchange& exchange) {
            exchange.send(status == 204 ? "HTTP/1.1 204 No Content\r\n\r\n"
                                        : answer(body, status, {}, type));
        });
        auto const response = call(stage, samples, operation);
        INFO(operation.id << ": " << operation.method << " " << samples.target(operation) << " "
                          << samples.request_body(operation, 0) << "\n"
                          << response.body);
        CHECK(response.status == status);
        CHECK(response.body == (status == 204 ? "" : body));
        if (response.status == status) ++passed;
    }
    CHECK(passed == count);
    // What the upstream answered keeps the document too: the gateway has looked at it.
    for (Json const& line : stage.gateway.wait_for_log_lines(count)) {
        if (line["status"].number >= 300) continue;
        INFO(line.text("operation"));
        CHECK(line["violations"].items.empty());
    }
    stage.finish();
}

} // namespace

TEST_CASE("every operation of the published management API passes") {
    call_all("clickhouse-cloud.json", 142);
}

TEST_CASE("every operation of the published observability API passes") {
    call_all("hyperdx.json", 38);
}
