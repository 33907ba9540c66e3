// The hash `$apr1$` of htpasswd: the algorithm of MD5-crypt (crypt(5)) with another magic text, as
// APR's apr_md5.c has it. MD5 itself is OpenSSL's.
#include "gateway/secrets/algorithms.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>

namespace sallyport::secrets {

namespace {

constexpr std::size_t digest_size = 16;
using Md5 = std::array<unsigned char, digest_size>;

struct Free {
    void operator()(EVP_MD* algorithm) const { EVP_MD_free(algorithm); }
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

// One digest after the other; a failure of any makes all that follow meaningless.
class Digests {
public:
    Digests() : algorithm_{EVP_MD_fetch(nullptr, "MD5", nullptr)}, context_{EVP_MD_CTX_new()} {
        is_right_ = algorithm_ != nullptr && context_ != nullptr;
    }
    void begin() {
        is_right_ = is_right_ && EVP_DigestInit_ex2(context_.get(), algorithm_.get(), nullptr) == 1;
    }
    void add(std::string_view bytes) {
        is_right_ = is_right_ && EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1;
    }
    void add(Md5 const& digest, std::size_t size = digest_size) {
        add({reinterpret_cast<char const*>(digest.data()), size});
    }
    void end(Md5& out) {
        is_right_ = is_right_ && EVP_DigestFinal_ex(context_.get(), out.data(), nullptr) == 1;
    }
    [[nodiscard]] bool is_right() const { return is_right_; }

private:
    std::unique_ptr<EVP_MD, Free> algorithm_;
    std::unique_ptr<EVP_MD_CTX, Free> context_; // freeing it wipes its state
    bool is_right_ = false;
};

constexpr std::string_view magic = "$apr1$";
constexpr int rounds = 1000;

void first_digest(Digests& md5, std::string_view salt, std::string_view secret, Md5& digest) {
    md5.begin();
    for (auto const part : {secret, salt, secret})
        md5.add(part);
    md5.end(digest);
    md5.begin();
    for (auto const part : {secret, magic, salt})
        md5.add(part);
    for (std::size_t left = secret.size(); left > 0;) {
        auto const size = std::min(left, digest_size);
        md5.add(digest, size);
        left -= size;
    }
    // By the bits of the length: a zero byte, or the first of the secret.
    for (std::size_t bits = secret.size(); bits > 0; bits >>= 1U)
        md5.add((bits & 1U) != 0 ? std::string_view{"\0", 1} : secret.substr(0, 1));
    md5.end(digest);
}

void next_digest(Digests& md5, int round, std::string_view salt, std::string_view secret,
                 Md5& digest) {
    bool const is_odd = round % 2 == 1;
    md5.begin();
    if (is_odd)
        md5.add(secret);
    else
        md5.add(digest);
    if (round % 3 != 0) md5.add(salt);
    if (round % 7 != 0) md5.add(secret);
    if (is_odd)
        md5.add(digest);
    else
        md5.add(secret);
    md5.end(digest);
}

// Three bytes as four digits of six bits, the lowest first; at the end one byte as two.
void put_digits(std::string& out, unsigned high, unsigned middle, unsigned low, int count) {
    static constexpr std::string_view digits =
        "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    for (unsigned bits = high << 16U | middle << 8U | low; count > 0; --count, bits >>= 6U)
        out += digits[bits & 0x3FU];
}

} // namespace

std::optional<std::string> apr1_of(std::string_view salt, std::string_view secret) {
    Digests md5;
    Md5 digest{};
    first_digest(md5, salt, secret, digest);
    for (int round = 0; round < rounds; ++round)
        next_digest(md5, round, salt, secret, digest);
    std::string out;
    for (std::size_t i = 0; i < 5; ++i) {
        auto const last = i + 12 == 16 ? std::size_t{5} : i + 12;
        put_digits(out, digest[i], digest[i + 6], digest[last], 4);
    }
    put_digits(out, 0, 0, digest[11], 2);
    OPENSSL_cleanse(digest.data(), digest.size());
    return md5.is_right() ? std::optional{std::move(out)} : std::nullopt;
}

} // namespace sallyport::secrets
