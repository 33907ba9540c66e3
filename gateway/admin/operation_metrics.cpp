// The metrics of each operation.
#include "gateway/admin/operation_metrics.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace sallyport::admin {

namespace {

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

} // namespace

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

} // namespace sallyport::admin
