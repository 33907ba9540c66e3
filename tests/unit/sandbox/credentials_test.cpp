// Authentication: unauthenticated clients are refused in the format of their API, and learn
// nothing.
#include "tests/unit/sandbox/requests.h"

#include <initializer_list>

namespace credentials_test {

using namespace sallyport::sandbox;

namespace {

// base64 of sandbox-key:sandbox-secret-of-the-key
constexpr char const* right_basic = "Basic c2FuZGJveC1rZXk6c2FuZGJveC1zZWNyZXQtb2YtdGhlLWtleQ==";

bool admits(Credentials const& credentials, Api api, std::string const& authorization) {
    return credentials.admit(api, {{"Authorization", authorization}});
}

} // namespace

TEST_CASE("without a valid credential the management API returns 401 in its format") {
    Sandbox sandbox;
    Credentials const credentials;
    for (char const* const target : {"/v1/organizations/x", "/v1/nothing"}) {
        Reply const reply = respond(sandbox.database, credentials, {"GET", target, {}, ""});
        CHECK(reply.status == 401);
        auto const body = body_of(reply);
        CHECK(names_of(body) == Names{"status", "error", "requestId"});
        CHECK(body.at("error") == "UNAUTHORIZED: the key is missing or not known");
    }
}

TEST_CASE("without a valid credential the observability API returns 401 in plain text") {
    Sandbox sandbox;
    Credentials const credentials;
    Reply const reply = respond(sandbox.database, credentials, {"GET", "/api/v2/alerts", {}, ""});
    CHECK(reply.status == 401);
    CHECK(reply.body == "Unauthorized");
    CHECK(reply.fields.back().second == "text/plain; charset=utf-8");
}

TEST_CASE("an invalid Basic credential is refused") {
    Credentials const credentials;
    for (char const* const authorization :
         {"", "Basic", "Basic ", "Basic    ", "Basic =", "Basic ====", "Basic !!!!", "Basic c2FuZA",
          "Bearer sandbox-token", "Basic c2FuZGJveC1rZXk6d3Jvbmc=", // sandbox-key:wrong
          "Basic c2FuZGJveC1rZXk="}) {
        INFO(authorization);
        CHECK_FALSE(admits(credentials, Api::management, authorization));
    }
    CHECK_FALSE(credentials.admit(Api::management, {}));
    CHECK_FALSE(credentials.admit(
        Api::management, {{"Authorization", right_basic}, {"authorization", right_basic}}));
    CHECK_FALSE(admits(credentials, Api::management, "Basic " + std::string(100'000, 'A')));
}

TEST_CASE("an invalid token is refused; tokens are case-sensitive") {
    Credentials const credentials;
    for (char const* const authorization :
         {"", "Bearer", "Bearer ", "bearer sandbox-token", "Bearer sandbox-token ",
          "Bearer Sandbox-Token", "Bearer  sandbox-token", right_basic}) {
        INFO(authorization);
        CHECK_FALSE(admits(credentials, Api::observability, authorization));
    }
}

TEST_CASE("the documented credentials are accepted, each by its own API") {
    Credentials const credentials;
    CHECK(admits(credentials, Api::management, right_basic));
    CHECK(admits(credentials, Api::management, "bASIC  " + std::string{right_basic}.substr(6)));
    CHECK(admits(credentials, Api::observability, "Bearer sandbox-token"));
    // Read like the service does: whatever surrounds it.
    CHECK(admits(credentials, Api::observability, "x Bearer sandbox-tokenBearer y"));
    CHECK_FALSE(admits(credentials, Api::observability, right_basic));
}

TEST_CASE("an invalid line of the credentials is reported only by its number") {
    CHECK_THROWS_WITH(Credentials::read("basic a:b\n\nbasic secret\n"),
                      "line 3 is neither `basic KEY_ID:SECRET` nor `bearer TOKEN`");
    CHECK_THROWS_WITH(Credentials::read("Bearer x"),
                      "line 1 is neither `basic KEY_ID:SECRET` nor `bearer TOKEN`");
}

TEST_CASE("credentials from a file replace the documented ones") {
    auto const credentials = Credentials::read("# ours\r\nbasic a:b:c\r\n\n  bearer t \nbearer u");
    CHECK(admits(credentials, Api::management, "Basic YTpiOmM=")); // a:b:c
    CHECK(admits(credentials, Api::observability, "Bearer t"));
    CHECK(admits(credentials, Api::observability, "Bearer u"));
    CHECK_FALSE(admits(credentials, Api::management, right_basic));
    CHECK_FALSE(admits(credentials, Api::observability, "Bearer sandbox-token"));
    CHECK_FALSE(admits(Credentials::read(""), Api::observability, "Bearer "));
}

TEST_CASE("without required credentials every caller is accepted") {
    Credentials const credentials{Required::no};
    CHECK(credentials.admit(Api::management, {}));
    CHECK(credentials.admit(Api::observability, {{"Authorization", "x"}, {"Authorization", "y"}}));
}

} // namespace credentials_test
