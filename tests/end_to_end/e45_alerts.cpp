// The alerts of handshakes that fail: they reach clients that have sent their request already.
#include "tests/end_to_end/stage.h"
#include "tests/support/authority.h"

#include <catch2/catch.hpp>

#include <string>

namespace e45_alerts {

using namespace sallyport::test;

TEST_CASE("a client without the required certificate gets the alert, and no reset in its place") {
    IssuingAuthority const authority{"Clients"};
    Stage stage{{},
                [](Configuration& configuration) {
                    configuration.listeners = tls_listener(
                        {certificates().server},
                        "      client_certificates: { verify: required, ca: ca.pem, ocsp: off }\n");
                },
                {.files = {{"ca.pem", authority.certificate()}}}};
    // In TLS 1.3 its part of the handshake is over when it sends the request, in several records.
    auto const request = Outgoing{"PUT", "/v1/a"}.body(std::string(3'000, 'x')).text();
    for (int i = 0; i < 30; ++i) {
        RawClient client{stage.port()};
        CHECK(client.try_send(request.substr(0, 100)) == End::data);
        static_cast<void>(client.try_send(request.substr(100)));
        CHECK(client.read_to_end() == End::failed);
        CHECK(client.unread().empty());
    }
    stage.finish();
}

} // namespace e45_alerts
