// A server that tells what a client library really sends, before the gateway sees the same.
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

// Over TLS, as the gateway. Answers everything with 200.
class Mirror {
public:
    Mirror();

    [[nodiscard]] std::uint16_t port() const { return upstream_->port(); }
    // What came since the last call, bodies included; throws where it is not that many.
    std::vector<Request> take(std::size_t count);
    [[nodiscard]] std::vector<std::string> complaints() const { return upstream_->complaints(); }

private:
    void reflect(UpstreamExchange& exchange);

    std::mutex lock_;
    std::vector<Request> requests_;
    std::unique_ptr<RecordingUpstream> upstream_; // last: its threads write to the others
};

// CHECKs that the request is what the case says: method, target, body, each field with its value,
// and no other fields than those that a library adds by itself. Fields of the connection are the
// library's business.
void check_said(Case const& one, Request const& sent, std::uint16_t mirror_port);

} // namespace sallyport::test
