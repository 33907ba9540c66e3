// Which caller is found for which field.
#include "gateway/pipeline/credentials.h"
#include "gateway/pipeline/known_callers.h"

#include <catch2/catch.hpp>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace known_callers_test {

using namespace sallyport::pipeline;

namespace {

// OpenSSL's SipHash with 16 bytes of output.
SipTag openssl_siphash(SipKey const& key, std::string_view bytes, unsigned compression = 2,
                       unsigned finalization = 4) {
    struct Free {
        void operator()(EVP_MAC* mac) const { EVP_MAC_free(mac); }
        void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
    };
    std::unique_ptr<EVP_MAC, Free> const mac{EVP_MAC_fetch(nullptr, "SIPHASH", nullptr)};
    REQUIRE(mac);
    std::unique_ptr<EVP_MAC_CTX, Free> const context{EVP_MAC_CTX_new(mac.get())};
    SipTag tag{};
    std::size_t size = sizeof tag;
    OSSL_PARAM const parameters[] = {
        OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size),
        OSSL_PARAM_construct_uint(OSSL_MAC_PARAM_C_ROUNDS, &compression),
        OSSL_PARAM_construct_uint(OSSL_MAC_PARAM_D_ROUNDS, &finalization),
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

TEST_CASE("a tag is that of SipHash-2-4, or of SipHash-1-3, of texts of each length") {
    SipKey const key{0x0706050403020100, 0x0f0e0d0c0b0a0908};
    std::string text;
    for (int size = 0; size < 70; ++size) {
        INFO(size);
        CHECK(siphash(key, text) == openssl_siphash(key, text));
        CHECK(siphash_of_long(key, text) == openssl_siphash(key, text, 1, 3));
        text += static_cast<char>(size * 37);
    }
}

TEST_CASE("an unknown field has no caller, and neither has one that differs in a byte") {
    KnownCallers callers;
    CredentialTable const table;
    Credential const caller;
    CHECK(callers.find(table, "basic", "Basic abc").credential == nullptr);
    CHECK(callers.find(table, "basic", "").credential == nullptr);
    callers.remember(table, "basic", "Basic abc", {AuthFailure::none, &caller});
    CHECK(callers.find(table, "basic", "Basic abd").credential == nullptr);
    CHECK(callers.find(table, "basic", "Basic abc ").credential == nullptr);
    CHECK(callers.find(table, "basic", "basic abc").credential == nullptr);
}

TEST_CASE("an entry is invalid without its table, even if another is at the same address") {
    KnownCallers callers;
    Credential const caller;
    std::optional<CredentialTable> table{std::in_place};
    callers.remember(*table, "basic", "Basic abc", {AuthFailure::none, &caller});
    CHECK(callers.find(*table, "basic", "Basic abc").credential == &caller);
    table.emplace();
    CHECK(callers.find(*table, "basic", "Basic abc").credential == nullptr);
}

TEST_CASE("an entry of one authenticator is not valid for another") {
    KnownCallers callers;
    CredentialTable const table;
    Credential const caller;
    callers.remember(table, "bearer", "Bearer abc", {AuthFailure::none, &caller});
    CHECK(callers.find(table, "basic", "Bearer abc").credential == nullptr);
    CHECK(callers.find(table, "bearer", "Bearer abc").credential == &caller);
}

TEST_CASE("many fields that replace each other belong to their own caller or to none") {
    KnownCallers callers;
    CredentialTable const table;
    std::vector<Credential> const credentials(5000);
    std::size_t wrong = 0;
    std::size_t found = 0;
    auto const field = [](std::size_t i) { return "Basic number " + std::to_string(i); };
    for (std::size_t i = 0; i < credentials.size(); ++i)
        callers.remember(table, "basic", field(i), {AuthFailure::none, &credentials[i]});
    for (std::size_t i = 0; i < credentials.size(); ++i) {
        auto const* const caller = callers.find(table, "basic", field(i)).credential;
        if (caller != nullptr) ++(caller == &credentials[i] ? found : wrong);
    }
    CHECK(wrong == 0);
    CHECK(found > 500);
}

} // namespace known_callers_test
