// The state of the running gateway for its admin pages.
#include "gateway/accept/server.h"

#include <boost/asio/post.hpp>

#include <atomic>
#include <utility>

namespace sallyport::accept {

admin::Facts Server::facts() const {
    admin::Facts facts;
    facts.state = state_;
    facts.now = std::chrono::system_clock::now();
    facts.started = started_;
    facts.config_path = start_.config;
    facts.log_output = log_output_;
    facts.snapshot = snapshot_;
    facts.reload = &reloader_.status();
    for (auto const& listener : listeners_->status())
        facts.listeners.push_back({listener.name, listener.address});
    for (auto const& upstream : snapshot_->config.upstreams) {
        auto& endpoints = facts.endpoints.emplace_back();
        for (auto const& endpoint : upstream.endpoints)
            endpoints.push_back(endpoint_states_.report(upstream.name, endpoint.text));
    }
    for (auto const& worker : workers_) {
        facts.workers.push_back(&worker->metrics());
        facts.connections_open += worker->open_connections();
    }
    facts.connections_refused = limits_.refused();
    facts.connections_denied = limits_.denied();
    facts.blocks_by_address = failed_authentication_.blocks_by_address();
    facts.blocks_by_id = failed_authentication_.blocks_by_id();
    facts.buffered_bytes = buffered_bodies_.used();
    facts.buffered_bytes_limit = buffered_bodies_.limit();
    facts.passwords = passwords_.numbers();
    facts.access_log = log_->statistics();
    facts.control_lines_lost = control_log_.lost_lines();
    facts.clock_jumps = clock_watch_.jumps();
    for (std::size_t i = 0; i < facts.fetches.size(); ++i)
        facts.fetches[i] = start_.fetcher->count(static_cast<fetch::Cause>(i));
    facts.key_set = start_.keys->key_set(std::chrono::steady_clock::now());
    return facts;
}

void Server::check_liveness(std::function<void()> alive) {
    // Workers that have drained turn no more, which is correct.
    if (state_ == admin::State::draining) {
        net::asio::post(control_, std::move(alive));
        return;
    }
    auto const silent = std::make_shared<std::atomic<std::size_t>>(workers_.size());
    for (auto& worker : workers_) {
        worker->post([this, silent, alive] {
            if (silent->fetch_sub(1) == 1) net::asio::post(control_, alive);
        });
    }
}

} // namespace sallyport::accept
