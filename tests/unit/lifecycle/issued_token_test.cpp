// What the gateway takes for an answer of a token endpoint.
#include "gateway/lifecycle/issued_token.h"

#include <catch2/catch.hpp>

namespace issued_token_test {

using namespace sallyport;
using namespace sallyport::lifecycle;

namespace {

std::string read(std::string const& text) {
    auto const issued = read_issued_token(text);
    if (!issued.authorization) return issued.problem;
    CHECK(issued.problem.empty());
    return std::string{issued.authorization->reveal()} + ' '
           + std::to_string(issued.lifetime.count());
}

std::string with(std::string const& members) {
    return read(R"({"access_token":"a.b","token_type":"Bearer")" + members + '}');
}

} // namespace

TEST_CASE("an answer has a token, its type and mostly its lifetime") {
    CHECK(with(R"(,"expires_in":3600)") == "Bearer a.b 3600");
    CHECK(with(R"(,"expires_in":"3599")") == "Bearer a.b 3599");
    CHECK(with("") == "Bearer a.b 300");
    CHECK(with(R"(,"expires_in":9000000000000,"scope":"x")") == "Bearer a.b 31536000");
    CHECK(read(R"({"token_type":"BEARER","access_token":"t","expires_in":1})") == "Bearer t 1");
}

TEST_CASE("what is no such answer has no token, and the reason repeats nothing of it") {
    for (auto const* lifetime : {"0", "-1", "1.5", "null", "true", R"("")", R"("1h")", R"("0")"}) {
        CAPTURE(lifetime);
        CHECK(with(std::string{",\"expires_in\":"} + lifetime)
              == "its `expires_in` is no number above 0");
    }
    auto const no_object = "it is no JSON object, or an object in it has a name twice";
    CHECK(read("") == no_object);
    CHECK(read("[]") == no_object);
    CHECK(with(R"(,"access_token":"c")") == no_object);
    CHECK(read(R"({"token_type":"Bearer"})") == "it has no `access_token`");
    CHECK(read(R"({"access_token":5,"token_type":"Bearer"})") == "it has no `access_token`");
    CHECK(read(R"({"access_token":"a"})") == "its `token_type` is not Bearer");
    CHECK(read(R"({"access_token":"a","token_type":"DPoP"})") == "its `token_type` is not Bearer");
    for (auto const* token : {"", "a b", "a\\r\\nX: y", "\\u0000", "=="}) {
        CAPTURE(token);
        CHECK(read(std::string{R"({"token_type":"Bearer","access_token":")"} + token + "\"}")
              == "its `access_token` is no bearer token (RFC 6750)");
    }
}

} // namespace issued_token_test
