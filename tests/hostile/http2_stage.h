// The gateway with HTTP/2, whose clients have little patience to spend, and checks of how it ends
// their connections.
#pragma once

#include "tests/support/admin.h"
#include "tests/support/event.h"
#include "tests/support/gateway.h"
#include "tests/support/http2_client.h"
#include "tests/support/recording_upstream.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::test {

/// A request of no cost, and the same one for `/wait/`, which the upstream answers at open_gate().
[[nodiscard]] std::string cheap_request();
[[nodiscard]] std::string waiting_request();
/// The header block of the first one, without `:path` in the second.
[[nodiscard]] std::string cheap_block();
[[nodiscard]] std::string malformed_block();
/// HEADERS of an upload whose DATA is to follow.
[[nodiscard]] std::string upload_head(std::uint32_t stream);

struct Http2Stage {
    /// Lines of `limits`, indented by two.
    explicit Http2Stage(std::string const& limits);

    [[nodiscard]] std::uint16_t port() const { return gateway.port(); }
    void open_gate() { gate.set(); }
    /// CHECKs that a client of a new connection is served.
    void check_others() const;
    /// CHECKs that the connection ends with GOAWAY and this code, is logged once with the reason,
    /// noted in the control log with the rule, and counted; and that others are served.
    void check_end(Http2Client& client, std::uint32_t code, std::string_view code_name,
                   std::string_view reason, std::string_view rule);
    /// The points that a kind has cost, by the metric.
    [[nodiscard]] double points(std::string_view kind) const;
    /// The gateway ends in order.
    void finish();

    Event gate;
    RecordingUpstream upstream;
    Gateway gateway;

private:
    std::size_t ended_ = 0; // connections with a line of their own
};

} // namespace sallyport::test
