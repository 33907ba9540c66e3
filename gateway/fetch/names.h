// The addresses of hosts that are fetched from: looked up in threads of their own, and kept for a
// while.
#pragma once

#include "gateway/fetch/cutoff.h"
#include "gateway/fetch/inbox.h"
#include "gateway/net/look_up.h"

#include <boost/asio/error.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sallyport::fetch {

/// Used on one loop's thread, and outlives its coroutines. getaddrinfo(3) cannot be interrupted, so
/// each lookup has a detached thread: a server of names that does not respond delays only those who
/// ask it. One lookup at a time for a name, and `most_lookups` in all.
class Names {
public:
    using LookUp = std::function<net::Result<std::vector<net::Address>>(net::Name const& name)>;

    /// How long a result is used without another lookup.
    static constexpr net::Clock::duration kept_for = std::chrono::seconds{30};
    static constexpr std::size_t most_lookups = 16;
    /// Names that are remembered; then the oldest result is dropped.
    static constexpr std::size_t most_names = 256;

    Names(std::shared_ptr<Inbox> inbox, LookUp look_up)
        : inbox_{std::move(inbox)}, look_up_{std::move(look_up)} {}
    Names(Names const&) = delete;
    Names& operator=(Names const&) = delete;

    /// At least one address, or the error; timed_out when `cutoff` is over. If a name stops
    /// resolving, its last addresses are still returned.
    [[nodiscard]] net::Task<net::Result<std::vector<net::Address>>> find(net::Name name,
                                                                         Cutoff& cutoff);

private:
    struct Entry {
        net::Result<std::vector<net::Address>> found = net::Error{net::asio::error::host_not_found};
        net::Clock::time_point at = net::Clock::time_point::min(); // of the result
        bool is_running = false;
        std::vector<net::Event*> waiting;
    };
    using Key = std::pair<std::string, std::uint16_t>;

    void start(Key const& key, Entry& entry);
    void take(Key const& key, net::Result<std::vector<net::Address>> found);
    static void keep(Entry& entry, net::Result<std::vector<net::Address>> found);
    void make_room();

    std::shared_ptr<Inbox> inbox_;
    LookUp look_up_;
    std::map<Key, std::shared_ptr<Entry>> entries_;
    std::size_t running_ = 0;
};

} // namespace sallyport::fetch
