// The interface of a plugin: it checks a request in its phase and returns a verdict.
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

    /// Decides from the data that it has; never blocks, never suspends. Writes its own result into
    /// `decision` (an authenticator the caller), and nothing that belongs to another step.
    virtual Verdict check(Request const& request, Decision& decision, Services& services) = 0;

    /// Awaited only after check() returned `missing`: fetches the fact and returns the final
    /// verdict, which must not be `missing` again. The arguments stay valid until it ends.
    virtual net::Task<Verdict> learn(Request const& request, Decision& decision,
                                     Services& services);
};

/// In the order in which the checks run: who calls, may they, how often, what, and only then
/// changes.
enum class Phase : std::uint8_t { authenticate, authorize, limit, validate, transform };

/// Makes the plugin's instance for an API; null if the API does not use it.
using MakePlugin = std::unique_ptr<Plugin>(Api const& api);

/// The value of a WWW-Authenticate field (RFC 9110, 11.6.1). `realm`: the API's name.
using MakeChallenge = std::string(std::string_view realm);

/// What an authenticator adds to the configuration: a constant that lives as long as the program.
using AuthenticatorSettings = config::Authenticator const&();

/// A row of the registry (plugins/registry.cpp): the only reference of the program to a
/// plugin.
struct PluginRow {
    /// A literal. For an authenticator: its word in `authenticate:`. Instances are made only for
    /// the APIs that name it.
    std::string_view name;
    Phase phase;
    MakePlugin* make;
    /// Makes the challenge for a client that sent no valid credentials; null: none.
    MakeChallenge* challenge = nullptr;
    /// Of an authenticator, and only of one: its keys in the configuration.
    AuthenticatorSettings* settings = nullptr;
};

} // namespace sallyport::pipeline
