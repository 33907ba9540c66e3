// Shared by the tests of heads: parse a text, and describe the result in one word.
#pragma once

#include "gateway/http/head.h"

#include <memory>
#include <string>
#include <string_view>

namespace sallyport::http::test {

struct ParsedRequest {
    std::unique_ptr<char[]> bytes; // of exactly the text's size, so that a read past it is detected
    std::size_t size = 0;
    std::unique_ptr<RequestHead> head = std::make_unique<RequestHead>();
    Refused refused = nullptr;
};

inline ParsedRequest parse_request(std::string_view text, HeadLimits const& limits = {}) {
    ParsedRequest parsed;
    parsed.bytes = std::make_unique<char[]>(text.size());
    parsed.size = text.size();
    text.copy(parsed.bytes.get(), text.size());
    parsed.refused = parse_request_head({parsed.bytes.get(), text.size()}, limits, *parsed.head);
    return parsed;
}

inline std::string describe(BodyFraming const& body) {
    switch (body.kind) {
    case BodyFraming::Kind::none: return "none";
    case BodyFraming::Kind::length: return "length " + std::to_string(body.length);
    case BodyFraming::Kind::chunked: return "chunked";
    case BodyFraming::Kind::until_close: return "until_close";
    }
    return "?";
}

/// "none keep", "length 5 close expect", or the name of the violated rule.
inline std::string judge_request(std::string_view text, HeadLimits const& limits = {}) {
    auto const parsed = parse_request(text, limits);
    if (parsed.refused) return std::string{parsed.refused->rule};
    auto const& framing = parsed.head->framing;
    return describe(framing.body) + (framing.keep_alive == KeepAlive::yes ? " keep" : " close")
           + (framing.expect_continue == ExpectContinue::yes ? " expect" : "");
}

inline std::string judge_response(std::string_view text, ResponseTo request = ResponseTo::other,
                                  HeadLimits const& limits = {}) {
    auto const bytes = std::make_unique<char[]>(text.size());
    text.copy(bytes.get(), text.size());
    auto const head = std::make_unique<ResponseHead>();
    auto const refused = parse_response_head({bytes.get(), text.size()}, limits, request, *head);
    if (refused) {
        return refused->kind == RefusalKind::upstream_invalid ? std::string{refused->rule}
                                                              : "not an upstream's fault";
    }
    auto const& framing = head->framing;
    return describe(framing.body) + (framing.keep_alive == KeepAlive::yes ? " keep" : " close")
           + (framing.declared_length ? " declared " + std::to_string(*framing.declared_length)
                                      : "");
}

} // namespace sallyport::http::test
