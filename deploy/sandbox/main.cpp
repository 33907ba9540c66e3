// sallyport-sandbox: answers the ten operations of both APIs, for development, demonstrations and
// tests.
#include "deploy/sandbox/recorder.h"
#include "deploy/sandbox/seed.h"
#include "deploy/sandbox/server.h"
#include "deploy/sandbox/service.h"

#include <CLI/CLI.hpp>

#include <boost/asio/signal_set.hpp>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

namespace asio = boost::asio;
namespace sandbox = sallyport::sandbox;

constexpr int exit_failure = 1;
constexpr int exit_usage = 2;
constexpr std::size_t store_capacity = std::size_t{64} * 1024 * 1024;

struct Options {
    std::string address = "127.0.0.1";
    std::uint16_t port = 0;
    std::vector<std::string> tls; // certificate, private key
    std::string record;
};

// What is wrong with it, or nothing: the shape that CLI11 asks for.
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
    app.add_option(
        "--record", options.record,
        "append each request to this file, one JSON object a line; credentials included");
    app.footer("Prints `listening on ADDRESS:PORT` once it does; SIGINT and SIGTERM end it.\n"
               "It checks no credentials and no contract: that is what stands in front of it.\n\n"
               "Example:\n  sallyport-sandbox --port 8123\n"
               "  curl http://127.0.0.1:8123/api/v2/alerts");
}

int run(Options const& options) {
    sandbox::Store store{store_capacity};
    sandbox::seed::plant(store);
    std::unique_ptr<sandbox::Recorder> recorder;
    if (!options.record.empty()) recorder = std::make_unique<sandbox::Recorder>(options.record);

    std::optional<sandbox::TlsFiles> tls;
    if (!options.tls.empty()) tls = sandbox::TlsFiles{options.tls.at(0), options.tls.at(1)};
    asio::ip::tcp::endpoint const address{asio::ip::make_address(options.address), options.port};
    sandbox::Server server{address, tls, {}, [&](sandbox::Request const& request) {
                               if (recorder) recorder->write(request);
                               return sandbox::answer(store, request);
                           }};
    asio::signal_set signals{server.loop(), SIGINT, SIGTERM};
    signals.async_wait([&server](boost::system::error_code, int) { server.stop(); });
    std::cout << "listening on " << server.local_endpoint() << std::endl; // flushed: somebody waits
    server.run();
    return EXIT_SUCCESS;
}

} // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app{"The embedded upstream of Sallyport: both APIs, with made-up data.",
                 "sallyport-sandbox"};
    declare(app, options);
    try {
        app.parse(argc, argv);
    } catch (CLI::ParseError const& error) {
        return app.exit(error) == 0 ? EXIT_SUCCESS : exit_usage;
    }
    // A reader of our output that goes away is not our end.
    (void)std::signal(SIGPIPE, SIG_IGN);
    try {
        return run(options);
    } catch (std::exception const& failure) {
        std::cerr << "sallyport-sandbox: " << failure.what() << '\n';
        return exit_failure;
    }
}
