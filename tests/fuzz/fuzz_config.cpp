// Fuzzes the readers of documents, configuration and credentials: from bytes to structs, without
// touching the file system.
//
// The first byte selects the reader. Besides not crashing it must hold that no message contains the
// value of a reference, that a configuration without errors has valid values, that the JSON Schema
// of the configuration accepts every readable document, and that what a fast reader reads (libyaml,
// simdjson) is what the other one reads.
#include "config/json_schema.h"
#include "config/load.h"
#include "config/tables.h"
#include "config/yaml_builder.h"
#include "gateway/contract/validator.h"
#include "plugins/registry.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
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
        require(api.contract.has_value() || !api.paths.empty());
        require(api.paths.empty() == api.methods.empty());
    }
}

// Whether nothing stands behind a key: that takes away, with a warning, and a schema may refuse it.
bool is_left_empty(yaml::Problems const& problems) {
    return std::any_of(problems.begin(), problems.end(), [](auto const& problem) {
        return describe(problem).find(" is empty; ") != std::string::npos;
    });
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

void require_same(yaml::Mark const& one, yaml::Mark const& other) {
    require(one.line == other.line && one.column == other.column);
}

bool is_same_number(double one, double other) {
    return std::memcmp(&one, &other, sizeof one) == 0; // also of what is no number
}

void require_same(yaml::Node const& one, yaml::Node const& other) {
    require(one.kind() == other.kind() && one.is_quoted() == other.is_quoted());
    require(one.text() == other.text() && one.as_boolean() == other.as_boolean());
    require(one.as_integer() == other.as_integer());
    require(is_same_number(one.as_number(), other.as_number()));
    require_same(one.mark(), other.mark());
    require(one.items().size() == other.items().size());
    require(one.entries().size() == other.entries().size());
    for (std::size_t i = 0; i < one.items().size(); ++i)
        require_same(one.items()[i], other.items()[i]);
    for (std::size_t i = 0; i < one.entries().size(); ++i) {
        require(one.entries()[i].key == other.entries()[i].key);
        require_same(one.entries()[i].mark, other.entries()[i].mark);
        require_same(one.entries()[i].value, other.entries()[i].value);
    }
}

void require_same(yaml::Document const& one, yaml::Document const& other) {
    require(one.is_whole() == other.is_whole());
    require(one.problems().size() == other.problems().size());
    for (std::size_t i = 0; i < one.problems().size(); ++i)
        require(describe(one.problems()[i]) == describe(other.problems()[i]));
    require_same(one.root(), other.root());
}

void compare_readers_of_yaml(std::string_view text, yaml::Syntax syntax) {
    yaml::Builder fast{"f.yaml", syntax};
    if (yaml::read_plain_yaml(text, fast) == yaml::PlainResult::not_plain) return;
    yaml::Builder slow{"f.yaml", syntax};
    yaml::read_yaml(text, slow);
    require_same(fast.finish(), slow.finish());
}

void compare_readers_of_json(std::string_view text) {
    yaml::Builder fast{"f.json", yaml::Syntax::plain};
    if (yaml::read_valid_json(text, fast) == yaml::JsonResult::not_json) return;
    yaml::Builder slow{"f.json", yaml::Syntax::plain};
    yaml::Place where;
    std::string what;
    require(yaml::read_json(text, slow, where, what) == yaml::JsonResult::read);
    require_same(fast.finish(), slow.finish());
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
    compare_readers_of_yaml(text, yaml::Syntax::plain);
    compare_readers_of_yaml(text, yaml::Syntax::full);
    compare_readers_of_json(text);
    if (data[0] == 'c') {
        ReadConfig const out = read_config(document, "folder", tables(), resolver);
        check_problems(out.problems, text);
        if (!out.has_errors()) {
            // One that includes others may lack what they have.
            if (document.root().find("include") == nullptr) check_config(out.config);
            if (!is_left_empty(out.problems)) check_schema(tables().config().info(), document);
        }
    } else if (data[0] == 'k') {
        ReadCredentials const out =
            read_credentials(document, "folder", {"management", "files"}, tables(), resolver);
        check_problems(out.problems, text);
        if (!out.has_errors() && !is_left_empty(out.problems)) {
            check_credentials(out.credentials);
            check_schema(tables().credentials().info(), document);
        }
    }
    return 0;
}
