// Parts of the test of every key: a row for each key, two values of it, and the difference that
// they make.
#pragma once

#include "tests/end_to_end/stage.h"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sallyport::test {

/// Everything that defines a gateway of a row; a row inserts a value in one place of it.
struct Setup {
    Configuration configuration; // one plain listener, an upstream `up`, an API `things`
    std::string credentials;     // `caller`, and `second` as `other_caller`
    std::string contract;        // things.yaml: see contract_with()
    std::map<std::string, std::string> files;
    Key caller = administrator;
};

inline constexpr Key other_caller = scale;

/// getThing and putThing at /v1/things/{thingId}, with these extensions in putThing and in the
/// schema of its body.
std::string contract_with(std::string const& operation_words, std::string const& schema_words = {});
/// YAML of the only API, of the only upstream and of a second upstream, with more keys.
std::string things_api(std::string const& more);
std::string caller_entry(std::string_view name, Key const& key, std::string const& rest);

struct World;

struct Row {
    std::string key; // `limits.head`, `credentials[].name`, `x-retry`
    /// As written. If only one of them has an effect, it is the first.
    std::array<std::string, 2> values;
    std::array<std::string, 2> seen; // the probe's result for each
    std::function<void(Setup&, World&, std::string const& value)> put;
    std::function<std::string(World&)> probe;
    std::function<void(World&, UpstreamExchange&)> script = {}; // of `up`
    std::optional<Certificate> certificate = {};                // of `up`
    /// Of `up`, which demands a certificate that this authority has signed.
    std::optional<std::filesystem::path> client_authority = {};
};

/// A key whose comparison is too large for this place: the test that does it.
struct Elsewhere {
    std::string key;
    std::string file; // below tests/
    std::string test; // its name, which appears there together with the key's last word
};

/// The environment of a probe: both upstreams, and the gateway in front of them.
struct World {
    explicit World(Row const& row);
    void start(Row const& row, std::size_t which);

    Event leave;             // a script may wait for it
    RecordingUpstream up;    // responds as the row requires
    RecordingUpstream other; // responds with 200
    Setup setup;
    std::size_t value = 0; // which of the two
    std::unique_ptr<Gateway> gateway;

    [[nodiscard]] RawClient client() const { return RawClient{gateway->port(), without_tls()}; }
    Response send(Outgoing const& request) const;
    [[nodiscard]] std::string status(Outgoing const& request) const;
    [[nodiscard]] Json log_of(Response const& response) const;
    /// Whether nothing arrives: with the first value bytes arrive `soon`, long before a default
    /// would have caused them; with the second one nothing must arrive, which is awaited briefly.
    [[nodiscard]] bool is_silent(RawClient& client,
                                 std::chrono::milliseconds soon = std::chrono::seconds{5}) const;
    [[nodiscard]] Outgoing get(std::string_view target = "/v1/things/a") const;
    [[nodiscard]] Outgoing put(std::string_view body = R"({"n": 1})") const;
};

/// For an upstream: every request waits for `leave`; or only the first one.
void hold_all(World& world, UpstreamExchange& exchange);
void hold_first(World& world, UpstreamExchange& exchange);

/// After it the upstream continues once the client has waited, and with the first value never: the
/// status of a PUT, or "broken off".
std::string status_of_a_late_put(World& world);
/// The status of a PUT with two integers whose comma is encoded.
std::string status_of_an_encoded_list(World& world);
/// For an upstream: the head and a part of the body, and the rest when the test triggers it.
void stop_within_the_response(World& world, UpstreamExchange& exchange);
/// For an upstream: the first request of each connection gets a response, and the second breaks it.
void break_used_connections(World& world, UpstreamExchange& exchange);
/// "repeated, 200" or "once, 502": of a PUT on a connection that breaks.
std::string status_on_a_used_connection(World& world);
/// Which deadline ended a request whose upstream accepts connections and never responds.
Row silent_row(std::string key, std::array<std::string, 2> values,
               std::function<void(Setup&, World&, std::string const&)> put, bool is_put);

std::vector<Row> rows_of_the_network();
std::vector<Row> rows_of_upstreams();
std::vector<Row> rows_of_apis();
std::vector<Row> rows_of_rules();
std::vector<Row> rows_of_the_edge();
std::vector<Row> rows_of_assertions();
std::vector<Row> rows_of_tokens();
std::vector<Row> rows_of_introspection();
std::vector<Row> rows_of_logs_and_callers();
std::vector<Elsewhere> rows_elsewhere();

} // namespace sallyport::test
