// Public scanners of TLS report nothing weak.
#include "tests/hostile/greedy_stage.h"
#include "tests/support/machine.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace h06_scanners {

using namespace sallyport::test;

namespace {

std::string address(GreedyStage const& stage) {
    return "localhost:" + std::to_string(stage.gateway.port());
}

bool begins_with(std::string const& text, std::string_view begin) {
    return text.compare(0, begin.size(), begin) == 0;
}

// Findings that do not concern the gateway.
bool is_irrelevant(std::string const& id) {
    for (auto const* begin : {"cert_", "DNS_CAArecord", "overall_grade",
                              "grade_cap_reason_",  // of the test's certificates
                              "engine_problem",     // the scanner's own OpenSSL
                              "sessionresumption_", // not always possible; h05_tls tests it
                              "HSTS"})              // RFC 6797: for browsers, not for an API
        if (begins_with(id, begin)) return true;
    return false;
}

} // namespace

TEST_CASE("sslscan finds nothing weak") {
    if (!has_program("sslscan")) return;
    GreedyStage stage{{}};
    // Debian's sslscan cannot test compression, and reports the closed connection of its Heartbleed
    // test as an error: testssl.sh tests both.
    auto const found = run({{"sslscan", "--no-colour", "--ipv4", "--no-failed", "--no-heartbleed",
                             "--no-compression", address(stage)}});
    CAPTURE(found.output, found.error);
    CHECK(found.exit_code == 0);
    for (auto const* line :
         {"SSLv2     disabled", "SSLv3     disabled", "TLSv1.0   disabled", "TLSv1.1   disabled",
          "TLSv1.2   enabled", "TLSv1.3   enabled", "Session renegotiation not supported",
          "Server supports TLS Fallback SCSV", "ECDHE-"}) {
        CAPTURE(line);
        CHECK(found.output.find(line) != std::string::npos);
    }
    // Accepted suites have lines of their own.
    for (auto const* weak : {" RC4", " 3DES", "DES-CBC", "-CBC", "NULL-", "EXP-", "ADH-", "AECDH-",
                             " AES128-SHA", " AES256-SHA", " 112 bits", " 56 bits"}) {
        CAPTURE(weak);
        CHECK(found.output.find(weak) == std::string::npos);
    }
    stage.finish();
}

TEST_CASE("testssl.sh finds nothing weak") {
    if (!has_program("testssl")) return;
    GreedyStage stage{{}};
    TemporaryFolder const folder;
    auto const file = folder / "found.json";
    // Takes minutes: it tests every known vulnerability.
    auto const ran = run({{"testssl", "--quiet", "--color", "0", "--warnings", "off", "--nodns",
                           "none", "--jsonfile", file.string(), address(stage)}},
                         {}, TimeLimit{std::chrono::minutes{9}});
    CAPTURE(ran.output, ran.error);
    auto const found = Json::parse(read_file(file));
    CHECK(found.items.size() > 50);
    for (auto const& one : found.items) {
        auto const severity = one.text("severity");
        if (is_irrelevant(one.text("id"))) continue;
        CAPTURE(one.text("id"), one.text("finding"), severity);
        CHECK((severity == "OK" || severity == "INFO"));
    }
    stage.finish();
}

} // namespace h06_scanners
