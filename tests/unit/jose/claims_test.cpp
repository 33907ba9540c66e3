// Claims: each one that is expected, missing, of another type, too early and too late.
#include "gateway/jose/claims.h"

#include <catch2/catch.hpp>

namespace claims_test {

using namespace sallyport::jose;
using std::chrono::seconds;
using WallClock = std::chrono::system_clock;

namespace {

constexpr auto now = TimePoint{seconds{1'800'000'000}};

Expectations expectations() {
    Expectations expected;
    expected.issuers = {"https://issuer.example"};
    expected.audiences = {"api", "second"};
    return expected;
}

Checked check_text(std::string const& text, Expectations const& expected = expectations(),
                   Header const& header = {}) {
    JwsReader reader;
    auto const claims = reader.read_payload(text);
    REQUIRE(claims);
    return check(header, *claims, expected, now);
}

Fault fault(std::string const& text, Expectations const& expected = expectations(),
            Header const& header = {}) {
    return check_text(text, expected, header).refusal.fault;
}

// Right claims, of which one has another value; an empty value: it is missing.
std::string claims(std::string_view name = {}, std::string_view value = {}) {
    std::string out = "{";
    auto const add = [&](std::string_view one, std::string_view right) {
        auto const text = one == name ? value : right;
        if (!text.empty()) out.append(R"(")").append(one).append("\":").append(text) += ',';
    };
    add("iss", R"("https://issuer.example")");
    add("aud", R"("api")");
    add("exp", "1800000060");
    bool const is_other = name != "iss" && name != "aud" && name != "exp" && !name.empty();
    if (is_other) add(name, value);
    out.back() = '}';
    return out;
}

} // namespace

TEST_CASE("a token of another issuer, or of none, is refused") {
    CHECK(fault(claims()) == Fault::none);
    for (auto const* const issuer :
         {"", "null", R"("")", R"("https://issuer.example/")", R"("HTTPS://issuer.example")",
          R"(["https://issuer.example"])", R"({"a":1})", "1"}) {
        CAPTURE(issuer);
        CHECK(fault(claims("iss", issuer)) == Fault::claim);
    }
}

TEST_CASE("a token for another audience, or for none, is refused") {
    for (auto const* const audience :
         {"", "null", R"("other")", R"("API")", R"("api second")", "[]", R"(["other"])",
          R"(["api",1])", R"([["api"]])", R"({"api":true})", "true"}) {
        CAPTURE(audience);
        CHECK(fault(claims("aud", audience)) == Fault::claim);
    }
    CHECK(fault(claims("aud", R"(["other","second"])")) == Fault::none);
}

TEST_CASE("a token without a time at which it expires is refused, and from that time on") {
    for (auto const* const expires :
         {"", "null", R"("1800000060")", "-1", "1e300", "true", "[1800000060]"}) {
        CAPTURE(expires);
        CHECK(fault(claims("exp", expires)) == Fault::claim);
    }
    CHECK(fault(claims("exp", "1799999970")) == Fault::expired); // 30 s ago
    CHECK(fault(claims("exp", "1799999971")) == Fault::none);
    CHECK(fault(claims("exp", "1799999970.5")) == Fault::none);
    CHECK(fault(claims("exp", "0")) == Fault::expired);
    auto exact = expectations();
    exact.leeway = seconds{0};
    CHECK(fault(claims("exp", "1800000000"), exact) == Fault::expired);
    CHECK(fault(claims("exp", "1800000001"), exact) == Fault::none);
}

TEST_CASE("a token that is not valid yet, or was issued in the future, is refused") {
    for (auto const* const name : {"nbf", "iat"}) {
        CAPTURE(name);
        CHECK(fault(claims(name, "1800000031")) == Fault::not_yet_valid);
        CHECK(fault(claims(name, "1800000030")) == Fault::none);
        CHECK(fault(claims(name, R"("1800000000")")) == Fault::claim);
        CHECK(fault(claims(name, "-5")) == Fault::claim);
        CHECK(fault(claims(name, "null")) == Fault::claim);
    }
}

TEST_CASE("a token is known until it expires, with the leeway") {
    CHECK(check_text(claims()).until == now + seconds{90});
    auto const far = check_text(claims("exp", "9007199254740991")).until;
    CHECK(far > now + std::chrono::hours{24 * 365 * 99});
    CHECK(far < now + std::chrono::hours{24 * 365 * 101});
}

TEST_CASE("only the types that are expected are taken") {
    auto const with_type = [](std::optional<std::string> type, ExpectedTypes types) {
        auto expected = expectations();
        expected.types = types;
        Header header;
        header.type = std::move(type);
        return fault(claims(), expected, header);
    };
    ExpectedTypes const only_access{.at_jwt = true, .jwt = false, .absent = false};
    CHECK(with_type("at+jwt", only_access) == Fault::none);
    CHECK(with_type("application/AT+JWT", only_access) == Fault::none);
    CHECK(with_type("JWT", only_access) == Fault::claim);
    CHECK(with_type(std::nullopt, only_access) == Fault::claim);
    CHECK(with_type("jwt", {}) == Fault::none);
    CHECK(with_type(std::nullopt, {}) == Fault::none);
    CHECK(with_type("logout+jwt", {}) == Fault::claim);
    CHECK(with_type("JOSE", {}) == Fault::claim);
    CHECK(with_type(std::nullopt, {.at_jwt = true, .jwt = true, .absent = false}) == Fault::claim);
    CHECK(with_type("JWT", {.at_jwt = true, .jwt = false, .absent = true}) == Fault::claim);
}

TEST_CASE("required claims have one of their values, also inside of others and in lists") {
    auto expected = expectations();
    expected.required = {{"/resource/roles", {"reader", "writer"}}};
    auto const of = [&](std::string_view value) {
        return fault(claims("resource", value), expected);
    };
    CHECK(of("") == Fault::claim);
    CHECK(of(R"({"roles":"writer"})") == Fault::none);
    CHECK(of(R"({"roles":["a","reader"]})") == Fault::none);
    CHECK(of(R"({"roles":["a"]})") == Fault::claim);
    CHECK(of(R"({"roles":[]})") == Fault::claim);
    CHECK(of(R"({"roles":[["reader"]]})") == Fault::claim);
    CHECK(of(R"({"roles":{"reader":1}})") == Fault::claim);
    CHECK(of(R"("reader")") == Fault::claim);
    expected.required = {{"https://example.com/verified", {"true"}}};
    CHECK(fault(claims("https://example.com/verified", "true"), expected) == Fault::none);
    CHECK(fault(claims("https://example.com/verified", "false"), expected) == Fault::claim);
    CHECK(fault(claims("https://example.com/verified", "null"), expected) == Fault::claim);
}

TEST_CASE("words are the texts of a list, or those between spaces") {
    using Words = std::vector<std::string_view>;
    JwsReader reader;
    auto const of = [&](std::string const& value) {
        auto const object = reader.read_payload("{\"w\":" + value + '}');
        REQUIRE(object);
        return words_of(*find_claim(*object, "w"));
    };
    CHECK(of(R"("a b")") == Words{"a", "b"});
    CHECK(of(R"("  a  b ")") == Words{"a", "b"});
    CHECK(of(R"("")") == Words{});
    CHECK(of(R"(["a b","c"])") == Words{"a b", "c"});
    CHECK_FALSE(of(R"(["a",1])"));
    CHECK_FALSE(of("1"));
    CHECK_FALSE(of("{}"));
}

} // namespace claims_test
