// The gateway in front of an upstream with scripted faults, and the runner of faults.
#pragma once

#include "tests/hostile/fault.h"
#include "tests/support/gateway.h"
#include "tests/support/raw_client.h"
#include "tests/support/recording_upstream.h"

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::test {

/// Whether the gateway keeps idle connections to the upstream.
enum class Pool : std::uint8_t { empty, keeping };

enum class Pieces : std::uint8_t { whole, single_bytes };

/// One gateway and one upstream; any number of threads may run faults, each with nonces of its own.
/// The path of a request contains its nonce, and it gets a valid response unless a fault is planned
/// for it.
class FaultStage {
public:
    FaultStage(Security upstream_security, Pool pool);

    /// The problems found: empty if the fault had an allowed outcome, the upstream got the expected
    /// number of requests, and the next requests got responses with their own nonces.
    std::vector<std::string> run(Fault const& fault, Pieces pieces);

    /// The last step: CHECKs that the gateway exits normally.
    void finish();

private:
    struct PlannedFault;

    void serve(UpstreamExchange& exchange);
    void inject(UpstreamExchange& exchange, PlannedFault& planned);
    void await_end(UpstreamExchange& exchange, PlannedFault const& planned);
    std::string next_nonce();
    std::string check_next_exchange(RawClient& client);
    bool check_outcome(RawClient& client, Fault const& fault, std::string const& nonce,
                       std::vector<std::string>& problems);

    std::mutex lock_;
    std::map<std::string, std::shared_ptr<PlannedFault>> planned_; // by nonce
    std::set<std::size_t> unclean_;     // connections that must not be used again
    std::vector<std::string> problems_; // observed at the upstream
    unsigned nonces_ = 0;
    RecordingUpstream upstream_;
    Gateway gateway_;
};

/// Every fault of the case files.
std::vector<Fault> all_faults();

} // namespace sallyport::test
