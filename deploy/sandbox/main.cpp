// sallyport-sandbox: serves the ten operations of both APIs, for development, demonstrations and
// tests.
#include "deploy/sandbox/recorder.h"
#include "deploy/sandbox/sandbox.h"
#include "deploy/sandbox/server.h"
#include "deploy/sandbox/service.h"

#include <CLI/CLI.hpp>

#include <boost/asio/signal_set.hpp>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace asio = boost::asio;
namespace sandbox = sallyport::sandbox;

constexpr int exit_failure = 1;
constexpr int exit_usage = 2;

struct Options {
    std::string address = "127.0.0.1";
    std::uint16_t port = 0;
    std::vector<std::string> tls; // certificate, private key
    std::optional<std::string> data;
    std::optional<std::uint32_t> seed;
    std::string credentials;
    bool any_credentials = false;
    std::string record;
};

// The problem, or an empty text: the form that CLI11 requires.
std::string address_problem(std::string const& text) {
    boost::system::error_code error;
    (void)asio::ip::make_address(text, error);
    return error ? "`" + text + "` is not an IP address" : "";
}

void declare(CLI::App& app, Options& options) {
    app.add_option("--address", options.address, "IP address to listen on")
        ->check(CLI::Validator{address_problem, "IP"})
        ->capture_default_str();
    app.add_option("--port", options.port, "port; 0: one that is free")->capture_default_str();
    app.add_option("--tls", options.tls, "serve https with this certificate chain and key (PEM)")
        ->expected(2)
        ->type_name("CERTIFICATE KEY");
    app.add_option("--data", options.data,
                   "keep everything in this SQLite file; without it, in memory until the end")
        ->type_name("FILE");
    app.add_option("--seed", options.seed,
                   "draws the example data: the same number, the same data (default 1)")
        ->type_name("NUMBER");
    auto* const credentials =
        app.add_option("--credentials", options.credentials,
                       "take these credentials: `basic KEY_ID:SECRET` or `bearer TOKEN` a line")
            ->type_name("FILE");
    app.add_flag("--any-credentials", options.any_credentials,
                 "take requests with any credential, and without one")
        ->excludes(credentials);
    app.add_option("--record", options.record,
                   "append each request to this file, one JSON object a line; credentials included")
        ->type_name("FILE");
    app.footer("Prints `listening on ADDRESS:PORT` once it does; SIGINT and SIGTERM end it.\n"
               "It takes the key `sandbox-key:sandbox-secret-of-the-key` and the token "
               "`sandbox-token`.\n"
               "It checks no contract: that is what stands in front of it.\n\n"
               "Example:\n  sallyport-sandbox --port 8123\n"
               "  curl -H 'Authorization: Bearer sandbox-token' "
               "http://127.0.0.1:8123/api/v2/alerts");
}

sandbox::Credentials read_credentials(Options const& options) {
    if (options.any_credentials) return sandbox::Credentials{sandbox::Required::no};
    if (options.credentials.empty()) return sandbox::Credentials{};
    std::ifstream file{options.credentials};
    if (!file) throw std::runtime_error{options.credentials + " cannot be read"};
    std::string const text{std::istreambuf_iterator<char>{file}, {}};
    try {
        return sandbox::Credentials::read(text);
    } catch (std::runtime_error const& problem) {
        throw std::runtime_error{options.credentials + ": " + problem.what()};
    }
}

int run(Options const& options) {
    sandbox::Credentials const credentials = read_credentials(options);
    auto const database = sandbox::open_sandbox(options.data, options.seed);
    std::unique_ptr<sandbox::Recorder> recorder;
    if (!options.record.empty()) recorder = std::make_unique<sandbox::Recorder>(options.record);

    std::optional<sandbox::TlsFiles> tls;
    if (!options.tls.empty()) tls = sandbox::TlsFiles{options.tls.at(0), options.tls.at(1)};
    asio::ip::tcp::endpoint const address{asio::ip::make_address(options.address), options.port};
    sandbox::Server server{address, tls, {}, [&](sandbox::Request const& request) {
                               if (recorder) recorder->write(request);
                               return sandbox::respond(*database, credentials, request);
                           }};
    asio::signal_set signals{server.loop(), SIGINT, SIGTERM};
    signals.async_wait([&server](boost::system::error_code, int) { server.stop(); });
    std::cout << "listening on " << server.local_endpoint() << std::endl; // flushed: other programs
                                                                          // wait for it
    server.run();
    return EXIT_SUCCESS;
}

int run_command(int argc, char** argv) {
    Options options;
    CLI::App app{"The embedded upstream of Sallyport: both APIs, with made-up data.",
                 "sallyport-sandbox"};
    declare(app, options);
    try {
        app.parse(argc, argv);
    } catch (CLI::ParseError const& error) {
        return app.exit(error) == 0 ? EXIT_SUCCESS : exit_usage;
    }
    // A closed reader of our output must not end the process.
    (void)std::signal(SIGPIPE, SIG_IGN);
    return run(options);
}

} // namespace

int main(int argc, char** argv) {
    try {
        return run_command(argc, argv);
    } catch (std::exception const& failure) {
        std::cerr << "sallyport-sandbox: " << failure.what() << '\n';
        return exit_failure;
    }
}
