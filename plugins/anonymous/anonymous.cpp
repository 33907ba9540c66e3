// Lets every request through to an API whose configuration says so explicitly.
#include "plugins/anonymous/anonymous.h"

namespace sallyport::plugins {

namespace {

class Anonymous final : public pipeline::Plugin {
public:
    pipeline::Verdict check(pipeline::Request const&, pipeline::Decision&,
                            pipeline::Services&) override {
        return pipeline::Verdict::pass();
    }
};

} // namespace

std::unique_ptr<pipeline::Plugin> make_anonymous(pipeline::Api const&) {
    return std::make_unique<Anonymous>();
}

config::Authenticator const& anonymous_settings() {
    static constexpr config::Authenticator settings{.name = anonymous_name,
                                                    .accepts = config::Accepts::every_client};
    return settings;
}

} // namespace sallyport::plugins
