// The addresses of hosts that are fetched from.
#include "gateway/fetch/names.h"

#include "gateway/net/held_signals.h"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>

namespace sallyport::fetch {

namespace {

using Found = net::Result<std::vector<net::Address>>;

// A fetch that waits for a name; it may be destroyed meanwhile.
class Waiting {
public:
    Waiting(std::vector<net::Event*>& list, net::Event& event) : list_{list}, event_{event} {
        list_.push_back(&event_);
    }
    ~Waiting() { std::erase(list_, &event_); }
    Waiting(Waiting const&) = delete;
    Waiting& operator=(Waiting const&) = delete;

private:
    std::vector<net::Event*>& list_;
    net::Event& event_;
};

Found look_up_safely(Names::LookUp const& look_up, net::Name const& name) {
    try {
        return look_up(name);
    } catch (std::exception const&) {
        return net::Error{net::asio::error::no_memory};
    }
}

} // namespace

net::Task<Found> Names::find(net::Name name, Cutoff& cutoff) {
    if (auto const literal = net::literal_address(name))
        co_return std::vector<net::Address>{*literal};
    Key const key{name.host, name.port};
    if (!entries_.contains(key)) make_room();
    auto& place = entries_[key];
    if (place == nullptr) place = std::make_shared<Entry>();
    auto const entry = place;
    if (entry->found && net::Clock::now() - entry->at < kept_for) co_return entry->found;
    if (!entry->is_running) {
        if (running_ >= most_lookups)
            co_return net::Error{net::asio::error::host_not_found_try_again};
        start(key, *entry);
    }
    Waiting const waiting{entry->waiting, cutoff.woken()};
    while (entry->is_running) {
        if (cutoff.is_over()) co_return net::Error{net::asio::error::timed_out};
        co_await cutoff.woken().wait();
    }
    co_return entry->found;
}

void Names::start(Key const& key, Entry& entry) {
    net::HeldSignals const held;
    try {
        std::thread{[this, key, inbox = inbox_, look_up = look_up_] {
            auto found = look_up_safely(look_up, net::Name{key.first, key.second});
            // `this` exists as long as the inbox is open.
            inbox->post([this, key, found = std::move(found)] { take(key, found); });
        }}.detach();
    } catch (std::system_error const& error) {
        keep(entry, net::Error{error.code().value(), boost::system::generic_category()});
        return;
    }
    entry.is_running = true;
    ++running_;
}

void Names::take(Key const& key, Found found) {
    --running_;
    auto const place = entries_.find(key);
    if (place == entries_.end()) return;
    auto& entry = *place->second;
    entry.is_running = false;
    keep(entry, std::move(found));
    for (auto* const event : entry.waiting)
        event->notify();
}

// An error does not replace addresses.
void Names::keep(Entry& entry, Found found) {
    if (found || !entry.found) entry.found = std::move(found);
    entry.at = net::Clock::now();
}

// Names come from the configuration, and from documents that name a host: those may be many.
void Names::make_room() {
    if (entries_.size() < most_names) return;
    auto oldest = entries_.end();
    for (auto at = entries_.begin(); at != entries_.end(); ++at) {
        if (at->second->is_running) continue;
        if (oldest == entries_.end() || at->second->at < oldest->second->at) oldest = at;
    }
    if (oldest != entries_.end()) entries_.erase(oldest);
}

} // namespace sallyport::fetch
