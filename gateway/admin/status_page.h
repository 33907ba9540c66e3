// /status: the active configuration, the files on disk, and what will expire soon, as JSON.
#pragma once

#include "gateway/admin/facts.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace sallyport::admin {

/// Of which credentials the page has when their secrets were last used.
enum class LastUses : std::uint8_t {
    rotating, // those with two secrets, of which so many
    all,      // those that were used since the process has started
};
inline constexpr std::size_t most_rotating = 100;

/// One JSON object; gateway/admin/README.md describes its members. It contains no secret, no
/// client's address and nothing of a request.
[[nodiscard]] std::string status_page(Facts const& facts, LastUses uses);

} // namespace sallyport::admin
