// The head that an upstream receives: built from parsed parts, with one framing of ours.
#include "gateway/upstream/request_head.h"

#include "gateway/http/forward_fields.h"
#include "gateway/text/digits.h"

#include <cstring>

namespace sallyport::upstream {

namespace {

using pipeline::BodyHandling;
using pipeline::Exchange;

/// Names, separators and numbers of everything that is added to the client's lines.
constexpr std::size_t overhead = 512;

class HeadWriter {
public:
    explicit HeadWriter(net::Buffer& buffer) : begin_{buffer.data()}, at_{buffer.data()} {}

    HeadWriter& operator<<(std::string_view text) {
        // An empty view may have no address, which memcpy() must not be given (C17, 7.24.1).
        if (text.empty()) return *this;
        std::memcpy(at_, text.data(), text.size());
        at_ += text.size();
        return *this;
    }
    HeadWriter& operator<<(std::uint64_t number) {
        at_ = text::put_digits(at_, number);
        return *this;
    }
    std::size_t size() const { return static_cast<std::size_t>(at_ - begin_); }

private:
    char* begin_;
    char* at_;
};

/// RFC 9110, 8.6: a request whose method gives its body a meaning says that it has none.
bool announces_empty_body(http::Method method) {
    return method == http::Method::post || method == http::Method::put
           || method == http::Method::patch;
}

/// RFC 9112, 6: exactly one of the two, written by us from what we know of the body.
void write_framing(HeadWriter& head, Exchange const& exchange) {
    switch (exchange.body_handling) {
    case BodyHandling::none:
        if (announces_empty_body(exchange.head.method)) head << "Content-Length: 0\r\n";
        return;
    case BodyHandling::buffered:
        if (!exchange.body.empty() || announces_empty_body(exchange.head.method)) {
            head << "Content-Length: " << exchange.body.size() << "\r\n";
        }
        return;
    case BodyHandling::streamed: break;
    }
    auto const& framing = exchange.head.framing.body;
    if (framing.kind == http::BodyFraming::Kind::length) {
        head << "Content-Length: " << framing.length << "\r\n";
    } else {
        head << "Transfer-Encoding: chunked\r\n";
    }
}

void write_authorization(HeadWriter& head, Exchange const& exchange, Settings const& settings) {
    // Never both: where the upstream has a credential of its own, the client's ends here.
    if (settings.authorization) {
        head << "Authorization: " << settings.authorization->reveal() << "\r\n";
    } else if (!exchange.authorization.scheme.empty()) {
        head << "Authorization: " << exchange.authorization.scheme << " "
             << exchange.authorization.proof << "\r\n";
    }
}

} // namespace

WrittenHead write_request_head(Exchange& exchange, Settings const& settings,
                               std::string_view host) {
    auto const& request = exchange.head;
    http::LineRuns lines;
    http::ForwardPolicy policy{
        exchange.api->forward_cookies ? http::Cookies::forward : http::Cookies::drop,
        exchange.coding_removed ? http::Coding::removed : http::Coding::kept,
        {}};
    if (exchange.operation != nullptr) policy.declared = exchange.operation->header_names;
    http::fields_to_forward(request, policy, lines);

    auto const own = settings.authorization ? settings.authorization->reveal().size() : 0;
    WrittenHead written{exchange.services.loop.buffers().take(request.size + host.size() + own
                                                              + exchange.client.address.size()
                                                              + overhead),
                        0};
    HeadWriter head{written.buffer};
    head << request.method_text << " " << request.target.path << request.target.query
         << " HTTP/1.1\r\n";
    head << "Host: " << host << "\r\n";
    for (auto const line : lines)
        head << line;
    write_authorization(head, exchange, settings);
    head << "X-Request-Id: " << exchange.request_id.text() << "\r\n";
    if (!exchange.client.address.empty()) {
        head << "X-Forwarded-For: " << exchange.client.address << "\r\n";
    }
    head << "X-Forwarded-Proto: " << (exchange.client.is_tls ? "https" : "http") << "\r\n";
    head << "X-Forwarded-Host: " << request.host.text << "\r\n";
    // RFC 9110, 7.6.3: a gateway names itself to the server behind it.
    head << "Via: " << http::version_of(request.protocol) << " sallyport\r\n";
    // RFC 9110, 7.6.2: one server less; at 0 nothing is forwarded.
    if (request.max_forwards) {
        head << "Max-Forwards: " << std::uint64_t{*request.max_forwards} - 1 << "\r\n";
    }
    write_framing(head, exchange);
    head << "\r\n";
    written.size = head.size();
    return written;
}

} // namespace sallyport::upstream
