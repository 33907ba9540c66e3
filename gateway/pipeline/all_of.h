// Several authenticators that must all prove the caller of a request: `{ all: [...] }`.
#pragma once

#include "config/authenticator_set.h"
#include "gateway/pipeline/plugin.h"

#include <memory>
#include <span>

namespace sallyport::pipeline {

/// Passes if every member passes, for the same credential. If a member abstains it abstains, so
/// that what the others would have said of the request neither shows nor counts: who has one of
/// two credentials cannot try the other. Members that the connection has proven come first; the
/// first that denies is the one whose denial counts.
[[nodiscard]] std::unique_ptr<Plugin> make_all_of(config::AuthenticatorSet const& set,
                                                  Api const& api, std::span<PluginRow const> rows);

} // namespace sallyport::pipeline
