// Everything that the configuration comes to, compiled once and never changed: what an exchange
// runs by.
#pragma once

#include "config/config.h"
#include "gateway/http/codec.h"
#include "gateway/net/tls_context.h"
#include "gateway/observe/redaction_list.h"
#include "gateway/pipeline/api.h"
#include "gateway/upstream/settings.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sallyport::lifecycle {

struct Listener {
    config::Listener const* config;                   // of the snapshot's configuration
    std::shared_ptr<net::TlsServerContext const> tls; // null: plain
};

struct Upstream {
    config::Upstream const* config;
    upstream::Settings settings;
    std::shared_ptr<net::TlsClientContext const> tls; // null: no endpoint is https
    std::vector<std::string> hosts; // what the Host field says, an entry an endpoint
    std::string connects_as;        // where and how: what is alike can share connections
};

/// Posted to each worker, which wraps it for itself; an exchange keeps the one that it began with.
struct Snapshot {
    std::uint64_t generation = 1;
    config::Config config;
    http::ConnectionLimits connections; // of clients
    std::vector<Listener> listeners;
    std::vector<Upstream> upstreams; // in the order of the configuration
    pipeline::ApiTable apis;
    std::shared_ptr<pipeline::CredentialTable const> credentials;
    observe::RedactionList redaction;
    std::vector<std::string> files; // everything that was read: what a reload depends on
};

} // namespace sallyport::lifecycle
