// A bounded copy of an answer's body, taken while it passes: for the log, and for checks against
// the contract.
#pragma once

#include "gateway/http/content_coding.h"
#include "gateway/lifecycle/snapshot.h"
#include "gateway/net/buffers.h"
#include "gateway/pipeline/exchange.h"
#include "gateway/upstream/forward.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sallyport::serve {

/// Never delays or changes what the client gets; what does not fit into the limit is only counted.
class ResponseCopy final : public upstream::ResponseTap {
public:
    ResponseCopy(pipeline::Exchange& exchange, lifecycle::Snapshot const& snapshot);

    /// Whether anybody will look at it.
    bool wanted() const { return logs_ || checks_; }

    void see(std::string_view bytes) override;

    /// After the answer: checks it, and leaves what the log may say of it in the exchange.
    void finish();

private:
    bool may_log() const;
    std::string_view decode();
    void check(std::string_view body);

    pipeline::Exchange& exchange_;
    lifecycle::Snapshot const& snapshot_;
    bool logs_ = false;
    bool checks_ = false;
    std::size_t limit_ = 0;
    std::uint64_t seen_ = 0;
    net::Buffer copy_;
    std::size_t size_ = 0;
    net::Buffer decoded_;
    std::optional<http::ContentCoding> coding_; // of the answer; none: nothing of it was seen
    bool knows_coding_ = false;
};

} // namespace sallyport::serve
