// Finds the processes that listen on a port of this machine: see socket_holders.h.
#include "gateway/commands/socket_holders.h"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <system_error>

namespace sallyport::commands {

namespace {

namespace fs = std::filesystem;
namespace ip = boost::asio::ip;

// proc(5), /proc/net/tcp: each word of an address in hexadecimal, in the byte order of the machine.
template <std::size_t size>
std::string as_kernel_writes(std::array<unsigned char, size> const& bytes) {
    std::string out;
    for (std::size_t at = 0; at < size; at += 4) {
        std::uint32_t word = 0;
        std::memcpy(&word, bytes.data() + at, 4);
        std::array<char, 9> text{};
        std::snprintf(text.data(), text.size(), "%08X", word);
        out += text.data();
    }
    return out;
}

// The addresses of sockets that occupy this one, of either family. An IPv6 socket for all addresses
// has those of IPv4 as well, unless IPV6_V6ONLY is set, which is not visible here.
struct InTheWay {
    bool any_v4 = false;
    bool any_v6 = false;
    std::vector<std::string> texts;

    [[nodiscard]] bool has(std::string const& text) const {
        bool const is_v4 = text.size() == 8;
        return (is_v4 ? any_v4 : any_v6)
               || std::find(texts.begin(), texts.end(), text) != texts.end();
    }
};

InTheWay in_the_way_of(std::string const& text) {
    auto const address = ip::make_address(text);
    InTheWay out;
    out.texts = {std::string(8, '0'), std::string(32, '0')};
    if (address.is_v4()) {
        out.any_v4 = address.is_unspecified();
        out.texts.push_back(as_kernel_writes(address.to_v4().to_bytes()));
        out.texts.push_back(
            as_kernel_writes(ip::make_address_v6(ip::v4_mapped, address.to_v4()).to_bytes()));
    } else {
        out.any_v6 = address.is_unspecified();
        out.any_v4 = address.is_unspecified();
        out.texts.push_back(as_kernel_writes(address.to_v6().to_bytes()));
        if (!address.is_unspecified()) out.texts.erase(out.texts.begin());
    }
    return out;
}

struct Row {
    std::string address;
    unsigned port = 0;
    bool listens = false;
    uid_t owner = 0;
    std::uint64_t inode = 0;
};

// sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode ...
Row parse_row(std::string const& line) {
    std::istringstream words{line};
    std::string number;
    std::string local;
    std::string skipped;
    std::string state;
    Row row;
    words >> number >> local >> skipped >> state >> skipped >> skipped >> skipped >> row.owner
        >> skipped >> row.inode;
    auto const colon = local.find(':');
    if (!words || colon == std::string::npos) return {};
    row.address = local.substr(0, colon);
    std::from_chars(local.data() + colon + 1, local.data() + local.size(), row.port, 16);
    row.listens = state == "0A"; // TCP_LISTEN
    return row;
}

// Not /proc/net, which is hidden from a service with ProcSubset=pid.
bool read_table(char const* name, InTheWay const& in_the_way, unsigned port,
                std::map<std::uint64_t, ListeningSocket>& sockets) {
    std::ifstream file{std::string{"/proc/self/net/"} + name};
    std::string line;
    if (!std::getline(file, line)) return false; // the header line
    while (std::getline(file, line)) {
        auto const row = parse_row(line);
        if (row.listens && row.port == port && in_the_way.has(row.address))
            sockets[row.inode].owner = row.owner;
    }
    return true;
}

void find_holders(std::map<std::uint64_t, ListeningSocket>& sockets) {
    std::error_code error;
    for (fs::directory_iterator process{"/proc", error}, end; !error && process != end;
         process.increment(error)) {
        auto const name = process->path().filename().string();
        pid_t id = 0;
        auto const parsed = std::from_chars(name.data(), name.data() + name.size(), id);
        if (parsed.ec != std::errc{} || parsed.ptr != name.data() + name.size()) continue;
        std::error_code hidden; // another user's, or ended
        for (fs::directory_iterator one{process->path() / "fd", hidden}; !hidden && one != end;
             one.increment(hidden)) {
            std::error_code closed;
            auto const target = fs::read_symlink(one->path(), closed).string();
            std::uint64_t inode = 0;
            if (std::sscanf(target.c_str(), "socket:[%lu]", &inode) != 1) continue;
            auto const found = sockets.find(inode);
            if (found == sockets.end()) continue;
            auto& holders = found->second.holders;
            if (holders.empty() || holders.back() != id) holders.push_back(id);
        }
    }
}

} // namespace

ListeningSockets sockets_in_the_way_of(config::Address const& address) {
    auto const in_the_way = in_the_way_of(address.ip);
    std::map<std::uint64_t, ListeningSocket> sockets;
    ListeningSockets out;
    out.is_known = read_table("tcp", in_the_way, address.port, sockets);
    static_cast<void>(read_table("tcp6", in_the_way, address.port, sockets)); // may not exist
    if (!sockets.empty()) find_holders(sockets);
    for (auto& [inode, socket] : sockets)
        out.sockets.push_back(std::move(socket));
    return out;
}

std::string name_of_process(pid_t process) {
    std::ifstream file{"/proc/" + std::to_string(process) + "/comm"};
    std::string name;
    std::getline(file, name);
    return name.empty() ? "process" : name;
}

} // namespace sallyport::commands
