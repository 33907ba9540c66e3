// The compiled configuration, immutable: everything that an exchange
// uses.
#pragma once

#include "config/config.h"
#include "gateway/http/codec.h"
#include "gateway/jose/signing_key.h"
#include "gateway/net/tls_context.h"
#include "gateway/observe/redaction_list.h"
#include "gateway/pipeline/api.h"
#include "gateway/pipeline/proxied.h"
#include "gateway/upstream/settings.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sallyport::lifecycle {

struct Listener {
    config::Listener const* config;                   // of the snapshot's configuration
    std::shared_ptr<net::TlsServerContext const> tls; // null: plain
    std::shared_ptr<pipeline::ProxiedClients const> proxied; // null: no proxy is trusted
};

struct Upstream {
    config::Upstream const* config;
    upstream::Settings settings;
    std::shared_ptr<net::TlsClientContext const> tls; // null: no https endpoint
    std::vector<std::string> hosts; // the values of the Host field, one per endpoint
    std::string connects_as;        // where and how: upstreams with equal texts can share
                                    // connections
};

/// What a configuration says of one source of keys for assertions; its effect begins when the
/// configuration is adopted.
struct KeysOfAssertions {
    std::string file; // empty: the gateway makes them
    std::shared_ptr<jose::SigningKeys> keys;
    jose::SigningKeys::Settings settings;
    jose::SigningKeys::Key key; // of the file; null: there is none
};

/// Posted to each worker, which wraps it for itself; an exchange keeps the one with which it began.
struct Snapshot {
    std::uint64_t generation = 1;
    config::Config config;
    http::ConnectionLimits connections; // of clients
    std::vector<Listener> listeners;
    std::vector<Upstream> upstreams; // in the order of the configuration
    pipeline::ApiTable apis;
    std::shared_ptr<pipeline::CredentialTable const> credentials;
    std::vector<KeysOfAssertions> keys_of_assertions;
    observe::RedactionList redaction;
    std::vector<std::string> files; // all files that were read: a reload depends on them
};

} // namespace sallyport::lifecycle
