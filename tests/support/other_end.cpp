#include "tests/support/other_end.h"

#include "tests/support/descriptor.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace sallyport::test {

namespace {

[[noreturn]] void fail(std::string const& what) {
    throw std::runtime_error(what + ": " + std::strerror(errno));
}

} // namespace

std::optional<HeldByKernel> held_for_other_end(int socket) {
    sockaddr_in here{};
    socklen_t here_size = sizeof here;
    if (::getsockname(socket, reinterpret_cast<sockaddr*>(&here), &here_size) != 0)
        fail("the address of a socket");
    sockaddr_in there{};
    socklen_t there_size = sizeof there;
    if (::getpeername(socket, reinterpret_cast<sockaddr*>(&there), &there_size) != 0) {
        if (errno == ENOTCONN) return std::nullopt;
        fail("the address of a peer");
    }
    struct {
        nlmsghdr header{};
        inet_diag_req_v2 question{};
    } request;
    request.header.nlmsg_len = sizeof request;
    request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    request.header.nlmsg_flags = NLM_F_REQUEST;
    request.question.sdiag_family = AF_INET;
    request.question.sdiag_protocol = IPPROTO_TCP;
    request.question.id.idiag_sport = there.sin_port; // the socket in question
    request.question.id.idiag_src[0] = there.sin_addr.s_addr;
    request.question.id.idiag_dport = here.sin_port;
    request.question.id.idiag_dst[0] = here.sin_addr.s_addr;
    request.question.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
    request.question.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;

    Descriptor const kernel{::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)};
    if (!kernel.is_open()) fail("sock_diag");
    if (::send(kernel.get(), &request, sizeof request, 0) < 0) fail("sock_diag");
    alignas(nlmsghdr) std::array<char, 4096> reply{};
    auto const size = ::recv(kernel.get(), reply.data(), reply.size(), 0);
    auto const take = [&](auto& into) {
        if (size < static_cast<ssize_t>(NLMSG_LENGTH(sizeof into)))
            throw std::runtime_error("sock_diag: a short reply");
        std::memcpy(&into, reply.data() + NLMSG_HDRLEN, sizeof into);
    };
    nlmsghdr header{};
    std::memcpy(&header, reply.data(), sizeof header);
    if (header.nlmsg_type == NLMSG_ERROR) {
        nlmsgerr error{};
        take(error);
        errno = -error.error;
        if (errno == ENOENT) return std::nullopt;
        fail("sock_diag");
    }
    inet_diag_msg message{};
    take(message);
    if (message.idiag_state != TCP_ESTABLISHED) return std::nullopt;
    return HeldByKernel{message.idiag_rqueue, message.idiag_wqueue};
}

} // namespace sallyport::test
