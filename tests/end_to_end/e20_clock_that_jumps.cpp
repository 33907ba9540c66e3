// The wall clock is set while the gateway runs: by libfaketime, for this process alone.
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"
#include "tests/support/encodings.h"
#include "tests/support/machine.h"

#include <catch2/catch.hpp>

#include <ctime>

namespace e20_clock_that_jumps {

using namespace sallyport::test;

namespace {

constexpr Key guest{"key-guest", "Guest.secret.0123456789abcdefgh"};

std::string in_days(int days) {
    std::time_t const time = std::time(nullptr) + days * std::time_t{86'400};
    std::tm parts{};
    ::gmtime_r(&time, &parts);
    std::string text(32, '\0');
    text.resize(std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts));
    return text;
}

Gateway::Options with_guest() {
    // The monotonic clocks do not change, as with settimeofday(2).
    auto options = with_clock_to_set();
    options.environment.insert(
        {{"FAKETIME_DONT_FAKE_MONOTONIC", "1"}, {"DONT_FAKE_MONOTONIC", "1"}});
    options.credentials = standard_credentials()
                          + "  - name: guest\n    basic: { key_id: key-guest, secrets: [\"sha256:"
                          + sha256_hex(guest.secret)
                          + "\"] }\n    allow: all\n    expires: " + in_days(5) + "\n";
    return options;
}

void wait_for_jump(Stage const& stage, std::string const& by) {
    stage.gateway.wait_for_error_output([&](std::string const& output) {
        return output.find("clock_jumped by_ms=" + by) != std::string::npos;
    });
}

int status_for(Stage const& stage, Key const& key) {
    return stage.send(request_for("getPipe").authorization(basic(key))).status;
}

} // namespace

TEST_CASE("a clock that is set is noticed, and affects expiry and nothing else") {
    if (!has_clock_to_set()) return;
    Stage stage{{},
                [](Configuration& configuration) { configuration.rest += admin_section; },
                with_guest()};
    RawClient kept{stage.port()};
    CHECK(kept.exchange(request_for("getPipe").text()).status == 200);
    CHECK(status_for(stage, guest) == 200);

    stage.gateway.replace("clock", "+10d\n");
    wait_for_jump(stage, "86"); // 864000 seconds, a few milliseconds more or less
    CHECK(status_for(stage, guest) == 401);
    CHECK(status_for(stage, administrator) == 200);
    // An open connection is still served: deadlines do not use the wall clock.
    CHECK(kept.exchange(request_for("getPipe").text()).status == 200);

    stage.gateway.replace("clock", "+0d\n");
    wait_for_jump(stage, "-86");
    CHECK(status_for(stage, guest) == 200);
    CHECK(metrics_of(stage.gateway)["sallyport_clock_jumps_total"] == 2);
    stage.finish();
}

} // namespace e20_clock_that_jumps
