// A fault of an upstream: its behaviour for a request, and the results that the client may receive.
#pragma once

#include "tests/hostile/block_file.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::test {

/// The client's request during the fault.
enum class RequestKind : std::uint8_t {
    get,    // GET of an operation
    put,    // PUT of an operation that the contract marks as safe to repeat
    post,   // POST of an operation that the contract does not mark so
    head,   // HEAD of an API without a contract
    upload, // PUT of a streamed body, larger than the gateway buffers
};

/// How much of the request the upstream has read when the fault begins.
enum class Begins : std::uint8_t { after_head, after_body };

/// What the upstream does after its bytes.
enum class Then : std::uint8_t {
    keep,  // waits for the next request
    end,   // closes cleanly: close_notify and FIN
    cut,   // FIN alone, which truncates over TLS
    reset, // RST
    hold,  // does nothing until the gateway ends the connection
};

/// One result that the client may receive.
struct Outcome {
    int status = 0;   // 0: no complete response
    std::string text; // the reason of the gateway's response, or the body of the upstream's
};

struct Fault {
    std::string name;
    std::string place;
    RequestKind request = RequestKind::get;
    Begins begins = Begins::after_body;
    bool on_kept_connection = false;   // one that was used for an exchange before
    std::vector<std::string> response; // lines, with {nonce} in them
    std::vector<std::string> later;    // lines, sent once the client has its response
    Then then = Then::keep;
    bool is_clean = false;         // no fault: the connection may be reused
    std::vector<Outcome> outcomes; // each of them is allowed
    std::size_t attempts = 1;      // requests that the upstream gets; the response to each
                                   // further one is valid
    bool over_plain = true;
    bool over_tls = true;
};

std::vector<Fault> read_faults(std::filesystem::path const& file);

/// {nonce} and all other names that the lines of a fault may use.
Names fault_names(std::string_view nonce);

} // namespace sallyport::test
