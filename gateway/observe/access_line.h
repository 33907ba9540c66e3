// Formats one line of the access log into memory that is reused for the next line.
#pragma once

#include "gateway/observe/access_record.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace sallyport::observe {

/// The longest texts of a line, in bytes as written (escapes counted); longer ones end in `[...]`.
namespace line_limits {
inline constexpr std::size_t word =
    128; // request ids, names of APIs, operations, credentials, ciphers, ...
inline constexpr std::size_t method = 32;
inline constexpr std::size_t path = 2048;
inline constexpr std::size_t pointer = 512;
inline constexpr std::size_t host = 256;
inline constexpr std::size_t rule = 192; // a file and a line
inline constexpr std::size_t user_agent = 256; // characters, whatever their size in bytes
inline constexpr std::size_t name = 128;       // of a query parameter or a deprecated property
inline constexpr std::size_t names = 32;       // in one list; more are counted by one `[...]`
inline constexpr std::size_t violations = 32;
inline constexpr std::size_t body = 256 * 1024; // of a redacted body; a longer one is null
} // namespace line_limits

/// The longest line of format_short_access_line().
inline constexpr std::size_t short_line = std::size_t{8} << 10;

/// The memory of a line, and the second that was formatted last. Owned by one worker.
class LineBuffer {
public:
    LineBuffer();

private:
    friend std::string_view format_access_line(AccessRecord const& record, LineBuffer& buffer);

    std::string_view connection_text(AccessRecord const& record);
    std::string_view caller_text(AccessRecord const& record);

    std::unique_ptr<char[]> memory_;
    std::size_t size_;
    std::chrono::sys_seconds second_{};
    std::array<char, 20> second_text_{}; // "2026-01-31T23:59:59."
    // Most connections of a worker have the same protocols and cipher.
    std::string tls_version_;
    std::string tls_cipher_;
    bool tls_resumed_ = false;
    std::string tls_group_;
    std::string protocol_;
    std::string connection_text_;
    // Consecutive requests usually come from one client: its host and user agent are kept as text.
    std::string listener_;
    std::string host_;
    std::string user_agent_;
    std::string caller_text_;
};

/// The part that all lines of an operation share, for AccessRecord::operation_part.
[[nodiscard]] std::string prepare_operation_part(std::string_view method, std::string_view api,
                                                 std::string_view operation, bool unchecked);

/// One JSON object and a line feed, members in the order of AccessRecord. The view is valid until
/// the buffer is used again. Allocates only if the logged bodies are longer than those of all lines
/// before.
std::string_view format_access_line(AccessRecord const& record, LineBuffer& buffer);

/// A line for a record whose reserved space is all that is left: without bodies, and each list is
/// one `[...]`. At most short_line bytes.
std::string_view format_short_access_line(AccessRecord const& record, LineBuffer& buffer);

} // namespace sallyport::observe
