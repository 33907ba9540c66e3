// Leaves out what may differ, and writes the rest.
#include "tests/support/comparable.h"

#include "tests/support/http2_frames.h"

#include <algorithm>
#include <set>
#include <vector>

namespace sallyport::test {
namespace {

// RFC 9110, 7.6.3: the version that the gateway received.
std::string with_first_version(std::string via) {
    constexpr std::string_view newer = "2.0 ";
    if (via.starts_with(newer)) via.replace(0, newer.size(), "1.1 ");
    return via;
}

std::string lines_of(Fields const& fields) {
    std::string text;
    for (auto const& [name, value] : http2::lowered(fields))
        if (name != "x-request-id")
            text += name + ": " + (name == "via" ? with_first_version(value) : value) + '\n';
    return text;
}

bool is_varying(std::string const& member) {
    static std::set<std::string> const varying{"time",     "seq",       "request_id", "requestId",
                                               "bytes_in", "bytes_out", "protocol"};
    return varying.count(member) != 0 || member.ends_with("_us");
}

// An id of the upstream is there in both, or in neither.
std::string comparable_value(std::string const& member, Json const& value) {
    bool const is_id = member == "upstream_request_id" && !value.is_null();
    return is_id ? "an id" : comparable(value);
}

} // namespace

std::string comparable(Json const& json) {
    std::string text = json.string + ' ' + std::to_string(json.number)
                       + (json.boolean     ? " true"
                          : json.is_null() ? " null"
                                           : " ");
    for (auto const& item : json.items)
        text += '[' + comparable(item) + ']';
    for (auto const& [name, value] : json.members)
        if (!is_varying(name)) text += '{' + name + ' ' + comparable_value(name, value) + '}';
    return text;
}

std::string difference(Json const& older, Json const& newer) {
    if (older.names() != newer.names()) return comparable(older) + " | " + comparable(newer);
    std::string text;
    for (auto const& name : older.names()) {
        if (is_varying(name)) continue;
        auto const first = comparable_value(name, older[name]);
        auto const second = comparable_value(name, newer[name]);
        if (first != second) text += name + ": " + first + " | " + second + '\n';
    }
    return text;
}

std::string comparable_body(std::string const& body) {
    return body.starts_with('{') ? comparable(Json::parse(body)) : body;
}

std::string comparable(Request const& request) {
    return request.method + ' ' + request.target + '\n' + lines_of(request.fields) + '\n'
           + request.body + '\n' + lines_of(request.trailers);
}

std::string comparable(Response const& response) {
    static std::set<std::string> const varying{"connection", "date", "keep-alive",
                                               "transfer-encoding", "x-request-id"};
    std::vector<std::string> lines;
    for (auto const& [name, value] : http2::lowered(response.fields))
        if (varying.count(name) == 0) lines.push_back(name + ": " + value + '\n');
    std::sort(lines.begin(), lines.end());
    auto text = std::to_string(response.status) + '\n';
    for (auto const& line : lines)
        text += line;
    return text;
}

} // namespace sallyport::test
