// Which responses are streams: of operations that the contract marks, or by their media type.
#include "gateway/pipeline/stream.h"

#include "gateway/http/media_type.h"

namespace sallyport::pipeline {

namespace {

// Of several Content-Type no reader knows which one counts.
bool is_event_stream(http::FieldTable const& fields) noexcept {
    if (fields.count(http::FieldId::content_type) != 1) return false;
    auto const type = http::parse_media_type(*fields.find(http::FieldId::content_type));
    return type && http::equals_ignoring_case(type->type, "text")
           && http::equals_ignoring_case(type->subtype, "event-stream");
}

} // namespace

bool is_stream(Exchange const& exchange) noexcept {
    auto const* const operation = exchange.decision.operation;
    if (operation == nullptr) return false;
    switch (operation->streams) {
    case contract::Streams::none: return false;
    case contract::Streams::event_streams: return is_event_stream(exchange.response->fields);
    case contract::Streams::all: break;
    }
    return true;
}

} // namespace sallyport::pipeline
