// The content of one line of the access log, as plain values that the serving code sets.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace sallyport::observe {

enum class ViolationLevel : std::uint8_t { enforce, report };

/// One violated rule. Never the wrong value: `pointer` has `*` for property names that the contract
/// does not declare.
struct LoggedViolation {
    std::string_view pointer;
    std::string_view rule;
    std::string_view rule_pointer;
    ViolationLevel level = ViolationLevel::enforce;
};

struct LoggedTls {
    std::string_view version; // "TLSv1.3"; empty: the connection is not (yet) TLS
    std::string_view cipher;
    bool resumed = false;
    std::string_view group; // of the key exchange; empty: none
};

/// The duration of a step that was not reached: null in the line.
inline constexpr std::int64_t not_measured = -1;

/// One request, or one connection that never sent one. All views must be valid until the line is
/// formatted. An empty view, an empty span and a duration of not_measured are null in the line. The
/// members are in the order in which they are written.
struct AccessRecord {
    std::chrono::system_clock::time_point time;
    std::uint32_t worker = 0;
    std::uint64_t seq =
        0; // LogRing::take_seq(), before the push: a dropped line leaves a gap that can be seen
    std::string_view request_id;
    std::string_view client;
    LoggedTls tls;
    std::string_view protocol;
    std::string_view method;
    std::string_view api;
    std::string_view operation;
    bool unchecked = false; // null if false: the operation reaches an unchecked place
    /// Made by prepare_operation_part(): then these four are ignored. Empty: they are used.
    std::string_view operation_part;
    std::string_view path;                   // loggable_path()
    std::span<std::string_view const> query; // loggable_query()
    std::string_view credential;             // its name, never its secret
    std::uint16_t status = 0;                // as sent; 0 if none was sent
    std::string_view reason;                 // empty if the request passed
    std::span<LoggedViolation const> violations;
    /// Further violations, of which only the level is kept: enforce if one of them is.
    std::optional<ViolationLevel> more_violations;
    std::int64_t unknown_members = -1; // -1 if no body was validated
    std::span<std::string_view const> deprecated_members;
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
    std::string_view upstream;
    std::uint16_t upstream_status = 0; // 0: no response from the upstream
    std::string_view upstream_request_id;
    std::int64_t duration_us = not_measured;
    std::int64_t auth_us = not_measured;
    std::int64_t validate_us = not_measured;
    std::int64_t upstream_connect_us = not_measured;
    std::int64_t upstream_first_byte_us = not_measured;
    std::int64_t upstream_total_us = not_measured;
    std::uint32_t retries = 0;
    std::uint64_t generation = 0;
    std::string_view request_body; // JSON text of redact_json() or bytes_only(), written unchanged
    std::string_view response_body;
    std::string_view listener; // its name
    std::string_view host;     // the requested host, in lower case
    std::string_view user_agent;
    std::string_view client_request_id; // the id that came with the request
    std::string_view trace_id;          // loggable_trace_id()
    std::string_view peer;              // the proxy that has connected for the client
    std::string_view auth_failure;      // why there is no caller; empty: there is one, or no need
    std::string_view auth_rule;         // where what refused it stands: "credentials.yaml:12"
};

} // namespace sallyport::observe
