// What each reason means to a client: the one place where a status follows from a reason.
#pragma once

#include "gateway/pipeline/reason.h"

#include <string_view>

namespace sallyport::respond {

/// A row of the table. All texts are constants: nothing of a request is in them.
struct ReasonRow {
    pipeline::Reason reason;
    unsigned status;        // 0: known only after a head was sent, or where nothing can be answered
    std::string_view title; // RFC 9457, 3.1.3: the same for every occurrence
    std::string_view detail; // where the denial has none of its own
};

/// The row of any reason.
[[nodiscard]] ReasonRow const& row_of(pipeline::Reason reason) noexcept;

/// 0 for reasons that no client is told.
[[nodiscard]] unsigned status_of(pipeline::Reason reason) noexcept;

/// The word that begins the member `error`: "BAD_REQUEST"; one for each status of the table.
[[nodiscard]] std::string_view code_of(unsigned status) noexcept;

} // namespace sallyport::respond
