// A client library in a process of its own, which reads line by line what to send.
#pragma once

#include "tests/clients/corpus.h"
#include "tests/clients/judge.h"
#include "tests/support/descriptor.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sallyport::test {

/// What a library gets of a case.
struct Order {
    std::string method;
    std::string target;
    Fields fields; // without those of the connection and the framing
    std::string body;
    bool is_chunked = false;
};

Order order_of(Case const& one, std::string_view host);

/// The program reads one JSON object a line,
///   {"method", "origin", "target", "fields": [[name, value], ...], "body": base64 or null,
///   "chunked"}
/// and writes one for each, in the order of the requests:
///   {"status", "fields": [[name, value], ...], "body": text}, or {"failed": text}.
/// At the end of its input it may write one more about itself.
class Library {
public:
    explicit Library(std::vector<std::string> const& command);

    void ask(Order const& order, std::uint16_t port);
    /// The next response; throws with its error output if it failed, ended or takes too long.
    ClientResponse response();
    /// Ends its input, and returns its last output; its exit code must be 0.
    std::string finish();

private:
    std::string read_line();

    TemporaryFolder folder_;
    Descriptor requests_;
    Descriptor responses_;
    std::string pending_;
    std::unique_ptr<Process> process_;
};

} // namespace sallyport::test
