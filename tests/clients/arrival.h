// What has to arrive at the upstream of what a client sent: an opinion of its own about what a
// gateway forwards, for comparing with what the gateway does.
#pragma once

#include "tests/support/message.h"

#include <string>

namespace sallyport::test {

// What the gateway knows beside the request.
struct Hop {
    std::string upstream;      // authority of the upstream
    std::string authorization; // that it sends in place of the client's
    std::string request_id;    // that it told the client
};

// The fields in their order: the client's that may pass, spelt as they came, between those that a
// gateway writes. `content`: the body as it has to arrive.
Fields fields_that_arrive(Request const& sent, std::string const& content, Hop const& hop);

// Beast, in which the sandbox keeps fields, puts those of one name side by side.
Fields side_by_side(Fields const& fields);

} // namespace sallyport::test
