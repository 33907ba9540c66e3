// Logs what becomes of values that are fetched in the background in the control log.
#pragma once

#include "gateway/fetch/fetcher.h"
#include "gateway/observe/control_log.h"

namespace sallyport::accept {

/// `fetch_failed` is a warning, `fetch_expired` an error: the value is not used any more.
void log_refresh(observe::ControlLog& control_log, fetch::RefreshEvent const& event);

} // namespace sallyport::accept
