// Answers of issuers about tokens: what is taken for one, and what is refused for which reason.
#include "plugins/introspection/answer.h"

#include <catch2/catch.hpp>

namespace answer_test {

using namespace sallyport;
using namespace sallyport::plugins;
using namespace std::chrono_literals;
using pipeline::AuthFailure;

namespace {

jose::TimePoint const now{std::chrono::seconds{1'800'000'000}};

struct Read {
    AuthFailure failure;
    std::string why;
    std::optional<std::chrono::milliseconds> expires{};
};

Read read(std::string_view text, ExpectedAnswer const& expected = {}) {
    jose::StrictJson json;
    auto const answer = read_answer(json, text, expected, now);
    Read out{answer.failure, std::string{answer.why}};
    using std::chrono::duration_cast;
    using std::chrono::milliseconds;
    if (answer.failure != AuthFailure::none) return out;
    CHECK(answer.claims.at_key("active").get_bool().value_unsafe());
    if (answer.expires) out.expires = duration_cast<milliseconds>(*answer.expires - now);
    return out;
}

AuthFailure failure(std::string_view text, ExpectedAnswer const& expected = {}) {
    return read(text, expected).failure;
}

// With more members than `active`.
std::string active(std::string_view more) {
    return R"({"active":true,)" + std::string{more} + "}";
}

} // namespace

TEST_CASE("what is no answer says nothing about a token") {
    for (std::string const text : {"",
                                   "null",
                                   "true",
                                   "[]",
                                   "\"active\"",
                                   "[{\"active\":true}]",
                                   "<html></html>",
                                   "{",
                                   "{\"active\":true",
                                   "{\"active\":true}x",
                                   "{\"active\":true,}",
                                   "{}",
                                   "{\"active\":null}",
                                   "{\"active\":1}",
                                   "{\"active\":\"true\"}",
                                   "{\"active\":[true]}",
                                   "{\"Active\":true}",
                                   "{\"active\":true,\"active\":true}",
                                   "{\"active\":false,\"active\":true}",
                                   "{\"active\":true,\"\\u0061ctive\":false}",
                                   "{\"active\":true,\"a\":{\"b\":1,\"b\":2}}",
                                   "{\"active\":true,\"a\":\"\xff\"}"}) {
        INFO(text);
        CHECK(failure(text) == AuthFailure::unavailable);
    }
}

TEST_CASE("an answer beyond the limits is none") {
    auto const with_size = [](std::size_t size) {
        auto text = active("\"a\":\"\"");
        text.insert(text.size() - 2, size - text.size(), 'x');
        return text;
    };
    CHECK(failure(with_size(longest_answer)) == AuthFailure::none);
    CHECK(failure(with_size(longest_answer + 1)) == AuthFailure::unavailable);
    auto const nested = [](std::size_t depth) {
        return active("\"a\":" + std::string(depth, '[') + std::string(depth, ']'));
    };
    CHECK(failure(nested(15)) == AuthFailure::none);
    CHECK(failure(nested(16)) == AuthFailure::unavailable);
}

TEST_CASE("a token that is not active is refused, whatever else is said of it") {
    CHECK(failure(R"({"active":false})") == AuthFailure::inactive);
    CHECK(failure(R"({"active":false,"exp":1900000000,"sub":"ada"})") == AuthFailure::inactive);
}

TEST_CASE("an answer has the end of its token, if it says one") {
    ExpectedAnswer expected;
    auto const expires = [&](std::string_view exp) {
        return read(active("\"exp\":" + std::string{exp}), expected).expires;
    };
    CHECK(expires("1800000059") == 59s);
    expected.leeway = 0ms;
    CHECK(expires("1800000059") == 59s);
    CHECK(expires("1.800000059e9") == 59s);
    CHECK(read(R"({"active":true})", expected).expires == std::nullopt);
}

TEST_CASE("an answer that contradicts itself, or has no dates where dates belong, is refused") {
    ExpectedAnswer expected;
    expected.leeway = 30s;
    CHECK(failure(active("\"exp\":1799999971"), expected) == AuthFailure::none);
    CHECK(failure(active("\"exp\":1799999970"), expected) == AuthFailure::expired);
    CHECK(failure(active("\"exp\":0"), expected) == AuthFailure::expired);
    CHECK(failure(active("\"nbf\":1800000030"), expected) == AuthFailure::none);
    CHECK(failure(active("\"nbf\":1800000031"), expected) == AuthFailure::not_yet_valid);
    CHECK(failure(active("\"iat\":1800000031"), expected) == AuthFailure::not_yet_valid);
    for (auto const* date : {"\"exp\":\"1900000000\"", "\"exp\":null", "\"exp\":-1",
                             "\"exp\":1e300", "\"nbf\":\"0\"", "\"iat\":{}"}) {
        INFO(date);
        CHECK(failure(active(date), expected) == AuthFailure::claim);
    }
}

TEST_CASE("only access tokens for bearers are accepted") {
    for (auto const* more :
         {R"("token_type":"Bearer")", R"("token_type":"bearer")", R"("token_use":"access_token")",
          R"("token_use":"access")", R"("token_type":"Bearer","token_use":"access_token")",
          R"("typ":"Bearer")", R"("typ":"at+jwt")"}) {
        INFO(more);
        CHECK(failure(active(more)) == AuthFailure::none);
    }
    for (auto const* more :
         {R"("token_type":"refresh_token")", R"("token_type":"DPoP")", R"("token_type":1)",
          R"("token_type":"")", R"("token_use":"refresh_token")", R"("token_use":"id")",
          R"("token_use":null)", R"("typ":"Refresh")", R"("typ":"Offline")", R"("typ":"ID")",
          R"("typ":"DPoP")", R"("typ":7)"}) {
        INFO(more);
        CHECK(failure(active(more)) == AuthFailure::claim);
    }
}

TEST_CASE("the end of a token is read whether its claims are right or wrong") {
    ExpectedAnswer expected;
    expected.leeway = 0ms;
    expected.audiences = {"items"};
    jose::StrictJson json;
    auto const wrong = read_answer(json, active("\"exp\":1800000030"), expected, now);
    CHECK(wrong.failure == AuthFailure::claim);
    CHECK(wrong.expires == now + 30s);
    // One that has passed is said first: it is the same for every API.
    CHECK(failure(active("\"exp\":1800000000"), expected) == AuthFailure::expired);
}

TEST_CASE("issuer, audience and claims have to be those that are expected") {
    ExpectedAnswer expected;
    expected.issuers = {"https://issuer.example", "https://other.example"};
    expected.audiences = {"items"};
    expected.required = {{"/realm/tier", {"gold", "silver"}}};
    std::string const iss = R"("iss":"https://other.example",)";
    std::string const aud = R"("aud":["x","items"],)";
    std::string const tier = R"("realm":{"tier":"gold"})";
    CHECK(failure(active(iss + aud + tier), expected) == AuthFailure::none);
    CHECK(failure(active(iss + R"("aud":"items",)" + tier), expected) == AuthFailure::none);
    for (auto const& wrong :
         {aud + tier, iss + tier, iss + R"("aud":"items")",
          R"("iss":"https://issuer.example/",)" + aud + tier,
          R"("iss":["https://issuer.example"],)" + aud + tier, iss + R"("aud":["item"],)" + tier,
          iss + R"("aud":[1,"items"],)" + tier, iss + R"("aud":[],)" + tier,
          iss + aud + R"("realm":{"tier":"bronze"})"}) {
        INFO(wrong);
        CHECK(failure(active(wrong), expected) == AuthFailure::claim);
    }
    // What is not expected is not looked at.
    CHECK(failure(active(R"("iss":1,"aud":2)")) == AuthFailure::none);
}

} // namespace answer_test
