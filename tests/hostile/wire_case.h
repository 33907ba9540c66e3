// A case on the wire: the bytes that a client sends, and what has to become of them.
#pragma once

#include "tests/hostile/block_file.h"
#include "tests/support/message.h"

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::test {

enum class Becomes : std::uint8_t {
    forwarded, // reaches the upstream as said, and is answered from there
    refused,   // is answered by us, and the connection is closed
    denied,    // is answered by us, and the connection goes on
    answered,  // likewise, but nothing was wrong: without content, and with Allow
    closed,    // has no answer, and the connection is closed
    awaited,   // nothing happens until more bytes come
};

struct Expected {
    Becomes becomes = Becomes::refused;
    // Of what is forwarded.
    std::string method;
    std::string target;
    std::string body;
    std::string host = "localhost"; // that the client asked
    Fields fields;                  // of the client, that arrive: these and no other
    // Of what is not.
    int status = 0;
    std::string reason;
    std::string detail; // empty: any
    std::string allow;  // of what is answered
};

// The API that a case is sent to: with a contract, where bodies are read whole and validated, or
// without, where they stream.
enum class Api : std::uint8_t { contract, stream };
char const* name_of(Api api);

struct WireCase {
    std::string name;
    std::string place;
    Api api = Api::contract;
    std::string bytes;
    std::vector<Expected> expected;
};

// The cases of a file, each once for each API that it is for. `names` are those that its API gives.
std::vector<WireCase> read_wire_cases(std::filesystem::path const& file, Names const& contract,
                                      Names const& stream);

} // namespace sallyport::test
