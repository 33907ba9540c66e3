// Digests of secrets are the same whether they are remembered or computed.
#include "gateway/pipeline/credentials.h"
#include "gateway/pipeline/secret_digests.h"

#include <catch2/catch.hpp>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <cstring>
#include <memory>
#include <string>

using namespace sallyport::pipeline;

namespace {

/// OpenSSL's SipHash-2-4 with 16 bytes of output.
SipTag openssl_siphash(SipKey const& key, std::string_view bytes) {
    struct Free {
        void operator()(EVP_MAC* mac) const { EVP_MAC_free(mac); }
        void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
    };
    std::unique_ptr<EVP_MAC, Free> const mac{EVP_MAC_fetch(nullptr, "SIPHASH", nullptr)};
    REQUIRE(mac);
    std::unique_ptr<EVP_MAC_CTX, Free> const context{EVP_MAC_CTX_new(mac.get())};
    SipTag tag{};
    std::size_t size = sizeof tag;
    OSSL_PARAM const parameters[] = {OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size),
                                     OSSL_PARAM_construct_end()};
    auto const* const key_bytes = reinterpret_cast<unsigned char const*>(key.data());
    REQUIRE(EVP_MAC_init(context.get(), key_bytes, sizeof key, parameters) == 1);
    auto const* const begin = reinterpret_cast<unsigned char const*>(bytes.data());
    REQUIRE(EVP_MAC_update(context.get(), begin, bytes.size()) == 1);
    auto* const out = reinterpret_cast<unsigned char*>(tag.data());
    std::size_t written = 0;
    REQUIRE(EVP_MAC_final(context.get(), out, &written, sizeof tag) == 1);
    REQUIRE(written == sizeof tag);
    return tag;
}

} // namespace

TEST_CASE("a tag is that of SipHash-2-4, of texts of each length") {
    SipKey const key{0x0706050403020100, 0x0f0e0d0c0b0a0908};
    std::string text;
    for (int size = 0; size < 70; ++size) {
        INFO(size);
        CHECK(siphash(key, text) == openssl_siphash(key, text));
        text += static_cast<char>(size * 37);
    }
}

TEST_CASE("a wrong secret is not remembered, and neither is one that nobody called right") {
    SecretDigests digests;
    CredentialTable table;
    Credential credential;
    credential.digests = {digests("right"), digests("right")};
    table.add_basic("id", credential);
    auto const now = std::chrono::system_clock::now();
    CHECK(table.find_basic("id", "wrong", digests, now).valid == nullptr);
    CHECK(table.find_basic("other", "right", digests, now).valid == nullptr);
    CHECK(!digests.knows("wrong"));
    CHECK(!digests.knows("right"));
    CHECK(!digests.knows(""));
}

TEST_CASE("a secret that was right is remembered, with the digest that it has") {
    SecretDigests digests;
    CredentialTable table;
    Credential credential;
    credential.digests = {digests("right"), digests("right")};
    table.add_basic("id", credential);
    table.add_bearer({digests("token")}, credential);
    auto const now = std::chrono::system_clock::now();
    REQUIRE(table.find_basic("id", "right", digests, now).valid != nullptr);
    CHECK(digests.knows("right"));
    CHECK(digests("right") == Sha256{}("right"));
    CHECK(table.find_basic("id", "right", digests, now).valid != nullptr);
    CHECK(table.find_basic("other", "right", digests, now).valid == nullptr);
    CHECK(table.find_basic("id", "wrong", digests, now).valid == nullptr);
    CHECK(digests("wrong") == Sha256{}("wrong"));
}

TEST_CASE("many secrets that take each other's place all keep their digests") {
    SecretDigests digests;
    Sha256 sha256;
    std::size_t wrong = 0;
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < 5000; ++i) {
            auto const secret = "secret number " + std::to_string(i);
            wrong += digests(secret) == sha256(secret) ? 0U : 1U;
            digests.remember_last();
        }
    }
    CHECK(wrong == 0);
}
