// Upstreams to which no connection can be made, by the keywords of the case file.
#pragma once

#include "tests/hostile/block_file.h"
#include "tests/support/recording_upstream.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sallyport::test {

struct ConnectionFault {
    std::string name;
    std::string place;
    std::string keyword;
    int status = 0;
    std::string reason;
};

/// Every row of the files of `cases/connections`.
std::vector<ConnectionFault> connection_faults();

/// The endpoint of such an upstream, and its configuration.
class FaultyEndpoint {
public:
    /// Throws std::runtime_error for an unknown keyword.
    explicit FaultyEndpoint(std::string_view keyword);

    /// YAML of the upstream.
    [[nodiscard]] std::string yaml(std::string_view name) const;
    /// Requests that arrived nevertheless.
    [[nodiscard]] std::size_t requests() const;
    /// How often the gateway has connected; empty if that cannot be observed.
    [[nodiscard]] std::optional<std::size_t> connections() const;

private:
    void listen_with_full_queue();

    std::string endpoint_;
    std::unique_ptr<RecordingUpstream> upstream_;
    Listening listening_;             // or a bound port that refuses connections
    std::vector<Descriptor> waiting_; // these fill the queue of `listening_`
};

} // namespace sallyport::test
