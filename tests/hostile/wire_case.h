// A case on the wire: the bytes that a client sends, and the expected result.
#pragma once

#include "tests/hostile/block_file.h"
#include "tests/support/message.h"

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::test {

enum class Becomes : std::uint8_t {
    forwarded, // reaches the upstream unchanged, and gets its response
    refused,   // the gateway responds, and closes the connection
    denied,    // the gateway responds, and the connection stays open
    responded, // likewise, but without an error: no content, and Allow
    closed,    // no response, and the connection is closed
    awaited,   // nothing happens until more bytes arrive
};

struct Expected {
    Becomes becomes = Becomes::refused;
    /// Of forwarded requests.
    std::string method;
    std::string target;
    std::string body;
    std::string host = "localhost"; // as requested by the client
    Fields fields;                  // the client's fields that arrive: exactly these
    Fields trailers;                // likewise, behind the body
    /// Of other requests.
    int status = 0;
    std::string reason;
    std::string detail; // empty: any
    std::string allow;  // of `responded`
};

/// The API of a case: with a contract, where bodies are read completely and validated, or without,
/// where they are streamed.
enum class Api : std::uint8_t { contract, stream };
char const* name_of(Api api);

struct WireCase {
    std::string name;
    std::string place;
    Api api = Api::contract;
    std::string bytes;
    std::vector<Expected> expected;
};

/// The cases of a file, each once for each of its APIs. `names`: those of the API.
std::vector<WireCase> read_wire_cases(std::filesystem::path const& file, Names const& contract,
                                      Names const& stream);

} // namespace sallyport::test
