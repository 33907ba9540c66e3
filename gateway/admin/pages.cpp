// The pages of the admin listener: their paths, and which clients may read them.
#include "gateway/admin/pages.h"

#include "gateway/admin/metrics_page.h"
#include "gateway/admin/status_page.h"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace sallyport::admin {

namespace {

namespace http = boost::beast::http;

enum class Page : std::uint8_t { healthz, readyz, status, metrics, key_set, none };

constexpr std::array<std::pair<std::string_view, Page>, 5> pages{{
    {"/healthz", Page::healthz},
    {"/readyz", Page::readyz},
    {"/status", Page::status},
    {"/metrics", Page::metrics},
    {"/.well-known/jwks.json", Page::key_set},
}};

std::string_view view(boost::beast::string_view text) {
    return {text.data(), text.size()};
}

Page find_page(Request const& request) {
    auto path = view(request.target());
    path = path.substr(0, path.find('?'));
    auto const found = std::find_if(pages.begin(), pages.end(),
                                    [path](auto const& page) { return page.first == path; });
    return found == pages.end() ? Page::none : found->second;
}

// `/status?last_use`: of all credentials.
LastUses last_uses_of(Request const& request) {
    auto const target = view(request.target());
    bool const is_asked = target.substr(std::min(target.find('?'), target.size())) == "?last_use";
    return is_asked ? LastUses::all : LastUses::rotating;
}

// A web page can make a browser on this machine connect here under a name of its own (DNS
// rebinding): legitimate clients on this machine use an address, or localhost.
bool names_this_machine(std::string_view host) {
    if (host.empty()) return true; // HTTP/1.0
    std::string_view port = host.substr(std::min(host.find(':'), host.size()));
    std::string_view name = host.substr(0, host.size() - port.size());
    if (host.front() == '[') {
        auto const end = host.find(']');
        if (end == std::string_view::npos) return false;
        name = host.substr(1, end - 1);
        port = host.substr(end + 1);
    }
    if (!port.empty() && port.front() != ':') return false;
    if (name == "localhost") return true;
    boost::system::error_code error;
    boost::asio::ip::make_address(std::string{name}, error);
    return !error;
}

Response text(Request const& request, http::status status, std::string body) {
    Response response{status, request.version()};
    response.set(http::field::content_type, "text/plain; charset=utf-8");
    response.body() = std::move(body);
    response.body() += '\n';
    return response;
}

Response page(Request const& request, Facts const& facts, Liveness liveness) {
    switch (find_page(request)) {
    case Page::healthz:
        return liveness == Liveness::alive
                   ? text(request, http::status::ok, "ok")
                   : text(request, http::status::service_unavailable, "a worker does not respond");
    case Page::readyz:
        return text(request,
                    facts.state == State::ready ? http::status::ok
                                                : http::status::service_unavailable,
                    std::string{to_string(facts.state)});
    case Page::status: {
        Response response{http::status::ok, request.version()};
        response.set(http::field::content_type, "application/json");
        response.body() = status_page(facts, last_uses_of(request));
        return response;
    }
    case Page::metrics: {
        Response response{http::status::ok, request.version()};
        response.set(http::field::content_type,
                     {metrics_content_type.data(), metrics_content_type.size()});
        response.body() = metrics_page(facts);
        return response;
    }
    case Page::key_set: {
        Response response{http::status::ok, request.version()};
        response.set(http::field::content_type, "application/jwk-set+json"); // RFC 7517, 8.5.2
        response.body() = facts.key_set;
        return response;
    }
    case Page::none: break;
    }
    return text(request, http::status::not_found,
                "Here are /healthz, /readyz, /status, /metrics and /.well-known/jwks.json");
}

Response choose(Request const& request, Facts const& facts, AllowedClients allowed_clients,
                Liveness liveness) {
    if (allowed_clients == AllowedClients::this_machine
        && !names_this_machine(view(request[http::field::host])))
        return text(request, http::status::misdirected_request,
                    "Call this listener by its address, or as localhost");
    if (request.method() != http::verb::get && request.method() != http::verb::head) {
        auto response = text(request, http::status::method_not_allowed, "Only GET and HEAD");
        response.set(http::field::allow, "GET, HEAD");
        return response;
    }
    return page(request, facts, liveness);
}

} // namespace

bool needs_liveness(Request const& request) {
    return find_page(request) == Page::healthz;
}

Response response_to(Request const& request, Facts const& facts, AllowedClients allowed_clients,
                     Liveness liveness) {
    auto response = choose(request, facts, allowed_clients, liveness);
    response.set(http::field::cache_control, "no-store");
    response.set("X-Content-Type-Options", "nosniff");
    response.keep_alive(request.keep_alive());
    response.content_length(response.body().size());
    // RFC 9110, 9.3.2: the same head as for GET.
    if (request.method() == http::verb::head) response.body().clear();
    return response;
}

} // namespace sallyport::admin
