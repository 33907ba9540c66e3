// /status: the active configuration, the files on disk, and what will expire soon, as JSON.
#pragma once

#include "gateway/admin/facts.h"

#include <string>

namespace sallyport::admin {

/// One JSON object; gateway/admin/README.md describes its members. It contains no secret, no
/// client's address and nothing of a request.
[[nodiscard]] std::string status_page(Facts const& facts);

} // namespace sallyport::admin
