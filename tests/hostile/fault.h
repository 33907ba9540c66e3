// A fault of an upstream: its behaviour for a request, and what the client may see of it.
#pragma once

#include "tests/hostile/block_file.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::test {

/// The client's request during the fault.
enum class Asks : std::uint8_t {
    get,    // GET of an operation
    put,    // PUT of an operation that the contract marks as safe to repeat
    post,   // POST of an operation that it does not
    head,   // HEAD of an API without a contract
    upload, // PUT of a streamed body, larger than what the gateway buffers of one
};

/// How much the upstream has read when it begins.
enum class Begins : std::uint8_t { behind_head, behind_body };

/// What the upstream does after its bytes.
enum class Then : std::uint8_t {
    keep,  // waits for the next request
    end,   // closes in order: close_notify and FIN
    cut,   // only FIN, which over TLS is not an orderly end
    reset, // RST
    hold,  // does nothing until the gateway ends the connection
};

/// One result that the client may see.
struct Outcome {
    int status = 0;   // 0: no complete response
    std::string text; // for the gateway's own response the reason, for the upstream's the body
};

struct Fault {
    std::string name;
    std::string place;
    Asks asks = Asks::get;
    Begins begins = Begins::behind_body;
    bool on_kept_connection = false; // one that has carried an exchange before
    std::vector<std::string> answer; // lines, with {nonce} in them
    std::vector<std::string> later;  // lines, sent once the client has its response
    Then then = Then::keep;
    bool is_clean = false;         // no fault: the connection may be reused
    std::vector<Outcome> outcomes; // any of them is allowed
    std::size_t asked = 1;         // how often the upstream gets the request; repetitions get a
                                   // valid response
    bool over_plain = true;
    bool over_tls = true;
};

std::vector<Fault> read_faults(std::filesystem::path const& file);

/// {nonce} and all other names that the lines of a fault may use.
Names fault_names(std::string_view nonce);

} // namespace sallyport::test
