// Which TLS connections keep OpenSSL's buffers between two records: the few that were used last.
#pragma once

#include "gateway/net/list_link.h"

#include <cstddef>

struct ssl_st;

namespace sallyport::net {

/// Left alone, OpenSSL keeps two buffers of 17 KiB for each connection; told to give them back it
/// takes them from malloc for each record anew, a fortieth of what a request costs. So thousands
/// that wait hold none, and those that are busy keep theirs. Owned by a loop, on its thread.
class TlsBufferKeepers {
public:
    /// So many connections, 2 MiB.
    static constexpr std::size_t most = 64;

    /// A connection's place among them. Goes before its loop, and before its ssl_st.
    class Keeper : private ListLink {
    public:
        explicit Keeper(TlsBufferKeepers& keepers) noexcept : keepers_(keepers) {}
        ~Keeper();

        /// A record came: the connection is busy.
        void use(ssl_st* ssl) noexcept;
        [[nodiscard]] bool keeps() const noexcept { return is_linked(); }

    private:
        friend class TlsBufferKeepers;
        void let_go() noexcept;

        TlsBufferKeepers& keepers_;
        ssl_st* ssl_ = nullptr; // of one that keeps
    };

    [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
    ListLink keepers_; // the one used last at the end
    std::size_t size_ = 0;
};

} // namespace sallyport::net
