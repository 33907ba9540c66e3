// Which trailers of an exchange are passed on, where its operation says so (`x-trailers`).
#include "gateway/upstream/trailers.h"

#include "gateway/http/characters.h"

#include <string>

namespace sallyport::upstream {

namespace {

using http::BodyFraming;
using pipeline::BodyHandling;
using pipeline::Exchange;

// RFC 9112, 7.1, and RFC 9113, 8.1: in HTTP/1 only chunks have a place for them.
bool may_have_trailers(http::RequestHead const& head) noexcept {
    auto const kind = head.framing.body.kind;
    return head.protocol == http::Protocol::http_2 ? kind != BodyFraming::Kind::none
                                                   : kind == BodyFraming::Kind::chunked;
}

} // namespace

http::TrailerNames request_trailers(Exchange const& exchange, Settings const& settings) {
    auto const& head = exchange.request.head;
    if (!may_have_trailers(head)) return {};
    http::TrailerNames names{head.fields, exchange.received.coding_removed ? http::Coding::removed
                                                                           : http::Coding::kept};
    names.remove(exchange.decision.operation->header_names);
    for (auto const& place : exchange.decision.api->secret_places)
        if (!place.field.empty()) names.remove({&place.field, 1});
    if (auto const* const edge = exchange.decision.api->edge.get(); edge != nullptr)
        names.remove(edge->request.dropped());
    if (auto const* const told = settings.caller_fields.get(); told != nullptr)
        names.remove(told->names);
    bool const are_there = exchange.decision.body.handling == BodyHandling::streamed
                           || !names.select(exchange.transport.trailers()).empty();
    return are_there ? names : http::TrailerNames{};
}

http::TrailerNames response_trailers(Exchange const& exchange) {
    auto const& response = *exchange.response;
    if (response.framing.body.kind != BodyFraming::Kind::chunked
        || exchange.request.head.protocol == http::Protocol::http_1_0)
        return {};
    http::TrailerNames names{response.fields, http::Coding::kept};
    if (auto const* const edge = exchange.decision.api->edge.get(); edge != nullptr)
        names.remove(edge->response.dropped());
    return names;
}

bool accepts_trailers(http::RequestHead const& head) noexcept {
    for (auto const field : head.fields) {
        if (field.id != http::FieldId::te) continue;
        bool const says_no = http::for_each_element(field.value, [](std::string_view element) {
            return !http::equals_ignoring_case(element, "trailers");
        });
        if (!says_no) return true;
    }
    return false;
}

} // namespace sallyport::upstream
