// The gateway in front of an upstream that echoes its request, and the runner of wire cases.
#pragma once

#include "tests/hostile/wire_case.h"
#include "tests/support/gateway.h"
#include "tests/support/raw_client.h"
#include "tests/support/recording_upstream.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace sallyport::test {

/// How the bytes of a case arrive: in one segment, or in several TLS records, which the gateway
/// reads one by one.
struct Delivery {
    Security security = Security::plain;
    std::size_t first = 0; // bytes of the first piece; 0: only one piece
    std::size_t piece = 0; // bytes of every further one; 0: the rest
};

inline constexpr Delivery in_one_piece{};
inline constexpr Delivery byte_by_byte{Security::tls, 1, 1};
constexpr Delivery split_at(std::size_t offset) {
    return {Security::tls, offset, 0};
}

/// One gateway with the two shipped APIs, one of every kind of parameter (`/odd/v1/things`), and
/// two without a contract (`/blob/`, and `/other/` with OPTIONS), all at one upstream. Used by one
/// thread.
class WireStage {
public:
    WireStage();

    /// The names that the cases of an API may use.
    [[nodiscard]] static Names names(Api api);

    /// CHECKs the expected result of the case, and that nothing else reaches the upstream;
    /// afterwards the connection serves the next request, or is closed.
    void run(WireCase const& wire_case, Delivery const& delivery);

    /// CHECKs that the gateway exits normally, sent nothing else to the upstream, and has logged
    /// each response once, with its status and reason.
    void finish();

private:
    void check(WireCase const& wire_case, Delivery const& delivery);
    void check_response(Response const& response, Expected const& expected);
    void check_arrived(Response const& response, Expected const& expected, Security security);
    void check_next_request(RawClient& client, Security security);
    void respond_with_echo(UpstreamExchange& exchange);

    std::mutex lock_; // between the upstream's threads and the test
    std::vector<Request> arrived_;
    std::size_t seen_ = 0;                                                 // of arrived_
    std::map<std::pair<std::string, std::string>, std::size_t> responses_; // by status and reason
    RecordingUpstream upstream_;
    Gateway gateway_;
};

/// What a WireStage is made of: its configuration with the files, and the response of its upstream,
/// which identifies the request.
Configuration wire_configuration(RecordingUpstream const& upstream);
Gateway::Options wire_options();
std::string echo_response(Request const& request);

/// All the cases of a folder of case files.
std::vector<WireCase> wire_cases(std::string_view folder);

} // namespace sallyport::test
