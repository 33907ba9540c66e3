// Fuzzes the readers of documents, configuration and credentials: from bytes to structs, without
// touching the file system.
//
// The first byte selects the reader. Besides not crashing it must hold that no message contains the
// value of a reference, that a configuration without errors has valid values, and that the JSON
// Schema of the configuration accepts every readable document.
#include "config/json_schema.h"
#include "config/load.h"
#include "config/tables.h"
#include "gateway/contract/validator.h"
#include "plugins/registry.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace sallyport::config;
namespace contract = sallyport::contract;

namespace {

constexpr std::string_view canary = "c4n4ry-c4n4ry";

void require(bool holds) {
    if (!holds) std::abort();
}

Tables const& tables() {
    static Tables const tables{sallyport::plugins::authenticators()};
    return tables;
}

// Every variable and every file exists, and contains a secret.
Resolver world() {
    Resolver out;
    out.environment = [](std::string const&) { return std::string{canary}; };
    out.file = [](std::string const&) { return FileText{std::string{canary} + '\n', {}}; };
    return out;
}

void check_problems(yaml::Problems const& problems, std::string_view input) {
    if (input.find("c4n4ry") != std::string_view::npos) return;
    for (auto const& problem : problems) {
        require(describe(problem).find("c4n4ry") == std::string::npos);
    }
}

void check_config(Config const& config) {
    require(!config.listeners.empty() && !config.upstreams.empty() && !config.apis.empty());
    require(config.limits.body <= config.limits.buffered_bodies);
    for (Listener const& listener : config.listeners) {
        require(!listener.name.empty() && !listener.address.ip.empty());
        require(!listener.tls || !listener.tls->certificates.empty());
    }
    for (Upstream const& upstream : config.upstreams)
        require(!upstream.endpoints.empty());
    for (Api const& api : config.apis) {
        require(api.upstream < config.upstreams.size());
        require(!api.authenticate.empty());
        require(api.contract.has_value() == api.paths.empty());
        require(api.contract.has_value() == api.methods.empty());
    }
}

// Something is in it, and nothing of it is empty.
void check_rule(AccessRule const& rule) {
    require(!rule.names_nothing() || !rule.methods.empty() || rule.read_only
            || !rule.parameters.empty());
    for (AllowedParameter const& parameter : rule.parameters)
        require(!parameter.values.empty() || !parameter.labels.empty());
}

void check_credentials(std::vector<Credential> const& credentials) {
    for (Credential const& credential : credentials) {
        require(!credential.name.empty());
        require(!credential.identities.empty());
        for (auto const& identity : credential.identities) {
            require(identity.authenticator != nullptr);
            require(!identity.keys.empty() && !identity.secrets.empty());
            require((identity.authenticator->name == "basic") == !identity.key_id.empty());
        }
        Allow const& allow = credential.allow;
        require(allow.extent != Allowed::nothing || !credential.roles.empty());
        if (allow.extent == Allowed::listed) check_rule(allow);
        for (AccessRule const& rule : credential.deny)
            check_rule(rule);
    }
}

void check_schema(SectionInfo const& info, yaml::Document const& document) {
    static auto const load = [](SectionInfo const& root) {
        return contract::Contract::load_schema(json_schema(root, "t"), "schema.json").contract;
    };
    static auto const of_config = load(tables().config().info());
    static auto const of_credentials = load(tables().credentials().info());
    auto const& schema = &info == &tables().config().info() ? of_config : of_credentials;
    require(schema != nullptr);
    std::string text = print(json_of(document.root()));
    text.reserve(text.size() + contract::body_padding);
    static contract::Validator validator;
    static contract::LevelTable const levels;
    auto const report =
        validator.validate(*schema->schema(), text, schema->conditions_for({}), levels);
    require(report.outcome == contract::Outcome::valid);
}

// Reading a document costs no disproportionate stack and time, and its index agrees with its
// entries.
void walk(yaml::Node const& node) {
    for (auto const& item : node.items())
        walk(item);
    for (auto const& entry : node.entries()) {
        require(node.find(entry.key) == &entry.value);
        walk(entry.value);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    if (size == 0) return 0;
    std::string_view const text{reinterpret_cast<char const*>(data) + 1, size - 1};
    Resolver const resolver = world();
    bool const is_json = data[0] == 'j';
    yaml::Document const document = yaml::load_text(text, is_json ? "f.json" : "f.yaml");
    walk(document.root());
    check_problems(document.problems(), text);
    if (data[0] == 'c') {
        ReadConfig const out = read_config(document, "folder", tables(), resolver);
        check_problems(out.problems, text);
        if (!out.has_errors()) {
            // One that includes others may lack what they have.
            if (document.root().find("include") == nullptr) check_config(out.config);
            check_schema(tables().config().info(), document);
        }
    } else if (data[0] == 'k') {
        ReadCredentials const out =
            read_credentials(document, "folder", {"management", "files"}, tables(), resolver);
        check_problems(out.problems, text);
        if (!out.has_errors()) {
            check_credentials(out.credentials);
            check_schema(tables().credentials().info(), document);
        }
    }
    return 0;
}
