// Which TLS connections keep OpenSSL's buffers between two records: the most recently used ones.
#pragma once

#include "gateway/net/list_link.h"

#include <cstddef>

struct ssl_st;

namespace sallyport::net {

/// By default OpenSSL keeps two buffers of 17 KiB for each connection; with
/// SSL_MODE_RELEASE_BUFFERS it allocates them for each record, a fortieth of the cost of a request.
/// With this list thousands of idle connections hold none, and busy ones keep theirs. Owned by a
/// loop, on its thread.
class TlsBufferKeepers {
public:
    /// The most connections that keep buffers: 2 MiB.
    static constexpr std::size_t most = 64;

    /// A connection's place in the list. Destroyed before its loop and its ssl_st.
    class Keeper : private ListLink {
    public:
        explicit Keeper(TlsBufferKeepers& keepers) noexcept : keepers_{keepers} {}
        ~Keeper();

        /// Called for each record: moves the connection to the most recently used end.
        void use(ssl_st* ssl) noexcept;
        [[nodiscard]] bool keeps() const noexcept { return is_linked(); }

    private:
        friend class TlsBufferKeepers;
        void let_go() noexcept;

        TlsBufferKeepers& keepers_;
        ssl_st* ssl_ = nullptr; // of a connection in the list
    };

    [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
    ListLink keepers_; // the most recently used one at the end
    std::size_t size_ = 0;
};

} // namespace sallyport::net
