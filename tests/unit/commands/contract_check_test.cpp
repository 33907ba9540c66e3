// `sallyport contract check`: what an API would refuse, and the overlay that is proposed.
#include "gateway/commands/contract_check.h"
#include "tests/support/temporary_folder.h"

#include <catch2/catch.hpp>

#include <sstream>
#include <string>

namespace sallyport::commands::test::contract_check_test {
namespace {

using sallyport::test::TemporaryFolder;

struct Result {
    int code = 0;
    std::string out;
};
[[nodiscard]] Result check(ContractCheckOptions const& options) {
    std::ostringstream out;
    int const code = run_contract_check(options, out);
    return {code, out.str()};
}

std::string const shared = R"(openapi: 3.0.3
info: {title: T}
paths:
  /a: {get: {operationId: a, parameters: [{$ref: '#/components/parameters/Id'}]}}
  /b:
    parameters: [{name: content-length, in: header, schema: {type: integer}}]
    get: {operationId: b, parameters: [{$ref: '#/components/parameters/Id'}]}
components: {parameters: {Id: {name: X-Request-Id, in: header, schema: {type: string}}}}
)";

TEST_CASE("header parameters that no API can have are errors of contract check, with their overlay") {
    TemporaryFolder const folder;
    ContractCheckOptions options;
    options.files = {folder.write("api.yaml", shared).string()};
    auto const found = check(options);
    INFO(found.out);
    CHECK(found.code == 1);
    CHECK(found.out.find(R"(the field "X-Request-Id" of a request never reaches the upstream: the )"
                         "gateway writes it, or drops it; remove the parameter; where others own "
                         "the document, by an overlay\n")
          != std::string::npos);
    // Once for both operations that have it.
    CHECK(found.out.find("X-Request-Id") == found.out.rfind("X-Request-Id"));
    CHECK(found.out.find(R"(the field "content-length" of a request)") != std::string::npos);
    auto const begin = found.out.find("overlay: 1.0.0\n");
    REQUIRE(begin != std::string::npos);
    options.overlays = {folder.write("ours.yaml", found.out.substr(begin)).string()};
    auto const with_overlay = check(options);
    INFO(with_overlay.out);
    CHECK(with_overlay.code == 0);
    CHECK(with_overlay.out.ends_with("api.yaml: OK (2 operations)\n"));
}

TEST_CASE("an overlay is proposed in JSON too, and none for what loads or can be left unchecked") {
    TemporaryFolder const folder;
    ContractCheckOptions options;
    options.format = Format::json;
    options.files = {folder.write("api.yaml", shared).string()};
    CHECK(check(options).out.find(R"(,"proposals":[{"file":")") != std::string::npos);
    auto const text = [&](std::string const& schema) {
        options.files = {folder
                             .write("one.yaml",
                                    "openapi: 3.1.0\ninfo: {title: T}\npaths:\n  /a: {post: "
                                    "{operationId: a, requestBody: {content: {application/json: "
                                    "{schema: "
                                        + schema + "}}}}}\n")
                             .string()};
        return check(options).out;
    };
    CHECK(text("{type: string}").find("proposals") == std::string::npos);
    CHECK(text("{pattern: '(?<=a)b'}").find("proposals") == std::string::npos);
    CHECK(text("{type: strnig}").find("proposals") != std::string::npos);
}

} // namespace
} // namespace sallyport::commands::test::contract_check_test
