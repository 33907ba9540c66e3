// Every plugin there is, in the order in which they are asked.
#include "plugins/registry.h"

#include "plugins/allow/allow.h"
#include "plugins/anonymous/anonymous.h"
#include "plugins/basic/basic.h"
#include "plugins/bearer/bearer.h"
#include "plugins/validate/validate.h"

#include <array>

namespace sallyport::plugins {

using pipeline::Phase;
using pipeline::PluginRow;

std::span<PluginRow const> registry() {
    static constexpr std::array<PluginRow, 5> rows{{
        // Each looks for its own scheme only, so their order does not change a verdict.
        {basic_name, Phase::authenticate, make_basic, basic_challenge},
        {bearer_name, Phase::authenticate, make_bearer, bearer_challenge},
        // The last, and alone where it is used: it passes every request.
        {anonymous_name, Phase::authenticate, make_anonymous},
        // After authentication: what may this caller do?
        {"allow", Phase::authorize, make_allow},
        // The most expensive question comes last, and only callers who may ask it pay for it.
        {"validate", Phase::validate, make_validate},
    }};
    return rows;
}

} // namespace sallyport::plugins
