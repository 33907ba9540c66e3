// Attacks on tokens that have worked against libraries (RFC 8725, 2), each in the way in which it
// was made.
#include "gateway/jose/jws.h"

#include "gateway/jose/base64url.h"
#include "tests/unit/jose/signer.h"

#include <catch2/catch.hpp>

namespace attacks_test {

using namespace sallyport::jose;
using sallyport::jose::test::encode_base64url;
using sallyport::jose::test::key_set;
using sallyport::jose::test::Signer;

namespace {

constexpr std::string_view payload = R"({"sub":"x"})";

Fault fault_of(std::string_view token, KeySet const& keys) {
    JwsReader reader;
    auto const parsed = reader.parse(token);
    return parsed.refusal.fault != Fault::none ? parsed.refusal.fault : verify(parsed, keys).fault;
}

struct Issuer {
    Signer rsa{Algorithm::rs256, "rsa"};
    Signer ec{Algorithm::es256, "ec"};
    Signer mac{Algorithm::hs256, "mac"};
    std::shared_ptr<KeySet const> keys =
        read_key_set(key_set({rsa.jwk(), ec.jwk(), mac.jwk()}), algorithms).keys;

    static constexpr std::array<Algorithm, 4> algorithms{Algorithm::rs256, Algorithm::ps256,
                                                         Algorithm::es256, Algorithm::hs256};

    Fault of(std::string_view token) const { return fault_of(token, *keys); }
};

Issuer const& issuer() {
    static Issuer const one;
    return one;
}

// A token whose code is made with a text as the secret.
std::string with_mac_of(std::string const& secret, std::string_view header) {
    auto const text = encode_base64url(header) + '.' + encode_base64url(payload);
    unsigned char mac[EVP_MAX_MD_SIZE];
    std::size_t size = 0;
    EVP_Q_mac(nullptr, "HMAC", nullptr, "SHA256", nullptr, secret.data(), secret.size(),
              reinterpret_cast<unsigned char const*>(text.data()), text.size(), mac, sizeof mac,
              &size);
    return text + '.' + encode_base64url({reinterpret_cast<char*>(mac), size});
}

} // namespace

TEST_CASE(
    "tokens of the issuer are verified, so that the attacks below fail for their own reason") {
    for (auto const* const signer : {&issuer().rsa, &issuer().ec, &issuer().mac})
        CHECK(issuer().of(signer->token(payload)) == Fault::none);
}

TEST_CASE("alg none: a token without a signature is refused, in every spelling") {
    for (std::string_view const none : {"none", "None", "NONE", "nOnE", "", "null"}) {
        CAPTURE(none);
        auto const header = R"({"alg":")" + std::string{none} + R"(","kid":"rsa"})";
        auto const text = encode_base64url(header) + '.' + encode_base64url(payload);
        CHECK(issuer().of(text + '.') != Fault::none);
        CHECK(issuer().of(text + ".AA") != Fault::none);
        CHECK(issuer().of(text) != Fault::none);
    }
}

TEST_CASE("alg confusion: the public key is no secret for HS256") {
    for (auto const& secret : {issuer().rsa.pem(), issuer().ec.pem(), issuer().rsa.jwk()}) {
        for (std::string_view const kid : {"rsa", "ec", "mac"}) {
            auto const header = R"({"alg":"HS256","kid":")" + std::string{kid} + "\"}";
            CHECK(issuer().of(with_mac_of(secret, header)) == Fault::signature);
        }
        CHECK(issuer().of(with_mac_of(secret, R"({"alg":"HS256"})")) == Fault::signature);
    }
}

TEST_CASE("alg confusion: a key for RS256 verifies no PS256, and no other algorithm of the list") {
    auto const& rsa = issuer().rsa;
    for (std::string_view const alg : {"PS256", "ES256", "HS256", "RS384", "RS512", "EdDSA"}) {
        CAPTURE(alg);
        auto const header = R"({"alg":")" + std::string{alg} + R"(","kid":"rsa"})";
        CHECK(issuer().of(rsa.token(header, payload)) == Fault::signature);
        CHECK(issuer().of(rsa.token(R"({"alg":")" + std::string{alg} + "\"}", payload))
              == Fault::signature);
    }
}

TEST_CASE("a key from the header is not used, however it is given") {
    Signer const attacker{Algorithm::rs256, "rsa"};
    for (auto const& member :
         {R"("jwk":)" + attacker.jwk(), std::string{R"("jku":"https://attacker.example/keys")"},
          std::string{R"("x5u":"https://attacker.example/chain")"},
          std::string{R"("x5c":["MIIB"])"}, std::string{R"("x5t":"AAAA")"}}) {
        CAPTURE(member);
        auto const header = R"({"alg":"RS256","kid":"rsa",)" + member + '}';
        CHECK(issuer().of(attacker.token(header, payload)) == Fault::signature);
        // They are not read, so that they are no mistake of an issuer that writes them.
        CHECK(issuer().of(issuer().rsa.token(header, payload)) == Fault::none);
    }
}

TEST_CASE("kid injection: a `kid` is compared, and nothing else") {
    Signer const attacker{Algorithm::rs256, "rsa"};
    for (std::string_view const kid :
         {"../../../dev/null", "/dev/null", "x' UNION SELECT 'secret", "rsa\\u0000", "RSA", "rsa ",
          "https://attacker.example", "%72sa", "0"}) {
        CAPTURE(kid);
        auto const header = R"({"alg":"RS256","kid":")" + std::string{kid} + "\"}";
        CHECK(issuer().of(attacker.token(header, payload)) == Fault::signature);
        CHECK(issuer().of(issuer().rsa.token(header, payload)) == Fault::signature);
        auto const mac = R"({"alg":"HS256","kid":")" + std::string{kid} + "\"}";
        CHECK(issuer().of(with_mac_of("", mac)) == Fault::signature);
    }
    for (std::string_view const kid : {"1", "null", "[]", "{}", "\"\"", "[\"rsa\"]"}) {
        CAPTURE(kid);
        auto const header = R"({"alg":"RS256","kid":)" + std::string{kid} + '}';
        CHECK(issuer().of(issuer().rsa.token(header, payload)) == Fault::malformed);
    }
    auto const long_kid = R"({"alg":"RS256","kid":")" + std::string(257, 'k') + "\"}";
    CHECK(issuer().of(issuer().rsa.token(long_kid, payload)) == Fault::malformed);
}

TEST_CASE("a stripped, cut or foreign signature is refused") {
    for (auto const* const signer : {&issuer().rsa, &issuer().ec, &issuer().mac}) {
        auto const token = signer->token(payload);
        auto const text = token.substr(0, token.rfind('.'));
        CHECK(issuer().of(text) == Fault::malformed);
        CHECK(issuer().of(text + '.') == Fault::signature);
        CHECK(issuer().of(token.substr(0, token.size() - 4)) != Fault::none);
        CHECK(issuer().of(token + "AAAA") != Fault::none);
        auto const other = signer->token(R"({"sub":"y"})");
        CHECK(issuer().of(text + other.substr(other.rfind('.'))) == Fault::signature);
    }
}

TEST_CASE("psychic signatures: zeros are no signature") {
    auto const token = issuer().ec.token(payload);
    auto const text = token.substr(0, token.rfind('.') + 1);
    CHECK(issuer().of(text + encode_base64url(std::string(64, '\0'))) == Fault::signature);
    CHECK(issuer().of(text + "MAYCAQACAQA") == Fault::signature); // the same in DER
}

TEST_CASE("a header or payload that two readers read in two ways is refused") {
    auto const& rsa = issuer().rsa;
    for (std::string_view const header :
         {R"({"alg":"RS256","alg":"none"})", R"({"alg":"none","alg":"RS256"})",
          R"({"alg":"RS256","\u0061lg":"none"})", R"({"alg":"RS256","kid":"a","kid":"rsa"})",
          R"(["RS256"])", R"("RS256")", R"({"alg":["RS256"]})", R"({"alg":1})", "{}", "",
          R"({"alg":"RS256"}{})", R"({"alg":"RS256",})", "{\"alg\":\"RS256\"}\n\nx"}) {
        CAPTURE(header);
        CHECK(issuer().of(rsa.token(header, payload)) == Fault::malformed);
    }
    JwsReader reader;
    for (std::string_view const claims :
         {R"({"sub":"a","sub":"b"})", R"({"a":{"b":1,"b":2}})", "[]", "1", "", R"({"a":})"})
        CHECK_FALSE(reader.read_payload(claims));
}

TEST_CASE("extensions that change what is signed are refused, understood or not") {
    auto const& rsa = issuer().rsa;
    for (std::string_view const member :
         {R"("crit":["b64"],"b64":false)", R"("b64":false)", R"("b64":true)", R"("crit":[])",
          R"("crit":["exp"])", R"("crit":null)", R"("enc":"A128GCM")", R"("zip":"DEF")"}) {
        CAPTURE(member);
        auto const header = R"({"alg":"RS256","kid":"rsa",)" + std::string{member} + '}';
        CHECK(issuer().of(rsa.token(header, payload)) == Fault::malformed);
    }
}

TEST_CASE("bad base64url in any part is refused") {
    auto const token = issuer().ec.token(payload);
    auto const first = token.find('.');
    auto const second = token.find('.', first + 1);
    for (auto const at : {std::size_t{0}, first, second, token.size()}) {
        for (std::string_view const bad : {"=", "==", " ", "\n", "+", "/", "%", "\x80", "A"}) {
            auto changed = token;
            changed.insert(at, bad);
            CAPTURE(at, bad);
            CHECK(issuer().of(changed) != Fault::none);
        }
    }
    // Another spelling of the same bytes, were the last bits ignored.
    auto last = token;
    auto const c = last.back();
    last.back() = c == 'A' ? 'B' : c == 'Q' ? 'R' : c == 'g' ? 'h' : 'x';
    CHECK(issuer().of(last) != Fault::none);
}

TEST_CASE("a token with more or fewer parts is malformed") {
    auto const token = issuer().rsa.token(payload);
    auto const json = R"({"payload":"eyJhIjoxfQ","signature":"AA","protected":"e30"})";
    for (auto const& text : {std::string{}, std::string{"."}, std::string{".."}, std::string{"..."},
                             token + '.', token + ".AA.AA", '.' + token, std::string{json}}) {
        CAPTURE(text);
        CHECK(issuer().of(text) == Fault::malformed);
    }
}

TEST_CASE("huge tokens are refused before anything of them is decoded") {
    auto const& mac = issuer().mac;
    auto const of_size = [&mac](std::size_t size) {
        auto const rest = mac.token("{\"a\":\"\"}").size();
        auto token = mac.token("{\"a\":\"" + std::string((size - rest) * 3 / 4, 'x') + "\"}");
        return token;
    };
    auto const fits = of_size(longest_token);
    REQUIRE(fits.size() <= longest_token);
    REQUIRE(fits.size() > longest_token - 4);
    CHECK(issuer().of(fits) == Fault::none);
    CHECK(issuer().of(of_size(longest_token + 8)) == Fault::malformed);
    CHECK(issuer().of(std::string(1 << 20, 'A')) == Fault::malformed);
    auto const wide = R"({"alg":"HS256","kid":"mac","x":")" + std::string(4096, 'x') + "\"}";
    CHECK(issuer().of(mac.token(wide, payload)) == Fault::malformed);
    auto const deep = R"({"alg":"HS256","kid":"mac","x":[[[[]]]]})";
    CHECK(issuer().of(mac.token(deep, payload)) == Fault::malformed);
    JwsReader reader;
    CHECK_FALSE(reader.read_payload("{\"a\":" + std::string(8, '[') + std::string(8, ']') + '}'));
    CHECK(reader.read_payload("{\"a\":" + std::string(7, '[') + std::string(7, ']') + '}'));
}

TEST_CASE("what looks like a token is decided by its first characters and its dots") {
    CHECK(looks_like_jws(issuer().rsa.token(payload)));
    CHECK(looks_like_jws("eyJ.x.y"));
    CHECK(looks_like_jws("ewogIA.x."));   // `{` and a line break
    CHECK(looks_like_jws("eyJ.a.b.c.d")); // encrypted: for no other reader either
    CHECK_FALSE(looks_like_jws("eyJ.x")); // one dot
    CHECK_FALSE(looks_like_jws("eyJhbGciOiJSUzI1NiJ9"));
    CHECK_FALSE(looks_like_jws("SG.abc.def")); // a token of a mail service
    CHECK_FALSE(looks_like_jws("abc.def.ghi"));
    CHECK_FALSE(looks_like_jws("eA.x.y"));
    CHECK_FALSE(looks_like_jws(".."));
    CHECK_FALSE(looks_like_jws(""));
}

} // namespace attacks_test
