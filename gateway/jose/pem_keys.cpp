// Public keys and certificates in PEM for verification: see pem_keys.h.
#include "gateway/jose/pem_keys.h"

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>
#include <utility>

namespace sallyport::jose {

namespace {

struct Delete {
    void operator()(BIO* bio) const noexcept { BIO_free_all(bio); }
    void operator()(X509* certificate) const noexcept { X509_free(certificate); }
};
template <class T>
using Owned = std::unique_ptr<T, Delete>;

// One block of PEM. Its content is wiped: it may be a private key.
struct Block {
    char* name = nullptr;
    char* header = nullptr;
    unsigned char* data = nullptr;
    long size = 0;

    Block() = default;
    Block(Block const&) = delete;
    Block& operator=(Block const&) = delete;
    ~Block() {
        OPENSSL_free(name);
        OPENSSL_free(header);
        OPENSSL_clear_free(data, size < 0 ? 0 : static_cast<std::size_t>(size));
    }
};

// Null: the block is no key of its kind.
PublicKey key_of(Block const& block, std::string_view name) {
    unsigned char const* at = block.data;
    if (name == "PUBLIC KEY") return PublicKey{d2i_PUBKEY(nullptr, &at, block.size)};
    Owned<X509> const certificate{d2i_X509(nullptr, &at, block.size)};
    return PublicKey{certificate == nullptr ? nullptr : X509_get_pubkey(certificate.get())};
}

} // namespace

bool is_pem(std::string_view text) noexcept {
    return text.find("-----BEGIN ") != std::string_view::npos;
}

ReadPem read_pem(std::string_view text) {
    ReadPem out;
    Owned<BIO> const bio{BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
    while (bio != nullptr) {
        Block block;
        if (PEM_read_bio(bio.get(), &block.name, &block.header, &block.data, &block.size) != 1) {
            // Also at the end, where no further block begins.
            bool const is_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
            if (!is_end) out.problem = "holds a block that is no PEM";
            break;
        }
        std::string_view const name{block.name};
        if (name.ends_with("PRIVATE KEY")) {
            out.problem = "holds a private key, which only the issuer may have";
            break;
        }
        if (name != "PUBLIC KEY" && name != "CERTIFICATE") {
            out.problem = "holds a block that is no PUBLIC KEY and no CERTIFICATE";
            break;
        }
        auto key = key_of(block, name);
        if (key == nullptr) {
            out.problem = "holds a block that is no valid key";
            break;
        }
        out.keys.push_back(std::move(key));
    }
    ERR_clear_error();
    if (out.keys.empty() && out.problem.empty()) out.problem = "holds no key";
    return out;
}

} // namespace sallyport::jose
