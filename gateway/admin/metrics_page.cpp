// /metrics: the gateway's metrics in the text format of Prometheus.
#include "gateway/admin/metrics_page.h"

#include "gateway/admin/endpoints.h"
#include "gateway/admin/operation_metrics.h"
#include "gateway/admin/process_facts.h"
#include "gateway/admin/totals.h"
#include "gateway/http/protocol.h"
#include "gateway/lifecycle/version.h"
#include "gateway/net/client_trust.h"

#include <prometheus/text_serializer.h>

#include <utility>

namespace sallyport::admin {

namespace {

double unix_seconds(std::chrono::system_clock::time_point time) {
    return std::chrono::duration<double>(time.time_since_epoch()).count();
}

void add_contracts(Families& families, Facts const& facts) {
    auto family = gauge(families, "sallyport_contract_unchecked_places",
                        "Places of the contract that are loaded without their rule "
                        "(apis.NAME.unsupported).");
    for (auto const& api : facts.snapshot->apis.all()) {
        if (api->contract == nullptr) continue;
        family.add({{"api", api->name}}, api->contract->unchecked().size());
    }
}

void add_connections(Families& families, Facts const& facts, Totals const& totals) {
    auto const& limits = facts.snapshot->config.limits;
    gauge(families, "sallyport_connections", "Connections of clients that are open.")
        .add({}, facts.connections_open);
    gauge(families, "sallyport_connections_limit",
          "The most that there may be: limits.connections.")
        .add({}, limits.connections);
    counter(families, "sallyport_connections_accepted_total", "Connections that workers took.")
        .add({}, totals.connections_accepted);
    counter(families, "sallyport_connections_refused_total",
            "Connections that were reset at once, beyond a limit.")
        .add({}, facts.connections_refused);
    counter(
        families, "sallyport_connections_denied_total",
        "Connections that were reset at once, from addresses that their listener does not take.")
        .add({}, facts.connections_denied);
    auto blocked = counter(families, "sallyport_authentication_blocks_total",
                           "Times that an address, or the passwords of a key id, began to be "
                           "refused for too many wrong credentials.");
    blocked.add({{"of", "address"}}, facts.blocks_by_address);
    blocked.add({{"of", "id"}}, facts.blocks_by_id);
    counter(families, "sallyport_proxy_headers_failed_total",
            "Connections that began without a valid header of the PROXY protocol.")
        .add({}, totals.proxy_headers_failed);
    auto gave_way = counter(families, "sallyport_connections_gave_way_total",
                            "Connections that ended for new ones, at a limit.");
    gave_way.add({{"waiting_for", "request"}}, totals.idle_gave_way);
    gave_way.add({{"waiting_for", "handshake"}}, totals.handshakes_gave_way);
    auto handshakes = counter(families, "sallyport_tls_handshakes_total", "TLS handshakes.");
    handshakes.add({{"result", "full"}}, totals.handshakes_completed - totals.handshakes_resumed);
    handshakes.add({{"result", "resumed"}}, totals.handshakes_resumed);
    handshakes.add({{"result", "failed"}}, totals.handshakes_failed);
    gauge(families, "sallyport_buffered_bytes",
          "Memory that bodies of requests, and copies of responses, hold.")
        .add({}, facts.buffered_bytes);
    gauge(families, "sallyport_buffered_bytes_limit",
          "The most that they may hold: limits.buffered_bodies.")
        .add({}, facts.buffered_bytes_limit);
}

void add_protocols(Families& families, Totals const& totals) {
    auto requests = counter(families, "sallyport_requests_by_protocol_total",
                            "Requests that ended, by the version of HTTP in which they came.");
    for (std::size_t i = 0; i < totals.requests_by_protocol.size(); ++i)
        requests.add({{"protocol", http::name_of(static_cast<http::Protocol>(i))}},
                     totals.requests_by_protocol[i]);
    counter(families, "sallyport_http2_connections_total",
            "Of the connections that workers took, those that speak HTTP/2.")
        .add({}, totals.http2_connections);
    gauge(families, "sallyport_http2_streams", "Requests over HTTP/2 that are served now.")
        .add({}, totals.http2_streams);
    gauge(families, "sallyport_tunnels", "WebSockets that are open.").add({}, totals.tunnels);
    auto points = counter(families, "sallyport_http2_points_total",
                          "Points for what costs the gateway more than its client of HTTP/2 "
                          "(limits.http2.patience), by its kind.");
    for (auto const& [kind, count] : totals.http2_points)
        points.add({{"kind", kind}}, count);
    auto ended = counter(families, "sallyport_http2_connections_ended_total",
                         "Connections of HTTP/2 that ended, by the error code of the RFC.");
    for (auto const& [code, count] : totals.http2_ended)
        ended.add({{"code", code}}, count);
    auto refused = counter(families, "sallyport_http2_streams_refused_total",
                           "Requests over HTTP/2 that were refused as streams (REFUSED_STREAM), by "
                           "the limit.");
    for (auto const& [limit, count] : totals.http2_refused)
        refused.add({{"limit", limit}}, count);
}

void add_upstreams(Families& families, Totals const& totals) {
    auto connections = gauge(families, "sallyport_upstream_connections",
                             "Connections to the upstream; active: in use or being made.");
    for (auto const& [name, upstream] : totals.upstreams) {
        connections.add({{"upstream", name}, {"state", "active"}},
                        upstream.connections - upstream.connections_idle);
        connections.add({{"upstream", name}, {"state", "idle"}}, upstream.connections_idle);
    }
    auto const each = [&](Family family, auto UpstreamTotals::*number) {
        for (auto const& [name, upstream] : totals.upstreams)
            family.add({{"upstream", name}}, upstream.*number);
    };
    auto const sum = [&](Family family, auto EndpointTotals::*number) {
        for (auto const& [name, upstream] : totals.upstreams)
            family.add({{"upstream", name}}, upstream.of_endpoints.*number);
    };
    each(gauge(families, "sallyport_upstream_waiting", "Requests that wait for a connection."),
         &UpstreamTotals::exchanges_waiting);
    sum(counter(families, "sallyport_upstream_connections_opened_total", "Connections made."),
        &EndpointTotals::connections_opened);
    sum(counter(families, "sallyport_upstream_connections_reused_total",
                "Requests that found a connection idle."),
        &EndpointTotals::connections_reused);
    sum(counter(families, "sallyport_upstream_connect_failures_total",
                "Attempts to connect that failed."),
        &EndpointTotals::connect_failures);
    each(counter(families, "sallyport_upstream_retries_total",
                 "Requests sent again on another connection."),
         &UpstreamTotals::retries);
    each(counter(families, "sallyport_upstream_caller_share_waits_total",
                 "Requests whose caller held its share of the connections (per_caller)."),
         &UpstreamTotals::share_waits);
    each(counter(families, "sallyport_upstream_caller_share_refused_total",
                 "Of them, those that were refused: the wait was too long, or the caller's part of "
                 "the queue full."),
         &UpstreamTotals::share_refusals);
}

// Only the configured ones: an endpoint that a reload removed has no series any more.
void add_endpoints(Families& families, Facts const& facts, Totals const& totals) {
    std::vector<ConfiguredEndpoint> endpoints;
    for (std::size_t i = 0; i < facts.endpoints.size(); ++i) {
        auto const some = endpoints_of(facts, totals, i);
        endpoints.insert(endpoints.end(), some.begin(), some.end());
    }
    auto const each = [&](Family family, auto number) {
        for (auto const& one : endpoints)
            family.add({{"upstream", one.upstream}, {"endpoint", one.endpoint}}, number(one));
    };
    using One = ConfiguredEndpoint const&;
    each(
        gauge(families, "sallyport_endpoint_up",
              "0 where no address of the endpoint could be reached; 1 where none was tried, too."),
        [](One one) { return one.report->condition == upstream::EndpointCondition::down ? 0 : 1; });
    each(gauge(families, "sallyport_endpoint_connections", "Connections to the endpoint."),
         [](One one) { return one.numbers.connections; });
    each(counter(families, "sallyport_endpoint_connections_opened_total", "Connections made."),
         [](One one) { return one.numbers.connections_opened; });
    each(counter(families, "sallyport_endpoint_connect_failures_total",
                 "Attempts to connect that failed."),
         [](One one) { return one.numbers.connect_failures; });
    each(counter(families, "sallyport_endpoint_requests_total",
                 "Requests that were given a connection to the endpoint."),
         [](One one) { return one.numbers.requests(); });
}

void add_log(Families& families, Facts const& facts, Totals const& totals) {
    auto const& log = facts.access_log;
    counter(families, "sallyport_log_bytes_total", "Bytes of the access log that were written.")
        .add({}, log.bytes_written);
    counter(families, "sallyport_log_write_errors_total",
            "Writes of the access log, and attempts to reopen it, that failed.")
        .add({}, log.write_errors);
    counter(families, "sallyport_log_lines_dropped_total",
            "Lines of the access log that were lost: there was no room for them.")
        .add({}, log.dropped_lines);
    counter(families, "sallyport_log_lines_suppressed_total",
            "Lines that were not written so that unauthenticated clients cannot fill the log: "
            "failed handshakes.")
        .add({}, totals.lines_suppressed);
    counter(families, "sallyport_control_log_lines_dropped_total",
            "Lines of the gateway's own log that standard error did not take.")
        .add({}, facts.control_lines_lost);
}

void add_passwords(Families& families, pipeline::PasswordChecks::Numbers const& passwords) {
    gauge(families, "sallyport_password_checks_waiting",
          "Passwords that wait to be verified against slow hashes (limits.hashing_queue).")
        .add({}, passwords.waiting);
    auto checks = counter(families, "sallyport_password_checks_total",
                          "Passwords that were verified: right, wrong, or failed (no memory).");
    checks.add({{"result", "right"}}, passwords.right);
    checks.add({{"result", "wrong"}}, passwords.wrong);
    checks.add({{"result", "failed"}}, passwords.failed);
    counter(families, "sallyport_password_check_seconds_total",
            "Time that the threads verified (limits.hashing_threads).")
        .add({}, std::chrono::duration<double>(passwords.busy).count());
    auto refused = counter(families, "sallyport_password_checks_refused_total",
                           "Requests that were refused because their passwords could not be "
                           "verified: the queue was full, or it took too long.");
    refused.add({{"cause", "queue_full"}}, passwords.refused);
    refused.add({{"cause", "too_slow"}}, passwords.too_slow);
    gauge(families, "sallyport_passwords_remembered",
          "Passwords that were right, and need not be verified again.")
        .add({}, passwords.remembered);
    counter(families, "sallyport_password_checks_saved_total",
            "Passwords that were remembered when a worker asked for the first time.")
        .add({}, passwords.known);
}

using Ends = std::map<std::string_view, std::chrono::system_clock::time_point>;

// Of two of one name the one that ends first counts.
void note_end(Ends& ends, std::string_view name, std::chrono::system_clock::time_point time) {
    auto const [found, is_new] = ends.try_emplace(name, time);
    if (!is_new) found->second = std::min(found->second, time);
}

void add_ends(Family& family, std::string const& listener, std::string_view kind,
              std::vector<net::ClientTrust::End> const& all) {
    Ends ends;
    for (auto const& end : all)
        note_end(ends, end.authority, end.time);
    for (auto const& [authority, time] : ends)
        family.add({{"listener", listener}, {"kind", kind}, {"authority", authority}},
                   unix_seconds(time));
}

void add_client_trust(Families& families, Facts const& facts) {
    auto family = gauge(families, "sallyport_client_trust_expiry_timestamp_seconds",
                        "When the certificate of an authority of clients, or its list of revoked "
                        "certificates, ends.");
    for (auto const& listener : facts.snapshot->listeners) {
        auto const* const trust = listener.tls ? listener.tls->clients().get() : nullptr;
        if (trust == nullptr) continue;
        add_ends(family, listener.config->name, "authority", trust->ends_of_authorities());
        add_ends(family, listener.config->name, "list", trust->ends_of_lists());
    }
}

void add_configuration(Families& families, Facts const& facts) {
    auto const& reload = *facts.reload;
    gauge(families, "sallyport_config_generation", "The number of the configuration that runs.")
        .add({}, reload.generation);
    gauge(families, "sallyport_config_loaded_timestamp_seconds",
          "When the configuration that runs was loaded.")
        .add({}, unix_seconds(reload.loaded));
    gauge(families, "sallyport_config_last_reload_successful",
          "Whether the last attempt to load was taken into use.")
        .add({}, reload.last.adopted ? 1 : 0);
    gauge(families, "sallyport_config_last_reload_timestamp_seconds", "When that attempt began.")
        .add({}, unix_seconds(reload.last.time));
    auto reloads = counter(families, "sallyport_config_reloads_total", "Attempts to load again.");
    reloads.add({{"result", "accepted"}}, reload.adopted);
    reloads.add({{"result", "rejected"}}, reload.rejected);

    auto certificates = gauge(families, "sallyport_certificate_expiry_timestamp_seconds",
                              "When a certificate of a listener ends; the first name of it.");
    for (auto const& listener : facts.snapshot->listeners) {
        if (!listener.tls) continue;
        Ends ends; // a name may have a certificate of each key type
        for (auto const& certificate : listener.tls->certificates())
            note_end(ends, certificate.subject, certificate.not_after);
        for (auto const& [subject, not_after] : ends) {
            certificates.add({{"listener", listener.config->name}, {"subject", subject}},
                             unix_seconds(not_after));
        }
    }
    add_client_trust(families, facts);
    auto credentials = gauge(families, "sallyport_credential_expiry_timestamp_seconds",
                             "When a credential ends; of those that do.");
    for (auto const& credential : facts.snapshot->credentials->all()) {
        if (credential->expires)
            credentials.add({{"credential", credential->identity.name}},
                            unix_seconds(*credential->expires));
    }
}

void add_process(Families& families, Facts const& facts) {
    gauge(families, "sallyport_build_info", "1; the version that runs.")
        .add({{"version", lifecycle::version()}}, 1);
    gauge(families, "sallyport_ready", "Whether /readyz says yes.")
        .add({}, facts.state == State::ready ? 1 : 0);
    gauge(families, "sallyport_workers", "Threads that serve.").add({}, facts.workers.size());
    counter(families, "sallyport_clock_jumps_total",
            "Times the clock of the day was set by more than a second.")
        .add({}, facts.clock_jumps);
    auto fetches = counter(families, "sallyport_fetches_total",
                           "Requests of the gateway's own, to issuers of tokens for example, by "
                           "what became of them (ok: a usable response).");
    for (std::size_t i = 0; i < facts.fetches.size(); ++i) {
        auto const cause = static_cast<fetch::Cause>(i);
        // Success always, so that the first failure is an increase of something that is there.
        if (cause != fetch::Cause::none && facts.fetches[i] == 0) continue;
        fetches.add({{"result", to_string(cause)}}, facts.fetches[i]);
    }

    auto const process = read_process_facts();
    gauge(families, "process_start_time_seconds", "When the process started.")
        .add({}, unix_seconds(facts.started));
    counter(families, "process_cpu_seconds_total", "Processor time, of user and system.")
        .add({}, process.cpu_seconds);
    gauge(families, "process_resident_memory_bytes", "Memory in use.")
        .add({}, process.resident_bytes);
    gauge(families, "process_open_fds", "Open file descriptors.").add({}, process.open_descriptors);
    gauge(families, "process_max_fds", "The most that there may be.")
        .add({}, process.most_descriptors);
}

} // namespace

std::string metrics_page(Facts const& facts) {
    auto const totals = add_up(facts.workers);
    Families families;
    families.reserve(64); // a Family refers to its place
    add_operations(families, totals);
    add_contracts(families, facts);
    add_connections(families, facts, totals);
    add_protocols(families, totals);
    add_upstreams(families, totals);
    add_endpoints(families, facts, totals);
    add_passwords(families, facts.passwords);
    add_log(families, facts, totals);
    add_configuration(families, facts);
    add_process(families, facts);
    // A metric without series is omitted, because tools complain of a bare help line.
    std::erase_if(families, [](MetricFamily const& family) { return family.metric.empty(); });
    return prometheus::TextSerializer{}.Serialize(families);
}

} // namespace sallyport::admin
