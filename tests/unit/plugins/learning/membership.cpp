// A plugin of the tests that learns over the network.
#include "tests/unit/plugins/learning/membership.h"

#include "gateway/http/client_exchange.h"
#include "gateway/net/plain_stream.h"
#include "gateway/pipeline/decision.h"
#include "gateway/pipeline/request.h"

#include <boost/asio/ip/tcp.hpp>

namespace sallyport::plugins::test {

namespace {

using pipeline::Decision;
using pipeline::Reason;
using pipeline::Request;
using pipeline::Services;
using pipeline::Verdict;

/// Sends the question, and reads the head of the response to its end.
net::Task<Membership> ask(http::ClientExchange& exchange, std::string_view name) {
    auto head = exchange.begin_head({"GET", "/members", "?name=someone", "members.test"}, 256);
    head.add("X-Name", name);
    auto sending = exchange.send_head(head, {}, {});
    if (co_await std::move(sending)) co_return Membership::unknown;
    http::ResponseHead response;
    for (;;) {
        auto const waited = co_await exchange.wait_for_response();
        if (waited) co_return Membership::unknown;
        auto const read = exchange.read_head(response);
        if (read.state == http::ResponseRead::State::complete) break;
        if (read.state != http::ResponseRead::State::incomplete) co_return Membership::unknown;
    }
    if (response.status == 204) co_return Membership::member;
    co_return response.status == 404 ? Membership::non_member : Membership::unknown;
}

class MembershipCheck final : public pipeline::Plugin {
public:
    explicit MembershipCheck(MembershipService& service) : service_{service} {}

    Verdict check(Request const&, Decision& decision, Services&) override {
        auto const known = service_.known.find(decision.caller->name);
        return known == service_.known.end() ? Verdict::missing() : verdict_of(known->second);
    }

    net::Task<Verdict> learn(Request const&, Decision& decision, Services&) override {
        auto const& name = decision.caller->name;
        auto fetching = service_.flights.get(name, service_.wait_time, service_);
        auto const fact = co_await std::move(fetching);
        // What could not be learned is not remembered: the next request fetches it again.
        if (fact && *fact != Membership::unknown) service_.known[name] = *fact;
        co_return verdict_of(fact ? *fact : Membership::unknown);
    }

private:
    static Verdict verdict_of(Membership membership) {
        switch (membership) {
        case Membership::member: return Verdict::pass();
        case Membership::non_member:
            return Verdict::deny(Reason::forbidden, "The caller is no member");
        case Membership::unknown: break;
        }
        return Verdict::deny(Reason::overloaded, "It is not known whether the caller is a member");
    }

    MembershipService& service_;
};

} // namespace

net::Task<Membership> MembershipService::operator()(std::string_view name) {
    net::asio::ip::tcp::endpoint const address{net::asio::ip::address_v4::loopback(), port};
    auto connecting = net::connect(loop, address, fetch_time);
    auto connected = co_await std::move(connecting);
    if (!connected) co_return Membership::unknown;
    net::PlainStream stream{std::move(*connected), {}};
    auto deadline = net::Deadline::calling<&net::Stream::abort>(loop.deadlines(),
                                                                static_cast<net::Stream&>(stream));
    deadline.arm_after(fetch_time);
    auto const exchange = http::make_client_exchange(stream, loop.buffers());
    auto asking = ask(*exchange, name);
    co_return co_await std::move(asking);
}

std::unique_ptr<pipeline::Plugin> make_membership(MembershipService& service) {
    return std::make_unique<MembershipCheck>(service);
}

} // namespace sallyport::plugins::test
