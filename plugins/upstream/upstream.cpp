// Leaves the credentials of requests to the upstream, which knows its callers.
#include "plugins/upstream/upstream.h"

#include "gateway/pipeline/left_credentials.h"
#include "gateway/pipeline/request.h"

namespace sallyport::plugins {

namespace {

using pipeline::Verdict;

class Upstream final : public pipeline::Plugin {
public:
    // Readers differ about which of several fields counts (RFC 9110, 5.3 and 11.6.2).
    Verdict check(pipeline::Request const& request, pipeline::Decision& decision,
                  pipeline::Services&) override {
        if (request.has_several_authorizations())
            return Verdict::deny(pipeline::Reason::bad_request,
                                 "The request has several Authorization fields");
        decision.authorization = pipeline::left_to_upstream;
        return Verdict::pass();
    }
};

} // namespace

std::unique_ptr<pipeline::Plugin> make_upstream(pipeline::Api const&) {
    return std::make_unique<Upstream>();
}

config::Authenticator const& upstream_settings() {
    static constexpr config::Authenticator settings{.name = upstream_name,
                                                    .accepts = config::Accepts::every_client,
                                                    .checked_by = config::CheckedBy::upstream};
    return settings;
}

} // namespace sallyport::plugins
