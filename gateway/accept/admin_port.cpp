// The admin listener of the running gateway, updated when the configuration changes.
#include "gateway/accept/admin_port.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace sallyport::accept {

namespace {

constexpr char const* socket_name = "admin";

bool is_same(std::optional<config::Admin> const& one, std::optional<config::Admin> const& other) {
    if (!one || !other) return !one && !other;
    return one->address == other->address && one->allow_remote == other->allow_remote;
}

} // namespace

AdminPort::AdminPort(net::asio::io_context& control, admin::Gateway gateway,
                     observe::ControlLog& control_log)
    : control_{control}, gateway_{std::move(gateway)}, control_log_{control_log} {}

AdminPort::Prepared AdminPort::prepare(config::Config const& config, InheritedSockets& inherited) {
    Prepared prepared;
    if (!config.admin || is_same(configured_, config.admin)) return prepared;
    if (configured_ && configured_->address == config.admin->address) {
        prepared.same_place = net::FileDescriptor{::dup(listener_->descriptor())};
        if (!prepared.same_place)
            prepared.problem =
                "admin: cannot take over the socket: " + std::system_category().message(errno);
        return prepared;
    }
    auto listening = inherited.take(socket_name, config.admin->address);
    if (!listening.descriptor) {
        auto opened = open_listener(config.admin->address);
        if (!opened.problem.empty()) {
            prepared.problem = "admin: " + opened.problem;
            return prepared;
        }
        listening = std::move(opened.listening);
    }
    prepared.listening = std::move(listening);
    return prepared;
}

void AdminPort::adopt(config::Config const& config, Prepared prepared) {
    if (is_same(configured_, config.admin)) return;
    net::FileDescriptor socket;
    if (prepared.listening) {
        control_log_.write(observe::Severity::info, "admin_listening",
                           {{"address", prepared.listening->address}});
        socket = std::move(prepared.listening->descriptor);
    } else {
        socket = std::move(prepared.same_place);
    }
    close();
    configured_ = config.admin;
    if (!config.admin) return;
    listener_.emplace(control_, std::move(socket),
                      config.admin->allow_remote ? admin::AllowedClients::any
                                                 : admin::AllowedClients::this_machine,
                      gateway_);
}

void AdminPort::close() {
    listener_.reset();
    configured_.reset();
}

std::vector<NamedDescriptor> AdminPort::descriptors() const {
    if (!listener_) return {};
    return {{socket_name, listener_->descriptor()}};
}

} // namespace sallyport::accept
