// Refused configurations with their exact messages: the tables in refused/*.txt.
#include "cases.h"
#include "support.h"

#include <catch2/catch.hpp>

namespace refused_test {

using namespace sallyport::config;
using namespace sallyport::config::test;

namespace {

World const world{{{"SECRET", "a b"}, {"TOKEN", "abc"}}, {}};

} // namespace

TEST_CASE("invalid configurations are refused with place, reason and what to write") {
    for (char const* const name : {"listeners.txt", "upstreams.txt", "apis.txt", "jwt.txt",
                                   "introspection.txt", "rest.txt"}) {
        auto const cases = read_cases(name, "c.yaml:");
        CHECK(cases.size() > 10);
        for (auto const& [text, problems] : cases) {
            CAPTURE(name, text);
            CHECK_FALSE(problems.empty());
            CHECK(described(read(text, world).problems) == problems);
        }
    }
}

TEST_CASE("a file that is no configuration at all is refused") {
    auto const problems = [](std::string_view text) {
        return described(
            read_config(yaml::load_text(text, "c.yaml"), {}, tables(), world.resolver()).problems);
    };
    CHECK(problems("") == "c.yaml:1:1: the file is empty; see config/examples for what to write\n");
    CHECK(problems("[]")
          == "c.yaml:1:1: must be a mapping, not a list; write some of include, listeners, admin, "
             "workers, "
             "credentials, upstreams, apis, access_log, log, redact, limits, "
             "failed_authentication, drain, drain_delay or reload\n");
    CHECK(problems("{}")
          == "c.yaml:1:1: listeners: is missing; write listeners: [{ name: public, address: "
             "0.0.0.0:8443, tls: ... }]\n"
             "c.yaml:1:1: upstreams: is missing; write upstreams: { NAME: { endpoints: [...] } }\n"
             "c.yaml:1:1: apis: is missing; write apis: { NAME: { contract: FILE, upstream: NAME, "
             "authenticate: [basic] } }\n");
    CHECK(problems("a: [\n") == "c.yaml:2:1: a[0]: '[' without its ']'; close it\n");
}

TEST_CASE("a configuration with problems of many kinds reports all of them, by place") {
    auto const out = read("listners: []\n"
                          "workers: none\n"
                          "limits:\n"
                          "  head: big\n"
                          "  head: 16KiB\n"
                          "drain: &d 30s\n"
                          "apis:\n"
                          "  a: { paths: [\"x\"], upstream: nobody, authenticate: [] }\n");
    CHECK(
        described(out.problems)
        == "c.yaml:1:1: listners: unknown key; did you mean \"listeners\"?\n"
           "c.yaml:2:10: workers: \"none\" is not known here; write auto, or a number from 1 to "
           "256\n"
           "c.yaml:4:9: limits.head: \"big\" is not a size; write digits and B, KiB, MiB or GiB, "
           "from 1KiB to 1MiB\n"
           "c.yaml:5:3: limits.head: the key is given twice, first on line 4; keep one of them\n"
           "c.yaml:6:8: drain: anchors are not read; write the value out\n"
           "c.yaml:8:16: apis.a.paths[0]: \"x\" is not a path; write \"/name/\" for all below it, "
           "or \"/name\" for this path alone, without escapes, ';', '//' and dot segments\n"
           "c.yaml:8:32: apis.a.upstream: no upstream is called \"nobody\"; write up\n"
           "c.yaml:8:54: apis.a.authenticate: is empty: no client could be authenticated; "
           "write basic, jwt, bearer, introspection, api_key or client_certificate, or [anonymous] "
           "where every client may call, or [upstream] where the upstream checks them\n");
    CHECK(out.has_errors());
}

TEST_CASE("a file that cannot be opened is a problem of its own") {
    CHECK(described(load_config("/nonexistent/c.yaml", tables(), world.resolver()).problems)
          == "/nonexistent/c.yaml: cannot be read: No such file or directory\n");
    Config config;
    CHECK(load_credentials(config, tables(), world.resolver()).problems.empty());
    auto const* const name = yaml::intern_file_name("c.yaml");
    config.credentials.file = File{"/nonexistent/k.yaml", {{name, 3, 7}, "credentials.file"}};
    CHECK(
        described(load_credentials(config, tables(), world.resolver()).problems)
        == "c.yaml:3:7: credentials.file: \"/nonexistent/k.yaml\" cannot be read: No such file or "
           "directory; write the path of a file that the gateway may read\n");
}

} // namespace refused_test
