// Common programs: curl and openssl as clients, nginx as an upstream.
#include "tests/end_to_end/stage.h"
#include "tests/support/machine.h"

#include <catch2/catch.hpp>

namespace e12_real_tools {

using namespace sallyport::test;

namespace {

std::string url(std::uint16_t port, std::string_view target) {
    return "https://localhost:" + std::to_string(port) + std::string{target};
}

Finished curl(std::vector<std::string> arguments) {
    std::vector<std::string> whole{"curl",
                                   "--silent",
                                   "--show-error",
                                   "--max-time",
                                   "25",
                                   "--cacert",
                                   certificates().authority.string()};
    whole.insert(whole.end(), arguments.begin(), arguments.end());
    return run({whole});
}

std::string user(Key const& key) {
    return std::string{key.id} + ":" + std::string{key.secret};
}

// nginx on a unix socket of a folder, which returns its request.
struct Nginx {
    explicit Nginx(TemporaryFolder const& folder)
        : path(folder / "nginx.sock"),
          process(Command{{"nginx", "-p", folder.path().string(), "-c",
                           folder.write("nginx.conf", configuration()).string(), "-e", "stderr"}},
                  {"/dev/null", folder / "nginx.out", folder / "nginx.err"}) {
        TimeLimit const limit;
        FileWatch watch{folder.path()};
        while (!is_listening())
            if (watch.wait(process.descriptor(), limit) != Waited::happened)
                throw std::runtime_error("nginx: " + read_file(folder / "nginx.err"));
    }
    [[nodiscard]] bool is_listening() const {
        try {
            connect_unix(path);
            return true;
        } catch (std::exception const&) {
            return false;
        }
    }
    [[nodiscard]] std::string configuration() const {
        return "daemon off; master_process off; pid nginx.pid; events {}\n"
               "http { access_log off; client_body_temp_path body; proxy_temp_path proxy;\n"
               "fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;\n"
               "gzip on; gzip_min_length 1; gzip_types application/json;\n"
               "server { listen unix:"
               + path.string()
               + "; default_type application/json;\n"
                 "location / { return 200 "
                 "'{\"method\":\"$request_method\",\"uri\":\"$request_uri\","
                 "\"authorization\":\"$http_authorization\",\"password\":\"c4nary-of-nginx\"}'; } "
                 "} }\n";
    }

    std::filesystem::path path;
    Process process;
};

} // namespace

TEST_CASE("curl is served and refused over TLS") {
    if (!has_program("curl")) return;
    Stage stage;
    auto const target = operation("updatePipeSettings").target;
    auto const passed =
        curl({"-u", user(administrator), "-X", "PUT", "-H", "Content-Type: application/json", "-d",
              R"({"db_max_threads":64})", "-w", "%{http_code}", url(stage.port(), target)});
    CAPTURE(passed.error);
    CHECK(passed.exit_code == 0);
    CHECK(passed.output == "{}200");
    CHECK(stage.upstream.request(0).body == R"({"db_max_threads":64})");
    auto const refused =
        curl({"-u", user(administrator), "-X", "PUT", "-H", "Content-Type: application/json", "-d",
              R"({"db_max_threads":65})", "-w", "%{http_code}", url(stage.port(), target)});
    CHECK(refused.exit_code == 0);
    CHECK(refused.output.substr(refused.output.size() - 3) == "400");
    CHECK(refused.output.find("/db_max_threads must be at most 64") != std::string::npos);
    auto const unauthenticated =
        curl({"-w", "%{http_code}", "-o", "/dev/null", url(stage.port(), target)});
    CHECK(unauthenticated.output == "401");
    stage.finish();
}

TEST_CASE("curl uploads a large body with 100-continue, and one in chunks") {
    if (!has_program("curl")) return;
    Stage stage;
    TemporaryFolder const folder;
    auto const body = R"({"fill":")" + std::string(600'000, 'x') + "\"}";
    auto const file = folder.write("body.json", body).string();
    for (auto const* field : {"Expect: 100-continue", "Transfer-Encoding: chunked"}) {
        CAPTURE(field);
        auto const index = stage.upstream.requests().size();
        auto const passed =
            curl({"-u", user(administrator), "-X", "PUT", "-H", "Content-Type: application/json",
                  "-H", field, "--data-binary", "@" + file, "-w", "%{http_code}",
                  url(stage.port(), operation("updatePipeSettings").target)});
        CAPTURE(passed.error);
        CHECK(passed.output == "{}200");
        CHECK(stage.upstream.request(index).body == body);
    }
    stage.finish();
}

TEST_CASE("curl sends several requests over one connection") {
    if (!has_program("curl")) return;
    Stage stage;
    std::vector<std::string> arguments{"-H", "Authorization: " + bearer(observer_token), "-w",
                                       "%{num_connects} "};
    for (int index = 0; index < 5; ++index)
        arguments.push_back(url(stage.port(), operation("listAlerts").target));
    CHECK(curl(arguments).output == "{}1 {}0 {}0 {}0 {}0 ");
    CHECK(stage.upstream.connections() == 1);
    stage.finish();
}

TEST_CASE("openssl s_client verifies TLS 1.3 and TLS 1.2, and resumes a session") {
    if (!has_program("openssl")) return;
    Stage stage;
    TemporaryFolder const folder;
    auto const session = (folder / "session").string();
    auto const connect = [&](std::vector<std::string> const& more) {
        std::vector<std::string> arguments{"openssl",
                                           "s_client",
                                           "-connect",
                                           "localhost:" + std::to_string(stage.port()),
                                           "-servername",
                                           "localhost",
                                           "-verify_return_error",
                                           "-verify_quiet",
                                           "-ign_eof",
                                           "-CAfile",
                                           certificates().authority.string()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run({arguments}, request_for("getPipe").add("Connection", "close").text());
    };
    for (auto const* version : {"-tls1_2", "-tls1_3"}) {
        CAPTURE(version);
        auto const first = connect({version, "-sess_out", session});
        CAPTURE(first.output, first.error);
        CHECK(first.exit_code == 0);
        CHECK(first.output.find("HTTP/1.1 200") != std::string::npos);
        CHECK(first.output.find("New, ") != std::string::npos);
        CHECK(first.output.find("Compression: NONE") != std::string::npos);
        auto const again = connect({version, "-sess_in", session});
        CHECK(again.output.find("Reused, ") != std::string::npos);
        CHECK(again.output.find("HTTP/1.1 200") != std::string::npos);
    }
    stage.gateway.wait_for_log([](Json const& line) { return line["tls"]["resumed"].boolean; });
    stage.finish();
}

TEST_CASE("nginx serves as an upstream, compressed or not, and its secret is in no log") {
    if (!has_program("nginx") || !has_program("curl")) return;
    TemporaryFolder const folder;
    Nginx const nginx{folder};
    auto configuration =
        standard_configuration("unix:" + nginx.path.string(), "unix:" + nginx.path.string());
    configuration.access_log =
        "  output: access.log\n  bodies: { requests: all, responses: all }\n";
    with_upstream("credential: pass")(configuration);
    Gateway gateway{configuration};
    for (auto const* compression : {"--compressed", "--no-compressed"}) {
        CAPTURE(compression);
        auto const finished = curl({compression, "-u", user(administrator),
                                    url(gateway.port(), operation("getPipe").target)});
        CAPTURE(finished.error);
        auto const seen = Json::parse(finished.output);
        CHECK(seen.text("method") == "GET");
        CHECK(seen.text("uri") == operation("getPipe").target);
        CHECK(seen.text("authorization") == basic(administrator));
    }
    for (auto const& line : gateway.wait_for_log_lines(2))
        CHECK(line["response_body"].text("password") == "[redacted]");
    CHECK(gateway.stop() == 0);
    CHECK(gateway.every_written_byte().find("c4nary") == std::string::npos);
}

} // namespace e12_real_tools
