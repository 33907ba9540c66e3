// A page of another origin in Chromium, headless, before the example of a platform: what a browser
// makes of CORS.
#include "tests/end_to_end/platform.h"
#include "tests/support/certificates.h"
#include "tests/support/machine.h"
#include "tests/support/temporary_folder.h"

#include <catch2/catch.hpp>

#include <csignal>

namespace e39_browser {

using namespace sallyport::test;

namespace {

// Calls the API one after the other, and posts a line for each to its own server.
std::string page() {
    return R"(<!doctype html><title>Shop</title><script>
const lines = [];
async function call(name, path, options) {
  try {
    const response = await fetch('https://api.example.com' + path, options);
    const body = await response.text();
    const reason = response.status < 400 ? '' : ' ' + JSON.parse(body).reason;
    const id = response.headers.has('X-Request-Id') ? ' with its id' : '';
    lines.push(name + ': ' + response.status + reason + id);
  } catch (error) {
    lines.push(name + ': ' + error.name);
  }
}
const token = { Authorization: 'Bearer )"
           + std::string{shop_token} + R"(' };
const json = { ...token, 'Content-Type': 'application/json' };
const order = (count) => JSON.stringify({ items: [{ sku: 'LMP-000042', count }] });
(async () => {
  await call('login', '/v1/login',
             { method: 'POST', body: new URLSearchParams({ user: 'ada', password: 'p' }) });
  await call('order', '/v1/orders', { method: 'POST', headers: json, body: order(2) });
  await call('bad order', '/v1/orders', { method: 'POST', headers: json, body: order(0) });
  await call('no token', '/v1/orders/7', {});
  await call('products', '/v1/products?q=lamp&limit=51', { headers: token });
  await call('unknown method', '/v1/orders', { method: 'DELETE', headers: token });
  await call('unknown header', '/v1/orders/7', { headers: { ...token, 'X-Other': '1' } });
  await call('media', '/v1/media/1.jpg', {});
  await fetch('/report', { method: 'POST', body: lines.join('\n') });
})();
</script>)";
}

// The server of the page: what the page has reported.
struct Shop {
    std::string report;
    Event reported;
    RecordingUpstream server{[this](UpstreamExchange& exchange) {
                                 auto const& request = exchange.request;
                                 if (request.target == "/report") {
                                     report = request.body;
                                     exchange.send(response_text("{}"));
                                     return reported.set();
                                 }
                                 exchange.send(response_text(page(), 200, {}, "text/html"));
                             },
                             {.certificate = certificates().server}};
};

std::string mapped(std::string_view host, std::uint16_t port) {
    return "MAP " + std::string{host} + ":443 127.0.0.1:" + std::to_string(port) + ",";
}

} // namespace

TEST_CASE("a page in Chromium reads what it may, and nothing else") {
    if (!has_program("chromium")) return;
    Platform platform;
    Shop shop;
    TemporaryFolder const folder;
    // Nothing but the two servers can be reached.
    auto const rules = mapped("shop.example.com", shop.server.port())
                       + mapped("api.example.com", platform.gateway.port()) + "MAP * ~NOTFOUND";
    Process chromium{
        {{"chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
          "--disable-background-networking", "--disable-component-update",
          "--disable-dev-shm-usage", "--ignore-certificate-errors",
          "--user-data-dir=" + (folder / "profile").string(), "--host-resolver-rules=" + rules,
          "https://shop.example.com/"}},
        {.error = folder / "errors"}};
    auto const waited = shop.reported.wait(-1, TimeLimit{std::chrono::minutes{3}});
    CAPTURE(read_file(folder / "errors"));
    chromium.signal(SIGTERM); // which ends its own processes too
    CHECK(chromium.wait());
    REQUIRE(waited == Waited::happened);
    CHECK(shop.report
          == "login: 200 with its id\n"
             "order: 201 with its id\n"
             "bad order: 400 contract_violation with its id\n"
             "no token: 401 unauthenticated with its id\n"
             "products: 400 bad_parameter with its id\n"
             "unknown method: TypeError\n"
             "unknown header: TypeError\n"
             "media: TypeError");
    // Neither preflights nor what they did not permit reached a service.
    for (auto const* service :
         {&platform.accounts, &platform.orders, &platform.catalogue, &platform.media}) {
        for (auto const& request : service->requests())
            CHECK(request.method == "POST");
    }
    CHECK(platform.accounts.requests().size() == 1);
    CHECK(platform.orders.requests().size() == 1);
    CHECK(platform.gateway.stop() == 0);
}

} // namespace e39_browser
