// Sends each request twice, over HTTP/1.1 and over HTTP/2, and compares what became of it.
#pragma once

#include "tests/hostile/http2_form.h"
#include "tests/hostile/wire_case.h"
#include "tests/support/gateway.h"
#include "tests/support/http2_client.h"
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

/// A verdict of HTTP/2 that is not that of HTTP/1.1.
struct OtherVerdict {
    int status = 0;
    std::string_view reason;
    std::string_view detail; // without its full stop
};

/// The one that the form of a request must get, whatever HTTP/1.1 says of it; null: the same as
/// there. (The table is in versions_stage.cpp.)
OtherVerdict const* other_verdict(Http2Form const& form);

/// The same gateway and upstream as those of WireStage, with one connection of each version over
/// TLS. Used by one thread.
class VersionsStage {
public:
    VersionsStage();

    /// Sends each request of the case that both versions can say, and CHECKs that the responses
    /// and what arrives at the upstream are the same, or that HTTP/2 gives the other verdict.
    void run(WireCase const& wire_case);
    /// The same of the first request of any stream, if the stream has all of it.
    void run(std::string const& name, std::string_view stream);

    /// CHECKs the lines of the log in pairs, and that the gateway exits normally and has sent
    /// nothing else to the upstream.
    void finish();

    [[nodiscard]] std::size_t compared() const { return pairs_.size(); }
    /// Requests that are not compared, by their kind.
    [[nodiscard]] std::map<std::string_view, std::size_t> const& left_out() const {
        return left_out_;
    }
    /// Rows of the tables of what differs that no request has needed.
    [[nodiscard]] std::vector<std::string_view> unused() const;

private:
    /// What became of a request in one version.
    struct Outcome {
        Response response;
        std::vector<Request> arrived;
    };
    struct Pair {
        std::string label = {};
        std::string older = {}; // the ids of the requests
        std::string newer = {};
        OtherVerdict const* other = nullptr;
        bool has_other_path = false;
    };

    void compare(std::string label, std::string_view bytes, Http2Form const& form);
    void compare_outcomes(std::string_view bytes, Http2Form const& form);
    void compare_same(Http2Form const& form, Outcome older, Outcome const& newer);
    Outcome send_older(std::string_view bytes, std::string const& method);
    Outcome send_newer(Http2Form const& form);
    std::vector<Request> take_arrived();

    std::mutex lock_; // between the upstream's threads and the test
    std::vector<Request> arrived_;
    RecordingUpstream upstream_;
    Gateway gateway_;
    std::string next_; // the request behind most others
    std::unique_ptr<RawClient> older_;
    std::unique_ptr<Http2Client> newer_;
    std::set<std::string, std::less<>> seen_; // cases that both APIs have have the same bytes
    std::vector<Pair> pairs_;
    std::set<void const*> used_; // rows of these tables
    std::map<std::string_view, std::size_t> left_out_;
};

} // namespace sallyport::test
