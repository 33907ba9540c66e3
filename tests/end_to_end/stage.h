// One gateway in front of one recording upstream: the base of most tests.
#pragma once

#include "tests/support/gateway.h"
#include "tests/support/operations.h"
#include "tests/support/raw_client.h"
#include "tests/support/recording_upstream.h"

#include <functional>

namespace sallyport::test {

/// A change to the standard configuration before the gateway starts.
using Change = std::function<void(Configuration&)>;

struct Stage {
    explicit Stage(RecordingUpstream::Script script = {}, Change const& change = {},
                   Gateway::Options const& options = {});

    RecordingUpstream upstream;
    Gateway gateway;

    [[nodiscard]] std::uint16_t port() const { return gateway.port(); }
    /// One request on a connection of its own.
    Response send(Outgoing const& request) const { return fetch(port(), request.text()); }
    /// The line of the access log of a response.
    Json log_of(Response const& response) const {
        return gateway.wait_for_log_of(response.fields.one("X-Request-Id"));
    }
    /// The line that `auth_rule` of a line of the access log names, without the spaces around it;
    /// "none": it names none.
    [[nodiscard]] std::string rule_of(Json const& line) const;
    /// The last step of a test: the gateway exits normally and has sent only strict HTTP.
    void finish();
};

/// Adds `more` to a limit, an API or an upstream of the standard configuration.
Change with_limits(std::string limits);
Change with_management(std::string more); // keys of the API
Change with_upstream(std::string more);   // keys of both upstreams
Change both(Change first, Change second);

} // namespace sallyport::test
