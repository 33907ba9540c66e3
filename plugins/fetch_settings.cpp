// Keys of the configuration about servers that the gateway asks itself: see fetch_settings.h.
#include "plugins/fetch_settings.h"

#include "config/patterns.h"
#include "gateway/fetch/reach.h"
#include "gateway/fetch/url.h"

#include <cstddef>
#include <string_view>

namespace sallyport::plugins {

namespace {

constexpr std::size_t longest_url = 2048;

} // namespace

// What fetch::parse_url() takes, and paths that are not plain too.
config::Shape url_shape() {
    auto const host = config::host_pattern();
    auto const port = config::decimal_pattern(1, 65535);
    return config::text_shape(longest_url, "^https?://" + host.substr(1, host.size() - 2)
                                               + "(:" + port + R"()?([/?][!$-;=?-[\]_a-z~]*)?$)");
}

std::optional<std::string> read_url(config::Reader& reader, config::Value const& value) {
    auto text = reader.read_line(value, longest_url);
    if (!text) return std::nullopt;
    auto const parsed = fetch::parse_url(*text);
    auto const problem =
        parsed.problem.empty() ? fetch::reason_against(parsed.url) : parsed.problem;
    if (problem.empty()) return text;
    reader.refuse(value, std::string{problem},
                  "write https://host/path, as the issuer documents it");
    return std::nullopt;
}

} // namespace sallyport::plugins
