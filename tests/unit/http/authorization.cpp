// Authorization: exactly what RFC 7617 and RFC 6750 allow.
#include "gateway/http/authorization.h"

#include "heads.h"

#include <catch2/catch.hpp>

#include <array>
#include <string>
#include <string_view>

namespace authorization {

namespace {

using namespace sallyport::http;
using sallyport::http::test::parse_request;
using namespace std::string_literals;

// "basic id|secret", "bearer token", "other scheme", "none", or "malformed: why".
std::string describe(ParsedAuthorization const& parsed) {
    if (auto const* basic = std::get_if<BasicCredentials>(&parsed))
        return "basic " + std::string{basic->key_id} + "|" + std::string{basic->secret};
    if (auto const* bearer = std::get_if<BearerToken>(&parsed))
        return "bearer " + std::string{bearer->token};
    if (auto const* other = std::get_if<OtherScheme>(&parsed))
        return "other " + std::string{other->scheme};
    if (auto const* malformed = std::get_if<MalformedAuthorization>(&parsed))
        return "malformed: " + std::string{malformed->why};
    return "none";
}

std::string judge(std::string_view value) {
    std::array<char, 1024> storage{};
    return describe(parse_authorization(value, storage));
}

std::string encode(std::string_view pair) {
    std::array<char, 1024> storage{};
    auto const colon = pair.find(':');
    return std::string{spell_basic(pair.substr(0, colon), pair.substr(colon + 1), storage).value()}
        .substr(6);
}

} // namespace

TEST_CASE("Basic credentials that are not canonical base64 are refused") {
    for (auto const proof :
         {"",       "=",        "====",     "a",         "ab",        "abc",         "YTpi=",
          "YTpi==", "YTpiYw",   "YTpiYw=",  "YTpiYw===", "YTpi YTpi", "YTpi\t",      "YTpi,",
          "YT.pi",  "YTp-",     "YTp_",     "YTp~",      "YTp\xc3",   "Y=pi",        "YT=i",
          "=Tpi",   "YTpi====", "YTpiYx==", "YTpiYWJ=",  "\"YTpi\"",  "realm=\"a\"", "YTpi\n"}) {
        INFO(proof);
        CHECK(judge("Basic "s + proof) == "malformed: the Basic credentials are not base64");
    }
    CHECK(judge("Basic") == "malformed: the Basic credentials are not base64");
    CHECK(judge("Basic ") == "malformed: the Basic credentials are not base64");
    CHECK(judge("Basic YTpi ") == "malformed: the Basic credentials are not base64");
}

TEST_CASE("Basic credentials without a colon are refused") {
    CHECK(judge("Basic YWI=") == "malformed: the Basic credentials hold no colon");
    CHECK(judge("Basic YWJj") == "malformed: the Basic credentials hold no colon");
}

TEST_CASE("Basic credentials with control characters or bytes that are not UTF-8 are refused") {
    auto const why = "malformed: the Basic credentials are not text in UTF-8";
    CHECK(judge("Basic YTpiAA==") == why); // a:b NUL
    CHECK(judge("Basic AGE6Yg==") == why); // NUL a:b
    CHECK(judge("Basic YTpiCg==") == why); // a:b LF
    CHECK(judge("Basic YQk6Yg==") == why); // a TAB :b
    CHECK(judge("Basic YTpifw==") == why); // a:b DEL
    CHECK(judge("Basic YTr/") == why);     // a:FF
    CHECK(judge("Basic YTrDKA==") == why); // a:C3 28
    CHECK(judge("Basic YTrD") == why);     // a:C3
    CHECK(judge("Basic YTrAug==") == why); // a:C0 BA, an overlong colon
}

TEST_CASE("Basic credentials are split at the first colon, in any spelling of the scheme") {
    CHECK(judge("Basic YTpi") == "basic a|b");
    CHECK(judge("bAsIc YTpi") == "basic a|b");
    CHECK(judge("Basic    YTpi") == "basic a|b");
    CHECK(judge("Basic " + encode("id:a:b::c")) == "basic id|a:b::c");
    CHECK(judge("Basic " + encode("id:")) == "basic id|");
    CHECK(judge("Basic " + encode(":secret")) == "basic |secret");
    CHECK(judge("Basic Og==") == "basic |");
    CHECK(judge("Basic " + encode("\xc3\xa9:\xe2\x82\xac")) == "basic \xc3\xa9|\xe2\x82\xac");
    CHECK(judge("Basic dGVzdDoxMjPCow==") == "basic test|123\xc2\xa3"); // RFC 7617, 2.1
    CHECK(judge("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==") == "basic Aladdin|open sesame");
}

TEST_CASE("a Bearer token is b64token and nothing else") {
    for (auto const proof : {"", "=", "==", "a=b", "a b", "a,b", "a\"", "\"a\"", "a\tb", "a:b",
                             "a;b", "a%20", "\xc3\xa9", "a\\b", "a@b", "a ", "a= "}) {
        INFO(proof);
        CHECK(judge("Bearer "s + proof) == "malformed: the Bearer token is malformed");
    }
    CHECK(judge("Bearer") == "malformed: the Bearer token is malformed");
    CHECK(judge("Bearer a") == "bearer a");
    CHECK(judge("bEARER   mF_9.B5f-4.1JqM~+/==") == "bearer mF_9.B5f-4.1JqM~+/==");
}

TEST_CASE("other schemes are recognised, and malformed schemes are refused") {
    CHECK(judge("Digest username=\"a\"") == "other Digest");
    CHECK(judge("Negotiate abc==") == "other Negotiate");
    CHECK(judge("AWS4-HMAC-SHA256 Credential=a") == "other AWS4-HMAC-SHA256");
    CHECK(judge("BasicYTpi") == "other BasicYTpi");
    CHECK(judge("Basi YTpi") == "other Basi");
    for (auto const value : {"", " ", " Basic YTpi", "Basic\tYTpi", "Basic,YTpi", "\"Basic\" YTpi",
                             "Basic: YTpi", "Basic=YTpi", "Bas/ic a", "\xc3 a"}) {
        INFO(value);
        CHECK(judge(value) == "malformed: the authentication scheme is not a token");
    }
}

TEST_CASE("no field, one field and several in a head are distinguished") {
    std::array<char, 64> storage{};
    auto const judge_head = [&](std::string_view lines) {
        auto const parsed =
            parse_request("GET / HTTP/1.1\r\nHost: a\r\n" + std::string{lines} + "\r\n");
        REQUIRE(!parsed.refused);
        return describe(parse_authorization(parsed.head->fields, storage));
    };
    CHECK(judge_head("") == "none");
    CHECK(judge_head("authorization:\tBasic YTpi \r\n") == "basic a|b");
    CHECK(judge_head("Authorization: Basic YTpi\r\nAuthorization: Basic YTpi\r\n")
          == "malformed: the Authorization field is repeated");
    CHECK(judge_head("Authorization: Bearer a\r\nauthorization:\r\n")
          == "malformed: the Authorization field is repeated");
    CHECK(judge_head("Authorization:\r\n")
          == "malformed: the authentication scheme is not a token");
}

TEST_CASE("credentials that do not fit the storage are refused, never cut") {
    std::array<char, 3> storage{};
    CHECK(describe(parse_authorization("Basic YTpi", storage)) == "basic a|b");
    CHECK(describe(parse_authorization("Basic YTpiYw==", storage))
          == "malformed: the Basic credentials are not base64");
    std::array<char, 9> small{};
    CHECK(!spell_authorization(BasicCredentials{"a", "b", "YTpi"}, small));
    CHECK(!spell_authorization(BearerToken{"abcd"}, small));
    CHECK(!spell_basic("a", "b", small));
    std::array<char, 10> enough{};
    CHECK(spell_authorization(BasicCredentials{"a", "b", "YTpi"}, enough) == "Basic YTpi");
    CHECK(spell_basic("a", "b", enough) == "Basic YTpi");
}

TEST_CASE("credentials are forwarded in canonical form") {
    std::array<char, 256> storage{};
    std::array<char, 256> spelled{};
    auto const spell = [&](std::string_view value) {
        return spell_authorization(parse_authorization(value, storage), spelled);
    };
    CHECK(spell("bASIC   YTpi") == "Basic YTpi");
    CHECK(spell("bearer  abc=") == "Bearer abc=");
    CHECK(!spell("Digest a"));
    CHECK(!spell("Basic x"));
    CHECK(!spell_authorization(NoAuthorization{}, spelled));
}

TEST_CASE("a configured credential is encoded by RFC 7617") {
    std::array<char, 256> storage{};
    CHECK(spell_basic("a", "b", storage) == "Basic YTpi");
    CHECK(spell_basic("a", "bc", storage) == "Basic YTpiYw==");
    CHECK(spell_basic("a", "bcd", storage) == "Basic YTpiY2Q=");
    CHECK(spell_basic("Aladdin", "open sesame", storage) == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
    CHECK(spell_basic("a", "b:c", storage) == "Basic YTpiOmM=");
    CHECK(!spell_basic("a:b", "c", storage));
    CHECK(!spell_basic("a\n", "c", storage));
    CHECK(!spell_basic("a", "\xff", storage));
    for (auto const secret : {"", "x", "xy", "xyz", "\xe2\x82\xac?>~"}) {
        std::array<char, 256> decoded{};
        auto const parsed =
            parse_authorization(spell_basic("id", secret, storage).value(), decoded);
        CHECK(describe(parsed) == "basic id|"s + secret);
    }
}

} // namespace authorization
