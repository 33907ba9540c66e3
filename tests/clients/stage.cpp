// Starts both programs.
#include "tests/clients/stage.h"

#include "tests/clients/callers.h"
#include "tests/support/file_watch.h"

#include <cstdlib>
#include <stdexcept>

namespace sallyport::test {
namespace {

constexpr Key management_key{"sandbox-key", "sandbox-secret-of-the-key"};
constexpr std::string_view observability_token = "sandbox-token";

std::string sandbox_program() {
    auto const* program = std::getenv("SALLYPORT_SANDBOX");
    if (program == nullptr)
        throw std::runtime_error("SALLYPORT_SANDBOX does not name the upstream's program");
    return program;
}

// The text after `listening on`, once it is complete.
std::string address_in(std::string const& output) {
    constexpr std::string_view words = "listening on ";
    auto const begin = output.find(words);
    auto const end = output.find('\n', begin);
    if (begin == std::string::npos || end == std::string::npos) return {};
    return output.substr(begin + words.size(), end - begin - words.size());
}

Configuration configuration_before(Sandbox const& sandbox, ClientVersion version) {
    auto const endpoint = "http://" + sandbox.authority();
    auto configuration = standard_configuration(endpoint, endpoint);
    if (version == ClientVersion::http_1_1)
        configuration.listeners += "    protocols: [http/1.1]\n";
    configuration.upstreams =
        upstream_yaml("management", endpoint,
                      "credential: { basic: { key_id: " + std::string{management_key.id}
                          + ", secret: \"${env:SANDBOX_SECRET}\" } }")
        + upstream_yaml("observability", endpoint,
                        "credential: { bearer: { token: \"${env:SANDBOX_TOKEN}\" } }");
    return configuration;
}

// The callers of all tests; the narrow one is for the organization of the sandbox.
std::string credentials_for_sandbox() {
    auto text = standard_credentials();
    text.replace(text.find(organization_id), organization_id.size(), sandbox_organization);
    return text;
}

Gateway::Options gateway_options() {
    Gateway::Options options;
    options.credentials = credentials_for_sandbox();
    options.environment = {{"SANDBOX_SECRET", std::string{management_key.secret}},
                           {"SANDBOX_TOKEN", std::string{observability_token}}};
    return options;
}

} // namespace

Sandbox::Sandbox() : record_(folder_ / "record") {
    process_ = std::make_unique<Process>(
        Command{{sandbox_program(), "--record", (folder_ / "record").string()}},
        ProcessFiles{"/dev/null", folder_ / "output", folder_ / "error"});
    TimeLimit const limit;
    FileWatch watch{folder_.path()};
    while (authority().empty())
        if (watch.wait(process_->descriptor(), limit) != Waited::happened)
            throw std::runtime_error("the sandbox does not start: " + read_file(folder_ / "error"));
}

std::string Sandbox::authority() const {
    return address_in(read_file(folder_ / "output"));
}

std::string sandbox_basic() {
    return basic(management_key);
}

std::string sandbox_bearer() {
    return bearer(observability_token);
}

ClientStage::ClientStage(ClientVersion its_version)
    : version(its_version), gateway(configuration_before(sandbox, version), gateway_options()) {}

} // namespace sallyport::test
