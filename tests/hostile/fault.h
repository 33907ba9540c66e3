// A fault of an upstream: what it does with a request, and what the client may see of it.
#pragma once

#include "tests/hostile/block_file.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::test {

// What the client asks for when the fault comes.
enum class Asks : std::uint8_t {
    get,    // GET of an operation
    put,    // PUT of an operation that the contract marks as safe to repeat
    post,   // POST of an operation that it does not
    head,   // HEAD of an API without a contract
    upload, // PUT of a body that streams, larger than what the gateway keeps of one
};

// What the upstream has read when it begins.
enum class Begins : std::uint8_t { behind_head, behind_body };

// What the upstream does behind its bytes.
enum class Then : std::uint8_t {
    keep,  // waits for the next request
    end,   // closes in order: close_notify and FIN
    cut,   // FIN alone, which over TLS is no end
    reset, // RST
    hold,  // does nothing until the gateway gives up
};

// One thing that the client may see.
struct Outcome {
    int status = 0;   // 0: nothing that is complete
    std::string text; // of an answer of ours the reason, of one of the upstream the body
};

struct Fault {
    std::string name;
    std::string place;
    Asks asks = Asks::get;
    Begins begins = Begins::behind_body;
    bool on_kept_connection = false; // that has answered a request before
    std::vector<std::string> answer; // lines, with {nonce} in them
    std::vector<std::string> later;  // lines, sent once the client has its answer
    Then then = Then::keep;
    bool is_clean = false;         // nothing was wrong: the connection may be used again
    std::vector<Outcome> outcomes; // any of them
    std::size_t asked = 1;         // how often the upstream is asked; again means: answered well
    bool over_plain = true;
    bool over_tls = true;
};

std::vector<Fault> read_faults(std::filesystem::path const& file);

// {nonce} and whatever else the lines of a fault may name.
Names fault_names(std::string_view nonce);

} // namespace sallyport::test
