// Finds the API of a request by its host and path.
#pragma once

#include "gateway/pipeline/denial.h"
#include "gateway/pipeline/exchange.h"

#include <memory>

namespace sallyport::pipeline {
class ApiTable;
}

namespace sallyport::serve {

/// For a client whose address may not come.
[[nodiscard]] std::unique_ptr<pipeline::Denial> address_denied();

/// Sets the host of the request, and the API that takes it. Denies what none takes, what its path
/// has that only other APIs let pass, and addresses that may not come. Unauthenticated clients learn
/// only which API owns a path, if any. Null: found.
[[nodiscard]] std::unique_ptr<pipeline::Denial> find_api(pipeline::Exchange& exchange,
                                                         pipeline::ApiTable const& apis);

} // namespace sallyport::serve
