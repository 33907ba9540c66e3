// Part of `check`: whether the listeners' addresses can be bound: see check_addresses.h.
#include "gateway/commands/check_addresses.h"

#include "config/text.h"
#include "gateway/commands/admin_client.h"
#include "gateway/commands/gateway_process.h"
#include "gateway/commands/socket_holders.h"
#include "gateway/net/descriptor.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/json/parse.hpp>

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <optional>

namespace sallyport::commands {

namespace {

namespace fs = std::filesystem;
using config::yaml::Severity;

// errno, or 0. With the options of the gateway's own sockets. Bound but not listening, it does not
// block a gateway that starts meanwhile: both set SO_REUSEADDR.
int try_to_bind(config::Address const& address) {
    boost::asio::ip::tcp::endpoint const to{boost::asio::ip::make_address(address.ip),
                                            address.port};
    net::FileDescriptor const descriptor{
        ::socket(to.data()->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    if (!descriptor) return errno;
    int const on = 1;
    ::setsockopt(descriptor.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    return ::bind(descriptor.get(), to.data(), static_cast<socklen_t>(to.size())) == 0 ? 0 : errno;
}

std::string spell(config::Address const& address) {
    bool const is_ipv6 = address.ip.find(':') != std::string::npos;
    return (is_ipv6 ? "[" + address.ip + "]" : address.ip) + ":" + std::to_string(address.port);
}

// Later ones are worse.
enum class Holder {
    this_gateway,      // runs with the configuration that is checked
    service_manager,   // systemd, which passes sockets to services
    neighbour_gateway, // runs with another one in the same folder, perhaps its predecessor
    unknown,
    other,
};

struct Found {
    Holder holder = Holder::unknown;
    std::string who; // for the message; for `unknown` the user who owns the socket, if it is shown
};

class Neighbours {
public:
    Neighbours(config::Config const& config, std::string const& path)
        : config_{config}, file_{path == "-" ? fs::path{} : fs::absolute(path)},
          folder_{path == "-" ? fs::current_path() : file_.parent_path()} {}

    // Finds the process that occupies this address.
    [[nodiscard]] Found find(config::Address const& address) {
        auto const listening = sockets_in_the_way_of(address);
        if (listening.is_known && listening.sockets.empty())
            return {Holder::other, "a connection, or a program that does not listen there yet"};
        Found worst{listening.is_known ? Holder::this_gateway : Holder::unknown, {}};
        for (auto const& socket : listening.sockets) {
            auto found = judge(socket);
            if (found.holder > worst.holder) worst = std::move(found);
        }
        if (worst.holder == Holder::unknown && is_served_at(address))
            return {Holder::this_gateway, {}};
        return worst;
    }

private:
    // During a hand-over a socket has two holders: one acceptable holder is enough.
    [[nodiscard]] Found judge(ListeningSocket const& socket) const {
        if (socket.holders.empty())
            return {Holder::unknown, "user " + std::to_string(socket.owner)};
        std::optional<Found> best;
        for (auto const process : socket.holders) {
            if (process == 1 && socket.holders.size() > 1) continue; // it only passes the socket on
            auto one = judge(process);
            if (!best || one.holder < best->holder) best = std::move(one);
        }
        return *best;
    }

    [[nodiscard]] Found judge(pid_t process) const {
        auto const who = name_of_process(process) + " (process " + std::to_string(process) + ")";
        if (process == 1 && name_of_process(1) == "systemd") return {Holder::service_manager, who};
        auto const configuration = configuration_of(process);
        if (!configuration) return {Holder::other, who};
        return {judge(*configuration), who + ", which runs by " + configuration->string()};
    }

    [[nodiscard]] Holder judge(fs::path const& configuration) const {
        std::error_code ignored;
        if (!file_.empty() && fs::equivalent(configuration, file_, ignored))
            return Holder::this_gateway;
        if (fs::equivalent(configuration.parent_path(), folder_, ignored))
            return Holder::neighbour_gateway;
        return Holder::other;
    }

    // For users who may not inspect its process: whether the gateway at this configuration's own
    // admin listener has the address open.
    [[nodiscard]] bool is_served_at(config::Address const& address) {
        if (!config_.admin || config_.admin->address.port == 0) return false;
        if (!page_) page_ = get_admin_page(connectable(config_.admin->address), "/status").page;
        if (page_->empty()) return false;
        try {
            auto const status = boost::json::parse(*page_);
            if (!is_this_file(std::string{status.at("configuration").at("file").as_string()}))
                return false;
            if (address == config_.admin->address) return true;
            for (auto const& listener : status.at("listeners").as_array())
                if (listener.at("address").as_string() == spell(address)) return true;
        } catch (std::exception const&) {
            return false; // not a gateway, or one of another version
        }
        return false;
    }

    // The base of a relative path is not known.
    [[nodiscard]] bool is_this_file(fs::path const& named) const {
        std::error_code ignored;
        return named.is_absolute() ? fs::equivalent(named, file_, ignored)
                                   : named.filename() == file_.filename();
    }

    config::Config const& config_;
    fs::path file_;
    fs::path folder_;
    std::optional<std::string> page_; // of /status; read once
};

class Check {
public:
    Check(config::Config const& config, std::string const& path) : neighbours_{config, path} {}

    void look_at(config::Address const& address, config::Origin const& origin) {
        if (address.port == 0 || address.ip.empty()) return;
        int const error = try_to_bind(address);
        if (error == 0) return;
        auto const text = spell(address);
        switch (error) {
        case EADDRINUSE: return report_listener(address, origin);
        case EADDRNOTAVAIL:
            return report(origin, text + " is no address of this machine",
                          "write one that it has, or 0.0.0.0 or [::] for all of them");
        // Who may not bind it is not told that it is in use.
        case EACCES:
        case EPERM: return report_forbidden(address, origin);
        default: return report(origin, text + " cannot be bound: " + std::strerror(error), {});
        }
    }

    [[nodiscard]] config::yaml::Problems take_problems() { return std::move(problems_); }

private:
    void report_listener(config::Address const& address, config::Origin const& origin) {
        auto const found = neighbours_.find(address);
        auto const text = spell(address);
        switch (found.holder) {
        case Holder::this_gateway: return;
        case Holder::service_manager:
            return report(origin, text + " is in use by " + found.who,
                          "nothing is wrong if that is the socket unit of this gateway",
                          Severity::warning);
        case Holder::neighbour_gateway:
            return report(origin, text + " is in use by " + found.who,
                          "nothing is wrong if this file takes the place of that one",
                          Severity::warning);
        case Holder::other:
            return report(origin, text + " is in use by " + found.who,
                          "end that, or write another address");
        case Holder::unknown: break;
        }
        report(origin,
               text + " is in use, and this user may not see by which program"
                   + (found.who.empty() ? "" : ": it is of " + found.who),
               "nothing is wrong if it is the running gateway, or systemd for its socket; check as "
               "root, or as the gateway's user, to know",
               Severity::warning);
    }

    void report_forbidden(config::Address const& address, config::Origin const& origin) {
        if (!sockets_in_the_way_of(address).sockets.empty())
            return report_listener(address, origin);
        report(origin, "this user may not bind " + spell(address),
               "a port below 1024 needs CAP_NET_BIND_SERVICE, which the unit of the package gives, "
               "or a socket of systemd");
    }

    void report(config::Origin const& origin, std::string what, std::string hint,
                Severity severity = Severity::error) {
        problems_.push_back(config::problem_at(origin, std::move(what), std::move(hint), severity));
    }

    Neighbours neighbours_;
    config::yaml::Problems problems_;
};

} // namespace

config::yaml::Problems check_addresses(config::Config const& config, std::string const& path) {
    Check check{config, path};
    for (auto const& listener : config.listeners)
        check.look_at(listener.address, listener.address_origin);
    if (config.admin) check.look_at(config.admin->address, config.admin->address_origin);
    return check.take_problems();
}

} // namespace sallyport::commands
