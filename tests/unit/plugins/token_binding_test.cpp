// To which certificate the claims of a token bind it, and with which connections it may be used.
#include "plugins/token_binding.h"

#include "gateway/pipeline/client_certificate.h"
#include "tests/support/token_signer.h"
#include "tests/unit/pipeline/double.h"

#include <catch2/catch.hpp>

#include <optional>

namespace token_binding_test {

using namespace sallyport;
using namespace sallyport::plugins;

namespace {

pipeline::Digest digest(std::uint8_t byte) {
    pipeline::Digest out;
    out.fill(byte);
    return out;
}

std::string print(std::uint8_t byte) {
    return sallyport::test::encode_base64url(std::string(32, static_cast<char>(byte)));
}

// "not bound", "bound", or why it is refused.
std::string binding(std::string const& claims,
                    CertificateBound bound = CertificateBound::if_present) {
    simdjson::dom::parser parser;
    simdjson::dom::object object;
    REQUIRE(parser.parse(claims).get(object) == simdjson::SUCCESS);
    auto const read = read_binding(object, bound);
    if (!read.why.empty()) {
        CHECK(read.certificate == nullptr);
        return std::string{read.why};
    }
    if (read.certificate == nullptr) return "not bound";
    CHECK(*read.certificate == digest(7));
    return "bound";
}

std::string of_member(std::string const& confirmation) {
    return binding("{\"cnf\":" + confirmation + '}');
}

bool may_use_with(std::optional<std::uint8_t> certificate, std::optional<std::uint8_t> bound_to) {
    pipeline::test::Fixture fixture{"GET / HTTP/1.1\r\nHost: h\r\n\r\n"};
    fixture.client.certificate = std::make_shared<pipeline::ClientCertificate>();
    if (certificate) {
        net::PeerCertificate facts;
        facts.fingerprint = digest(*certificate);
        fixture.client.certificate->facts =
            std::make_unique<net::PeerCertificate const>(std::move(facts));
    }
    pipeline::Identity caller;
    if (bound_to) caller.bound_to = std::make_shared<pipeline::Digest const>(digest(*bound_to));
    return may_use(fixture.exchange.request, caller);
}

} // namespace

TEST_CASE("what binds a token to something that is not understood refuses it") {
    constexpr auto nothing = "`cnf` of the token names no key";
    for (std::string const wrong : {"{}", "null", "[]", "true", "\"x5t#S256\""})
        CHECK(of_member(wrong) == nothing);
    constexpr auto other = "the token is bound to something else than a certificate";
    CHECK(of_member(R"({"jkt":"a"})") == other);
    CHECK(of_member(R"({"x5t":")" + print(7) + "\"}") == other);
    CHECK(of_member(R"({"x5t#S256":")" + print(7) + R"(","jkt":"a"})") == other);
    CHECK(of_member(R"({"jwk":{"kty":"EC"},"x5t#S256":")" + print(7) + "\"}") == other);
    constexpr auto no_digest = "`x5t#S256` of the token is no SHA-256 in base64url";
    for (std::string const& wrong :
         {print(7) + '=', print(7).substr(1), print(7).substr(0, 42) + "d", std::string{},
          sallyport::test::encode_base64url(std::string(33, '\7')),
          sallyport::test::encode_base64url(std::string(20, '\7')), std::string(64, '0')}) {
        CAPTURE(wrong);
        CHECK(of_member(R"({"x5t#S256":")" + wrong + "\"}") == no_digest);
    }
    CHECK(of_member(R"({"x5t#S256":7})") == no_digest);
    CHECK(of_member(R"({"x5t#S256":null})") == no_digest);
}

TEST_CASE("a token is bound by cnf, or not, and only where that is required has to be") {
    auto const bound = R"({"cnf":{"x5t#S256":")" + print(7) + "\"}}";
    CHECK(binding(bound) == "bound");
    CHECK(binding(bound, CertificateBound::required) == "bound");
    CHECK(binding(R"({"sub":"alice"})") == "not bound");
    CHECK(binding(R"({"sub":"alice"})", CertificateBound::required)
          == "the token has no `cnf`, and `certificate_bound` requires it");
}

TEST_CASE("a caller that is bound may be used with its certificate alone, another one with any") {
    CHECK(may_use_with(7, 7));
    CHECK_FALSE(may_use_with(8, 7));
    CHECK_FALSE(may_use_with(std::nullopt, 7));
    CHECK(may_use_with(8, std::nullopt));
    CHECK(may_use_with(std::nullopt, std::nullopt));
    pipeline::test::Fixture plain{"GET / HTTP/1.1\r\nHost: h\r\n\r\n"}; // no listener that asks
    pipeline::Identity caller;
    CHECK(may_use(plain.exchange.request, caller));
    caller.bound_to = std::make_shared<pipeline::Digest const>(digest(7));
    CHECK_FALSE(may_use(plain.exchange.request, caller));
}

} // namespace token_binding_test
