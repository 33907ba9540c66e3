// The gateway before an upstream that does as a fault says, and the runner of faults.
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

// Whether connections to the upstream are kept.
enum class Pool : std::uint8_t { empty, keeping };

enum class Pieces : std::uint8_t { whole, byte_by_byte };

// One gateway and one upstream; any number of threads may run faults, each with nonces of its own.
// A request names its nonce in its path, and is answered well unless a fault is set for it.
class FaultStage {
public:
    FaultStage(Security upstream_security, Pool pool);

    // What was wrong: empty where the fault had an outcome that it may have, the upstream was asked
    // as often as it should be, and the next requests were answered with their own nonces.
    std::vector<std::string> run(Fault const& fault, Pieces pieces);

    // The same for what is left behind: CHECKs that the gateway ends in order.
    void finish();

private:
    struct Set;

    void serve(UpstreamExchange& exchange);
    void commit(UpstreamExchange& exchange, Set& set);
    void await_end(UpstreamExchange& exchange, Set const& set);
    std::string next_nonce();
    std::string ask_well(RawClient& client);
    bool check_outcome(RawClient& client, Fault const& fault, std::string const& nonce,
                       std::vector<std::string>& problems);

    std::mutex lock_;
    std::map<std::string, std::shared_ptr<Set>> sets_; // by nonce
    std::set<std::size_t> unclean_;                    // connections that no request may come on
    std::vector<std::string> problems_;                // seen at the upstream
    unsigned nonces_ = 0;
    RecordingUpstream upstream_;
    Gateway gateway_;
};

// Every fault of the case files.
std::vector<Fault> all_faults();

} // namespace sallyport::test
