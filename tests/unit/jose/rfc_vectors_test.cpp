// The published examples of RFC 7515 (appendix A), RFC 7520 (section 4) and RFC 8037 (appendix A).
#include "gateway/jose/jws.h"

#include <catch2/catch.hpp>

namespace rfc_vectors_test {

using namespace sallyport::jose;

namespace {

// RFC 7515, A.1.1
constexpr std::string_view a1_token =
    "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0"
    "dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
constexpr std::string_view a1_key =
    R"({"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4h)"
    R"(cgUuTwjAzZr1Z9CAow"})";

// RFC 7515, A.2.1
constexpr std::string_view a2_token =
    "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNv"
    "bS9pc19yb290Ijp0cnVlfQ.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4"
    "Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xB"
    "ArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1"
    "phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw";
constexpr std::string_view a2_key =
    R"({"kty":"RSA","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw)"
    R"(-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb)"
    R"(_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uD)"
    R"(Zlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW)"
    R"(9gb54h4FRWyuXpoQ","e":"AQAB"})";

// RFC 7515, A.3.1
constexpr std::string_view a3_token =
    "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNv"
    "bS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfK"
    "TUJqPP3-Kg6NU1Q";
constexpr std::string_view a3_key =
    R"({"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEz)"
    R"(Ru9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"})";

// RFC 7515, A.4.1 and A.5
constexpr std::string_view a4_token =
    "eyJhbGciOiJFUzUxMiJ9.UGF5bG9hZA.AdwMgeerwtHoh-l192l60hp9wAHZFVJbLfD_UxMi70cwnZOYaRI1bKPWROc-mZ"
    "ZqwqT2SI-KGDKB34XO0aw_7XdtAG8GaSwFKdCAPZgoXD2YBJZCPEX3xKpRwcdOO8KpEHwJjyqOgzDO7iKvU8vcnwNrmxY"
    "bSW9ERBXukOXolLzeO_Jn";
constexpr std::string_view a5_token =
    "eyJhbGciOiJub25lIn0.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvb"
    "S9pc19yb290Ijp0cnVlfQ.";

// RFC 8037, A.2 and A.4
constexpr std::string_view ed_token =
    "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3"
    "AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
constexpr std::string_view ed_key =
    R"({"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})";

// RFC 7520, 3.3, 4.1.3; 3.5, 4.4.3
constexpr std::string_view cookbook_rsa_token =
    "eyJhbGciOiJSUzI1NiIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9.SXTigJlzIGEgZGFuZ2Vyb"
    "3VzIGJ1c2luZXNzLCBGcm9kbywgZ29pbmcgb3V0IHlvdXIgZG9vci4gWW91IHN0ZXAgb250byB0aGUgcm9hZCwgYW5kIGl"
    "mIHlvdSBkb24ndCBrZWVwIHlvdXIgZmVldCwgdGhlcmXigJlzIG5vIGtub3dpbmcgd2hlcmUgeW91IG1pZ2h0IGJlIHN3Z"
    "XB0IG9mZiB0by4.MRjdkly7_-oTPTS3AXP41iQIGKa80A0ZmTuV5MEaHoxnW2e5CZ5NlKtainoFmKZopdHM1O2U4mwzJdQ"
    "x996ivp83xuglII7PNDi84wnB-BDkoBwA78185hX-Es4JIwmDLJK3lfWRa-XtL0RnltuYv746iYTh_qHRD68BNt1uSNCrU"
    "CTJDt5aAE6x8wW1Kt9eRo4QPocSadnHXFxnt8Is9UzpERV0ePPQdLuW3IS_de3xyIrDaLGdjluPxUAhb6L2aXic1U12pod"
    "GU0KLUQSE_oI-ZnmKJ3F4uOZDnd6QZWJushZ41Axf_fcIe8u9ipH84ogoree7vjbU5y18kDquDg";
constexpr std::string_view cookbook_rsa_keys =
    R"({"keys":[{"kty":"RSA","kid":"bilbo.baggins@hobbiton.example","use":"sig","n":"n4EPtAOC)"
    R"(c9AlkeQHPzHStgAbgs7bTZLwUBZdR8_KuKPEHLd4rHVTeT-O-XV2jRojdNhxJWTDvNd7nqQ0VEiZQHz_AJmSCp)"
    R"(MaJMRBSFKrKb2wqVwGU_NsYOYL-QtiWN2lbzcEe6XC0dApr5ydQLrHqkHHig3RBordaZ6Aj-oBHqFEHYpPe7Tp)"
    R"(e-OfVfHd1E6cS6M1FZcD1NNLYD5lFHpPI9bTwJlsde3uhGqC0ZCuEHg8lhzwOHrtIQbS0FVbb9k3-tVTU4fg_3)"
    R"(L_vniUFAKwuCLqKnS2BYwdq_mzSnbLY7h_qixoR7jig3__kRhuaxwUkRz5iaiQkqgc5gHdrNP5zw","e":"AQA)"
    R"(B"}]})";
constexpr std::string_view cookbook_mac_token =
    "eyJhbGciOiJIUzI1NiIsImtpZCI6IjAxOGMwYWU1LTRkOWItNDcxYi1iZmQ2LWVlZjMxNGJjNzAzNyJ9.SXTigJlzIGEgZ"
    "GFuZ2Vyb3VzIGJ1c2luZXNzLCBGcm9kbywgZ29pbmcgb3V0IHlvdXIgZG9vci4gWW91IHN0ZXAgb250byB0aGUgcm9hZCw"
    "gYW5kIGlmIHlvdSBkb24ndCBrZWVwIHlvdXIgZmVldCwgdGhlcmXigJlzIG5vIGtub3dpbmcgd2hlcmUgeW91IG1pZ2h0I"
    "GJlIHN3ZXB0IG9mZiB0by4.s0h6KThzkfBBBkLspW1h84VsJZFTsPPqMDA7g1Md7p0";
constexpr std::string_view cookbook_mac_key =
    R"({"kty":"oct","kid":"018c0ae5-4d9b-471b-bfd6-eef314bc7037","use":"sig","alg":"HS256","k)"
    R"(":"hJtXIZ2uSN5kbQfbtTNWbpdmhkV8FJG-Onbc6mxCcYg"})";

Fault fault_of(std::string_view token, std::string_view keys, Algorithm algorithm) {
    std::array<Algorithm, 1> const algorithms{algorithm};
    auto const read = read_key_set(keys, algorithms);
    for (auto const& problem : read.problems)
        UNSCOPED_INFO(problem);
    REQUIRE(read.keys);
    JwsReader reader;
    auto const parsed = reader.parse(token);
    return parsed.refusal.fault != Fault::none ? parsed.refusal.fault
                                               : verify(parsed, *read.keys).fault;
}

// Each byte of the signed part and of the signature changed, one after the other, by its last bit
// but two: padding bits stay as they are.
void check_changes(std::string_view token, std::string_view keys, Algorithm algorithm) {
    for (std::size_t at = token.find('.') + 1; at < token.size(); at += 11) {
        if (token[at] == '.') continue;
        std::string changed{token};
        changed[at] = token[at] == 'A' ? 'B' : 'A';
        CAPTURE(at);
        CHECK(fault_of(changed, keys, algorithm) != Fault::none);
    }
}

} // namespace

TEST_CASE("the published examples that are signed are verified, and no change of them is") {
    struct Row {
        std::string_view token, keys;
        Algorithm algorithm;
    };
    for (auto const& row :
         {Row{a1_token, a1_key, Algorithm::hs256}, Row{a2_token, a2_key, Algorithm::rs256},
          Row{a3_token, a3_key, Algorithm::es256}, Row{ed_token, ed_key, Algorithm::eddsa},
          Row{cookbook_rsa_token, cookbook_rsa_keys, Algorithm::rs256},
          Row{cookbook_mac_token, cookbook_mac_key, Algorithm::hs256}}) {
        CAPTURE(row.token);
        CHECK(fault_of(row.token, row.keys, row.algorithm) == Fault::none);
        check_changes(row.token, row.keys, row.algorithm);
    }
}

TEST_CASE("the examples of algorithms that are not verified, and of none, are refused") {
    CHECK(fault_of(a4_token, a3_key, Algorithm::es256) == Fault::signature);
    CHECK(fault_of(a5_token, a3_key, Algorithm::es256) == Fault::signature);
    CHECK(fault_of(std::string{a5_token} + "AAAA", a1_key, Algorithm::hs256) == Fault::signature);
}

TEST_CASE("the payload of an example is read, and another one is no object") {
    JwsReader reader;
    auto const claims = reader.read_payload(reader.parse(a2_token).payload);
    REQUIRE(claims);
    CHECK(text_member(*claims, "iss") == "joe");
    CHECK_FALSE(reader.read_payload(reader.parse(ed_token).payload));
}

} // namespace rfc_vectors_test
