// /metrics: the gateway's metrics in the text format of Prometheus.
#include "gateway/admin/metrics_page.h"

#include "gateway/admin/endpoints.h"
#include "gateway/admin/process_facts.h"
#include "gateway/admin/totals.h"
#include "gateway/lifecycle/version.h"
#include "gateway/net/client_trust.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <initializer_list>
#include <limits>
#include <utility>

namespace sallyport::admin {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Families = std::vector<MetricFamily>;
using Labels = std::initializer_list<std::pair<char const*, std::string_view>>;

std::vector<ClientMetric::Label> to_labels(Labels labels) {
    std::vector<ClientMetric::Label> made;
    made.reserve(labels.size());
    for (auto const& [name, value] : labels)
        made.push_back({name, std::string{value}});
    return made;
}

// One metric: its series are added one by one.
class Family {
public:
    Family(Families& families, char const* name, char const* help, MetricType type)
        : family_{families.emplace_back()}, type_{type} {
        family_.name = name;
        family_.help = help;
        family_.type = type;
    }

    template <class Number>
    void add(Labels labels, Number value) {
        auto& series = family_.metric.emplace_back();
        series.label = to_labels(labels);
        if (type_ == MetricType::Counter) {
            series.counter.value = static_cast<double>(value);
        } else {
            series.gauge.value = static_cast<double>(value);
        }
    }

    void add(Labels labels, DurationTotals const& durations) {
        auto& series = family_.metric.emplace_back();
        series.label = to_labels(labels);
        auto& histogram = series.histogram;
        std::uint64_t cumulative = 0;
        for (std::size_t i = 0; i < durations.counts.size(); ++i) {
            cumulative += durations.counts[i];
            auto const bound = i < observe::duration_bounds.size()
                                   ? static_cast<double>(observe::duration_bounds[i]) / 1e6
                                   : std::numeric_limits<double>::infinity();
            histogram.bucket.push_back({cumulative, bound});
        }
        histogram.sample_count = cumulative;
        histogram.sample_sum = static_cast<double>(durations.sum_of_microseconds) / 1e6;
    }

private:
    MetricFamily& family_;
    MetricType type_;
};

Family counter(Families& families, char const* name, char const* help) {
    return {families, name, help, MetricType::Counter};
}
Family gauge(Families& families, char const* name, char const* help) {
    return {families, name, help, MetricType::Gauge};
}
Family histogram(Families& families, char const* name, char const* help) {
    return {families, name, help, MetricType::Histogram};
}

double unix_seconds(std::chrono::system_clock::time_point time) {
    return std::chrono::duration<double>(time.time_since_epoch()).count();
}

std::string_view to_string(observe::MessagePart part) {
    return part == observe::MessagePart::request ? "request" : "response";
}
std::string_view to_string(observe::ViolationLevel level) {
    return level == observe::ViolationLevel::enforce ? "enforce" : "report";
}

void add_requests(Families& families, Totals const& totals) {
    auto requests = counter(families, "sallyport_requests_total",
                            "Requests that ended, by the status that the client saw (0: none) and "
                            "the reason for which they did not pass (empty: they passed).");
    for (auto const& [name, operation] : totals.operations) {
        auto const& [api, id] = name;
        for (auto const& [outcome, count] : operation.requests) {
            requests.add({{"api", api},
                          {"operation", id},
                          {"status", std::to_string(outcome.first)},
                          {"reason", outcome.second}},
                         count);
        }
        if (operation.other_requests != 0) {
            requests.add(
                {{"api", api}, {"operation", id}, {"status", "other"}, {"reason", "other"}},
                operation.other_requests);
        }
    }
}

void add_durations(Families& families, Totals const& totals, char const* name, char const* help,
                   DurationTotals OperationTotals::*durations) {
    auto family = histogram(families, name, help);
    for (auto const& [operation_name, operation] : totals.operations) {
        auto const& [api, id] = operation_name;
        family.add({{"api", api}, {"operation", id}}, operation.*durations);
    }
}

void add_by_operation(Families& families, Totals const& totals, char const* name, char const* help,
                      std::uint64_t OperationTotals::*number) {
    auto family = counter(families, name, help);
    for (auto const& [operation_name, operation] : totals.operations) {
        auto const& [api, id] = operation_name;
        family.add({{"api", api}, {"operation", id}}, operation.*number);
    }
}

void add_authentications(Families& families, Totals const& totals) {
    std::map<std::string_view, std::pair<std::uint64_t, std::uint64_t>> by_api;
    for (auto const& [name, operation] : totals.operations) {
        if (name.first.empty()) continue;
        auto& [accepted, refused] = by_api[name.first];
        accepted += operation.credentials_accepted;
        refused += operation.credentials_refused;
    }
    auto family =
        counter(families, "sallyport_authentications_total",
                "Requests whose credentials were accepted, or refused (missing ones too).");
    for (auto const& [api, counts] : by_api) {
        family.add({{"api", api}, {"result", "accepted"}}, counts.first);
        family.add({{"api", api}, {"result", "refused"}}, counts.second);
    }
}

void add_violations(Families& families, Totals const& totals) {
    auto family = counter(families, "sallyport_contract_violations_total",
                          "Broken rules of the contracts, by the keyword of the rule; at level "
                          "report the message passed.");
    for (auto const& [name, operation] : totals.operations) {
        auto const& [api, id] = name;
        for (auto const& [violation, count] : operation.violations) {
            auto const& [part, level, rule] = violation;
            family.add({{"api", api},
                        {"operation", id},
                        {"part", to_string(part)},
                        {"rule", rule},
                        {"level", to_string(level)}},
                       count);
        }
        if (operation.other_violations != 0) {
            family.add({{"api", api},
                        {"operation", id},
                        {"part", "other"},
                        {"rule", "other"},
                        {"level", "other"}},
                       operation.other_violations);
        }
    }
}

void add_responses(Families& families, Totals const& totals) {
    auto family =
        counter(families, "sallyport_contract_responses_total",
                "Responses that were to be checked against the contract, and why they were not "
                "checked (empty: they were).");
    for (auto const& [name, operation] : totals.operations) {
        auto const& [api, id] = name;
        for (auto const& [cause, count] : operation.responses) {
            family.add({{"api", api},
                        {"operation", id},
                        {"result", cause.empty() ? "checked" : "not_checked"},
                        {"cause", cause}},
                       count);
        }
    }
}

void add_operations(Families& families, Totals const& totals) {
    using T = OperationTotals;
    add_requests(families, totals);
    add_durations(families, totals, "sallyport_request_duration_seconds",
                  "From the first byte of a request to the end of its response.", &T::total);
    add_durations(families, totals, "sallyport_gateway_duration_seconds",
                  "Of it, what was not spent at the upstream.", &T::ours);
    add_durations(families, totals, "sallyport_upstream_duration_seconds",
                  "Of it, from the wait for a connection to the end of the upstream's response; of "
                  "requests that were forwarded.",
                  &T::at_upstream);
    add_by_operation(families, totals, "sallyport_request_bytes_total",
                     "Bytes of requests, heads included, without TLS.", &T::bytes_in);
    add_by_operation(families, totals, "sallyport_response_bytes_total",
                     "Bytes of responses, heads included, without TLS.", &T::bytes_out);
    add_by_operation(families, totals, "sallyport_unknown_members_total",
                     "Members of request bodies that the contract does not know.",
                     &T::unknown_members);
    add_by_operation(families, totals, "sallyport_deprecated_members_total",
                     "Members of request bodies that the contract calls deprecated.",
                     &T::deprecated_members);
    add_authentications(families, totals);
    add_violations(families, totals);
    add_responses(families, totals);
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
