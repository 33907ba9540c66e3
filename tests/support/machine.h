// Features of a machine that single tests need: each reports why it is skipped.
#pragma once

#include "tests/support/gateway.h"
#include "tests/support/process.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sallyport::test {

/// The sanitizers of the program under test, as for -fsanitize=: "" for none.
inline std::string_view sanitizers() {
    auto const* const named = std::getenv("SALLYPORT_SANITIZERS");
    return named == nullptr ? std::string_view{} : std::string_view{named};
}

/// The folder of the project: SALLYPORT_SOURCES of the environment.
inline std::filesystem::path sources() {
    auto const* const folder = std::getenv("SALLYPORT_SOURCES");
    if (folder == nullptr) throw std::runtime_error("SALLYPORT_SOURCES does not name the sources");
    return folder;
}

inline bool has_program(std::string_view program) {
    if (!find_program(program).empty()) return true;
    WARN("skipped: there is no " + std::string{program} + " on this machine");
    return false;
}

/// Debian's libfaketime, preloaded by the program under test.
inline constexpr std::string_view clock_library =
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";

inline bool has_clock_to_set() {
    if (sanitizers() == "thread") {
        WARN("skipped: a clock that is set by a preloaded library is not for ThreadSanitizer");
        return false;
    }
    if (std::filesystem::exists(clock_library)) return true;
    WARN("skipped: there is no libfaketime on this machine");
    return false;
}

/// A gateway whose clocks follow the file `clock` of its folder: "+0d" at first.
inline Gateway::Options with_clock_to_set() {
    Gateway::Options options;
    options.environment = {{"LD_PRELOAD", std::string{clock_library}},
                           {"FAKETIME_TIMESTAMP_FILE", "clock"},
                           {"FAKETIME_NO_CACHE", "1"},
                           {"ASAN_OPTIONS", "verify_asan_link_order=0"}};
    options.files = {{"clock", "+0d\n"}};
    return options;
}

} // namespace sallyport::test
