// `credential`: what its commands print and refuse; no hash and no secret where none belongs.
#include "tests/end_to_end/prepared.h"

#include "tests/support/encodings.h"

#include <catch2/catch.hpp>

#include <string>
#include <utility>

using namespace sallyport::test;

TEST_CASE("credential create prints a secret once, and its entry works in the file") {
    auto const first = run_gateway({"credential", "create", "--name", "ci"});
    CAPTURE(first.output, first.error);
    REQUIRE(first.exit_code == 0);
    auto const second = run_gateway({"credential", "create", "--name", "ci"});
    CHECK(first.output != second.output);
    CHECK(first.output.find("sha256:") != std::string::npos);
    CHECK(first.output.find("allow:") != std::string::npos);
}

TEST_CASE("credential create refuses what the file of credentials would refuse") {
    for (auto const* const allow :
         {"all,management/*", "management", "/x", "a/", "a/b/c", "a b/*"}) {
        auto const finished =
            run_gateway({"credential", "create", "--name", "ci", "--allow", allow});
        CAPTURE(allow, finished.output, finished.error);
        CHECK(finished.exit_code == 2);
        CHECK(finished.output.empty());
        CHECK(finished.error.find("--allow: ") != std::string::npos);
    }
    for (auto const* const allow : {"all", "management/*", "management/getPipe,observability/*"})
        CHECK(run_gateway({"credential", "create", "--name", "ci", "--allow", allow}).exit_code
              == 0);
}

TEST_CASE("credential rotate prints both hashes and the new secret, and does not change the file") {
    Prepared const prepared;
    auto const before = read_file(prepared.folder / "credentials.yaml");
    auto const rotate = [&](std::string const& name) {
        return run_gateway(
            {"credential", "rotate", "-c", "sallyport.yaml", "--name", name, "--format", "json"},
            {}, prepared.folder.path());
    };
    for (auto const& [name, secret] :
         {std::pair{"scale", scale.secret}, std::pair{"observer", observer_token}}) {
        auto const finished = rotate(name);
        CAPTURE(finished.output, finished.error);
        REQUIRE(finished.exit_code == 0);
        auto const made = Json::parse(finished.output);
        CHECK(made["hashes"][0].string == "sha256:" + sha256_hex(std::string{secret}));
        CHECK(made["hashes"][1].string == "sha256:" + sha256_hex(made.text("secret")));
    }
    CHECK(read_file(prepared.folder / "credentials.yaml") == before);
    auto const twice = rotate("rotating");
    CHECK(twice.exit_code == 1);
    CHECK(twice.error.find("has two secrets already") != std::string::npos);
    auto const unknown = rotate("scal");
    CHECK(unknown.exit_code == 1);
    CHECK(unknown.error.find("did you mean \"scale\"?") != std::string::npos);
}

TEST_CASE("credential hash reads the secret from standard input and never prints it") {
    std::string const secret = "0123456789abcdefghijkl";
    for (auto const* end : {"", "\n"}) {
        auto const finished = run_gateway({"credential", "hash"}, secret + end);
        CAPTURE(finished.output, finished.error);
        CHECK(finished.exit_code == 0);
        CHECK(finished.output == "sha256:" + sha256_hex(secret) + "\n");
    }
    CHECK(run_gateway({"credential", "hash"}, "").exit_code != 0);
    CHECK(run_gateway({"credential", "hash"}, "short").exit_code != 0);
}

TEST_CASE("credential list shows names and permissions, never a hash") {
    Prepared const prepared;
    auto const finished =
        run_gateway({"credential", "list", "-c", "sallyport.yaml"}, {}, prepared.folder.path());
    CAPTURE(finished.output, finished.error);
    CHECK(finished.exit_code == 0);
    for (auto const* name : {"administrator", "narrow", "observer", "expired"})
        CHECK(finished.output.find(name) != std::string::npos);
    CHECK(finished.output.find(sha256_hex(administrator.secret)) == std::string::npos);
}
