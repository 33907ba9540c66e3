// Somebody sets the clock of the day under the running gateway: libfaketime does, for it alone.
#include "tests/end_to_end/stage.h"
#include "tests/support/admin.h"
#include "tests/support/encodings.h"

#include <catch2/catch.hpp>

#include <ctime>
#include <filesystem>

using namespace sallyport::test;

namespace {

constexpr std::string_view library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";
constexpr Key guest{"key-guest", "Guest.secret.0123456789abcdefgh"};

std::string in_days(int days) {
    std::time_t const time = std::time(nullptr) + days * std::time_t{86'400};
    std::tm parts{};
    ::gmtime_r(&time, &parts);
    std::string text(32, '\0');
    text.resize(std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts));
    return text;
}

Gateway::Options with_a_clock_to_set() {
    // The programs' own clocks that only go forward stay as they are, as with settimeofday(2).
    Gateway::Options options;
    options.environment = {
        {"LD_PRELOAD", std::string{library}}, {"FAKETIME_TIMESTAMP_FILE", "clock"},
        {"FAKETIME_NO_CACHE", "1"},           {"FAKETIME_DONT_FAKE_MONOTONIC", "1"},
        {"DONT_FAKE_MONOTONIC", "1"},         {"ASAN_OPTIONS", "verify_asan_link_order=0"}};
    options.files = {{"clock", "+0d\n"}};
    options.credentials = standard_credentials()
                          + "  - name: guest\n    basic: { key_id: key-guest, secrets: [\"sha256:"
                          + sha256_hex(guest.secret)
                          + "\"] }\n    allow: all\n    expires: " + in_days(5) + "\n";
    return options;
}

void wait_for_jump(Stage const& stage, std::string const& by) {
    stage.gateway.wait_for_error_output([&](std::string const& said) {
        return said.find("clock_jumped by_ms=" + by) != std::string::npos;
    });
}

int status_for(Stage const& stage, Key const& key) {
    return stage.send(request_for("getPipe").authorization(basic(key))).status;
}

} // namespace

TEST_CASE("a clock that is set is noticed, and ends what ends by it and nothing else") {
#ifdef __SANITIZE_THREAD__
    WARN("skipped: a clock that is set by a preloaded library is not for ThreadSanitizer");
    return;
#endif
    if (!std::filesystem::exists(library)) {
        WARN("skipped: there is no libfaketime on this machine");
        return;
    }
    Stage stage{{},
                [](Configuration& configuration) { configuration.rest += admin_section; },
                with_a_clock_to_set()};
    RawClient kept{stage.port()};
    CHECK(kept.exchange(request_for("getPipe").text()).status == 200);
    CHECK(status_for(stage, guest) == 200);

    stage.gateway.replace("clock", "+10d\n");
    wait_for_jump(stage, "86"); // 864000 seconds, a few milliseconds more or less
    CHECK(status_for(stage, guest) == 401);
    CHECK(status_for(stage, administrator) == 200);
    // A connection that was open is served on: no deadline is in the clock of the day.
    CHECK(kept.exchange(request_for("getPipe").text()).status == 200);

    stage.gateway.replace("clock", "+0d\n");
    wait_for_jump(stage, "-86");
    CHECK(status_for(stage, guest) == 200);
    CHECK(metrics_of(stage.gateway)["sallyport_clock_jumps_total"] == 2);
    stage.finish();
}
