// What is wrong with the settings of introspection beyond their keys.
#include "plugins/introspection/settings.h"

#include "gateway/fetch/reach.h"
#include "gateway/fetch/url.h"
#include "tests/unit/support/snapshot.h"

#include <catch2/catch.hpp>

namespace settings_test {

using namespace sallyport;
using namespace sallyport::plugins;

namespace {

constexpr std::string_view credentials = R"(roles: { reader: { allow: { apis: [files] } } }
credentials: [ { name: a, bearer: { tokens: ["sha256:0000000000000000000000000000000000000000000000000000000000000000"] }, roles: [reader] } ]
)";

// With these keys of `introspection`; a line each.
std::string problems_of(std::string const& keys, std::string const& client = "id: i, secret: s") {
    sallyport::test::TemporaryFolder const folder;
    folder.write("credentials.yaml", credentials);
    folder.write("broken.pem", "no certificate");
    auto const path = folder.write("sallyport.yaml", R"(
listeners: [ { name: public, address: "127.0.0.1:0", tls: off } ]
credentials: { file: credentials.yaml }
upstreams: { up: { endpoints: ["http://127.0.0.1:1"] } }
apis:
  files:
    paths: [/f/]
    upstream: up
    authenticate: [introspection]
    introspection:
      url: "https://issuer.example/introspect"
      client: { )" + client + " }\n      " + keys + "\n");
    auto const loaded =
        lifecycle::load(path.string(), sallyport::test::tables(),
                        {.ticket_keys = std::make_shared<net::TicketKeys>(), .generation = 1});
    std::string text;
    for (auto const& problem : loaded.problems) {
        auto const line = config::yaml::describe(problem);
        if (line.find("a secret stands in") == std::string::npos) text += line + '\n';
    }
    return text;
}

constexpr std::string_view any_token = "every active token of the issuer has roles here";

} // namespace

TEST_CASE("an address that nothing is sent to is an error") {
    auto const url = [](std::string const& text) { return fetch::parse_url(text).url; };
    for (auto const* const refused :
         {"http://issuer.example/i", "http://192.0.2.1/i", "http://localhost.example/i",
          "http://0.0.0.0/i", "https://169.254.169.254/i", "https://[fe80::1]/i",
          "https://0.0.0.0/"})
        CHECK_FALSE(fetch::reason_against(url(refused)).empty());
    for (auto const* const fine :
         {"https://issuer.example/i", "https://192.0.2.1/i", "http://localhost:8080/i",
          "http://127.1.2.3/i", "http://[::1]/i", "http://keys.localhost/i"})
        CHECK(fetch::reason_against(url(fine)).empty());
}

TEST_CASE("that every active token of an issuer has roles is a warning") {
    CHECK(problems_of("roles: { always: [reader] }").find(any_token) != std::string::npos);
    for (auto const* keys : {"roles: { always: [reader] }\n      audience: a",
                             "roles: { always: [reader] }\n      scopes: { required: [a] }",
                             "roles: { always: [reader] }\n      required_claims: { a: [b] }",
                             "roles: { claim: a, mapping: { b: [reader] } }"}) {
        INFO(keys);
        CHECK(problems_of(keys).find(any_token) == std::string::npos);
    }
}

TEST_CASE("authorities that cannot be read, and secrets that no field can have, are errors") {
    auto const ca = problems_of("ca: broken.pem\n      roles: { always: [reader] }");
    CHECK(ca.find("apis.files.introspection.ca: ") != std::string::npos);
    auto const secret = std::string(4000, '%');
    auto const text = problems_of("audience: a\n      roles: { always: [reader] }",
                                  "id: i, secret: \"" + secret + '"');
    CHECK(text.find("the client's id and secret are too long for a header field")
          != std::string::npos);
    CHECK(text.find("%%") == std::string::npos);
}

} // namespace settings_test
