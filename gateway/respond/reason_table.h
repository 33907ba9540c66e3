// The response for each reason: the one place where a status follows from a reason.
#pragma once

#include "gateway/pipeline/reason.h"

#include <string_view>

namespace sallyport::respond {

/// A row of the table. All texts are constants and contain nothing of a request.
struct ReasonRow {
    pipeline::Reason reason;
    unsigned status;         // 0: occurs only after a head was sent, or where no response is
                             // possible
    std::string_view title;  // RFC 9457, 3.1.3: the same for every occurrence
    std::string_view detail; // used if the denial has none of its own
};

/// The row of any reason.
[[nodiscard]] ReasonRow const& row_of(pipeline::Reason reason) noexcept;

/// 0 for internal reasons, for which no response is sent.
[[nodiscard]] unsigned status_of(pipeline::Reason reason) noexcept;

/// The word at the beginning of the member `error`: "BAD_REQUEST"; one for each status of the
/// table.
[[nodiscard]] std::string_view code_of(unsigned status) noexcept;

} // namespace sallyport::respond
