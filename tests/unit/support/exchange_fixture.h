// An exchange whose client is a stream in memory, behind the HTTP/1.1 of the gateway.
#pragma once

#include "gateway/http/http1.h"
#include "gateway/pipeline/pipeline.h"
#include "tests/unit/net/harness.h"
#include "tests/unit/support/memory_stream.h"
#include "tests/unit/support/plugin_doubles.h"

#include <optional>
#include <string>
#include <string_view>

namespace sallyport::pipeline::test {

using net::test::MemoryStream;

/// For an API without a contract, unless the test sets one; no credentials are required.
struct ExchangeFixture {
    net::Loop loop;
    net::Budget budget{1 << 20};
    Services services{loop, budget, {}};
    ClientConnection client;
    http::ConnectionLimits limits;
    MemoryStream stream{loop}; // the client's
    http::Http1 transport{stream, loop, limits};
    Api api;
    std::optional<Pipeline> pipeline;
    Exchange exchange{client, transport, services};

    explicit ExchangeFixture(std::string_view contract = {}) {
        client.address = "192.0.2.1";
        client.is_tls = true;
        api.methods = {"GET", "HEAD", "PUT", "POST", "OPTIONS"};
        api.authenticate = {"let_through"};
        api.body_limit = 1000;
        if (!contract.empty()) {
            auto loaded = contract::Contract::load_text(contract, "test.yaml");
            REQUIRE(loaded.contract);
            api.contract = loaded.contract;
        }
        pipeline.emplace(api, let_through);
        exchange.decision.api = &api;
        exchange.request.id = services.request_ids.next();
    }
    ~ExchangeFixture() { loop.end(); }

    /// `more`: the part of the body that arrives with the head; the test sends the rest.
    void begin(std::string_view line, std::string_view fields = {}, std::string_view more = {}) {
        stream.receive(std::string{line} + " HTTP/1.1\r\nHost: api.example\r\n"
                       + std::string{fields} + "\r\n" + std::string{more});
        REQUIRE_FALSE(net::test::run(loop, transport.wait_for_request(net::Clock::now())));
        REQUIRE(net::test::run(loop, transport.read_head(exchange.request.head))
                == http::HeadRead::complete);
    }
    bool is_client_reset() const { return stream.ending() == MemoryStream::Ending::aborted; }
};

} // namespace sallyport::pipeline::test
