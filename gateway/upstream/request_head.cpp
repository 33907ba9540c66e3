// The head of the request that an upstream receives: the client's forwarded fields, and the
// gateway's own.
#include "gateway/upstream/request_head.h"

#include "gateway/http/changed_fields.h"
#include "gateway/http/protocol.h"
#include "gateway/http/query_pair.h"
#include "gateway/pipeline/left_credentials.h"
#include "gateway/upstream/assertion.h"
#include "gateway/upstream/trailers.h"
#include "gateway/websocket/fields.h"
#include "gateway/websocket/subprotocols.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace sallyport::upstream {

namespace {

using http::BodyFraming;
using pipeline::BodyHandling;
using pipeline::Exchange;

// RFC 9110, 8.6: a request declares an empty body if its method defines a meaning for one.
bool announces_empty_body(http::RequestHead const& head) {
    return head.method == http::Method::post || head.method == http::Method::put
           || head.method == http::Method::patch || head.method_text == http::query_method;
}

// By the body as it was read, not as the client declared it.
BodyFraming framing_of(Exchange const& exchange) {
    if (exchange.decision.body.handling == BodyHandling::streamed)
        return exchange.request.head.framing.body;
    auto const size = exchange.decision.body.handling == BodyHandling::buffered
                          ? exchange.request.body.size()
                          : std::size_t{0};
    bool const is_sent = size != 0 || announces_empty_body(exchange.request.head);
    return is_sent ? BodyFraming{BodyFraming::Kind::length, size} : BodyFraming{};
}

// Names, separators and numbers of everything that is added to the client's lines.
constexpr std::size_t overhead = 512;

// Whether what the client has proved itself with is forwarded; of an upstream without a credential
// of its own.
bool passes_on(Exchange const& exchange, Settings const& settings) {
    switch (settings.client_credential) {
    case ClientCredential::pass: return true;
    case ClientCredential::drop: return false;
    case ClientCredential::unless_issued_here: break;
    }
    return exchange.decision.authorization.issuer != pipeline::Issuer::gateway;
}

// Never both: if the upstream has a credential of its own, the client's is not forwarded.
void add_authorization(http::HeadWriter& head, Exchange const& exchange, Settings const& settings,
                       std::string_view own) {
    auto const& checked = exchange.decision.authorization;
    if (settings.has_own_credential()) {
        head.add("Authorization", own);
    } else if (!checked.scheme.empty() && passes_on(exchange, settings)) {
        head << "Authorization: " << checked.scheme << " " << checked.proof << "\r\n";
    } else if (pipeline::is_left_to_upstream(checked)) {
        if (auto const field = exchange.request.authorization()) head.add("Authorization", *field);
    }
}

void remove_lines(std::span<std::string const> names, http::LineRuns& kept) {
    if (names.empty()) return;
    http::LineRuns const all = kept;
    http::remove_lines(all, names, kept);
}

// Removes every secret that may be in another place than the Authorization field, also one that was
// not checked. Only the one that has proved the caller is passed on. `own_query`: the memory of a
// query that is changed.
void drop_secrets(Exchange const& exchange, Settings const& settings, http::LineRuns& kept,
                  std::string_view& query, std::string& own_query) {
    auto const& checked = exchange.decision.authorization;
    if (pipeline::is_left_to_upstream(checked)) return;
    bool const passes = !settings.has_own_credential() && passes_on(exchange, settings);
    for (auto const& [field, parameter] : exchange.decision.api->secret_places) {
        bool const is_checked = checked.field == field && checked.parameter == parameter;
        if (passes && is_checked) continue;
        if (!field.empty()) remove_lines({&field, 1}, kept);
        if (!parameter.empty()) query = own_query = http::without_query_pairs(query, parameter);
    }
}

// What the API or the upstream's settings write.
struct Changed {
    std::string path;
    std::string lines;
};

std::unique_ptr<Changed const> change(pipeline::EdgeRules const* edge,
                                      pipeline::UpstreamCallerFields const* told,
                                      Exchange const& exchange, http::LineRuns& kept) {
    auto changed = std::make_unique<Changed>();
    if (edge != nullptr) {
        remove_lines(edge->request.dropped(), kept);
        edge->request.append_lines(changed->lines, exchange, {});
        if (!edge->path.is_empty())
            changed->path = edge->path.change(exchange.request.head.target.path);
    }
    if (told != nullptr) {
        // Whatever API it is: the upstream trusts these fields.
        remove_lines(told->names, kept);
        auto const* const of_api = exchange.decision.api->caller_fields.get();
        auto const& fields = of_api != nullptr ? *of_api : told->usual;
        fields.rules.append_lines(changed->lines, exchange, {});
        if (fields.assertion != nullptr)
            append_assertion(changed->lines, *fields.assertion, exchange);
    }
    return changed;
}

std::string lines_about_trailers(http::RequestHead const& request, HeadParts const& parts) {
    std::string lines;
    // RFC 9110, 10.1.4: TE is for this connection alone, and said to be.
    if (accepts_trailers(request)) lines += "Connection: TE\r\nTE: trailers\r\n";
    if (parts.trailers != nullptr)
        lines.append("Trailer: ").append(parts.trailers->text()) += "\r\n";
    return lines;
}

// The subprotocols of a request that opens no WebSocket mean nothing, but may have a token.
bool may_hide_token(Exchange const& exchange) {
    return !exchange.decision.api->token_prefix().empty() && exchange.decision.websocket == nullptr;
}

} // namespace

net::Task<net::Error> send_request_head(http::ClientExchange& upstream, Exchange const& exchange,
                                        Settings const& settings, HeadParts const& parts,
                                        std::string_view body) {
    auto const& request = exchange.request.head;
    http::LineRuns kept;
    http::ForwardPolicy policy{
        pipeline::forwards_cookies(exchange.decision) ? http::Cookies::forward
                                                      : http::Cookies::drop,
        exchange.received.coding_removed ? http::Coding::removed : http::Coding::kept,
        {}};
    if (exchange.decision.operation != nullptr)
        policy.declared = exchange.decision.operation->header_names;
    http::fields_to_forward(request, policy, kept);
    auto path = request.target.path;
    auto query = request.target.query;
    std::string own_query;
    if (!exchange.decision.api->secret_places.empty()) [[unlikely]]
        drop_secrets(exchange, settings, kept, query, own_query);
    if (!parts.websocket_key.empty()) [[unlikely]]
        remove_lines(std::array{std::string{websocket::key_field}}, kept);
    bool const had_token = exchange.request.subprotocol_authorization != nullptr;
    if (had_token || may_hide_token(exchange)) [[unlikely]]
        remove_lines(std::array{std::string{websocket::protocol_field}}, kept);
    std::string_view lines;
    std::unique_ptr<Changed const> changed;
    auto const* const edge = exchange.decision.api->edge.get();
    auto const* const told = settings.caller_fields.get();
    if (edge != nullptr || told != nullptr) [[unlikely]] {
        changed = change(edge, told, exchange, kept);
        if (!changed->path.empty()) path = changed->path;
        lines = changed->lines;
    }

    std::string_view own = settings.authorization ? settings.authorization->reveal() : "";
    if (parts.renewed != nullptr) [[unlikely]]
        own = parts.renewed->reveal();
    // request.size: the size of all kept lines.
    bool const opens_websocket = exchange.decision.websocket != nullptr;
    bool const says_trailers = exchange.decision.forwards_trailers() && !opens_websocket;
    auto const trailer_lines = says_trailers ? lines_about_trailers(request, parts) : std::string{};
    auto head = upstream.begin_head({request.method_text, path, query, parts.host, opens_websocket,
                                     settings.response_head},
                                    request.size + own.size() + exchange.request.address().size()
                                        + lines.size() + trailer_lines.size() + overhead);
    head.add(std::span{kept.begin(), kept.size()});
    head << lines;
    // RFC 6455, 4.1: the client's key and what it offers are among its own lines.
    if (opens_websocket) [[unlikely]]
        head << "Connection: Upgrade\r\nUpgrade: websocket\r\n";
    if (!parts.websocket_key.empty()) [[unlikely]]
        head.add("Sec-WebSocket-Key", parts.websocket_key);
    if (had_token && opens_websocket) [[unlikely]]
        head.add("Sec-WebSocket-Protocol",
                 websocket::join_subprotocols(exchange.decision.websocket->subprotocols));
    add_authorization(head, exchange, settings, own);
    head.add("X-Request-Id", exchange.request.id.text());
    if (auto const& address = exchange.request.address(); !address.empty())
        head.add("X-Forwarded-For", address);
    head.add("X-Forwarded-Proto", exchange.request.is_https() ? "https" : "http");
    head.add("X-Forwarded-Host", exchange.request.authority().text);
    // RFC 9110, 7.6.3: a gateway adds itself for the server behind it.
    head << "Via: " << http::version_of(request.protocol) << " sallyport\r\n";
    // RFC 9110, 7.6.2: one server less; at 0 nothing is forwarded.
    if (request.max_forwards) head.add("Max-Forwards", std::uint64_t{*request.max_forwards} - 1);
    head << trailer_lines;
    auto const framing = parts.trailers == nullptr ? framing_of(exchange)
                                                   : BodyFraming{BodyFraming::Kind::chunked, 0};
    return upstream.send_head(head, {.body = framing, .has_secret = settings.has_own_credential()},
                              body);
}

} // namespace sallyport::upstream
