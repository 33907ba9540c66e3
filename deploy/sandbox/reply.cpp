// Builds the envelopes; each response has its request id as a field too.
#include "deploy/sandbox/reply.h"

#include "deploy/sandbox/identity.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <charconv>
#include <cmath>

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

// The shortest decimal form that reads back as this number: 0.5, where Boost.JSON writes 5E-1.
// Exponents as in ECMA-262, 6.1.6.1.20.
void append_number(std::string& out, double number) {
    auto const size = std::abs(number);
    bool const is_usual = size == 0 || (size >= 1e-6 && size < 1e21);
    std::array<char, 40> digits{};
    auto const end = std::to_chars(digits.begin(), digits.end(), number,
                                   is_usual ? std::chars_format::fixed
                                            : std::chars_format::scientific);
    out.append(digits.begin(), end.ptr);
}

void append_json(std::string& out, boost::json::value const& value) {
    std::string_view separator;
    switch (value.kind()) {
    case boost::json::kind::double_: append_number(out, value.get_double()); return;
    case boost::json::kind::array:
        out += '[';
        for (auto const& element : value.get_array()) {
            out += separator;
            append_json(out, element);
            separator = ",";
        }
        out += ']';
        return;
    case boost::json::kind::object:
        out += '{';
        for (auto const& [name, member] : value.get_object()) {
            out.append(separator).append(boost::json::serialize(name)).append(":");
            append_json(out, member);
            separator = ",";
        }
        out += '}';
        return;
    default: out += boost::json::serialize(value);
    }
}

Reply make_reply(unsigned status, std::string request_id, boost::json::value const& body) {
    Reply reply{status, {{"X-Request-Id", std::move(request_id)}}, {}};
    append_json(reply.body, body);
    return reply;
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
