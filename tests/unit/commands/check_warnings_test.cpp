// The warnings of `check`: credentials that expire, rules that apply to no caller, files open to
// others.
#include "folder.h"
#include "gateway/commands/check_warnings.h"

#include <catch2/catch.hpp>

#include <filesystem>

#include <sys/stat.h>

namespace check_warnings_test {

using namespace sallyport;
using namespace sallyport::commands;
using sallyport::commands::test::Folder;

namespace {

Time const now{std::chrono::seconds{1'800'000'000}}; // 2027-01-15T08:00:00Z

std::string described(config::yaml::Problems const& problems) {
    std::string all;
    for (auto const& problem : problems) {
        CHECK(problem.severity == config::yaml::Severity::warning);
        all += describe(problem) + '\n';
    }
    return all;
}

config::Credential credential(std::string name) {
    config::Credential made;
    made.name = std::move(name);
    made.allow.extent = config::Allowed::all;
    return made;
}

std::string expiry(std::optional<Time> expires) {
    std::vector<config::Credential> credentials(1);
    credentials[0].name = "ci";
    credentials[0].expires = expires;
    return described(warn_of_expiry(credentials, now));
}

// For one file of credentials with this mode, in a folder with that one.
std::string files(Folder const& folder, mode_t mode, mode_t folder_mode = 0755) {
    auto const path = folder.write("credentials.yaml", "x");
    ::chmod(path.c_str(), mode);
    ::chmod(std::filesystem::path{path}.parent_path().c_str(), folder_mode);
    config::Config config;
    config.credentials.file = config::File{path, {}};
    auto text = described(warn_of_files(config, {}));
    for (auto at = text.find(path); at != std::string::npos; at = text.find(path))
        text.replace(at, path.size(), "FILE");
    return text;
}

constexpr config::IdentitySettings entries{.help = {},
                                           .section = nullptr,
                                           .read = nullptr,
                                           .unique = {},
                                           .secrets = config::GeneratedSecrets{}};
constexpr config::Authenticator basic{.name = "basic", .identity = entries};
constexpr config::Authenticator foreign{.name = "foreign"};
constexpr config::Authenticator anonymous{.name = "anonymous",
                                          .accepts = config::Accepts::every_client};
std::vector<config::Authenticator const*> const authenticators{&basic, &foreign, &anonymous};

std::string cors(std::string const& authenticate, std::vector<std::string> const& origins,
                 std::vector<std::string> headers = {"Authorization"}) {
    config::Config config;
    auto& api = config.apis.emplace_back();
    api.authenticate = {authenticate};
    auto& made = api.cors.emplace();
    for (auto const& origin : origins)
        made.origins.push_back({origin, {}, {}, {}});
    made.headers = std::move(headers);
    config.apis.emplace_back(); // without cors
    return described(warn_of_cors(config, authenticators));
}

} // namespace

TEST_CASE("a credential is reported when it has expired, and thirty days before") {
    using std::chrono::hours;
    CHECK(expiry(now)
          == "warning: the credential \"ci\" expired at 2027-01-15T08:00:00Z; remove it, or write "
             "a later `expires`\n");
    CHECK(expiry(now + std::chrono::seconds{1}).find("\"ci\" expires soon, at 2027-01-15T08:00:01Z")
          != std::string::npos);
    CHECK(expiry(now + hours{30 * 24}).find("expires soon") != std::string::npos);
    CHECK(expiry(now + hours{30 * 24} + std::chrono::seconds{1}).empty());
    CHECK(expiry(std::nullopt).empty());
}

TEST_CASE("labels of rules that no caller of the API has are reported in one sentence") {
    std::string const contract_text = R"(
openapi: 3.1.0
info: { title: T }
paths:
  /a:
    put:
      operationId: change
      requestBody:
        content:
          application/json:
            schema:
              x-when:
                - { labels: { tier: [GOLD, SILVER] }, schema: { required: [a] } }
                - { labels: { tier: SILVER, seats: 5, paid: true }, schema: { required: [b] } }
)";
    Folder const folder;
    auto const file = folder.write("contract.yaml", contract_text);
    pipeline::Api api;
    api.contract = contract::Contract::load_file(file, {}).contract;
    REQUIRE(api.contract);
    config::Config config;
    config.apis.resize(1);
    config.apis[0].name = "a";
    config.apis[0].contract = config::File{file, {}};
    auto const warned = [&](std::vector<config::Credential> const& credentials) {
        return described(warn_of_conditions(config, {&api}, credentials, {}));
    };
    CHECK(warned({})
          == "warning: the contract has rules for callers with the label paid, seats or tier, and "
             "no caller of this API has it: these rules are not applied to any request; write "
             "`labels` into the credentials of such callers; nothing is wrong if there are none\n");
    // Values that no caller has are those of others.
    auto gold = credential("gold");
    gold.labels = {
        {"tier", std::string{"GOLD"}, {}}, {"seats", 5.0, {}}, {"paid", false, {}}};
    CHECK(warned({gold}).empty());
    gold.labels[0].value = std::string{"PLATINUM"};
    CHECK(warned({gold}).empty());
    // Labels of a credential without permission for the API do not count.
    auto silver = credential("silver");
    silver.labels = gold.labels;
    silver.allow.extent = config::Allowed::listed;
    silver.allow.apis = {{"another", {}}};
    CHECK(warned({silver}) == warned({}));
    silver.allow.operations = {{"a", "change", {}}};
    CHECK(warned({silver}).empty());
    // What is spelled differently, or is not of that type.
    gold.labels[0].value = std::string{"Silver"};
    CHECK(warned({silver, gold})
          == "warning: the contract has rules for callers whose label tier is \"SILVER\"; that of "
             "the credential \"gold\" is \"Silver\"; write the same value if it is meant to be the "
             "same\n");
    gold.labels[0].value = std::string{"SILVER"};
    gold.labels[2].value = std::string{"true"};
    CHECK(warned({gold}).find("whose label paid is true; that of the credential \"gold\" is "
                              "\"true\";")
          != std::string::npos);
}

TEST_CASE("a file of secrets is reported if others can read or change it") {
    Folder const folder;
    CHECK(files(folder, 0600).empty());
    CHECK(files(folder, 0640).empty());
    CHECK(files(folder, 0644)
          == "warning: FILE: every user of this machine can read the credentials (mode 0644); "
             "chmod o-rwx FILE\n");
    CHECK(files(folder, 0602).find("can change the credentials (mode 0602)") != std::string::npos);
    CHECK(files(folder, 0666).find("can read and change the credentials") != std::string::npos);
    CHECK(files(folder, 0660)
          == "warning: FILE: its group can change the credentials (mode 0660); chmod g-w FILE\n");
}

TEST_CASE("a folder protects its files, unless others can replace them in it") {
    Folder const folder;
    CHECK(files(folder, 0644, 0750).empty());
    CHECK(files(folder, 0644, 0700).empty());
    CHECK(files(folder, 0644, 0711).find("can read") != std::string::npos);
    CHECK(files(folder, 0600, 0777).find("can put another file in its place") != std::string::npos);
    CHECK(files(folder, 0600, 01777).empty()); // as /tmp: only owners rename and remove
}

TEST_CASE("private keys and the files of secrets are checked once each, through links too") {
    Folder const folder;
    auto const key = folder.write("server.key", "x");
    auto const secret = folder.write("secret", "x");
    ::chmod(std::filesystem::path{key}.parent_path().c_str(), 0755);
    ::chmod(key.c_str(), 0644);
    ::chmod(secret.c_str(), 0604);
    auto const link = key + ".link";
    std::filesystem::create_symlink(key, link);
    config::Config config;
    config.listeners.resize(2);
    for (auto& listener : config.listeners)
        listener.tls.emplace().certificates.push_back({{key, {}}, {link, {}}, {}});
    auto const text = described(warn_of_files(config, {{secret, {}}}));
    CHECK(text.find(link + ": every user of this machine can read the private key") == 9);
    CHECK(text.find(secret + ": every user of this machine can read the secret")
          != std::string::npos);
    CHECK(std::count(text.begin(), text.end(), '\n') == 2);
    CHECK(described(warn_of_files(config, {{"/no/such", {}}, {"/dev/null", {}}})).find("/no/such")
          == std::string::npos);
}

TEST_CASE("origins without TLS are reported, unless they are of this machine") {
    CHECK(cors("basic", {"https://a.example", "http://localhost:3000", "http://a.localhost",
                         "http://127.0.0.1:80", "http://[::1]:3000", "x-app://b"})
              .empty());
    CHECK(cors("basic", {"http://a.example"})
          == "warning: \"http://a.example\" has no TLS: its pages can be changed on their way; use "
             "https there\n");
    CHECK_FALSE(cors("basic", {"http://*.a.example:8080"}).empty());
    CHECK_FALSE(cors("basic", {"http://localhost.example"}).empty());
}

TEST_CASE("origins that every page has are reported, and fields that a star does not permit") {
    CHECK(cors("anonymous", {"*"}, {"*"}).empty());
    CHECK(cors("basic", {"*"}, {"*", "authorization"}).find("every web page may read") == 9);
    CHECK(cors("anonymous", {"null"}).find("every page can have the origin null") == 9);
    CHECK(cors("basic", {"https://a.example"}, {"*"}).find("does not permit Authorization")
          != std::string::npos);
}

TEST_CASE("check warns of upstreams that get issued secrets, unless that is said explicitly") {
    config::Config config;
    config.upstreams.resize(2);
    config.upstreams[0].credential = config::PassedCredential{};
    auto& api = config.apis.emplace_back();
    api.name = "items";
    auto const warnings = [&](config::AuthenticatorSets const& authenticate) {
        api.authenticate = authenticate;
        return described(warn_of_passed_credentials(config, authenticators));
    };
    std::string const warning =
        "warning: the upstream gets the secrets that this gateway has issued to callers of the API "
        "\"items\"; write none, a credential of the gateway, or pass_issued if the upstream checks "
        "the same secrets\n";
    CHECK(warnings({"basic"}) == warning);
    CHECK(warnings({"foreign", "basic"}) == warning);
    CHECK(warnings({"foreign"}).empty());
    CHECK(warnings({"anonymous"}).empty());
    // By a rule alone.
    api.upstream = 1;
    CHECK(warnings({"basic"}).empty());
    api.rules.emplace_back().upstream = 0;
    CHECK(warnings({"basic"}) == warning);
    config.upstreams[0].credential = config::PassedCredential{.also_issued = true, .origin = {}};
    CHECK(warnings({"basic"}).empty());
    config.upstreams[0].credential = config::NoCredential{};
    CHECK(warnings({"basic"}).empty());
}

} // namespace check_warnings_test
