// A server that records what a client library really sends, before the gateway gets the same.
#pragma once

#include "tests/support/recording_upstream.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace sallyport::test {

struct Case;

/// Over TLS, like the gateway. Responds with 200 to everything.
class Mirror {
public:
    Mirror();

    [[nodiscard]] std::uint16_t port() const { return upstream_->port(); }
    /// The requests since the last call, bodies included; throws if there are not exactly `count`.
    std::vector<Request> take(std::size_t count);
    [[nodiscard]] std::vector<std::string> protocol_errors() const {
        return upstream_->protocol_errors();
    }

private:
    void reflect(UpstreamExchange& exchange);

    std::mutex lock_;
    std::vector<Request> requests_;
    std::unique_ptr<RecordingUpstream> upstream_; // last: its threads write to the others
};

/// CHECKs that the request matches the case: method, target, body, each field with its value, and
/// no other fields than those that a library adds by itself. Fields of the connection are up to the
/// library.
void check_said(Case const& one, Request const& sent, std::uint16_t mirror_port);

} // namespace sallyport::test
