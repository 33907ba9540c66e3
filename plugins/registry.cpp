// Every plugin there is, in the order in which they are asked.
#include "plugins/registry.h"

#include "plugins/allow.h"
#include "plugins/anonymous.h"
#include "plugins/basic.h"
#include "plugins/bearer.h"
#include "plugins/validate.h"

#include <array>

namespace sallyport::plugins {

using pipeline::Phase;
using pipeline::PluginRow;
using pipeline::SeesResponse;

std::span<PluginRow const> registry() {
    static constexpr std::array<PluginRow, 5> rows{{
        // Each looks for its own scheme only, so their order does not change an answer.
        {Phase::authenticate, SeesResponse::no, make_basic},
        {Phase::authenticate, SeesResponse::no, make_bearer},
        // The last, and alone where it is used: it passes everybody.
        {Phase::authenticate, SeesResponse::no, make_anonymous},
        // After authentication: what may this caller do?
        {Phase::authorize, SeesResponse::no, make_allow},
        // The most expensive question comes last, and only callers who may ask it pay for it.
        {Phase::validate, SeesResponse::no, make_validate},
    }};
    return rows;
}

} // namespace sallyport::plugins
