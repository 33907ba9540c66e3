// What becomes of credentials at reloads: events, and lists and tokens that stay in force.
#include "tests/unit/accept/server_harness.h"

namespace server_credentials_test {

using namespace sallyport;
using namespace sallyport::accept;
using namespace sallyport::accept::test;

namespace {

std::string const digest = "sha256:" + std::string(64, '1');

Sections sections_for(RecordingUpstream const& upstream) {
    return {.endpoint = upstream.endpoint(), .rest = "workers: 1\nreload: on_signal\n"};
}

// Replaces a file, as editors do.
void replace(RunningServer& server, std::string const& name, std::string const& text) {
    server.folder.write("next", text);
    std::filesystem::rename(server.folder / "next", server.folder / name);
}

void reload(RunningServer& server, std::string_view result, std::size_t times = 1) {
    RunningServer::signal(SIGHUP);
    server.control.wait_for(result, times);
}

std::string entry(std::string const& name) {
    return "- { name: " + name + ", bearer: { tokens: [\""
           + "sha256:" + sallyport::test::sha256_hex(name) + "\"] }, allow: all }\n";
}

} // namespace

TEST_CASE("credentials that are loaded, and those that a reload changes, are events") {
    RecordingUpstream upstream;
    RunningServer server{sections_for(upstream)};
    server.wait_until_ready();
    auto& control = server.control;
    CHECK(control.count("credentials_loaded count=1 added=0 removed=0 changed=0 disabled=0") == 1);
    CHECK(control.count("credential_changed") == 0);
    reload(server, " reloaded ");
    CHECK(control.count("credentials_loaded") == 1); // nothing has changed

    auto text = "credentials:\n" + entry("new") + entry("other");
    replace(server, "credentials.yaml", text);
    reload(server, " reloaded ", 2);
    CHECK(control.count("info credential_changed credential=new change=added\n") == 1);
    CHECK(control.count("info credential_changed credential=tester change=removed\n") == 1);
    CHECK(control.count("credentials_loaded count=2 added=2 removed=1 changed=0 disabled=0") == 1);

    text.replace(text.find("name: other"), 0, "disabled: true, expires: 2099-01-01T00:00:00Z, ");
    replace(server, "credentials.yaml", text);
    reload(server, " reloaded ", 3);
    CHECK(control.count("credential=other change=disabled,changed\n") == 1);
    CHECK(control.count("credentials_loaded count=2 added=0 removed=0 changed=1 disabled=1") == 1);

    // Of what is rejected nothing is reported.
    replace(server, "credentials.yaml", "credentials:\n" + entry("third") + entry("third"));
    reload(server, "reload_rejected");
    CHECK(control.count("third change=") == 0);
    CHECK(control.count("credentials_loaded") == 3);
    CHECK(control.text().find("sha256") == std::string::npos);
    CHECK(server.stop() == Ended::drained);
}

TEST_CASE("a list of denied secrets with an error keeps the one in force, and prevents no reload") {
    RecordingUpstream upstream;
    auto sections = sections_for(upstream);
    sections.credentials = ", denied: denied.txt";
    RunningServer server{sections, "/bin/false", {{"denied.txt", digest + "\n"}}};
    server.wait_until_ready();
    server.control.wait_for("denied_secrets_loaded count=1");
    replace(server, "denied.txt", "junk\n");
    server.control.wait_for("denied_secrets_rejected");
    replace(server, "credentials.yaml", "credentials:\n" + entry("new"));
    reload(server, " reloaded ");
    server.control.wait_for("credential=new change=added");
    CHECK(server.control.count("denied_secrets_rejected") == 2);
    CHECK(server.control.count("denied_secrets_loaded") == 1);
    CHECK(server.control.count("warning reload_problem") == 1);
    // It is still watched.
    replace(server, "denied.txt", "");
    server.control.wait_for("denied_secrets_loaded count=0");
    // Of another file no list is in force.
    sections.credentials = ", denied: others.txt";
    replace(server, "sallyport.yaml", lifecycle::test::configuration_text(sections));
    reload(server, "reload_rejected");
    CHECK(server.control.count("others.txt: No such file or directory") >= 1);
    CHECK(server.stop() == Ended::drained);
}

TEST_CASE("a token whose file has vanished is still sent, and prevents no reload") {
    RecordingUpstream upstream;
    auto sections = sections_for(upstream);
    sections.upstream = ", credential: { token_file: token }";
    RunningServer server{sections, "/bin/false", {{"token", "first"}}};
    server.wait_until_ready();
    std::filesystem::remove(server.folder / "token");
    server.control.wait_for("upstream_token_rejected");
    replace(server, "credentials.yaml", "credentials:\n" + entry("new"));
    reload(server, " reloaded ");
    CHECK(server.control.count("upstream_token_rejected") == 2);
    CHECK(sallyport::test::fetch(server.port(), get("/files/a"), without_tls()).status == 200);
    CHECK(upstream.requests().back().fields.one("Authorization") == "Bearer first");
    replace(server, "token", "second");
    server.control.wait_for("upstream_token_loaded");
    // Of another file there is none.
    sections.upstream = ", credential: { token_file: other }";
    replace(server, "sallyport.yaml", lifecycle::test::configuration_text(sections));
    reload(server, "reload_rejected");
    CHECK(server.stop() == Ended::drained);
}

TEST_CASE("a gateway whose list or token cannot be read does not start") {
    RecordingUpstream upstream;
    auto sections = sections_for(upstream);
    SECTION("the list") {
        sections.credentials = ", denied: denied.txt";
        RunningServer server{sections};
        server.control.wait_for("denied_secrets_rejected");
        CHECK(server.wait_for_end() == Ended::not_started);
    }
    SECTION("the token") {
        sections.upstream = ", credential: { token_file: token }";
        RunningServer server{sections};
        server.control.wait_for("upstream_token_rejected");
        CHECK(server.wait_for_end() == Ended::not_started);
    }
}

} // namespace server_credentials_test
