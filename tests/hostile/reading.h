// How a parser reads a stream of requests: ours, and that of Node (llhttp).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::test {

using NamesAndValues = std::vector<std::pair<std::string, std::string>>;

struct ReadRequest {
    std::string method;
    std::string target;
    std::string version; // "1.1"
    NamesAndValues fields;
    std::string body;
    NamesAndValues trailers;

    friend bool operator==(ReadRequest const&, ReadRequest const&) = default;
};

struct OurReading {
    std::vector<ReadRequest> requests; // accepted completely
    std::vector<std::size_t> ends;     // of each of them, as offsets
    std::size_t size = 0;              // of the bytes that they occupy
};

/// Reads as a connection does, until a request is refused, incomplete, or the last of a connection.
OurReading read_with_our_parser(std::string_view bytes);

struct OtherReading {
    std::vector<ReadRequest> requests; // complete ones
    std::string error;                 // the parser's code; empty if it accepted every byte
};

/// Runs each of the streams through Node; throws std::runtime_error on failure.
std::vector<OtherReading> read_with_node(std::vector<std::string> const& streams);

} // namespace sallyport::test
