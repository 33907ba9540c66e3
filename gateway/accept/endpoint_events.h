// Logs an endpoint that goes down or comes up in the control log.
#pragma once

#include "config/config.h"
#include "gateway/observe/control_log.h"
#include "gateway/upstream/endpoint_states.h"

namespace sallyport::accept {

/// `endpoint_up` is information; `endpoint_down` is an error if no endpoint of the upstream is left
/// (by `states`), else a warning.
void log_endpoint_change(observe::ControlLog& control_log, config::Config const& config,
                         upstream::EndpointStates const& states,
                         upstream::EndpointChange const& change);

} // namespace sallyport::accept
