// The example of a platform (deploy/platform) before stand-ins for its services.
#pragma once

#include "tests/support/gateway.h"
#include "tests/support/recording_upstream.h"

#include <string>
#include <string_view>

namespace sallyport::test {

inline constexpr std::string_view shop_token = "shop.token-0123456789abcdefghij";

struct Platform {
    Platform();

    RecordingUpstream accounts;
    RecordingUpstream orders;
    RecordingUpstream catalogue;
    RecordingUpstream media;
    Gateway gateway; // with the files of the teams, but for the addresses of their services
};

} // namespace sallyport::test
