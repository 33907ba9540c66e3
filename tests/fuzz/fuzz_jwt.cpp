// Fuzzes tokens: what is parsed has one spelling, nothing is verified that was not signed, and no
// two readers find different values in it.
#include "check.h"

#include "gateway/jose/base64url.h"
#include "gateway/jose/claims.h"
#include "gateway/jose/jws.h"

#include <openssl/evp.h>

#include <array>
#include <string>
#include <vector>

namespace {

using namespace sallyport::jose;
using sallyport::fuzz::check;
using sallyport::fuzz::Copy;
using sallyport::fuzz::view_of;

std::string encode(std::string_view bytes) {
    std::vector<unsigned char> text(4 * ((bytes.size() + 2) / 3) + 1);
    auto const size =
        EVP_EncodeBlock(text.data(), reinterpret_cast<unsigned char const*>(bytes.data()),
                        static_cast<int>(bytes.size()));
    std::string out{reinterpret_cast<char const*>(text.data()), static_cast<std::size_t>(size)};
    while (out.ends_with('='))
        out.pop_back();
    for (char& c : out)
        c = c == '+' ? '-' : c == '/' ? '_' : c;
    return out;
}

// RFC 7515, A.1 and A.3; RFC 8037, A.2: an issuer that has signed nothing but these examples.
KeySet const& keys() {
    static auto const read = [] {
        constexpr std::array algorithms{Algorithm::es256, Algorithm::eddsa};
        return read_key_set(R"({"keys":[{"kty":"EC","crv":"P-256","kid":"a",)"
                            R"("x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",)"
                            R"("y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"},)"
                            R"({"kty":"OKP","crv":"Ed25519","kid":"b",)"
                            R"("x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]})",
                            algorithms);
    }();
    return *read.keys;
}

constexpr std::array<std::string_view, 2> signed_parts{
    "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNv"
    "bS9pc19yb290Ijp0cnVlfQ",
    "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc"};

// The texts of a document's names, at every depth: the first of each is the only one.
void check_names(simdjson::dom::object object);

void check_names(simdjson::dom::element value) {
    simdjson::dom::array list;
    if (value.get_array().get(list) == simdjson::SUCCESS) {
        for (auto const one : list)
            check_names(one);
    }
    simdjson::dom::object object;
    if (value.get_object().get(object) == simdjson::SUCCESS) check_names(object);
}

void check_names(simdjson::dom::object object) {
    std::size_t at = 0;
    for (auto const member : object) {
        std::size_t before = 0;
        for (auto const other : object) {
            if (before++ == at) break;
            check(other.key != member.key, "a name is there once");
        }
        ++at;
        check_names(member.value);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    Copy const input{view_of(data, size)};
    auto const token = input.view();
    JwsReader reader;
    auto const parsed = reader.parse(token);
    if (parsed.refusal.fault != Fault::none) {
        check(!parsed.refusal.why.empty(), "a refusal has a reason");
    } else {
        auto const dot = parsed.signed_part.find('.');
        auto const header = decode_base64url(parsed.signed_part.substr(0, dot));
        check(header.has_value(), "a header is base64url");
        check(encode(*header) + '.' + encode(parsed.payload) + '.' + encode(parsed.signature)
                  == token,
              "a token has one spelling");
        bool const is_verified = verify(parsed, keys()).fault == Fault::none;
        bool const was_signed =
            parsed.signed_part == signed_parts[0] || parsed.signed_part == signed_parts[1];
        check(!is_verified || was_signed, "only what was signed is verified");
    }
    // As the payload of a token whose signature is right.
    auto const text = parsed.refusal.fault == Fault::none ? parsed.payload : std::string{token};
    auto const claims = reader.read_payload(text);
    if (!claims) return 0;
    check_names(*claims);
    Expectations expected;
    expected.issuers = {"joe"};
    expected.audiences = {"a"};
    expected.required = {{"/r/0", {"x"}}};
    auto const now = TimePoint{std::chrono::seconds{1'300'000'000}};
    auto const checked = sallyport::jose::check(Header{}, *claims, expected, now);
    if (checked.refusal.fault != Fault::none) return 0;
    check(text_member(*claims, "iss") == "joe", "the issuer is the expected one");
    check(has_member(*claims, "exp") && has_member(*claims, "aud"), "what is required is there");
    check(checked.until > now, "a token that is taken has not expired");
    return 0;
}
