// When the secrets of credentials were last used: what the running gateway says at its admin
// listener.
#pragma once

#include "config/addresses.h"

#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sallyport::commands {

/// A time as the page has it (RFC 3339, to the minute); nothing: never, since the gateway has
/// started.
using LastUseTimes = std::vector<std::optional<std::string>>; // in the order of the file

struct LastUsesPage {
    std::string since;                           // RFC 3339: when the process has started
    std::map<std::string, LastUseTimes> by_name; // of credentials that were used
};

/// Nothing after writing the reason to `err`.
[[nodiscard]] std::optional<LastUsesPage> fetch_last_uses(config::Address const& address,
                                                          std::ostream& err);

} // namespace sallyport::commands
