// What a plugin is: it is asked about an exchange, in its phase, and answers with a verdict.
#pragma once

#include "gateway/net/executor.h"
#include "gateway/pipeline/verdict.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace sallyport::pipeline {

struct Api;
struct Exchange;

/// One instance per worker, snapshot and API: it holds configuration only, and needs no locks.
class Plugin {
public:
    virtual ~Plugin() = default;

    /// Decides from what it holds; never blocks, never suspends.
    virtual Verdict check(Exchange& exchange) = 0;

    /// Awaited only when check() answered `missing`; its verdict decides. Must not answer `missing`
    /// again.
    virtual net::Task<Verdict> learn(Exchange& exchange);

    /// Told when the head of the upstream's response is known.
    virtual void on_response(Exchange&) {}
};

/// The order of the phases is the order of the questions: who, may they, how often, what, and only
/// then changes.
enum class Phase : std::uint8_t { authenticate, authorize, limit, validate, transform };
enum class SeesResponse : std::uint8_t { no, yes };

/// Makes the plugin's instance for an API; null where the API does not use it.
using MakePlugin = std::unique_ptr<Plugin>(Api const& api);

/// A row of the registry (plugins/registry.cpp).
struct PluginRow {
    Phase phase;
    SeesResponse sees_response;
    MakePlugin* make;
};

} // namespace sallyport::pipeline
