// `check`: its errors on a machine on which the gateway could not start, its warnings, and its
// results without the machine.
#include "tests/end_to_end/stage.h"

#include "tests/support/channel.h"
#include "tests/support/text.h"

#include <catch2/catch.hpp>

#include <csignal>
#include <filesystem>
#include <regex>

#include <sys/stat.h>
#include <unistd.h>

namespace e10_check {

using namespace sallyport::test;

namespace {

namespace fs = std::filesystem;

std::string at_port(std::string const& listeners, std::uint16_t port) {
    return replaced(listeners, "127.0.0.1:0", "127.0.0.1:" + std::to_string(port));
}

Configuration standard() {
    return standard_configuration("http://127.0.0.1:9", "http://127.0.0.1:9");
}

// No other user can read the certificates of the tests.
Configuration without_tls(std::string const& address) {
    auto configuration = standard();
    configuration.listeners = "  - { name: public, address: \"" + address + "\", tls: off }\n";
    return configuration;
}

struct Checked : Finished {
    explicit Checked(Finished finished) : Finished(std::move(finished)) {}
    [[nodiscard]] bool matches(std::string const& expression) const {
        return std::regex_search(output, std::regex{expression});
    }
};

Checked check(fs::path const& folder,
              std::vector<std::string> const& arguments = {"sallyport.yaml"},
              std::string_view input = {}) {
    std::vector<std::string> all{"check"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return Checked{run_gateway(all, input, folder)};
}

struct Prepared {
    explicit Prepared(Configuration const& configuration = standard()) {
        folder.write("sallyport.yaml", configuration.text());
        folder.write("credentials.yaml", standard_credentials());
    }
    // Other users may read its files, and write into it.
    void give_to_others() const {
        ::chmod(folder.path().c_str(), 0777);
        for (auto const* const name : {"sallyport.yaml", "credentials.yaml"})
            ::chmod((folder / name).c_str(), 0644);
    }
    TemporaryFolder folder;
};

// The content of a checkout: no secret, no certificate, no file of credentials.
struct Checkout {
    Checkout() {
        fs::copy_file(fs::path{contracts_folder()} / "management.yaml", folder / "management.yaml");
        folder.write("sallyport.yaml", text);
    }
    std::string const text = R"(listeners:
  - name: public
    address: "${env:ADDRESS}"
    tls: { certificates: [{ certificate: tls/server.pem, private_key: tls/server.key }] }
  - { name: other, address: "192.0.2.1:443", tls: off }
admin: { address: 127.0.0.1:9901 }
credentials: { file: credentials.yaml }
upstreams:
  m:
    endpoints: ["https://api.example.com"]
    tls: { ca: /no/such/ca.pem }
    credential: { basic: { key_id: "${env:KEY_ID}", secret: "${file:/no/such/secret}" } }
apis:
  management: { contract: management.yaml, upstream: m, authenticate: [basic] }
access_log: { output: /no/such/folder/access.log }
)";
    TemporaryFolder folder;
};

} // namespace

TEST_CASE("check fails for a port that another program has, of a listener and of the admin") {
    auto const taken = listen_tcp();
    auto const text = "127.0.0.1:" + std::to_string(taken.port);
    auto configuration = standard();
    configuration.listeners = at_port(configuration.listeners, taken.port);
    auto const listener = check(Prepared{configuration}.folder.path());
    CAPTURE(listener.output);
    CHECK(listener.exit_code == 1);
    CHECK(listener.matches("sallyport.yaml:[0-9:]+ listeners\\[0\\].address: " + text
                           + " is in use by end_to_end \\(process [0-9]+\\); end that"));
    configuration = standard();
    configuration.rest += "admin: { address: \"" + text + "\" }\n";
    auto const admin = check(Prepared{configuration}.folder.path());
    CHECK(admin.exit_code == 1);
    CHECK(admin.matches("admin.address: " + text + " is in use by end_to_end "));
}

TEST_CASE("check passes while a gateway runs with the same file, before its reload") {
    auto configuration = standard();
    configuration.rest += "admin: { address: \"127.0.0.1:0\" }\n";
    Gateway gateway{configuration};
    auto const port = gateway.port();
    configuration.listeners = at_port(configuration.listeners, port);
    configuration.rest = replaced(configuration.rest, "127.0.0.1:0",
                                  "127.0.0.1:" + std::to_string(gateway.admin_port()));
    // Staged next to the one in use, as in the guide.
    {
        TemporaryFolder const elsewhere;
        fs::copy_file(gateway.folder() / "credentials.yaml", elsewhere / "credentials.yaml");
        elsewhere.write("sallyport.yaml", configuration.text());
        auto const other = check(elsewhere.path());
        CAPTURE(other.output);
        CHECK(other.exit_code == 1);
        CHECK(other.matches("is in use by sallyport \\(process " + std::to_string(gateway.id())
                            + "\\), which runs by .*/sallyport.yaml; end that"));
    }
    gateway.replace("staged.yaml", configuration.text());
    auto const staged = check(gateway.folder(), {"staged.yaml"});
    CAPTURE(staged.output);
    CHECK(staged.exit_code == 0);
    CHECK(staged.matches(
        "warning: listeners\\[0\\].address: .* nothing is wrong if this file takes"));
    CHECK(staged.matches("warning: admin.address: "));
    fs::rename(gateway.folder() / "staged.yaml", gateway.folder() / "sallyport.yaml");
    for (auto const& path :
         {std::string{"sallyport.yaml"}, (gateway.folder() / "sallyport.yaml").string()}) {
        auto const same = check(gateway.folder(), {path});
        CAPTURE(path, same.output);
        CHECK(same.exit_code == 0);
        CHECK_FALSE(same.matches("in use"));
    }
    CHECK(gateway.stop() == 0);
}

TEST_CASE("check fails for an address that the machine does not have") {
    auto configuration = standard();
    configuration.listeners = replaced(configuration.listeners, "127.0.0.1:0", "192.0.2.1:18443");
    auto const finished = check(Prepared{configuration}.folder.path());
    CAPTURE(finished.output);
    CHECK(finished.exit_code == 1);
    CHECK(finished.matches(
        "listeners\\[0\\].address: 192.0.2.1:18443 is no address of this machine; "));
}

TEST_CASE("check fails for a port that this user may not bind, unless the gateway has it already") {
    if (::geteuid() != 0 || find_program("unshare").empty() || find_program("setpriv").empty()
        || run({{"unshare", "--net", "true"}}).exit_code != 0) {
        WARN("skipped: this user gives no network without rights");
        return;
    }
    Prepared const prepared{without_tls("0.0.0.0:443")};
    prepared.give_to_others();
    auto const as = [&](std::vector<std::string> const& rights) {
        std::vector<std::string> words{"unshare", "--net", "setpriv"};
        words.insert(words.end(), rights.begin(), rights.end());
        words.insert(words.end(), {"--clear-groups", gateway_program(), "check", "sallyport.yaml"});
        return Checked{run({words, {}, prepared.folder.path()})};
    };
    auto const refused = as({"--reuid", "65534", "--regid", "65534"});
    CAPTURE(refused.output, refused.error);
    CHECK(refused.exit_code == 1);
    CHECK(refused.matches("listeners\\[0\\].address: this user may not bind 0.0.0.0:443; a port "
                          "below 1024 needs CAP_NET_BIND_SERVICE"));
    // As the unit gives it.
    auto const taken =
        as({"--reuid", "65534", "--regid", "65534", "--inh-caps", "+net_bind_service",
            "--ambient-caps", "+net_bind_service", "--no-new-privs"});
    CAPTURE(taken.output, taken.error);
    CHECK(taken.exit_code == 0);
}

TEST_CASE("check as root fails for files that the user of the service cannot read") {
    if (::geteuid() != 0) {
        WARN("skipped: only root can check for another user");
        return;
    }
    auto const configuration = without_tls("127.0.0.1:0");
    Prepared const prepared{configuration};
    prepared.give_to_others();
    auto const as_other = [&] {
        return check(prepared.folder.path(), {"sallyport.yaml", "--user", "nobody"});
    };
    auto const right = as_other();
    CAPTURE(right.output, right.error);
    CHECK(right.exit_code == 0);
    ::chmod((prepared.folder / "credentials.yaml").c_str(), 0600);
    auto const unread = as_other();
    CAPTURE(unread.output);
    CHECK(unread.exit_code == 1);
    CHECK(unread.matches("credentials.yaml.*Permission denied"));
    CHECK(unread.matches("\nread as the user nobody, as the service would\n$"));
    CHECK(check(prepared.folder.path()).exit_code == 0); // root itself
    ::chmod((prepared.folder / "credentials.yaml").c_str(), 0644);
    // Its log has to be written by it too.
    fs::create_directory(prepared.folder / "log");
    prepared.folder.write("sallyport.yaml",
                          replaced(configuration.text(), "access.log", "log/access.log"));
    auto const unwritten = as_other();
    CAPTURE(unwritten.output);
    CHECK(unwritten.exit_code == 1);
    CHECK(unwritten.matches("access_log.output: \".*log\" cannot be written: Permission denied; "));
    auto const unknown = check(prepared.folder.path(), {"sallyport.yaml", "--user", "no-such-user"});
    CHECK(unknown.exit_code == 2);
    CHECK(unknown.error == "--user: this machine has no user \"no-such-user\"\n");
}

TEST_CASE("check warns of certificates and authorities that expire") {
    auto const& made = certificates();
    auto configuration = standard();
    configuration.listeners = tls_listener({made.expiring});
    configuration.upstreams =
        upstream_yaml("management", "https://127.0.0.1:9",
                      "tls: { ca: \"" + made.expired_authority.string() + "\" }")
        + upstream_yaml("observability", "https://127.0.0.1:9",
                        "tls: { ca: \"" + made.authority.string() + "\" }");
    auto const finished = check(Prepared{configuration}.folder.path());
    CAPTURE(finished.output);
    CHECK(finished.exit_code == 0);
    CHECK(finished.matches("warning: listeners\\[0\\].tls.certificates\\[0\\].certificate: "
                           ".*expiring.pem: the certificate expires soon, at 20[0-9T:-]+Z; "));
    CHECK(finished.matches("warning: upstreams.management.tls.ca: .*expired-authority.pem: the "
                           "authority expired at 20[0-9T:-]+Z: no upstream is trusted; "));
    CHECK_FALSE(finished.matches("upstreams.observability"));
    // Next to a valid one it is not reported; nor are valid certificates.
    Prepared const both;
    auto const bundle = both.folder.write("bundle.pem", read_file(made.expired_authority)
                                                            + read_file(made.authority));
    configuration = standard();
    configuration.upstreams = upstream_yaml("management", "https://127.0.0.1:9",
                                            "tls: { ca: \"" + bundle.string() + "\" }")
                              + upstream_yaml("observability", "http://127.0.0.1:9");
    both.folder.write("sallyport.yaml", configuration.text());
    auto const right = check(both.folder.path());
    CAPTURE(right.output);
    CHECK_FALSE(right.matches("tls\\.ca|certificates\\["));
    // Each certificate of a listener's chain counts.
    auto const chain = both.folder.write("chain.pem", read_file(made.server.certificate)
                                                          + read_file(made.expired_authority));
    configuration.listeners = tls_listener({{chain, made.server.private_key}});
    both.folder.write("sallyport.yaml", configuration.text());
    CHECK(check(both.folder.path())
              .matches("chain.pem: the intermediate \"Expired authority\" expired at "));
}

TEST_CASE("check warns of expired credentials, files open to all, and misspelled labels") {
    Prepared const prepared;
    auto const first = check(prepared.folder.path());
    CAPTURE(first.output);
    CHECK(first.exit_code == 0);
    CHECK(first.matches("credentials.yaml:[0-9:]+ warning: credentials\\[[0-9]\\]: the credential "
                        "\"expired\" expired at 2020-01-01T00:00:00Z; "));
    CHECK_FALSE(first.matches("can read|can change|x-when")); // its folder is closed to other users
    ::chmod(prepared.folder.path().c_str(), 0755);
    ::chmod((prepared.folder / "credentials.yaml").c_str(), 0664);
    auto const open = check(prepared.folder.path());
    CAPTURE(open.output);
    CHECK(open.exit_code == 0);
    CHECK(open.matches(
        "sallyport.yaml:[0-9:]+ warning: credentials.file: credentials.yaml: every "
        "user of this machine can read the credentials \\(mode 0664\\); chmod o-rwx "));
    CHECK(open.matches("its group can change the credentials"));
    prepared.folder.write("credentials.yaml",
                          replaced(standard_credentials(), "paid: false", "paid: \"false\""));
    CHECK(check(prepared.folder.path())
              .matches("warning: apis.management.contract: the contract has rules for callers whose "
                       "label paid is false; that of the credential \"[a-z-]+\" is \"false\"; "));
    auto const json =
        Json::parse(check(prepared.folder.path(), {"sallyport.yaml", "--format", "json"}).output);
    CHECK(json["ok"].boolean);
    CHECK(json["problems"][0].text("severity") == "warning");
}

TEST_CASE(
    "check --offline needs only the configuration and its contracts, and lists what it skips") {
    Checkout const checkout;
    CHECK(check(checkout.folder.path()).exit_code == 1);
    auto const finished = check(checkout.folder.path(), {"--offline", "sallyport.yaml"});
    CAPTURE(finished.output);
    CHECK(finished.exit_code == 0);
    CHECK(finished.output
          == "not looked at: sallyport.yaml:3:14: listeners[0].address: ${env:ADDRESS}\n"
             "not looked at: sallyport.yaml:4:42: listeners[0].tls.certificates[0].certificate: "
             "the file \"tls/server.pem\"\n"
             "not looked at: sallyport.yaml:4:71: listeners[0].tls.certificates[0].private_key: "
             "the file \"tls/server.key\"\n"
             "not looked at: sallyport.yaml:5:29: listeners[1].address: whether it can be bound\n"
             "not looked at: sallyport.yaml:6:19: admin.address: whether it can be bound\n"
             "not looked at: sallyport.yaml:7:22: credentials.file: the file \"credentials.yaml\"\n"
             "not looked at: sallyport.yaml:11:16: upstreams.m.tls.ca: the file "
             "\"/no/such/ca.pem\"\n"
             "not looked at: sallyport.yaml:12:36: upstreams.m.credential.basic.key_id: "
             "${env:KEY_ID}\n"
             "not looked at: sallyport.yaml:12:61: upstreams.m.credential.basic.secret: "
             "${file:/no/such/secret}\n"
             "not looked at: sallyport.yaml:15:23: access_log.output: the folder of "
             "\"/no/such/folder/access.log\"\n"
             "sallyport.yaml: OK (offline: 2 listeners, 1 upstream, 1 API)\n");
    auto const json = Json::parse(
        check(checkout.folder.path(), {"--offline", "sallyport.yaml", "--format", "json"}).output);
    CHECK(json["ok"].boolean);
    CHECK(json["not_looked_at"][0].text("what") == "${env:ADDRESS}");
    auto const github =
        check(checkout.folder.path(), {"--offline", "sallyport.yaml", "--format", "github"});
    CHECK(github.output.find("::notice file=sallyport.yaml,line=3,col=14::not looked at: "
                             "listeners[0].address: ${env:ADDRESS}\n")
          == 0);
    auto const piped = check(checkout.folder.path(), {"--offline", "-"}, checkout.text);
    CHECK(piped.exit_code == 0);
}

TEST_CASE("check --offline finds problems of the configuration, contracts and credentials") {
    Checkout const checkout;
    auto const check_with = [&](std::string const& what, std::string const& with) {
        checkout.folder.write("sallyport.yaml", replaced(checkout.text, what, with));
        auto finished = check(checkout.folder.path(), {"--offline", "sallyport.yaml"});
        CAPTURE(finished.output);
        CHECK(finished.exit_code == 1);
        CHECK_FALSE(finished.matches(": OK"));
        return finished;
    };
    CHECK(check_with("[basic]", "[basik]").matches("did you mean \"basic\""));
    CHECK(
        check_with("${env:KEY_ID}", "${KEY_ID}").matches("upstreams.m.credential.basic.key_id: "));
    CHECK(check_with("management.yaml", "missing.yaml").matches("missing.yaml"));
    CHECK(check_with("[basic] }", "[basic], rules: [{ operation: getPip, level: off }] }")
              .matches("did you mean \"getPipe\""));
    checkout.folder.write("sallyport.yaml", checkout.text);
    // Existing credentials are checked against the contracts.
    auto const entry = [](std::string const& operation) {
        return "credentials:\n  - name: ci\n    basic: { key_id: k, secrets: [\"${env:HASH}\"] }\n"
               "    allow: { operations: [\"management/"
               + operation + "\"] }\n    expires: 2020-01-01T00:00:00Z\n";
    };
    checkout.folder.write("credentials.yaml", entry("getPip"));
    auto const wrong = check(checkout.folder.path(), {"--offline", "sallyport.yaml"});
    CAPTURE(wrong.output);
    CHECK(wrong.exit_code == 1);
    CHECK(wrong.matches(
        "credentials.yaml:4:[0-9]+: credentials\\[0\\].allow.operations\\[0\\]: .*did "
        "you mean \"getPipe\""));
    checkout.folder.write("credentials.yaml", entry("getPipe"));
    auto const right = check(checkout.folder.path(), {"--offline", "sallyport.yaml"});
    CAPTURE(right.output);
    CHECK(right.exit_code == 0);
    CHECK(
        right.matches("warning: credentials\\[0\\]: the credential \"ci\" expired at 2020-01-01"));
    CHECK(right.matches("not looked at: credentials.yaml:3:[0-9]+: "
                        "credentials\\[0\\].basic.secrets\\[0\\]: \\$\\{env:HASH\\}\n"));
    CHECK_FALSE(
        right.matches("x-when|not looked at: sallyport.yaml:7")); // it is not completely known
}

TEST_CASE("check --offline does not report what an unknown contract might contain") {
    Checkout const checkout;
    checkout.folder.write("sallyport.yaml",
                          replaced(checkout.text, "contract: management.yaml, ",
                                   "contract: \"${env:CONTRACT}\", hosts: [\"${env:HOST}\"], "
                                   "rules: [{ operation: any, level: off }], "));
    checkout.folder.write("credentials.yaml",
                          "credentials:\n  - name: ci\n    bearer: { tokens: [\"${env:HASH}\"] }\n"
                          "    labels: { any: 1 }\n"
                          "    allow: { operations: [management/any], anyId: [a] }\n");
    auto const finished = check(checkout.folder.path(), {"--offline", "sallyport.yaml"});
    CAPTURE(finished.output);
    CHECK(finished.exit_code == 0);
    CHECK(finished.matches("apis.management.contract: \\$\\{env:CONTRACT\\}\n"));
    CHECK_FALSE(finished.matches("warning"));
}

} // namespace e10_check
