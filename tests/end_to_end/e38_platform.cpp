// The example of a platform: four services behind one gateway, three of them below /v1/.
#include "tests/end_to_end/platform.h"
#include "tests/support/operations.h"
#include "tests/support/raw_client.h"

#include <catch2/catch.hpp>

namespace e38_platform {

using namespace sallyport::test;

namespace {

constexpr std::string_view origin = "https://shop.example.com";

class Calls {
public:
    explicit Calls(Platform const& platform) : port_{platform.gateway.port()} {}

    [[nodiscard]] int with_token(Outgoing outgoing) const {
        return status(std::move(outgoing.authorization(bearer(shop_token))));
    }
    [[nodiscard]] int status(Outgoing const& outgoing) const {
        return fetch(port_, outgoing.text()).status;
    }
    [[nodiscard]] Response response(Outgoing const& outgoing) const {
        return fetch(port_, outgoing.text());
    }

private:
    std::uint16_t port_;
};

Outgoing get(std::string_view target) {
    return Outgoing{"GET", target};
}

Outgoing order(std::string_view count) {
    return Outgoing{"POST", "/v1/orders"}.body(
        "{\"items\":[{\"sku\":\"LMP-000042\",\"count\":" + std::string{count} + "}]}");
}

} // namespace

TEST_CASE("each service of the platform gets what is its own") {
    Platform platform;
    Calls const calls{platform};
    CHECK(calls.with_token(get("/v1/accounts/7d444840-9dc0-11d1-b245-5ffdce74fad2")) == 200);
    CHECK(calls.with_token(order("2")) == 201);
    CHECK(calls.with_token(Outgoing{"POST", "/v1/orders/7:cancel"}) == 201);
    CHECK(calls.with_token(get("/v1/products?q=lamp&limit=50")) == 200);
    REQUIRE(platform.orders.requests().size() == 2);
    auto const placed = platform.orders.requests()[0];
    CHECK(placed.target == "/orders");
    CHECK(placed.fields.one("X-Caller-Name") == "web-shop");
    CHECK(platform.orders.requests()[1].target == "/orders/7:cancel");
    CHECK(platform.accounts.requests().size() == 1);
    CHECK(platform.catalogue.requests().size() == 1);
    CHECK(platform.gateway.stop() == 0);
}

TEST_CASE("what a team of the platform does not allow reaches no service") {
    Platform platform;
    Calls const calls{platform};
    CHECK(calls.with_token(order("0")) == 400);
    CHECK(calls.with_token(get("/v1/orders/0")) == 400);
    // The overlay: fifty at most, and no reindex.
    CHECK(calls.with_token(get("/v1/products?q=lamp&limit=51")) == 400);
    CHECK(calls.with_token(Outgoing{"POST", "/v1/products/reindex"}) == 403);
    // The shop's token is not for photos.
    CHECK(calls.with_token(get("/v1/media/1.jpg")) == 403);
    CHECK(calls.status(order("2")) == 401);
    for (auto const* service :
         {&platform.accounts, &platform.orders, &platform.catalogue, &platform.media})
        CHECK(service->requests().empty());
    CHECK(platform.gateway.stop() == 0);
}

TEST_CASE("the platform's login needs no credentials, and nothing else of its API is open") {
    Platform platform;
    Calls const calls{platform};
    auto const form = [](std::string_view body) {
        return Outgoing{"POST", "/v1/login"}.body(body, "application/x-www-form-urlencoded");
    };
    CHECK(calls.status(form("user=ada&password=c4nary")) == 200);
    CHECK(calls.status(form("user=ada")) == 400);
    CHECK(calls.status(get("/v1/login")) == 401);
    CHECK(calls.status(get("/v1/accounts/7d444840-9dc0-11d1-b245-5ffdce74fad2")) == 401);
    CHECK(platform.accounts.requests().size() == 1);
    CHECK(platform.gateway.every_written_byte().find("c4nary") == std::string::npos);
    CHECK(platform.gateway.stop() == 0);
}

TEST_CASE("pages of the shop alone may read what the platform's APIs respond") {
    Platform platform;
    Calls const calls{platform};
    auto const preflight = [&](std::string_view target, std::string_view from) {
        return calls.response(Outgoing{"OPTIONS", target}
                                  .add("Origin", from)
                                  .add("Access-Control-Request-Method", "POST")
                                  .add("Access-Control-Request-Headers", "authorization"));
    };
    auto const permitted = preflight("/v1/orders", origin);
    CHECK(permitted.status == 204);
    CHECK(permitted.fields.one("Access-Control-Allow-Origin") == origin);
    CHECK(preflight("/v1/orders", "https://shop.example.com.attacker.example").status == 403);
    auto const refused = calls.response(order("0").add("Origin", origin));
    CHECK(refused.status == 401);
    CHECK(refused.fields.one("Access-Control-Allow-Origin") == origin);
    CHECK(platform.orders.requests().empty());
    CHECK(platform.gateway.stop() == 0);
}

} // namespace e38_platform
