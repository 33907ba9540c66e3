// /status: what runs, what is on disk, and what will end soon, as JSON.
#pragma once

#include "gateway/admin/facts.h"

#include <string>

namespace sallyport::admin {

/// One JSON object; gateway/admin/README.md describes its members. No secret, no address of a
/// client, nothing of a request.
[[nodiscard]] std::string status_page(Facts const& facts);

} // namespace sallyport::admin
