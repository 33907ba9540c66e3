// Responses in the envelopes and error formats of the two services.
#pragma once

#include "deploy/sandbox/message.h"
#include "deploy/sandbox/routes.h"

#include <boost/json/value.hpp>

#include <string_view>

namespace sallyport::sandbox {

/// Management 2.1: {"status": 200, "requestId": uuid, "result": ...}.
Reply management_result(boost::json::value result);

/// Observability 1: {"data": ...}.
Reply observability_data(boost::json::value data);

/// {"status": n, "error": "CODE: text", "requestId": uuid} of the management API, {"message": text}
/// of the other. status: 400, 401, 404, 405, 413, 431, 500 or 503.
Reply error_reply(Api api, unsigned status, std::string_view text);

/// {"error": text}: the format of the charts of the observability API, instead of a message.
Reply chart_error(unsigned status, std::string_view text);

/// 401: in the format above for management; the observability API sends one word of plain text.
Reply unauthorized_reply(Api api);

} // namespace sallyport::sandbox
