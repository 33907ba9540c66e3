// Logs an endpoint that goes down or comes up in the control log.
#include "gateway/accept/endpoint_events.h"

#include <algorithm>
#include <string>

namespace sallyport::accept {

namespace {

using observe::Severity;
using upstream::EndpointCondition;

bool is_another_left(config::Config const& config, upstream::EndpointStates const& states,
                     std::string_view name) {
    for (auto const& upstream : config.upstreams) {
        if (upstream.name != name) continue;
        return std::any_of(
            upstream.endpoints.begin(), upstream.endpoints.end(), [&](auto const& endpoint) {
                return states.report(name, endpoint.text).condition != EndpointCondition::down;
            });
    }
    return true; // a reload has removed it meanwhile
}

} // namespace

void log_endpoint_change(observe::ControlLog& control_log, config::Config const& config,
                         upstream::EndpointStates const& states,
                         upstream::EndpointChange const& change) {
    if (change.to == EndpointCondition::up) {
        auto const milliseconds = std::to_string(change.down_for.count());
        control_log.write(Severity::info, "endpoint_up",
                          {{"upstream", change.upstream},
                           {"endpoint", change.endpoint},
                           {"down_ms", milliseconds}});
        return;
    }
    auto const left_out = std::to_string(change.left_out);
    bool const is_served = is_another_left(config, states, change.upstream);
    control_log.write(is_served ? Severity::warning : Severity::error, "endpoint_down",
                      {{"upstream", change.upstream},
                       {"endpoint", change.endpoint},
                       {"error", change.error},
                       {"left_out", left_out}});
}

} // namespace sallyport::accept
