// Builds the envelopes; each answer carries its request id as a field too.
#include "deploy/sandbox/reply.h"

#include "deploy/sandbox/identity.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace sallyport::sandbox {
namespace {

std::string_view code_of(unsigned status) {
    switch (status) {
    case 400: return "BAD_REQUEST";
    case 401: return "UNAUTHORIZED";
    case 404: return "NOT_FOUND";
    case 405: return "METHOD_NOT_ALLOWED";
    case 413: return "PAYLOAD_TOO_LARGE";
    case 431: return "HEADER_TOO_LARGE";
    case 503: return "STORAGE_FULL";
    default: return "INTERNAL_ERROR";
    }
}

Reply make_reply(unsigned status, std::string request_id, boost::json::object const& body) {
    return Reply{status, {{"X-Request-Id", std::move(request_id)}}, boost::json::serialize(body)};
}

} // namespace

Reply management_result(boost::json::value result) {
    std::string request_id = make_uuid();
    boost::json::object body;
    body["status"] = 200;
    body["requestId"] = request_id;
    body["result"] = std::move(result);
    return make_reply(200, std::move(request_id), body);
}

Reply observability_data(boost::json::value data) {
    boost::json::object body;
    body["data"] = std::move(data);
    return make_reply(200, make_uuid(), body);
}

Reply error_reply(Api api, unsigned status, std::string_view text) {
    std::string request_id = make_uuid();
    boost::json::object body;
    if (api == Api::management) {
        std::string error{code_of(status)};
        error += ": ";
        error += text;
        body["status"] = status;
        body["error"] = error;
        body["requestId"] = request_id;
    } else {
        body["message"] = text;
    }
    return make_reply(status, std::move(request_id), body);
}

Reply chart_error(unsigned status, std::string_view text) {
    return make_reply(status, make_uuid(), boost::json::object{{"error", text}});
}

Reply unauthorized_reply(Api api) {
    Reply reply;
    if (api == Api::management) {
        reply = error_reply(api, 401, "the key is missing or not known");
        reply.fields.emplace_back("WWW-Authenticate", "Basic"); // RFC 9110, 11.6.1
    } else {
        reply.status = 401;
        reply.body = "Unauthorized";
        reply.fields = {{"X-Request-Id", make_uuid()},
                        {"WWW-Authenticate", "Bearer"},
                        {"Content-Type", "text/plain; charset=utf-8"}};
    }
    return reply;
}

} // namespace sallyport::sandbox
