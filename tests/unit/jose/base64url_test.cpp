// base64url: RFC 4648's vectors, and every text that another reader might take for the same bytes.
#include "gateway/jose/base64url.h"

#include "tests/unit/jose/signer.h"

#include <catch2/catch.hpp>

namespace base64url_test {

using namespace sallyport::jose;

TEST_CASE("text that is no base64url without padding has no bytes") {
    for (std::string_view const text : {"A", "AAAAA", "AA==", "AA=", "====", "A A", "AAA\n",
                                        "\nAAAA", "AA+A", "AA/A", "AA.A", "AAA\x80", "%41AA"}) {
        CAPTURE(text);
        CHECK_FALSE(decode_base64url(text));
    }
    CHECK_FALSE(decode_base64url(std::string_view{"AA\0A", 4}));
}

TEST_CASE("bits behind the last byte have to be zero") {
    CHECK(decode_base64url("Zg") == "f");
    CHECK(decode_base64url("Zm8") == "fo");
    for (std::string_view const text : {"Zh", "Zi", "Z_", "Zm9", "Zm-", "Zm_"}) {
        CAPTURE(text);
        CHECK_FALSE(decode_base64url(text));
    }
}

TEST_CASE("the vectors of RFC 4648, 10, and both characters that base64 has otherwise") {
    CHECK(decode_base64url("") == "");
    CHECK(decode_base64url("Zm9v") == "foo");
    CHECK(decode_base64url("Zm9vYg") == "foob");
    CHECK(decode_base64url("Zm9vYmE") == "fooba");
    CHECK(decode_base64url("Zm9vYmFy") == "foobar");
    CHECK(decode_base64url("-_-_") == "\xfb\xff\xbf");
}

TEST_CASE("bytes are decoded as they were encoded") {
    std::string bytes;
    for (int i = 0; i < 256; ++i) {
        CHECK(decode_base64url(test::encode_base64url(bytes)) == bytes);
        bytes += static_cast<char>(i * 7);
    }
    CHECK(is_base64url_text(test::encode_base64url(bytes)));
    CHECK_FALSE(is_base64url_text("AA="));
}

} // namespace base64url_test
