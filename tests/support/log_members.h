// The members of a line of the access log, in order.
#pragma once

#include <string>
#include <vector>

namespace sallyport::test {

inline std::vector<std::string> const log_members{
    // clang-format off
    "time", "worker", "seq", "request_id",
    "client", "tls", "protocol",
    "method", "api", "operation", "unchecked", "path", "query", "credential",
    "status", "reason", "violations", "unknown_members", "deprecated_members",
    "bytes_in", "bytes_out",
    "upstream", "upstream_status", "upstream_request_id",
    "duration_us", "auth_us", "validate_us",
    "upstream_connect_us", "upstream_first_byte_us", "upstream_total_us",
    "retries", "generation",
    "request_body", "response_body",
    "listener", "host", "user_agent", "client_request_id", "trace_id", "peer",
    "auth_failure", "auth_rule",
    // clang-format on
};

} // namespace sallyport::test
