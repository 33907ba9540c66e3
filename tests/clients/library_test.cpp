// The corpus, sent by common programs and libraries.
#include "tests/clients/arrival.h"
#include "tests/clients/curl.h"
#include "tests/clients/drivers.h"
#include "tests/clients/library.h"
#include "tests/clients/mirror.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>

namespace library_test {

using namespace sallyport::test;

namespace {

// The address of the gateway, and how many connections a client needs there that uses each until a
// response, a HEAD or a GET with a body ends it: undici closes after those.
struct Driven {
    std::uint16_t port = 0;
    std::size_t connections = 0;
};

struct Client {
    std::function<ClientResponse(Order const&, std::uint16_t)> ask;
    // Closes its connections: a gateway that ends waits a while for open ones.
    std::function<void()> leave;
};

// Whether the machine lacks something. If SALLYPORT_CLIENTS_REQUIRED is set, as by tests/run, that
// is a failure: ctest recognises a skipped test by the text.
bool is_missing(bool missing, std::string const& what) {
    if (!missing) return false;
    if (std::getenv("SALLYPORT_CLIENTS_REQUIRED") != nullptr) FAIL("this machine has no " << what);
    std::cout << "skipped: this machine has no " << what << "\n";
    return true;
}

std::string setting(char const* name) {
    auto const* value = std::getenv(name);
    return value != nullptr ? value : "";
}

// What the library really sent of these cases, for this host.
std::vector<Request> said_to(Mirror& mirror, std::vector<Case> const& cases,
                             std::string const& host) {
    auto sent = mirror.take(cases.size());
    for (std::size_t index = 0; index < cases.size(); ++index) {
        check_said(cases[index], sent[index], mirror.port());
        for (auto& field : sent[index].fields)
            if (field.value == host_of(mirror.port())) field.value = host;
    }
    return sent;
}

// Each case twice: to the mirror, which records what the library sends, then to the gateway. The
// requests that arrive there are compared with what the library really sent.
Driven drive(std::string_view name, Client const& client,
             ClientVersion version = ClientVersion::http_1_1) {
    ClientStage stage{version};
    Mirror mirror;
    Judge judge{stage};
    auto const driver = driver_row(name);
    auto const host = host_of(stage.port());
    std::size_t driven = 0;
    std::size_t connections = 0;
    bool is_closed = true;
    for (auto const& one : cases_for(driver, host)) {
        INFO(one.label());
        auto const order = order_of(one, host);
        client.ask(order, mirror.port());
        auto sent = said_to(mirror, {one}, host).front();
        if (version == ClientVersion::http_2) sent = over_http2(std::move(sent));
        auto const response = client.ask(order, stage.port());
        judge.judge(one, sent, response);
        if (is_closed) ++connections;
        is_closed = response.fields.find("Connection") == "close" || order.method == "HEAD"
                    || (order.method == "GET" && !order.body.empty());
        ++driven;
    }
    client.leave();
    CHECK(mirror.protocol_errors() == std::vector<std::string>{});
    judge.finish();
    std::cout << name << ": " << driven << " cases driven\n";
    CHECK(driven == driver.drives);
    return {stage.port(), connections};
}

// Each case over HTTP/2 by a client that speaks nothing else, which the mirror does not. It adds no
// field to those that it gets.
void drive_without_mirror(std::string_view name,
                          std::function<ClientResponse(Case const&, std::uint16_t)> const& ask,
                          std::function<void()> const& leave) {
    ClientStage stage{ClientVersion::http_2};
    Judge judge{stage};
    auto const driver = driver_row(name);
    std::size_t driven = 0;
    for (auto const& one : cases_for(driver, host_of(stage.port()))) {
        INFO(one.label());
        judge.judge(one, over_http2(one.request().value()), ask(one, stage.port()));
        ++driven;
    }
    leave();
    judge.finish();
    std::cout << name << ": " << driven << " cases driven\n";
    CHECK(driven == driver.drives);
}

// Also the library's own output at its end.
std::pair<Driven, std::string> drive_library(std::string_view name,
                                             std::vector<std::string> const& command,
                                             ClientVersion version = ClientVersion::http_1_1) {
    Library library{command};
    std::string words;
    auto const ask = [&](Order const& order, std::uint16_t port) {
        library.ask(order, port);
        return library.response();
    };
    auto const driven = drive(name, {ask, [&] { words = library.finish(); }}, version);
    return {driven, words};
}

void drive_curl(std::string_view name, ClientVersion version) {
    auto const ask = [version](Order const& order, std::uint16_t port) {
        return ask_curl(order, port, version);
    };
    drive(name, {ask, [] {}}, version);
}

bool has_curl_http2() {
    if (find_program("curl").empty()) return false;
    return run({{"curl", "--version"}}).output.find("HTTP2") != std::string::npos;
}

// Debian's own first: the libraries are its packages, another python may lack them.
std::string find_python(std::string const& modules) {
    for (auto const& python : {std::string{"/usr/bin/python3"}, find_program("python3").string()}) {
        if (python.empty() || !std::filesystem::exists(python)) continue;
        if (run({{python, "-c", "import " + modules}}).exit_code == 0) return python;
    }
    return {};
}

void drive_python(std::string const& library, std::string const& modules,
                  ClientVersion version = ClientVersion::http_1_1) {
    auto const python = find_python(modules);
    if (is_missing(python.empty(), "python3 with " + modules)) return;
    drive_library(library, {python, (clients_folder() / "drive.py").string(), library}, version);
}

// The first number of Node's version; 0 if Node does not run.
int node_version() {
    if (find_program("node").empty()) return 0;
    auto const asked = run({{"node", "--print", "parseInt(process.versions.node)"}});
    return asked.exit_code == 0 ? std::stoi(asked.output) : 0;
}

std::vector<std::string> node_command(std::string const& mode) {
    return {find_program("node").string(), (clients_folder() / "node/drive.mjs").string(), mode,
            setting("SALLYPORT_CLIENTS_MODULES")};
}

bool is_node_missing() {
    return is_missing(node_version() < 18, "node, 18 or newer");
}

bool is_undici_missing() {
    auto const module = setting("SALLYPORT_CLIENTS_MODULES") + "/node_modules/undici";
    return is_missing(!std::filesystem::exists(module), "undici");
}

// The connections of an undici client to a port.
std::size_t connections_in(std::string const& words, std::uint16_t port) {
    auto const said = Json::parse(words);
    for (auto const& row : said["connections"].items)
        if (row[0].string == "https://" + host_of(port))
            return static_cast<std::size_t>(row[1].number);
    throw std::runtime_error("no connections to " + host_of(port) + " in " + words);
}

} // namespace

TEST_CASE("the corpus by curl", "[curl]") {
    if (is_missing(find_program("curl").empty(), "curl")) return;
    drive_curl("curl", ClientVersion::http_1_1);
}

TEST_CASE("the corpus by curl over HTTP/2", "[curl-http2]") {
    if (is_missing(!has_curl_http2(), "curl with HTTP/2")) return;
    drive_curl("curl-http2", ClientVersion::http_2);
}

TEST_CASE("the corpus by Node over HTTP/2", "[node-http2]") {
    if (is_node_missing()) return;
    Library library{node_command("http2")};
    auto const ask = [&](Case const& one, std::uint16_t port) {
        library.ask(order_of(one, host_of(port)), port);
        return library.response();
    };
    drive_without_mirror("node-http2", ask, [&] { library.finish(); });
}

TEST_CASE("the corpus by Python's httpx over HTTP/2", "[httpx-http2]") {
    drive_python("httpx-http2", "httpx, h2", ClientVersion::http_2);
}

TEST_CASE("the corpus by Python's requests", "[requests]") {
    drive_python("requests", "requests");
}

TEST_CASE("the corpus by Python's httpx", "[httpx]") {
    drive_python("httpx", "httpx");
}

TEST_CASE("the corpus by Python's aiohttp", "[aiohttp]") {
    drive_python("aiohttp", "aiohttp");
}

TEST_CASE("the corpus by Node's fetch", "[fetch]") {
    if (is_node_missing()) return;
    drive_library("fetch", node_command("fetch"));
}

TEST_CASE("the corpus by undici, over kept connections", "[undici]") {
    if (is_node_missing() || is_undici_missing()) return;
    auto const [driven, words] = drive_library("undici", node_command("undici"));
    CHECK(connections_in(words, driven.port) == driven.connections);
}

TEST_CASE("the cases that pass by undici, eight at a time on one connection",
          "[undici-pipelining]") {
    if (is_node_missing() || is_undici_missing()) return;
    ClientStage stage;
    Judge judge{stage};
    auto const driver = driver_row("undici-pipelining");
    auto const host = host_of(stage.port());
    Library library{node_command("undici-pipelining")};
    std::vector<Case> cases;
    for (auto& one : cases_for(driver, host))
        if (one.expected.passes()) cases.push_back(std::move(one));
    auto const ask_all = [&](std::uint16_t port) {
        std::vector<ClientResponse> responses;
        for (auto const& one : cases)
            library.ask(order_of(one, host), port);
        while (responses.size() < cases.size())
            responses.push_back(library.response());
        return responses;
    };
    Mirror mirror;
    ask_all(mirror.port());
    auto const sent = said_to(mirror, cases, host);
    judge.judge_group(cases, sent, ask_all(stage.port()));
    // undici closes after a HEAD.
    auto const heads = std::count_if(cases.begin(), cases.end(), [&host](Case const& one) {
        return order_of(one, host).method == "HEAD";
    });
    CHECK(connections_in(library.finish(), stage.port()) == 1 + static_cast<std::size_t>(heads));
    judge.finish();
    std::cout << "undici-pipelining: " << cases.size() << " cases driven\n";
    CHECK(cases.size() == driver.drives);
}

} // namespace library_test
