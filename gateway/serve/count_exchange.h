// Adds an exchange to the metrics of its worker.
#pragma once

#include "gateway/serve/worker_state.h"

#include <cstdint>

namespace sallyport::serve {

/// The level in metrics and log: no violation has `off`.
[[nodiscard]] observe::ViolationLevel named(contract::Level level) noexcept;

/// Called once for each exchange, whatever its outcome. `microseconds`: from its first byte to its
/// end. `metrics`: of its operation.
void count_exchange(observe::OperationMetrics& metrics, WorkerSnapshot const& view,
                    pipeline::Exchange const& exchange, std::int64_t microseconds);

} // namespace sallyport::serve
