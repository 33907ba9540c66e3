// Streams of requests through the gateway's own functions for heads and bodies.
#include "tests/hostile/reading.h"

#include "gateway/http/body.h"
#include "gateway/http/head.h"

#include <limits>

namespace sallyport::test {
namespace {

using namespace sallyport::http;

// The bytes that a reader consumed, and their payload.
struct Consumed {
    bool is_complete = false;
    std::size_t size = 0;
    std::string payload;
    std::size_t payload_end = 0; // of the last piece, as an offset
};

template <class Reader>
Consumed take(Reader reader, std::string_view bytes) {
    Consumed result;
    while (true) {
        auto const step = reader.step(bytes.substr(result.size));
        if (step.refused) return result;
        if (!step.payload.empty())
            result.payload_end =
                static_cast<std::size_t>(step.payload.data() - bytes.data()) + step.payload.size();
        result.payload += step.payload;
        result.size += step.consumed;
        result.is_complete = step.complete;
        if (step.complete || step.consumed == 0) return result;
    }
}

Consumed take_body(BodyFraming const& framing, std::string_view bytes) {
    switch (framing.kind) {
    case BodyFraming::Kind::length: return take(LengthReader{framing.length}, bytes);
    case BodyFraming::Kind::chunked:
        return take(ChunkedReader{std::numeric_limits<std::uint64_t>::max(), Sender::client},
                    bytes);
    case BodyFraming::Kind::none:
    case BodyFraming::Kind::until_close: break; // the latter does not exist for requests
    }
    return {true, 0, {}, 0};
}

std::string_view trimmed(std::string_view text) {
    auto const first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// The reader has checked and dropped the trailers: this reads them again, in the simplest way.
NamesAndValues trailers_of(std::string_view after_payload) {
    if (after_payload.substr(0, 2) == "\r\n") after_payload.remove_prefix(2);
    NamesAndValues trailers;
    auto const first = after_payload.find("\r\n"); // the line of the last chunk
    for (auto at = first + 2; at < after_payload.size();) {
        auto const end = after_payload.find("\r\n", at);
        auto const line = after_payload.substr(at, end - at);
        auto const colon = line.find(':');
        if (colon != std::string_view::npos)
            trailers.emplace_back(line.substr(0, colon), trimmed(line.substr(colon + 1)));
        at = end + 2;
    }
    return trailers;
}

ReadRequest request_of(RequestHead const& head) {
    ReadRequest request{std::string{head.method_text},
                        std::string{head.raw_target},
                        std::string{sallyport::http::version_of(head.protocol)},
                        {},
                        {},
                        {}};
    for (auto const field : head.fields)
        request.fields.emplace_back(field.name, field.value);
    return request;
}

} // namespace

OurReading read_with_our_parser(std::string_view bytes) {
    OurReading reading;
    while (true) {
        auto const rest = bytes.substr(reading.size);
        auto const end = find_end_of_head(rest, 0);
        if (end == no_end) return reading;
        RequestHead head;
        if (parse_request_head(rest.substr(0, end), HeadLimits{}, head)) return reading;
        auto const after_head = rest.substr(head.size);
        auto const body = take_body(head.framing.body, after_head);
        if (!body.is_complete) return reading;
        auto request = request_of(head);
        request.body = body.payload;
        if (head.framing.body.kind == BodyFraming::Kind::chunked)
            request.trailers =
                trailers_of(after_head.substr(body.payload_end, body.size - body.payload_end));
        reading.requests.push_back(std::move(request));
        reading.size += head.size + body.size;
        reading.ends.push_back(reading.size);
        if (head.framing.keep_alive == KeepAlive::no) return reading;
    }
}

} // namespace sallyport::test
