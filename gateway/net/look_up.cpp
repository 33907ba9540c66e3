// Names and addresses of servers.
#include "gateway/net/look_up.h"

#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <netdb.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>

namespace sallyport::net {

std::optional<Address> literal_address(Name const& name) {
    Error error;
    auto const address = asio::ip::make_address(name.host, error);
    if (error) return std::nullopt;
    return Address{asio::ip::tcp::endpoint{address, name.port}};
}

std::optional<Address> unix_address(std::string const& path) {
    // unix(7): sun_path, with its terminating zero.
    if (path.empty() || path.size() >= sizeof(sockaddr_un::sun_path)) return std::nullopt;
    return Address{asio::local::stream_protocol::endpoint{path}};
}

namespace {

Error error_of_lookup(int result) {
    switch (result) {
    case EAI_SYSTEM: return {errno, boost::system::system_category()};
    case EAI_AGAIN: return asio::error::host_not_found_try_again;
    case EAI_FAIL: return asio::error::no_recovery;
    case EAI_MEMORY: return asio::error::no_memory;
    default: return asio::error::host_not_found;
    }
}

} // namespace

Result<std::vector<Address>> look_up(Name const& name) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV | AI_ADDRCONFIG;
    addrinfo* found = nullptr;
    auto const port = std::to_string(name.port);
    int const result = ::getaddrinfo(name.host.c_str(), port.c_str(), &hints, &found);
    if (result != 0) return error_of_lookup(result);
    std::vector<Address> addresses;
    for (auto const* entry = found; entry != nullptr; entry = entry->ai_next)
        addresses.emplace_back(entry->ai_addr, entry->ai_addrlen);
    ::freeaddrinfo(found);
    if (addresses.empty()) return Error{asio::error::host_not_found};
    return addresses;
}

} // namespace sallyport::net
