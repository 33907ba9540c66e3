// The two services: one request in, one answer out, with the store between them.
#pragma once

#include "deploy/sandbox/message.h"
#include "deploy/sandbox/routes.h"
#include "deploy/sandbox/store.h"

#include <string_view>

namespace sallyport::sandbox {

// Answers any request. Credentials are not looked at: who may call is decided before the upstream.
Reply answer(Store& store, Request const& request);

// The operations of the management document, section 4; parameters as in the path, body as it came.
Reply answer_management(Store& store, Route const& route, std::string_view body);

// The operations of the observability document, section 4.
Reply answer_observability(Store& store, Route const& route, std::string_view body);

} // namespace sallyport::sandbox
