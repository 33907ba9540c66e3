// Examples of configurations, started and called: each as it stands in config/examples, at other
// addresses, with the certificates and a secret of the tests.
#include "tests/support/certificates.h"
#include "tests/support/encodings.h"
#include "tests/support/gateway.h"
#include "tests/support/machine.h"
#include "tests/support/operations.h"
#include "tests/support/raw_client.h"
#include "tests/support/recording_upstream.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <regex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace e68_examples {

using namespace sallyport::test;

namespace {

constexpr Key me{"me", "My.secret.0123456789abcdefghij"};

std::string example(std::string_view name) {
    return read_file(sources() / "config/examples" / name);
}

// A file of credentials with the secret of the tests in place of the first.
std::string with_secret(std::string const& credentials) {
    static std::regex const hash{"sha256:[0-9a-f]{64}"};
    return std::regex_replace(credentials, hash, "sha256:" + sha256_hex(me.secret));
}

std::string replaced(std::string text, std::string_view old, std::string const& by) {
    for (auto at = text.find(old); at != std::string::npos; at = text.find(old, at + by.size()))
        text.replace(at, old.size(), by);
    return text;
}

// What stands below a key of the first level.
std::string section(std::string const& text, std::string const& key) {
    auto const begin = text.find("\n" + key + ":");
    if (begin == std::string::npos) return {};
    auto const line = text.find('\n', begin + 1);
    auto end = line + 1;
    while (end < text.size() && (text[end] == ' ' || text[end] == '\n'))
        end = std::min(text.find('\n', end), text.size() - 1) + 1;
    return text.substr(line + 1, end - line - 1);
}

class Example {
public:
    Example(std::string_view name, std::string_view credentials,
            std::vector<std::string> const& files = {})
        : gateway{configuration(name), options(credentials, files)} {}

    RecordingUpstream upstream;
    Gateway gateway;

private:
    Configuration configuration(std::string_view name) const {
        auto text = "\n" + example(name);
        auto const& server = certificates().server;
        for (auto const& [old, by] : std::vector<std::pair<std::string_view, std::string>>{
                 {"0.0.0.0:8443", "127.0.0.1:0"},
                 {"0.0.0.0:8080", "127.0.0.1:0"},
                 {"127.0.0.1:9901", "127.0.0.1:0"},
                 {"10.0.0.0/8", "127.0.0.0/8"},
                 {"http://127.0.0.1:9000", upstream.endpoint()},
                 {"tls/server.pem", server.certificate.string()},
                 {"tls/server.key", server.private_key.string()},
                 {"../contracts", contracts_folder()}})
            text = replaced(std::move(text), old, by);
        Configuration out;
        out.listeners = section(text, "listeners");
        out.upstreams = section(text, "upstreams");
        out.apis = section(text, "apis");
        out.limits = section(text, "limits");
        if (text.find("\nadmin:") != std::string::npos) out.rest = "admin: { address: 127.0.0.1:0 }\n";
        return out;
    }
    static Gateway::Options options(std::string_view credentials,
                                    std::vector<std::string> const& files) {
        Gateway::Options out;
        out.credentials = with_secret(example(credentials));
        for (auto const& file : files)
            out.files[file] = example(file);
        return out;
    }
};

bool holds(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

std::string pipe_path() {
    return "/v1/organizations/" + std::string{organization_id} + "/services/"
           + std::string{service_id} + "/datapipes/" + std::string{pipe_id};
}

std::string upload(std::size_t size, std::string_view type = "application/pdf") {
    std::string body = "--b\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nA report\r\n"
                       "--b\r\nContent-Disposition: form-data; name=\"files\"; "
                       "filename=\"a.pdf\"\r\nContent-Type: ";
    return body.append(type).append("\r\n\r\n").append(size, '%').append("\r\n--b--\r\n");
}

Outgoing upload_request(std::string_view body) {
    return Outgoing{"POST", "/v1/uploads"}
        .authorization(basic(me))
        .body(body, "multipart/form-data; boundary=b");
}

} // namespace

TEST_CASE("the example of uploads takes files of 50 MiB, several at once, and refuses other ones") {
    Example own{"uploads.yaml", "minimal-credentials.yaml", {"uploads.openapi.yaml"}};
    constexpr std::size_t largest = std::size_t{50} * 1024 * 1024;
    auto const body = upload(largest);
    std::vector<int> statuses(3);
    std::vector<std::thread> clients;
    for (auto& status : statuses)
        clients.emplace_back([&, port = own.gateway.port()] {
            status = fetch(port, upload_request(body).text()).status;
        });
    for (auto& client : clients)
        client.join();
    CHECK(statuses == std::vector<int>{200, 200, 200});
    auto const received = own.upstream.requests();
    REQUIRE(received.size() == 3);
    for (auto const& request : received)
        CHECK(request.body == body);
    auto const refused = [&](std::string_view sent) {
        return fetch(own.gateway.port(), upload_request(sent).text()).body;
    };
    CHECK(holds(refused(upload(largest + 1)), "/files/0 must have at most 52428800 bytes"));
    CHECK(holds(refused(upload(1, "text/html")), "/files/0 must have the media type image/png"));
    CHECK(own.upstream.requests().size() == 3);
}

TEST_CASE("the example behind balancers knows clients by X-Forwarded-For and by the PROXY protocol") {
    Example own{"behind-balancers.yaml", "minimal-credentials.yaml"};
    auto const request = [](std::string_view client) {
        return Outgoing{"GET", pipe_path()}
            .authorization(basic(me))
            .add("X-Forwarded-For", client)
            .add("X-Forwarded-Proto", "https");
    };
    auto const response = fetch(own.gateway.port("http-balancer"),
                                request("192.0.2.7").text(), without_tls());
    CHECK(response.status == 200);
    auto const line = own.gateway.wait_for_log_of(response.fields.one("X-Request-Id"));
    CHECK(line.text("client") == "192.0.2.7");
    CHECK(line.text("peer") == "127.0.0.1");
    CHECK(own.upstream.request(0).fields.one("X-Forwarded-Proto") == "https");
    if (!has_program("curl")) return;
    auto const curl = [&](std::vector<std::string> more) {
        std::vector<std::string> all{"curl", "--silent", "--cacert",
                                     certificates().authority.string(), "--max-time", "25", "-u",
                                     std::string{me.id} + ":" + std::string{me.secret}, "-w",
                                     "%{http_code}", "-o", "/dev/null",
                                     "https://localhost:"
                                         + std::to_string(own.gateway.port("tcp-balancer"))
                                         + pipe_path()};
        all.insert(all.end(), more.begin(), more.end());
        return run({all}).output;
    };
    CHECK(curl({"--haproxy-protocol"}) == "200");
    CHECK(curl({}) == "000");
    CHECK(own.upstream.requests().size() == 2);
}

} // namespace e68_examples
