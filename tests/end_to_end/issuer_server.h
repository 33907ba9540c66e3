// An issuer of tokens over TLS, which sends what a test says.
#pragma once

#include "tests/support/recording_upstream.h"
#include "tests/support/token_signer.h"

#include <initializer_list>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace sallyport::test {

/// A server that sends a text of the test for each path.
class IssuerServer {
public:
    explicit IssuerServer(Certificate const& certificate = certificates().server)
        : server{[this](UpstreamExchange& exchange) { respond(exchange); },
                 {.certificate = certificate}} {}

    void set(std::string const& path, std::string response) {
        std::lock_guard const lock{mutex_};
        responses_[path] = std::move(response);
    }
    void set_keys(std::initializer_list<std::string> jwks, Fields const& fields = {}) {
        set("/keys", response_text(key_set(jwks), 200, fields));
    }
    [[nodiscard]] std::string url(std::string const& path) const {
        return "https://localhost:" + std::to_string(server.port()) + path;
    }
    /// Until now, of that path.
    [[nodiscard]] std::size_t fetches(std::string_view path = "/keys") const {
        std::size_t count = 0;
        for (auto const& request : server.requests())
            count += request.target == path ? 1U : 0U;
        return count;
    }

private:
    void respond(UpstreamExchange& exchange) {
        std::string text;
        {
            std::lock_guard const lock{mutex_};
            text = responses_[exchange.request.target];
        }
        exchange.send(text.empty() ? response_text("{}", 404) : text);
    }

    std::mutex mutex_;
    std::map<std::string, std::string> responses_;

public:
    RecordingUpstream server; // last: its threads use the rest
};

} // namespace sallyport::test
