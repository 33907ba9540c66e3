// Shared by the tests of handshakes: heads, parsed from their text.
#pragma once

#include "gateway/http/head.h"

#include <memory>
#include <string>
#include <string_view>

namespace sallyport::websocket::test {

/// The example of RFC 6455, 1.2 and 1.3.
inline constexpr std::string_view example_key = "dGhlIHNhbXBsZSBub25jZQ==";
inline constexpr std::string_view example_accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

/// A head that keeps its text: its views stay valid.
template <class Head>
struct KeptHead {
    std::string text;
    std::unique_ptr<Head> head = std::make_unique<Head>();
    http::Refused refused = nullptr;

    [[nodiscard]] http::FieldTable const& fields() const { return head->fields; }
};

inline std::unique_ptr<KeptHead<http::RequestHead>> request(std::string_view text) {
    auto kept = std::make_unique<KeptHead<http::RequestHead>>();
    kept->text = text;
    kept->refused = http::parse_request_head(kept->text, {}, *kept->head);
    return kept;
}

/// A request with these lines, each with its CR LF, behind Host.
inline std::unique_ptr<KeptHead<http::RequestHead>> request_with(std::string_view lines) {
    return request("GET /chat HTTP/1.1\r\nHost: a.example\r\n" + std::string{lines} + "\r\n");
}

/// A response with these lines. The status is not 101, which no parser lets through yet: the
/// functions under test do not look at it.
inline std::unique_ptr<KeptHead<http::ResponseHead>> response_with(std::string_view lines) {
    auto kept = std::make_unique<KeptHead<http::ResponseHead>>();
    kept->text = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" + std::string{lines} + "\r\n";
    kept->refused = http::parse_response_head(kept->text, {}, http::ResponseTo::other, *kept->head);
    return kept;
}

/// The name of the rule, or nothing.
inline std::string rule_of(http::Refused refused) {
    return refused == nullptr ? std::string{} : std::string{refused->rule};
}

} // namespace sallyport::websocket::test
