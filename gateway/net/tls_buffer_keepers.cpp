// Which TLS connections keep OpenSSL's buffers between two records.
#include "gateway/net/tls_buffer_keepers.h"

#include <openssl/ssl.h>

#include <string_view>

namespace sallyport::net {

TlsBufferKeepers::Keeper::~Keeper() {
    if (keeps()) --keepers_.size_; // its buffers are freed with its ssl_st
}

void TlsBufferKeepers::Keeper::use(ssl_st* ssl) noexcept {
    auto& list = keepers_.keepers_;
    if (keeps()) {
        unlink();
    } else {
        ssl_ = ssl;
        SSL_clear_mode(ssl, SSL_MODE_RELEASE_BUFFERS);
        if (++keepers_.size_ > most) static_cast<Keeper*>(list.next)->let_go();
    }
    link_before(list);
}

void TlsBufferKeepers::Keeper::let_go() noexcept {
    unlink();
    --keepers_.size_;
    // OpenSSL itself releases a buffer that is in use, as soon as it is not.
    SSL_set_mode(ssl_, SSL_MODE_RELEASE_BUFFERS);
    // OpenSSL before 3.0.14 also frees a buffer with half a record in it (CVE-2024-4741): "RH" is
    // the state between two records.
    bool const is_between = std::string_view{SSL_rstate_string(ssl_)} == "RH";
    if (is_between && SSL_has_pending(ssl_) == 0) SSL_free_buffers(ssl_);
}

} // namespace sallyport::net
