// The open listeners of the running gateway, updated when the configuration changes.
#include "gateway/accept/listeners.h"

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>

#include <fcntl.h>

#include <algorithm>
#include <utility>

namespace sallyport::accept {

using observe::Severity;

namespace {

// Null: all may come. Names of listeners are unique.
std::shared_ptr<PeerRules const> rules_of(lifecycle::Snapshot const& snapshot,
                                          std::string const& name) {
    for (auto const& listener : snapshot.listeners) {
        auto const& config = *listener.config;
        bool const has_rules = !config.addresses.is_empty() || listener.proxied;
        if (config.name == name && has_rules)
            return std::make_shared<PeerRules const>(
                PeerRules{config.addresses, listener.proxied,
                          config.proxy_protocol == config::ProxyProtocol::required});
    }
    return nullptr;
}

} // namespace

Listeners::Listeners(net::Executor acceptors_run_on,
                     std::vector<std::unique_ptr<Worker>> const& workers, ConnectionLimits& limits,
                     observe::LogRing& ring, observe::ControlLog& control_log,
                     InheritedSockets& inherited)
    : executor_{acceptors_run_on}, workers_{workers}, limits_{limits}, ring_{ring},
      control_log_{control_log}, inherited_{inherited} {}

Listeners::Open const* Listeners::find(std::string const& name,
                                       config::Address const& configured) const {
    auto const found = std::find_if(open_.begin(), open_.end(), [&](Open const& open) {
        return open.name == name && open.configured == configured;
    });
    return found == open_.end() ? nullptr : &*found;
}

bool Listeners::is_gone(Open const& open, lifecycle::Snapshot const& snapshot) {
    return std::none_of(snapshot.listeners.begin(), snapshot.listeners.end(),
                        [&](lifecycle::Listener const& listener) {
                            return listener.config->name == open.name
                                   && listener.config->address == open.configured;
                        });
}

// The socket of a removed listener at the address of a new one: it was renamed, and no connection
// is refused meanwhile.
Listening Listeners::take_over(config::Address const& address,
                               lifecycle::Snapshot const& snapshot) const {
    // Port 0 does not identify a socket.
    auto const found = std::find_if(open_.begin(), open_.end(), [&](Open const& open) {
        return address.port != 0 && open.configured == address && is_gone(open, snapshot);
    });
    if (found == open_.end()) return {};
    return {net::FileDescriptor{::fcntl(found->acceptor->descriptor(), F_DUPFD_CLOEXEC, 0)},
            found->acceptor->address()};
}

Listeners::Prepared Listeners::prepare(lifecycle::Snapshot const& snapshot) {
    Prepared prepared;
    for (auto const& listener : snapshot.listeners) {
        auto const& name = listener.config->name;
        auto const& address = listener.config->address;
        if (find(name, address) != nullptr) continue;
        auto listening = inherited_.take(name, address);
        if (!listening.descriptor) listening = take_over(address, snapshot);
        if (!listening.descriptor) {
            auto opened = open_listener(address);
            if (!opened.problem.empty()) {
                prepared.problems.push_back("listener " + name + ": " + opened.problem);
                continue;
            }
            listening = std::move(opened.listening);
        }
        prepared.sockets.push_back({name, address, std::move(listening)});
    }
    return prepared;
}

void Listeners::adopt(lifecycle::Snapshot const& snapshot, Prepared prepared) {
    for (auto const& open : open_) {
        if (!is_gone(open, snapshot)) continue;
        control_log_.write(Severity::info, "listener_closed",
                           {{"listener", open.name}, {"address", open.acceptor->address()}});
        stop(open.acceptor);
    }
    std::erase_if(open_, [&](Open const& open) { return is_gone(open, snapshot); });

    // A listener that stays open may have other rules now.
    for (auto const& open : open_)
        net::asio::post(executor_,
                        [acceptor = open.acceptor, rules = rules_of(snapshot, open.name)] {
                            acceptor->set_rules(rules);
                        });
    for (auto& socket : prepared.sockets) {
        auto const address = socket.listening.address;
        auto acceptor =
            std::make_shared<Acceptor>(executor_, std::move(socket.listening), socket.listener,
                                       workers_, limits_, ring_, control_log_);
        net::asio::post(executor_, [acceptor, rules = rules_of(snapshot, socket.listener)] {
            acceptor->set_rules(rules);
            acceptor->start();
        });
        control_log_.write(Severity::info, "listening",
                           {{"listener", socket.listener}, {"address", address}});
        open_.push_back({socket.listener, socket.configured, std::move(acceptor)});
    }
    for (auto const& open : open_)
        open.acceptor->set_generation(snapshot.generation);
    for (auto const& address : inherited_.left_over())
        control_log_.write(Severity::warning, "inherited_socket_unused", {{"address", address}});
    inherited_.close_left_over();
}

void Listeners::stop(std::shared_ptr<Acceptor> acceptor) {
    // At once if this is its loop: the connections that it still accepts must reach the workers
    // before their next message.
    net::asio::dispatch(executor_, [executor = executor_, acceptor] {
        acceptor->stop();
        // Runs behind the pending notification of its socket.
        net::asio::post(executor, [acceptor] {});
    });
}

void Listeners::stop() {
    for (auto const& open : open_)
        stop(open.acceptor);
    open_.clear();
}

std::vector<Listeners::Status> Listeners::status() const {
    std::vector<Status> listeners;
    for (auto const& open : open_)
        listeners.push_back({open.name, open.acceptor->address()});
    return listeners;
}

std::vector<NamedDescriptor> Listeners::descriptors() const {
    std::vector<NamedDescriptor> descriptors;
    for (auto const& open : open_)
        descriptors.push_back({open.name, open.acceptor->descriptor()});
    return descriptors;
}

} // namespace sallyport::accept
