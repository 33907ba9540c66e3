// Lets everybody through to an API whose configuration says so aloud.
#include "plugins/anonymous.h"

#include "plugins/authenticators.h"

namespace sallyport::plugins {

namespace {

class Anonymous final : public pipeline::Plugin {
public:
    pipeline::Verdict check(pipeline::Exchange&) override { return pipeline::Verdict::pass(); }
};

} // namespace

std::unique_ptr<pipeline::Plugin> make_anonymous(pipeline::Api const& api) {
    return takes(api, "anonymous") ? std::make_unique<Anonymous>() : nullptr;
}

} // namespace sallyport::plugins
