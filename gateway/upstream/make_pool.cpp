// Makes a pool from its configuration.
#include "gateway/upstream/connection_pool.h"

#include <utility>

namespace sallyport::upstream {

namespace {

Transport transport_of(config::Scheme scheme) {
    switch (scheme) {
    case config::Scheme::http: return Transport::http;
    case config::Scheme::https: return Transport::https;
    case config::Scheme::unix_socket: break;
    }
    return Transport::unix_socket;
}

} // namespace

std::unique_ptr<Pool> make_pool(net::Loop& loop, config::Upstream const& upstream,
                                std::shared_ptr<net::TlsClientContext const> tls,
                                std::vector<std::string> const& hosts, Resolver& resolver,
                                observe::UpstreamMetrics& metrics, EndpointStates& states) {
    PoolSettings settings;
    for (std::size_t i = 0; i < upstream.endpoints.size(); ++i) {
        auto const& endpoint = upstream.endpoints[i];
        auto const& server_name = upstream.tls.server_name;
        settings.endpoints.push_back({transport_of(endpoint.scheme),
                                      {endpoint.host, endpoint.port},
                                      endpoint.socket,
                                      endpoint.text,
                                      hosts[i],
                                      server_name.empty() ? endpoint.host : server_name});
    }
    settings.tls = std::move(tls);
    settings.connect = upstream.timeouts.connect;
    settings.max = upstream.connections.max;
    settings.per_caller = upstream.connections.share();
    settings.idle = upstream.connections.idle;
    settings.queue = upstream.connections.queue;
    settings.queue_time = upstream.connections.queue_time;
    return std::make_unique<ConnectionPool>(loop, std::move(settings), resolver, metrics, states);
}

} // namespace sallyport::upstream
