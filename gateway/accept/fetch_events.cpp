// Logs what becomes of values that are fetched in the background in the control log.
#include "gateway/accept/fetch_events.h"

namespace sallyport::accept {

void log_refresh(observe::ControlLog& control_log, fetch::RefreshEvent const& event) {
    using observe::Severity;
    using Kind = fetch::RefreshEvent::Kind;
    auto const cause = to_string(event.failure.cause);
    switch (event.kind) {
    case Kind::loaded:
        control_log.write(Severity::info, "fetched",
                          {{"source", event.name}, {"content", event.note}});
        return;
    case Kind::recovered:
        control_log.write(Severity::info, "fetch_recovered", {{"source", event.name}});
        return;
    case Kind::failed:
        control_log.write(
            Severity::warning, "fetch_failed",
            {{"source", event.name}, {"cause", cause}, {"detail", event.failure.detail}});
        return;
    case Kind::expired:
        control_log.write(
            Severity::error, "fetch_expired",
            {{"source", event.name}, {"cause", cause}, {"detail", event.failure.detail}});
        return;
    }
}

} // namespace sallyport::accept
