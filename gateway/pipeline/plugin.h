// What a plugin is: it is asked about a request, in its phase, and its verdict decides.
#pragma once

#include "gateway/net/executor.h"
#include "gateway/pipeline/verdict.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace sallyport::config {
struct Authenticator;
}

namespace sallyport::pipeline {

struct Api;
struct Decision;
struct Request;
struct Services;

/// One instance per worker, snapshot and API: it holds configuration only, and needs no locks.
class Plugin {
public:
    virtual ~Plugin() = default;

    /// Decides from what it holds; never blocks, never suspends. Writes into `decision` what it
    /// decides (an authenticator the caller), and nothing that another step decides.
    virtual Verdict check(Request const& request, Decision& decision, Services& services) = 0;

    /// Awaited only where check() said `missing`: fetches the fact, and its verdict decides. It
    /// must not be `missing` again. The arguments stay until it ends.
    virtual net::Task<Verdict> learn(Request const& request, Decision& decision,
                                     Services& services);
};

/// The order of the phases is the order of the questions: who, may they, how often, what, and only
/// then changes.
enum class Phase : std::uint8_t { authenticate, authorize, limit, validate, transform };

/// Makes the plugin's instance for an API; null where the API does not use it.
using MakePlugin = std::unique_ptr<Plugin>(Api const& api);

/// The value of a WWW-Authenticate field (RFC 9110, 11.6.1). `realm`: the API's name.
using MakeChallenge = std::string(std::string_view realm);

/// What an authenticator adds to the configuration: a constant that lives as long as the program.
using AuthenticatorSettings = config::Authenticator const&();

/// A row of the registry (plugins/registry.cpp): all that the rest of the program knows of a
/// plugin.
struct PluginRow {
    /// A literal. Of an authenticator: its word in `authenticate:`. It is made for the APIs that
    /// name it, and for no others.
    std::string_view name;
    Phase phase;
    MakePlugin* make;
    /// How a client that is refused for want of credentials learns to send some; null: not at all.
    MakeChallenge* challenge = nullptr;
    /// Of an authenticator, and only of one: its keys in the configuration.
    AuthenticatorSettings* settings = nullptr;
};

} // namespace sallyport::pipeline
