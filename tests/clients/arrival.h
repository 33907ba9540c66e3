// The expected request at the upstream for a client's request: an independent implementation of
// what a gateway forwards, to compare with the gateway.
#pragma once

#include "tests/support/message.h"

#include <string>

namespace sallyport::test {

/// Facts of the gateway besides the request.
struct Hop {
    std::string upstream;      // authority of the upstream
    std::string authorization; // that it sends instead of the client's
    std::string request_id;    // that it sent to the client
    std::string received;      // the version of HTTP of the client: 1.1, 2.0
};

/// The fields in order: the client's allowed ones, in their spelling, between those that a gateway
/// writes. `content`: the body that must arrive.
Fields fields_that_arrive(Request const& sent, std::string const& content, Hop const& hop);

/// A request as HTTP/2 has it: names in small letters, nothing about the connection.
Request over_http2(Request request);

/// Beast, in which the sandbox stores fields, groups those of one name.
Fields side_by_side(Fields const& fields);

} // namespace sallyport::test
