// `check`: its exit codes and its output in both forms.
#include "folder.h"
#include "gateway/commands/check.h"

#include <catch2/catch.hpp>
#include <sstream>

using namespace sallyport::commands;
using sallyport::commands::test::Folder;

namespace {

struct Run {
    int exit_code = 0;
    std::string out;
};

Run check(std::string const& config, Format format = Format::text) {
    std::ostringstream out;
    int const exit_code = run_check({config, format}, out);
    return {exit_code, out.str()};
}

std::string configuration(std::string_view more) {
    return "listeners: [{ name: l, address: \"127.0.0.1:0\", tls: off }]\n"
           "upstreams: { u: { endpoints: [\"http://127.0.0.1:9\"] } }\n"
           + std::string{more};
}

} // namespace

TEST_CASE("a configuration that would not serve is refused with its problems") {
    Folder const folder;
    std::string const config =
        folder.write("c.yaml", configuration("apis: { a: { contract: missing.yaml, upstream: u, "
                                             "authenticate: [anonymous] } }\n"));
    Run const run = check(config);
    CHECK(run.exit_code == 1);
    CHECK(run.out.find("missing.yaml") != std::string::npos);
    CHECK(run.out.find(": right") == std::string::npos);
    Run const json = check(config, Format::json);
    CHECK(json.exit_code == 1);
    CHECK(json.out.rfind(R"({"ok":false,"problems":[{"severity":"error",)", 0) == 0);
    CHECK(check("/nonexistent.yaml").exit_code == 1);
}

TEST_CASE("a configuration that would serve is right") {
    Folder const folder;
    std::string const config =
        folder.write("c.yaml", configuration("apis: { a: { paths: [\"/a/\"], upstream: u, "
                                             "authenticate: [anonymous] } }\n"));
    CHECK(check(config).exit_code == 0);
    CHECK(check(config).out == config + ": right (1 listener, 1 upstream, 1 API)\n");
    CHECK(check(config, Format::json).out == "{\"ok\":true,\"problems\":[]}\n");
}
