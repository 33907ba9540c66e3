// What a discovery document says, and where keys come from.
#include "plugins/jwt/key_source.h"

#include "tests/support/temporary_folder.h"
#include "tests/support/token_signer.h"

#include <catch2/catch.hpp>

#include <array>

namespace key_source_test {

using namespace sallyport;
using namespace sallyport::plugins;

namespace {

std::string discovered(std::string_view text) {
    std::array<std::string, 2> const issuers{"https://a", "https://b"};
    auto const found = read_discovery(text, issuers);
    CHECK(found.jwks_uri.empty() != found.problem.empty());
    return found.problem.empty() ? found.jwks_uri : found.problem;
}

} // namespace

TEST_CASE("a discovery document has to be of the issuer, byte for byte, and name its keys") {
    CHECK(discovered(R"({"issuer":"https://b","jwks_uri":"https://b/k","x":[1]})")
          == "https://b/k");
    constexpr auto other = "its `issuer` is not that of the configuration";
    CHECK(discovered(R"({"issuer":"https://c","jwks_uri":"https://b/k"})") == other);
    CHECK(discovered(R"({"issuer":"https://b/","jwks_uri":"https://b/k"})") == other);
    CHECK(discovered(R"({"issuer":["https://b"],"jwks_uri":"https://b/k"})") == other);
    CHECK(discovered(R"({"jwks_uri":"https://b/k"})") == other);
    CHECK(discovered(R"({"issuer":"https://b"})") == "it has no `jwks_uri`");
    CHECK(discovered(R"({"issuer":"https://b","jwks_uri":1})") == "it has no `jwks_uri`");
    constexpr auto no_json = "it is no JSON object, or an object in it has a name twice";
    CHECK(discovered("<html>") == no_json);
    CHECK(discovered(R"({"issuer":"https://b","issuer":"https://c","jwks_uri":"https://b/k"})")
          == no_json);
    CHECK(discovered("{\"issuer\":\"https://b\",\"jwks_uri\":\"https://b/k\",\"x\":\""
                     + std::string(std::size_t{64} * 1024, 'x') + "\"}")
          == no_json);
}

TEST_CASE("a document that came over TLS names keys with TLS, and none of this host but its own") {
    using Loopback = fetch::Reach::Loopback;
    auto const keys = [](std::string_view document, std::string_view uri) {
        fetch::Target target;
        target.url = fetch::parse_url(document).url;
        target.limits.body = 1;
        return target_of_keys(uri, target);
    };
    auto const remote = "https://id.example/.well-known/openid-configuration";
    for (auto const* const uri : {"http://id.example/keys", "http://127.0.0.1:9000/keys"}) {
        for (auto const* const document : {remote, "https://localhost/d"}) {
            auto const found = keys(document, uri);
            CHECK(found.target == nullptr);
            CHECK(found.failure
                  == fetch::Failure{fetch::Cause::insecure, "its `jwks_uri` has no TLS"});
        }
    }
    CHECK(keys(remote, "file:///etc/passwd").failure.cause == fetch::Cause::unusable);
    for (auto const* const uri : {"https://other.example/keys", "https://localhost/keys",
                                  "https://127.0.0.1/keys", "https://10.0.0.1/keys"}) {
        CAPTURE(uri);
        auto const found = keys(remote, uri);
        REQUIRE(found.target);
        CHECK(fetch::text_of(found.target->url) == uri);
        CHECK(found.target->limits.body == jose::longest_key_set);
        CHECK(found.target->reach.loopback == Loopback::refused);
    }
    // Its own host may have an address of this one; and one of this host may name what it wants.
    CHECK(keys(remote, "https://id.example:8443/keys").target->reach.loopback == Loopback::allowed);
    for (auto const* const document : {"https://localhost/d", "http://127.0.0.1:9000/d"})
        CHECK(keys(document, "https://127.0.0.1/keys").target->reach.loopback == Loopback::allowed);
    CHECK(keys("http://127.0.0.1:9000/d", "http://[::1]:9000/keys").target != nullptr);
}

TEST_CASE("where nothing may be fetched there are no keys, and what is wrong with `ca` is said") {
    config::yaml::Problems problems;
    config::KeptValues kept;
    config::CompileSettings const with{problems, nullptr, kept};
    KeySettings settings;
    settings.url = "https://localhost/keys";
    auto const source = make_key_source(settings, {"https://a"}, {jose::Algorithm::es256}, with);
    CHECK(source.fixed == nullptr);
    CHECK(source.fetched == nullptr);
    CHECK(problems.empty());
    KeyReader reader{source};
    CHECK(reader.get() == nullptr);
    sallyport::test::TemporaryFolder const folder;
    settings.ca = config::File{folder.write("ca.pem", "no certificate"), {{}, "keys.ca"}};
    (void)make_key_source(settings, {"https://a"}, {jose::Algorithm::es256}, with);
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().path == "keys.ca");
}

} // namespace key_source_test
