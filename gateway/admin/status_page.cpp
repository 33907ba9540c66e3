// /status: the active configuration, the files on disk, and what will expire soon, as JSON.
#include "gateway/admin/status_page.h"

#include "config/units.h"
#include "gateway/admin/endpoints.h"
#include "gateway/admin/totals.h"
#include "gateway/http/protocol.h"
#include "gateway/lifecycle/version.h"
#include "gateway/net/client_trust.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace sallyport::admin {

namespace {

namespace json = boost::json;

json::string_view view(std::string_view text) {
    return {text.data(), text.size()};
}

template <class Texts>
json::array texts(Texts const& from) {
    json::array made;
    for (auto const& text : from)
        made.emplace_back(view(text));
    return made;
}

json::object configuration(Facts const& facts) {
    auto const& reload = *facts.reload;
    auto const began = reload.last.began.time_since_epoch();
    json::object last{{"time", config::format_date_time(reload.last.time)},
                      {"began_monotonic_us",
                       std::chrono::duration_cast<std::chrono::microseconds>(began).count()},
                      {"cause", view(lifecycle::to_string(reload.last.cause))},
                      {"adopted", reload.last.adopted},
                      {"problems", texts(reload.last.problems)}};
    return {{"file", facts.config_path},
            {"generation", reload.generation},
            {"loaded", config::format_date_time(reload.loaded)},
            {"reloads", {{"accepted", reload.adopted}, {"rejected", reload.rejected}}},
            {"last_attempt", std::move(last)},
            {"files", texts(facts.snapshot->files)}};
}

json::array certificates_of(lifecycle::Listener const& listener) {
    json::array certificates;
    if (!listener.tls) return certificates;
    for (auto const& certificate : listener.tls->certificates()) {
        certificates.push_back(
            json::object{{"subject", certificate.subject},
                         {"names", texts(certificate.names)},
                         {"file", certificate.file},
                         {"expires", config::format_date_time(certificate.not_after)}});
    }
    return certificates;
}

json::array ends_of(std::vector<net::ClientTrust::End> const& ends) {
    json::array made;
    for (auto const& end : ends)
        made.push_back(json::object{{"authority", end.authority},
                                    {"expires", config::format_date_time(end.time)}});
    return made;
}

// Null: clients are not asked for certificates.
json::value client_certificates_of(lifecycle::Listener const& listener) {
    auto const* const trust = listener.tls ? listener.tls->clients().get() : nullptr;
    if (trust == nullptr) return nullptr;
    return json::object{{"required", trust->is_required()},
                        {"authorities", ends_of(trust->ends_of_authorities())},
                        {"lists", ends_of(trust->ends_of_lists())}};
}

json::array listeners(Facts const& facts) {
    json::array made;
    for (auto const& open : facts.listeners) {
        json::object listener{{"name", open.name}, {"address", open.address}};
        for (auto const& candidate : facts.snapshot->listeners) {
            if (candidate.config->name != open.name) continue;
            listener["tls"] = candidate.tls != nullptr;
            listener["certificates"] = certificates_of(candidate);
            listener["client_certificates"] = client_certificates_of(candidate);
        }
        made.push_back(std::move(listener));
    }
    return made;
}

std::string_view to_string(config::Level level) {
    switch (level) {
    case config::Level::enforce: return "enforce";
    case config::Level::report: return "report";
    case config::Level::off: break;
    }
    return "off";
}

json::object requests_by_reason(Totals const& totals, std::string_view api) {
    std::map<std::string_view, std::uint64_t> by_reason{{"passed", 0}};
    for (auto const& [name, operation] : totals.operations) {
        if (name.first != api) continue;
        for (auto const& [outcome, count] : operation.requests)
            by_reason[outcome.second.empty() ? "passed" : outcome.second] += count;
        if (operation.other_requests != 0) by_reason["other"] += operation.other_requests;
    }
    json::object made;
    for (auto const& [reason, count] : by_reason)
        made[view(reason)] = count;
    return made;
}

// As it is written in the configuration: a word, or `{ all: [...] }`.
json::value described_set(config::AuthenticatorSet const& set) {
    if (set.is_one()) return json::value(view(set.names().front()));
    json::array all;
    for (auto const& name : set.names())
        all.emplace_back(view(name));
    return json::object{{"all", std::move(all)}};
}

json::array apis(Facts const& facts, Totals const& totals) {
    json::array made;
    auto const& config = facts.snapshot->config;
    for (auto const& api : config.apis) {
        json::array authenticate;
        for (auto const& set : api.authenticate)
            authenticate.emplace_back(described_set(set));
        json::object described{{"name", api.name},
                               {"upstream", config.upstreams[api.upstream].name},
                               {"contract", nullptr},
                               {"unchecked_places", nullptr},
                               {"authenticate", std::move(authenticate)},
                               {"level", view(to_string(api.requests))},
                               {"requests", requests_by_reason(totals, api.name)}};
        if (api.contract) described["contract"] = api.contract->path;
        for (auto const& running : facts.snapshot->apis.all()) {
            if (running->name == api.name && running->contract != nullptr)
                described["unchecked_places"] = running->contract->unchecked().size();
        }
        made.push_back(std::move(described));
    }
    return made;
}

json::value time_or_null(std::optional<std::chrono::system_clock::time_point> const& time) {
    if (!time) return nullptr;
    return json::string{view(config::format_date_time(*time))};
}

json::object endpoint_page(ConfiguredEndpoint const& endpoint) {
    auto const& report = *endpoint.report;
    json::object page{{"endpoint", view(endpoint.endpoint)},
                      {"state", view(to_string(report.condition))},
                      {"since", time_or_null(report.since)},
                      {"connections", endpoint.numbers.connections},
                      {"requests", endpoint.numbers.requests()},
                      {"attempts", endpoint.numbers.attempts()},
                      {"failures", endpoint.numbers.connect_failures},
                      {"last_error", nullptr}};
    if (report.failed_at) {
        page["last_error"] = json::object{{"time", time_or_null(report.failed_at)},
                                          {"error", view(report.last_error)}};
    }
    return page;
}

json::array upstreams(Facts const& facts, Totals const& totals) {
    json::array made;
    auto const& all = facts.snapshot->config.upstreams;
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& upstream = all[i];
        json::array endpoints;
        for (auto const& endpoint : endpoints_of(facts, totals, i))
            endpoints.push_back(endpoint_page(endpoint));
        UpstreamTotals numbers;
        if (auto const found = totals.upstreams.find(upstream.name);
            found != totals.upstreams.end()) {
            numbers = found->second;
        }
        json::object connections{{"active", numbers.connections - numbers.connections_idle},
                                 {"idle", numbers.connections_idle},
                                 {"waiting", numbers.exchanges_waiting},
                                 {"opened", numbers.of_endpoints.connections_opened},
                                 {"reused", numbers.of_endpoints.connections_reused},
                                 {"failures", numbers.of_endpoints.connect_failures}};
        made.push_back(json::object{{"name", upstream.name},
                                    {"endpoints", std::move(endpoints)},
                                    {"connections", std::move(connections)},
                                    {"retries", numbers.retries}});
    }
    return made;
}

// By their places in the file.
json::array times_of(pipeline::Credential const& credential) {
    json::array times;
    for (auto const& use : credential.last_uses) {
        if (use == nullptr) break;
        auto const time = use->time();
        times.push_back(time ? json::value(config::format_date_time(*time)) : json::value(nullptr));
    }
    return times;
}

bool is_rotating(pipeline::Credential const& credential) {
    return credential.last_uses.back() != nullptr;
}

bool was_used(pipeline::Credential const& credential) {
    auto const& uses = credential.last_uses;
    return std::any_of(uses.begin(), uses.end(),
                       [](auto const& use) { return use != nullptr && use->time(); });
}

json::array last_uses(Facts const& facts, LastUses which) {
    json::array made;
    for (auto const& credential : facts.snapshot->credentials->all()) {
        bool const is_asked_for =
            which == LastUses::all ? was_used(*credential) : is_rotating(*credential);
        if (!is_asked_for) continue;
        if (which == LastUses::rotating && made.size() == most_rotating) break;
        made.push_back(
            json::object{{"name", credential->identity.name}, {"last_use", times_of(*credential)}});
    }
    return made;
}

json::object credentials(Facts const& facts, LastUses uses) {
    json::array expiring;
    auto const& all = facts.snapshot->credentials->all();
    for (auto const& credential : all) {
        if (!credential->expires) continue;
        expiring.push_back(json::object{{"name", credential->identity.name},
                                        {"expires", config::format_date_time(*credential->expires)},
                                        {"expired", *credential->expires <= facts.now}});
    }
    json::object made{{"count", all.size()},
                      {"expiring", std::move(expiring)},
                      {"rotating", last_uses(facts, LastUses::rotating)}};
    if (uses == LastUses::all) made["used"] = last_uses(facts, LastUses::all);
    return made;
}

json::object connections(Facts const& facts, Totals const& totals) {
    auto const& limits = facts.snapshot->config.limits;
    return {{"open", facts.connections_open},
            {"limit", limits.connections},
            {"accepted", totals.connections_accepted},
            {"refused", facts.connections_refused},
            {"denied", facts.connections_denied},
            {"gave_way", totals.idle_gave_way + totals.handshakes_gave_way},
            {"failed_proxy_headers", totals.proxy_headers_failed},
            {"failed_handshakes", totals.handshakes_failed},
            {"http2", totals.http2_connections},
            {"http2_streams", totals.http2_streams},
            {"tunnels", totals.tunnels}};
}

// By the version of HTTP in which they came.
json::object protocols(Totals const& totals) {
    json::object made;
    for (std::size_t i = 0; i < totals.requests_by_protocol.size(); ++i) {
        auto const name = http::name_of(static_cast<http::Protocol>(i));
        made[{name.data(), name.size()}] = totals.requests_by_protocol[i];
    }
    return made;
}

json::object access_log(Facts const& facts) {
    using observe::WhyDropped;
    auto const& log = facts.access_log;
    auto const dropped = [&log](WhyDropped why) {
        return log.dropped[static_cast<std::size_t>(why)];
    };
    json::object page{{"output", facts.log_output},
                      {"bytes_written", log.bytes_written},
                      {"write_errors", log.write_errors},
                      {"dropped_lines", log.dropped_lines},
                      {"dropped",
                       {{"too_slow", dropped(WhyDropped::too_slow)},
                        {"not_read", dropped(WhyDropped::not_read)},
                        {"write_failed", dropped(WhyDropped::write_failed)}}},
                      {"losing_lines", log.is_losing},
                      {"error", nullptr}};
    if (log.failing_with) page["error"] = log.failing_with.message();
    return page;
}

} // namespace

std::string status_page(Facts const& facts, LastUses uses) {
    auto const totals = add_up(facts.workers);
    auto const uptime = std::chrono::duration_cast<std::chrono::seconds>(facts.now - facts.started);
    json::object const page{
        {"version", view(lifecycle::version())},
        {"state", view(to_string(facts.state))},
        {"pid", ::getpid()},
        {"started", config::format_date_time(facts.started)},
        {"uptime_seconds", uptime.count()},
        {"workers", facts.workers.size()},
        {"configuration", configuration(facts)},
        {"listeners", listeners(facts)},
        {"apis", apis(facts, totals)},
        {"upstreams", upstreams(facts, totals)},
        {"credentials", credentials(facts, uses)},
        {"connections", connections(facts, totals)},
        {"requests_by_protocol", protocols(totals)},
        {"buffered_bytes", {{"used", facts.buffered_bytes}, {"limit", facts.buffered_bytes_limit}}},
        {"access_log", access_log(facts)},
        {"control_log", {{"dropped_lines", facts.control_lines_lost}}},
        {"clock_jumps", facts.clock_jumps}};
    return json::serialize(page) + '\n';
}

} // namespace sallyport::admin
