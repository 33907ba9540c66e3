// Writes the configurations of tests.
#include "tests/support/configuration.h"

#include "tests/support/encodings.h"

#include <cstdlib>
#include <stdexcept>

namespace sallyport::test {
namespace {

std::string hash(std::string_view secret) {
    return "\"sha256:" + sha256_hex(secret) + "\"";
}

std::string basic_entry(std::string_view name, Key const& key, std::string_view rest) {
    return "  - name: " + std::string{name} + "\n    basic: { key_id: " + std::string{key.id}
           + ", secrets: [" + hash(key.secret) + "] }\n    " + std::string{rest} + "\n";
}

std::string bearer_entry(std::string_view name, std::string_view token, std::string_view rest) {
    return "  - name: " + std::string{name} + "\n    bearer: { tokens: [" + hash(token)
           + "] }\n    " + std::string{rest} + "\n";
}

} // namespace

std::string basic_of(std::string_view pair) {
    return "Basic " + base64(pair);
}
std::string basic(Key const& key) {
    return basic_of(std::string{key.id} + ":" + std::string{key.secret});
}
std::string bearer(std::string_view token) {
    return "Bearer " + std::string{token};
}

std::string standard_credentials() {
    return "credentials:\n" + basic_entry("administrator", administrator, "allow: all")
           + basic_entry("enterprise", enterprise,
                         "labels: { organization_tier: ENTERPRISE, paid: true }\n    allow: all")
           + basic_entry("scale", scale,
                         "labels: { organization_tier: SCALE, paid: true }\n    allow: all")
           + basic_entry("unpaid", unpaid,
                         "labels: { organization_tier: BASIC, paid: false }\n    allow: all")
           + basic_entry("narrow", narrow,
                         "allow: { operations: [\"management/*\"], organizationId: [\""
                             + std::string{organization_id} + "\"] }")
           + basic_entry(
               "reader", reader,
               "allow: { operations: [management/getPipe, management/listServiceBackups] }")
           + "  - name: rotating\n    basic: { key_id: " + std::string{rotating_old.id}
           + ", secrets: [" + hash(rotating_old.secret) + ", " + hash(rotating_new.secret)
           + "] }\n    allow: all\n"
           + basic_entry("expired", expired_key, "allow: all\n    expires: 2020-01-01T00:00:00Z")
           + bearer_entry("observer", observer_token, "allow: all")
           + bearer_entry("viewer", viewer_token,
                          "allow: { operations: [observability/getDashboard, "
                          "observability/chartSeries] }")
           + bearer_entry("expired-viewer", expired_token,
                          "allow: all\n    expires: \"2020-01-01T00:00:00Z\"");
}

std::string administrator_credentials() {
    auto const all = standard_credentials();
    return all.substr(0, all.find("  - name: enterprise"));
}

std::string mover_credential() {
    return basic_entry("mover", mover, "allow: { apis: [files] }");
}

std::string contracts_folder() {
    auto const* folder = std::getenv("SALLYPORT_CONTRACTS");
    if (folder == nullptr)
        throw std::runtime_error("SALLYPORT_CONTRACTS does not name the folder of the contracts");
    return folder;
}

std::string tls_listener(std::vector<Certificate> const& certificates, std::string_view more) {
    std::string text =
        "  - name: public\n    address: 127.0.0.1:0\n    tls:\n      certificates:\n";
    for (auto const& one : certificates)
        text += "        - { certificate: \"" + one.certificate.string() + "\", private_key: \""
                + one.private_key.string() + "\" }\n";
    return text.append(more);
}

std::string balanced_upstream_yaml(std::string_view name, std::vector<std::string> const& endpoints,
                                   std::string_view more) {
    std::string text = "  " + std::string{name} + ": { endpoints: [";
    for (std::size_t index = 0; index < endpoints.size(); ++index)
        text += (index == 0 ? "\"" : ", \"") + endpoints[index] + "\"";
    text += "]";
    if (!more.empty()) text += ", " + std::string{more};
    return text + " }\n";
}

std::string upstream_yaml(std::string_view name, std::string_view endpoint, std::string_view more) {
    return balanced_upstream_yaml(name, {std::string{endpoint}}, more);
}

std::string api_yaml(std::string_view name, std::string_view more) {
    auto text = "  " + std::string{name} + ": { contract: \"" + contracts_folder() + "/"
                + std::string{name} + ".yaml\", upstream: " + std::string{name}
                + ", authenticate: [" + (name == "management" ? "basic" : "bearer") + "]";
    if (!more.empty()) text += ", " + std::string{more};
    return text + " }\n";
}

std::string Configuration::text() const {
    auto text = "listeners:\n" + listeners + "workers: " + workers
                + "\ncredentials: { file: " + credentials + " }\naccess_log:\n" + access_log;
    if (!upstreams.empty()) text += "upstreams:\n" + upstreams; // else included files have them
    if (!apis.empty()) text += "apis:\n" + apis;
    if (!limits.empty()) text += "limits:\n" + limits;
    return text + rest;
}

Configuration standard_configuration(std::string_view management, std::string_view observability) {
    auto const& made = certificates();
    Configuration configuration;
    configuration.listeners = tls_listener({made.server, made.second, made.wildcard, made.rsa});
    configuration.upstreams =
        upstream_yaml("management", management) + upstream_yaml("observability", observability);
    configuration.apis = api_yaml("management") + api_yaml("observability");
    return configuration;
}

Configuration standard_configuration(RecordingUpstream const& upstream) {
    return standard_configuration(upstream.endpoint(), upstream.endpoint());
}

} // namespace sallyport::test
