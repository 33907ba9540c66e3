// The example of a platform before stand-ins for its services.
#include "tests/end_to_end/platform.h"

#include "tests/support/encodings.h"
#include "tests/support/machine.h"
#include "tests/support/raw_client.h"

#include <filesystem>
#include <regex>
#include <stdexcept>

namespace sallyport::test {

namespace {

// The example's lists of endpoints, each on one line.
std::string at_endpoint(std::string text, RecordingUpstream const& service) {
    static std::regex const endpoints{R"(endpoints: \[.*?\])"};
    auto moved = std::regex_replace(text, endpoints, "endpoints: [\"" + service.endpoint() + "\"]");
    if (moved == text) throw std::runtime_error("the example names no endpoints");
    return moved;
}

// The example's callers, the first of them with the token of the tests.
std::string callers(std::filesystem::path const& folder) {
    static std::regex const hash{"sha256:[0-9a-f]{64}"};
    return std::regex_replace(read_file(folder / "credentials.yaml"), hash,
                              "sha256:" + sha256_hex(shop_token),
                              std::regex_constants::format_first_only);
}

std::string included_by(std::filesystem::path const& file) {
    auto const text = read_file(file);
    auto const at = text.find("include: ");
    return text.substr(at, text.find('\n', at) - at + 1);
}

Configuration configuration(std::filesystem::path const& folder) {
    Configuration configuration;
    configuration.listeners = tls_listener({certificates().server});
    configuration.rest = included_by(folder / "sallyport.yaml");
    return configuration;
}

Gateway::Options files(std::filesystem::path const& folder, Platform const& platform) {
    Gateway::Options options;
    options.credentials = callers(folder);
    for (auto const& entry : std::filesystem::recursive_directory_iterator{folder}) {
        auto const name = std::filesystem::relative(entry.path(), folder);
        if (entry.is_regular_file() && name.has_parent_path())
            options.files[name.string()] = read_file(entry.path());
    }
    auto const move = [&](char const* name, RecordingUpstream const& service) {
        auto& text = options.files.at(name);
        text = at_endpoint(text, service);
    };
    move("accounts/gateway.yaml", platform.accounts);
    move("orders/gateway.yaml", platform.orders);
    move("catalogue/gateway.yaml", platform.catalogue);
    move("media/gateway.yaml", platform.media);
    return options;
}

} // namespace

Platform::Platform()
    : orders{send_bytes(response_text("{\"number\":7}", 201))},
      gateway{configuration(sources() / "deploy/platform"),
              files(sources() / "deploy/platform", *this)} {}

} // namespace sallyport::test
